/*
 * A CSV file of customers, with the columns of the data set CPRM-12-001. The first record names the
 * columns, in any order; columns that the study does not use are skipped. An invalid row stops the
 * reading, because a study of the remaining rows would be a different study.
 */
#include "core/core.h"
#include "lab/dataset/dataset.h"
#include "loan.h"
#include "text/text.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum column { APPLY, FICO, PRIME, TERM, AMOUNT, CAR, COMPETITION, PAYMENT, COLUMNS } column;

/* The values that a field may have. These ranges are wider than those that scale contexts: values
 * outside the scaling ranges are clipped, and values outside these ranges are errors. */
static const struct number_rule {
    const char *name;
    double lo, hi;
    bool whole;
} rules[COLUMNS] = {
    [APPLY] = {"apply", 0, 1, true},
    [FICO] = {"Primary_FICO", 1, 1000, false},
    [PRIME] = {"onemonth", 0, 100, false},
    [TERM] = {"Term", 1, 480, true},
    [AMOUNT] = {"Amount_Approved", 1, 1e8, false},
    [CAR] = {"CarType", 0, 0, false},
    [COMPETITION] = {"Competition_rate", 0, 100, false},
    [PAYMENT] = {"mp", 0.01, 1e8, false},
};
#define ALL_NAMES                                                                                  \
    "apply, Primary_FICO, onemonth, Term, Amount_Approved, CarType, Competition_rate, mp"

/* A file being read. */
typedef struct loan_reader {
    const char *path;
    sotto__source source;
    sotto__record *record;
    uint32_t fields; /* of every record */
    uint32_t at[COLUMNS];
    sotto__loan *loan;
    sotto_fault *fault;
} loan_reader;

static bool is_name(const sotto__field *field, const char *name)
{
    return field->bytes == strlen(name) && memcmp(field->text, name, field->bytes) == 0;
}

/* Records which column a field of the header is, if any. */
static sotto_status take_name(loan_reader *r, uint32_t i)
{
    const sotto__field *field = &r->record->field[i];
    if (is_name(field, "SYNTHETIC")) r->loan->signs.column = true;
    for (uint32_t c = 0; c < COLUMNS; c++) {
        if (!is_name(field, rules[c].name)) continue;
        if (r->at[c] != UINT32_MAX) {
            return sotto__refuse(r->fault, "%s: line %llu: two columns %s", r->path,
                                 (unsigned long long)r->record->line, rules[c].name);
        }
        r->at[c] = i;
    }
    return SOTTO_OK;
}

static sotto_status read_header(loan_reader *r)
{
    sotto_status wrong = sotto__csv_next(&r->source, ',', r->record, r->fault);
    if (wrong != SOTTO_OK) return wrong;
    r->fields = r->record->count;
    memset(r->at, 0xff, sizeof r->at);
    for (uint32_t i = 0; i < r->fields && wrong == SOTTO_OK; i++) {
        wrong = take_name(r, i);
    }
    for (uint32_t c = 0; c < COLUMNS && wrong == SOTTO_OK; c++) {
        if (r->at[c] != UINT32_MAX) continue;
        wrong = sotto__refuse(r->fault, "%s: no column %s; needed are " ALL_NAMES, r->path,
                              rules[c].name);
    }
    return wrong;
}

/* ---- one row ------------------------------------------------------------------------------ */

static sotto_status field_fault(const loan_reader *r, column c, const char *allowed)
{
    const sotto__field *field = &r->record->field[r->at[c]];
    char shown[SOTTO__SHOWN_BYTES];
    return sotto__refuse(
        r->fault, "%s: line %llu: column %s = %s: allowed %s", r->path,
        (unsigned long long)r->record->line, rules[c].name,
        field->bytes == 0 ? "(missing)" : sotto__shown(field->text, field->bytes, shown), allowed);
}

static sotto_status take_number(const loan_reader *r, column c, double *out)
{
    const sotto__field *field = &r->record->field[r->at[c]];
    const struct number_rule *rule = &rules[c];
    bool fits = sotto__number(field->text, field->bytes, out) && *out >= rule->lo &&
                *out <= rule->hi && (!rule->whole || *out == floor(*out));
    if (fits) return SOTTO_OK;
    char allowed[64];
    snprintf(allowed, sizeof allowed, "%s %.15g to %.15g",
             rule->whole ? "whole numbers" : "numbers", rule->lo, rule->hi);
    return field_fault(r, c, allowed);
}

