/*
 * A figure as a gnuplot script. Everything is placed by us, in units of which the SVG has one a
 * pixel: gnuplot's own legend and titles know nothing of a second panel. No text of the caller is
 * more than a quoted string to gnuplot.
 */
#include "figure_script.h"
#include "figure_axis.h"
#include "figure_style.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define FONT 17.0
#define TITLE_FONT 19.0
#define BAND_FONT 14.0
#define CHARACTER 0.6 /* width of a character by the size of its font, roughly: fonts differ */
#define EDGE 20.0     /* where words begin: at the left, so that a phone shows them first */
#define TOP 24.0      /* middle of the first line */
#define LINE 25.0     /* of text, to the next */
#define SAMPLE 46.0   /* the piece of line in a legend */
#define PLOT_HEIGHT 360.0
#define LEFT 112.0 /* room for the labels of the y axis */
#define GAP 40.0   /* between panels */
#define RIGHT 26.0
#define MARKS 7u          /* on each curve */
#define RESOLUTION 0.0025 /* of a panel: a point as near to the last as this is not drawn */
#define PNG_WIDTH 1600.0  /* pixels */
#define PDF_WIDTH 7.0     /* inches */
#define POINTS_PER_INCH 72.0

typedef struct layout {
    FILE *out;
    const sotto__figure *figure;
    sotto__axis x, y;
    double width, height;
    double panel_width, plot_top, legend_top;
    uint32_t columns; /* of the legend */
    double column_width;
} layout;

/* ---- words -------------------------------------------------------------------------------- */

static const char *label_of(const sotto__curve *curve)
{
    return curve->label != NULL ? curve->label : sotto_player_name(curve->player);
}

static uint32_t characters(const char *text)
{
    uint32_t count = 0;
    for (; *text != '\0'; text++) {
        count += ((unsigned char)*text & 0xC0) != 0x80; /* UTF-8: not inside a character */
    }
    return count;
}

static void put_quoted(FILE *out, const char *text, size_t bytes)
{
    fputc('\'', out);
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '\'') fputc('\'', out);
        fputc((unsigned char)text[i] < ' ' ? ' ' : text[i], out);
    }
    fputc('\'', out);
}

/* How many bytes of the text go on a line of so many characters: up to a space, if there is one. */
static size_t line_bytes(const char *text, uint32_t room)
{
    uint32_t used = 0;
    size_t space = 0, i = 0;
    for (; text[i] != '\0'; i++) {
        used += ((unsigned char)text[i] & 0xC0) != 0x80;
        if (used > room) return space > 0 ? space : i;
        if (text[i] == ' ') space = i;
    }
    return i;
}

static size_t skip_space(const char *text)
{
    return strspn(text, " ");
}

/* How many characters of a size go on a line. */
static uint32_t room_of(double width, double size)
{
    return (uint32_t)((width - 2 * EDGE) / (CHARACTER * size));
}

static uint32_t lines_of(const char *text, uint32_t room)
{
    uint32_t lines = 0;
    for (; *text != '\0'; text += skip_space(text)) {
        text += line_bytes(text, room);
        lines++;
    }
    return lines;
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
    for (; *text != '\0'; text += skip_space(text), y += LINE) {
        size_t bytes = line_bytes(text, room);
        put_label(l, text, bytes, EDGE, y, size, "left");
        text += bytes;
    }
}

/* ---- data --------------------------------------------------------------------------------- */

static bool has_band(const sotto__curve *curve)
{
    return curve->lo != NULL && curve->hi != NULL;
}

/* The axis holds means and bands. On a logarithmic one a band that comes near to 0 would leave no
 * room for the rest: it is held down to a tenth of its mean, and cut off below. */
static void hold_curve(layout *l, const sotto__curve *curve)
{
    for (uint32_t i = 0; i < curve->count; i++) {
        double y = curve->y[i];
        if (!sotto__axis_takes(&l->x, curve->x[i]) || !sotto__axis_takes(&l->y, y)) continue;
        sotto__axis_hold(&l->x, curve->x[i]);
        sotto__axis_hold(&l->y, y);
        if (!has_band(curve)) continue;
        sotto__axis_hold(&l->y, l->y.log ? fmax(curve->lo[i], y / 10) : curve->lo[i]);
        sotto__axis_hold(&l->y, curve->hi[i]);
    }
}

/* True if the point is drawn; false if it has no place, or is too near to the last one, at `from`.
 * An empty line, where a point has no place, breaks the curve. */
