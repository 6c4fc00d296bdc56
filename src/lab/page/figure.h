/*
 * Figures: what was measured as CSV, and drawn by gnuplot as SVG, PNG and PDF.
 *
 * A figure has one panel or two side by side with one scale. A curve is a mean with a band. The
 * colour, the dash and the mark of a method are the same in every figure (figure_style.c), can be
 * told apart by colour-blind people and in grey, and by those who print.
 */
#ifndef SOTTO_LAB_PAGE_FIGURE_H
#define SOTTO_LAB_PAGE_FIGURE_H

#include <sotto/lab.h>

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
    const sotto__curve *curve;
    uint32_t curves_count;
} sotto__panel;

typedef struct sotto__figure {
    const char *name; /* of its files: letters, digits, dashes, inner dots */
    const char *title, *x_label, *y_label;
    bool x_log, y_log;
    const char *band; /* what the band is, in words: "mean ± standard error of 10 runs", or NULL */
    uint32_t panels_count; /* 1 or 2 */
    sotto__panel panel[2];
} sotto__figure;

/* Writes FOLDER/NAME.csv (panel,curve,x,y,lo,hi), whole or not at all. NULL, or `fault`. */
const char *sotto__figure_csv(const sotto__figure *figure, const char *folder,
                              char fault[SOTTO_FAULT_BYTES]);

/* Draws FOLDER/NAME.svg, .png and .pdf from numbers handed to gnuplot directly. NULL, or `fault`:
 * without gnuplot, what to install. The folder is there already; no half-written file is left. */
const char *sotto__figure_draw(const sotto__figure *figure, const char *folder,
                               char fault[SOTTO_FAULT_BYTES]);

#endif
