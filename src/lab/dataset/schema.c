#include "core/core.h"
#include "dataset.h"
#include "text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ==== schema ================================================================================= */

/* What the columns of a data set mean: a schema, made column by column. */

#define NAME(name, text) text,

const char *sotto__column_kind_name(sotto__column_kind kind)
{
    static const char *const name[] = {SOTTO__COLUMN_MAP(NAME)};
    return (uint32_t)kind < sizeof name / sizeof name[0] ? name[kind] : NULL;
}

char sotto__decimal_mark(const sotto_schema *schema)
{
    return schema->decimal_comma ? ',' : '.';
}

bool sotto__schema_is_vw(const sotto_schema *schema)
{
    return schema->format == SOTTO_DATASET_VW || schema->format == SOTTO_DATASET_VW_ADF;
}

bool sotto__schema_is_sparse(const sotto_schema *schema)
{
    return schema->format != SOTTO_DATASET_CSV;
}

const sotto__column *sotto__schema_arms_column(const sotto_schema *schema)
{
    for (uint32_t i = 0; i < schema->columns_count; i++) {
        const sotto__column *column = &schema->column[i];
        bool arms = column->kind == SOTTO__COLUMN_LABEL || column->kind == SOTTO__COLUMN_ACTION;
        if (arms) return column;
    }
    return NULL;
}

const char *sotto__levels_listed(const sotto__column *column, char text[SOTTO__LISTED_BYTES])
{
    char shown[SOTTO__SHOWN_BYTES];
    size_t at = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < column->levels_count; i++) {
        sotto__shown(column->level[i], strlen(column->level[i]), shown);
        bool fits = at + strlen(shown) + 8 < SOTTO__LISTED_BYTES;
        at += (size_t)snprintf(text + at, SOTTO__LISTED_BYTES - at, "%s%s", i == 0 ? "" : " ",
                               fits ? shown : "...");
        if (!fits) break;
    }
    return text;
}

sotto_status sotto__schema_beside(const sotto_schema *schema, const char *name, char **path,
                                  sotto_fault *fault)
{
    bool whole = name[0] == '/';
    const char *directory = whole ? "" : schema->directory == NULL ? "." : schema->directory;
    size_t bytes = strlen(directory) + strlen(name) + 2;
    struct stat about;
    *path = malloc(bytes);
    if (*path == NULL) return sotto__fault_status(fault, SOTTO_E_MEMORY);
    snprintf(*path, bytes, "%s%s%s", directory, whole ? "" : "/", name);
    if (stat(*path, &about) != 0 || S_ISREG(about.st_mode))
        return SOTTO_OK; /* opening it will report the error */
    return sotto__refuse(fault, "%.400s: is not a regular file", *path);
}

uint32_t sotto__column_index(const char *name)
{
    char back[8];
    uint32_t index = 0;
    for (const char *p = name; *p >= '0' && *p <= '9' && index <= SOTTO__COLUMNS_MAX; p++) {
        index = 10 * index + (uint32_t)(*p - '0');
    }
    snprintf(back, sizeof back, "%u", index % 100000);
    return index <= SOTTO__COLUMNS_MAX && strcmp(name, back) == 0 ? index : 0;
}

/* ---- lists -------------------------------------------------------------------------------- */

/* Makes room for one more item. Lists double, so they grow when their count is a power of two.
 * NULL: no memory. */
static void *grown(void *list, uint32_t count, size_t item_bytes)
{
    if ((count & (count - 1)) != 0) return list;
    return realloc(list, (count == 0 ? 1 : 2 * (size_t)count) * item_bytes);
}

bool sotto__texts_push(char ***list, uint32_t *count, char *text)
{
    char **more = text == NULL ? NULL : grown(*list, *count, sizeof **list);
    if (more == NULL) {
        free(text);
        return false;
    }
    *list = more;
    more[(*count)++] = text;
    return true;
}

void sotto__texts_free(char **list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        free(list[i]);
    }
    free(list);
}

static void free_column(sotto__column *column)
{
    free(column->name);
    sotto__texts_free(column->level, column->levels_count);
    sotto__texts_free(column->alias, column->aliases_count);
    free(column->alias_level);
    free(column->note);
}

static void free_columns(sotto_schema *schema)
{
    for (uint32_t i = 0; i < schema->columns_count; i++) {
        free_column(&schema->column[i]);
    }
    free(schema->column);
    sotto__texts_free(schema->missing, schema->missing_count);
}

void sotto__schema_free(sotto_schema *schema)
{
    free_columns(schema);
    free(schema->directory);
    free(schema->rewards_file);
    free(schema->rewards);
    free(schema->arms_file);
    if (schema->arms != NULL) free_columns(schema->arms); /* which has no arms of its own */
    free(schema->arms);
    free(schema->arm_feature);
    *schema = (sotto_schema){0};
}

sotto__column *sotto__schema_add(sotto_schema *schema, sotto__column_kind kind, const char *name,
                                 size_t name_bytes)
{
    char *copy = strndup(name, name_bytes);
    sotto__column *more =
        copy == NULL ? NULL : grown(schema->column, schema->columns_count, sizeof *more);
    if (more == NULL) {
        free(copy);
        return NULL;
    }
    schema->column = more;
    more[schema->columns_count] = (sotto__column){.name = copy, .kind = kind};
    return &more[schema->columns_count++];
}

bool sotto__schema_add_level(sotto__column *column, const char *text, size_t bytes)
{
    return sotto__texts_push(&column->level, &column->levels_count, strndup(text, bytes));
}

