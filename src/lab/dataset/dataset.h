/*
 * Data sets as bandits: a file of rows becomes people with contexts, and what is known of their
 * answers. Lowest first:
 *
 *   source       the bytes of a file
 *   record       a file as records: csv.c, libsvm.c
 *   number       a field as a number
 *   levels       words as indices
 *   schema       what the columns mean
 *   fit          what bandit that makes
 *   words        the words of a schema file
 *   schema_file  the schema file
 *   draft        a schema to start from, after a look at the file
 *   dataset      records as contexts, arms, rewards, chances
 *
 * All of it reads in one pass and in memory that does not depend on how many rows there are.
 */
#ifndef SOTTO_LAB_DATASET_DATASET_H
#define SOTTO_LAB_DATASET_DATASET_H

#include "schema.h"
#include "source.h"

/* People in a block, one row after the other. */
typedef struct sotto__people {
    uint32_t dim, rows, rows_max;
    double *context;    /* rows x dim, each of length at most 1 */
    uint32_t *arm;      /* the label, or the action that was taken */
    double *reward;     /* of a log: in [lo, hi] of its column; otherwise 1 */
    double *propensity; /* of a log: above 0, at most 1; otherwise 1 */
} sotto__people;

/* Room for as many rows as fit into 64 MiB, at most 65,536. */
SOTTO_CHECK sotto_status sotto__people_new(uint32_t dim, sotto__people **out);
void sotto__people_free(sotto__people *people);

/* What reading met since the first row. */
typedef struct sotto__dataset_counts {
    uint64_t rows, bytes;
    uint64_t missing;    /* fields without a value */
    uint64_t clipped;    /* numbers outside of their range */
    uint64_t unknown;    /* fields that are none of the levels of their category */
    uint64_t unlabelled; /* rows without a label, which are none of the rows above */
} sotto__dataset_counts;

typedef struct sotto__dataset sotto__dataset;

/* Opens a file ("-": the standard input). The schema is borrowed until the close. NULL, or `fault`:
 * what sotto__schema_fault says, or why the file cannot be read, or which column is not in both. */
const char *sotto__dataset_open(const sotto__schema *schema, const char *path, sotto__dataset **out,
                                char fault[SOTTO_FAULT_BYTES]);
/* Reads people->rows_max rows; people->rows of them at the end of the file, which may be 0, though
 * a file without a single row is a fault. NULL, or `fault`: the file, the line, the column, its
 * value and what is allowed. */
const char *sotto__dataset_next(sotto__dataset *dataset, sotto__people *people,
                                char fault[SOTTO_FAULT_BYTES]);
/* Back to the first row; a pipe has none. NULL, or `fault`. */
const char *sotto__dataset_rewind(sotto__dataset *dataset, char fault[SOTTO_FAULT_BYTES]);
const sotto__dataset_counts *sotto__dataset_counted(const sotto__dataset *dataset);
void sotto__dataset_close(sotto__dataset *dataset); /* accepts NULL */

#endif
