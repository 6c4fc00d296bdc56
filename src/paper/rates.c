/* How regret grows with T and with 1/epsilon, beside theory. */
#include "core/core.h"
#include "inner.h"

#include <math.h>

/* Table 1, margin 1: 1/epsilon^2 for the paper's own methods, 1/epsilon for the earlier ones. */
static const char *epsilon_theory(sotto_player player)
{
    if (player == SOTTO_PLAYER_LDP_SGD || player == SOTTO_PLAYER_LDP_OLS) return "-2";
    if (player == SOTTO_PLAYER_LDP_UCB || player == SOTTO_PLAYER_LDP_GLOC) return "-1";
    return sotto_player_is_private(player) ? "-" : "0";
}

/* Fitted where privacy costs most, up to epsilon 1. */
bool sotto__epsilons_fill(sotto__section *s)
{
    static const sotto__page_column column[] = {{"method", SOTTO__HTML_WORDS},
                                                {"exponent of epsilon", SOTTO__HTML_NUMBER},
                                                {"± se", SOTTO__HTML_NUMBER},
                                                {"theory", SOTTO__HTML_NUMBER}};
    sotto__page_table table;
    uint32_t horizons, count = 0;
    const sotto__stage *stage = &s->experiment->stage[0];
    const sotto__part *part = sotto__reproduction_stage(s->reproduction, stage, &horizons);
    if (part == NULL) return true;
    if (!sotto__page_table_begin(&table, s->pool,
                                 "Exponent of regret in epsilon, fitted up to epsilon 1", column, 4,
                                 SOTTO_PLAYERS)) {
        return false;
    }
    while (count < sotto__stage_epsilons(stage) && stage->epsilon[count] <= 1) {
        count++;
    }
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        const sotto__part *parts[SOTTO__STAGE_EPSILONS];
        uint32_t match[SOTTO__STAGE_EPSILONS];
        double log_x[SOTTO__STAGE_EPSILONS];
        if ((stage->players >> p & 1) == 0) continue;
        for (uint32_t i = 0; i < count; i++) {
            parts[i] = part;
            match[i] = sotto__part_match(part, (sotto_player)p, stage->epsilon[i]);
            log_x[i] = log(stage->epsilon[i]);
        }
        sotto__exponent exponent = sotto__exponent_of(parts, match, log_x, count);
        const char **cell = sotto__page_table_line(&table, p == SOTTO_PLAYER_SOTTO);
        cell[0] = sotto_player_name(p);
        cell[1] = sotto__pool_print(s->pool, "%.2f", exponent.slope);
        cell[2] = sotto__pool_print(s->pool, "%.2f", exponent.error);
        cell[3] = epsilon_theory((sotto_player)p);
    }
    sotto__section_add_table(s, &table);
    return true;
}

static void add_growth_line(sotto__section *s, sotto__page_table *table, const sotto__stage *stage,
                            const sotto__part *part, uint32_t horizons, uint32_t match)
{
    const sotto__part *parts[SOTTO__STAGE_HORIZONS];
    uint32_t matches[SOTTO__STAGE_HORIZONS];
    double log_x[SOTTO__STAGE_HORIZONS];
    sotto_player player = part->comparison.match[match].player;
    const char **cell = sotto__page_table_line(table, player == SOTTO_PLAYER_SOTTO);
    cell[0] = stage->title;
    cell[1] = sotto_player_name(player);
    for (uint32_t h = 0; h < SOTTO__STAGE_HORIZONS; h++) {
        cell[2 + h] = "";
    }
    for (uint32_t h = 0; h < horizons; h++) {
        parts[h] = &part[h];
        matches[h] = match;
        log_x[h] = log((double)part[h].horizon);
        cell[2 + h] = sotto__section_number(
            s, sotto__part_spread(&part[h], match, sotto__part_last_point(&part[h])).mean);
    }
    sotto__exponent exponent = sotto__exponent_of(parts, matches, log_x, horizons);
    cell[2 + SOTTO__STAGE_HORIZONS] = sotto__pool_print(s->pool, "%.3f", exponent.slope);
    cell[3 + SOTTO__STAGE_HORIZONS] = sotto__pool_print(s->pool, "%.3f", exponent.error);
    /* Theorems 3.1 and 3.3, of the paper's own methods. */
    cell[4 + SOTTO__STAGE_HORIZONS] =
        player != SOTTO_PLAYER_LDP_SGD ? "-"
        : stage->margin == 1           ? "log T"
                             : sotto__pool_print(s->pool, "%.2f", (1 - stage->margin) / 2);
}

