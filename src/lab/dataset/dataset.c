/*
 * Records as contexts, arms, rewards and chances.
 *
 * A context has the features of the schema in its order, and a constant 1 at the end:
 *
 *   number    2 (x - lo) / (hi - lo) - 1, clipped to [-1, 1]; with `log`,
 *             2 ln(1 + x - lo) / ln(1 + hi - lo) - 1
 *   category  1 at its level, 0 at the others; all 0 if it is none of them
 *   missing   0
 *
 * It is then divided by its length (`unit`), or by the longest that it can have,
 * sqrt(1 + numbers + categories). Both need nothing but the schema and the person's own row, so a
 * device can do it, and no context is longer than 1.
 */
#include "core/core.h"
#include "inner.h"
#include "text/text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PEOPLE_BYTES_MAX (64u << 20)
#define PEOPLE_ROWS_MAX 65536u
#define NO_COLUMN UINT16_MAX

/* How a column of the schema is read. */
typedef struct column_reader {
    const sotto__column *column;
    uint32_t at;          /* its first feature */
    double scale;         /* of a number: 2 / (hi - lo), or 2 / ln(1 + hi - lo) */
    sotto__levels levels; /* of a category, a label, an action */
} column_reader;

struct sotto_dataset {
    const sotto_schema *schema;
    char *path;
    sotto__source source;
    sotto_dataset_counts counts;
    uint32_t dim;
    double chance;                        /* of an action, if no column has it */
    char mark;                            /* of decimal numbers */
    double bound;                         /* 1 over the longest length */
    double *blank;                        /* the context of a record without fields */
    column_reader *reading;               /* of each column of the schema */
    uint32_t fields_count;                /* of CSV */
    uint16_t map[SOTTO__COLUMNS_MAX + 1]; /* from a column of the file to the schema's */
    uint16_t label;                       /* the schema's column of it; NO_COLUMN in a log */
    uint32_t label_at;                    /* its field of a record */
    sotto__vw *vw;                        /* NULL unless it is VW text */
    bool waiting;                         /* `record` already has the first row */
    uint32_t missing_bytes[256];          /* of the longest word for missing, by its first byte */
    sotto__record record;
};

/* ---- people ------------------------------------------------------------------------------- */

sotto_status sotto_people_new(uint32_t dim, sotto_people **out)
{
    if (out == NULL) return SOTTO_E_ARGUMENT;
    *out = NULL;
    if (dim < 1 || dim > SOTTO_DIM_MAX) return SOTTO_E_FAULT;
    size_t row_bytes = dim * sizeof(double) + sizeof(uint32_t) + 2 * sizeof(double);
    size_t rows = PEOPLE_BYTES_MAX / row_bytes;
    assert(rows > 0);
    if (rows > PEOPLE_ROWS_MAX) rows = PEOPLE_ROWS_MAX;
    sotto_people *people = calloc(1, sizeof *people);
    if (people == NULL) return SOTTO_E_MEMORY;
    people->dim = dim;
    people->rows_max = (uint32_t)rows;
    people->context = malloc(rows * dim * sizeof *people->context);
    people->arm = malloc(rows * sizeof *people->arm);
    people->reward = malloc(rows * sizeof *people->reward);
    people->propensity = malloc(rows * sizeof *people->propensity);
    if (people->context == NULL || people->arm == NULL || people->reward == NULL ||
        people->propensity == NULL) {
        sotto_people_free(people);
        return SOTTO_E_MEMORY;
    }
    *out = people;
    return SOTTO_OK;
}

void sotto_people_free(sotto_people *people)
{
    if (people == NULL) return;
    free(people->context);
    free(people->arm);
    free(people->reward);
    free(people->propensity);
    free(people);
}

/* ---- faults ------------------------------------------------------------------------------- */

static sotto_status field_fault(const sotto_dataset *dataset, const sotto__column *column,
                                const sotto__field *field, const char *reason, sotto_fault *fault)
{
    char name[SOTTO__SHOWN_BYTES], value[SOTTO__SHOWN_BYTES];
    return sotto__refuse(fault, "%s: line %llu, column \"%s\": \"%s\" %s", dataset->path,
                         (unsigned long long)dataset->record.line,
                         sotto__shown(column->name, strlen(column->name), name),
                         sotto__shown(field->text, field->bytes, value), reason);
}