static bool draws_point(const layout *l, const sotto__curve *curve, uint32_t i, double from[2])
{
    if (!sotto__axis_takes(&l->x, curve->x[i]) || !sotto__axis_takes(&l->y, curve->y[i])) {
        fprintf(l->out, "\n");
        from[0] = -1;
        return false;
    }
    double x = sotto__axis_at(&l->x, curve->x[i]), y = sotto__axis_at(&l->y, curve->y[i]);
    bool near = fabs(x - from[0]) < RESOLUTION && fabs(y - from[1]) < RESOLUTION;
    if (near && i + 1 < curve->count) return false;
    from[0] = x;
    from[1] = y;
    return true;
}

static void put_line(const layout *l, const sotto__curve *curve)
{
    double from[2] = {-1, -1};
    for (uint32_t i = 0; i < curve->count; i++) {
        if (!draws_point(l, curve, i, from)) continue;
        fprintf(l->out, "%.10g %.10g\n", curve->x[i], curve->y[i]);
    }
}

static void put_band(const layout *l, const sotto__curve *curve)
{
    double from[2] = {-1, -1};
    for (uint32_t i = 0; i < curve->count; i++) {
        if (!draws_point(l, curve, i, from)) continue;
        if (!isfinite(curve->lo[i]) || !sotto__axis_takes(&l->y, curve->hi[i])) {
            fprintf(l->out, "\n");
            continue;
        }
        fprintf(l->out, "%.10g %.10g %.10g\n", curve->x[i], fmax(curve->lo[i], l->y.lo),
                curve->hi[i]);
    }
}

/* The point nearest to a part of the x axis; count: none has a place. */
static uint32_t nearest(const layout *l, const sotto__curve *curve, double part)
{
    uint32_t best = curve->count;
    double least = INFINITY;
    for (uint32_t i = 0; i < curve->count; i++) {
        if (!sotto__axis_takes(&l->x, curve->x[i]) || !sotto__axis_takes(&l->y, curve->y[i])) {
            continue;
        }
        double far = fabs(sotto__axis_at(&l->x, curve->x[i]) - part);
        if (far < least) {
            least = far;
            best = i;
        }
    }
    return best;
}

/* A few marks along the axis, shifted from curve to curve so that they do not hide each other. */
static void put_marks(const layout *l, const sotto__curve *curve, uint32_t c, uint32_t curves_count)
{
    uint32_t last = curve->count;
    for (uint32_t k = 0; k < MARKS; k++) {
        uint32_t i = nearest(l, curve, (k + (c + 0.5) / curves_count) / MARKS);
        if (i == curve->count || i == last) continue;
        fprintf(l->out, "%.10g %.10g\n", curve->x[i], curve->y[i]);
        last = i;
    }
}

/* Blocks of numbers: line, band and marks of each curve, named after panel and curve. */
static void put_data(const layout *l)
{
    for (uint32_t p = 0; p < l->figure->panels_count; p++) {
        const sotto__panel *panel = &l->figure->panel[p];
        for (uint32_t c = 0; c < panel->curves_count; c++) {
            fprintf(l->out, "$line_%u_%u << END\n", p, c);
            put_line(l, &panel->curve[c]);
            fprintf(l->out, "END\n$band_%u_%u << END\n", p, c);
            if (has_band(&panel->curve[c])) put_band(l, &panel->curve[c]);
            fprintf(l->out, "END\n$marks_%u_%u << END\n", p, c);
            put_marks(l, &panel->curve[c], c, panel->curves_count);
            fprintf(l->out, "END\n");
        }
    }
}

/* ---- legend ------------------------------------------------------------------------------- */

/* The n-th curve of the figure, over both panels; NULL: there are fewer. */
static const sotto__curve *curve_at(const sotto__figure *figure, uint32_t n)
{
    for (uint32_t p = 0; p < figure->panels_count; p++) {
        if (n < figure->panel[p].curves_count) return &figure->panel[p].curve[n];
        n -= figure->panel[p].curves_count;
    }
    return NULL;
}

/* True if an earlier curve looks the same and has the same name. */
static bool is_repeated(const sotto__figure *figure, uint32_t n)
{
    const sotto__curve *curve = curve_at(figure, n);
    for (uint32_t i = 0; i < n; i++) {
        const sotto__curve *other = curve_at(figure, i);
        if (other->player == curve->player && other->dash == curve->dash &&
            strcmp(label_of(other), label_of(curve)) == 0) {
            return true;
        }
    }
    return false;
}

static uint32_t legend_size(const sotto__figure *figure, uint32_t *longest)
{
    uint32_t size = 0;
    *longest = 0;
    for (uint32_t n = 0; curve_at(figure, n) != NULL; n++) {
        if (is_repeated(figure, n)) continue;
        uint32_t length = characters(label_of(curve_at(figure, n)));
        if (length > *longest) *longest = length;
        size++;
    }
    return size;
}

