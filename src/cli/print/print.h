/* What other rooms may use of this one. */
#ifndef SOTTO_CLI_PRINT_ROOM_H
#define SOTTO_CLI_PRINT_ROOM_H

#include "text/text.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* ---- value ---------------------------------------------------------------------------------- */

/* Values and columns, as all printers take them. */

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
    uint64_t natural; /* flags too */
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

/* No value: as a number that is not finite. */
static inline print_value print_none(void)
{
    return (print_value){.kind = PRINT_NONE};
}

typedef struct print_column {
    const char *key;   /* in the head of CSV, and in JSON; NULL: in the table only */
    const char *title; /* in the head of the table; NULL: not in the table; "": without a head */
    int width;         /* of the table; negative: words to the left */
    int digits;        /* significant ones of a real, in the table */
    int digits_exact;  /* and for programs; 0: all, so that the number can be read back */
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
    bool lines;                       /* what the outermost list holds stands on its own lines */
    char closing[JSON_DEPTH_MAX + 1]; /* of what is open */
    bool filled[JSON_DEPTH_MAX + 1];  /* something stands there already */
} json_writer;

json_writer json_begin(FILE *file);
/* An object '{' or a list '['. */
void json_open(json_writer *j, const char *key, char bracket);
void json_close(json_writer *j);
/* Ends the line. Everything that was opened is closed. */
void json_end(json_writer *j);

void json_text(json_writer *j, const char *key, const char *text);
void json_natural(json_writer *j, const char *key, uint64_t value);
void json_whole(json_writer *j, const char *key, int64_t value);
void json_real(json_writer *j, const char *key, double value); /* null if it is not finite */
void json_flag(json_writer *j, const char *key, bool value);
void json_null(json_writer *j, const char *key);
/* A real with so many significant digits. */
void json_digits(json_writer *j, const char *key, double value, int digits);

/* One row as an object. */
void json_object(json_writer *j, const char *key, const print_column *column,
                 const print_value *value, uint32_t count);
/* One row as an object on its own line. */
void json_row(FILE *file, const print_column *column, const print_value *value, uint32_t count);

/* ---- facts ---------------------------------------------------------------------------------- */

/* Facts about a thing, one line each: name, value, what it means; or the same as one JSON object on
 * the standard output. */

typedef struct facts {
    bool json;
    json_writer writer;
} facts;

facts facts_begin(bool json);
void fact_text(facts *list, const char *name, const char *value, const char *meaning);
void fact_flag(facts *list, const char *name, bool value, const char *meaning);
void fact_whole(facts *list, const char *name, int64_t value, const char *meaning);
void fact_natural(facts *list, const char *name, uint64_t value, const char *meaning);
/* In words inf is inf, and what is not a number at all is -. */
void fact_real(facts *list, const char *name, double value, const char *meaning);
/* JSON: all of them; words: how long the vector is. */
void fact_vector(facts *list, const char *name, const double *x, uint32_t count,
                 const char *meaning);
void fact_hex(facts *list, const char *name, const uint8_t *bytes, uint32_t count,
              const char *meaning);
void facts_end(facts *list);

/* ---- line ----------------------------------------------------------------------------------- */

/* One line of numbers: blanks between them, or a JSON list. */

/* With all digits, so that each number can be read back. */
void line_reals(FILE *file, const double *x, uint32_t count, bool json);
void line_wholes(FILE *file, const int32_t *x, uint32_t count, bool json);

/* ---- progress ------------------------------------------------------------------------------- */

/*
 * The progress of a long command, on stderr: a bar on a terminal, otherwise a line per minute, so
 * that it appears in logs of long runs, and short runs print nothing.
 */

typedef enum progress_form { PROGRESS_SILENT, PROGRESS_LINES, PROGRESS_BAR } progress_form;

typedef struct progress_bar {
    const char *what; /* "reports"; with share, what is under way: it may change */
    uint64_t total;   /* 0: nobody knows */
    uint64_t known;   /* done before it began, by an earlier call: it took no time now */
    bool share;       /* shows how much is done, not how many */
    progress_form form;
    double (*clock_s)(void); /* seconds since some moment */
    double start_s;
    double shown_s; /* when it was last shown, after the start; 0: not yet */
} progress_bar;

progress_bar progress_begin(const char *what, uint64_t total, bool quiet);
/* `done` of the total, with what was known. */
void progress_show(progress_bar *bar, uint64_t done);
void progress_end(progress_bar *bar);

/* ---- page ----------------------------------------------------------------------------------- */

/* Text for people, kept until it ends, so that lines of prose can be wrapped to the terminal. Tables fit by
 * themselves. */

typedef struct print_page {
    FILE *file;        /* to print to */
    verdict_tone tone; /* of the first line; VERDICT_NONE until the caller sets another */
    char *text;
    size_t bytes;
} print_page;

/* Falls back to `to` if there is no memory. */
void page_begin(print_page *out, FILE *to);
/* Prints it to the same `to`. */
void page_end(print_page *p, FILE *to);

/* ---- rows ----------------------------------------------------------------------------------- */

/*
 * Rows of named values: a table for people, CSV or JSON lines for programs.
 *
 * A number that is not finite is `-` in a table, `nan`, `inf` or `-inf` in CSV, and `null` in JSON.
 */

typedef enum print_format { PRINT_TABLE, PRINT_CSV, PRINT_JSON } print_format;

/* The heads of the columns. JSON has none. */
void print_head(FILE *file, print_format format, const print_column *column, uint32_t count);
/* One row: one value per column. */
void print_row(FILE *file, print_format format, const print_column *column,
               const print_value *value, uint32_t count);

/* ---- stop_signals --------------------------------------------------------------------------- */

/* Ctrl-C as a request to stop between two steps, so that nothing is cut in the middle. */

/* Blocks SIGINT and SIGTERM from here on; one that is ignored stays so. */
sigset_t stop_signals_hold(void);
/* Whether one of them has come. */
bool stop_signals_came(const sigset_t *held);

/* ---- table ---------------------------------------------------------------------------------- */

/* Tables for people. */

void table_head(FILE *file, const print_column *column, uint32_t count);
void table_row(FILE *file, const print_column *column, const print_value *value, uint32_t count);
/* One value, as it stands in its column. */
void table_cell(FILE *file, const print_column *column, const print_value *value);

#endif
