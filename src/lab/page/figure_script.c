/*
 * A figure as a gnuplot script, for its PNG and its PDF. Everything is placed by us: gnuplot's own
 * legend and titles know nothing of a second panel. No text of the caller is more than a quoted
 * string to gnuplot.
 */
#include "figure_script.h"
#include "figure_layout.h"
#include "figure_style.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define FONT 17.0
#define TITLE_FONT 19.0
#define BAND_FONT 14.0
#define CHARACTER 0.6 /* width of a character by the size of its font, roughly: fonts differ */
#define EDGE 20.0     /* where words begin */
#define TOP 24.0      /* middle of the first line */
#define LINE 25.0     /* of text, to the next */
#define SAMPLE 46.0   /* the piece of line in a legend */
#define PLOT_HEIGHT 330.0
#define LEFT 112.0       /* room for the labels of the y axis */
#define RIGHT 26.0       /* of each panel */
#define ABOVE 34.0       /* a panel: room for its title */
#define BELOW 76.0       /* a panel: room for labels */
#define PNG_WIDTH 1600.0 /* pixels */
#define PDF_WIDTH 7.0    /* inches */
#define POINTS_PER_INCH 72.0

typedef struct layout {
    FILE *out;
    const sotto__figure *figure;
    sotto__axes axes[SOTTO__PANELS_MAX];
    double width, height;
    double panel_width, plots_top, legend_top;
    uint32_t across;  /* panels beside each other */
    uint32_t columns; /* of the legend */
    double column_width;
} layout;

/* ---- words -------------------------------------------------------------------------------- */

static void put_quoted(FILE *out, const char *text, size_t bytes)
{
    fputc('\'', out);
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '\'') fputc('\'', out);
        fputc((unsigned char)text[i] < ' ' ? ' ' : text[i], out);
    }
    fputc('\'', out);
}

/* How many characters of a size go on a line. */
static uint32_t room_of(double width, double size)
{
    return (uint32_t)((width - 2 * EDGE) / (CHARACTER * size));
}

/* A line of text, as far from the upper left corner as said, in units. */
static void put_label(const layout *l, const char *text, size_t bytes, double x, double y,
                      double size, const char *how)
{
    fprintf(l->out, "set label ");
    put_quoted(l->out, text, bytes);
    fprintf(l->out, " at screen %.5f,%.5f %s noenhanced font ',%g' textcolor rgb '#222222'\n",
            x / l->width, 1 - y / l->height, how, size);
}

static void put_lines(const layout *l, const char *text, double y, double size)
{
    uint32_t room = room_of(l->width, size);
    for (; *text != '\0'; y += LINE) {
        size_t bytes = sotto__text_line(text, room);
        put_label(l, text, bytes, EDGE, y, size, "left");
        text = sotto__text_next(text, bytes);
    }
}

/* ---- data --------------------------------------------------------------------------------- */

/* An empty line, where a point has no place, breaks the curve. */
static void put_line(const layout *l, const sotto__axes *axes, const sotto__curve *curve)
{
    double last[2] = {-1, -1};
    for (uint32_t i = 0; i < curve->count; i++) {
        sotto__fate fate = sotto__curve_fate(axes, curve, i, last);
        if (fate == SOTTO__FATE_GAP) fprintf(l->out, "\n");
        if (fate == SOTTO__FATE_DRAWN) fprintf(l->out, "%.10g %.10g\n", curve->x[i], curve->y[i]);
    }
}

static void put_band(const layout *l, const sotto__axes *axes, const sotto__curve *curve)
{
    double last[2] = {-1, -1};
    for (uint32_t i = 0; i < curve->count; i++) {
        sotto__fate fate = sotto__curve_fate(axes, curve, i, last);
        if (fate == SOTTO__FATE_HIDDEN) continue;
        if (fate == SOTTO__FATE_GAP || !sotto__curve_is_banded(axes, curve, i)) {
            fprintf(l->out, "\n");
            continue;
        }
        fprintf(l->out, "%.10g %.10g %.10g\n", curve->x[i], sotto__curve_low(axes, curve, i),
                curve->hi[i]);
    }
}