static void put_legend_entry(const layout *l, const sotto__curve *curve, uint32_t place)
{
    sotto__style style = sotto__figure_style(curve->player, curve->dash);
    double x = EDGE + (place % l->columns) * l->column_width;
    double y = l->legend_top + (place / l->columns + 0.5) * LINE;
    double left = x / l->width, right = (x + SAMPLE) / l->width, up = 1 - y / l->height;
    fprintf(l->out,
            "set arrow from screen %.5f,%.5f to screen %.5f,%.5f nohead lw %g dt %s lc rgb '#%s'\n",
            left, up, right, up, style.width, style.dash, style.colour);
    fprintf(l->out, "set label '' at screen %.5f,%.5f point pt %u ps mark lw 1.5 lc rgb '#%s'\n",
            (left + right) / 2, up, style.mark, style.colour);
    put_label(l, label_of(curve), strlen(label_of(curve)), x + SAMPLE + 8, y, FONT, "left");
}

/* Methods come in one order in all figures, whichever panel has them. */
static void put_legend(const layout *l)
{
    uint32_t place = 0;
    for (uint32_t player = 0; player < SOTTO_PLAYERS; player++) {
        for (uint32_t n = 0; curve_at(l->figure, n) != NULL; n++) {
            const sotto__curve *curve = curve_at(l->figure, n);
            if ((uint32_t)curve->player != player || is_repeated(l->figure, n)) continue;
            put_legend_entry(l, curve, place++);
        }
    }
}

/* ---- the drawing -------------------------------------------------------------------------- */

static double panel_left(const layout *l, uint32_t p)
{
    return LEFT + p * (l->panel_width + GAP);
}

static void put_words(const layout *l)
{
    const sotto__figure *figure = l->figure;
    double band_top = TOP + LINE * lines_of(figure->title, room_of(l->width, TITLE_FONT));
    put_lines(l, figure->title, TOP, TITLE_FONT);
    if (figure->band != NULL) put_lines(l, figure->band, band_top, BAND_FONT);
    double middle = l->plot_top + PLOT_HEIGHT / 2, below = l->plot_top + PLOT_HEIGHT + 54;
    put_label(l, figure->y_label, strlen(figure->y_label), 22, middle, FONT, "center rotate by 90");
    for (uint32_t p = 0; p < figure->panels_count; p++) {
        double x = panel_left(l, p) + l->panel_width / 2;
        const char *title = figure->panel[p].title != NULL ? figure->panel[p].title : "";
        put_label(l, figure->x_label, strlen(figure->x_label), x, below, FONT, "center");
        if (*title != '\0') put_label(l, title, strlen(title), x, l->plot_top - 16, FONT, "center");
    }
}

static void put_curves(const layout *l, uint32_t p)
{
    const sotto__panel *panel = &l->figure->panel[p];
    fprintf(l->out, "plot NaN notitle");
    for (uint32_t c = 0; c < panel->curves_count; c++) {
        sotto__style style = sotto__figure_style(panel->curve[c].player, panel->curve[c].dash);
        if (!has_band(&panel->curve[c])) continue;
        fprintf(l->out, ", $band_%u_%u using 1:2:3 with filledcurves fc rgb '#CC%s' notitle", p, c,
                style.colour);
    }
    for (uint32_t c = panel->curves_count; c-- > 0;) { /* the first one lies on top */
        sotto__style style = sotto__figure_style(panel->curve[c].player, panel->curve[c].dash);
        fprintf(l->out, ", $line_%u_%u using 1:2 with lines lw %g dt %s lc rgb '#%s' notitle", p, c,
                style.width, style.dash, style.colour);
        fprintf(l->out,
                ", $marks_%u_%u using 1:2 with points pt %u ps mark lw 1.5 lc rgb '#%s' notitle", p,
                c, style.mark, style.colour);
    }
    fprintf(l->out, "\n");
}

