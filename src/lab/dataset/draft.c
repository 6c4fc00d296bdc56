/*
 * A schema to start from: one pass that keeps, of every column, its smallest and largest number and
 * up to 256 different words. Whoever uses it must say that its ranges come from people's rows.
 *
 * A column is a number if all of its values are; a category if it has few enough levels; otherwise
 * it is ignored, and a note says why. Words that commonly stand for no value count as missing; rows
 * whose label is one of them are skipped, which a note says too.
 */
#include "draft.h"
#include "core/fault.h"
#include "fit.h"
#include "guess.h"
#include "lab/text/printable.h"
#include "levels.h"
#include "number.h"
#include "record.h"
#include "settings.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS_MAX 256u      /* of one column */
#define LEVELS_ALL_MAX 1024u /* of all categories */
#define LEVEL_BYTES_MAX 200u /* a longer text is no level */
#define NOTE_BYTES 256u
static_assert(LEVELS_MAX == 256 && LEVEL_BYTES_MAX == 200, "the sentences below say so");

static const char *const missing_words[] = {"?",   "NA",   "na",   "N/A",  "n/a",  "#N/A", "NaN",
                                            "nan", "NULL", "null", "None", "none", "-",    "."};
#define MISSING_COUNT (sizeof missing_words / sizeof missing_words[0])

/* The first field of a kind. */
typedef struct sighting {
    uint64_t line; /* 0: there is none */
    char shown[SOTTO__SHOWN_BYTES];
} sighting;

/* What was seen of a column. */
typedef struct seen {
    uint64_t values, missing;
    sighting first_word; /* a value that is not a number */
    sighting first_missing;
    const char *excess; /* why its values are no levels, or NULL */
    double lo, hi;
    sotto__levels levels;
    char *level[LEVELS_MAX];
} seen;

typedef struct survey {
    const sotto_draft *draft;
    sotto__source source;
    sotto_schema *schema;
    char *fault;
    sotto__levels missing;
    char mark;     /* of decimal numbers */
    uint64_t line; /* of the record that is seen */
    uint64_t rows;
    uint32_t columns_count; /* of LIBSVM with the label, which is the first */
    char *name[SOTTO__COLUMNS_MAX + 1];
    seen *seen[SOTTO__COLUMNS_MAX + 1];
    sotto__record record;
} survey;

static const char *no_memory(survey *s)
{
    return sotto__fault(s->fault, "%s: %s", s->source.path, sotto_status_text(SOTTO_E_MEMORY));
}

/* ---- what was seen ------------------------------------------------------------------------ */

static void forget_levels(seen *of)
{
    for (uint32_t i = 0; i < of->levels.count; i++) {
        free(of->level[i]);
    }
    sotto__levels_free(&of->levels);
}

static sotto_status see_level(seen *of, const char *text, size_t bytes)
{
    if (of->excess != NULL || sotto__levels_find(&of->levels, text, bytes) != UINT32_MAX)
        return SOTTO_OK;
    uint32_t count = of->levels.count;
    if (count == LEVELS_MAX || bytes > LEVEL_BYTES_MAX) {
        forget_levels(of);
        of->excess = count == LEVELS_MAX ? "more than 256 levels" : "a level longer than 200 bytes";
        return SOTTO_OK;
    }
    of->level[count] = strndup(text, bytes);
    if (of->level[count] == NULL) return SOTTO_E_MEMORY;
    sotto__levels_add(&of->levels, of->level[count], bytes, count);
    return SOTTO_OK;
}

static void see_number(seen *of, double x)
{
    if (of->values == 0 || x < of->lo) of->lo = x;
    if (of->values == 0 || x > of->hi) of->hi = x;
}

static void sight(sighting *first, uint64_t line, const char *text, size_t bytes)
{
    if (first->line > 0) return;
    first->line = line;
    sotto__shown(text, bytes, first->shown);
}

static bool has_words(const seen *of)
{
    return of->first_word.line > 0;
}

static const char *see(survey *s, uint32_t column, const char *text, size_t bytes)
{
    seen *of = s->seen[column];
    double x;
    if (bytes == 0 || sotto__levels_find(&s->missing, text, bytes) != UINT32_MAX) {
        sight(&of->first_missing, s->line, text, bytes);
        of->missing++;
        return NULL;
    }
    if (!has_words(of) && sotto__marked_number(text, bytes, s->mark, &x)) {
        see_number(of, x);
    } else {
        sight(&of->first_word, s->line, text, bytes);
    }
    of->values++;
    return see_level(of, text, bytes) == SOTTO_OK ? NULL : no_memory(s);
}

