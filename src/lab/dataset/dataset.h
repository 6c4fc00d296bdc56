/* What other rooms may use of this one. */
#ifndef SOTTO_LAB_DATASET_ROOM_H
#define SOTTO_LAB_DATASET_ROOM_H

#include <sotto/core.h>
#include <sotto/lab/datasets.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ---- gunzip --------------------------------------------------------------------------------- */

/* The contents of a gzip file, read from an open file. */

#define SOTTO__GUNZIP_CHUNK_BYTES 262144u

typedef struct sotto__gunzip sotto__gunzip;

/* Whether a file with these first bytes is gzip. */
bool sotto__is_gzip(const char *first, size_t bytes);
/* For the file behind `fd`, of which these first bytes, at most SOTTO__GUNZIP_CHUNK_BYTES, have been
 * read already. */
SOTTO_CHECK sotto_status sotto__gunzip_new(int fd, const char *first, size_t bytes,
                                           sotto__gunzip **out);
/* Unpacks up to `room` bytes, at most SOTTO__GUNZIP_CHUNK_BYTES; `got` is less only at the end of the
 * file. After a fault `got` is 0. */
SOTTO_CHECK sotto_status sotto__gunzip_read(sotto__gunzip *gunzip, char *to, size_t room,
                                            size_t *got, sotto_fault *fault);
void sotto__gunzip_free(sotto__gunzip *gunzip); /* accepts NULL */

/* ---- source --------------------------------------------------------------------------------- */

/* The bytes of a file. */

#define SOTTO__RECORD_BYTES_MAX 1048576u

typedef struct sotto__source {
    const char *path; /* borrowed, for faults */
    int fd;
    bool end;              /* nothing is left to read(2) */
    bool returns;          /* its lines end with carriage returns, which become line feeds */
    sotto__gunzip *gunzip; /* NULL: the bytes are the file's own */
    char *buffer;
    size_t from, to; /* the bytes of the buffer that were not taken yet */
    uint64_t line;   /* of buffer[from], from 1 */
    uint64_t bytes;  /* of the text since the beginning, unpacked */
} sotto__source;

/* Opens a regular file, a pipe, or "-". Gzip, recognised by its first two bytes, is unpacked. The
 * path is borrowed until the close. */
sotto_status sotto__source_open(sotto__source *source, const char *path, sotto_fault *fault);
/*
 * Moves the remaining bytes, at most SOTTO__RECORD_BYTES_MAX, to the front and reads another
 * chunk, or the rest of the file. A line feed and some more bytes follow the last byte. A
 * byte-order mark at the beginning is skipped. If the first chunk has carriage returns and no line
 * feed, they are line ends and become line feeds in the buffer.
 */
sotto_status sotto__source_fill(sotto__source *source, sotto_fault *fault);
sotto_status sotto__source_rewind(sotto__source *source, sotto_fault *fault);
void sotto__source_close(sotto__source *source);

/* ---- record --------------------------------------------------------------------------------- */

/* A file as records of fields: CSV (csv.c) and LIBSVM (libsvm.c). */

#define SOTTO__COLUMNS_MAX 4096u

typedef struct sotto__field {
    const char *text; /* not terminated */
    uint32_t bytes;
    uint16_t column; /* of the file: of CSV from 0; of LIBSVM from 1, and 0 is the label */
    bool doubled;    /* of CSV, while a record is read: it has doubled quotes */
} sotto__field;

/* Valid until the next record is read. */
typedef struct sotto__record {
    uint64_t line;  /* where it begins */
    uint32_t count; /* of fields; 0 at the end of the file */
    sotto__field field[SOTTO__COLUMNS_MAX + 1];
} sotto__record;

/* The next record that is not blank. SOTTO_OK, or a fault. */
sotto_status sotto__csv_next(sotto__source *source, char separator, sotto__record *record,
                             sotto_fault *fault);
sotto_status sotto__libsvm_next(sotto__source *source, sotto__record *record, sotto_fault *fault);

/* ---- schema --------------------------------------------------------------------------------- */

/* What the columns of a data set mean. */

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

/* One column of a schema. Ranges and levels are public terms, fixed without looking at people's
 * rows. Numbers outside the range are clipped; other words count as none of the levels. */
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
    sotto__column *column; /* found by name, so in any order, which is also that of features */
    char *directory;       /* of the schema file, at which the names below begin; NULL: none */
    char *rewards_file;    /* of labels: what each arm earns; NULL: the right one 1, the others 0 */
    bool rewards_ranged;   /* the range of these rewards was given; otherwise it is the table's */
    double rewards_lo, rewards_hi;
    double *rewards;    /* labels x arms, of the file */
    char *arms_file;    /* features of the arms, one row per arm; NULL: none */
    sotto_schema *arms; /* of that file: its features, and the label or action that names the arm */
    double *arm_feature; /* arms x sotto__schema_arm_dim, of the file */
    bool strict;         /* of an arms file: numbers out of range and unknown levels are faults */
};

