/* What a figure is made of: curves in panels. */
#ifndef SOTTO_LAB_PAGE_FIGURE_PARTS_H
#define SOTTO_LAB_PAGE_FIGURE_PARTS_H

#include <sotto/lab/methods.h>

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

#endif
