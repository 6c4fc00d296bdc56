/*
 * Data sets as bandits: a file of rows becomes people with contexts, and what is known of their
 * answers.
 *
 *   dataset_source  the bytes of a file                    dataset_number   a field as a number
 *   dataset_csv     a CSV file as records of fields        dataset_levels   words as indices
 *   dataset_libsvm  a LIBSVM file as records of pairs      dataset_schema   what the columns mean
 *   dataset_words   the words of a schema file             dataset_fit      what bandit it makes
 *   dataset_draft   a schema to begin with, from a look at the file
 *   dataset         records as contexts, arms, rewards, chances
 *
 * All of it reads in one pass and in memory that does not depend on how many rows there are.
 */
#ifndef SOTTO_LAB_DATASET_DATASET_H
#define SOTTO_LAB_DATASET_DATASET_H

#include <sotto/lab.h>

#include <stdio.h>

#define SOTTO__DATASET_FAULT_BYTES 512u /* a sentence with file, line, column, value, reason */

/* What a column is for. A label makes a classification: the arm that names it earns 1, the others
 * 0. An action, its reward and the chance that it had (the propensity) make a log. */
#define SOTTO__COLUMN_MAP(X)                                                                       \
    X(IGNORE, "ignore")                                                                            \
    X(NUMBER, "number")                                                                            \
    X(CATEGORY, "category")                                                                        \
    X(LABEL, "label")                                                                              \
    X(ACTION, "action")                                                                            \
    X(REWARD, "reward")                                                                            \
    X(PROPENSITY, "propensity")
#define SOTTO__ENUMERATOR_COLUMN(name, text) SOTTO__COLUMN_##name,
typedef enum sotto__column_kind { SOTTO__COLUMN_MAP(SOTTO__ENUMERATOR_COLUMN) } sotto__column_kind;
#undef SOTTO__ENUMERATOR_COLUMN
const char *sotto__column_kind_name(uint32_t value);

/* One column of a schema. Ranges and levels are public terms: they are fixed without looking at
 * people's rows, and whatever lies outside is clipped, or is none of the levels. */
typedef struct sotto__column {
    char *name;
    sotto__column_kind kind;
    double lo, hi;         /* of a number and of a reward */
    bool log;              /* of a number: its logarithm counts; for long tails */
    uint32_t levels_count; /* of a category, a label, an action */
    char **level;
    uint32_t aliases_count; /* other spellings of levels */
    char **alias;
    uint32_t *alias_level; /* the level that each stands for */
    char *note; /* what a draft has to say of it, or NULL; written as a comment, not read back */
} sotto__column;

typedef enum sotto__dataset_format {
    SOTTO__DATASET_CSV,
    SOTTO__DATASET_LIBSVM
} sotto__dataset_format;

#define SOTTO__SEPARATORS ",;\t "
const char *sotto__separator_name(uint32_t value); /* by the place in SOTTO__SEPARATORS */

typedef struct sotto__schema {
    sotto__dataset_format format;
    char separator; /* of CSV: , ; tab, or a blank, which stands for a run of them */
    bool header; /* of CSV: the first record names the columns; otherwise they are 1, 2, 3, ... */
    bool others; /* columns that are not named here are ignored; otherwise they are a fault */
    bool unlabelled; /* rows without a label are skipped; otherwise they are a fault */
    bool from_data;  /* ranges or levels were taken from the rows: they are not private */
    bool unit;       /* contexts are scaled to length 1; otherwise by the longest that can be */
    uint32_t missing_count;
    char **missing; /* fields that stand for no value, besides the empty one */
    uint32_t columns_count;
    sotto__column *column; /* found by name, so in any order; a context has its features in this */
} sotto__schema;

/* A schema file (its format is at the head of dataset_schema.c). NULL, or `fault`: what is wrong,
 * with file and line; then `out` is empty. A schema that was read fits: see sotto__schema_fault. */
const char *sotto__schema_read(const char *path, sotto__schema *out,
                               char fault[SOTTO__DATASET_FAULT_BYTES]);
void sotto__schema_write(const sotto__schema *schema, FILE *file);
void sotto__schema_free(sotto__schema *schema);

/* NULL, or why it makes no bandit: no label and no action, one class only, a number without a
 * range, ... */
const char *sotto__schema_fault(const sotto__schema *schema,
                                char fault[SOTTO__DATASET_FAULT_BYTES]);

bool sotto__schema_is_log(const sotto__schema *schema); /* an action instead of a label */
uint32_t sotto__schema_arms(const sotto__schema *schema);
const char *sotto__schema_arm_name(const sotto__schema *schema, uint32_t arm);
uint32_t sotto__schema_dim(const sotto__schema *schema); /* of a context, the constant included */

/* What to say of a file beforehand, to draft a schema from it. */
typedef enum sotto__header {
    SOTTO__HEADER_GUESS,
    SOTTO__HEADER_NO,
    SOTTO__HEADER_YES
} sotto__header;

typedef struct sotto__draft {
    sotto__dataset_format format;
    char separator;                           /* of CSV; 0: guess */
    sotto__header header;                     /* of CSV */
    const char *label;                        /* NULL: none. LIBSVM has one, under whatever name */
    const char *action, *reward, *propensity; /* NULL: none */
    uint32_t ignored_count;
    const char *const *ignored; /* columns that are no features */
    bool once;                  /* the file will not be read again, and may be a pipe */
} sotto__draft;

/* A schema from one pass over the rows of a file: numbers with their smallest and largest value,
 * categories with their levels (at most 256 of one column, 1024 of all), the labels. Columns that
 * are ignored unasked have a note that says why, as has a label that rows are without. It is a
 * place to begin, not a private one: from_data is set, for ranges and levels must not come from
 * people's rows. NULL, or `fault`; then `out` is empty. */
const char *sotto__schema_draft(const sotto__draft *draft, const char *path, sotto__schema *out,
                                char fault[SOTTO__DATASET_FAULT_BYTES]);

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
                                char fault[SOTTO__DATASET_FAULT_BYTES]);
/* Reads people->rows_max rows; people->rows of them at the end of the file, which may be 0, though
 * a file without a single row is a fault. NULL, or `fault`: the file, the line, the column, its
 * value and what is allowed. */
const char *sotto__dataset_next(sotto__dataset *dataset, sotto__people *people,
                                char fault[SOTTO__DATASET_FAULT_BYTES]);
/* Back to the first row; a pipe has none. NULL, or `fault`. */
const char *sotto__dataset_rewind(sotto__dataset *dataset, char fault[SOTTO__DATASET_FAULT_BYTES]);
const sotto__dataset_counts *sotto__dataset_counted(const sotto__dataset *dataset);
void sotto__dataset_close(sotto__dataset *dataset); /* accepts NULL */

#endif
