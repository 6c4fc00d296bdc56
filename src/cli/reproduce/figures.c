/* What the experiments gave, as figures. */
#include "cli/option/args.h"
#include "cli/print/stop_signals.h"
#include "lab/page/figure.h"
#include "reproduce.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define CURVES_MAX (SOTTO_PLAYERS * SOTTO__STAGE_EPSILONS)

/* ---- curves ------------------------------------------------------------------------------- */

/* Room for the numbers of a curve; NULL if there is none. */
static double *take_numbers(reproduction *r, sotto__curve *curve, uint32_t count)
{
    double *numbers = sotto__pool_take(&r->pool, 4 * (size_t)count * sizeof *numbers);
    if (numbers == NULL) return NULL;
    curve->count = count;
    curve->x = numbers;
    curve->y = numbers + count;
    curve->lo = numbers + 2 * (size_t)count;
    curve->hi = numbers + 3 * (size_t)count;
    return numbers;
}

/* A point and its band: half a standard deviation to each side, as in the paper. A logarithmic axis
 * has no place below 0, so the band ends at a tenth of the mean. */
static void set_point(double *numbers, uint32_t count, uint32_t i, double x,
                      const reproduce_spread *spread, double unit)
{
    double y = spread->mean / unit, half = 0.5 * spread->deviation / unit;
    numbers[i] = x;
    numbers[count + i] = y;
    numbers[2 * count + i] = fmax(y - half, 0.1 * y);
    numbers[3 * count + i] = y + half;
}

/* Regret against t over the last three decades: before, everybody guesses. */
static bool curve_along(reproduction *r, const reproduce_part *part, uint32_t match,
                        sotto__curve *curve)
{
    const sotto__comparison *plan = &part->comparison;
    uint32_t first = 0;
    while (plan->at[first] < part->horizon / 1000) {
        first++;
    }
    uint32_t count = plan->sweep.at_count - first;
    double *numbers = take_numbers(r, curve, count);
    if (numbers == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        reproduce_spread spread = reproduce_spread_of(part, match, first + i);
        set_point(numbers, count, i, (double)plan->at[first + i], &spread, 1);
    }
    return true;
}

/* Regret at the last round against T, over the bound where that is asked for. */
static bool curve_over_horizons(reproduction *r, const reproduce_part *part, uint32_t horizons,
                                uint32_t match, sotto__curve *curve)
{
    bool bound = part->experiment->kind == SOTTO__EXPERIMENT_BOUND;
    double *numbers = take_numbers(r, curve, horizons);
    if (numbers == NULL) return false;
    for (uint32_t i = 0; i < horizons; i++) {
        reproduce_spread spread =
            reproduce_spread_of(&part[i], match, reproduce_last_point(&part[i]));
        double unit = bound ? reproduce_bound_of(&part[i], part[i].comparison.epsilon[match]) : 1;
        set_point(numbers, horizons, i, (double)part[i].horizon, &spread, unit);
    }
    return true;
}

/* Regret at the last round against epsilon. */
static bool curve_over_epsilons(reproduction *r, const reproduce_part *part, sotto_player player,
                                sotto__curve *curve)
{
    uint32_t count = sotto__stage_epsilons(part->stage);
    double *numbers = take_numbers(r, curve, count);
    if (numbers == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        double epsilon = part->stage->epsilon[i];
        uint32_t match = reproduce_match_of(part, player, epsilon);
        reproduce_spread spread = reproduce_spread_of(part, match, reproduce_last_point(part));
        set_point(numbers, count, i, epsilon, &spread, 1);
    }
    return true;
}

/* ---- a figure ----------------------------------------------------------------------------- */

/* Writes and draws a figure, and notes it. Without gnuplot the numbers are there all the same. */
static int finish(reproduction *r, const sotto__figure *figure, const char *alt,
                  reproduce_drawn *drawn)
{
    char fault[SOTTO_FAULT_BYTES];
    if (stop_signals_came(&r->signals)) return reproduce_stopped(r);
    if (sotto__figure_csv(figure, r->out, fault) != NULL) {
        fprintf(stderr, REPRODUCE ": %s\n", fault);
        return EXIT_FAILED;
    }
    bool drawn_now = r->undrawn || sotto__figure_draw(figure, r->out, fault) == NULL;
    if (!drawn_now && stop_signals_came(&r->signals)) return reproduce_stopped(r);
    if (!drawn_now) {
        fprintf(stderr, REPRODUCE ": %s; figures are left out, their numbers are in %s/*.csv\n",
                fault, r->out);
        r->undrawn = true;
    }
    drawn->name[drawn->count] = figure->name;
    drawn->alt[drawn->count] = alt;
    drawn->count++;
    return EXIT_OK;
}

static const char *band_text(reproduction *r, const reproduce_part *part)
{
    return sotto__pool_print(&r->pool,
                             "mean ± half a standard deviation of %u runs, as in the paper",
                             part->comparison.sweep.seeds_count);
}

/* The curves of one epsilon, into the panel of a stage. */
static bool fill_panel(reproduction *r, const reproduce_part *part, double epsilon,
                       sotto__panel *panel)
{
    sotto__curve *curve = sotto__pool_take(&r->pool, SOTTO_PLAYERS * sizeof *curve);
    if (curve == NULL) return false;
    *panel = (sotto__panel){.title = part->stage->title, .curve = curve};
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        uint32_t match = reproduce_match_of(part, (sotto_player)p, epsilon);
        if (match == UINT32_MAX) continue;
        curve[panel->curves_count].player = (sotto_player)p;
        if (!curve_along(r, part, match, &curve[panel->curves_count++])) return false;
    }
    return true;
}

