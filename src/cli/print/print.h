/* What other rooms may use of this one. */
#ifndef SOTTO_CLI_PRINT_ROOM_H
#define SOTTO_CLI_PRINT_ROOM_H

#include "text/text.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* ---- value ---------------------------------------------------------------------------------- */

/* The values and columns that all printers take. */

typedef enum print_kind {
    PRINT_TEXT,
    PRINT_NATURAL,
    PRINT_REAL,
    PRINT_FLAG,
    PRINT_NONE
} print_kind;

typedef struct print_value {
    print_kind kind;
    const char *text;
    uint64_t natural; /* also of flags */
    double real;
} print_value;

static inline print_value print_text(const char *text)
{
    return (print_value){.kind = PRINT_TEXT, .text = text};
}

static inline print_value print_natural(uint64_t natural)
{
    return (print_value){.kind = PRINT_NATURAL, .natural = natural};
}

static inline print_value print_real(double real)
{
    return (print_value){.kind = PRINT_REAL, .real = real};
}

static inline print_value print_flag(bool flag)
{
    return (print_value){.kind = PRINT_FLAG, .natural = flag};
}

/* No value. It is printed like a number that is not finite. */
static inline print_value print_none(void)
{
    return (print_value){.kind = PRINT_NONE};
}

typedef struct print_column {
    const char *key;   /* in CSV and JSON; NULL: only in the table */
    const char *title; /* in the table; NULL: not in the table; "": no heading */
    int width;         /* in the table; negative: left-aligned words */
    int digits;        /* significant digits of a real in the table */
    int digits_exact;  /* in CSV and JSON; 0: all, so that the number can be read back */
} print_column;

/* ---- csv ------------------------------------------------------------------------------------ */

/* Comma-separated values (RFC 4180). */

void csv_head(FILE *file, const print_column *column, uint32_t count);
void csv_row(FILE *file, const print_column *column, const print_value *value, uint32_t count);

/* ---- json ----------------------------------------------------------------------------------- */

/*
 * JSON on one line, written as it comes: {"key": value, "list": [1, 2]}.
 *
 *     json_writer j = json_begin(stdout);
 *     json_open(&j, NULL, '{');
 *     json_real(&j, "epsilon", 1);
 *     json_open(&j, "layers", '[');
 *     json_natural(&j, NULL, 3);
 *     json_close(&j);
 *     json_close(&j);
 *     json_end(&j);
 *
 * A key is NULL inside a list. Keys are ours: letters, digits and underscores.
 */

#define JSON_DEPTH_MAX 8u

typedef struct json_writer {
    FILE *file;
    uint32_t depth;
    bool lines;                       /* each element of the outermost list has its own line */
    char closing[JSON_DEPTH_MAX + 1]; /* the closing brackets of what is open */
    bool filled[JSON_DEPTH_MAX + 1];  /* it already has a value */
} json_writer;

json_writer json_begin(FILE *file);
/* Opens an object '{' or a list '['. */
void json_open(json_writer *j, const char *key, char bracket);
void json_close(json_writer *j);
/* Ends the line. The caller must have closed everything that it opened. */
void json_end(json_writer *j);

void json_text(json_writer *j, const char *key, const char *text);
void json_natural(json_writer *j, const char *key, uint64_t value);
void json_whole(json_writer *j, const char *key, int64_t value);
void json_real(json_writer *j, const char *key, double value); /* null if it is not finite */
void json_flag(json_writer *j, const char *key, bool value);
void json_null(json_writer *j, const char *key);
/* A real with `digits` significant digits. */
void json_digits(json_writer *j, const char *key, double value, int digits);

/* One row as an object. */
void json_object(json_writer *j, const char *key, const print_column *column,
                 const print_value *value, uint32_t count);
/* One row as an object on its own line. */
void json_row(FILE *file, const print_column *column, const print_value *value, uint32_t count);

/* ---- facts ---------------------------------------------------------------------------------- */

/* Facts, printed to the standard output as one line each (name, value, meaning) or as one JSON
 * object. */

typedef struct facts {
    bool json;
    json_writer writer;
} facts;