void sotto__schema_free(sotto_schema *schema);

/* Appends a column to the schema; NULL: no memory. */
sotto__column *sotto__schema_add(sotto_schema *schema, sotto__column_kind kind, const char *name,
                                 size_t name_bytes);
/* False: no memory. */
bool sotto__schema_add_level(sotto__column *column, const char *text, size_t bytes);
bool sotto__schema_add_missing(sotto_schema *schema, const char *text, size_t bytes);
bool sotto__schema_add_alias(sotto__column *column, const char *text, size_t bytes, uint32_t level);

/* Appends a text to a list, which takes ownership of it. False: no memory; the text is freed. */
bool sotto__texts_push(char ***list, uint32_t *count, char *text);
void sotto__texts_free(char **list, uint32_t count);

/* The label, or the action; NULL: there is none. */
const sotto__column *sotto__schema_arms_column(const sotto_schema *schema);

/* Numbers of an arm's features; 0: arms have none. */
uint32_t sotto__schema_arm_dim(const sotto_schema *schema);

#define SOTTO__LISTED_BYTES 256u
/* The first levels of a column as they may stand in a sentence: as many as fit. Returns `text`. */
const char *sotto__levels_listed(const sotto__column *column, char text[SOTTO__LISTED_BYTES]);

/* The path of a regular file that the schema names, relative to the schema's directory. SOTTO_OK,
 * or a fault. The caller frees the path in either case. */
sotto_status sotto__schema_beside(const sotto_schema *schema, const char *name, char **path,
                                  sotto_fault *fault);

/* Whether values that a row does not list are 0. */
bool sotto__schema_is_sparse(const sotto_schema *schema);
bool sotto__schema_is_vw(const sotto_schema *schema);

/* The mark between the whole part of a number and its fraction. */
char sotto__decimal_mark(const sotto_schema *schema);

/* A name such as 12 as a number from 1 to SOTTO__COLUMNS_MAX, or 0. */
uint32_t sotto__column_index(const char *name);

/* ---- dataset -------------------------------------------------------------------------------- */

/*
 * Data sets as bandits: a file of rows becomes people with contexts, and what is known of their
 * answers. Lowest first:
 *
 *   gunzip       what a gzip file holds
 *   source       the bytes of a file
 *   record       a file as records: csv.c, libsvm.c; for VW text see below
 *   number       a field as a number
 *   levels       words as indices
 *   schema       what the columns mean
 *   fit          what bandit that makes
 *   rewards      what each arm earns where a label is right
 *   vw_line      a line of VW text
 *   vw           VW text as records
 *   dataset      records as contexts, arms, rewards, chances
 *   arms         the features of the arms
 *   vw_write     a data set as VW text
 *   words        the words of a schema file
 *   schema_file  the schema file
 *   guess        how a file writes fields and numbers
 *   draft        a schema to start from, after a look at the file
 *   handle       schemas as others hold them
 *
 * All of it reads in one pass and in memory that does not depend on how many rows there are.
 */

/* Keeps lengths from exceeding 1 by rounding: a sum of up to 1024 squares is off by less. */
#define SOTTO__LENGTH_SLACK (1 - 0x1p-40)

/* The row that was read last, the line of the schema for one of its fields (NULL: it has none), and whether
 * that is a word for no value. */
const sotto__record *sotto__dataset_record(const sotto_dataset *dataset);
const sotto__column *sotto__dataset_column(const sotto_dataset *dataset, const sotto__field *field);
bool sotto__dataset_is_missing(const sotto_dataset *dataset, const sotto__field *field);

/* ---- draft ---------------------------------------------------------------------------------- */

/* A schema to start from, after a look at the file. */

/*
 * A schema from one pass over the rows of a file: numbers with their smallest and largest value,
 * categories with their levels (at most 256 of one column, 1024 of all), the labels. Columns that
 * the draft ignores on its own have a note that says why, and so has a label that some rows lack.
 * The draft is a starting point and not private: from_data is set, because ranges and levels come
 * from people's rows. SOTTO_OK, or a fault; then `out` is empty.
 */
sotto_status sotto__schema_draft(const sotto_draft *draft, const char *path, sotto_schema *out,
                                 sotto_fault *fault);

