/* What a figure is made of: curves in panels. */
#ifndef SOTTO_LAB_PAGE_FIGURE_PARTS_H
#define SOTTO_LAB_PAGE_FIGURE_PARTS_H

#include <sotto/lab/method.h>

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

#endif
