/* The constants of an environment. */
#include "constants.h"
#include "cli/print/facts.h"

#define DIM_MAX 256u /* more numbers want more draws, and each draw more time */

/* Far above dim, within seconds. */
static uint64_t draws_of(uint32_t dim)
{
    return dim <= 32 ? 100000 : 3200000 / dim;
}

int simulate_constants_print(const command_line *line, const sotto_match *match, uint64_t seed,
                             bool json)
{
    sotto_assumptions found;
    uint32_t dim = match->spec.dim;
    if (dim > DIM_MAX) {
        option_say(line, "--dim = %u: with --constants allowed 1 to %u", dim, DIM_MAX);
        return EXIT_USAGE;
    }
    sotto_status status = sotto_assumptions_estimate(match, seed, draws_of(dim), &found);
    if (status != SOTTO_OK) {
        option_say(line, "%s", sotto_status_text(status));
        return EXIT_FAILED;
    }
    facts list = facts_begin(json);
    fact_real(&list, "kappa_u", found.kappa_u, "d x largest eigenvalue of a context's covariance");
    bool per_arm = match->spec.parameters == SOTTO_PARAMETERS_PER_ARM;
    fact_real(&list, "kappa_l_p", found.kappa_l_p,
              per_arm ? "kappa_l p': lambda_min x arms that are best for somebody"
                      : "kappa_l p*: d x smallest lambda_min over directions of theta");
    fact_real(&list, "lambda_min", found.lambda_min, "smallest eigenvalue of E[x x'] under greedy");
    fact_real(&list, "margin_beta", found.margin_beta, "P(gap <= h) ~ gamma h^beta");
    fact_real(&list, "margin_gamma", found.margin_gamma, "of the same law");
    fact_real(&list, "zeta", found.zeta, "smallest slope of the link");
    fact_real(&list, "random_regret", found.random_regret, "of a random arm, a round");
    fact_real(&list, "eta0", found.eta0, "theory: smallest of steps eta0/t");
    fact_real(&list, "exponent", found.exponent, "theory: regret ~ T^exponent; 0: log T");
    fact_natural(&list, "draws", found.draws, "contexts drawn");
    facts_end(&list);
    return EXIT_OK;
}
