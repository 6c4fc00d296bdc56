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

/* An axis of a figure: its range, and what is written along it. */

typedef struct sotto__axis {
    bool log;
    double lo, hi; /* lo < hi; log: above 0 */
} sotto__axis;

/* An axis that holds no value yet. */
sotto__axis sotto__axis_empty(bool log);

/* True if the axis can show the value: finite, at most 1e200 in size; log: at least 1e-200. */
bool sotto__axis_takes(const sotto__axis *axis, double value);

/* Widens the axis to hold the value, if the axis can show it. */
void sotto__axis_hold(sotto__axis *axis, double value);

/* Makes an axis that can be drawn, even if it holds only one value or none, and adds `pad` times
 * its length at both ends. */
void sotto__axis_settle(sotto__axis *axis, double pad);

/* The position of a value on a settled axis: 0 at lo, 1 at hi. The axis must take the value. */
double sotto__axis_at(const sotto__axis *axis, double value);

#define SOTTO__TICKS_MAX 128u
#define SOTTO__TICK_BYTES 40u

typedef struct sotto__tick {
    double value;
    char label[SOTTO__TICK_BYTES]; /* "10,000", "10⁷"; "": a minor one */
} sotto__tick;

/* Makes the ticks of a settled axis and returns how many. */
uint32_t sotto__axis_ticks(const sotto__axis *axis, sotto__tick tick[SOTTO__TICKS_MAX]);

/* ---- figure_layout -------------------------------------------------------------------------- */

/* What all drawings of a figure share: which points, which ranges of the axes, which marks, and
 * which lines of a legend. */

typedef struct sotto__axes {
    sotto__axis x, y;
} sotto__axes;

/* The axes of a panel, settled. Panels with the same label at the y axis share its range, so that
 * they can be compared. Each panel has its own x axis. */
sotto__axes sotto__figure_axes(const sotto__figure *figure, uint32_t panel);

bool sotto__curve_has_band(const sotto__curve *curve);
const char *sotto__curve_label(const sotto__curve *curve);

/* How a point is drawn: it cannot be shown, and the curve breaks; it is too near to the last one to
 * be seen; or it is drawn. */
typedef enum sotto__fate { SOTTO__FATE_GAP, SOTTO__FATE_HIDDEN, SOTTO__FATE_DRAWN } sotto__fate;

/* Call it for the points of a curve in their order, with `last` set to {-1, -1} before the
 * first. */
sotto__fate sotto__curve_fate(const sotto__axes *axes, const sotto__curve *curve, uint32_t point,
                              double last[2]);

/* The lower end of the band at a point, cut off at the axis. */
double sotto__curve_low(const sotto__axes *axes, const sotto__curve *curve, uint32_t point);
/* True if the point is drawn and its band can be shown. */
bool sotto__curve_is_banded(const sotto__axes *axes, const sotto__curve *curve, uint32_t point);

#define SOTTO__MARKS 7u

/* Chooses the points with a mark: a few along the axis, at different places for each curve of a
 * panel, so that marks do not hide each other. Returns how many. */
uint32_t sotto__curve_marks(const sotto__axes *axes, const sotto__panel *panel, uint32_t curve,
                            uint32_t point[SOTTO__MARKS]);

/* The n-th entry of the legend; NULL if there are fewer. Methods have the same order in all
 * figures. Curves that look alike and have the same name get one entry. */
const sotto__curve *sotto__figure_legend(const sotto__figure *figure, uint32_t n);

/* ---- lines of text ------------------------------------------------------------------------ */

uint32_t sotto__text_characters(const char *text);
/* How many bytes of the text fit on a line of `room` characters. Breaks at a space, if there is
 * one. */
size_t sotto__text_line(const char *text, uint32_t room);
/* The rest of the text after a line of `bytes` bytes. */
const char *sotto__text_next(const char *text, size_t bytes);
uint32_t sotto__text_lines(const char *text, uint32_t room);

/* ---- figure_style --------------------------------------------------------------------------- */

/*
 * The style of a method in every figure: its colour, its mark, and a line that is solid if its
 * reports are private and broken if it is a baseline.
 */

typedef struct sotto__style {
    const char *colour; /* six hexadecimal digits, red first */
    const char *dash;   /* lengths of strokes and gaps, "7,4"; "": a solid line */
    uint32_t mark;      /* 1 to 3: strokes; 4 to 15: shapes, odd ones filled */
    double width;       /* of the line */
} sotto__style;

#define SOTTO__DASHES 5u

/* `dash` distinguishes curves of one method: 0 is the method's own line, 1 to SOTTO__DASHES - 1 are
 * others, and larger values repeat these. */
sotto__style sotto__figure_style(sotto_player player, uint32_t dash);

/* ---- figure_svg ----------------------------------------------------------------------------- */

/* A figure as SVG: one drawing per panel in a page, so that a phone can stack them, and one drawing
 * of all panels in a file. Colours are classes of web/style/figure.css, so that a drawing is dark
 * if its page is. */

/* Draws one panel. `alt` describes the figure for readers who cannot see it. */
void sotto__figure_svg_panel(const sotto__figure *figure, uint32_t panel, const char *alt,
                             FILE *out);

/* Draws the sample of a line in a page's legend. */
void sotto__figure_svg_key(const sotto__curve *curve, FILE *out);

/* Writes a complete SVG file, including its colours. */
void sotto__figure_svg_whole(const sotto__figure *figure, FILE *out);

/* ---- html_style ----------------------------------------------------------------------------- */

/* How pages and drawings look. */

/* web/style/figure.css: drawings and the colours of methods. SVG files contain only this. */
extern const char sotto__figure_css[];
/* web/style/page.css: the rest of a page's style. It follows figure.css. */
extern const char sotto__page_css[];

/* ---- html_text ------------------------------------------------------------------------------ */

/* Text inside HTML. */

/* Writes the text so that no part of it is read as a tag, an entity or the end of an attribute. */
void sotto__html_put_text(FILE *out, const char *text);

#endif
