/* What other rooms may use of this one. */
#ifndef SOTTO_TEXT_ROOM_H
#define SOTTO_TEXT_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- grouped -------------------------------------------------------------------------------- */

/* Numbers as people read them. */

#define SOTTO__GROUPED_BYTES 32u

/* The number as people read it: from 1000 on without decimals and with commas (12,346), below with
 * three significant digits (123, 12.3, 0.0123), from 1e15 on as 1.23e+15; "-" if it is not finite.
 * Returns `text`. */
const char *sotto__grouped(double value, char text[SOTTO__GROUPED_BYTES]);

/* ---- number --------------------------------------------------------------------------------- */

/* Numbers in files that programs read. A number that is not finite is always written as `null` in
 * JSON, and as `nan`, `inf` or `-inf` in CSV. */

typedef enum sotto__text_format { SOTTO__TEXT_CSV, SOTTO__TEXT_JSON } sotto__text_format;

#define SOTTO__NUMBER_BYTES 32u

/* Enough digits to read back the same double. */
#define SOTTO__NUMBER_DIGITS 17

/* The number with `digits` significant digits, at most SOTTO__NUMBER_DIGITS. Returns `text`. */
const char *sotto__number_text(double value, int digits, sotto__text_format format,
                               char text[SOTTO__NUMBER_BYTES]);

/* ---- pool ----------------------------------------------------------------------------------- */

/* Many short texts that are freed together. */

typedef struct sotto__pool {
    struct sotto__pool_piece *last;
    int failed; /* memory ran out; texts made after that are "" */
} sotto__pool;

/* Zeroed memory that lives as long as the pool; NULL if there is none. */
void *sotto__pool_take(sotto__pool *pool, size_t bytes);
/* A formatted text. Never NULL. */
__attribute__((format(printf, 2, 3))) const char *sotto__pool_print(sotto__pool *pool,
                                                                    const char *format, ...);
void sotto__pool_free(sotto__pool *pool);

/* ---- printable ------------------------------------------------------------------------------ */

/* Makes outside text safe to print in sentences: readable, and without effect on a terminal. */

#define SOTTO__SHOWN_BYTES 64u /* of a text that sotto__shown() made */

/* True for characters that a terminal obeys or that change how a line is read: control characters
 * (C0, DEL, C1), line and paragraph separators, direction controls, and SOTTO__NO_CHARACTER. */
bool sotto__is_obeyed(uint32_t character);

/* Replaces, in place, each character that would be obeyed and each byte that is not UTF-8 by '?'.
 * Returns `text`. */
char *sotto__printable(char *text);

/* True if sotto__printable would change nothing. */
bool sotto__is_printable(const char *text);

/* Like sotto__printable, but makes a copy. A text that does not fit is cut after a whole character
 * and ends with "...". shown_bytes is at least 4. Returns `shown`. */
const char *sotto__shown_in(const char *text, size_t bytes, char *shown, size_t shown_bytes);
const char *sotto__shown(const char *text, size_t bytes, char shown[SOTTO__SHOWN_BYTES]);

/* ---- nearest -------------------------------------------------------------------------------- */

/* Twice the Levenshtein distance of words of at most 31 letters; 0 if they are the same. A
 * difference only in case counts half. A word of three or more letters that is a part of the name
 * has distance 1. */
uint32_t name_distance(const char *word, const char *name);

/* ---- columns -------------------------------------------------------------------------------- */

/* The width of help. */

#define TEXT_COLUMNS_MIN 40u   /* narrower text would have one word per line */
#define TEXT_COLUMNS_MAX 100u  /* longer lines are hard to read */
#define TEXT_COLUMNS_USUAL 80u /* if the width is unknown */

/* The width to use, within the limits: `terminal`, or if that is 0 (no terminal) the text of the
 * variable COLUMNS, which may be NULL. */
uint32_t text_columns(uint32_t terminal, const char *variable);

/* The width for text on the standard output. */
uint32_t text_columns_of_output(void);
/* The width of the terminal that stderr goes to; UINT32_MAX, for no wrapping, if it is no
 * terminal. */
uint32_t text_columns_of_errors(void);
/* Like text_columns_of_output, but for tables, which may use the whole width of a wide terminal, up
 * to TEXT_COLUMNS_TABLE. */
#define TEXT_COLUMNS_TABLE 1000u
uint32_t text_columns_of_tables(void);

/* ---- example -------------------------------------------------------------------------------- */

/* Commands to try, at the end of a help. */

/* Prints the text under a heading. A line that begins with a blank is a command; if the terminal is
 * too narrow, it is continued with a backslash, so that it can be copied. Other lines are
 * wrapped. */
void examples_print(FILE *file, const char *text, uint32_t columns);

/* ---- pair ----------------------------------------------------------------------------------- */

/* Names and what they mean, under headings: the body of a help. */

/* Prints an empty line and a heading with a colon. */
void heading_print(FILE *file, const char *heading, uint32_t columns);

/* Prints a name, and its meaning from column `at` on. If the terminal is too narrow or the name too
 * long, the meaning goes on the next line. */
void pair_print(FILE *file, const char *name, const char *meaning, uint32_t at, uint32_t columns);

/* ---- clause --------------------------------------------------------------------------------- */

/* The length of the first clause of a text: up to a semicolon, the end of the line, or the colon or
 * full stop before it. */
size_t clause_length(const char *text);

/* ---- verdict -------------------------------------------------------------------------------- */

/* The sentence that the output of a command starts with. */

typedef enum verdict_tone {
    VERDICT_NONE, /* no verdict: printed like other text */
    VERDICT_OPEN,
    VERDICT_GOOD,
    VERDICT_BAD,
} verdict_tone;

/* True if output is in colour: on a terminal whose TERM is not "dumb", unless NO_COLOR has a value.
 * `no_color` and `term` are the values of NO_COLOR and TERM; they may be NULL. */
bool verdict_in_colour(bool terminal, const char *no_color, const char *term);

/* Prints the text, wrapped, and ends the line. If the output is in colour, the first sentence is
 * bold: green if the tone is good, red if it is bad. */
void verdict_print(FILE *file, const char *text, verdict_tone tone, uint32_t columns);

/* ---- wrap ----------------------------------------------------------------------------------- */

/* Text wrapped to a width. */

/* Prints the text from column `at` on, continues on lines indented by `indent`, and ends the last
 * line. A line break in the text starts a new line, whose continuation is indented by two more.
 * Words are never cut: one that is longer than a line exceeds the width. Bytes count as columns. */
void wrap_print(FILE *file, const char *text, uint32_t at, uint32_t indent, uint32_t columns);

#endif
