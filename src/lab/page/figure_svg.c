/* A figure as SVG. The unit is a pixel of a panel at its usual size. No element has an id, so that
 * several drawings in one page cannot refer to each other's parts. */
#include "inner.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define WIDTH 340.0 /* of a panel */
#define HEIGHT 258.0
#define LEFT 58.0   /* of the plot in it */
#define RIGHT 296.0 /* with room after it for the name of our own line */
#define TOP 42.0
#define BOTTOM 218.0
#define EDGE 16.0 /* around all panels of a file */
#define LINE 22.0 /* distance between lines of text */
#define KEY_WIDTH 42.0
#define KEY_HEIGHT 14.0
#define THINNER 0.72    /* factor for lines, compared with those of a large picture */
#define CHARACTER 0.58  /* width of a character by the size of its font, roughly */
#define FONT 12.5       /* as in figure.css */
#define TITLE_FONT 17.0 /* as well */
#define BAND_FONT 11.5
#define GAP_EDGE 7.0 /* of the arrow, from the middle of either line */

/* The shapes of marks 4 to 15, around 0,0; odd ones are filled. */
static const char *const shape_of[] = {
    [2] = "m-3.4-3.4h6.8v6.8h-6.8z",                          /* square */
    [3] = "m-3.8 0a3.8 3.8 0 1 0 7.6 0a3.8 3.8 0 1 0-7.6 0z", /* disc */
    [4] = "m0-4.4l4.2 7.2h-8.4z",                             /* triangle */
    [5] = "m0 4.4l4.2-7.2h-8.4z",                             /* on its tip */
    [6] = "m0-4.8l4.4 4.8l-4.4 4.8l-4.4-4.8z",                /* diamond */
    [7] = "m0-4.4l4.2 3.1l-1.6 4.9h-5.2l-1.6-4.9z",           /* pentagon */
};

typedef struct drawing {
    FILE *out;
    const sotto__figure *figure;
    const sotto__panel *panel;
    sotto__axes axes;
} drawing;

static double x_of(const drawing *d, double value)
{
    return LEFT + sotto__axis_at(&d->axes.x, value) * (RIGHT - LEFT);
}

static double y_of(const drawing *d, double value)
{
    return BOTTOM - sotto__axis_at(&d->axes.y, value) * (BOTTOM - TOP);
}

/* ---- words -------------------------------------------------------------------------------- */

static void put_some(FILE *out, const char *text, size_t bytes)
{
    char line[1024];
    size_t count = bytes < sizeof line ? bytes : sizeof line - 1;
    memcpy(line, text, count);
    line[count] = '\0';
    sotto__html_put_text(out, line);
}

/* how: attributes, starting with a space, or "". */
static void put_text(FILE *out, double x, double y, const char *how, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, how);
    sotto__html_put_text(out, text);
    fprintf(out, "</text>\n");
}

/* ---- axes --------------------------------------------------------------------------------- */

static void put_x_axis(const drawing *d)
{
    sotto__tick tick[SOTTO__TICKS_MAX];
    uint32_t count = sotto__axis_ticks(&d->axes.x, tick);
    for (uint32_t i = 0; i < count; i++) {
        double x = x_of(d, tick[i].value);
        if (tick[i].label[0] == '\0') continue;
        fprintf(d->out, "<path class=\"grid\" d=\"M%.1f %gV%g\"/>", x, TOP, BOTTOM + 4);
        put_text(d->out, x, BOTTOM + 17, " class=\"s\" text-anchor=\"middle\"", tick[i].label);
    }
    put_text(d->out, (LEFT + RIGHT) / 2, HEIGHT - 6, " class=\"s\" text-anchor=\"middle\"",
             d->figure->x_label);
}

static void put_y_axis(const drawing *d)
{
    sotto__tick tick[SOTTO__TICKS_MAX];
    uint32_t count = sotto__axis_ticks(&d->axes.y, tick);
    for (uint32_t i = 0; i < count; i++) {
        double y = y_of(d, tick[i].value);
        if (tick[i].label[0] == '\0') continue;
        fprintf(d->out, "<path class=\"grid\" d=\"M%g %.1fH%g\"/>", LEFT - 4, y, RIGHT);
        put_text(d->out, LEFT - 8, y + 4, " class=\"s\" text-anchor=\"end\"", tick[i].label);
    }
    fprintf(d->out, "<path class=\"axis\" d=\"M%g %gV%gH%g\"/>\n", LEFT, TOP, BOTTOM, RIGHT);
}

/* ---- curves ------------------------------------------------------------------------------- */

