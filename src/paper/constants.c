#include "inner.h"

/* ==== constants ============================================================================== */

/* The constants of the environments, and what theory makes of them. */

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
    cell[0] = sotto__pool_print(pool, "%s, %s", e->title, stage->name);
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
        {"environment", SOTTO__HTML_SENTENCE}, {"kappa_u", SOTTO__HTML_NUMBER},
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

/* ==== reference regret ======================================================================= */

/* Regret of the authors' public code, run unchanged in what it computes: one number per seed. */

#define SHARED SOTTO_PARAMETERS_SHARED
#define PER_ARM SOTTO_PARAMETERS_PER_ARM
#define IDENTITY SOTTO_LINK_IDENTITY
#define LOGIT SOTTO_LINK_LOGIT
#define LOG SOTTO_LINK_LOG
#define UCB SOTTO_PLAYER_LDP_UCB
#define GLOC SOTTO_PLAYER_LDP_GLOC
#define OLS SOTTO_PLAYER_LDP_OLS
#define SGD SOTTO_PLAYER_LDP_SGD

/* clang-format off */
const sotto__reference sotto__references[] = {
    {SHARED, IDENTITY, 2, 10, 0.5, 0.01, 100001, GLOC, 10,
     {14443.470393, 71431.089671, 18501.704851, 74783.715162, 16730.988992, 22914.866264,
      12154.377641, 1907.710795, 64304.472541, 4974.788322}},
    {SHARED, IDENTITY, 2, 10, 0.5, 0.01, 100001, OLS, 10,
     {13343.038043, 10122.836621, 37389.703077, 16464.323593, 73925.11004, 25137.93038,
      26139.321621, 21145.33644, 37828.950666, 26060.405455}},
    {SHARED, IDENTITY, 2, 10, 0.5, 0.01, 100001, SGD, 10,
     {634.13225, 4520.41795, 15538.512603, 6726.402966, 1541.221428, 5891.537227,
      1078.970288, 1500.712859, 1155.621524, 3233.382217}},
    {SHARED, IDENTITY, 2, 10, 0.5, 0.01, 100001, UCB, 10,
     {35370.976561, 35867.396636, 44984.323555, 38557.533862, 69740.521852, 39836.233461,
      36142.392331, 45360.061103, 52610.765464, 32128.584909}},
    {SHARED, IDENTITY, 2, 10, 1, 0.01, 100001, GLOC, 10,
     {10958.353254, 28178.265192, 17378.535809, 21830.63213, 15198.576151, 15413.955806,
      6281.016949, 1276.868076, 27379.615351, 2159.373986}},
    {SHARED, IDENTITY, 2, 10, 1, 0.01, 100001, OLS, 10,
     {10381.948886, 4908.054779, 22554.68039, 8974.087258, 36647.124233, 11544.374235,
      9501.080213, 11943.22678, 23592.263713, 12018.008325}},
    {SHARED, IDENTITY, 2, 10, 1, 0.01, 100001, SGD, 10,
     {100.215446, 1126.853325, 190.788521, 730.451105, 1266.283575, 2482.447226,
      1144.65081, 1716.839215, 2928.102782, 140.731887}},
    {SHARED, IDENTITY, 2, 10, 1, 0.01, 100001, UCB, 10,
     {28228.660424, 29420.812945, 35283.351264, 31157.017399, 37017.119972, 30566.023635,
      28458.2995, 34486.632973, 35715.378378, 26671.676298}},
    {SHARED, LOGIT, 2, 10, 1, 0.01, 100001, GLOC, 10,
     {17323.896503, 1563.841624, 16249.81443, 20646.59197, 16943.133165, 15946.104129,
      16074.901845, 16902.498719, 22267.834866, 7985.204352}},
    {SHARED, LOGIT, 2, 10, 1, 0.01, 100001, SGD, 10,
     {1408.025905, 56.335034, 878.287756, 1285.249661, 2369.933236, 1020.738823,
      91.955532, 271.840884, 694.899226, 425.923442}},
    {SHARED, LOG, 2, 10, 1, 0.01, 100001, GLOC, 10,
     {27036.154782, 88284.289756, 75122.527351, 20176.402854, 31797.161289, 8447.042543,
      65717.49307, 19599.189864, 19715.421687, 48518.333395}},
    {SHARED, LOG, 2, 10, 1, 0.01, 100001, SGD, 10,
     {501.2477, 948.407182, 886.874536, 1001.0897, 1558.033553, 785.972853, 4118.265359,
      2046.533452, 2683.916966, 726.682019}},
    {PER_ARM, IDENTITY, 20, 3, 1, 0.1, 20001, GLOC, 5,
     {11510.184238, 13553.827703, 18190.970549, 14683.338148, 12299.288833}},
    {PER_ARM, IDENTITY, 20, 3, 1, 0.1, 20001, OLS, 5,
     {11995.818217, 9479.388736, 12059.927629, 12566.497153, 10827.11448}},
    {PER_ARM, IDENTITY, 20, 3, 1, 0.1, 20001, SGD, 5,
     {11980.183897, 12272.311869, 14137.197436, 10063.337292, 12252.627222}},
    {PER_ARM, IDENTITY, 20, 3, 1, 0.1, 20001, UCB, 5,
     {16606.31958, 16164.559468, 17915.763486, 15682.763806, 16452.686875}},
    {PER_ARM, IDENTITY, 20, 3, 5, 0.1, 20001, GLOC, 5,
     {6381.909851, 5502.628589, 7092.782076, 6683.275923, 5968.316804}},
    {PER_ARM, IDENTITY, 20, 3, 5, 0.1, 20001, OLS, 5,
     {3559.86721, 3084.197018, 3509.492926, 3417.918967, 3152.210188}},
    {PER_ARM, IDENTITY, 20, 3, 5, 0.1, 20001, SGD, 5,
     {6394.990219, 8482.904196, 6109.89394, 6553.389198, 6802.390569}},
    {PER_ARM, IDENTITY, 20, 3, 5, 0.1, 20001, UCB, 5,
     {16192.669304, 15654.874589, 17508.311582, 15317.42037, 16180.123848}},
    {SHARED, IDENTITY, 20, 20, 1, 0.01, 100001, GLOC, 3,
     {39219.362153, 50810.158557, 50737.987035}},
    {SHARED, IDENTITY, 20, 20, 1, 0.01, 100001, OLS, 3,
     {23807.812132, 28066.140669, 24189.32297}},
    {SHARED, IDENTITY, 20, 20, 1, 0.01, 100001, SGD, 3,
     {9548.388396, 16729.308643, 14150.882841}},
    {SHARED, IDENTITY, 20, 20, 1, 0.01, 100001, UCB, 3,
     {41118.702128, 41024.956099, 40925.936194}},
};
/* clang-format on */
const uint32_t sotto__references_count = sizeof sotto__references / sizeof sotto__references[0];

const sotto__reference *sotto__reference_of(const sotto_match *match)
{
    const sotto_spec *spec = &match->spec;
    if (match->calibration != SOTTO_CALIBRATION_PUBLISHED) return NULL;
    for (uint32_t i = 0; i < sotto__references_count; i++) {
        const sotto__reference *r = &sotto__references[i];
        bool same = r->parameters == spec->parameters && r->link == spec->link &&
                    r->dim == spec->dim && r->arms == spec->arms && r->player == match->player;
        if (same && r->epsilon == spec->epsilon && r->delta == match->delta &&
            r->rounds == match->horizon) {
            return r;
        }
    }
    return NULL;
}
