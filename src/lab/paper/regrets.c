/* Regret at the last round: every method, what it promises, and who has less. */
#include "regrets.h"
#include "claim.h"
#include "lab/run/true_privacy.h"
#include "numbers.h"
#include "papers_best.h"

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
        {"epsilon", SOTTO__HTML_NUMBER},
        {"part", SOTTO__HTML_WORDS},
        {"method", SOTTO__HTML_WORDS},
        {"regret", SOTTO__HTML_NUMBER},
        {"± se", SOTTO__HTML_NUMBER},
        {"median", SOTTO__HTML_NUMBER},
        {"over the paper's best", SOTTO__HTML_NUMBER},
        {"true epsilon", SOTTO__HTML_NUMBER},
        {"true delta", SOTTO__HTML_NUMBER},
        {"why", SOTTO__HTML_SENTENCE},
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
    table.html.folded = true;
    sotto__section_add_table(s, &table);
    return true;
}

/* ---- claims ------------------------------------------------------------------------------- */

/* A line per epsilon: yes, no or cannot tell, of sotto and of the paper's own methods. */
static bool add_claims(sotto__section *s)
{
    static const sotto__page_column column[] = {
        {"epsilon", SOTTO__HTML_NUMBER},
        {"sotto has less regret than the paper's methods", SOTTO__HTML_VERDICT},
        {"the paper's methods have less than the earlier ones, exact", SOTTO__HTML_VERDICT},
        {"the same, as published", SOTTO__HTML_VERDICT},
    };
    const sotto__experiment *e = s->experiment;
    sotto__page_table table;
    uint32_t horizons;
    bool theirs = e->stage[0].calibration == SOTTO_CALIBRATION_PUBLISHED;
    const sotto__part *published = sotto__reproduction_stage(s->reproduction, e->stage, &horizons);
    const sotto__part *exact =
        sotto__reproduction_stage(s->reproduction, &e->stage[e->stages_count - 1], &horizons);
    if (exact == NULL) return true;
    const char *caption = sotto__pool_print(
        s->pool,
        "Who has less regret after %s people? Exact: the best of the paper's methods against "
        "sotto; the worse of the paper's own, LDP-SGD and LDP-OLS, against the better of the "
        "earlier ones, LDP-UCB and LDP-GLOC. To tell takes 3 standard errors over seeds.",
        sotto__section_number(s, (double)exact->horizon));
    if (!sotto__page_table_begin(&table, s->pool, caption, column, theirs ? 4 : 3,
                                 SOTTO__STAGE_EPSILONS)) {
        return false;
    }
    for (uint32_t i = 0; i < sotto__stage_epsilons(&e->stage[0]); i++) {
        double epsilon = e->stage[0].epsilon[i];
        sotto__claim ours = sotto__claim_of_sotto(exact, epsilon);
        sotto__claim paper = sotto__claim_of_paper(exact, epsilon);
        const char **cell = sotto__page_table_line(&table, false);
        cell[0] = sotto__pool_print(s->pool, "%g", epsilon);
        cell[1] = sotto__claim_text(&ours, s->pool);
        cell[2] = sotto__claim_text(&paper, s->pool);
        if (!theirs) continue;
        paper = sotto__claim_of_paper(published, epsilon);
        cell[3] = sotto__claim_text(&paper, s->pool);
    }
    sotto__section_add_table(s, &table);
    return true;
}

bool sotto__regrets_fill(sotto__section *s)
{
    bool claims = s->experiment->kind == SOTTO__EXPERIMENT_CURVES;
    return (!claims || add_claims(s)) && add_regrets(s);
}
