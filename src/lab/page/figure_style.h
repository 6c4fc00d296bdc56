/*
 * How a method looks in every figure: a colour of its own, a mark of its own, and a line that is
 * solid if its reports are private and broken if it is a baseline.
 */
#ifndef SOTTO_LAB_PAGE_FIGURE_STYLE_H
#define SOTTO_LAB_PAGE_FIGURE_STYLE_H

#include <sotto/lab/methods.h>

typedef struct sotto__style {
    const char *colour; /* six hexadecimal digits, red first */
    const char *dash;   /* lengths of strokes and gaps, "7,4"; "": a solid line */
    uint32_t mark;      /* gnuplot's number of a point type; odd from 5 on: filled */
    double width;       /* of the line */
} sotto__style;

#define SOTTO__DASHES 5u

/* `dash` tells curves of one method apart: 0 is its own line, 1 to SOTTO__DASHES - 1 are others,
 * and from there on they come again. */
sotto__style sotto__figure_style(sotto_player player, uint32_t dash);

#endif
