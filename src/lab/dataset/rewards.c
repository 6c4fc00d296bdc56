/*
 * The table of rewards: a CSV file with a header, one row per label and one column per arm.
 *
 *   income,low,mid,high     the column of the label's name has the labels; the others are arms
 *   low,1,0.5,0             what the arms earn where the label is low
 *   mid,0.5,1,0.5
 *   high,-1,0.5,1
 *
 * Rows and columns stand in any order; each label has one of both. Separator and decimal mark are
 * those of the schema. The table is a public term, as ranges are: it says what a choice is worth and
 * nothing about any person. Its smallest and largest reward are the range, unless the schema gives a
 * wider one.
 */
#include "core/core.h"
#include "inner.h"
#include "text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

typedef struct table {
    sotto_schema *schema;
    const sotto__column *label;
    char *path;
    sotto_fault *fault;
    sotto__source source;
    sotto__levels levels;
    uint32_t fields_count, key; /* of the header; which of them has the labels */
    uint32_t *arm;              /* of each column */
    uint64_t *row_line;         /* line of each label's row; 0: none yet */
    sotto__record record;
} table;

static sotto_status no_memory(sotto_fault *fault)
{
    return sotto__fault_status(fault, SOTTO_E_MEMORY);
}

#define TABLE_FAULT(t, format, ...)                                                                \
    sotto__refuse((t)->fault, "%s: line %llu" format, (t)->path,                                   \
                  (unsigned long long)(t)->record.line, __VA_ARGS__)

/* ---- header ------------------------------------------------------------------------------- */

static sotto_status take_name(table *t, uint32_t i)
{
    const sotto__field *field = &t->record.field[i];
    char shown[SOTTO__SHOWN_BYTES], listed[SOTTO__LISTED_BYTES], label[SOTTO__SHOWN_BYTES];
    bool key = field->bytes == strlen(t->label->name) &&
               memcmp(field->text, t->label->name, field->bytes) == 0;
    if (key && t->key == NONE) {
        t->key = i;
        return SOTTO_OK;
    }
    uint32_t arm = sotto__levels_find(&t->levels, field->text, field->bytes);
    sotto__shown(field->text, field->bytes, shown);
    if (arm == NONE) {
        return TABLE_FAULT(t,
                           ": column \"%s\" is neither the label, \"%s\", nor one of the arms %s",
                           shown, sotto__shown(t->label->name, strlen(t->label->name), label),
                           sotto__levels_listed(t->label, listed));
    }
    for (uint32_t k = 0; k < i; k++) {
        if (k != t->key && t->arm[k] == arm) {
            return TABLE_FAULT(t, ": column \"%s\" appears twice", shown);
        }
    }
    t->arm[i] = arm;
    return SOTTO_OK;
}

static sotto_status take_header(table *t)
{
    char shown[SOTTO__SHOWN_BYTES];
    sotto_status wrong = sotto__csv_next(&t->source, t->schema->separator, &t->record, t->fault);
    if (wrong != SOTTO_OK) return wrong;
    t->fields_count = t->record.count;
    if (t->fields_count == 0) return sotto__refuse(t->fault, "%s: is empty", t->path);
    t->arm = calloc(t->fields_count, sizeof *t->arm);
    if (t->arm == NULL) return no_memory(t->fault);
    for (uint32_t i = 0; i < t->fields_count; i++) {
        if (take_name(t, i) != SOTTO_OK) return SOTTO_E_FAULT;
    }
    if (t->key == NONE) {
        return TABLE_FAULT(t, ": no column \"%s\", which names the label of a row",
                           sotto__shown(t->label->name, strlen(t->label->name), shown));
    }
    if (t->fields_count == t->label->levels_count + 1)
        return SOTTO_OK; /* names differ, so all arms are there */
    return TABLE_FAULT(
        t, ": %u arms, but the label \"%s\" has %u: one column per arm", t->fields_count - 1,
        sotto__shown(t->label->name, strlen(t->label->name), shown), t->label->levels_count);
}

/* ---- rows --------------------------------------------------------------------------------- */

static sotto_status take_reward(table *t, uint32_t label, uint32_t i)
{
    const sotto__field *field = &t->record.field[i];
    const sotto_schema *schema = t->schema;
    uint32_t arm = t->arm[i];
    double *reward = &schema->rewards[(size_t)label * t->label->levels_count + arm];
    char name[SOTTO__SHOWN_BYTES], value[SOTTO__SHOWN_BYTES];
    sotto__shown(t->label->level[arm], strlen(t->label->level[arm]), name);
    sotto__shown(field->text, field->bytes, value);
    if (!sotto__marked_number(field->text, field->bytes, sotto__decimal_mark(schema), reward)) {
        return TABLE_FAULT(
            t, ", column \"%s\": \"%s\" %s", name, value,
            sotto__number_reason(field->text, field->bytes, sotto__decimal_mark(schema)));
    }
    bool inside = *reward >= schema->rewards_lo && *reward <= schema->rewards_hi;
    if (inside || !schema->rewards_ranged) return SOTTO_OK;
    return TABLE_FAULT(t,
                       ", column \"%s\": \"%s\" is outside of what the schema allows: %.15g to "
                       "%.15g",
                       name, value, schema->rewards_lo, schema->rewards_hi);
}

