/* What the columns of a data set mean. */
#ifndef SOTTO_LAB_DATASET_SCHEMA_H
#define SOTTO_LAB_DATASET_SCHEMA_H

#include <sotto/lab/datasets.h>

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
const char *sotto__column_kind_name(sotto__column_kind kind);

/* One column of a schema. Ranges and levels are public terms: they are fixed without looking at
 * people's rows, and whatever lies outside is clipped, or is none of the levels. */
typedef struct sotto__column {
    char *name;
    sotto__column_kind kind;
    double lo, hi;         /* of a number and of a reward */
    bool bucket;           /* of VW text: a number for names that have no column of their own */
    bool log;              /* of a number: its logarithm counts; for long tails */
    uint32_t levels_count; /* of a category, a label, an action */
    char **level;
    uint32_t aliases_count; /* other spellings of levels */
    char **alias;
    uint32_t *alias_level; /* the level that each stands for */
    char *note; /* the note of a draft about it, or NULL; written as a comment, not read back */
} sotto__column;

#define SOTTO__SEPARATORS ",;\t| "

struct sotto_schema {
    sotto_dataset_format format;
    char separator;     /* of CSV: , ; tab | or a blank, which stands for one or more */
    bool decimal_comma; /* of CSV: numbers are written 1,5; otherwise 1.5 */
    bool header;   /* of CSV: the first record names the columns; otherwise they are 1, 2, 3, ... */
    bool others;   /* columns that are not named here are ignored; otherwise they are a fault */
    bool numbered; /* of VW text: arms are written 1, 2, 3, ..., in the order of their levels */
    bool unlabelled;   /* rows without a label are skipped; otherwise they are a fault */
    bool from_data;    /* ranges or levels were taken from the rows: they are not private */
    bool unit;         /* contexts are scaled to length 1; otherwise by the longest that can be */
    uint32_t hash;     /* of VW text: buckets, the last columns; 0: none */
    double propensity; /* of a log: of every action; 0: a column has it */
    uint32_t missing_count;
    char **missing; /* fields that stand for no value, besides the empty one */
    uint32_t columns_count;
    sotto__column *column; /* found by name, so in any order; a context has its features in this */
    char *folder;          /* of the schema file, at which the names below begin; NULL: none */
    char *rewards_file;    /* of labels: what each arm earns; NULL: the right one 1, the others 0 */
    bool rewards_ranged;   /* the range of these rewards was given; otherwise it is the table's */
    double rewards_lo, rewards_hi;
    double *rewards;    /* labels x arms, of the file */
    char *arms_file;    /* features of the arms, one row per arm; NULL: none */
    sotto_schema *arms; /* of that file: its features, and the label or action that names the arm */
    double *arm_feature; /* arms x sotto__schema_arm_dim, of the file */
    bool strict;         /* of such a file: what is out of range or no level is a fault */
};

void sotto__schema_free(sotto_schema *schema);

/* A column at the end of the schema; NULL: no memory. */
sotto__column *sotto__schema_add(sotto_schema *schema, sotto__column_kind kind, const char *name,
                                 size_t name_bytes);
/* False: no memory. */
bool sotto__schema_add_level(sotto__column *column, const char *text, size_t bytes);
bool sotto__schema_add_missing(sotto_schema *schema, const char *text, size_t bytes);
bool sotto__schema_add_alias(sotto__column *column, const char *text, size_t bytes, uint32_t level);

/* Adds a text to a list, which takes it over. False if there is no memory: the text is freed. */
bool sotto__texts_push(char ***list, uint32_t *count, char *text);
void sotto__texts_free(char **list, uint32_t count);

/* The label, or the action; NULL: there is none. */
const sotto__column *sotto__schema_arms_column(const sotto_schema *schema);

/* Numbers of an arm's features; 0: arms have none. */
uint32_t sotto__schema_arm_dim(const sotto_schema *schema);

#define SOTTO__LISTED_BYTES 256u
/* The first levels of a column as they may stand in a sentence: as many as fit. Returns `text`. */
const char *sotto__levels_listed(const sotto__column *column, char text[SOTTO__LISTED_BYTES]);

/* The path of a regular file that the schema names: from the folder of the schema on. NULL, or
 * `fault`. The caller frees the path in either case. */
const char *sotto__schema_beside(const sotto_schema *schema, const char *name, char **path,
                                 char fault[SOTTO_FAULT_BYTES]);

/* What a row does not list is 0. */
bool sotto__schema_is_sparse(const sotto_schema *schema);
bool sotto__schema_is_vw(const sotto_schema *schema);

/* Between the whole part of a number and its fraction. */
char sotto__decimal_mark(const sotto_schema *schema);

/* A name such as 12 as a number from 1 to SOTTO__COLUMNS_MAX, or 0. */
uint32_t sotto__column_index(const char *name);

#endif