/* The next column of the file. */
static const char *add_column(survey *s, const char *name, size_t bytes)
{
    uint32_t i = s->columns_count;
    s->name[i] = strndup(name, bytes);
    s->seen[i] = calloc(1, sizeof *s->seen[i]);
    s->columns_count++;
    if (s->name[i] == NULL || s->seen[i] == NULL) return no_memory(s);
    return sotto__levels_new(&s->seen[i]->levels, LEVELS_MAX) == SOTTO_OK ? NULL : no_memory(s);
}

static const char *add_numbered(survey *s, uint32_t number)
{
    char name[12];
    return add_column(s, name, (size_t)snprintf(name, sizeof name, "%u", number));
}

/* ---- CSV ---------------------------------------------------------------------------------- */

static bool is(const char *name, const char *text, size_t bytes)
{
    return name != NULL && strlen(name) == bytes && memcmp(name, text, bytes) == 0;
}

/* The k-th of the names that were given beforehand, k < 4 + ignored_count; it may be NULL. */
static const char *given_name(const sotto_draft *draft, uint32_t k)
{
    const char *const given[] = {draft->label, draft->action, draft->reward, draft->propensity};
    return k < 4 ? given[k] : draft->ignored[k - 4];
}

/* The first column of that name, or columns_count. */
static uint32_t column_of(const survey *s, const char *name)
{
    uint32_t i = 0;
    while (i < s->columns_count && strcmp(name, s->name[i]) != 0) {
        i++;
    }
    return i;
}

static uint32_t numbers_in(const survey *s)
{
    uint32_t count = 0;
    double x;
    for (uint32_t i = 0; i < s->record.count; i++) {
        const sotto__field *field = &s->record.field[i];
        count += sotto__marked_number(field->text, field->bytes, s->mark, &x);
    }
    return count;
}

static bool names_differ(const survey *s)
{
    for (uint32_t i = 0; i < s->columns_count; i++) {
        if (column_of(s, s->name[i]) != i) return false;
    }
    return true;
}

/* What the first record, whose words are the names so far, says of a header: a name that was given
 * and that can be no number of a column; or no number at all, which the second record must then
 * have. Where all the names that were given are words of it and numbers of columns, as in a header
 * 0, 1, 2, 3, nobody but the caller knows. */
static const char *guess_header(survey *s, sotto_draft_header *out)
{
    const char *doubtful = NULL;
    bool all = true;
    *out = s->draft->header;
    if (*out != SOTTO_HEADER_GUESS) return NULL;
    for (uint32_t k = 0; k < 4 + s->draft->ignored_count; k++) {
        const char *name = given_name(s->draft, k);
        if (name == NULL) continue;
        bool word = column_of(s, name) < s->columns_count;
        uint32_t number = sotto__column_index(name);
        if (word && (number == 0 || number > s->columns_count)) {
            *out = SOTTO_HEADER_YES;
            return NULL;
        }
        if (word && doubtful == NULL) doubtful = name;
        all = all && word;
    }
    if (numbers_in(s) > 0) *out = SOTTO_HEADER_NO;
    if (doubtful == NULL || !all || !names_differ(s)) return NULL;
    return sotto__fault(s->fault,
                        "%s: line %llu: \"%s\" is a word of the first record, and the "
                        "number of a column if that is no header: --header yes or "
                        "--header no must say which is meant",
                        s->source.path, (unsigned long long)s->record.line, doubtful);
}

static const char *ragged(survey *s)
{
    static const char separators[] = SOTTO__SEPARATORS;
    char guessed[80] = "";
    if (s->draft->separator == '\0') {
        const char *at = strchr(separators, s->schema->separator);
        snprintf(guessed, sizeof guessed, "; the separator was guessed: %s",
                 sotto__separator_name((uint32_t)(at - separators)));
    }
    return sotto__fault(s->fault, "%s: line %llu: %u field%s, expected %u%s", s->source.path,
                        (unsigned long long)s->record.line, s->record.count,
                        s->record.count == 1 ? "" : "s", s->columns_count, guessed);
}

