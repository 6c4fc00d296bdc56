/* The results of the experiments as figures. */
#include "inner.h"
#include "lab/page/page.h"

#include <assert.h>
#include <math.h>

#define CURVES_MAX (SOTTO_PLAYERS * SOTTO__STAGE_EPSILONS)
#define FIGURES_MAX SOTTO__STAGE_EPSILONS /* of one experiment: for each epsilon, or each stage */

static void add(sotto__figures *list, const sotto__figure *figure, const char *alt)
{
    assert(list->count < FIGURES_MAX);
    list->figure[list->count] = *figure;
    list->alt[list->count] = alt;
    list->count++;
}

static const char *band_text(sotto__pool *pool, const sotto__part *part)
{
    return sotto__pool_print(pool, "mean ± one standard error of %u runs",
                             part->comparison.sweep.seeds_count);
}

void sotto__panel_show_gap(sotto__pool *pool, sotto__panel *panel)
{
    uint32_t ours = UINT32_MAX, theirs = UINT32_MAX;
    double least[2] = {NAN, NAN}; /* at the end */
    for (uint32_t c = 0; c < panel->curves_count; c++) {
        const sotto__curve *curve = &panel->curve[c];
        bool papers = sotto__player_is_papers(curve->player);
        if (!papers && curve->player != SOTTO_PLAYER_SOTTO) continue;
        double end = curve->y[curve->count - 1];
        if (!(end > 0) || end >= least[papers]) continue;
        least[papers] = end;
        *(papers ? &theirs : &ours) = c;
    }
    if (ours == UINT32_MAX || !(least[1] > least[0])) return;
    panel->gap = sotto__pool_print(pool, "%s times less", sotto__times(pool, least[1] / least[0]));
    panel->gap_curve[0] = ours;
    panel->gap_curve[1] = theirs;
}

/* ---- against t ---------------------------------------------------------------------------- */

/* The curves of one epsilon, into the panel of a stage. */
static bool fill_panel(sotto__pool *pool, const sotto__part *part, double epsilon,
                       sotto__panel *panel)
{
    sotto__curve *curve = sotto__pool_take(pool, SOTTO_PLAYERS * sizeof *curve);
    if (curve == NULL) return false;
    *panel = (sotto__panel){
        .title = part->stage->title, .y_label = "regret so far", .y_log = true, .curve = curve};
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        uint32_t match = sotto__part_match(part, (sotto_player)p, epsilon);
        if (match == UINT32_MAX) continue;
        curve[panel->curves_count].player = (sotto_player)p;
        if (!sotto__curve_along(part, match, pool, &curve[panel->curves_count++])) return false;
    }
    sotto__panel_show_gap(pool, panel);
    return true;
}

bool sotto__panel_of_shares(sotto__pool *pool, const sotto__part *part, double epsilon,
                            const char *const *label, sotto__panel *panel)
{
    uint32_t random = sotto__part_match(part, SOTTO_PLAYER_RANDOM, epsilon);
    sotto__curve *curve = sotto__pool_take(pool, SOTTO_PLAYERS * sizeof *curve);
    if (curve == NULL) return false;
    *panel = (sotto__panel){
        .title = sotto__pool_print(pool, "%s: over random arms", part->stage->name),
        .y_label = "regret over that of random arms",
        .curve = curve,
    };
    for (uint32_t p = 0; p < SOTTO_PLAYERS && random != UINT32_MAX; p++) {
        uint32_t match = sotto__part_match(part, (sotto_player)p, epsilon);
        if (match == UINT32_MAX) continue;
        sotto__curve *next = &curve[panel->curves_count++];
        next->player = (sotto_player)p;
        next->label = label == NULL ? NULL : label[p];
        if (!sotto__curve_of_shares(part, match, random, pool, next)) return false;
    }
    return true;
}

/* The exact stage is first, because it has sotto. Each stage has a logarithmic axis, which shows
 * orders of magnitude and the gap, and a linear one, which shows differences. */
static bool add_curves(sotto__reproduction *r, const sotto__experiment *e, double epsilon,
                       sotto__figures *list)
{
    sotto__pool *pool = &r->pool;
    const char *synthetic = sotto__reproduction_is_synthetic(r, e) ? " (SYNTHETIC)" : "";
    sotto__figure figure = {
        .name = sotto__pool_print(pool, "%s-epsilon-%g", e->name, epsilon),
        .title = sotto__pool_print(pool, "%s, epsilon %g%s", e->title, epsilon, synthetic),
        .caption = sotto__pool_print(pool, "Epsilon %g%s.", epsilon, synthetic),
        .x_label = "people",
        .x_log = true,
    };
    for (uint32_t s = e->stages_count; s-- > 0;) {
        uint32_t horizons;
        const sotto__part *part = sotto__reproduction_stage(r, &e->stage[s], &horizons);
        if (part == NULL) continue;
        sotto__panel *panel = &figure.panel[figure.panels_count];
        if (!fill_panel(pool, part, epsilon, &panel[0])) return false;
        if (!sotto__panel_of_shares(pool, part, epsilon, NULL, &panel[1])) return false;
        figure.panels_count += 2;
        figure.band = band_text(pool, part);
    }
    add(list, &figure,
        sotto__pool_print(pool, "Regret against people at epsilon %g, one line per method",
                          epsilon));
    return true;
}

