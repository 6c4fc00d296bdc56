/* What other rooms may use of this one. */
#ifndef SOTTO_LAB_PAGE_ROOM_H
#define SOTTO_LAB_PAGE_ROOM_H

#include "text/text.h"

#include <sotto/lab/methods.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ---- figure_parts --------------------------------------------------------------------------- */

/* What a figure is made of: curves in panels. */

typedef struct sotto__curve {
    sotto_player player;
    const char *label; /* NULL: the name of the player; otherwise e.g. "sotto, epsilon 1" */
    uint32_t dash;     /* tells curves of one player apart: 0, 1, 2, ... */
    uint32_t count;
    /* Borrowed; a number that is not finite is left out, and on a logarithmic axis one that is not
     * above 0. lo and hi may be NULL: no band. */
    const double *x, *y, *lo, *hi;
} sotto__curve;

typedef struct sotto__panel {
    const char *title; /* "as published", "exact"; NULL: none */
    const char *y_label;
    bool y_log;
    const sotto__curve *curve;
    uint32_t curves_count;
    const char *gap;       /* "43 times less": beside a line at the end of two curves; NULL: none */
    uint32_t gap_curve[2]; /* which two */
} sotto__panel;

#define SOTTO__PANELS_MAX 4u

typedef struct sotto__figure {
    const char *name;    /* of its files: letters, digits, dashes, inner dots */
    const char *title;   /* in its files */
    const char *caption; /* over it in a page, below a heading; NULL: the title */
    const char *x_label;
    bool x_log;
    const char *band; /* what the band is, in words: "mean ± standard error of 10 runs", or NULL */
    uint32_t panels_count; /* 1 to SOTTO__PANELS_MAX, the most important one first */
    sotto__panel panel[SOTTO__PANELS_MAX];
} sotto__figure;

/* ---- figure --------------------------------------------------------------------------------- */

/*
 * Figures: what was measured as CSV, and drawn by us as SVG, which rsvg-convert turns into PNG and PDF.
 *
 * A figure has up to four panels; those with the same words at the y axis have one scale. A curve is a mean with a band. The
 * colour, the dash and the mark of a method are the same in every figure (figure_layout.c), can be
 * told apart by colour-blind people and in grey, and by those who print.
 */

/* Writes DIRECTORY/NAME.csv (panel,curve,x,y,lo,hi), whole or not at all. */
SOTTO_CHECK sotto_status sotto__figure_csv(const sotto__figure *figure, const char *directory,
                                           sotto_fault *fault);

/* Writes DIRECTORY/NAME.svg, whole or not at all; it is light or dark as its reader prefers. */
SOTTO_CHECK sotto_status sotto__figure_svg(const sotto__figure *figure, const char *directory,
                                           sotto_fault *fault);

/* Makes DIRECTORY/NAME.png and .pdf of DIRECTORY/NAME.svg by the program rsvg-convert; without the program,
 * the fault says what to install. No half-written file gets its name. */
SOTTO_CHECK sotto_status sotto__figure_convert(const sotto__figure *figure, const char *directory,
                                               sotto_fault *fault);

/* ---- html ----------------------------------------------------------------------------------- */

/*
 * One HTML page: no script is needed to read it, no request leaves it, all figures are inside. Good
 * on a phone and in print, light and dark.
 */

/* What a column holds: words; numbers, which are set to the right, or those of our own method, which
 * stand out; sentences, which are broken into
 * lines; or verdicts, "yes: why", "no: why", "cannot tell: why", whose first words stand out. */
typedef enum sotto__html_kind {
    SOTTO__HTML_WORDS,
    SOTTO__HTML_NUMBER,
    SOTTO__HTML_OWN,
    SOTTO__HTML_SENTENCE,
    SOTTO__HTML_VERDICT,
} sotto__html_kind;

