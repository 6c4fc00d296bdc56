/* What all drawings of a figure have in common: which points, between which ends of the axes, which
 * marks, and which lines of a legend. */
#ifndef SOTTO_LAB_PAGE_FIGURE_LAYOUT_H
#define SOTTO_LAB_PAGE_FIGURE_LAYOUT_H

#include "figure_axis.h"
#include "figure_parts.h"

#include <stddef.h>

typedef struct sotto__axes {
    sotto__axis x, y;
} sotto__axes;

/* The axes of a panel, settled. Panels with the same words at the y axis have the same y axis, so
 * that they can be compared; the x axis is the panel's own. */
sotto__axes sotto__figure_axes(const sotto__figure *figure, uint32_t panel);

bool sotto__curve_has_band(const sotto__curve *curve);
const char *sotto__curve_label(const sotto__curve *curve);

/* What becomes of a point: it has no place, and the curve breaks; it lies too near to the last one
 * to be seen; or it is drawn. */
typedef enum sotto__fate { SOTTO__FATE_GAP, SOTTO__FATE_HIDDEN, SOTTO__FATE_DRAWN } sotto__fate;

/* Asked for the points of a curve in their order. `last` begins as {-1, -1}. */
sotto__fate sotto__curve_fate(const sotto__axes *axes, const sotto__curve *curve, uint32_t point,
                              double last[2]);

/* The lower end of the band at a point, cut off at the axis. */
double sotto__curve_low(const sotto__axes *axes, const sotto__curve *curve, uint32_t point);
/* True if the band has a place at a point that is drawn. */
bool sotto__curve_is_banded(const sotto__axes *axes, const sotto__curve *curve, uint32_t point);

#define SOTTO__MARKS 7u

/* Which points get a mark: a few along the axis, at other places for each curve of a panel, so that
 * they do not hide each other. Returns how many. */
uint32_t sotto__curve_marks(const sotto__axes *axes, const sotto__panel *panel, uint32_t curve,
                            uint32_t point[SOTTO__MARKS]);

/* The n-th line of the legend; NULL: there are fewer. Methods come in one order in all figures, and
 * curves that look alike and have the same name once. */
const sotto__curve *sotto__figure_legend(const sotto__figure *figure, uint32_t n);

/* ---- lines of text ------------------------------------------------------------------------ */

uint32_t sotto__text_characters(const char *text);
/* How many bytes go on a line of so many characters: up to a space, if there is one. */
size_t sotto__text_line(const char *text, uint32_t room);
/* The text after a line of so many bytes. */
const char *sotto__text_next(const char *text, size_t bytes);
uint32_t sotto__text_lines(const char *text, uint32_t room);

#endif
