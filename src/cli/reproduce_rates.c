/* How regret grows with T and with 1/epsilon, beside theory. */
#include "reproduce_section.h"

#include <math.h>

/* Against epsilon: theory has regret ~ 1/epsilon^2 where privacy costs most, up to epsilon 1. */
bool fill_epsilons(filling *f)
{
    static const report_column column[] = {
        {"method", false}, {"exponent of epsilon", true}, {"± se", true}, {"theory", true}};
    report_table table;
    uint32_t horizons, count = 0;
    const sotto__stage *stage = &f->experiment->stage[0];
    const reproduce_part *part = reproduce_parts_of(f->r, stage, &horizons);
    if (part == NULL || !report_table_begin(&table, &f->r->pool,
                                            "Exponent of regret in epsilon, fitted up to epsilon 1",
                                            column, 4, SOTTO_PLAYERS)) {
        return false;
    }
    while (count < sotto__stage_epsilons(stage) && stage->epsilon[count] <= 1) {
        count++;
    }
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        const reproduce_part *parts[SOTTO__STAGE_EPSILONS];
        uint32_t match[SOTTO__STAGE_EPSILONS];
        double log_x[SOTTO__STAGE_EPSILONS];
        if ((stage->players >> p & 1) == 0) continue;
        for (uint32_t i = 0; i < count; i++) {
            parts[i] = part;
            match[i] = reproduce_match_of(part, (sotto_player)p, stage->epsilon[i]);
            log_x[i] = log(stage->epsilon[i]);
        }
        reproduce_slope slope = reproduce_slope_of(parts, match, log_x, count);
        const char **cell = report_table_line(&table, p == SOTTO_PLAYER_SOTTO);
        cell[0] = sotto_player_name(p);
        cell[1] = text_pool_print(&f->r->pool, "%.2f", slope.slope);
        cell[2] = text_pool_print(&f->r->pool, "%.2f", slope.error);
        cell[3] = sotto_player_is_private((sotto_player)p) ? "-2" : "0";
    }
    add_table(f, &table);
    return true;
}

/* Theorems 3.1 and 3.3: log T for margin 1, T^((1 - beta)/2) below. They are upper bounds: a fitted
 * exponent may lie below. log T itself has the exponent 1/log T here, at most 0.15. */
#define LOG_EXPONENT 0.15

static void check_growth(filling *f, const sotto__stage *stage, sotto_player player,
                         reproduce_slope slope)
{
    double theory = 0.5 * (1 - stage->margin), allowed = fmax(theory, LOG_EXPONENT);
    const char *text =
        text_pool_print(&f->r->pool, "%s, %s: regret grows as T^%.2f ± %.2f; theory allows %s",
                        stage->title, sotto_player_name((uint32_t)player), slope.slope, slope.error,
                        theory == 0 ? "log T, whose exponent here is 0.15 at most"
                                    : text_pool_print(&f->r->pool, "T^%.2f", theory));
    add_check(f, text, slope.slope <= allowed + 3 * slope.error);
}

static void add_growth_line(filling *f, report_table *table, const sotto__stage *stage,
                            const reproduce_part *part, uint32_t horizons, uint32_t match)
{
    const reproduce_part *parts[SOTTO__STAGE_HORIZONS];
    uint32_t matches[SOTTO__STAGE_HORIZONS];
    double log_x[SOTTO__STAGE_HORIZONS];
    sotto_player player = part->plan.match[match].player;
    const char **cell = report_table_line(table, player == SOTTO_PLAYER_SOTTO);
    cell[0] = stage->title;
    cell[1] = sotto_player_name((uint32_t)player);
    for (uint32_t h = 0; h < SOTTO__STAGE_HORIZONS; h++) {
        cell[2 + h] = "";
    }
    for (uint32_t h = 0; h < horizons; h++) {
        parts[h] = &part[h];
        matches[h] = match;
        log_x[h] = log((double)part[h].horizon);
        cell[2 + h] = number_text(
            f, reproduce_spread_of(&part[h], match, reproduce_last_point(&part[h])).mean);
    }
    reproduce_slope slope = reproduce_slope_of(parts, matches, log_x, horizons);
    cell[2 + SOTTO__STAGE_HORIZONS] = text_pool_print(&f->r->pool, "%.3f", slope.slope);
    cell[3 + SOTTO__STAGE_HORIZONS] = text_pool_print(&f->r->pool, "%.3f", slope.error);
    cell[4 + SOTTO__STAGE_HORIZONS] =
        stage->margin == 1 ? "log T"
                           : text_pool_print(&f->r->pool, "%.2f", (1 - stage->margin) / 2);
    /* The paper's bounds speak of large T, which its own methods have not seen yet. */
    if (player == SOTTO_PLAYER_SOTTO) check_growth(f, stage, player, slope);
}