/* A table: a row has as many cells as there are columns. All words are text; they are escaped. */
typedef struct sotto__html_table {
    const char *caption; /* NULL: none, and then it is not folded */
    bool folded;         /* behind its caption, until somebody opens it */
    uint32_t columns_count, rows_count;
    const char *const *head;      /* columns */
    const char *const *cell;      /* rows x columns */
    const sotto__html_kind *kind; /* columns, or NULL: words */
    const bool *strong;           /* rows, or NULL: rows that stand out */
} sotto__html_table;

/* A statement that was checked. */
typedef struct sotto__html_check {
    const char *text; /* "LDP-SGD, epsilon 1: median 874, theirs 1136, p = 0.82" */
    bool passed;
} sotto__html_check;

/* A command, and what it does in a few words. */
typedef struct sotto__html_command {
    const char *about, *text;
} sotto__html_command;

/* A section: in this order heading, paragraphs, figures, tables, checks, notes, folded tables,
 * commands, which are folded too. Anything may be absent. */
typedef struct sotto__html_section {
    const char *id, *heading; /* id: of the link to it */
    uint32_t paragraphs_count, figures_count, tables_count, checks_count, notes_count,
        commands_count;
    const char *const *paragraph;
    const sotto__figure *figure; /* drawn into the page; those of DIRECTORY/NAME.csv, .svg, .png and
                                      .pdf that are there are linked below it */
    const char *const *figure_alt; /* what each shows, for those who cannot see it */
    const sotto__html_table *table;
    const sotto__html_check *check;
    const char *const *note;
    const sotto__html_command *command;
} sotto__html_section;

/* The first screen has the title, the lead, the figure and the findings. With a figure there, the
 * first section stands before the contents. */
typedef struct sotto__html_page {
    const char *title, *lead; /* lead: the first paragraph */
    uint32_t findings_count;
    const char *const *finding;
    const sotto__figure *figure; /* NULL: none */
    const char *figure_alt;
    const char *notice;            /* in a box below, e.g. that data are synthetic; NULL: none */
    const char *command, *version; /* what made it; NULL: not said */
    uint32_t sections_count;
    const sotto__html_section *section;
} sotto__html_page;

/* Writes DIRECTORY/index.html, whole or not at all. */
SOTTO_CHECK sotto_status sotto__html_write(const sotto__html_page *page, const char *directory,
                                           sotto_fault *fault);

/* ---- table ---------------------------------------------------------------------------------- */

/* A table of a page, filled line by line. */

typedef struct sotto__page_table {
    sotto__html_table html; /* what is filled */
    const char **cell;
    bool *strong;
    uint32_t rows_max;
} sotto__page_table;

/* A column: its head, and what it holds. */
typedef struct sotto__page_column {
    const char *head;
    sotto__html_kind kind;
} sotto__page_column;

/* Room for rows_max lines, out of the pool. False if there is no memory. */
bool sotto__page_table_begin(sotto__page_table *table, sotto__pool *pool, const char *caption,
                             const sotto__page_column *column, uint32_t columns_count,
                             uint32_t rows_max);
/* The next line, one of at most rows_max; its cells are set by the caller, one per column. */
const char **sotto__page_table_line(sotto__page_table *table, bool strong);

/* A number with the digits that a reader wants: 12,346, 123, 12.3, 0.0123; "-" if it is none. */
const char *sotto__page_number(sotto__pool *pool, double value);

/* ---- whole_file ----------------------------------------------------------------------------- */

/* Files that are read whole, and written whole or not at all. */

#define SOTTO__PATH_BYTES 4096u

/* DIRECTORY/NAME followed by `ending`. False if it is longer than a path can be. */
bool sotto__path(char path[SOTTO__PATH_BYTES], const char *directory, const char *name,
                 const char *ending);

/* The text of a file, to be freed; NULL with errno if it cannot be read. */
char *sotto__read_whole(const char *path);

/* Writes PATH.part by `put` and renames it to PATH. False with errno: nothing is left of it. */
bool sotto__write_whole(const char *path, void (*put)(const void *state, FILE *out),
                        const void *state);

#endif