static const char *see_record(survey *s)
{
    if (s->record.count != s->columns_count) return ragged(s);
    s->line = s->record.line;
    s->rows++;
    for (uint32_t i = 0; i < s->record.count; i++) {
        const sotto__field *field = &s->record.field[i];
        if (see(s, i, field->text, field->bytes) != NULL) return s->fault;
    }
    return NULL;
}

/* No header: what stood in the first record are values, and the columns are numbered. */
static const char *see_names(survey *s)
{
    s->rows++;
    for (uint32_t i = 0; i < s->columns_count; i++) {
        char number[12];
        if (see(s, i, s->name[i], strlen(s->name[i])) != NULL) return s->fault;
        free(s->name[i]);
        snprintf(number, sizeof number, "%u", i + 1);
        s->name[i] = strdup(number);
        if (s->name[i] == NULL) return no_memory(s);
    }
    return NULL;
}

static const char *next_csv(survey *s)
{
    return sotto__csv_next(&s->source, s->schema->separator, &s->record, s->fault);
}

static const char *survey_csv(survey *s)
{
    if (sotto__source_fill(&s->source, s->fault) != NULL) return s->fault;
    s->schema->separator = s->draft->separator;
    if (s->schema->separator == '\0') s->schema->separator = sotto__guess_separator(&s->source);
    s->mark = s->draft->decimal;
    if (s->mark == '\0') s->mark = sotto__guess_decimal(&s->source, s->schema->separator);
    s->schema->decimal_comma = s->mark == ',';
    if (next_csv(s) != NULL) return s->fault;
    if (s->record.count == 0) {
        return sotto__fault(s->fault, "%s: is empty", s->source.path);
    }
    for (uint32_t i = 0; i < s->record.count; i++) {
        const sotto__field *field = &s->record.field[i];
        if (add_column(s, field->text, field->bytes) != NULL) return s->fault;
    }
    sotto_draft_header header;
    if (guess_header(s, &header) != NULL) return s->fault;
    s->line = s->record.line;
    if (next_csv(s) != NULL) return s->fault;
    if (header == SOTTO_HEADER_GUESS) {
        header = numbers_in(s) > 0 ? SOTTO_HEADER_YES : SOTTO_HEADER_NO;
    }
    s->schema->header = header == SOTTO_HEADER_YES;
    if (header == SOTTO_HEADER_NO && see_names(s) != NULL) return s->fault;
    while (s->record.count > 0) {
        if (see_record(s) != NULL || next_csv(s) != NULL) return s->fault;
    }
    return NULL;
}

/* ---- LIBSVM ------------------------------------------------------------------------------- */

static const char *see_pairs(survey *s)
{
    s->line = s->record.line;
    s->rows++;
    for (uint32_t i = 0; i < s->record.count; i++) {
        const sotto__field *field = &s->record.field[i];
        while (s->columns_count <= field->column) {
            if (add_numbered(s, s->columns_count) != NULL) return s->fault;
        }
        if (see(s, field->column, field->text, field->bytes) != NULL) return s->fault;
        if (i == 0 || !has_words(s->seen[field->column])) continue;
        char shown[SOTTO__SHOWN_BYTES];
        return sotto__fault(s->fault, "%s: line %llu, column %u: \"%s\" is not a finite number",
                            s->source.path, (unsigned long long)s->record.line, field->column,
                            sotto__shown(field->text, field->bytes, shown));
    }
    return NULL;
}

static const char *survey_libsvm(survey *s)
{
    const char *label = s->draft->label == NULL ? "label" : s->draft->label;
    if (add_column(s, label, strlen(label)) != NULL) return s->fault;
    for (;;) {
        if (sotto__libsvm_next(&s->source, &s->record, s->fault) != NULL) return s->fault;
        if (s->record.count == 0) break;
        if (see_pairs(s) != NULL) return s->fault;
    }
    for (uint32_t i = 1; i < s->columns_count; i++) {
        if (s->seen[i]->values < s->rows) see_number(s->seen[i], 0); /* what is not listed */
    }
    return NULL;
}

/* ---- the schema --------------------------------------------------------------------------- */

static sotto__column_kind kind_of(const survey *s, uint32_t i)
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
    return has_words(s->seen[i]) ? SOTTO__COLUMN_CATEGORY : SOTTO__COLUMN_NUMBER;
}

/* Why a feature is of no use, or NULL. `room` is for how many levels there still is. */
static const char *useless(const seen *of, sotto__column_kind kind, uint32_t room)
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

