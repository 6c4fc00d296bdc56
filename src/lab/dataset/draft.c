/*
 * A schema to start from, after one pass over the file (survey.c). Whoever uses it must say that its
 * ranges come from people's rows.
 *
 * A column is a number if all of its values are; a category if it has few enough levels; otherwise
 * it is ignored, and a note says why. Words that commonly stand for no value count as missing; rows
 * whose label is one of them are skipped, which a note says too.
 */
#include "core/core.h"
#include "inner.h"
#include "text/text.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== draft =============================================================================== */

#define LEVELS_ALL_MAX 1024u /* of all categories */
#define NOTE_BYTES 256u

static const char *const missing_words[] = {"?",   "NA",   "na",   "N/A",  "n/a",  "#N/A", "NaN",
                                            "nan", "NULL", "null", "None", "none", "-",    "."};
#define MISSING_COUNT (sizeof missing_words / sizeof missing_words[0])

static bool is(const char *name, const char *text, size_t bytes)
{
    return name != NULL && strlen(name) == bytes && memcmp(name, text, bytes) == 0;
}

static sotto__column_kind kind_of(const sotto__survey *s, uint32_t i)
{
    const sotto_draft *draft = s->draft;
    const char *name = s->name[i];
    size_t bytes = strlen(name);
    if (draft->format == SOTTO_DATASET_LIBSVM && i == 0) return SOTTO__COLUMN_LABEL;
    if (is(draft->label, name, bytes)) return SOTTO__COLUMN_LABEL;
    if (is(draft->action, name, bytes)) return SOTTO__COLUMN_ACTION;
    if (is(draft->reward, name, bytes)) return SOTTO__COLUMN_REWARD;
    if (is(draft->propensity, name, bytes)) return SOTTO__COLUMN_PROPENSITY;
    for (uint32_t k = 0; k < draft->ignored_count; k++) {
        if (is(draft->ignored[k], name, bytes)) return SOTTO__COLUMN_IGNORE;
    }
    return sotto__has_words(s->seen[i]) ? SOTTO__COLUMN_CATEGORY : SOTTO__COLUMN_NUMBER;
}

