/* Regret at the last round: every method, what it promises, and the paper's claim. */
#include "reproduce_section.h"
#include "true_privacy.h"

#include <math.h>

bool reproduce_is_papers(sotto_player player)
{
    return sotto_player_is_private(player) && player != SOTTO_PLAYER_SOTTO &&
           player != SOTTO_PLAYER_SOTTO_OLS;
}

/* The smallest mean regret of the paper's methods at an epsilon; NAN if it has none there. */
static double papers_best(const reproduce_part *part, double epsilon)
{
    double best = NAN;
    for (uint32_t m = 0; m < part->plan.sweep.matches_count; m++) {
        if (!reproduce_is_papers(part->plan.match[m].player) || part->plan.epsilon[m] != epsilon)
            continue;
        best = fmin(best, reproduce_spread_of(part, m, reproduce_last_point(part)).mean);
    }
    return best;
}

static void fill_line(filling *f, const reproduce_part *part, uint32_t match, const char **cell)
{
    text_pool *pool = &f->r->pool;
    const sotto_match *m = &part->plan.match[match];
    double epsilon = part->plan.epsilon[match];
    reproduce_spread spread = reproduce_spread_of(part, match, reproduce_last_point(part));
    sotto__true_privacy truth = sotto__true_privacy_of(m);
    cell[0] = text_pool_print(pool, "%g", epsilon);
    cell[1] = part->stage->name;
    cell[2] = sotto_player_name((uint32_t)m->player);
    cell[3] = number_text(f, spread.mean);
    cell[4] = number_text(f, spread.error);
    cell[5] = number_text(f, spread.median);
    cell[6] = number_text(f, spread.mean / papers_best(part, epsilon));
    cell[7] = isfinite(truth.epsilon) ? text_pool_print(pool, "%.3g", truth.epsilon) : "none";
    cell[8] = isfinite(truth.epsilon) ? text_pool_print(pool, "%g", truth.delta) : "-";
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
        {"of the paper's best", true},
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

/* The claim of the paper's experiments, panel by panel: its own methods have less regret than the
 * earlier ones. */
static const char *claim_at(filling *f, const reproduce_part *part, double epsilon)
{
    double own = NAN, earlier = NAN;
    for (uint32_t m = 0; m < part->plan.sweep.matches_count; m++) {
        sotto_player player = part->plan.match[m].player;
        if (part->plan.epsilon[m] != epsilon) continue;
        double mean = reproduce_spread_of(part, m, reproduce_last_point(part)).mean;
        if (player == SOTTO_PLAYER_LDP_SGD || player == SOTTO_PLAYER_LDP_OLS) own = fmax(own, mean);
        if (player == SOTTO_PLAYER_LDP_UCB || player == SOTTO_PLAYER_LDP_GLOC) {
            earlier = fmin(earlier, mean);
        }
    }
    return text_pool_print(&f->r->pool, "%s at epsilon %g (%s against %s)",
                           own < earlier ? "yes" : "no", epsilon, number_text(f, own),
                           number_text(f, earlier));
}

static void add_claim(filling *f)
{
    const sotto__experiment *e = f->experiment;
    const char *text = "The paper says that its own methods, LDP-SGD and LDP-OLS, have less regret "
                       "than LDP-UCB and LDP-GLOC. The worse of its own against the better of the "
                       "others:";
    for (uint32_t s = 0; s < e->stages_count; s++) {
        uint32_t horizons;
        const reproduce_part *part = reproduce_parts_of(f->r, &e->stage[s], &horizons);
        if (part == NULL) continue;
        text = text_pool_print(&f->r->pool, "%s %s: ", text, e->stage[s].name);
        for (uint32_t i = 0; i < sotto__stage_epsilons(&e->stage[s]); i++) {
            text = text_pool_print(&f->r->pool, "%s%s%s", text, i == 0 ? "" : ", ",
                                   claim_at(f, part, e->stage[s].epsilon[i]));
        }
        text = text_pool_print(&f->r->pool, "%s.", text);
    }
    add_paragraph(f, text);
}

bool fill_regrets(filling *f)
{
    if (f->experiment->stages_count == 2) add_claim(f);
    return add_regrets(f);
}
