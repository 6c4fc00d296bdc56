#include "core.h"

#include <assert.h>
#include <math.h>

/* ==== method ================================================================================= */

/* The table of methods. */

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

void sotto__set_only_score(sotto_spec *spec)
{
    uint32_t scores = sotto__method_of(spec)->scores;
    if ((scores & (scores - 1)) != 0) return;
    for (uint32_t s = 0; sotto_score_name((sotto_score)s) != NULL; s++) {
        if (scores == 1u << s) spec->score = (sotto_score)s;
    }
}

double sotto__epsilon_max(const sotto_spec *spec)
{
    return sotto__method_of(spec)->lattice ? 50 : 8;
}

bool sotto__phase_may_have_nulls(const sotto_spec *spec, uint32_t phase)
{
    return phase != SOTTO_PHASE_MEAN && sotto__phase_exists(spec, phase) &&
           sotto__method_of(spec)->unit_score && spec->score == SOTTO_SCORE_SELF &&
           !sotto__method_averages(spec);
}

double sotto__reward_bound(const sotto_spec *spec)
{
    return fmax(fabs(spec->reward_lo), fabs(spec->reward_hi));
}

/* ==== shares ================================================================================= */

/* Shares of 2^32, and the arm that they give to a nonce. */

#define WHOLE (UINT64_C(1) << 32)

/* share[largest] takes the rest. It has at least 1/arms of 2^32, and the others are off by at most 1. */
static void make_whole(uint32_t *shares, uint32_t arms, uint32_t largest)
{
    uint64_t others = 0;
    for (uint32_t k = 0; k < arms; k++) {
        others += k == largest ? 0 : shares[k];
    }
    assert(others < WHOLE);
    shares[largest] = (uint32_t)(WHOLE - others);
}

void sotto__shares_set(const double *chance, uint32_t arms, uint32_t *shares)
{
    uint32_t largest = 0;
    for (uint32_t k = 0; k < arms; k++) {
        double share = fmax(1, rint(0x1p32 * chance[k]));
        shares[k] = (uint32_t)fmin(share, UINT32_MAX);
        if (chance[k] > chance[largest]) largest = k;
    }
    make_whole(shares, arms, largest);
}

void sotto__shares_set_equal(uint32_t arms, uint32_t *shares)
{
    for (uint32_t k = 0; k < arms; k++) {
        shares[k] = (uint32_t)rint(0x1p32 / arms);
    }
    make_whole(shares, arms, 0);
}

bool sotto__shares_are_whole(const uint32_t *shares, uint32_t arms)
{
    uint64_t sum = 0; /* of at most 2^10 numbers below 2^32 */
    for (uint32_t k = 0; k < arms; k++) {
        sum += shares[k];
    }
    return sum == WHOLE;
}

/* Counting the ends that u has passed needs no branch. */
uint32_t sotto__shared_arm(const sotto_terms *terms, const uint32_t *shares, const uint8_t *nonce)
{
    const sotto__block_at at = {terms->stream_key, nonce, SOTTO__STREAM_ARM, 0, 0};
    uint32_t word[16], arm = 0;
    sotto__public_words(&at, 0, word);
    uint64_t end = 0;
    for (uint32_t k = 0; k + 1 < terms->spec.arms; k++) {
        end += shares[k];
        arm += word[0] >= end;
    }
    return arm;
}