facts facts_begin(bool json);
void fact_text(facts *list, const char *name, const char *value, const char *meaning);
void fact_flag(facts *list, const char *name, bool value, const char *meaning);
void fact_whole(facts *list, const char *name, int64_t value, const char *meaning);
void fact_natural(facts *list, const char *name, uint64_t value, const char *meaning);
/* In words, infinity is "inf" and NaN is "-". */
void fact_real(facts *list, const char *name, double value, const char *meaning);
/* In JSON: all numbers; in words: the length of the vector. */
void fact_vector(facts *list, const char *name, const double *x, uint32_t count,
                 const char *meaning);
void fact_hex(facts *list, const char *name, const uint8_t *bytes, uint32_t count,
              const char *meaning);
void facts_end(facts *list);

/* ---- line ----------------------------------------------------------------------------------- */

/* One line of numbers, separated by blanks or as a JSON list. */

/* Prints all digits, so that each number can be read back. */
void line_reals(FILE *file, const double *x, uint32_t count, bool json);
void line_wholes(FILE *file, const int32_t *x, uint32_t count, bool json);

/* ---- progress ------------------------------------------------------------------------------- */

/*
 * The progress of a long command on stderr: a bar on a terminal; otherwise one line per minute, so
 * that logs of long runs show progress and short runs print nothing.
 */

typedef enum progress_form { PROGRESS_SILENT, PROGRESS_LINES, PROGRESS_BAR } progress_form;

typedef struct progress_bar {
    const char *what; /* the unit, such as "reports"; with `share`, the current step */
    uint64_t total;   /* 0: unknown */
    uint64_t known;   /* done by an earlier run, and left out of the rate */
    bool share;       /* shows a percentage instead of a count */
    progress_form form;
    double (*clock_s)(void); /* seconds since an arbitrary moment */
    double start_s;
    double shown_s; /* when it was last shown, in seconds after the start; 0: never */
} progress_bar;

progress_bar progress_begin(const char *what, uint64_t total, bool quiet);
/* Shows that `done` of the total is done; `done` includes `known`. */
void progress_show(progress_bar *bar, uint64_t done);
void progress_end(progress_bar *bar);

/* ---- page ----------------------------------------------------------------------------------- */

/* Text for people, kept in memory until its end, so that lines of prose can be wrapped to the
 * terminal. Tables already fit. */

typedef struct print_page {
    FILE *file;        /* to print to */
    verdict_tone tone; /* of the first line; VERDICT_NONE unless the caller sets another */
    char *text;
    size_t bytes;
} print_page;

/* If there is no memory, the page prints directly to `to`. */
void page_begin(print_page *out, FILE *to);
/* Prints the page to `to`, which must be that of page_begin. */
void page_end(print_page *p, FILE *to);

/* ---- rows ----------------------------------------------------------------------------------- */

/*
 * Rows of named values: a table for people, CSV or JSON lines for programs.
 *
 * A number that is not finite is `-` in a table, `nan`, `inf` or `-inf` in CSV, and `null` in JSON.
 */

typedef enum print_format { PRINT_TABLE, PRINT_CSV, PRINT_JSON } print_format;

/* Prints the headings of the columns; nothing in JSON. */
void print_head(FILE *file, print_format format, const print_column *column, uint32_t count);
/* Prints one row, with one value per column. */
void print_row(FILE *file, print_format format, const print_column *column,
               const print_value *value, uint32_t count);

/* ---- stop_signals --------------------------------------------------------------------------- */

/* Makes Ctrl-C a request to stop between two steps, so that no step is interrupted. */

/* Blocks SIGINT and SIGTERM from now on. A signal that is ignored stays ignored. */
sigset_t stop_signals_hold(void);
/* True if a blocked signal has come. */
bool stop_signals_came(const sigset_t *held);

/* ---- table ---------------------------------------------------------------------------------- */

/* Tables for people. */

void table_head(FILE *file, const print_column *column, uint32_t count);
void table_row(FILE *file, const print_column *column, const print_value *value, uint32_t count);
/* Prints one value as in its column. */
void table_cell(FILE *file, const print_column *column, const print_value *value);

#endif
