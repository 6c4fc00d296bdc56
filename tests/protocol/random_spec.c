/* Specs of every kind. */
#include "random_spec.h"

#include <stddef.h>

uint64_t draw_word(draws *d)
{
    uint64_t z = d->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint32_t draw_below(draws *d, uint32_t bound)
{
    return (uint32_t)((draw_word(d) >> 32) * bound >> 32);
}

double draw_between(draws *d, double lo, double hi)
{
    return lo + (hi - lo) * ((double)(draw_word(d) >> 11) * 0x1p-53);
}

static const struct {
    sotto_method method;
    sotto_score score;
    sotto_reward_kind kind;
} plays[] = {
    {SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, SOTTO_REWARD_CONTINUOUS},
    {SOTTO_METHOD_SOTTO, SOTTO_SCORE_HUBER, SOTTO_REWARD_CONTINUOUS},
    {SOTTO_METHOD_SOTTO, SOTTO_SCORE_SELF, SOTTO_REWARD_BINARY},
    {SOTTO_METHOD_SOTTO, SOTTO_SCORE_SELF, SOTTO_REWARD_COUNT},
    {SOTTO_METHOD_SOTTO, SOTTO_SCORE_SELF, SOTTO_REWARD_CONTINUOUS},
    {SOTTO_METHOD_SOTTO, SOTTO_SCORE_CENTRED, SOTTO_REWARD_COUNT},
    {SOTTO_METHOD_SOTTO_OLS, SOTTO_SCORE_MOMENTS, SOTTO_REWARD_CONTINUOUS},
    {SOTTO_METHOD_LDP_SGD, SOTTO_SCORE_GRADIENT, SOTTO_REWARD_CONTINUOUS},
    {SOTTO_METHOD_LDP_SGD, SOTTO_SCORE_GRADIENT, SOTTO_REWARD_BINARY},
    {SOTTO_METHOD_LDP_OLS, SOTTO_SCORE_MOMENTS, SOTTO_REWARD_CONTINUOUS},
    {SOTTO_METHOD_LDP_UCB, SOTTO_SCORE_MOMENTS, SOTTO_REWARD_CONTINUOUS},
    {SOTTO_METHOD_LDP_GLOC, SOTTO_SCORE_GLOC_PAIR, SOTTO_REWARD_BINARY},
    {SOTTO_METHOD_BEST_ARM, SOTTO_SCORE_REWARD, SOTTO_REWARD_CONTINUOUS},
    {SOTTO_METHOD_BEST_ARM, SOTTO_SCORE_REWARD, SOTTO_REWARD_COUNT},
};

static void draw_rest(draws *d, sotto_spec *spec, bool lattice)
{
    spec->series = draw_below(d, 3);
    spec->send_spread_s = draw_below(d, 100);
    bool measured = !lattice && spec->method != SOTTO_METHOD_BEST_ARM;
    if (draw_below(d, 2) == 0 && measured) spec->measure = UINT32_C(1) << (23 + draw_below(d, 9));
    if (spec->score == SOTTO_SCORE_SELF) spec->reward_rate = draw_between(d, 0, 0.5);
}

sotto_spec random_spec(draws *d)
{
    size_t which = draw_below(d, sizeof plays / sizeof plays[0]);
    sotto_spec spec = sotto_spec_default(plays[which].kind);
    spec.method = plays[which].method;
    spec.score = plays[which].score;
    spec.dim = 1 + draw_below(d, draw_below(d, 4) == 0 ? 40 : 6);
    spec.arms = 2 + draw_below(d, 5);
    spec.epsilon = draw_between(d, 0.1, 8);
    spec.context_norm_max = draw_between(d, 0.5, 2);
    spec.parameters = (sotto_parameters)draw_below(d, 2);
    if (spec.method == SOTTO_METHOD_SOTTO_OLS) {
        spec.parameters = SOTTO_PARAMETERS_SHARED;
        spec.dim = 1 + spec.dim % 6;
    }
    if (spec.method == SOTTO_METHOD_LDP_SGD && spec.parameters == SOTTO_PARAMETERS_PER_ARM) {
        spec.split = (sotto_split)draw_below(d, 2);
    }
    if (spec.reward_kind == SOTTO_REWARD_BINARY && draw_below(d, 2) == 0) {
        spec.link = SOTTO_LINK_PROBIT;
    }
    if (spec.reward_kind == SOTTO_REWARD_CONTINUOUS) {
        spec.reward_lo = draw_between(d, -2, 0);
        spec.reward_hi = draw_between(d, 0.5, 2);
    }
    bool lattice = spec.method >= SOTTO_METHOD_LDP_OLS && spec.method <= SOTTO_METHOD_LDP_GLOC;
    if (lattice) {
        spec.noise_law = (sotto_noise_law)draw_below(d, 2);
        spec.delta = spec.noise_law == SOTTO_NOISE_GAUSSIAN ? 1e-7 : 0;
    }
    draw_rest(d, &spec, lattice);
    return spec;
}