bool fill_growth(filling *f)
{
    report_column column[SOTTO__STAGE_HORIZONS + 5] = {{"contexts", false}, {"method", false}};
    const sotto__experiment *e = f->experiment;
    const sotto__stage_size *size = &e->stage[0].size[f->r->scale];
    report_table table;
    for (uint32_t h = 0; h < SOTTO__STAGE_HORIZONS; h++) {
        column[2 + h] = (report_column){
            text_pool_print(&f->r->pool, "T = %.0e", (double)size->horizon[h]), true};
    }
    column[2 + SOTTO__STAGE_HORIZONS] = (report_column){"exponent of T", true};
    column[3 + SOTTO__STAGE_HORIZONS] = (report_column){"± se", true};
    column[4 + SOTTO__STAGE_HORIZONS] = (report_column){"theory", true};
    if (!report_table_begin(&table, &f->r->pool, "Mean regret, and how it grows", column,
                            SOTTO__STAGE_HORIZONS + 5, e->stages_count * SOTTO_PLAYERS)) {
        return false;
    }
    for (uint32_t s = 0; s < e->stages_count; s++) {
        uint32_t horizons;
        const reproduce_part *part = reproduce_parts_of(f->r, &e->stage[s], &horizons);
        for (uint32_t m = 0; part != NULL && m < part->plan.sweep.matches_count; m++) {
            add_growth_line(f, &table, &e->stage[s], part, horizons, m);
        }
    }
    add_table(f, &table);
    return true;
}

/* ---- the lower bound ---------------------------------------------------------------------- */

/* Regret over sqrt(T d)/(e^epsilon - 1). The theorem says that it stays above a constant, which it
 * does not name; what can be seen is that it does not fall as T grows. */
static void add_bound_line(filling *f, report_table *table, const reproduce_part *part,
                           uint32_t horizons, uint32_t match)
{
    double epsilon = part->plan.epsilon[match], first = NAN, last = NAN;
    const char *player = sotto_player_name((uint32_t)part->plan.match[match].player);
    const char **cell = report_table_line(table, false);
    cell[0] = player;
    cell[1] = text_pool_print(&f->r->pool, "%g", epsilon);
    for (uint32_t h = 0; h < horizons; h++) {
        double bound = reproduce_bound_of(&part[h], epsilon);
        last = reproduce_spread_of(&part[h], match, reproduce_last_point(&part[h])).mean / bound;
        if (h == 0) first = last;
        cell[2 + h] = number_text(f, last);
    }
    add_check(f,
              text_pool_print(&f->r->pool,
                              "%s, epsilon %g: regret over the bound is %.3g at the smallest T and "
                              "%.3g at the largest; it may not halve",
                              player, epsilon, first, last),
              last > first / 2);
}

bool fill_bound(filling *f)
{
    report_column column[SOTTO__STAGE_HORIZONS + 2] = {{"method", false}, {"epsilon", true}};
    const sotto__stage *stage = &f->experiment->stage[0];
    report_table table;
    uint32_t horizons;
    const reproduce_part *part = reproduce_parts_of(f->r, stage, &horizons);
    if (part == NULL) return false;
    for (uint32_t h = 0; h < horizons; h++) {
        column[2 + h] = (report_column){
            text_pool_print(&f->r->pool, "T = %.0e", (double)part[h].horizon), true};
    }
    if (!report_table_begin(&table, &f->r->pool, "Regret over sqrt(T d)/(e^epsilon - 1)", column,
                            2 + horizons, part->plan.sweep.matches_count)) {
        return false;
    }
    for (uint32_t m = 0; m < part->plan.sweep.matches_count; m++) {
        add_bound_line(f, &table, part, horizons, m);
    }
    add_table(f, &table);
    return true;
}
