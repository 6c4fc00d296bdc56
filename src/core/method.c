/* The table of methods. */
#include "method.h"

#include <math.h>

#define SCORE(name) (1u << SOTTO_SCORE_##name)

const sotto__method sotto__methods[SOTTO__METHODS] = {
    [SOTTO_METHOD_SOTTO] = {.scores = SCORE(SIGN) | SCORE(SELF) | SCORE(HUBER) | SCORE(CENTRED),
                            .unit_score = true},
    [SOTTO_METHOD_SOTTO_OLS] = {.scores = SCORE(MOMENTS),
                                .lifted = true,
                                .identity_only = true,
                                .shared_only = true,
                                .moment_weight = 1.1},
    [SOTTO_METHOD_LDP_SGD] = {.scores = SCORE(GRADIENT), .l2ball = true, .eliminates = true},
    [SOTTO_METHOD_LDP_OLS] = {.scores = SCORE(MOMENTS),
                              .lattice = true,
                              .identity_only = true,
                              .eliminates = true,
                              .moment_weight = 1.0},
    [SOTTO_METHOD_LDP_UCB] = {.scores = SCORE(MOMENTS),
                              .lattice = true,
                              .identity_only = true,
                              .confidence = true,
                              .moment_weight = 1.0},
    [SOTTO_METHOD_LDP_GLOC] = {.scores = SCORE(GLOC_PAIR),
                               .lattice = true,
                               .confidence = true,
                               .online_estimate = true,
                               .moment_weight = 1.0},
    [SOTTO_METHOD_BEST_ARM] = {.scores = SCORE(REWARD), .one_for_all = true},
};

double sotto__epsilon_max(const sotto_spec *spec)
{
    return sotto__method_of(spec)->lattice ? 50 : 8;
}

bool sotto__phase_may_have_nulls(const sotto_spec *spec, uint32_t phase)
{
    return phase != SOTTO_PHASE_MEAN && sotto__phase_exists(spec, phase) && spec->version == 2 &&
           sotto__method_of(spec)->unit_score && spec->score == SOTTO_SCORE_SELF &&
           !sotto__method_averages(spec);
}

double sotto__reward_bound(const sotto_spec *spec)
{
    return fmax(fabs(spec->reward_lo), fabs(spec->reward_hi));
}