static const char *add_levels(survey *s, const seen *of, sotto__column *column)
{
    for (uint32_t i = 0; i < of->levels.count; i++) {
        if (!sotto__schema_add_level(column, of->level[i], strlen(of->level[i]))) {
            return no_memory(s);
        }
    }
    if (column->levels_count > 0) {
        qsort(column->level, column->levels_count, sizeof *column->level,
              has_words(of)    ? by_text
              : s->mark == ',' ? by_comma_number
                               : by_number);
    }
    return NULL;
}

static const char *column_fault(survey *s, uint32_t i, const char *reason)
{
    char shown[SOTTO__SHOWN_BYTES];
    return sotto__fault(s->fault, "%s: column \"%s\": %s", s->source.path,
                        sotto__shown(s->name[i], strlen(s->name[i]), shown), reason);
}

/* Why a feature is ignored. Where it might have been a number, what kept it from being one. */
static const char *add_reason(survey *s, const seen *of, const char *reason, sotto__column *column)
{
    char note[NOTE_BYTES] = "";
    if (has_words(of)) {
        snprintf(note, sizeof note, "\"%s\" in line %llu is not a number, and ",
                 of->first_word.shown, (unsigned long long)of->first_word.line);
    }
    size_t at = strlen(note);
    snprintf(note + at, sizeof note - at, "%s", reason);
    column->note = strdup(note);
    return column->note == NULL ? no_memory(s) : NULL;
}

/* Which rows are skipped, if any. */
static const char *add_unlabelled(survey *s, const seen *of, sotto__column *column)
{
    char note[NOTE_BYTES];
    if (of->missing == 0) return NULL;
    s->schema->unlabelled = true;
    snprintf(note, sizeof note,
             "rows without a label: %llu of %llu, and `unlabelled skip` skips them; the first has "
             "\"%s\", in line %llu",
             (unsigned long long)of->missing, (unsigned long long)s->rows, of->first_missing.shown,
             (unsigned long long)of->first_missing.line);
    column->note = strdup(note);
    return column->note == NULL ? no_memory(s) : NULL;
}

static const char *write_column(survey *s, uint32_t i, uint32_t *room)
{
    const seen *of = s->seen[i];
    sotto__column_kind kind = kind_of(s, i);
    const char *reason = useless(of, kind, *room);
    if (reason != NULL) kind = SOTTO__COLUMN_IGNORE;
    sotto__column *column = sotto__schema_add(s->schema, kind, s->name[i], strlen(s->name[i]));
    if (column == NULL) return no_memory(s);
    if (reason != NULL) return add_reason(s, of, reason, column);
    switch (kind) {
    case SOTTO__COLUMN_IGNORE:
    case SOTTO__COLUMN_PROPENSITY: return NULL;
    case SOTTO__COLUMN_REWARD:
        if (has_words(of) || of->values == 0) return column_fault(s, i, "a reward needs numbers");
        column->lo = of->lo;
        column->hi = of->hi > of->lo ? of->hi : of->lo + 1;
        return NULL;
    case SOTTO__COLUMN_NUMBER:
        column->lo = of->lo;
        column->hi = of->hi;
        return NULL;
    case SOTTO__COLUMN_CATEGORY: *room -= of->levels.count; break;
    case SOTTO__COLUMN_LABEL:
        if (add_unlabelled(s, of, column) != NULL) return s->fault;
        break;
    case SOTTO__COLUMN_ACTION: break;
    }
    if (of->excess != NULL) {
        char why[64];
        snprintf(why, sizeof why, "%s; no arms", of->excess);
        return column_fault(s, i, why);
    }
    return add_levels(s, of, column);
}

/* How many levels the categories may have beside the numbers and the constant. */
static uint32_t levels_room(const survey *s)
{
    uint32_t numbers = 0;
    for (uint32_t i = 0; i < s->columns_count; i++) {
        sotto__column_kind kind = kind_of(s, i);
        numbers += kind == SOTTO__COLUMN_NUMBER && useless(s->seen[i], kind, 0) == NULL;
    }
    uint32_t room = numbers + 1 < SOTTO_DIM_MAX ? SOTTO_DIM_MAX - 1 - numbers : 0;
    return room < LEVELS_ALL_MAX ? room : LEVELS_ALL_MAX;
}