static int draw_curves(reproduction *r, const sotto__experiment *e, reproduce_drawn *drawn)
{
    for (uint32_t i = 0; i < sotto__stage_epsilons(&e->stage[0]); i++) {
        double epsilon = e->stage[0].epsilon[i];
        sotto__figure figure = {
            .name = sotto__pool_print(&r->pool, "%s-epsilon-%g", e->name, epsilon),
            .title = sotto__pool_print(&r->pool, "%s, epsilon %g%s", e->title, epsilon,
                                       reproduce_is_synthetic(r, e) ? " (SYNTHETIC)" : ""),
            .x_label = "people",
            .y_label = "regret so far",
            .x_log = true,
            .y_log = true,
        };
        for (uint32_t s = 0; s < e->stages_count; s++) {
            uint32_t horizons;
            const reproduce_part *part = reproduce_parts_of(r, &e->stage[s], &horizons);
            if (part == NULL) continue;
            if (!fill_panel(r, part, epsilon, &figure.panel[figure.panels_count++])) {
                return EXIT_FAILED;
            }
            figure.band = band_text(r, part);
        }
        const char *alt = sotto__pool_print(
            &r->pool, "Regret against people at epsilon %g, one line a method%s", epsilon,
            e->stages_count == 2 ? "; left as published, right exact" : "");
        int code = finish(r, &figure, alt, drawn);
        if (code != EXIT_OK) return code;
    }
    return EXIT_OK;
}

static int draw_epsilons(reproduction *r, const sotto__experiment *e, reproduce_drawn *drawn)
{
    uint32_t horizons;
    const reproduce_part *part = reproduce_parts_of(r, &e->stage[0], &horizons);
    sotto__curve *curve = sotto__pool_take(&r->pool, SOTTO_PLAYERS * sizeof *curve);
    if (curve == NULL || part == NULL) return EXIT_FAILED;
    sotto__figure figure = {
        .name = e->name,
        .title = sotto__pool_print(&r->pool, "%s: regret of %" PRIu64 " people", e->title,
                                   part->horizon),
        .x_label = "epsilon of a report",
        .y_label = "regret",
        .x_log = true,
        .y_log = true,
        .band = band_text(r, part),
        .panels_count = 1,
        .panel = {{.title = "", .curve = curve}},
    };
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        if ((e->stage[0].players >> p & 1) == 0) continue;
        curve[figure.panel[0].curves_count].player = (sotto_player)p;
        if (!curve_over_epsilons(r, part, (sotto_player)p,
                                 &curve[figure.panel[0].curves_count++])) {
            return EXIT_FAILED;
        }
    }
    return finish(r, &figure, "Regret at the last round against epsilon, one line a method", drawn);
}

/* One figure for a stage: lines for each method, and for each epsilon where there are several. */
static int draw_horizons(reproduction *r, const sotto__stage *stage, reproduce_drawn *drawn)
{
    uint32_t horizons;
    const reproduce_part *part = reproduce_parts_of(r, stage, &horizons);
    sotto__curve *curve = sotto__pool_take(&r->pool, CURVES_MAX * sizeof *curve);
    if (curve == NULL || part == NULL) return EXIT_FAILED;
    const sotto__experiment *e = part->experiment;
    bool bound = e->kind == SOTTO__EXPERIMENT_BOUND;
    uint32_t epsilons = sotto__stage_epsilons(stage);
    sotto__figure figure = {
        .name = sotto__pool_print(&r->pool, "%s-%s", e->name, stage->name),
        .title = stage->title,
        .x_label = "people, T",
        .y_label = bound ? "regret over sqrt(T d)/(e^epsilon - 1)" : "regret",
        .x_log = true,
        .y_log = true,
        .band = band_text(r, part),
        .panels_count = 1,
        .panel = {{.title = "", .curve = curve}},
    };
    for (uint32_t m = 0; m < part->comparison.sweep.matches_count; m++) {
        sotto__curve *c = &curve[figure.panel[0].curves_count++];
        c->player = part->comparison.match[m].player;
        c->dash = m % epsilons;
        if (epsilons > 1) {
            c->label = sotto__pool_print(&r->pool, "%s, epsilon %g",
                                         sotto_player_name((uint32_t)c->player),
                                         part->comparison.epsilon[m]);
        }
        if (!curve_over_horizons(r, part, horizons, m, c)) return EXIT_FAILED;
    }
    const char *alt =
        sotto__pool_print(&r->pool, "%s against T, one line a method: %s",
                          bound ? "Regret over the lower bound" : "Regret", stage->title);
    return finish(r, &figure, alt, drawn);
}

int reproduce_figures(reproduction *r, const sotto__experiment *experiment, reproduce_drawn *drawn)
{
    size_t room = SOTTO__STAGE_EPSILONS * sizeof *drawn->name;
    int code = EXIT_OK;
    *drawn = (reproduce_drawn){
        .name = sotto__pool_take(&r->pool, room),
        .alt = sotto__pool_take(&r->pool, room),
    };
    if (drawn->name == NULL || drawn->alt == NULL) return EXIT_FAILED;
    switch (experiment->kind) {
    case SOTTO__EXPERIMENT_CURVES: return draw_curves(r, experiment, drawn);
    case SOTTO__EXPERIMENT_EPSILONS: return draw_epsilons(r, experiment, drawn);
    case SOTTO__EXPERIMENT_HORIZONS:
    case SOTTO__EXPERIMENT_BOUND:
        for (uint32_t s = 0; s < experiment->stages_count && code == EXIT_OK; s++) {
            code = draw_horizons(r, &experiment->stage[s], drawn);
        }
        return code;
    case SOTTO__EXPERIMENT_GLANCE:
    case SOTTO__EXPERIMENT_AGREEMENT:
    case SOTTO__EXPERIMENT_CONSTANTS: break;
    }
    return EXIT_OK;
}
