/* The constants of the environments, and what theory makes of them. */
#include "section.h"

#include <math.h>
#include <string.h>

static const uint64_t draws[] = {[SOTTO__SCALE_QUICK] = 20000, [SOTTO__SCALE_FULL] = 100000};

static bool add_line(filling *f, report_table *table, const sotto__experiment *e,
                     const sotto__stage *stage)
{
    sotto__pool *pool = &f->r->pool;
    sotto_match match;
    sotto_assumptions a;
    uint64_t horizon = stage->size[f->r->scale].horizon[0];
    if (sotto__stage_match(stage, f->r->customers, SOTTO_PLAYER_RANDOM, stage->epsilon[0], horizon,
                           &match) != SOTTO_OK ||
        sotto_assumptions_of(&match, f->r->first_seed, draws[f->r->scale], &a) != SOTTO_OK) {
        return false;
    }
    const char **cell = report_table_line(table, false);
    cell[0] = sotto__pool_print(pool, "%s, %s", e->name, stage->name);
    cell[1] = number_text(f, a.kappa_u);
    /* Contexts without diversity: theory has nothing to say. */
    bool diverse = a.lambda_min > 1e-9 && a.kappa_l_p > 1e-9;
    bool per_arm = stage->scene.parameters == SOTTO_PARAMETERS_PER_ARM;
    cell[2] = number_text(f, diverse ? a.kappa_l_p : 0);
    cell[3] = number_text(f, diverse ? a.lambda_min : 0);
    cell[4] = number_text(f, a.margin_beta);
    cell[5] = number_text(f, a.zeta);
    cell[6] = number_text(f, a.random_regret);
    cell[7] = diverse ? number_text(f, a.eta0) : "-";
    cell[8] = !diverse         ? "no bound"
              : a.exponent > 0 ? sotto__pool_print(pool, "T^%.2f", a.exponent)
              : per_arm        ? "(log T)^2"
                               : "log T";
    return true;
}

/* Every environment that an experiment plays, but for those of the agreement: they are there
 * already. */
bool fill_constants(filling *f)
{
    static const report_column column[] = {
        {"environment", false},  {"kappa_u", true}, {"kappa_l p", true},
        {"lambda_min", true},    {"beta", true},    {"zeta", true},
        {"random regret", true}, {"eta0", true},    {"regret", true},
    };
    report_table table;
    if (!report_table_begin(
            &table, &f->r->pool,
            "kappa_u, kappa_l p, lambda_min: of the contexts; beta: of the margin, "
            "fitted over small gaps, so that a logarithm in their law shows as "
            "less than 1; zeta: smallest slope of the link; eta0: the smallest first step, and "
            "regret: the growth, that theory wants",
            column, 9, 64)) {
        return false;
    }
    for (uint32_t i = 0; i < sotto__experiments_count; i++) {
        const sotto__experiment *e = &sotto__experiments[i];
        if (e->kind == SOTTO__EXPERIMENT_AGREEMENT) continue;
        for (uint32_t s = 0; s < e->stages_count; s++) {
            if (!add_line(f, &table, e, &e->stage[s])) return false;
        }
    }
    add_table(f, &table);
    return true;
}