static sotto_status take_row(const loan_reader *r, sotto__loan_row *row)
{
    const sotto__field *car = &r->record->field[r->at[CAR]];
    double accepted, term;
    const struct {
        column column;
        double *target;
    } numbers[] = {
        {APPLY, &accepted},       {FICO, &row->fico},
        {PRIME, &row->prime},     {TERM, &term},
        {AMOUNT, &row->amount},   {COMPETITION, &row->competition},
        {PAYMENT, &row->payment},
    };
    if (r->record->count != r->fields) {
        return sotto__refuse(r->fault, "%s: line %llu: %u fields, and the header has %u", r->path,
                             (unsigned long long)r->record->line, r->record->count, r->fields);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        sotto_status wrong = take_number(r, numbers[i].column, numbers[i].target);
        if (wrong != SOTTO_OK) return wrong;
    }
    if (car->bytes != 1 || memchr("NRU", car->text[0], 3) == NULL) {
        return field_fault(r, CAR, "N, R, U");
    }
    row->car = car->text[0];
    row->accepted = accepted == 1;
    row->term = (uint32_t)term;
    return SOTTO_OK;
}

static sotto_status read_rows(loan_reader *r)
{
    for (;;) {
        sotto_status wrong = sotto__csv_next(&r->source, ',', r->record, r->fault);
        if (wrong != SOTTO_OK || r->record->count == 0) return wrong;
        sotto__loan_row row = {0};
        wrong = take_row(r, &row);
        if (wrong != SOTTO_OK) return wrong;
        sotto_status status = sotto__loan_add(r->loan, &row);
        if (status != SOTTO_OK) {
            return sotto__refuse(r->fault, "%s: %s", r->path, sotto_status_text(status));
        }
    }
}

/* ---- the study ---------------------------------------------------------------------------- */

static sotto_status read_file(const char *path, sotto__loan *loan, sotto_fault *fault)
{
    loan_reader r = {.path = path, .loan = loan, .fault = fault};
    sotto_status found = sotto__source_open(&r.source, path, fault);
    if (found != SOTTO_OK) return found;
    r.record = malloc(sizeof *r.record);
    if (r.record == NULL) {
        found = sotto__refuse(fault, "%s: %s", path, sotto_status_text(SOTTO_E_MEMORY));
    }
    if (found == SOTTO_OK) found = read_header(&r);
    if (found == SOTTO_OK) found = read_rows(&r);
    if (found == SOTTO_OK && loan->rows == 0) {
        found = sotto__refuse(fault, "%s: no rows", path);
    }
    free(r.record);
    sotto__source_close(&r.source);
    return found;
}

static sotto_status add_standin(sotto__loan *loan)
{
    sotto__loan_synthetic *s = malloc(SOTTO__LOAN_STANDIN_ROWS * sizeof *s);
    if (s == NULL) return SOTTO_E_MEMORY;
    sotto_status status =
        sotto__loan_standin_draw(SOTTO__LOAN_STANDIN_SEED, s, SOTTO__LOAN_STANDIN_ROWS);
    loan->signs.column = true;
    for (uint32_t r = 0; r < SOTTO__LOAN_STANDIN_ROWS && status == SOTTO_OK; r++) {
        status = sotto__loan_add(loan, &s[r].row);
    }
    free(s);
    return status;
}

sotto_status sotto__loan_open(const char *path, sotto__loan **out, sotto_fault *fault)
{
    const char *name = path == NULL ? "the stand-in" : path;
    sotto_status found = SOTTO_OK;
    sotto__loan *loan = NULL;
    *out = NULL;
    sotto_status status = sotto__loan_new(&loan);
    if (status == SOTTO_OK && path == NULL) status = add_standin(loan);
    if (status == SOTTO_OK && path != NULL) found = read_file(path, loan, fault);
    if (status == SOTTO_OK && found == SOTTO_OK) status = sotto__loan_fit(loan);
    if (status != SOTTO_OK) {
        found = sotto__refuse(fault, "%s: %s", name, sotto_status_text(status));
    } else if (found == SOTTO_OK && !loan->fit.converged) {
        found = sotto__refuse(fault, "%s: logistic regression found no demand", name);
    }
    if (found != SOTTO_OK) {
        sotto__loan_free(loan);
        return found;
    }
    *out = loan;
    return SOTTO_OK;
}

/* ---- the study as others hold it ---------------------------------------------------------- */

sotto_status sotto_loan_open(const char *path, sotto_loan **out, sotto_fault *fault)
{
    if (out == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    *out = NULL;
    return sotto__loan_open(path, out, fault);
}

const sotto_population *sotto_loan_population(const sotto_loan *loan)
{
    return loan == NULL ? NULL : &loan->population;
}

void sotto_loan_free(sotto_loan *loan)
{
    sotto__loan_free(loan);
}