static sotto_status level_fault(const sotto_dataset *dataset, const sotto__column *column,
                                const sotto__field *field, sotto_fault *fault)
{
    char levels[SOTTO__LISTED_BYTES], reason[SOTTO__LISTED_BYTES + 16];
    snprintf(reason, sizeof reason, "is not one of %s", sotto__levels_listed(column, levels));
    return field_fault(dataset, column, field, reason, fault);
}

static sotto_status number_fault(const sotto_dataset *dataset, const sotto__column *column,
                                 const sotto__field *field, sotto_fault *fault)
{
    const char *reason = sotto__number_reason(field->text, field->bytes, dataset->mark);
    return field_fault(dataset, column, field, reason, fault);
}

/* ---- fields ------------------------------------------------------------------------------- */

static bool is_missing(const sotto_dataset *dataset, const sotto__field *field)
{
    const sotto_schema *schema = dataset->schema;
    if (field->bytes == 0) return true;
    if (field->bytes > dataset->missing_bytes[(unsigned char)field->text[0]]) return false;
    for (uint32_t i = 0; i < schema->missing_count; i++) {
        const char *word = schema->missing[i];
        if (strlen(word) == field->bytes && memcmp(word, field->text, field->bytes) == 0) {
            return true;
        }
    }
    return false;
}

/* The number clipped to the column's range. */
static bool take_clipped(sotto_dataset *dataset, const sotto__column *column,
                         const sotto__field *field, double *out)
{
    double x;
    if (!sotto__padded_number(field->text, field->bytes, dataset->mark, &x)) return false;
    dataset->counts.clipped += x < column->lo || x > column->hi;
    *out = fmin(fmax(x, column->lo), column->hi);
    return true;
}

static double feature_of(const column_reader *r, double x)
{
    double above = x - r->column->lo;
    return (r->column->log ? sotto__log1p(above) : above) * r->scale - 1;
}

static sotto_status take_number(sotto_dataset *dataset, const column_reader *r,
                                const sotto__field *field, double *context, sotto_fault *fault)
{
    double x;
    uint64_t clipped = dataset->counts.clipped;
    if (!take_clipped(dataset, r->column, field, &x)) {
        return number_fault(dataset, r->column, field, fault);
    }
    if (dataset->schema->strict && dataset->counts.clipped > clipped) {
        char reason[96];
        snprintf(reason, sizeof reason, "is outside of its range, %.15g to %.15g", r->column->lo,
                 r->column->hi);
        return field_fault(dataset, r->column, field, reason, fault);
    }
    context[r->at] = feature_of(r, x);
    return SOTTO_OK;
}

static sotto_status take_reward(sotto_dataset *dataset, const sotto__column *column,
                                const sotto__field *field, double *reward, sotto_fault *fault)
{
    if (take_clipped(dataset, column, field, reward)) return SOTTO_OK;
    return number_fault(dataset, column, field, fault);
}

static sotto_status take_propensity(const sotto_dataset *dataset, const sotto__column *column,
                                    const sotto__field *field, double *propensity,
                                    sotto_fault *fault)
{
    bool number = sotto__marked_number(field->text, field->bytes, dataset->mark, propensity);
    if (number && *propensity > 0 && *propensity <= 1) return SOTTO_OK;
    return field_fault(dataset, column, field, "is not a chance: allowed above 0, to 1", fault);
}

