/*
 * One pass over a file for a draft (draft.c): how it writes fields and numbers, and what its columns
 * have.
 */
#include "core/core.h"
#include "inner.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL_BYTES_MAX 200u /* a longer text is not a level */
static_assert(SOTTO__DRAFT_LEVELS_MAX == 256 && LEVEL_BYTES_MAX == 200,
              "the sentences below say so");

sotto_status sotto__survey_no_memory(sotto__survey *s)
{
    return sotto__refuse(s->fault, "%s: %s", s->source.path, sotto_status_text(SOTTO_E_MEMORY));
}

/* ---- what was seen ------------------------------------------------------------------------ */

static void forget_levels(sotto__seen *of)
{
    for (uint32_t i = 0; i < of->levels.count; i++) {
        free(of->level[i]);
    }
    sotto__levels_free(&of->levels);
}

static sotto_status see_level(sotto__seen *of, const char *text, size_t bytes)
{
    if (of->excess != NULL || sotto__levels_find(&of->levels, text, bytes) != UINT32_MAX)
        return SOTTO_OK;
    uint32_t count = of->levels.count;
    if (count == SOTTO__DRAFT_LEVELS_MAX || bytes > LEVEL_BYTES_MAX) {
        forget_levels(of);
        of->excess = count == SOTTO__DRAFT_LEVELS_MAX ? "more than 256 levels"
                                                      : "a level longer than 200 bytes";
        return SOTTO_OK;
    }
    of->level[count] = strndup(text, bytes);
    if (of->level[count] == NULL) return SOTTO_E_MEMORY;
    sotto__levels_add(&of->levels, of->level[count], bytes, count);
    return SOTTO_OK;
}

static void see_number(sotto__seen *of, double x)
{
    if (of->values == 0 || x < of->lo) of->lo = x;
    if (of->values == 0 || x > of->hi) of->hi = x;
}

static void sight(sotto__sighting *first, uint64_t line, const char *text, size_t bytes)
{
    if (first->line > 0) return;
    first->line = line;
    sotto__shown(text, bytes, first->shown);
}

bool sotto__has_words(const sotto__seen *of)
{
    return of->first_word.line > 0;
}

static void see_word(sotto__seen *of, const sotto__survey *s, const char *text, size_t bytes)
{
    sight(&of->first_word, s->line, text, bytes);
    of->words = of->words || !sotto__is_other_number(text, bytes, s->mark);
    if (!of->words) sight(&of->first_other, s->line, text, bytes);
}

static sotto_status see(sotto__survey *s, uint32_t column, const char *text, size_t bytes)
{
    sotto__seen *of = s->seen[column];
    double x;
    if (bytes == 0 || sotto__levels_find(&s->missing, text, bytes) != UINT32_MAX) {
        sight(&of->first_missing, s->line, text, bytes);
        of->missing++;
        return SOTTO_OK;
    }
    bool number = !of->words && sotto__marked_number(text, bytes, s->mark, &x);
    if (number && !sotto__has_words(of)) see_number(of, x);
    if (!number) see_word(of, s, text, bytes);
    of->values++;
    return see_level(of, text, bytes) == SOTTO_OK ? SOTTO_OK : sotto__survey_no_memory(s);
}

/* The next column of the file. */
static sotto_status add_column(sotto__survey *s, const char *name, size_t bytes)
{
    uint32_t i = s->columns_count;
    s->name[i] = strndup(name, bytes);
    s->seen[i] = calloc(1, sizeof *s->seen[i]);
    s->columns_count++;
    if (s->name[i] == NULL || s->seen[i] == NULL) return sotto__survey_no_memory(s);
    return sotto__levels_new(&s->seen[i]->levels, SOTTO__DRAFT_LEVELS_MAX) == SOTTO_OK
               ? SOTTO_OK
               : sotto__survey_no_memory(s);
}

static void forget_column(sotto__survey *s, uint32_t i)
{
    free(s->name[i]);
    if (s->seen[i] != NULL) forget_levels(s->seen[i]);
    free(s->seen[i]);
}