static void put_marks(const layout *l, const sotto__axes *axes, const sotto__panel *panel,
                      uint32_t c)
{
    uint32_t point[SOTTO__MARKS], count = sotto__curve_marks(axes, panel, c, point);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(l->out, "%.10g %.10g\n", panel->curve[c].x[point[i]], panel->curve[c].y[point[i]]);
    }
}

/* Blocks of numbers: line, band and marks of each curve, named after panel and curve. */
static void put_data(const layout *l)
{
    for (uint32_t p = 0; p < l->figure->panels_count; p++) {
        const sotto__panel *panel = &l->figure->panel[p];
        for (uint32_t c = 0; c < panel->curves_count; c++) {
            fprintf(l->out, "$line_%u_%u << END\n", p, c);
            put_line(l, &l->axes[p], &panel->curve[c]);
            fprintf(l->out, "END\n$band_%u_%u << END\n", p, c);
            if (sotto__curve_has_band(&panel->curve[c])) {
                put_band(l, &l->axes[p], &panel->curve[c]);
            }
            fprintf(l->out, "END\n$marks_%u_%u << END\n", p, c);
            put_marks(l, &l->axes[p], panel, c);
            fprintf(l->out, "END\n");
        }
    }
}

/* ---- legend ------------------------------------------------------------------------------- */

static uint32_t legend_size(const sotto__figure *figure, uint32_t *longest)
{
    uint32_t size = 0;
    *longest = 0;
    for (; sotto__figure_legend(figure, size) != NULL; size++) {
        const char *label = sotto__curve_label(sotto__figure_legend(figure, size));
        if (sotto__text_characters(label) > *longest) *longest = sotto__text_characters(label);
    }
    return size;
}

static void put_dash(FILE *out, const char *dash)
{
    if (*dash == '\0') {
        fprintf(out, " dt solid");
    } else {
        fprintf(out, " dt (%s)", dash);
    }
}

static void put_legend_entry(const layout *l, const sotto__curve *curve, uint32_t place)
{
    sotto__style style = sotto__figure_style(curve->player, curve->dash);
    double x = EDGE + (place % l->columns) * l->column_width;
    double y = l->legend_top + (place / l->columns + 0.5) * LINE;
    double left = x / l->width, right = (x + SAMPLE) / l->width, up = 1 - y / l->height;
    const char *label = sotto__curve_label(curve);
    fprintf(l->out, "set arrow from screen %.5f,%.5f to screen %.5f,%.5f nohead lw %g", left, up,
            right, up, style.width);
    put_dash(l->out, style.dash);
    fprintf(l->out, " lc rgb '#%s'\n", style.colour);
    fprintf(l->out, "set label '' at screen %.5f,%.5f point pt %u ps mark lw 1.5 lc rgb '#%s'\n",
            (left + right) / 2, up, style.mark, style.colour);
    put_label(l, label, strlen(label), x + SAMPLE + 8, y, FONT, "left");
}

static void put_legend(const layout *l)
{
    for (uint32_t i = 0; sotto__figure_legend(l->figure, i) != NULL; i++) {
        put_legend_entry(l, sotto__figure_legend(l->figure, i), i);
    }
}

/* ---- the drawing -------------------------------------------------------------------------- */

static double plot_left(const layout *l, uint32_t p)
{
    return LEFT + (p % l->across) * (l->panel_width + LEFT + RIGHT);
}

static double plot_top(const layout *l, uint32_t p)
{
    return l->plots_top + (p / l->across) * (PLOT_HEIGHT + ABOVE + BELOW);
}

