/* What the columns of a data set mean: a schema, made column by column. */
#include "schema.h"
#include "core/fault.h"
#include "lab/text/printable.h"
#include "record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

const char *sotto__schema_beside(const sotto_schema *schema, const char *name, char **path,
                                 char fault[SOTTO_FAULT_BYTES])
{
    bool whole = name[0] == '/';
    const char *folder = whole ? "" : schema->folder == NULL ? "." : schema->folder;
    size_t bytes = strlen(folder) + strlen(name) + 2;
    struct stat about;
    *path = malloc(bytes);
    if (*path == NULL) return sotto__fault(fault, "%s", sotto_status_text(SOTTO_E_MEMORY));
    snprintf(*path, bytes, "%s%s%s", folder, whole ? "" : "/", name);
    if (stat(*path, &about) != 0 || S_ISREG(about.st_mode)) return NULL; /* opening it will tell */
    return sotto__fault(fault, "%.400s: is not a regular file", *path);
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

/* Room for one more: lists double, so whenever their count is a power of two. NULL: no memory. */
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
    free(schema->folder);
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

/* The count is that of the texts: if there is no memory for one, its level does not count. */
bool sotto__schema_add_alias(sotto__column *column, const char *text, size_t bytes, uint32_t level)
{
    uint32_t *levels =
        grown(column->alias_level, column->aliases_count, sizeof *column->alias_level);
    if (levels == NULL) return false;
    column->alias_level = levels;
    levels[column->aliases_count] = level;
    return sotto__texts_push(&column->alias, &column->aliases_count, strndup(text, bytes));
}