/* Every name that was given beforehand is a column. */
static const char *names_fault(survey *s)
{
    for (uint32_t k = 0; k < 4 + s->draft->ignored_count; k++) {
        const char *name = given_name(s->draft, k);
        if (name == NULL || column_of(s, name) < s->columns_count) continue;
        if (name[0] == '\0') {
            return sotto__fault(
                s->fault,
                "%s: an empty name was given, as where a list ends with a comma, and "
                "no column of the file is without a name",
                s->source.path);
        }
        const char *last = s->name[s->columns_count - 1];
        char shown[3][SOTTO__SHOWN_BYTES];
        return sotto__fault(
            s->fault, "%s: column \"%s\" is not in the file, which has %u: \"%s\" to \"%s\"",
            s->source.path, sotto__shown(name, strlen(name), shown[0]), s->columns_count,
            sotto__shown(s->name[0], strlen(s->name[0]), shown[1]),
            sotto__shown(last, strlen(last), shown[2]));
    }
    return NULL;
}

/* With a constant for context there is nothing to learn from people, whatever a verdict says. */
static const char *features_fault(survey *s)
{
    const sotto_schema *schema = s->schema;
    uint32_t i = 0;
    if (sotto_schema_dim(schema) > 1) return NULL;
    while (i < schema->columns_count &&
           (schema->column[i].kind != SOTTO__COLUMN_IGNORE || schema->column[i].note == NULL)) {
        i++;
    }
    if (i == schema->columns_count) {
        return sotto__fault(s->fault, "%s: has no feature", s->source.path);
    }
    char reason[NOTE_BYTES + 32];
    snprintf(reason, sizeof reason, "%s; and no other feature is left", schema->column[i].note);
    return column_fault(s, i, reason);
}

static const char *write_schema(survey *s)
{
    char why[SOTTO_FAULT_BYTES];
    if (s->rows == 0) {
        return sotto__fault(s->fault, "%s: has no rows", s->source.path);
    }
    if (names_fault(s) != NULL) return s->fault;
    uint32_t room = levels_room(s);
    for (uint32_t i = 0; i < s->columns_count; i++) {
        if (write_column(s, i, &room) != NULL) return s->fault;
    }
    for (uint32_t i = 0; i < MISSING_COUNT; i++) {
        const char *word = missing_words[i];
        if (!sotto__schema_add_missing(s->schema, word, strlen(word))) return no_memory(s);
    }
    if (sotto__schema_fault(s->schema, why) == NULL) return features_fault(s);
    return sotto__fault(s->fault, "%s: %.400s", s->source.path, why);
}

static const char *survey_file(survey *s)
{
    if (sotto__levels_new(&s->missing, MISSING_COUNT) != SOTTO_OK) return no_memory(s);
    for (uint32_t i = 0; i < MISSING_COUNT; i++) {
        sotto__levels_add(&s->missing, missing_words[i], strlen(missing_words[i]), i);
    }
    bool csv = s->draft->format == SOTTO_DATASET_CSV;
    if ((csv ? survey_csv(s) : survey_libsvm(s)) != NULL) return s->fault;
    if (write_schema(s) != NULL) return s->fault;
    return s->draft->once ? NULL : sotto__source_rewind(&s->source, s->fault);
}

static void survey_free(survey *s)
{
    for (uint32_t i = 0; i < s->columns_count; i++) {
        free(s->name[i]);
        if (s->seen[i] != NULL) forget_levels(s->seen[i]);
        free(s->seen[i]);
    }
    sotto__levels_free(&s->missing);
    sotto__source_close(&s->source);
    free(s);
}

const char *sotto__schema_draft(const sotto_draft *draft, const char *path, sotto_schema *out,
                                char fault[SOTTO_FAULT_BYTES])
{
    *out = (sotto_schema){.format = draft->format,
                          .separator = ',',
                          .header = true,
                          .from_data = true,
                          .unit = true,
                          .propensity = draft->constant_propensity};
    survey *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return sotto__fault(fault, "%s: %s", path, sotto_status_text(SOTTO_E_MEMORY));
    }
    s->draft = draft;
    s->schema = out;
    s->mark = '.';
    s->fault = fault;
    const char *wrong = sotto__source_open(&s->source, path, fault);
    if (wrong == NULL) wrong = survey_file(s);
    survey_free(s);
    if (wrong != NULL) sotto__schema_free(out);
    return wrong;
}