static sotto_status take_field(sotto_dataset *dataset, const column_reader *r,
                               const sotto__field *field, sotto_people *people, sotto_fault *fault)
{
    const sotto__column *column = r->column;
    double *context = people->context + (size_t)people->rows * people->dim;
    bool feature = column->kind == SOTTO__COLUMN_NUMBER || column->kind == SOTTO__COLUMN_CATEGORY;
    uint32_t level = column->levels_count == 0
                         ? UINT32_MAX
                         : sotto__levels_find(&r->levels, field->text, field->bytes);
    bool known = level != UINT32_MAX; /* even if it is also a word for missing */
    bool missing = column->kind != SOTTO__COLUMN_IGNORE && !known && is_missing(dataset, field);
    if (missing && !feature) {
        return field_fault(dataset, column, field,
                           "counts as missing, but this column needs a value", fault);
    }
    if (missing) {
        dataset->counts.missing++;
        if (column->kind == SOTTO__COLUMN_NUMBER) context[r->at] = 0;
        return SOTTO_OK;
    }
    switch (column->kind) {
    case SOTTO__COLUMN_IGNORE: return SOTTO_OK;
    case SOTTO__COLUMN_NUMBER: return take_number(dataset, r, field, context, fault);
    case SOTTO__COLUMN_REWARD:
        return take_reward(dataset, column, field, &people->reward[people->rows], fault);
    case SOTTO__COLUMN_PROPENSITY:
        return take_propensity(dataset, column, field, &people->propensity[people->rows], fault);
    case SOTTO__COLUMN_CATEGORY:
    case SOTTO__COLUMN_LABEL:
    case SOTTO__COLUMN_ACTION: break;
    }
    bool needed = !feature || dataset->schema->strict;
    if (!known && needed) return level_fault(dataset, column, field, fault);
    if (!feature) people->arm[people->rows] = level;
    if (feature && known) context[r->at + level] = 1;
    dataset->counts.unknown += !known;
    return SOTTO_OK;
}

/* ---- rows --------------------------------------------------------------------------------- */

static void scale_context(const sotto_dataset *dataset, double *context)
{
    double squares = 0;
    for (uint32_t i = 0; i < dataset->dim && dataset->schema->unit; i++) {
        squares += context[i] * context[i];
    }
    double factor = dataset->schema->unit ? SOTTO__LENGTH_SLACK / sqrt(squares) : dataset->bound;
    for (uint32_t i = 0; i < dataset->dim; i++) {
        context[i] *= factor;
    }
}

static bool is_unlabelled(const sotto_dataset *dataset)
{
    const sotto__field *field = &dataset->record.field[dataset->label_at];
    const sotto__levels *levels = &dataset->reading[dataset->label].levels;
    return is_missing(dataset, field) &&
           sotto__levels_find(levels, field->text, field->bytes) == UINT32_MAX;
}

static sotto_status take_row(sotto_dataset *dataset, sotto_people *people, sotto_fault *fault)
{
    const sotto__record *record = &dataset->record;
    bool csv = dataset->schema->format == SOTTO_DATASET_CSV;
    double *context = people->context + (size_t)people->rows * people->dim;
    if (csv && record->count != dataset->fields_count) {
        return sotto__refuse(fault, "%s: line %llu: %u field%s, expected %u", dataset->path,
                             (unsigned long long)record->line, record->count,
                             record->count == 1 ? "" : "s", dataset->fields_count);
    }
    if (dataset->schema->unlabelled && is_unlabelled(dataset)) {
        dataset->counts.unlabelled++;
        return SOTTO_OK;
    }
    memcpy(context, dataset->blank, dataset->dim * sizeof *context);
    people->reward[people->rows] = 1;
    people->propensity[people->rows] = dataset->chance;
    for (uint32_t i = 0; i < record->count; i++) {
        const sotto__field *field = &record->field[i];
        uint16_t column = dataset->map[field->column];
        if (column != NO_COLUMN) {
            const column_reader *r = &dataset->reading[column];
            if (take_field(dataset, r, field, people, fault) != SOTTO_OK) return SOTTO_E_FAULT;
        } else if (!dataset->schema->others) {
            return sotto__refuse(fault,
                                 "%s: line %llu: column %u has no line in the schema; "
                                 "`others ignore` there ignores such columns",
                                 dataset->path, (unsigned long long)record->line, field->column);
        }
    }
    scale_context(dataset, context);
    people->rows++;
    dataset->counts.rows++;
    return SOTTO_OK;
}