static void put_words(const layout *l)
{
    const sotto__figure *figure = l->figure;
    double band_top = TOP + LINE * sotto__text_lines(figure->title, room_of(l->width, TITLE_FONT));
    put_lines(l, figure->title, TOP, TITLE_FONT);
    if (figure->band != NULL) put_lines(l, figure->band, band_top, BAND_FONT);
    for (uint32_t p = 0; p < figure->panels_count; p++) {
        const sotto__panel *panel = &figure->panel[p];
        double top = plot_top(l, p), left = plot_left(l, p), x = left + l->panel_width / 2;
        const char *title = panel->title != NULL ? panel->title : "";
        put_label(l, panel->y_label, strlen(panel->y_label), left - LEFT + 22,
                  top + PLOT_HEIGHT / 2, FONT, "center rotate by 90");
        put_label(l, figure->x_label, strlen(figure->x_label), x, top + PLOT_HEIGHT + 54, FONT,
                  "center");
        if (*title != '\0') put_label(l, title, strlen(title), x, top - 16, FONT, "center");
    }
}

static void put_curves(const layout *l, uint32_t p)
{
    const sotto__panel *panel = &l->figure->panel[p];
    fprintf(l->out, "plot NaN notitle");
    for (uint32_t c = 0; c < panel->curves_count; c++) {
        sotto__style style = sotto__figure_style(panel->curve[c].player, panel->curve[c].dash);
        if (!sotto__curve_has_band(&panel->curve[c])) continue;
        fprintf(l->out, ", $band_%u_%u using 1:2:3 with filledcurves fc rgb '#CC%s' notitle", p, c,
                style.colour);
    }
    for (uint32_t c = panel->curves_count; c-- > 0;) { /* the first one lies on top */
        sotto__style style = sotto__figure_style(panel->curve[c].player, panel->curve[c].dash);
        fprintf(l->out, ", $line_%u_%u using 1:2 with lines lw %g", p, c, style.width);
        put_dash(l->out, style.dash);
        fprintf(l->out, " lc rgb '#%s' notitle", style.colour);
        fprintf(l->out,
                ", $marks_%u_%u using 1:2 with points pt %u ps mark lw 1.5 lc rgb '#%s' notitle", p,
                c, style.mark, style.colour);
    }
    fprintf(l->out, "\n");
}

#define HAIR                                                                                       \
    1e-9 /* by which a logarithmic axis begins earlier: gnuplot drops a tick at its very end */

/* ('1' 1, '' 2 1, ...): a value with its label; minor ones have a 1 behind. */
static void put_axis(FILE *out, char name, const sotto__axis *axis)
{
    sotto__tick tick[SOTTO__TICKS_MAX];
    uint32_t count = sotto__axis_ticks(axis, tick);
    fprintf(out, "%sset logscale %c\n", axis->log ? "" : "un", name);
    fprintf(out, "set %crange [%.10g:%.10g]\n", name, axis->log ? axis->lo * (1 - HAIR) : axis->lo,
            axis->hi);
    fprintf(out, "set %ctics out nomirror scale 0.7,0.35%s (", name,
            name == 'x' ? " offset 0,0.3" : "");
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "%s'%s' %.10g%s", i == 0 ? "" : ", ", tick[i].label, tick[i].value,
                tick[i].label[0] == '\0' ? " 1" : "");
    }
    fprintf(out, ")\n");
}

static void put_panel(const layout *l, uint32_t p)
{
    double left = plot_left(l, p), top = plot_top(l, p);
    fprintf(l->out, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n", left / l->width,
            (left + l->panel_width) / l->width);
    fprintf(l->out, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n", 1 - top / l->height,
            1 - (top + PLOT_HEIGHT) / l->height);
    put_axis(l->out, 'x', &l->axes[p].x);
    put_axis(l->out, 'y', &l->axes[p].y);
    put_curves(l, p);
    fprintf(l->out, "unset label\nunset arrow\n"); /* the words are drawn with the first panel */
}

static void put_drawing(const layout *l)
{
    fprintf(l->out, "set multiplot\n");
    put_words(l);
    put_legend(l);
    for (uint32_t p = 0; p < l->figure->panels_count; p++) {
        put_panel(l, p);
    }
    fprintf(l->out, "unset multiplot\nset output\n");
}

/* ---- the terminals ------------------------------------------------------------------------ */

