/* The constants of the environments, and what theory makes of them. */
#include "constants.h"

static const uint64_t draws[] = {[SOTTO__SCALE_QUICK] = 20000, [SOTTO__SCALE_FULL] = 100000};

static bool add_line(sotto__section *s, sotto__page_table *table, const sotto__experiment *e,
                     const sotto__stage *stage)
{
    sotto__pool *pool = s->pool;
    sotto_match match;
    sotto_assumptions a;
    uint64_t horizon = stage->size[s->reproduction->settings.scale].horizon[0];
    if (sotto__stage_match(stage, s->reproduction->customers.population, SOTTO_PLAYER_RANDOM,
                           stage->epsilon[0], horizon, &match) != SOTTO_OK ||
        sotto_assumptions_estimate(&match, s->reproduction->settings.first_seed,
                                   draws[s->reproduction->settings.scale], &a) != SOTTO_OK) {
        return false;
    }
    const char **cell = sotto__page_table_line(table, false);
    cell[0] = sotto__pool_print(pool, "%s, %s", e->name, stage->name);
    cell[1] = sotto__section_number(s, a.kappa_u);
    /* Contexts without diversity: theory has nothing to say. */
    bool diverse = a.lambda_min > 1e-9 && a.kappa_l_p > 1e-9;
    bool per_arm = stage->scene.parameters == SOTTO_PARAMETERS_PER_ARM;
    cell[2] = sotto__section_number(s, diverse ? a.kappa_l_p : 0);
    cell[3] = sotto__section_number(s, diverse ? a.lambda_min : 0);
    cell[4] = sotto__section_number(s, a.margin_beta);
    cell[5] = sotto__section_number(s, a.zeta);
    cell[6] = sotto__section_number(s, a.random_regret);
    cell[7] = diverse ? sotto__section_number(s, a.eta0) : "-";
    cell[8] = !diverse         ? "no bound"
              : a.exponent > 0 ? sotto__pool_print(pool, "T^%.2f", a.exponent)
              : per_arm        ? "(log T)^2"
                               : "log T";
    return true;
}

bool sotto__constants_fill(sotto__section *s)
{
    static const sotto__page_column column[] = {
        {"environment", SOTTO__HTML_WORDS},    {"kappa_u", SOTTO__HTML_NUMBER},
        {"kappa_l p", SOTTO__HTML_NUMBER},     {"lambda_min", SOTTO__HTML_NUMBER},
        {"beta", SOTTO__HTML_NUMBER},          {"zeta", SOTTO__HTML_NUMBER},
        {"random regret", SOTTO__HTML_NUMBER}, {"eta0", SOTTO__HTML_NUMBER},
        {"regret", SOTTO__HTML_NUMBER},
    };
    sotto__page_table table;
    if (!sotto__page_table_begin(
            &table, s->pool,
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
        for (uint32_t k = 0; k < e->stages_count; k++) {
            if (!add_line(s, &table, e, &e->stage[k])) return false;
        }
    }
    sotto__section_add_table(s, &table);
    return true;
}