static void put_panel(const layout *l, uint32_t p)
{
    double left = panel_left(l, p);
    fprintf(l->out, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n", left / l->width,
            (left + l->panel_width) / l->width);
    fprintf(l->out, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n",
            1 - l->plot_top / l->height, 1 - (l->plot_top + PLOT_HEIGHT) / l->height);
    fprintf(l->out, "set xtics out nomirror scale 0.7,0.35 offset 0,0.3 ");
    sotto__axis_ticks(&l->x, true, l->out);
    fprintf(l->out, "\nset ytics out nomirror scale 0.7,0.35 ");
    sotto__axis_ticks(&l->y, p == 0, l->out);
    fprintf(l->out, "\n");
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

static void svg_terminal(const layout *l)
{
    fprintf(l->out,
            "set terminal svg size %g,%g dynamic rounded enhanced font 'sans-serif,%g' background "
            "'#ffffff'\nmark = 0.7\n",
            l->width, l->height, FONT);
}

/* The cairo terminals measure otherwise than the SVG: a font of size 1 is 4/3 of a unit, a mark is
 * half as large, dashes are shorter, and a line of a PDF is half as wide. */
static void png_terminal(const layout *l)
{
    double scale = PNG_WIDTH / l->width; /* pixels a unit */
    fprintf(l->out,
            "set terminal pngcairo size %g,%.0f rounded enhanced font 'sans-serif,%g' fontscale "
            "%.4f linewidth %.4f dashlength 1.5 background '#ffffff'\nmark = %.4f\n",
            PNG_WIDTH, l->height * scale, FONT, 0.75 * scale, scale, 1.4 * scale);
}

static void pdf_terminal(const layout *l)
{
    double scale = PDF_WIDTH / l->width * POINTS_PER_INCH; /* points a unit */
    fprintf(l->out,
            "set terminal pdfcairo size %.4fin,%.4fin rounded enhanced font 'sans-serif,%g' "
            "fontscale %.4f linewidth %.4f dashlength 1.5 background '#ffffff'\nmark = %.4f\n",
            PDF_WIDTH, PDF_WIDTH * l->height / l->width, FONT, 0.75 * scale, 2 * scale,
            1.4 * scale);
}

static const struct {
    const char *extension;
    void (*put)(const layout *l);
} terminal_of[] = {{"svg", svg_terminal}, {"png", png_terminal}, {"pdf", pdf_terminal}};

/* ---- all of it ---------------------------------------------------------------------------- */

static layout lay_out(const sotto__figure *figure, FILE *out)
{
    layout l = {.out = out,
                .figure = figure,
                .x = sotto__axis_empty(figure->x_log),
                .y = sotto__axis_empty(figure->y_log)};
    for (uint32_t n = 0; curve_at(figure, n) != NULL; n++) {
        hold_curve(&l, curve_at(figure, n));
    }
    sotto__axis_settle(&l.x, 0);
    sotto__axis_settle(&l.y, 0.04);
    bool two = figure->panels_count == 2;
    uint32_t longest, entries = legend_size(figure, &longest);
    l.width = two ? 1000 : 640;
    l.panel_width = (l.width - LEFT - RIGHT - (two ? GAP : 0)) / (two ? 2 : 1);
    l.column_width = fmin(SAMPLE + 8 + (longest + 1) * CHARACTER * FONT + 16, l.width);
    l.columns = (uint32_t)((l.width - EDGE) / l.column_width);
    if (l.columns > entries) l.columns = entries;
    if (l.columns == 0) l.columns = 1;
    uint32_t rows = (entries + l.columns - 1) / l.columns;
    if (rows > 0) l.columns = (entries + rows - 1) / rows; /* as even as so many rows can be */
    uint32_t lines = lines_of(figure->title, room_of(l.width, TITLE_FONT));
    if (figure->band != NULL) lines += lines_of(figure->band, room_of(l.width, BAND_FONT));
    l.plot_top = TOP + lines * LINE + (figure->panel[0].title != NULL ? 28 : 2);
    l.legend_top = l.plot_top + PLOT_HEIGHT + 76;
    l.height = ceil(l.legend_top + rows * LINE + 14);
    return l;
}

void sotto__figure_script(const sotto__figure *figure, FILE *out)
{
    assert(figure->panels_count == 1 || figure->panels_count == 2);
    layout l = lay_out(figure, out);
    fprintf(out, "set encoding utf8\n");
    put_data(&l);
    if (figure->x_log) fprintf(out, "set logscale x\n");
    if (figure->y_log) fprintf(out, "set logscale y\n");
    fprintf(out, "set xrange [%.10g:%.10g]\nset yrange [%.10g:%.10g]\n", l.x.lo, l.x.hi, l.y.lo,
            l.y.hi);
    fprintf(out, "set border 3 lw 1 lc rgb '#444444'\nset tics textcolor rgb '#222222'\n"
                 "set grid xtics ytics lt 1 dt solid lw 1 lc rgb '#e4e4e4'\nunset key\n");
    for (size_t i = 0; i < sizeof terminal_of / sizeof terminal_of[0]; i++) {
        terminal_of[i].put(&l);
        fprintf(out, "set output '%s.%s.part'\n", figure->name, terminal_of[i].extension);
        put_drawing(&l);
    }
}
