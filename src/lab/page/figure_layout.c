#include "inner.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ==== figure style =========================================================================== */

/*
 * The private methods have the colours of Okabe and Ito, which colour-blind people can distinguish.
 * Baselines have dark or grey colours. Rivals have broken lines and filled marks. A baseline has
 * the open mark of the private method that is nearest to it, so that the two differ in grey, too.
 * Pages and SVG files have these colours, and others on dark pages, from web/style/figure.css.
 */

typedef struct look {
    const char *colour;
    uint32_t dash, mark;
    double width;
} look;

static const char *const dash_of[SOTTO__DASHES] = {"", "7,4", "2,3", "9,3,2,3", "14,4"};

static const look look_of[SOTTO_PLAYERS] = {
    [SOTTO_PLAYER_SOTTO] = {"D55E00", 0, 7, 3.4},       /* vermilion, disc */
    [SOTTO_PLAYER_SOTTO_OLS] = {"E69F00", 0, 15, 2},    /* orange, filled pentagon */
    [SOTTO_PLAYER_LDP_SGD] = {"0072B2", 0, 9, 2},       /* blue, filled triangle */
    [SOTTO_PLAYER_LDP_OLS] = {"009E73", 0, 5, 2},       /* green, filled square */
    [SOTTO_PLAYER_LDP_UCB] = {"CC79A7", 0, 13, 2},      /* purple, filled diamond */
    [SOTTO_PLAYER_LDP_GLOC] = {"56B4E9", 0, 11, 2},     /* sky, filled triangle on its tip */
    [SOTTO_PLAYER_BEST_ARM] = {"B8860B", 0, 3, 2},      /* dark gold, asterisk */
    [SOTTO_PLAYER_OLS] = {"000000", 1, 4, 1.6},         /* black, square */
    [SOTTO_PLAYER_LINUCB] = {"882255", 3, 12, 1.6},     /* wine, diamond */
    [SOTTO_PLAYER_SGD] = {"332288", 4, 8, 1.6},         /* indigo, triangle */
    [SOTTO_PLAYER_GLM] = {"117733", 3, 6, 1.6},         /* dark green, circle */
    [SOTTO_PLAYER_GLM_UCB] = {"6F4E16", 1, 10, 1.6},    /* brown, triangle on its tip */
    [SOTTO_PLAYER_RANDOM] = {"6E6E6E", 2, 2, 1.6},      /* grey, cross */
    [SOTTO_PLAYER_ORACLE] = {"A0A0A0", 2, 1, 1.6},      /* light grey, plus */
    [SOTTO_PLAYER_MERINO] = {"AA4499", 4, 5, 1.6},      /* magenta, filled square */
    [SOTTO_PLAYER_SHUFFLE_UCB] = {"44AA99", 4, 9, 1.6}, /* teal, filled triangle */
    [SOTTO_PLAYER_JOINT_GLM] = {"999933", 4, 13, 1.6},  /* olive, filled diamond */
};

sotto__style sotto__figure_style(sotto_player player, uint32_t dash)
{
    assert(player < SOTTO_PLAYERS);
    const look *own = &look_of[player];
    return (sotto__style){
        .colour = own->colour,
        .dash = dash_of[(own->dash + dash) % SOTTO__DASHES],
        .mark = own->mark,
        .width = own->width,
    };
}

/* ==== figure layout ========================================================================== */

/* What all drawings of a figure share. */

#define RESOLUTION 0.0025 /* of a panel: points closer than this to the last one are not drawn */

const char *sotto__curve_label(const sotto__curve *curve)
{
    return curve->label != NULL ? curve->label : sotto_player_name(curve->player);
}

bool sotto__curve_has_band(const sotto__curve *curve)
{
    return curve->lo != NULL && curve->hi != NULL;
}

/* ---- axes --------------------------------------------------------------------------------- */

static bool has_place(const sotto__axes *axes, const sotto__curve *curve, uint32_t i)
{
    return sotto__axis_takes(&axes->x, curve->x[i]) && sotto__axis_takes(&axes->y, curve->y[i]);
}

/* Widens the axes to hold means and bands. On a logarithmic axis, a band that comes near 0
 * would leave no room for the rest, so it counts only down to a tenth of its mean and is
 * cut off below. */
static void hold_curve(sotto__axes *axes, const sotto__curve *curve)
{
    for (uint32_t i = 0; i < curve->count; i++) {
        double y = curve->y[i];
        if (!has_place(axes, curve, i)) continue;
        sotto__axis_hold(&axes->x, curve->x[i]);
        sotto__axis_hold(&axes->y, y);
        if (!sotto__curve_has_band(curve)) continue;
        sotto__axis_hold(&axes->y, axes->y.log ? fmax(curve->lo[i], y / 10) : curve->lo[i]);
        sotto__axis_hold(&axes->y, curve->hi[i]);
    }
}

static bool share_axis(const sotto__panel *one, const sotto__panel *other)
{
    return one->y_log == other->y_log && strcmp(one->y_label, other->y_label) == 0;
}