/* ---- fit ------------------------------------------------------------------------------------ */

/* Whether a schema makes a bandit, and which. */

/* SOTTO_OK, or why it makes no bandit: no label and no action, one class only, a number without a
 * range, ... */
sotto_status sotto__schema_fault(const sotto_schema *schema, sotto_fault *fault);

/* ---- number --------------------------------------------------------------------------------- */

/* A field as a number. */

#define SOTTO__NUMBER_BYTES_MAX 1000u

/* The double nearest to the text, whatever the locale; false unless it is a finite decimal number
 * such as -1, +.5, 3.25e-7 of at most SOTTO__NUMBER_BYTES_MAX bytes. */
bool sotto__number(const char *text, size_t bytes, double *out);
/* The same with `mark` in place of the point: a point or a comma. */
bool sotto__marked_number(const char *text, size_t bytes, char mark, double *out);
/* The same, but faster, for a text in a source's buffer: 8 bytes behind it must be readable. */
bool sotto__padded_number(const char *text, size_t bytes, char mark, double *out);

/* ---- schema_file ---------------------------------------------------------------------------- */

/* The schema file, read and written. */

/* A schema file (its format is at the head of schema_file.c). SOTTO_OK, or a fault: what is wrong,
 * with file and line; then `out` is empty. A schema that was read fits: see sotto__schema_fault. */
sotto_status sotto__schema_read(const char *path, sotto_schema *out, sotto_fault *fault);
void sotto__schema_write(const sotto_schema *schema, FILE *file);
/* Writes the fewest digits that read back as the same number. */
void sotto__number_write(double value, FILE *file);

/* ---- settings ------------------------------------------------------------------------------- */

/* The settings of a schema: a word, and the words that it may be followed by. */

typedef enum sotto__setting {
    SOTTO__SETTING_FORMAT,
    SOTTO__SETTING_SEPARATOR,
    SOTTO__SETTING_DECIMAL,
    SOTTO__SETTING_HEADER,
    SOTTO__SETTING_SCALE,
    SOTTO__SETTING_RANGES,
    SOTTO__SETTING_OTHERS,
    SOTTO__SETTING_UNLABELLED,
    SOTTO__SETTING_NUMBERED,
    SOTTO__SETTINGS
} sotto__setting;

const char *sotto__setting_name(sotto__setting which);
/* The i-th choice; the first is the default. NULL: there are no more. */
const char *sotto__setting_choice(sotto__setting which, uint32_t i);
const char *sotto__separator_name(uint32_t value); /* by the place in SOTTO__SEPARATORS */
/* `choice` is the index among the choices. */
void sotto__setting_set(sotto_schema *schema, sotto__setting which, uint32_t choice);
uint32_t sotto__setting_get(const sotto_schema *schema, sotto__setting which);

/* ---- vw_write ------------------------------------------------------------------------------- */

/* A data set as VW text. */

/* Writes the people of a data set, from its current position, as VW text, and to `schema_file` a
 * schema that reads the text as the same people. `count` is how many there were. SOTTO_OK, or a
 * fault. The caller must check both files for write errors. */
sotto_status sotto__vw_write(const sotto_schema *schema, sotto_dataset *dataset, FILE *file,
                             FILE *schema_file, uint64_t *count, sotto_fault *fault);

/* A word as a name of VW text: blanks, control characters and | : = % are written %20, ..., and an empty
 * word as %. Different words have different names. */
void sotto__vw_name_write(const char *text, size_t bytes, FILE *file);

/* ---- words ---------------------------------------------------------------------------------- */

/* The words of a schema file. */

#define SOTTO__WORDS_MAX (SOTTO__COLUMNS_MAX + 2u) /* of one statement */

typedef struct sotto__word {
    const char *text; /* not terminated */
    size_t bytes;
    bool quoted;
} sotto__word;

typedef struct sotto__words {
    char *at, *end;     /* what is left */
    uint64_t next_line; /* where it begins */
    uint64_t line;      /* where the statement begins */
    uint32_t count;     /* of its words; 0 at the end of the file */
    sotto__word word[SOTTO__WORDS_MAX];
} sotto__words;

/* The text is changed while it is read. A line feed must follow it. */
void sotto__words_begin(sotto__words *words, char *text, size_t bytes);
/* Reads the next statement. A fault says why it is not valid. */
SOTTO_CHECK sotto_status sotto__words_next(sotto__words *words, sotto_fault *fault);
bool sotto__word_is(const sotto__word *word, const char *text);

/* Writes a word as sotto__words_next reads it back, and never as a range. */
void sotto__word_write(const char *text, FILE *file);

#endif