static sotto_status add_numbered(sotto__survey *s, uint32_t number)
{
    char name[12];
    return add_column(s, name, (size_t)snprintf(name, sizeof name, "%u", number));
}

/* ---- CSV ---------------------------------------------------------------------------------- */

const char *sotto__draft_given(const sotto_draft *draft, uint32_t k)
{
    const char *const given[] = {draft->label, draft->action, draft->reward, draft->propensity};
    return k < 4 ? given[k] : draft->ignored[k - 4];
}

uint32_t sotto__survey_column(const sotto__survey *s, const char *name)
{
    uint32_t i = 0;
    while (i < s->columns_count && strcmp(name, s->name[i]) != 0) {
        i++;
    }
    return i;
}

static uint32_t numbers_in(const sotto__survey *s)
{
    uint32_t count = 0;
    double x;
    for (uint32_t i = 0; i < s->record.count; i++) {
        const sotto__field *field = &s->record.field[i];
        count += sotto__marked_number(field->text, field->bytes, s->mark, &x);
    }
    return count;
}

static bool names_differ(const sotto__survey *s)
{
    for (uint32_t i = 0; i < s->columns_count; i++) {
        if (sotto__survey_column(s, s->name[i]) != i) return false;
    }
    return true;
}

/*
 * Guesses whether the first record, whose words are the names so far, is a header. It is if a
 * given name is one of its words and cannot be the number of a column. It is not if it has
 * numbers. If it has none, the second record must have some. If all given names are both words of
 * it and numbers of columns, as in a header 0, 1, 2, 3, only the caller can tell.
 */
static sotto_status guess_header(sotto__survey *s, sotto_draft_header *out)
{
    const char *doubtful = NULL;
    bool all = true;
    *out = s->draft->header;
    if (*out != SOTTO_HEADER_GUESS) return SOTTO_OK;
    for (uint32_t k = 0; k < 4 + s->draft->ignored_count; k++) {
        const char *name = sotto__draft_given(s->draft, k);
        if (name == NULL) continue;
        bool word = sotto__survey_column(s, name) < s->columns_count;
        uint32_t number = sotto__column_index(name);
        if (word && (number == 0 || number > s->columns_count)) {
            *out = SOTTO_HEADER_YES;
            return SOTTO_OK;
        }
        if (word && doubtful == NULL) doubtful = name;
        all = all && word;
    }
    if (numbers_in(s) > 0) *out = SOTTO_HEADER_NO;
    if (doubtful == NULL || !all || !names_differ(s)) return SOTTO_OK;
    return sotto__refuse(
        s->fault,
        "%s: line %llu: \"%s\" is a word of the first record, but also the number of a column if "
        "that record is not a header: set --header yes or --header no",
        s->source.path, (unsigned long long)s->record.line, doubtful);
}

static sotto_status ragged(sotto__survey *s)
{
    static const char separators[] = SOTTO__SEPARATORS;
    char guessed[80] = "";
    if (s->draft->separator == '\0') {
        const char *at = strchr(separators, s->schema->separator);
        snprintf(guessed, sizeof guessed, "; the separator was guessed: %s",
                 sotto__separator_name((uint32_t)(at - separators)));
    }
    return sotto__refuse(s->fault, "%s: line %llu: %u field%s, expected %u%s", s->source.path,
                         (unsigned long long)s->record.line, s->record.count,
                         s->record.count == 1 ? "" : "s", s->columns_count, guessed);
}

static sotto_status see_record(sotto__survey *s)
{
    if (s->record.count != s->columns_count) return ragged(s);
    s->line = s->record.line;
    s->rows++;
    for (uint32_t i = 0; i < s->record.count; i++) {
        const sotto__field *field = &s->record.field[i];
        if (see(s, i, field->text, field->bytes) != SOTTO_OK) return SOTTO_E_FAULT;
    }
    return SOTTO_OK;
}

/* Without a header, takes the words of the first record as values, and numbers the columns. */
static sotto_status see_names(sotto__survey *s)
{
    s->rows++;
    for (uint32_t i = 0; i < s->columns_count; i++) {
        char number[12];
        if (see(s, i, s->name[i], strlen(s->name[i])) != SOTTO_OK) return SOTTO_E_FAULT;
        free(s->name[i]);
        snprintf(number, sizeof number, "%u", i + 1);
        s->name[i] = strdup(number);
        if (s->name[i] == NULL) return sotto__survey_no_memory(s);
    }
    return SOTTO_OK;
}