/* Why a feature is useless, or NULL. `room` is how many more levels there may be. */
static const char *useless(const sotto__seen *of, sotto__column_kind kind, uint32_t room)
{
    bool category = kind == SOTTO__COLUMN_CATEGORY;
    if (kind != SOTTO__COLUMN_NUMBER && !category) return NULL;
    if (of->values == 0) return "no row has a value";
    if (!category) return of->lo < of->hi ? NULL : "all rows have the same value";
    if (of->excess != NULL) return of->excess;
    if (of->levels.count > room) return "all categories together would have too many levels";
    return NULL;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int compare_numbers(const void *a, const void *b, char mark)
{
    double x = 0, y = 0;
    const char *left = *(char *const *)a, *right = *(char *const *)b;
    sotto__marked_number(left, strlen(left), mark, &x);
    sotto__marked_number(right, strlen(right), mark, &y);
    return x == y ? strcmp(left, right) : (x > y) - (x < y);
}

static int by_number(const void *a, const void *b)
{
    return compare_numbers(a, b, '.');
}

static int by_comma_number(const void *a, const void *b)
{
    return compare_numbers(a, b, ',');
}

static sotto_status add_levels(sotto__survey *s, const sotto__seen *of, sotto__column *column)
{
    for (uint32_t i = 0; i < of->levels.count; i++) {
        if (!sotto__schema_add_level(column, of->level[i], strlen(of->level[i]))) {
            return sotto__survey_no_memory(s);
        }
    }
    if (column->levels_count > 0) {
        qsort(column->level, column->levels_count, sizeof *column->level,
              sotto__has_words(of) ? by_text
              : s->mark == ','     ? by_comma_number
                                   : by_number);
    }
    return SOTTO_OK;
}

static sotto_status column_fault(sotto__survey *s, uint32_t i, const char *reason)
{
    char shown[SOTTO__SHOWN_BYTES];
    return sotto__refuse(s->fault, "%s: column \"%s\": %s", s->source.path,
                         sotto__shown(s->name[i], strlen(s->name[i]), shown), reason);
}

/* Notes why a feature is ignored, and which value kept it from being a number. */
static sotto_status add_reason(sotto__survey *s, const sotto__seen *of, const char *reason,
                               sotto__column *column)
{
    char note[NOTE_BYTES] = "";
    if (sotto__has_words(of)) {
        snprintf(note, sizeof note, "\"%s\" in line %llu is not a number, and ",
                 of->first_word.shown, (unsigned long long)of->first_word.line);
    }
    size_t at = strlen(note);
    snprintf(note + at, sizeof note - at, "%s", reason);
    column->note = strdup(note);
    return column->note == NULL ? sotto__survey_no_memory(s) : SOTTO_OK;
}

/* Notes which rows are skipped, if any. */
static sotto_status add_unlabelled(sotto__survey *s, const sotto__seen *of, sotto__column *column)
{
    char note[NOTE_BYTES];
    if (of->missing == 0) return SOTTO_OK;
    s->schema->unlabelled = true;
    snprintf(note, sizeof note,
             "rows without a label: %llu of %llu, and `unlabelled skip` skips them; the first has "
             "\"%s\", in line %llu",
             (unsigned long long)of->missing, (unsigned long long)s->rows, of->first_missing.shown,
             (unsigned long long)of->first_missing.line);
    column->note = strdup(note);
    return column->note == NULL ? sotto__survey_no_memory(s) : SOTTO_OK;
}

/* Refuses a column of numbers if some are not written like the file's: it is neither read as words
 * nor guessed. In an unused column this matters only if the decimal mark was guessed. */
static sotto_status other_fault(sotto__survey *s, uint32_t i, sotto__column_kind kind)
{
    const sotto__sighting *other = &s->seen[i]->first_other;
    bool guessed = s->draft->decimal == '\0' && s->schema->separator != ',';
    bool unused =
        kind == SOTTO__COLUMN_IGNORE || kind == SOTTO__COLUMN_LABEL || kind == SOTTO__COLUMN_ACTION;
    char shown[SOTTO__SHOWN_BYTES];
    if (s->mark == s->schema->separator) return SOTTO_OK; /* sotto__schema_fault refuses that */
    if (other->line == 0 || s->seen[i]->words || (unused && !guessed)) return SOTTO_OK;
    return sotto__refuse(
        s->fault, "%s: line %llu, column \"%s\": \"%s\" %s%s%s", s->source.path,
        (unsigned long long)other->line, sotto__shown(s->name[i], strlen(s->name[i]), shown),
        other->shown, sotto__number_reason(other->shown, strlen(other->shown), s->mark),
        guessed ? "; the mark was guessed: set it with --decimal point or --decimal comma" : "",
        unused ? "" : "; --ignore leaves the column out");
}

static sotto_status write_column(sotto__survey *s, uint32_t i, uint32_t *room)
{
    const sotto__seen *of = s->seen[i];
    sotto__column_kind kind = kind_of(s, i);
    if (other_fault(s, i, kind) != SOTTO_OK) return SOTTO_E_FAULT;
    const char *reason = useless(of, kind, *room);
    if (reason != NULL) kind = SOTTO__COLUMN_IGNORE;
    sotto__column *column = sotto__schema_add(s->schema, kind, s->name[i], strlen(s->name[i]));
    if (column == NULL) return sotto__survey_no_memory(s);
    if (reason != NULL) return add_reason(s, of, reason, column);
    switch (kind) {
    case SOTTO__COLUMN_IGNORE:
    case SOTTO__COLUMN_PROPENSITY: return SOTTO_OK;
    case SOTTO__COLUMN_REWARD:
        if (sotto__has_words(of) || of->values == 0)
            return column_fault(s, i, "a reward needs numbers");
        column->lo = of->lo;
        column->hi = of->hi > of->lo ? of->hi : of->lo + 1;
        return SOTTO_OK;
    case SOTTO__COLUMN_NUMBER:
        column->lo = of->lo;
        column->hi = of->hi;
        return SOTTO_OK;
    case SOTTO__COLUMN_CATEGORY: *room -= of->levels.count; break;
    case SOTTO__COLUMN_LABEL:
        if (add_unlabelled(s, of, column) != SOTTO_OK) return SOTTO_E_FAULT;
        break;
    case SOTTO__COLUMN_ACTION: break;
    }
    if (of->excess != NULL) {
        char why[160];
        snprintf(
            why, sizeof why,
            "%s, too many for arms; replace numbers by a few ranges first, such as low, middle "
            "and high (docs/data.md, \"Numbers as arms\")",
            of->excess);
        return column_fault(s, i, why);
    }
    return add_levels(s, of, column);
}

/* How many levels the categories may have besides the numbers and the constant. */
static uint32_t levels_room(const sotto__survey *s)
{
    uint32_t numbers = 0;
    for (uint32_t i = 0; i < s->columns_count; i++) {
        sotto__column_kind kind = kind_of(s, i);
        numbers += kind == SOTTO__COLUMN_NUMBER && useless(s->seen[i], kind, 0) == NULL;
    }
    uint32_t room = numbers + 1 < SOTTO_DIM_MAX ? SOTTO_DIM_MAX - 1 - numbers : 0;
    return room < LEVELS_ALL_MAX ? room : LEVELS_ALL_MAX;
}

/* Checks that every name given in advance is a column. */
static sotto_status names_fault(sotto__survey *s)
{
    for (uint32_t k = 0; k < 4 + s->draft->ignored_count; k++) {
        const char *name = sotto__draft_given(s->draft, k);
        if (name == NULL || sotto__survey_column(s, name) < s->columns_count) continue;
        if (name[0] == '\0') {
            return sotto__refuse(
                s->fault,
                "%s: one name is empty (does the list end with a comma?), but every column of "
                "the file has a name",
                s->source.path);
        }
        const char *last = s->name[s->columns_count - 1];
        const char *chance = "";
        double number;
        if (name == s->draft->propensity && sotto__number(name, strlen(name), &number)) {
            chance = "a propensity for all is between 0 and 1; ";
        }
        char shown[3][SOTTO__SHOWN_BYTES];
        return sotto__refuse(
            s->fault, "%s: %scolumn \"%s\" is not in the file, which has %u: \"%s\" to \"%s\"",
            s->source.path, chance, sotto__shown(name, strlen(name), shown[0]), s->columns_count,
            sotto__shown(s->name[0], strlen(s->name[0]), shown[1]),
            sotto__shown(last, strlen(last), shown[2]));
    }
    return SOTTO_OK;
}

/* Refuses a file without features: if the context is only a constant, there is nothing to learn
 * about people, whatever a verdict says. */
static sotto_status features_fault(sotto__survey *s)
{
    const sotto_schema *schema = s->schema;
    uint32_t i = 0;
    if (sotto_schema_dim(schema) > 1) return SOTTO_OK;
    while (i < schema->columns_count &&
           (schema->column[i].kind != SOTTO__COLUMN_IGNORE || schema->column[i].note == NULL)) {
        i++;
    }
    if (i == schema->columns_count) {
        return sotto__refuse(s->fault, "%s: has no feature", s->source.path);
    }
    char reason[NOTE_BYTES + 32];
    snprintf(reason, sizeof reason, "%s; and no other feature is left", schema->column[i].note);
    return column_fault(s, i, reason);
}

static sotto_status write_schema(sotto__survey *s)
{
    sotto_fault why;
    if (s->rows == 0) {
        return sotto__refuse(s->fault, "%s: has no rows", s->source.path);
    }
    if (names_fault(s) != SOTTO_OK) return SOTTO_E_FAULT;
    uint32_t room = levels_room(s);
    for (uint32_t i = 0; i < s->columns_count; i++) {
        if (write_column(s, i, &room) != SOTTO_OK) return SOTTO_E_FAULT;
    }
    for (uint32_t i = 0; i < MISSING_COUNT; i++) {
        const char *word = missing_words[i];
        if (!sotto__schema_add_missing(s->schema, word, strlen(word)))
            return sotto__survey_no_memory(s);
    }
    if (sotto__schema_fault(s->schema, &why) == SOTTO_OK) return features_fault(s);
    return sotto__refuse(s->fault, "%s: %.400s", s->source.path, why.sentence);
}

static sotto_status survey_file(sotto__survey *s)
{
    if (sotto__levels_new(&s->missing, MISSING_COUNT) != SOTTO_OK)
        return sotto__survey_no_memory(s);
    for (uint32_t i = 0; i < MISSING_COUNT; i++) {
        sotto__levels_add(&s->missing, missing_words[i], strlen(missing_words[i]), i);
    }
    bool csv = s->draft->format == SOTTO_DATASET_CSV;
    if ((csv ? sotto__survey_csv(s) : sotto__survey_libsvm(s)) != SOTTO_OK) return SOTTO_E_FAULT;
    if (write_schema(s) != SOTTO_OK) return SOTTO_E_FAULT;
    return s->draft->once ? SOTTO_OK : sotto__source_rewind(&s->source, s->fault);
}

sotto_status sotto__schema_draft(const sotto_draft *draft, const char *path, sotto_schema *out,
                                 sotto_fault *fault)
{
    *out = (sotto_schema){.format = draft->format,
                          .separator = ',',
                          .header = true,
                          .from_data = true,
                          .unit = true,
                          .propensity = draft->constant_propensity};
    sotto__survey *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return sotto__refuse(fault, "%s: %s", path, sotto_status_text(SOTTO_E_MEMORY));
    }
    s->draft = draft;
    s->schema = out;
    s->mark = '.';
    s->fault = fault;
    sotto_status wrong = sotto__source_open(&s->source, path, fault);
    if (wrong == SOTTO_OK) wrong = survey_file(s);
    sotto__survey_free(s);
    sotto__levels_free(&s->missing);
    sotto__source_close(&s->source);
    free(s);
    if (wrong != SOTTO_OK) sotto__schema_free(out);
    return wrong;
}