static sotto_status take_row(table *t)
{
    char name[SOTTO__SHOWN_BYTES], shown[SOTTO__SHOWN_BYTES], listed[SOTTO__LISTED_BYTES];
    if (t->record.count != t->fields_count) {
        return TABLE_FAULT(t, ": %u fields, expected %u", t->record.count, t->fields_count);
    }
    const sotto__field *field = &t->record.field[t->key];
    uint32_t label = sotto__levels_find(&t->levels, field->text, field->bytes);
    sotto__shown(t->label->name, strlen(t->label->name), name);
    sotto__shown(field->text, field->bytes, shown);
    if (label == NONE) {
        return TABLE_FAULT(t, ", column \"%s\": \"%s\" is not one of %s", name, shown,
                           sotto__levels_listed(t->label, listed));
    }
    if (t->row_line[label] != 0) {
        return TABLE_FAULT(t, ", column \"%s\": \"%s\" has a row already, in line %llu", name,
                           shown, (unsigned long long)t->row_line[label]);
    }
    t->row_line[label] = t->record.line;
    for (uint32_t i = 0; i < t->fields_count; i++) {
        if (i != t->key && take_reward(t, label, i) != SOTTO_OK) return SOTTO_E_FAULT;
    }
    return SOTTO_OK;
}

static sotto_status take_rows(table *t)
{
    char shown[SOTTO__SHOWN_BYTES];
    for (;;) { /* bounded: a second row of a label is a fault */
        sotto_status wrong =
            sotto__csv_next(&t->source, t->schema->separator, &t->record, t->fault);
        if (wrong != SOTTO_OK) return wrong;
        if (t->record.count == 0) break;
        if (take_row(t) != SOTTO_OK) return SOTTO_E_FAULT;
    }
    for (uint32_t i = 0; i < t->label->levels_count; i++) {
        if (t->row_line[i] != 0) continue;
        return sotto__refuse(t->fault, "%s: label \"%s\" has no row: one row per label", t->path,
                             sotto__shown(t->label->level[i], strlen(t->label->level[i]), shown));
    }
    return SOTTO_OK;
}

/* ---- the table ---------------------------------------------------------------------------- */

static sotto_status set_range(table *t)
{
    sotto_schema *schema = t->schema;
    size_t count = (size_t)t->label->levels_count * t->label->levels_count;
    double lo = INFINITY, hi = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        lo = fmin(lo, schema->rewards[i]);
        hi = fmax(hi, schema->rewards[i]);
    }
    if (!(lo < hi) || !isfinite(hi - lo)) {
        return sotto__refuse(t->fault,
                             "%s: rewards from %.15g to %.15g: they must differ, by a "
                             "finite number",
                             t->path, lo, hi);
    }
    if (schema->rewards_ranged) return SOTTO_OK;
    schema->rewards_lo = lo;
    schema->rewards_hi = hi;
    return SOTTO_OK;
}

static sotto_status begin(table *t)
{
    uint32_t count = t->label->levels_count;
    sotto_status wrong =
        sotto__schema_beside(t->schema, t->schema->rewards_file, &t->path, t->fault);
    if (wrong != SOTTO_OK) return wrong;
    t->row_line = calloc(count, sizeof *t->row_line);
    t->schema->rewards = calloc((size_t)count * count, sizeof *t->schema->rewards);
    bool made = t->row_line != NULL && t->schema->rewards != NULL;
    if (!made || sotto__levels_new(&t->levels, count) != SOTTO_OK) return no_memory(t->fault);
    for (uint32_t i = 0; i < count; i++) {
        sotto__levels_add(&t->levels, t->label->level[i], strlen(t->label->level[i]), i);
    }
    return sotto__source_open(&t->source, t->path, t->fault);
}

sotto_status sotto__rewards_read(sotto_schema *schema, sotto_fault *fault)
{
    table *t = calloc(1, sizeof *t);
    if (t == NULL) return no_memory(fault);
    t->schema = schema;
    t->label = sotto__schema_arms_column(schema);
    t->fault = fault;
    t->key = NONE;
    t->source.fd = -1;
    sotto_status wrong = begin(t);
    if (wrong == SOTTO_OK) wrong = take_header(t);
    if (wrong == SOTTO_OK) wrong = take_rows(t);
    if (wrong == SOTTO_OK) wrong = set_range(t);
    sotto__source_close(&t->source);
    sotto__levels_free(&t->levels);
    free(t->row_line);
    free(t->arm);
    free(t->path);
    free(t);
    return wrong;
}