/* The cairo terminals measure otherwise than we do: a font of size 1 is 4/3 of a unit, a mark is
 * half as large, dashes are shorter, and a line of a PDF is half as wide. */
static void png_terminal(const layout *l)
{
    double scale = PNG_WIDTH / l->width; /* pixels a unit */
    fprintf(l->out,
            "set terminal pngcairo size %g,%.0f rounded noenhanced font 'sans-serif,%g' fontscale "
            "%.4f linewidth %.4f dashlength 2 background '#ffffff'\nmark = %.4f\n",
            PNG_WIDTH, l->height * scale, FONT, 0.75 * scale, scale, 1.4 * scale);
}

static void pdf_terminal(const layout *l)
{
    double scale = PDF_WIDTH / l->width * POINTS_PER_INCH; /* points a unit */
    fprintf(l->out,
            "set terminal pdfcairo size %.4fin,%.4fin rounded noenhanced font 'sans-serif,%g' "
            "fontscale %.4f linewidth %.4f dashlength 2 background '#ffffff'\nmark = %.4f\n",
            PDF_WIDTH, PDF_WIDTH * l->height / l->width, FONT, 0.75 * scale, 2 * scale,
            1.4 * scale);
}

static const struct {
    const char *extension;
    void (*put)(const layout *l);
} terminal_of[] = {{"png", png_terminal}, {"pdf", pdf_terminal}};

/* ---- all of it ---------------------------------------------------------------------------- */

static void lay_out_legend(layout *l, uint32_t *rows)
{
    uint32_t longest, entries = legend_size(l->figure, &longest);
    l->column_width = fmin(SAMPLE + 8 + (longest + 1) * CHARACTER * FONT + 16, l->width);
    l->columns = (uint32_t)((l->width - EDGE) / l->column_width);
    if (l->columns > entries) l->columns = entries;
    if (l->columns == 0) l->columns = 1;
    *rows = (entries + l->columns - 1) / l->columns;
    if (*rows > 0) l->columns = (entries + *rows - 1) / *rows; /* as even as so many rows can be */
}

static layout lay_out(const sotto__figure *figure, FILE *out)
{
    layout l = {.out = out, .figure = figure, .across = figure->panels_count > 1 ? 2 : 1};
    uint32_t legend_rows, rows = (figure->panels_count + l.across - 1) / l.across;
    for (uint32_t p = 0; p < figure->panels_count; p++) {
        l.axes[p] = sotto__figure_axes(figure, p);
    }
    l.width = l.across == 2 ? 1080 : 640;
    l.panel_width = l.width / l.across - LEFT - RIGHT;
    lay_out_legend(&l, &legend_rows);
    uint32_t lines = sotto__text_lines(figure->title, room_of(l.width, TITLE_FONT));
    if (figure->band != NULL) lines += sotto__text_lines(figure->band, room_of(l.width, BAND_FONT));
    l.plots_top = TOP + lines * LINE + (figure->panel[0].title != NULL ? ABOVE : 2);
    l.legend_top = plot_top(&l, (rows - 1) * l.across) + PLOT_HEIGHT + BELOW;
    l.height = ceil(l.legend_top + legend_rows * LINE + 14);
    return l;
}

void sotto__figure_script(const sotto__figure *figure, FILE *out)
{
    assert(figure->panels_count >= 1);
    assert(figure->panels_count <= SOTTO__PANELS_MAX);
    layout l = lay_out(figure, out);
    fprintf(out, "set encoding utf8\n");
    put_data(&l);
    fprintf(out, "set border 3 lw 1 lc rgb '#444444'\nset tics textcolor rgb '#222222'\n"
                 "set grid xtics ytics lt 1 dt solid lw 1 lc rgb '#e4e4e4'\nunset key\n");
    for (size_t i = 0; i < sizeof terminal_of / sizeof terminal_of[0]; i++) {
        terminal_of[i].put(&l);
        fprintf(out, "set output '%s.%s.part'\n", figure->name, terminal_of[i].extension);
        put_drawing(&l);
    }
}