sotto__axes sotto__figure_axes(const sotto__figure *figure, uint32_t panel)
{
    const sotto__panel *own = &figure->panel[panel];
    sotto__axes axes = {sotto__axis_empty(figure->x_log), sotto__axis_empty(own->y_log)};
    assert(panel < figure->panels_count);
    for (uint32_t p = 0; p < figure->panels_count; p++) {
        sotto__axis own_x = axes.x;
        if (!share_axis(own, &figure->panel[p])) continue;
        for (uint32_t c = 0; c < figure->panel[p].curves_count; c++) {
            hold_curve(&axes, &figure->panel[p].curve[c]);
        }
        if (p != panel) axes.x = own_x;
    }
    sotto__axis_settle(&axes.x, 0);
    sotto__axis_settle(&axes.y, 0.04);
    return axes;
}

/* ---- points ------------------------------------------------------------------------------- */

sotto__fate sotto__curve_fate(const sotto__axes *axes, const sotto__curve *curve, uint32_t point,
                              double last[2])
{
    if (!has_place(axes, curve, point)) {
        last[0] = -1;
        return SOTTO__FATE_GAP;
    }
    double x = sotto__axis_at(&axes->x, curve->x[point]);
    double y = sotto__axis_at(&axes->y, curve->y[point]);
    bool near = fabs(x - last[0]) < RESOLUTION && fabs(y - last[1]) < RESOLUTION;
    if (near && point + 1 < curve->count) return SOTTO__FATE_HIDDEN;
    last[0] = x;
    last[1] = y;
    return SOTTO__FATE_DRAWN;
}

bool sotto__curve_is_banded(const sotto__axes *axes, const sotto__curve *curve, uint32_t point)
{
    return isfinite(curve->lo[point]) && sotto__axis_takes(&axes->y, curve->hi[point]);
}

double sotto__curve_low(const sotto__axes *axes, const sotto__curve *curve, uint32_t point)
{
    return fmax(curve->lo[point], axes->y.lo);
}

/* The drawable point nearest to a fraction of the x axis; `count` if there is none. */
static uint32_t nearest(const sotto__axes *axes, const sotto__curve *curve, double part)
{
    uint32_t best = curve->count;
    double least = INFINITY;
    for (uint32_t i = 0; i < curve->count; i++) {
        if (!has_place(axes, curve, i)) continue;
        double far = fabs(sotto__axis_at(&axes->x, curve->x[i]) - part);
        if (far < least) {
            least = far;
            best = i;
        }
    }
    return best;
}

uint32_t sotto__curve_marks(const sotto__axes *axes, const sotto__panel *panel, uint32_t curve,
                            uint32_t point[SOTTO__MARKS])
{
    const sotto__curve *own = &panel->curve[curve];
    uint32_t count = 0;
    for (uint32_t k = 0; k < SOTTO__MARKS; k++) {
        double part = (k + (curve + 0.5) / panel->curves_count) / SOTTO__MARKS;
        uint32_t i = nearest(axes, own, part);
        if (i == own->count || (count > 0 && i == point[count - 1])) continue;
        point[count++] = i;
    }
    return count;
}

/* ---- legend ------------------------------------------------------------------------------- */

/* The n-th curve of the figure, over all panels; NULL if there are fewer. */
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
            strcmp(sotto__curve_label(other), sotto__curve_label(curve)) == 0) {
            return true;
        }
    }
    return false;
}

const sotto__curve *sotto__figure_legend(const sotto__figure *figure, uint32_t n)
{
    for (uint32_t player = 0; player < SOTTO_PLAYERS; player++) {
        for (uint32_t i = 0; curve_at(figure, i) != NULL; i++) {
            const sotto__curve *curve = curve_at(figure, i);
            if ((uint32_t)curve->player != player || is_repeated(figure, i)) continue;
            if (n-- == 0) return curve;
        }
    }
    return NULL;
}

/* ---- lines of text ------------------------------------------------------------------------ */

static bool begins_character(char byte)
{
    return ((unsigned char)byte & 0xC0) != 0x80; /* UTF-8: not inside a character */
}

uint32_t sotto__text_characters(const char *text)
{
    uint32_t count = 0;
    for (; *text != '\0'; text++) {
        count += begins_character(*text);
    }
    return count;
}

size_t sotto__text_line(const char *text, uint32_t room)
{
    uint32_t used = 0;
    size_t space = 0, i = 0;
    for (; text[i] != '\0'; i++) {
        used += begins_character(text[i]);
        if (used > room) return space > 0 ? space : i;
        if (text[i] == ' ') space = i;
    }
    return i;
}

const char *sotto__text_next(const char *text, size_t bytes)
{
    text += bytes;
    return text + strspn(text, " ");
}

uint32_t sotto__text_lines(const char *text, uint32_t room)
{
    uint32_t lines = 0;
    for (; *text != '\0'; lines++) {
        text = sotto__text_next(text, sotto__text_line(text, room));
    }
    return lines;
}

/* ---- text inside HTML ----------------------------------------------------------------------- */

static const char *entity_of(char c)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    }
    return NULL;
}

void sotto__html_put_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        const char *entity = entity_of(*text);
        if (entity != NULL) {
            fputs(entity, out);
        } else {
            fputc(*text, out);
        }
    }
}
