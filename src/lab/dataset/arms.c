/*
 * The features of the arms: a CSV file with a header and one row per arm.
 *
 *   item,price,kind         the column of the label's or action's name has the arm
 *   tea,2.5,drink
 *   cake,4,food
 *
 * Its columns mean what the schema says after `arm`, and are encoded as those of people are (dataset.c);
 * separator, decimal mark, the words for missing and `others` are those of the schema. But the file is
 * public and was written for this schema: a number outside its range and an unknown level are faults,
 * not clipped or left out.
 *
 * There is no constant and no length of its own: with f_a the features of arm a,
 *
 *   z_a = f_a / max_b |f_b|
 *
 * so that no z_a is longer than 1, the longest is 1, and arms keep their proportions. The divisor is
 * public, because all of the file is.
 */
#include "core/core.h"
#include "inner.h"
#include "text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static sotto_status no_memory(sotto_fault *fault)
{
    return sotto__fault_status(fault, SOTTO_E_MEMORY);
}

/* ---- the schema of the file --------------------------------------------------------------- */

/* The arm of a row is read as a label is. False: no memory. */
static bool add_name(const sotto__column *from, sotto_schema *arms)
{
    sotto__column *name =
        sotto__schema_add(arms, SOTTO__COLUMN_LABEL, from->name, strlen(from->name));
    bool good = name != NULL;
    for (uint32_t i = 0; good && i < from->levels_count; i++) {
        good = sotto__schema_add_level(name, from->level[i], strlen(from->level[i]));
    }
    for (uint32_t i = 0; good && i < from->aliases_count; i++) {
        good = sotto__schema_add_alias(name, from->alias[i], strlen(from->alias[i]),
                                       from->alias_level[i]);
    }
    return good;
}

sotto_status sotto__arms_prepare(sotto_schema *schema, sotto_fault *fault)
{
    sotto_schema *arms = schema->arms;
    sotto_fault why;
    if (arms == NULL && schema->arms_file == NULL) return SOTTO_OK;
    if (schema->arms_file == NULL) {
        return sotto__refuse(fault, "arm: `arms FILE` must say where the features of arms are");
    }
    if (arms == NULL || sotto__schema_arm_dim(schema) == 0) {
        return sotto__refuse(fault, "arms: `arm number` or `arm category` must say what is in the "
                                    "file");
    }
    arms->separator = schema->separator;
    arms->decimal_comma = schema->decimal_comma;
    arms->header = true;
    arms->others = schema->others;
    arms->strict = true;
    bool good = add_name(sotto__schema_arms_column(schema), arms);
    for (uint32_t i = 0; good && i < schema->missing_count; i++) {
        good = sotto__schema_add_missing(arms, schema->missing[i], strlen(schema->missing[i]));
    }
    if (!good) return no_memory(fault);
    if (sotto__schema_fault(arms, &why) == SOTTO_OK) return SOTTO_OK;
    return sotto__refuse(fault, "arms: %.400s", why.sentence);
}

/* ---- the file ----------------------------------------------------------------------------- */

/* One row at a time, so that faults can name its line. */
typedef struct arms_reader {
    sotto_schema *schema;
    const char *path;
    sotto_fault *fault;
    uint32_t arms, dim; /* numbers of an arm, without the constant */
    sotto_dataset *dataset;
    sotto_people row;
    uint64_t *row_line; /* line of each arm's row; 0: none yet */
} arms_reader;

static const char *arm_shown(const arms_reader *r, uint32_t arm, char shown[SOTTO__SHOWN_BYTES])
{
    const char *name = sotto_schema_arm_name(r->schema, arm);
    return sotto__shown(name, strlen(name), shown);
}

static sotto_status take_rows(arms_reader *r)
{
    char shown[SOTTO__SHOWN_BYTES];
    for (;;) { /* bounded: a second row of an arm is a fault */
        sotto_status wrong = sotto_dataset_next(r->dataset, &r->row, r->fault);
        if (wrong != SOTTO_OK) return wrong;
        if (r->row.rows == 0) break;
        uint32_t arm = r->row.arm[0];
        unsigned long long line = sotto__dataset_record(r->dataset)->line;
        if (r->row_line[arm] != 0) {
            return sotto__refuse(r->fault,
                                 "%s: line %llu: arm \"%s\" has a row already, in line "
                                 "%llu",
                                 r->path, line, arm_shown(r, arm, shown),
                                 (unsigned long long)r->row_line[arm]);
        }
        r->row_line[arm] = line;
        memcpy(r->schema->arm_feature + (size_t)arm * r->dim, r->row.context,
               r->dim * sizeof *r->row.context);
    }
    for (uint32_t a = 0; a < r->arms; a++) {
        if (r->row_line[a] != 0) continue;
        return sotto__refuse(r->fault, "%s: arm \"%s\" has no row: one row per arm", r->path,
                             arm_shown(r, a, shown));
    }
    return SOTTO_OK;
}

static double length_of(const double *x, uint32_t dim)
{
    double squares = 0;
    for (uint32_t i = 0; i < dim; i++) {
        squares += x[i] * x[i];
    }
    return sqrt(squares);
}

/* Divides all rows by the longest one. So far all have the same factor, because they were read
 * with `scale bound`. */
static sotto_status scale(arms_reader *r)
{
    double *feature = r->schema->arm_feature, longest = 0;
    for (uint32_t a = 0; a < r->arms; a++) {
        longest = fmax(longest, length_of(feature + (size_t)a * r->dim, r->dim));
    }
    if (!(longest > 0)) {
        return sotto__refuse(
            r->fault,
            "%s: all features of all arms are 0 after scaling, so they cannot distinguish the arms",
            r->path);
    }
    for (size_t i = 0; i < (size_t)r->arms * r->dim; i++) {
        feature[i] *= SOTTO__LENGTH_SLACK / longest;
    }
    return SOTTO_OK;
}

static sotto_status read_all(arms_reader *r)
{
    uint32_t dim = r->dim + 1;
    double reward, propensity;
    uint32_t arm;
    double *context = calloc(dim, sizeof *context);
    r->row_line = calloc(r->arms, sizeof *r->row_line);
    r->schema->arm_feature = calloc((size_t)r->arms * r->dim, sizeof *r->schema->arm_feature);
    r->row = (sotto_people){dim, 0, 1, context, &arm, &reward, &propensity};
    bool made = context != NULL && r->row_line != NULL && r->schema->arm_feature != NULL;
    sotto_status wrong = made ? SOTTO_OK : no_memory(r->fault);
    if (wrong == SOTTO_OK)
        wrong = sotto_dataset_open(r->schema->arms, r->path, &r->dataset, r->fault);
    if (wrong == SOTTO_OK) wrong = take_rows(r);
    if (wrong == SOTTO_OK) wrong = scale(r);
    sotto_dataset_close(r->dataset);
    free(r->row_line);
    free(context);
    return wrong;
}

sotto_status sotto__arms_read(sotto_schema *schema, sotto_fault *fault)
{
    char *path;
    sotto_status wrong = sotto__schema_beside(schema, schema->arms_file, &path, fault);
    arms_reader r = {.schema = schema,
                     .path = path,
                     .fault = fault,
                     .arms = sotto_schema_arms(schema),
                     .dim = sotto__schema_arm_dim(schema)};
    if (wrong == SOTTO_OK) wrong = read_all(&r);
    free(path);
    return wrong;
}