bool sotto__growth_fill(sotto__section *s)
{
    sotto__page_column column[SOTTO__STAGE_HORIZONS + 5] = {{"contexts", SOTTO__HTML_WORDS},
                                                            {"method", SOTTO__HTML_WORDS}};
    const sotto__experiment *e = s->experiment;
    const sotto__stage_size *size = &e->stage[0].size[s->reproduction->settings.scale];
    sotto__page_table table;
    for (uint32_t h = 0; h < SOTTO__STAGE_HORIZONS; h++) {
        column[2 + h] = (sotto__page_column){
            sotto__pool_print(s->pool, "T = %s",
                              sotto__section_number(s, (double)size->horizon[h])),
            SOTTO__HTML_NUMBER};
    }
    column[2 + SOTTO__STAGE_HORIZONS] = (sotto__page_column){"exponent of T", SOTTO__HTML_NUMBER};
    column[3 + SOTTO__STAGE_HORIZONS] = (sotto__page_column){"± se", SOTTO__HTML_NUMBER};
    column[4 + SOTTO__STAGE_HORIZONS] = (sotto__page_column){"theory", SOTTO__HTML_NUMBER};
    if (!sotto__page_table_begin(&table, s->pool, "Mean regret, and how it grows", column,
                                 SOTTO__STAGE_HORIZONS + 5, e->stages_count * SOTTO_PLAYERS)) {
        return false;
    }
    for (uint32_t k = 0; k < e->stages_count; k++) {
        uint32_t horizons;
        const sotto__part *part =
            sotto__reproduction_stage(s->reproduction, &e->stage[k], &horizons);
        for (uint32_t m = 0; part != NULL && m < part->comparison.sweep.matches_count; m++) {
            add_growth_line(s, &table, &e->stage[k], part, horizons, m);
        }
    }
    sotto__section_add_table(s, &table);
    return true;
}

/* ---- the lower bound ---------------------------------------------------------------------- */

/*
 * What no epsilon-LDP method can stay below, on average over the direction of theta*: the proof of
 * Theorem 3.2 with its constants kept. For the reports of s people, with u the direction of the
 * difference of two contexts,
 *
 *   KL <= s min(4, e^(2 epsilon)) (e^epsilon - 1)^2 TV^2      (Duchi et al., Theorem 1)
 *   TV <= E|x'u| 2|u'theta|/sqrt(2 pi),   E|x'u| <= E max of two = 2/sqrt(pi d)
 *   E (u'theta)^2 = 2 norm^2/(d + 1)      under the law weighted by |u'theta|
 *
 * so that KL <= k s/T with k = min(4, e^(2 epsilon)) (16/pi^2) d/(d + 1). A round costs at least half
 * of exp(-KL) times what a random arm does, which is sqrt(T d/pi)/(e^epsilon - 1) in all: the ratio
 * to sqrt(T d)/(e^epsilon - 1) is at least (1 - e^-k)/(2 k sqrt pi).
 */
double sotto__least_ratio(uint32_t dim, double epsilon)
{
    double k = fmin(4, exp(2 * epsilon)) * 16 / (M_PI * M_PI) * dim / (dim + 1.0);
    return -sotto__expm1(-k) / (2 * k * sqrt(M_PI));
}

static void add_bound_line(sotto__section *s, sotto__page_table *table, const sotto__part *part,
                           uint32_t horizons, uint32_t match)
{
    sotto__pool *pool = s->pool;
    double epsilon = part->comparison.epsilon[match], smallest = INFINITY;
    double least = sotto__least_ratio(part->stage->scene.dim, epsilon);
    sotto_player player = part->comparison.match[match].player;
    const char **cell = sotto__page_table_line(table, player == SOTTO_PLAYER_SOTTO);
    cell[0] = sotto_player_name(player);
    cell[1] = sotto__pool_print(pool, "%g", epsilon);
    cell[2] = sotto__section_number(s, least);
    for (uint32_t h = 0; h < horizons; h++) {
        double mean = sotto__part_spread(&part[h], match, sotto__part_last_point(&part[h])).mean;
        double ratio = mean / sotto__part_bound(&part[h], epsilon);
        smallest = fmin(smallest, ratio);
        cell[3 + h] = sotto__section_number(s, ratio);
    }
    if (!sotto_player_is_private(player)) return;
    sotto__section_add_check(
        s,
        sotto__pool_print(pool,
                          "%s, epsilon %g: regret over the bound is %.3g at least; the theorem "
                          "leaves none below %.3g",
                          cell[0], epsilon, smallest, least),
        smallest >= least);
}

bool sotto__bound_fill(sotto__section *s)
{
    sotto__page_column column[SOTTO__STAGE_HORIZONS + 3] = {{"method", SOTTO__HTML_WORDS},
                                                            {"epsilon", SOTTO__HTML_NUMBER},
                                                            {"proved", SOTTO__HTML_NUMBER}};
    const sotto__stage *stage = &s->experiment->stage[0];
    sotto__page_table table;
    uint32_t horizons;
    const sotto__part *part = sotto__reproduction_stage(s->reproduction, stage, &horizons);
    if (part == NULL) return true;
    for (uint32_t h = 0; h < horizons; h++) {
        column[3 + h] = (sotto__page_column){
            sotto__pool_print(s->pool, "T = %s", sotto__section_number(s, (double)part[h].horizon)),
            SOTTO__HTML_NUMBER};
    }
    if (!sotto__page_table_begin(&table, s->pool, "Regret over sqrt(T d)/(e^epsilon - 1)", column,
                                 3 + horizons, part->comparison.sweep.matches_count)) {
        return false;
    }
    for (uint32_t m = 0; m < part->comparison.sweep.matches_count; m++) {
        add_bound_line(s, &table, part, horizons, m);
    }
    sotto__section_add_table(s, &table);
    return true;
}
