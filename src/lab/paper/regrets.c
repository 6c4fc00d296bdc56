/* Regret at the last round: every method, what it promises, and the paper's claim. */
#include "regrets.h"
#include "lab/math/moments.h"
#include "lab/run/true_privacy.h"
#include "numbers.h"
#include "papers_best.h"

#include <inttypes.h>
#include <math.h>

static void fill_line(sotto__section *s, const sotto__part *part, uint32_t match, const char **cell)
{
    sotto__pool *pool = s->pool;
    const sotto_match *m = &part->comparison.match[match];
    double epsilon = part->comparison.epsilon[match];
    sotto__spread spread = sotto__part_spread(part, match, sotto__part_last_point(part));
    sotto__true_privacy truth = sotto__true_privacy_of(m);
    cell[0] = sotto__pool_print(pool, "%g", epsilon);
    cell[1] = part->stage->name;
    cell[2] = sotto_player_name(m->player);
    cell[3] = sotto__section_number(s, spread.mean);
    cell[4] = sotto__section_number(s, spread.error);
    cell[5] = sotto__section_number(s, spread.median);
    cell[6] = sotto__section_number(
        s, spread.mean / sotto__papers_best_of(s->reproduction, part->experiment, epsilon).mean);
    cell[7] = isfinite(truth.epsilon) ? sotto__pool_print(pool, "%.3g", truth.epsilon) : "none";
    cell[8] = isfinite(truth.epsilon) ? sotto__pool_print(pool, "%g", truth.delta) : "-";
    cell[9] = truth.why;
}

static bool add_regrets(sotto__section *s)
{
    static const sotto__page_column column[] = {
        {"epsilon", true},
        {"part", false},
        {"method", false},
        {"regret", true},
        {"± se", true},
        {"median", true},
        {"over the paper's best", true},
        {"true epsilon", true},
        {"true delta", true},
        {"why", false},
    };
    const sotto__experiment *e = s->experiment;
    sotto__page_table table;
    uint32_t rows = e->stages_count * SOTTO_PLAYERS * SOTTO__STAGE_EPSILONS;
    if (!sotto__page_table_begin(&table, s->pool,
                                 "Regret at the last round, and what each person is truly promised",
                                 column, 10, rows)) {
        return false;
    }
    for (uint32_t i = 0; i < sotto__stage_epsilons(&e->stage[0]); i++) {
        for (uint32_t k = 0; k < e->stages_count; k++) {
            uint32_t horizons;
            const sotto__part *part =
                sotto__reproduction_stage(s->reproduction, &e->stage[k], &horizons);
            for (uint32_t p = 0; part != NULL && p < SOTTO_PLAYERS; p++) {
                uint32_t m = sotto__part_match(part, (sotto_player)p, e->stage[k].epsilon[i]);
                if (m == UINT32_MAX) continue;
                fill_line(s, part, m, sotto__page_table_line(&table, p == SOTTO_PLAYER_SOTTO));
            }
        }
    }
    sotto__section_add_table(s, &table);
    return true;
}

/* ---- the paper's claim -------------------------------------------------------------------- */

/* Of some methods, the one with the largest mean or the smallest; UINT32_MAX: none is played. */
static uint32_t extreme_of(const sotto__part *part, double epsilon, uint32_t players, bool largest)
{
    uint32_t found = UINT32_MAX;
    double extreme = NAN;
    for (uint32_t m = 0; m < part->comparison.sweep.matches_count; m++) {
        bool counts = (players >> part->comparison.match[m].player & 1) != 0;
        if (!counts || part->comparison.epsilon[m] != epsilon) continue;
        double mean = sotto__part_spread(part, m, sotto__part_last_point(part)).mean;
        if (found != UINT32_MAX && (largest ? mean <= extreme : mean >= extreme)) continue;
        extreme = mean;
        found = m;
    }
    return found;
}

/* The worse of the paper's own methods against the better of the earlier ones, seed by seed. */
static const char *claim_at(sotto__section *s, const sotto__part *part, double epsilon)
{
    const uint32_t own_players = 1u << SOTTO_PLAYER_LDP_SGD | 1u << SOTTO_PLAYER_LDP_OLS;
    const uint32_t earlier_players = 1u << SOTTO_PLAYER_LDP_UCB | 1u << SOTTO_PLAYER_LDP_GLOC;
    sotto__pool *pool = s->pool;
    uint32_t seeds = part->comparison.sweep.seeds_count, last = sotto__part_last_point(part);
    uint32_t own = extreme_of(part, epsilon, own_players, true);
    uint32_t earlier = extreme_of(part, epsilon, earlier_players, false);
    double *gain = sotto__pool_take(pool, 2 * (size_t)seeds * sizeof *gain);
    if (own == UINT32_MAX || earlier == UINT32_MAX || gain == NULL) return "";
    sotto__part_regrets(part, earlier, last, gain);
    sotto__part_regrets(part, own, last, gain + seeds);
    for (uint32_t i = 0; i < seeds; i++) {
        gain[i] -= gain[seeds + i];
    }
    double mean = sotto__mean(gain, seeds), error = sotto__standard_error(gain, seeds);
    const char *verdict = fabs(mean) <= 3 * error ? "cannot tell" : mean > 0 ? "yes" : "no";
    return sotto__pool_print(pool, "epsilon %g: %s, %s has %s ± %s less regret than %s", epsilon,
                             verdict, sotto_player_name(part->comparison.match[own].player),
                             sotto__section_number(s, mean), sotto__section_number(s, error),
                             sotto_player_name(part->comparison.match[earlier].player));
}

static void add_claim(sotto__section *s)
{
    const sotto__experiment *e = s->experiment;
    sotto__pool *pool = s->pool;
    for (uint32_t k = 0; k < e->stages_count; k++) {
        uint32_t horizons;
        const sotto__part *part =
            sotto__reproduction_stage(s->reproduction, &e->stage[k], &horizons);
        if (part == NULL) continue;
        const char *text = sotto__pool_print(
            pool,
            "The paper says that its own methods do better than the earlier ones, LDP-UCB and "
            "LDP-GLOC. %s, after %" PRIu64 " people, the worse of its own against the better of "
            "the others (to tell takes 3 standard errors): ",
            k == 0 ? "As published" : "Exact", part->horizon);
        for (uint32_t i = 0; i < sotto__stage_epsilons(&e->stage[k]); i++) {
            text = sotto__pool_print(pool, "%s%s%s", text, i == 0 ? "" : "; ",
                                     claim_at(s, part, e->stage[k].epsilon[i]));
        }
        sotto__section_add_paragraph(s, sotto__pool_print(pool, "%s.", text));
    }
}

bool sotto__regrets_fill(sotto__section *s)
{
    if (s->experiment->stages_count == 2) add_claim(s);
    return add_regrets(s);
}
