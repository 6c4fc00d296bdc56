/* Regret at the last round: every method, what it promises, and the paper's claim. */
#include "lab/math/moments.h"
#include "lab/run/true_privacy.h"
#include "section.h"

#include <inttypes.h>
#include <math.h>

bool reproduce_is_papers(sotto_player player)
{
    return sotto_player_is_private(player) && player != SOTTO_PLAYER_SOTTO &&
           player != SOTTO_PLAYER_SOTTO_OLS;
}

/* Whether what a method truly promises is what it claims. */
static bool keeps_claim(const sotto_match *match, double epsilon)
{
    sotto__true_privacy truth = sotto__true_privacy_of(match);
    return truth.epsilon <= epsilon * (1 + 1e-9) && truth.delta <= match->delta;
}

reproduce_best reproduce_papers_best(const reproduction *r, const sotto__experiment *experiment,
                                     double epsilon)
{
    reproduce_best best = {NAN, SOTTO_PLAYERS, NULL};
    for (uint32_t i = 0; i < r->parts_count; i++) {
        const reproduce_part *part = &r->part[i];
        for (uint32_t m = 0;
             part->experiment == experiment && m < part->comparison.sweep.matches_count; m++) {
            const sotto_match *match = &part->comparison.match[m];
            bool counts = reproduce_is_papers(match->player) &&
                          part->comparison.epsilon[m] == epsilon && keeps_claim(match, epsilon);
            if (!counts) continue;
            double mean = reproduce_spread_of(part, m, reproduce_last_point(part)).mean;
            if (!(mean >= best.mean)) best = (reproduce_best){mean, match->player, part->stage};
        }
    }
    return best;
}

static void fill_line(filling *f, const reproduce_part *part, uint32_t match, const char **cell)
{
    sotto__pool *pool = &f->r->pool;
    const sotto_match *m = &part->comparison.match[match];
    double epsilon = part->comparison.epsilon[match];
    reproduce_spread spread = reproduce_spread_of(part, match, reproduce_last_point(part));
    sotto__true_privacy truth = sotto__true_privacy_of(m);
    cell[0] = sotto__pool_print(pool, "%g", epsilon);
    cell[1] = part->stage->name;
    cell[2] = sotto_player_name((uint32_t)m->player);
    cell[3] = number_text(f, spread.mean);
    cell[4] = number_text(f, spread.error);
    cell[5] = number_text(f, spread.median);
    cell[6] =
        number_text(f, spread.mean / reproduce_papers_best(f->r, part->experiment, epsilon).mean);
    cell[7] = isfinite(truth.epsilon) ? sotto__pool_print(pool, "%.3g", truth.epsilon) : "none";
    cell[8] = isfinite(truth.epsilon) ? sotto__pool_print(pool, "%g", truth.delta) : "-";
    cell[9] = truth.why;
}

