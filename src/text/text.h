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

/* With a comma between each three digits, and with the digits that a reader wants: 12,346, 123, 12.3,
 * 0.0123; from 1e15 on 1.23e+15; "-" if it is not finite. Returns `text`. */
const char *sotto__grouped(double value, char text[SOTTO__GROUPED_BYTES]);

/* ---- number --------------------------------------------------------------------------------- */

/* Numbers in files that programs read. A number that is not finite is `null` in JSON, and `nan`, `inf`
 * or `-inf` in CSV, wherever one is written. */

typedef enum sotto__text_format { SOTTO__TEXT_CSV, SOTTO__TEXT_JSON } sotto__text_format;

#define SOTTO__NUMBER_BYTES 32u

/* With so many digits a number is the same when it is read back. */
#define SOTTO__NUMBER_DIGITS 17

/* The number with so many significant digits, at most SOTTO__NUMBER_DIGITS; returns `text`. */
const char *sotto__number_text(double value, int digits, sotto__text_format format,
                               char text[SOTTO__NUMBER_BYTES]);

/* ---- pool ----------------------------------------------------------------------------------- */

/* Many short texts that are freed together. */

typedef struct sotto__pool {
    struct sotto__pool_piece *last;
    int failed; /* out of memory once; texts made since are "" */
} sotto__pool;

/* Memory that lives as long as the pool, zeroed; NULL if there is none. */
void *sotto__pool_take(sotto__pool *pool, size_t bytes);
/* A formatted text. Never NULL. */
__attribute__((format(printf, 2, 3))) const char *sotto__pool_print(sotto__pool *pool,
                                                                    const char *format, ...);
void sotto__pool_free(sotto__pool *pool);

/* ---- printable ------------------------------------------------------------------------------ */

/* Text from outside in sentences for people: readable, and without effect on a terminal. */

#define SOTTO__SHOWN_BYTES 64u /* of a text as sotto__shown leaves it */

/* True for what a terminal obeys or what changes how a line is read: control characters (C0, DEL, C1),
 * the separators of lines and paragraphs, controls of direction, and SOTTO__NO_CHARACTER. */
bool sotto__is_obeyed(uint32_t character);

/* Makes each character that would be obeyed, and each byte that is not UTF-8, a '?', in place; returns
 * `text`. */
char *sotto__printable(char *text);

/* True if sotto__printable would change nothing. */
bool sotto__is_printable(const char *text);

/* The same as a copy; what does not fit is cut off behind a whole character, and "..." says so. The
 * room has 4 bytes or more. Returns `shown`. */
const char *sotto__shown_in(const char *text, size_t bytes, char *shown, size_t shown_bytes);
const char *sotto__shown(const char *text, size_t bytes, char shown[SOTTO__SHOWN_BYTES]);

/* ---- nearest -------------------------------------------------------------------------------- */

/* Twice the Levenshtein distance, for words of at most 31 letters; 0 means that they are the same. A
 * difference of case counts half. A part of a name, of three letters or more, is next to it. */
uint32_t name_distance(const char *word, const char *name);

/* ---- columns -------------------------------------------------------------------------------- */

/* How wide help may be. */

#define TEXT_COLUMNS_MIN 40u   /* narrower, it would be one word per line */
#define TEXT_COLUMNS_MAX 100u  /* wider, lines are hard to read */
#define TEXT_COLUMNS_USUAL 80u /* where nothing says it */

/* From the width of the terminal, 0 if there is none, and the text of the variable COLUMNS, which may
 * be NULL: the first of the two that is a width, within the limits. */
uint32_t text_columns(uint32_t terminal, const char *variable);

/* Of the standard output. */
uint32_t text_columns_of_output(void);
/* The width of the terminal to which errors go; UINT32_MAX: they go elsewhere, where nothing is wrapped. */
uint32_t text_columns_of_errors(void);
/* As text_columns_of_output, but for tables, which a wide terminal shows whole: up to TEXT_COLUMNS_TABLE. */
#define TEXT_COLUMNS_TABLE 1000u
uint32_t text_columns_of_tables(void);

/* ---- example -------------------------------------------------------------------------------- */

/* Commands to try, at the end of a help. */

/* Under a heading: a line that begins with a blank is a command, continued by a backslash where the
 * terminal is too narrow, so that it can be copied; other lines are text, which is wrapped. */
void examples_print(FILE *file, const char *text, uint32_t columns);

/* ---- pair ----------------------------------------------------------------------------------- */

/* Names and what they mean, under headings: the body of a help. */

/* An empty line, and a heading with a colon. */
void heading_print(FILE *file, const char *heading, uint32_t columns);

/* A name, and from column `at` on what it means. In a terminal that is too narrow for that, and after
 * a name that is too long, the meaning stands below. */
void pair_print(FILE *file, const char *name, const char *meaning, uint32_t at, uint32_t columns);

/* ---- quote ---------------------------------------------------------------------------------- */

/* Text within the single quotes of a shell's script. */

/* Prints `length` characters of a text within single quotes that the caller has opened. Before each
 * character in `escaped` stands a backslash; a single quote becomes `quote`. */
void quote_print(FILE *file, const char *text, size_t length, const char *escaped,
                 const char *quote);

/* The same for the first clause of a text: up to a semicolon, the end of the line, or the colon or
 * full stop before it. */
void quote_clause(FILE *file, const char *text, const char *escaped, const char *quote);

/* ---- verdict -------------------------------------------------------------------------------- */

/* The sentence that the output of a command starts with. */

typedef enum verdict_tone {
    VERDICT_NONE, /* no verdict: as any other text */
    VERDICT_OPEN,
    VERDICT_GOOD,
    VERDICT_BAD,
} verdict_tone;

/* Whether output is in colour, from the values of NO_COLOR and TERM, which may be NULL: on a terminal
 * that is not "dumb", unless NO_COLOR has a value. */
bool verdict_in_colour(bool terminal, const char *no_color, const char *term);

/* Prints the text, wrapped, and ends the line. Where the file is in colour, the first sentence is bold:
 * green if the tone is good, red if it is bad. */
void verdict_print(FILE *file, const char *text, verdict_tone tone, uint32_t columns);

/* ---- wrap ----------------------------------------------------------------------------------- */

/* Text wrapped to a width. */

/* Prints the text from column `at` on, and what does not fit on lines indented by `indent`, then ends
 * the line. A line break in the text begins a line of its own, whose rest is indented by two more.
 * Words are never cut: one that is longer than a line stands out. Bytes count as columns. */
void wrap_print(FILE *file, const char *text, uint32_t at, uint32_t indent, uint32_t columns);

#endif