/* The end of a stretch of the band without gaps that starts at `first`. */
static uint32_t band_end(const drawing *d, const sotto__curve *curve, uint32_t first)
{
    double last[2] = {-1, -1};
    uint32_t i = first;
    while (i < curve->count && sotto__curve_fate(&d->axes, curve, i, last) != SOTTO__FATE_GAP &&
           sotto__curve_is_banded(&d->axes, curve, i)) {
        i++;
    }
    return i;
}

/* Each stretch is its upper end forwards, then its lower end backwards. */
static void put_band(const drawing *d, const sotto__curve *curve)
{
    fprintf(d->out, "<path class=\"band\" d=\"");
    for (uint32_t first = 0, end; first < curve->count; first = end + 1) {
        double last[2] = {-1, -1};
        end = band_end(d, curve, first);
        if (end - first < 2) continue;
        for (uint32_t i = first; i < end; i++) {
            if (sotto__curve_fate(&d->axes, curve, i, last) != SOTTO__FATE_DRAWN) continue;
            fprintf(d->out, "%c%.1f %.1f", i == first ? 'M' : 'L', x_of(d, curve->x[i]),
                    y_of(d, curve->hi[i]));
        }
        last[0] = last[1] = -1;
        for (uint32_t i = end; i-- > first;) {
            if (sotto__curve_fate(&d->axes, curve, i, last) != SOTTO__FATE_DRAWN) continue;
            fprintf(d->out, "L%.1f %.1f", x_of(d, curve->x[i]),
                    y_of(d, sotto__curve_low(&d->axes, curve, i)));
        }
        fprintf(d->out, "z");
    }
    fprintf(d->out, "\"/>");
}

static void put_stroke(FILE *out, sotto__style style)
{
    fprintf(out, "<path class=\"line\" stroke-width=\"%.2g\"", style.width * THINNER);
    if (*style.dash != '\0') fprintf(out, " stroke-dasharray=\"%s\"", style.dash);
}

static void put_line(const drawing *d, const sotto__curve *curve)
{
    double last[2] = {-1, -1};
    char next = 'M';
    put_stroke(d->out, sotto__figure_style(curve->player, curve->dash));
    fprintf(d->out, " d=\"");
    for (uint32_t i = 0; i < curve->count; i++) {
        sotto__fate fate = sotto__curve_fate(&d->axes, curve, i, last);
        if (fate == SOTTO__FATE_GAP) next = 'M';
        if (fate != SOTTO__FATE_DRAWN) continue;
        fprintf(d->out, "%c%.1f %.1f", next, x_of(d, curve->x[i]), y_of(d, curve->y[i]));
        next = 'L';
    }
    fprintf(d->out, "\"/>");
}

static void put_mark(FILE *out, uint32_t mark, double x, double y)
{
    static const char *const strokes[] = {"", "m-4 0h8m-4-4v8", "m-3-3l6 6m0-6l-6 6",
                                          "m-4 0h8m-4-4v8m-3-7l6 6m0-6l-6 6"};
    if (mark < 4) { /* a plus, a cross, or both */
        fprintf(out, "<path class=\"open\" d=\"M%.1f %.1f%s\"/>", x, y, strokes[mark]);
        return;
    }
    assert(mark / 2 < sizeof shape_of / sizeof shape_of[0]);
    fprintf(out, "<path class=\"%s\" d=\"M%.1f %.1f%s\"/>", mark % 2 == 1 ? "full" : "open", x, y,
            shape_of[mark / 2]);
}

static void put_marks(const drawing *d, uint32_t c)
{
    const sotto__curve *curve = &d->panel->curve[c];
    uint32_t point[SOTTO__MARKS], count = sotto__curve_marks(&d->axes, d->panel, c, point);
    for (uint32_t i = 0; i < count; i++) {
        put_mark(d->out, sotto__figure_style(curve->player, 0).mark, x_of(d, curve->x[point[i]]),
                 y_of(d, curve->y[point[i]]));
    }
}

static void put_curves(const drawing *d)
{
    const sotto__panel *panel = d->panel;
    for (uint32_t c = 0; c < panel->curves_count; c++) {
        if (!sotto__curve_has_band(&panel->curve[c])) continue;
        fprintf(d->out, "<g class=\"m-%s\">", sotto_player_name(panel->curve[c].player));
        put_band(d, &panel->curve[c]);
        fprintf(d->out, "</g>\n");
    }
    for (uint32_t c = panel->curves_count; c-- > 0;) { /* reversed: the first is on top */
        fprintf(d->out, "<g class=\"m-%s\">", sotto_player_name(panel->curve[c].player));
        put_line(d, &panel->curve[c]);
        put_marks(d, c);
        fprintf(d->out, "</g>\n");
    }
}