static bool add_regrets(filling *f)
{
    static const report_column column[] = {
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
    const sotto__experiment *e = f->experiment;
    report_table table;
    uint32_t rows = e->stages_count * SOTTO_PLAYERS * SOTTO__STAGE_EPSILONS;
    if (!report_table_begin(&table, &f->r->pool,
                            "Regret at the last round, and what each person is truly promised",
                            column, 10, rows)) {
        return false;
    }
    for (uint32_t i = 0; i < sotto__stage_epsilons(&e->stage[0]); i++) {
        for (uint32_t s = 0; s < e->stages_count; s++) {
            uint32_t horizons;
            const reproduce_part *part = reproduce_parts_of(f->r, &e->stage[s], &horizons);
            for (uint32_t p = 0; part != NULL && p < SOTTO_PLAYERS; p++) {
                uint32_t m = reproduce_match_of(part, (sotto_player)p, e->stage[s].epsilon[i]);
                if (m == UINT32_MAX) continue;
                fill_line(f, part, m, report_table_line(&table, p == SOTTO_PLAYER_SOTTO));
            }
        }
    }
    add_table(f, &table);
    return true;
}

/* ---- the paper's claim -------------------------------------------------------------------- */

/* Of some methods, the one with the largest mean or the smallest; UINT32_MAX: none is played. */
static uint32_t extreme_of(const reproduce_part *part, double epsilon, uint32_t players,
                           bool largest)
{
    uint32_t found = UINT32_MAX;
    double extreme = NAN;
    for (uint32_t m = 0; m < part->comparison.sweep.matches_count; m++) {
        bool counts = (players >> part->comparison.match[m].player & 1) != 0;
        if (!counts || part->comparison.epsilon[m] != epsilon) continue;
        double mean = reproduce_spread_of(part, m, reproduce_last_point(part)).mean;
        if (found != UINT32_MAX && (largest ? mean <= extreme : mean >= extreme)) continue;
        extreme = mean;
        found = m;
    }
    return found;
}

/* The worse of the paper's own methods against the better of the earlier ones, seed by seed. */
static const char *claim_at(filling *f, const reproduce_part *part, double epsilon)
{
    const uint32_t own_players = 1u << SOTTO_PLAYER_LDP_SGD | 1u << SOTTO_PLAYER_LDP_OLS;
    const uint32_t earlier_players = 1u << SOTTO_PLAYER_LDP_UCB | 1u << SOTTO_PLAYER_LDP_GLOC;
    sotto__pool *pool = &f->r->pool;
    uint32_t seeds = part->comparison.sweep.seeds_count, last = reproduce_last_point(part);
    uint32_t own = extreme_of(part, epsilon, own_players, true);
    uint32_t earlier = extreme_of(part, epsilon, earlier_players, false);
    double *gain = sotto__pool_take(pool, 2 * (size_t)seeds * sizeof *gain);
    if (own == UINT32_MAX || earlier == UINT32_MAX || gain == NULL) return "";
    reproduce_regrets(part, earlier, last, gain);
    reproduce_regrets(part, own, last, gain + seeds);
    for (uint32_t i = 0; i < seeds; i++) {
        gain[i] -= gain[seeds + i];
    }
    double mean = sotto__mean(gain, seeds), error = sotto__standard_error(gain, seeds);
    const char *verdict = fabs(mean) <= 3 * error ? "cannot tell" : mean > 0 ? "yes" : "no";
    return sotto__pool_print(
        pool, "epsilon %g: %s, %s has %s ± %s less regret than %s", epsilon, verdict,
        sotto_player_name((uint32_t)part->comparison.match[own].player), number_text(f, mean),
        number_text(f, error), sotto_player_name((uint32_t)part->comparison.match[earlier].player));
}

static void add_claim(filling *f)
{
    const sotto__experiment *e = f->experiment;
    sotto__pool *pool = &f->r->pool;
    for (uint32_t s = 0; s < e->stages_count; s++) {
        uint32_t horizons;
        const reproduce_part *part = reproduce_parts_of(f->r, &e->stage[s], &horizons);
        if (part == NULL) continue;
        const char *text = sotto__pool_print(
            pool,
            "The paper says that its own methods do better than the earlier ones, LDP-UCB and "
            "LDP-GLOC. %s, after %" PRIu64 " people, the worse of its own against the better of "
            "the others (to tell takes 3 standard errors): ",
            s == 0 ? "As published" : "Exact", part->horizon);
        for (uint32_t i = 0; i < sotto__stage_epsilons(&e->stage[s]); i++) {
            text = sotto__pool_print(pool, "%s%s%s", text, i == 0 ? "" : "; ",
                                     claim_at(f, part, e->stage[s].epsilon[i]));
        }
        add_paragraph(f, sotto__pool_print(pool, "%s.", text));
    }
}

bool fill_regrets(filling *f)
{
    if (f->experiment->stages_count == 2) add_claim(f);
    return add_regrets(f);
}