/* ---- against epsilon ---------------------------------------------------------------------- */

static bool add_epsilons(sotto__reproduction *r, const sotto__experiment *e, sotto__figures *list)
{
    uint32_t horizons, count = 0;
    const sotto__part *part = sotto__reproduction_stage(r, &e->stage[0], &horizons);
    if (part == NULL) return true;
    sotto__curve *curve = sotto__pool_take(&r->pool, SOTTO_PLAYERS * sizeof *curve);
    if (curve == NULL) return false;
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        if ((e->stage[0].players >> p & 1) == 0) continue;
        curve[count].player = (sotto_player)p;
        if (!sotto__curve_over_epsilons(part, (sotto_player)p, &r->pool, &curve[count++])) {
            return false;
        }
    }
    const sotto__figure figure = {
        .name = e->name,
        .title = sotto__pool_print(&r->pool, "%s: regret of %s people, %u dimensions, %u arms",
                                   e->title, sotto__page_number(&r->pool, (double)part->horizon),
                                   part->stage->scene.dim, part->stage->scene.arms),
        .x_label = "epsilon of a report",
        .x_log = true,
        .band = band_text(&r->pool, part),
        .panels_count = 1,
        .panel = {{.y_label = "regret", .y_log = true, .curve = curve, .curves_count = count}},
    };
    add(list, &figure, "Regret at the last round against epsilon, one line per method");
    return true;
}

/* ---- against T ---------------------------------------------------------------------------- */

/* Lines for each method, and for each epsilon where there are several. */
static bool fill_horizons(sotto__pool *pool, const sotto__part *part, uint32_t horizons,
                          sotto__curve *curve)
{
    uint32_t epsilons = sotto__stage_epsilons(part->stage);
    for (uint32_t m = 0; m < part->comparison.sweep.matches_count; m++) {
        sotto__curve *c = &curve[m];
        c->player = part->comparison.match[m].player;
        c->dash = m % epsilons;
        if (epsilons > 1) {
            c->label = sotto__pool_print(pool, "%s, epsilon %g", sotto_player_name(c->player),
                                         part->comparison.epsilon[m]);
        }
        if (!sotto__curve_over_horizons(part, horizons, m, pool, c)) return false;
    }
    return true;
}

static bool add_horizons(sotto__reproduction *r, const sotto__stage *stage, sotto__figures *list)
{
    sotto__pool *pool = &r->pool;
    uint32_t horizons;
    const sotto__part *part = sotto__reproduction_stage(r, stage, &horizons);
    if (part == NULL) return true;
    sotto__curve *curve = sotto__pool_take(pool, CURVES_MAX * sizeof *curve);
    if (curve == NULL || !fill_horizons(pool, part, horizons, curve)) return false;
    const sotto__experiment *e = part->experiment;
    bool bound = e->kind == SOTTO__EXPERIMENT_BOUND;
    const sotto__figure figure = {
        .name = sotto__pool_print(pool, "%s-%s", e->name, stage->name),
        .title = stage->title,
        .x_label = "people, T",
        .x_log = true,
        .band = band_text(pool, part),
        .panels_count = 1,
        .panel = {{.y_label = bound ? "regret over sqrt(T d)/(e^epsilon - 1)" : "regret",
                   .y_log = true,
                   .curve = curve,
                   .curves_count = part->comparison.sweep.matches_count}},
    };
    add(list, &figure,
        sotto__pool_print(pool, "%s against T, one line per method: %s",
                          bound ? "Regret over the lower bound" : "Regret", stage->title));
    return true;
}

bool sotto__figures_of(sotto__reproduction *reproduction, const sotto__experiment *experiment,
                       sotto__figures *out)
{
    sotto__pool *pool = &reproduction->pool;
    bool good = true;
    *out = (sotto__figures){
        .figure = sotto__pool_take(pool, FIGURES_MAX * sizeof *out->figure),
        .alt = sotto__pool_take(pool, FIGURES_MAX * sizeof *out->alt),
    };
    if (out->figure == NULL || out->alt == NULL) return false;
    switch (experiment->kind) {
    case SOTTO__EXPERIMENT_CURVES:
        for (uint32_t i = 0; i < sotto__stage_epsilons(&experiment->stage[0]) && good; i++) {
            good = add_curves(reproduction, experiment, experiment->stage[0].epsilon[i], out);
        }
        break;
    case SOTTO__EXPERIMENT_EPSILONS: return add_epsilons(reproduction, experiment, out);
    case SOTTO__EXPERIMENT_HORIZONS:
    case SOTTO__EXPERIMENT_BOUND:
        for (uint32_t s = 0; s < experiment->stages_count && good; s++) {
            good = add_horizons(reproduction, &experiment->stage[s], out);
        }
        break;
    case SOTTO__EXPERIMENT_GLANCE:
    case SOTTO__EXPERIMENT_AGREEMENT:
    case SOTTO__EXPERIMENT_CONSTANTS: break;
    }
    return good;
}