/* The rightmost point of a curve; `count` if none can be drawn. */
static uint32_t last_drawn(const drawing *d, const sotto__curve *curve)
{
    double last[2] = {-1, -1};
    uint32_t i = curve->count;
    while (i > 0 && sotto__curve_fate(&d->axes, curve, i - 1, last) == SOTTO__FATE_GAP) {
        i--;
    }
    return i == 0 ? curve->count : i - 1;
}

/* Writes the name of our own method at its line, so that readers need not look it up in the
 * legend. */
static void put_own_name(const drawing *d)
{
    for (uint32_t c = 0; c < d->panel->curves_count; c++) {
        const sotto__curve *curve = &d->panel->curve[c];
        if (curve->player != SOTTO_PLAYER_SOTTO || curve->label != NULL) continue;
        uint32_t i = last_drawn(d, curve);
        if (i == curve->count) return;
        put_text(d->out, x_of(d, curve->x[i]) + 7, y_of(d, curve->y[i]) + 4, " class=\"own\"",
                 sotto_player_name(curve->player));
    }
}

/* An arrow with a head at both ends, and its words to the left of its middle. */
static void put_gap(const drawing *d)
{
    double y[2];
    if (d->panel->gap == NULL) return;
    for (uint32_t i = 0; i < 2; i++) {
        const sotto__curve *curve = &d->panel->curve[d->panel->gap_curve[i]];
        uint32_t point = last_drawn(d, curve);
        if (point == curve->count) return;
        y[i] = y_of(d, curve->y[point]);
    }
    double top = fmin(y[0], y[1]) + GAP_EDGE, bottom = fmax(y[0], y[1]) - GAP_EDGE;
    if (bottom - top < LINE) return; /* no room, and no visible gap */
    double x = RIGHT - 8, middle = (top + bottom) / 2 + 4;
    fprintf(d->out, "<path class=\"axis\" d=\"M%.1f %.1fV%.1fm-3-4l3 4l3-4M%.1f %.1fl3-4l3 4\"/>",
            x, top, bottom, x - 3, top + 4);
    put_text(d->out, x - 6, middle, " class=\"own\" text-anchor=\"end\"", d->panel->gap);
}

static void put_panel(const sotto__figure *figure, uint32_t panel, FILE *out)
{
    const drawing d = {out, figure, &figure->panel[panel], sotto__figure_axes(figure, panel)};
    if (d.panel->title != NULL) put_text(out, LEFT - 18, 14, " class=\"t\"", d.panel->title);
    put_text(out, LEFT - 18, 31, " class=\"s\"", d.panel->y_label);
    put_x_axis(&d);
    put_y_axis(&d);
    put_curves(&d);
    put_gap(&d);
    put_own_name(&d);
}

void sotto__figure_svg_panel(const sotto__figure *figure, uint32_t panel, const char *alt,
                             FILE *out)
{
    const char *title = figure->panel[panel].title;
    fprintf(out, "<svg class=\"fig\" viewBox=\"0 0 %g %g\" role=\"img\" aria-label=\"", WIDTH,
            HEIGHT);
    sotto__html_put_text(out, alt);
    if (title != NULL) fputs(": ", out);
    if (title != NULL) sotto__html_put_text(out, title);
    if (figure->panel[panel].gap != NULL) fputs(". At the end: ", out);
    if (figure->panel[panel].gap != NULL) sotto__html_put_text(out, figure->panel[panel].gap);
    fprintf(out, "\">\n");
    put_panel(figure, panel, out);
    fprintf(out, "</svg>\n");
}

/* ---- legend ------------------------------------------------------------------------------- */

static void put_key(const sotto__curve *curve, FILE *out)
{
    sotto__style style = sotto__figure_style(curve->player, curve->dash);
    put_stroke(out, style);
    fprintf(out, " d=\"M0 %gH%g\"/>", KEY_HEIGHT / 2, KEY_WIDTH);
    put_mark(out, style.mark, KEY_WIDTH / 2, KEY_HEIGHT / 2);
}

void sotto__figure_svg_key(const sotto__curve *curve, FILE *out)
{
    fprintf(out, "<svg class=\"key m-%s\" viewBox=\"0 0 %g %g\" aria-hidden=\"true\">",
            sotto_player_name(curve->player), KEY_WIDTH, KEY_HEIGHT);
    put_key(curve, out);
    fprintf(out, "</svg>");
}

/* ---- a file ------------------------------------------------------------------------------- */

typedef struct sheet {
    FILE *out;
    const sotto__figure *figure;
    double width, panels_top, legend_top, height;
    uint32_t across, title_room, band_room;
} sheet;