bool sotto__schema_add_missing(sotto_schema *schema, const char *text, size_t bytes)
{
    return sotto__texts_push(&schema->missing, &schema->missing_count, strndup(text, bytes));
}

/* aliases_count counts texts: if there is no memory for a text, its level is not counted. */
bool sotto__schema_add_alias(sotto__column *column, const char *text, size_t bytes, uint32_t level)
{
    uint32_t *levels =
        grown(column->alias_level, column->aliases_count, sizeof *column->alias_level);
    if (levels == NULL) return false;
    column->alias_level = levels;
    levels[column->aliases_count] = level;
    return sotto__texts_push(&column->alias, &column->aliases_count, strndup(text, bytes));
}

/* ==== schema write =========================================================================== */

/* The schema file, written: see schema_file.c. */

void sotto__number_write(double value, FILE *file)
{
    char text[40];
    double back = 0;
    for (int digits = 15; digits <= 17; digits++) {
        int bytes = snprintf(text, sizeof text, "%.*g", digits, value);
        if (sotto__number(text, (size_t)bytes, &back) && back == value) break;
    }
    fputs(text, file);
}

static void write_range(double lo, double hi, FILE *file)
{
    fputc(' ', file);
    sotto__number_write(lo, file);
    fputc(' ', file);
    sotto__number_write(hi, file);
}

/* Writes words, and begins a new line where a word would not fit. */
static void write_words(char *const *word, uint32_t count, size_t at, FILE *file)
{
    for (uint32_t i = 0; i < count; i++) {
        size_t bytes = strlen(word[i]) + 1;
        bool fits = at + bytes <= 98;
        fputs(fits ? " " : "\n   ", file);
        if (!fits) fputc(' ', file);
        sotto__word_write(word[i], file);
        at = (fits ? at : 4) + bytes;
    }
}

static void write_column(const sotto__column *column, FILE *file)
{
    if (column->note != NULL) fprintf(file, "# %s\n", column->note);
    const char *kind = sotto__column_kind_name(column->kind);
    fprintf(file, "%s ", kind);
    sotto__word_write(column->name, file);
    if (column->kind == SOTTO__COLUMN_NUMBER || column->kind == SOTTO__COLUMN_REWARD) {
        write_range(column->lo, column->hi, file);
        if (column->log) fputs(" log", file);
    }
    size_t at = strlen(kind) + strlen(column->name) + 1;
    write_words(column->level, column->levels_count, at, file);
    fputc('\n', file);
    for (uint32_t i = 0; i < column->aliases_count; i++) {
        fputs("alias ", file);
        sotto__word_write(column->alias[i], file);
        fputc(' ', file);
        sotto__word_write(column->level[column->alias_level[i]], file);
        fputc('\n', file);
    }
}

/* Settings that only some formats have are written only if they are not the default. */
static bool is_written(const sotto_schema *schema, sotto__setting which, uint32_t choice)
{
    bool csv = schema->format == SOTTO_DATASET_CSV;
    switch (which) {
    case SOTTO__SETTING_SEPARATOR: return csv || choice != 0; /* of other files, too */
    case SOTTO__SETTING_HEADER: return csv;
    case SOTTO__SETTING_DECIMAL:
    case SOTTO__SETTING_NUMBERED: return choice != 0;
    case SOTTO__SETTING_FORMAT:
    case SOTTO__SETTING_SCALE:
    case SOTTO__SETTING_RANGES:
    case SOTTO__SETTING_OTHERS:
    case SOTTO__SETTING_UNLABELLED:
    case SOTTO__SETTINGS: break;
    }
    return true;
}

void sotto__schema_write(const sotto_schema *schema, FILE *file)
{
    for (uint32_t i = 0; i < SOTTO__SETTINGS; i++) {
        sotto__setting which = (sotto__setting)i;
        uint32_t choice = sotto__setting_get(schema, which);
        if (!is_written(schema, which, choice)) continue;
        fprintf(file, "%s %s\n", sotto__setting_name(which), sotto__setting_choice(which, choice));
    }
    if (schema->missing_count > 0) {
        fputs("missing", file);
        write_words(schema->missing, schema->missing_count, strlen("missing"), file);
        fputc('\n', file);
    }
    if (schema->propensity > 0) {
        fputs("propensity constant ", file);
        sotto__number_write(schema->propensity, file);
        fputc('\n', file);
    }
    if (schema->rewards_file != NULL) {
        fputs("rewards ", file);
        sotto__word_write(schema->rewards_file, file);
        if (schema->rewards_ranged) write_range(schema->rewards_lo, schema->rewards_hi, file);
        fputc('\n', file);
    }
    if (schema->arms_file != NULL) {
        fputs("arms ", file);
        sotto__word_write(schema->arms_file, file);
        fputc('\n', file);
    }
    for (uint32_t i = 0; schema->arms != NULL && i < schema->arms->columns_count; i++) {
        const sotto__column *column = &schema->arms->column[i];
        if (column->kind == SOTTO__COLUMN_LABEL) continue; /* names the arm */
        fputs("arm ", file);
        write_column(column, file);
    }
    if (schema->hash > 0) fprintf(file, "hash %u\n", schema->hash);
    for (uint32_t i = 0; i < schema->columns_count; i++) {
        if (schema->column[i].bucket) continue; /* the hash line stands for them */
        write_column(&schema->column[i], file);
    }
}
