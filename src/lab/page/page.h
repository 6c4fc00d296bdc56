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
    /* Borrowed. Numbers that are not finite are left out, and on a logarithmic axis those not above
     * 0. lo and hi may be NULL: no band. */
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
    const char *name;    /* used in file names: letters, digits, dashes, inner dots */
    const char *title;   /* shown in its files */
    const char *caption; /* shown above it in a page, below a heading; NULL: the title */
    const char *x_label;
    bool x_log;
    const char *band; /* what the band is, in words: "mean ± standard error of 10 runs", or NULL */
    uint32_t panels_count; /* 1 to SOTTO__PANELS_MAX, the most important one first */
    sotto__panel panel[SOTTO__PANELS_MAX];
} sotto__figure;

/* ---- figure --------------------------------------------------------------------------------- */

/*
 * Figures: measurements as CSV, and our drawing of them as SVG, which rsvg-convert turns into PNG
 * and PDF.
 *
 * A figure has up to four panels. Panels with the same label at the y axis have the same scale. A
 * curve is a mean with a band. A method has the same colour, dash and mark in every figure
 * (figure_layout.c). Colour-blind readers can distinguish them, also in grey and in print.
 */

/* Writes DIRECTORY/NAME.csv (panel,curve,x,y,lo,hi), completely or not at all. */
SOTTO_CHECK sotto_status sotto__figure_csv(const sotto__figure *figure, const char *directory,
                                           sotto_fault *fault);

/* Writes DIRECTORY/NAME.svg, completely or not at all. It is light or dark as its reader
 * prefers. */
SOTTO_CHECK sotto_status sotto__figure_svg(const sotto__figure *figure, const char *directory,
                                           sotto_fault *fault);

/* Makes DIRECTORY/NAME.png and .pdf from DIRECTORY/NAME.svg with the program rsvg-convert. If the
 * program is missing, the fault says what to install. Incomplete files never get these names. */
SOTTO_CHECK sotto_status sotto__figure_convert(const sotto__figure *figure, const char *directory,
                                               sotto_fault *fault);

/* ---- html ----------------------------------------------------------------------------------- */

/*
 * One HTML page that needs no script, sends no request and contains all its figures. It is made for
 * phones and print, light and dark.
 */

/* What a column holds: words; numbers, which are aligned right; numbers of our own method, which
 * are emphasised; sentences, which are broken into lines; or verdicts, "yes: why", "no: why",
 * "cannot tell: why", whose first words are emphasised. */
typedef enum sotto__html_kind {
    SOTTO__HTML_WORDS,
    SOTTO__HTML_NUMBER,
    SOTTO__HTML_OWN,
    SOTTO__HTML_SENTENCE,
    SOTTO__HTML_VERDICT,
} sotto__html_kind;

/* A table. Each row has one cell per column. All words are plain text and are escaped. */
typedef struct sotto__html_table {
    const char *caption; /* NULL: none, and then it is not folded */
    bool folded;         /* hidden behind its caption until a reader opens it */
    uint32_t columns_count, rows_count;
    const char *const *head;      /* columns */
    const char *const *cell;      /* rows x columns */
    const sotto__html_kind *kind; /* columns, or NULL: words */
    const bool *strong;           /* rows, or NULL: which rows are emphasised */
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

/* A section. In this order: heading, paragraphs, figures, tables, checks, notes, folded tables, and
 * commands, which are folded too. All parts are optional. */
typedef struct sotto__html_section {
    const char *id, *heading; /* id: the target of links to it */
    uint32_t paragraphs_count, figures_count, tables_count, checks_count, notes_count,
        commands_count;
    const char *const *paragraph;
    const sotto__figure *figure; /* drawn into the page; those of DIRECTORY/NAME.csv, .svg, .png and
                                      .pdf that are there are linked below it */
    const char *const *figure_alt; /* a description of each, for readers who cannot see it */
    const sotto__html_table *table;
    const sotto__html_check *check;
    const char *const *note;
    const sotto__html_command *command;
} sotto__html_section;

/* The first screen has the title, the lead, the figure and the findings. If it has a figure, the
 * first section precedes the contents. */
typedef struct sotto__html_page {
    const char *title, *lead; /* lead: the first paragraph */
    uint32_t findings_count;
    const char *const *finding;
    const sotto__figure *figure; /* NULL: none */
    const char *figure_alt;
    const char *notice;            /* in a box below, e.g. that data are synthetic; NULL: none */
    const char *command, *version; /* what made the page; NULL: not shown */
    uint32_t sections_count;
    const sotto__html_section *section;
} sotto__html_page;

/* Writes DIRECTORY/index.html, completely or not at all. */
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

/* Takes room for rows_max lines from the pool. False if there is no memory. */
bool sotto__page_table_begin(sotto__page_table *table, sotto__pool *pool, const char *caption,
                             const sotto__page_column *column, uint32_t columns_count,
                             uint32_t rows_max);
/* Adds the next of at most rows_max lines. The caller sets its cells, one per column. */
const char **sotto__page_table_line(sotto__page_table *table, bool strong);

/* A number with a readable count of digits: 12,346, 123, 12.3, 0.0123; "-" if it is no number. */
const char *sotto__page_number(sotto__pool *pool, double value);

/* ---- whole_file ----------------------------------------------------------------------------- */

/* Files that are read as a whole, and written completely or not at all. */

#define SOTTO__PATH_BYTES 4096u

/* DIRECTORY/NAME followed by `ending`. False if that is too long for a path. */
bool sotto__path(char path[SOTTO__PATH_BYTES], const char *directory, const char *name,
                 const char *ending);

/* The text of a file, which the caller frees. NULL with errno if it cannot be read. */
char *sotto__read_whole(const char *path);

/* Writes PATH.part with `put` and renames it to PATH. If it fails, returns false with errno and
 * leaves no PATH.part behind. */
bool sotto__write_whole(const char *path, void (*put)(const void *state, FILE *out),
                        const void *state);

#endif