static sotto_status next_csv(sotto__survey *s)
{
    return sotto__csv_next(&s->source, s->schema->separator, &s->record, s->fault);
}

sotto_status sotto__survey_csv(sotto__survey *s)
{
    if (sotto__source_fill(&s->source, s->fault) != SOTTO_OK) return SOTTO_E_FAULT;
    s->schema->separator = s->draft->separator;
    if (s->schema->separator == '\0') s->schema->separator = sotto__guess_separator(&s->source);
    s->mark = s->draft->decimal;
    if (s->mark == '\0') s->mark = sotto__guess_decimal(&s->source, s->schema->separator);
    s->schema->decimal_comma = s->mark == ',';
    if (next_csv(s) != SOTTO_OK) return SOTTO_E_FAULT;
    if (s->record.count == 0) {
        return sotto__refuse(s->fault, "%s: is empty", s->source.path);
    }
    for (uint32_t i = 0; i < s->record.count; i++) {
        const sotto__field *field = &s->record.field[i];
        if (add_column(s, field->text, field->bytes) != SOTTO_OK) return SOTTO_E_FAULT;
    }
    sotto_draft_header header;
    if (guess_header(s, &header) != SOTTO_OK) return SOTTO_E_FAULT;
    s->line = s->record.line;
    if (next_csv(s) != SOTTO_OK) return SOTTO_E_FAULT;
    if (header == SOTTO_HEADER_GUESS) {
        header = numbers_in(s) > 0 ? SOTTO_HEADER_YES : SOTTO_HEADER_NO;
    }
    s->schema->header = header == SOTTO_HEADER_YES;
    if (header == SOTTO_HEADER_NO && see_names(s) != SOTTO_OK) return SOTTO_E_FAULT;
    while (s->record.count > 0) {
        if (see_record(s) != SOTTO_OK || next_csv(s) != SOTTO_OK) return SOTTO_E_FAULT;
    }
    return SOTTO_OK;
}

/* ---- LIBSVM ------------------------------------------------------------------------------- */

static sotto_status see_pairs(sotto__survey *s)
{
    s->line = s->record.line;
    s->rows++;
    for (uint32_t i = 0; i < s->record.count; i++) {
        const sotto__field *field = &s->record.field[i];
        while (s->columns_count <= field->column) {
            if (add_numbered(s, s->columns_count) != SOTTO_OK) return SOTTO_E_FAULT;
        }
        if (see(s, field->column, field->text, field->bytes) != SOTTO_OK) return SOTTO_E_FAULT;
        if (i == 0 || !sotto__has_words(s->seen[field->column])) continue;
        char shown[SOTTO__SHOWN_BYTES];
        return sotto__refuse(s->fault, "%s: line %llu, column %u: \"%s\" is not a finite number",
                             s->source.path, (unsigned long long)s->record.line, field->column,
                             sotto__shown(field->text, field->bytes, shown));
    }
    return SOTTO_OK;
}

sotto_status sotto__survey_libsvm(sotto__survey *s)
{
    const char *label = s->draft->label == NULL ? "label" : s->draft->label;
    if (add_column(s, label, strlen(label)) != SOTTO_OK) return SOTTO_E_FAULT;
    for (;;) {
        if (sotto__libsvm_next(&s->source, &s->record, s->fault) != SOTTO_OK) return SOTTO_E_FAULT;
        if (s->record.count == 0) break;
        if (see_pairs(s) != SOTTO_OK) return SOTTO_E_FAULT;
    }
    for (uint32_t i = 1; i < s->columns_count; i++) {
        if (s->seen[i]->values < s->rows) see_number(s->seen[i], 0); /* what is not listed */
    }
    return SOTTO_OK;
}

void sotto__survey_free(sotto__survey *s)
{
    for (uint32_t i = 0; i < s->columns_count; i++) {
        forget_column(s, i);
    }
}