static sotto_status next_record(sotto_dataset *dataset, sotto_fault *fault)
{
    if (dataset->waiting) {
        dataset->waiting = false;
        return SOTTO_OK;
    }
    if (dataset->vw != NULL) {
        return sotto__vw_next(dataset->vw, &dataset->source, &dataset->record, fault);
    }
    if (dataset->schema->format == SOTTO_DATASET_LIBSVM) {
        return sotto__libsvm_next(&dataset->source, &dataset->record, fault);
    }
    return sotto__csv_next(&dataset->source, dataset->schema->separator, &dataset->record, fault);
}

sotto_status sotto_dataset_next(sotto_dataset *dataset, sotto_people *people, sotto_fault *fault)
{
    bool missing = dataset == NULL || people == NULL;
    if (missing) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    uint32_t dim = sotto_schema_dim(dataset->schema);
    if (people->dim != dim) {
        return sotto__refuse(fault, "dim of people = %u: the schema has %u", people->dim, dim);
    }
    people->rows = 0;
    while (people->rows < people->rows_max) {
        if (next_record(dataset, fault) != SOTTO_OK) return SOTTO_E_FAULT;
        if (dataset->record.count == 0) break;
        if (take_row(dataset, people, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    }
    dataset->counts.bytes = dataset->source.bytes;
    if (dataset->counts.rows > 0) return SOTTO_OK;
    return sotto__refuse(fault, "%s: has no rows%s", dataset->path,
                         dataset->counts.unlabelled > 0 ? " with a label" : "");
}

const sotto_dataset_counts *sotto_dataset_counted(const sotto_dataset *dataset)
{
    return dataset == NULL ? NULL : &dataset->counts;
}

const sotto__record *sotto__dataset_record(const sotto_dataset *dataset)
{
    return &dataset->record;
}

const sotto__column *sotto__dataset_column(const sotto_dataset *dataset, const sotto__field *field)
{
    uint16_t column = dataset->map[field->column];
    return column == NO_COLUMN ? NULL : &dataset->schema->column[column];
}

bool sotto__dataset_is_missing(const sotto_dataset *dataset, const sotto__field *field)
{
    return is_missing(dataset, field);
}

/* ---- columns ------------------------------------------------------------------------------ */

/* The name of a column of the file: from the header, or its number. */
static sotto__field column_name(const sotto_dataset *dataset, uint32_t i, char number[12])
{
    if (dataset->schema->header) return dataset->record.field[i];
    int bytes = snprintf(number, 12, "%u", i + 1);
    return (sotto__field){.text = number, .bytes = (uint32_t)bytes};
}

/* Maps every column of the file to its line in the schema. `found` marks the used lines. */
static sotto_status map_file(sotto_dataset *dataset, const sotto__levels *names, bool *found,
                             sotto_fault *fault)
{
    char number[12], shown[SOTTO__SHOWN_BYTES];
    for (uint32_t i = 0; i < dataset->fields_count; i++) {
        sotto__field name = column_name(dataset, i, number);
        uint32_t column = sotto__levels_find(names, name.text, name.bytes);
        sotto__shown(name.text, name.bytes, shown);
        bool known = column != UINT32_MAX;
        if (!known && !dataset->schema->others) {
            return sotto__refuse(fault,
                                 "%s: line %llu: column \"%s\" has no line in the schema; "
                                 "`ignore \"%s\"` or `others ignore` there ignores it",
                                 dataset->path, (unsigned long long)dataset->record.line, shown,
                                 shown);
        }
        if (known && found[column]) {
            return sotto__refuse(fault, "%s: line %llu: column \"%s\" appears twice", dataset->path,
                                 (unsigned long long)dataset->record.line, shown);
        }
        if (!known) continue;
        dataset->map[i] = (uint16_t)column;
        found[column] = true;
        if (column == dataset->label) dataset->label_at = i;
    }
    return SOTTO_OK;
}

static sotto_status map_csv(sotto_dataset *dataset, sotto_fault *fault)
{
    const sotto_schema *schema = dataset->schema;
    sotto__levels names = {0};
    bool *found = calloc(schema->columns_count, sizeof *found);
    sotto_status wrong = SOTTO_OK;
    if (found == NULL || sotto__levels_new(&names, schema->columns_count) != SOTTO_OK) {
        wrong = sotto__fault_status(fault, SOTTO_E_MEMORY);
        goto cleanup;
    }
    for (uint32_t i = 0; i < schema->columns_count; i++) {
        sotto__levels_add(&names, schema->column[i].name, strlen(schema->column[i].name), i);
    }
    wrong = map_file(dataset, &names, found, fault);
    for (uint32_t i = 0; i < schema->columns_count && wrong == SOTTO_OK; i++) {
        char shown[SOTTO__SHOWN_BYTES];
        if (found[i]) continue;
        wrong = sotto__refuse(
            fault, "%s: line %llu: column \"%s\" of the schema is not in the file, which has %u",
            dataset->path, (unsigned long long)dataset->record.line,
            sotto__shown(schema->column[i].name, strlen(schema->column[i].name), shown),
            dataset->fields_count);
    }
cleanup:
    sotto__levels_free(&names);
    free(found);
    return wrong;
}

/* Reads the header, or the first row to see how many columns there are. */
static sotto_status begin_csv(sotto_dataset *dataset, sotto_fault *fault)
{
    if (next_record(dataset, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    dataset->fields_count = dataset->record.count;
    if (dataset->fields_count == 0) {
        return sotto__refuse(fault, "%s: is empty", dataset->path);
    }
    dataset->waiting = !dataset->schema->header;
    return map_csv(dataset, fault);
}

static void begin_libsvm(sotto_dataset *dataset)
{
    const sotto_schema *schema = dataset->schema;
    for (uint32_t i = 0; i < schema->columns_count; i++) {
        bool label = schema->column[i].kind == SOTTO__COLUMN_LABEL;
        dataset->map[label ? 0 : sotto__column_index(schema->column[i].name)] = (uint16_t)i;
    }
}

/* The fields of VW text already have the columns of the schema. False: no memory. */
static bool begin_vw(sotto_dataset *dataset)
{
    for (uint32_t i = 0; i < dataset->schema->columns_count; i++) {
        dataset->map[i] = (uint16_t)i;
    }
    return sotto__vw_new(dataset->schema, &dataset->vw) == SOTTO_OK;
}

/* ---- the data set ------------------------------------------------------------------------- */

static sotto_status prepare_levels(column_reader *r)
{
    const sotto__column *column = r->column;
    sotto_status status =
        sotto__levels_new(&r->levels, column->levels_count + column->aliases_count);
    if (status != SOTTO_OK) return status;
    for (uint32_t i = 0; i < column->levels_count; i++) {
        sotto__levels_add(&r->levels, column->level[i], strlen(column->level[i]), i);
    }
    for (uint32_t i = 0; i < column->aliases_count; i++) {
        sotto__levels_add(&r->levels, column->alias[i], strlen(column->alias[i]),
                          column->alias_level[i]);
    }
    return SOTTO_OK;
}

/* Sets where each column's features are, and the context of a record without fields. Values that
 * LIBSVM and VW text do not list are 0, which need not be the middle of the range. */
static sotto_status prepare(sotto_dataset *dataset)
{
    const sotto_schema *schema = dataset->schema;
    uint32_t at = 0, features = 0;
    dataset->label = NO_COLUMN;
    for (uint32_t i = 0; i < schema->columns_count; i++) {
        column_reader *r = &dataset->reading[i];
        const sotto__column *column = &schema->column[i];
        *r = (column_reader){.column = column, .at = at};
        if (column->kind == SOTTO__COLUMN_NUMBER) {
            double wide = column->hi - column->lo;
            r->scale = 2 / (column->log ? sotto__log1p(wide) : wide);
            double zero = fmin(fmax(0, column->lo), column->hi);
            dataset->blank[at++] = sotto__schema_is_sparse(schema) ? feature_of(r, zero) : 0;
            features++;
        }
        if (column->kind == SOTTO__COLUMN_LABEL) dataset->label = (uint16_t)i;
        if (column->levels_count > 0) {
            sotto_status status = prepare_levels(r);
            if (status != SOTTO_OK) return status;
        }
        if (column->kind == SOTTO__COLUMN_CATEGORY) {
            at += column->levels_count;
            features++;
        }
    }
    dataset->blank[at] = 1;
    dataset->bound = SOTTO__LENGTH_SLACK / sqrt(1.0 + features);
    for (uint32_t i = 0; i < schema->missing_count; i++) {
        uint32_t *longest = &dataset->missing_bytes[(unsigned char)schema->missing[i][0]];
        uint32_t bytes = (uint32_t)strlen(schema->missing[i]); /* a schema has 1 MiB at most */
        if (bytes > *longest) *longest = bytes;
    }
    memset(dataset->map, 0xFF, sizeof dataset->map);
    return SOTTO_OK;
}

static sotto_status dataset_new(const sotto_schema *schema, const char *path, sotto_dataset **out)
{
    sotto_dataset *dataset = calloc(1, sizeof *dataset);
    *out = dataset;
    if (dataset == NULL) return SOTTO_E_MEMORY;
    dataset->schema = schema;
    dataset->source.fd = -1;
    dataset->mark = sotto__decimal_mark(schema);
    dataset->chance = schema->propensity > 0 ? schema->propensity : 1;
    dataset->dim = sotto_schema_dim(schema);
    dataset->path = strdup(path);
    dataset->blank = calloc(dataset->dim, sizeof *dataset->blank);
    dataset->reading = calloc(schema->columns_count, sizeof *dataset->reading);
    if (dataset->path == NULL || dataset->blank == NULL || dataset->reading == NULL) {
        return SOTTO_E_MEMORY;
    }
    return prepare(dataset);
}

sotto_status sotto_dataset_open(const sotto_schema *schema, const char *path, sotto_dataset **out,
                                sotto_fault *fault)
{
    if (out == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    *out = NULL;
    bool missing = schema == NULL || path == NULL;
    if (missing) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    sotto_dataset *dataset = NULL;
    if (sotto__schema_fault(schema, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    sotto_status wrong = SOTTO_OK;
    if (dataset_new(schema, path, &dataset) != SOTTO_OK) {
        wrong = sotto__refuse(fault, "%s: %s", path, sotto_status_text(SOTTO_E_MEMORY));
        goto cleanup;
    }
    wrong = sotto__source_open(&dataset->source, dataset->path, fault);
    if (wrong != SOTTO_OK) goto cleanup;
    if (schema->format == SOTTO_DATASET_CSV) wrong = begin_csv(dataset, fault);
    if (schema->format == SOTTO_DATASET_LIBSVM) begin_libsvm(dataset);
    if (sotto__schema_is_vw(schema) && !begin_vw(dataset)) {
        wrong = sotto__refuse(fault, "%s: %s", path, sotto_status_text(SOTTO_E_MEMORY));
    }
    if (wrong != SOTTO_OK) goto cleanup;
    *out = dataset;
    dataset = NULL; /* now the caller's */
cleanup:
    sotto_dataset_close(dataset);
    return wrong;
}

sotto_status sotto_dataset_rewind(sotto_dataset *dataset, sotto_fault *fault)
{
    if (dataset == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    if (sotto__source_rewind(&dataset->source, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    dataset->counts = (sotto_dataset_counts){0};
    dataset->waiting = false;
    if (dataset->schema->format != SOTTO_DATASET_CSV || !dataset->schema->header) return SOTTO_OK;
    return next_record(dataset, fault);
}

void sotto_dataset_close(sotto_dataset *dataset)
{
    if (dataset == NULL) return;
    for (uint32_t i = 0; dataset->reading != NULL && i < dataset->schema->columns_count; i++) {
        sotto__levels_free(&dataset->reading[i].levels);
    }
    sotto__source_close(&dataset->source);
    sotto__vw_free(dataset->vw);
    free(dataset->reading);
    free(dataset->blank);
    free(dataset->path);
    free(dataset);
}
