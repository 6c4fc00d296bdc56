/* What files of this room share. */
#ifndef SOTTO_LAB_PAGE_INNER_H
#define SOTTO_LAB_PAGE_INNER_H

#include "page.h"

#include <sotto/lab/methods.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- figure_axis ---------------------------------------------------------------------------- */

/* An axis of a figure: from where to where, and what is written along it. */

typedef struct sotto__axis {
    bool log;
    double lo, hi; /* lo < hi; log: above 0 */
} sotto__axis;

/* No value yet. */
sotto__axis sotto__axis_empty(bool log);

/* True if the value has a place: finite, at most 1e200 in size; log: at least 1e-200. */
bool sotto__axis_takes(const sotto__axis *axis, double value);

/* Widens the axis to hold the value, if it has a place. */
void sotto__axis_hold(sotto__axis *axis, double value);

/* Makes the axis one that can be drawn, even if it holds one value or none, and adds the part `pad`
 * of its length at both ends. */
void sotto__axis_settle(sotto__axis *axis, double pad);

/* Where on a settled axis a value it takes lies: 0 at lo, 1 at hi. */
double sotto__axis_at(const sotto__axis *axis, double value);

#define SOTTO__TICKS_MAX 128u
#define SOTTO__TICK_BYTES 40u

typedef struct sotto__tick {
    double value;
    char label[SOTTO__TICK_BYTES]; /* "10,000", "10⁷"; "": a minor one */
} sotto__tick;

/* The ticks of a settled axis; returns how many. */
uint32_t sotto__axis_ticks(const sotto__axis *axis, sotto__tick tick[SOTTO__TICKS_MAX]);

/* ---- figure_layout -------------------------------------------------------------------------- */

/* What all drawings of a figure have in common: which points, between which ends of the axes, which
 * marks, and which lines of a legend. */

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

/* ---- figure_style --------------------------------------------------------------------------- */

/*
 * How a method looks in every figure: a colour of its own, a mark of its own, and a line that is
 * solid if its reports are private and broken if it is a baseline.
 */

typedef struct sotto__style {
    const char *colour; /* six hexadecimal digits, red first */
    const char *dash;   /* lengths of strokes and gaps, "7,4"; "": a solid line */
    uint32_t mark;      /* 1 to 3: strokes; 4 to 15: shapes, odd ones filled */
    double width;       /* of the line */
} sotto__style;

#define SOTTO__DASHES 5u

/* `dash` tells curves of one method apart: 0 is its own line, 1 to SOTTO__DASHES - 1 are others,
 * and from there on they come again. */
sotto__style sotto__figure_style(sotto_player player, uint32_t dash);

/* ---- figure_svg ----------------------------------------------------------------------------- */

/* A figure as SVG: in a page a drawing per panel, so that a phone can stack them, and as a file all in
 * one. Colours are classes of web/style/figure.css, so that a drawing is dark where its page is. */

/* One panel; `alt` says what the figure shows, for those who cannot see it. */
void sotto__figure_svg_panel(const sotto__figure *figure, uint32_t panel, const char *alt,
                             FILE *out);

/* The piece of line in a legend, for a page. */
void sotto__figure_svg_key(const sotto__curve *curve, FILE *out);

/* A file of its own, with its colours in it. */
void sotto__figure_svg_whole(const sotto__figure *figure, FILE *out);

/* ---- html_style ----------------------------------------------------------------------------- */

/* How pages and drawings look. */

/* web/style/figure.css: drawings and the colours of methods; SVG files have only these. */
extern const char sotto__figure_css[];
/* web/style/page.css: the rest of a page, behind it. */
extern const char sotto__page_css[];

/* ---- html_text ------------------------------------------------------------------------------ */

/* Text inside HTML. */

/* Writes the text so that no part of it is read as a tag, an entity or the end of an attribute. */
void sotto__html_put_text(FILE *out, const char *text);

#endif