/* ==== handle ================================================================================= */

/* Schemas as others hold them: made, written and freed whole. */

/* Room for a schema. */
static sotto_status schema_new(sotto_schema **out, sotto_fault *fault)
{
    *out = calloc(1, sizeof **out);
    return *out != NULL ? SOTTO_OK : sotto__fault_status(fault, SOTTO_E_MEMORY);
}

/* Frees the schema if `wrong` is a fault. */
static sotto_status finish(sotto_status wrong, sotto_schema **out)
{
    if (wrong == SOTTO_OK) return SOTTO_OK;
    free(*out);
    *out = NULL;
    return wrong;
}

sotto_status sotto_schema_read(const char *path, sotto_schema **out, sotto_fault *fault)
{
    if (out == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    *out = NULL;
    if (path == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    sotto_status wrong = schema_new(out, fault);
    if (wrong == SOTTO_OK) wrong = sotto__schema_read(path, *out, fault);
    return finish(wrong, out);
}

sotto_draft sotto_draft_default(void)
{
    return (sotto_draft){.format = SOTTO_DATASET_CSV, .header = SOTTO_HEADER_GUESS};
}

static sotto_status draft_fault(const sotto_draft *draft, sotto_fault *fault)
{
    char separator = draft->separator;
    if (draft->format != SOTTO_DATASET_CSV && draft->format != SOTTO_DATASET_LIBSVM) {
        return sotto__fault_at(fault, "format", "%u: not known", (unsigned)draft->format);
    }
    if (draft->header > SOTTO_HEADER_YES) {
        return sotto__fault_at(fault, "header", "%u: not known", (unsigned)draft->header);
    }
    if (separator != '\0' && strchr(SOTTO__SEPARATORS, separator) == NULL) {
        return sotto__fault_at(fault, "separator",
                               ": allowed are comma, semicolon, tab, bar, blank");
    }
    if (draft->decimal != '\0' && draft->decimal != '.' && draft->decimal != ',') {
        return sotto__fault_at(fault, "decimal", ": allowed are point, comma");
    }
    double chance = draft->constant_propensity;
    if (chance != 0 && !(chance > 0 && chance <= 1)) {
        return sotto__fault_at(fault, "constant_propensity", "%.15g: allowed above 0, to 1",
                               chance);
    }
    for (uint32_t i = 0; i < draft->ignored_count; i++) {
        if (draft->ignored == NULL || draft->ignored[i] == NULL)
            return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    }
    return SOTTO_OK;
}

sotto_status sotto_schema_draft(const sotto_draft *draft, const char *path, sotto_schema **out,
                                sotto_fault *fault)
{
    if (out == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    *out = NULL;
    if (draft == NULL || path == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    sotto_status wrong = draft_fault(draft, fault);
    if (wrong == SOTTO_OK) wrong = schema_new(out, fault);
    if (wrong == SOTTO_OK) wrong = sotto__schema_draft(draft, path, *out, fault);
    return finish(wrong, out);
}

sotto_status sotto_schema_write(const sotto_schema *schema, const char *path, sotto_fault *fault)
{
    if (schema == NULL || path == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    FILE *file = fopen(path, "w");
    bool written = file != NULL;
    if (written) {
        sotto__schema_write(schema, file);
        written = ferror(file) == 0;
        if (fclose(file) != 0) written = false;
    }
    if (written) return SOTTO_OK;
    return sotto__refuse(fault, "%.300s: %s", path, strerror(errno));
}

void sotto_schema_free(sotto_schema *schema)
{
    if (schema == NULL) return;
    sotto__schema_free(schema);
    free(schema);
}
