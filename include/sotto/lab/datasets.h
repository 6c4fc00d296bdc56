/*
 * The lab: people from a file. A schema says what the columns of a CSV or LIBSVM file, or the
 * names of VW text, mean; a data set is then read as contexts, arms and rewards, in blocks, so that
 * memory does not depend on the length of the file. docs/data.md describes the formats. Not for production.
 *
 * A handle is used by one thread at a time. The sentence of a fault has the file, the line, the column,
 * its value and what is allowed. The head of core.h says what NULL does.
 */
#ifndef SOTTO_LAB_DATASETS_H
#define SOTTO_LAB_DATASETS_H

#include <sotto/core.h>

#if defined(SOTTO_SIDE_CLIENT) || defined(SOTTO_SIDE_SERVER) || defined(SOTTO_SIDE_CORE)
#error "sotto/lab can be seeded: code that ships may not use it"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- schema ------------------------------------------------------------------------------- */

/* What the columns of a file mean. A file with a label is a classification: the arm named by the label
 * earns 1 and the others 0, or the numbers of a table beside the schema. A file with an action, its
 * reward and its probability (the propensity) is a log. */
typedef struct sotto_schema sotto_schema;

/* Reads a schema file and the files that it names, relative to its directory. */
SOTTO_API SOTTO_CHECK sotto_status sotto_schema_read(const char *path, sotto_schema **out,
                                                     sotto_fault *fault);

typedef enum sotto_dataset_format {
    SOTTO_DATASET_CSV,
    SOTTO_DATASET_LIBSVM,
    SOTTO_DATASET_VW,    /* the text of Vowpal Wabbit, one person per line */
    SOTTO_DATASET_VW_ADF /* the same, one person per block of lines: shared features, then actions */
} sotto_dataset_format;
/* Whether the first record of a CSV file names its columns. */
typedef enum sotto_draft_header {
    SOTTO_HEADER_GUESS,
    SOTTO_HEADER_NO,
    SOTTO_HEADER_YES
} sotto_draft_header;

/* What is known of a file before a schema is drafted from it. Texts are borrowed. */
typedef struct sotto_draft {
    sotto_dataset_format format;              /* CSV or LIBSVM */
    char separator;                           /* of CSV: , ; tab | or blank; 0: guess */
    char decimal;                             /* of CSV: the mark of 1.5, or of 1,5; 0: guess */
    sotto_draft_header header;                /* of CSV */
    const char *label;                        /* NULL: none. LIBSVM has one, under whatever name */
    const char *action, *reward, *propensity; /* NULL: none */
    double constant_propensity;               /* of every action, instead of a column; 0: none */
    uint32_t ignored_count;
    const char *const *ignored; /* columns that are not features */
    bool once;                  /* the file will not be read again, and may be a pipe */
} sotto_draft;

/* CSV, everything guessed, no columns named. */
SOTTO_API sotto_draft sotto_draft_default(void);

/* A schema from one pass over the rows of a file: numbers with their smallest and largest value,
 * categories with their levels (at most 256 of one column, 1024 of all), the labels. It is a draft and
 * not private: in an experiment, ranges and levels must not come from people's rows. */
SOTTO_API SOTTO_CHECK sotto_status sotto_schema_draft(const sotto_draft *draft, const char *path,
                                                      sotto_schema **out, sotto_fault *fault);

/* Writes the schema file and replaces an existing one. It names other files as the schema that was read
 * did, so write it into the same directory. */
SOTTO_API SOTTO_CHECK sotto_status sotto_schema_write(const sotto_schema *schema, const char *path,
                                                      sotto_fault *fault);
SOTTO_API void sotto_schema_free(sotto_schema *schema);

SOTTO_API bool sotto_schema_is_log(const sotto_schema *schema); /* an action instead of a label */
SOTTO_API uint32_t sotto_schema_arms(const sotto_schema *schema);
/* NULL if there is no such arm; valid until the schema is freed. */
SOTTO_API const char *sotto_schema_arm_name(const sotto_schema *schema, uint32_t arm);
/* Numbers of a context, the constant included. */
SOTTO_API uint32_t sotto_schema_dim(const sotto_schema *schema);

/* ---- data set ----------------------------------------------------------------------------- */

/* People in a block, one row after the other. */
typedef struct sotto_people {
    uint32_t dim, rows, rows_max;
    double *context;    /* rows x dim, each of length at most 1 */
    uint32_t *arm;      /* the label, or the action that was taken */
    double *reward;     /* of a log: in [lo, hi] of its column; otherwise 1 */
    double *propensity; /* of a log: above 0, at most 1; otherwise 1 */
} sotto_people;

/* A block for as many rows as fit into 64 MiB, at most 65,536. SOTTO_E_FAULT unless dim is 1 to
 * SOTTO_DIM_MAX. */
SOTTO_API SOTTO_CHECK sotto_status sotto_people_new(uint32_t dim, sotto_people **out);
SOTTO_API void sotto_people_free(sotto_people *people);

/* Counts of what was read since the first row. */
typedef struct sotto_dataset_counts {
    uint64_t rows, bytes;
    uint64_t missing;    /* fields without a value */
    uint64_t clipped;    /* numbers outside of their range */
    uint64_t unknown;    /* fields that are no level of their category */
    uint64_t unlabelled; /* rows without a label, not counted in `rows` */
} sotto_dataset_counts;

typedef struct sotto_dataset sotto_dataset;

/* Opens a file ("-": the standard input). The schema is borrowed until the data set is closed. */
SOTTO_API SOTTO_CHECK sotto_status sotto_dataset_open(const sotto_schema *schema, const char *path,
                                                      sotto_dataset **out, sotto_fault *fault);
/* Reads up to people->rows_max rows into `people`, which has the dim of the schema. people->rows is
 * smaller at the end of the file and may be 0; a file without any row is a fault. */
SOTTO_API SOTTO_CHECK sotto_status sotto_dataset_next(sotto_dataset *dataset, sotto_people *people,
                                                      sotto_fault *fault);
/* Back to the first row, which a pipe cannot do. */
SOTTO_API SOTTO_CHECK sotto_status sotto_dataset_rewind(sotto_dataset *dataset, sotto_fault *fault);
/* Valid until the data set is closed. */
SOTTO_API const sotto_dataset_counts *sotto_dataset_counted(const sotto_dataset *dataset);
SOTTO_API void sotto_dataset_close(sotto_dataset *dataset); /* accepts NULL */

#ifdef __cplusplus
}
#endif
#endif