static uint32_t room_of(double width, double font)
{
    return (uint32_t)((width - 2 * EDGE) / (CHARACTER * font));
}

static void put_lines(const sheet *s, const char *text, uint32_t room, double y, const char *kind)
{
    for (; *text != '\0'; y += LINE) {
        size_t bytes = sotto__text_line(text, room);
        fprintf(s->out, "<text class=\"%s\" x=\"%g\" y=\"%g\">", kind, EDGE, y);
        put_some(s->out, text, bytes);
        fprintf(s->out, "</text>\n");
        text = sotto__text_next(text, bytes);
    }
}

/* Entries of the legend follow each other like words. Moves *x to the place of an entry, and *row
 * to the next row if the entry does not fit. */
static void next_entry(const sheet *s, const sotto__curve *curve, const sotto__curve *before,
                       double *x, uint32_t *row)
{
    double around = KEY_WIDTH + 8 + 20, letter = CHARACTER * FONT;
    if (before == NULL) return;
    *x += around + sotto__text_characters(sotto__curve_label(before)) * letter;
    double end = *x + around + sotto__text_characters(sotto__curve_label(curve)) * letter;
    if (end <= s->width) return;
    *x = EDGE;
    ++*row;
}

static void put_entry(const sheet *s, const sotto__curve *curve, double x, uint32_t row)
{
    fprintf(s->out, "<g transform=\"translate(%.1f %g)\"><g class=\"m-%s\">", x,
            s->legend_top + row * LINE, sotto_player_name(curve->player));
    put_key(curve, s->out);
    fprintf(s->out, "</g>");
    put_text(s->out, KEY_WIDTH + 8, KEY_HEIGHT / 2 + 4.5, "", sotto__curve_label(curve));
    fprintf(s->out, "</g>\n");
}

/* Returns the number of rows of the legend. Also draws the rows if `draws`. */
static uint32_t walk_legend(const sheet *s, bool draws)
{
    double x = EDGE;
    uint32_t row = 0, i = 0;
    const sotto__curve *before = NULL, *curve;
    while ((curve = sotto__figure_legend(s->figure, i++)) != NULL) {
        next_entry(s, curve, before, &x, &row);
        if (draws) put_entry(s, curve, x, row);
        before = curve;
    }
    return before == NULL ? 0 : row + 1;
}

static sheet sheet_of(const sotto__figure *figure, FILE *out)
{
    sheet s = {.out = out, .figure = figure, .across = figure->panels_count > 1 ? 2 : 1};
    s.width = 2 * EDGE + s.across * WIDTH + (s.across - 1) * EDGE;
    s.title_room = room_of(s.width, TITLE_FONT);
    s.band_room = room_of(s.width, BAND_FONT);
    uint32_t rows = (figure->panels_count + s.across - 1) / s.across;
    uint32_t lines = sotto__text_lines(figure->title, s.title_room);
    if (figure->band != NULL) lines += sotto__text_lines(figure->band, s.band_room);
    s.panels_top = EDGE + lines * LINE + EDGE;
    s.legend_top = s.panels_top + rows * (HEIGHT + EDGE);
    s.height = s.legend_top + walk_legend(&s, false) * LINE + EDGE;
    return s;
}

void sotto__figure_svg_whole(const sotto__figure *figure, FILE *out)
{
    const sheet s = sheet_of(figure, out);
    double below_title = EDGE + LINE * (0.7 + sotto__text_lines(figure->title, s.title_room));
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"fig\" width=\"%g\" height=\"%g\" "
            "viewBox=\"0 0 %g %g\" role=\"img\" aria-label=\"",
            s.width, s.height, s.width, s.height);
    sotto__html_put_text(out, figure->title);
    fprintf(out, "\">\n<style>\n%s</style>\n<rect class=\"paper\" width=\"%g\" height=\"%g\"/>\n",
            sotto__figure_css, s.width, s.height);
    put_lines(&s, figure->title, s.title_room, EDGE + 0.7 * LINE, "h");
    if (figure->band != NULL) put_lines(&s, figure->band, s.band_room, below_title, "s");
    for (uint32_t p = 0; p < figure->panels_count; p++) {
        fprintf(out, "<g transform=\"translate(%g %g)\">\n", EDGE + (p % s.across) * (WIDTH + EDGE),
                s.panels_top + (double)(p / s.across) * (HEIGHT + EDGE));
        put_panel(figure, p, out);
        fprintf(out, "</g>\n");
    }
    walk_legend(&s, true);
    fprintf(out, "</svg>\n");
}
