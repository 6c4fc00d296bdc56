/* The self-normalised score: the residual over the largest that its mean allows, for every link. */
#include "client/score_rows.h"
#include "test.h"

#include <math.h>

static sotto_spec spec_of(sotto_reward_kind kind, sotto_link link)
{
    sotto_spec spec = sotto_spec_default(kind);
    spec.dim = 2;
    spec.score = SOTTO_SCORE_SELF;
    spec.link = link;
    return spec;
}

static double plain_mean(sotto_link link, double z)
{
    switch (link) {
    case SOTTO_LINK_IDENTITY: return z;
    case SOTTO_LINK_LOGIT: return exp(z) / (1 + exp(z));
    case SOTTO_LINK_PROBIT: return (1 + erf(z / sqrt(2))) / 2;
    case SOTTO_LINK_LOG: return pow(2.718281828459045, z);
    }
    return NAN;
}

static double plain_psi(const sotto_spec *spec, double z, double reward)
{
    double mean = plain_mean(spec->link, z);
    if (mean < spec->reward_lo) mean = spec->reward_lo;
    if (mean > spec->reward_hi) mean = spec->reward_hi;
    double down = mean - spec->reward_lo, up = spec->reward_hi - mean;
    return (mean - reward) / (down > up ? down : up);
}

static void hostile_parameters_still_score_within_one(void **state)
{
    (void)state;
    const double x[] = {0.6, 0.8};
    const double theta[][2] = {{NAN, 0}, {INFINITY, 0}, {1e308, 0}, {-1e308, 0}, {1e300, -1e300}};
    for (int link = 0; link < 4; link++) {
        for (size_t i = 0; i < 10; i++) {
            const sotto_spec spec = spec_of(SOTTO_REWARD_COUNT, (sotto_link)link);
            const sotto__scored scored = {.spec = &spec,
                                          .along_weight = 1,
                                          .x = x,
                                          .reward = i < 5 ? 0 : 10,
                                          .theta = theta[i % 5]};
            double v[2];
            sotto__score_self(&scored, v);
            assert_true(hypot(v[0], v[1]) <= 1 + 1e-12);
        }
    }
}

static void a_mean_beyond_the_range_counts_as_its_end(void **state)
{
    (void)state;
    const sotto_spec spec = spec_of(SOTTO_REWARD_COUNT, SOTTO_LINK_LOG);
    const double x[] = {1, 0}, theta[] = {600, 0}, rewards[] = {0, 5, 10}, psis[] = {1, 0.5, 0};
    for (size_t i = 0; i < 3; i++) {
        const sotto__scored scored = {
            .spec = &spec, .along_weight = 1, .x = x, .reward = rewards[i], .theta = theta};
        double v[2];
        sotto__score_self(&scored, v);
        assert_near(v[0], psis[i], 1e-15);
    }
}

static void zero_context_gives_zero(void **state)
{
    (void)state;
    const sotto_spec spec = spec_of(SOTTO_REWARD_BINARY, SOTTO_LINK_LOGIT);
    const double x[] = {0, 0}, theta[] = {1, 1};
    const sotto__scored scored = {
        .spec = &spec, .along_weight = 0.5, .x = x, .reward = 1, .theta = theta, .decide = theta};
    double v[] = {7, 7};
    sotto__score_self(&scored, v);
    assert_true(v[0] == 0 && v[1] == 0);
}

static void every_link_and_kind_follows_the_formula(void **state)
{
    (void)state;
    const double x[] = {-0.36, 0.48};
    for (int at = 0; at < 3 * 4 * 9 * 5; at++) {
        const sotto_spec spec = spec_of((sotto_reward_kind)(at % 3), (sotto_link)(at / 3 % 4));
        const double theta[] = {(at / 12 % 9 - 4) / 2.0, (at / 12 % 9 - 3) / 3.0};
        double part = at / 108 / 4.0; /* 0, 1/4, ..., 1 of the range */
        double reward = spec.reward_lo + part * (spec.reward_hi - spec.reward_lo);
        const sotto__scored scored = {
            .spec = &spec, .along_weight = 1, .x = x, .reward = reward, .theta = theta};
        double v[2], psi = plain_psi(&spec, x[0] * theta[0] + x[1] * theta[1], reward);
        sotto__score_self(&scored, v);
        assert_near(v[0], psi * -0.6, 1e-13);
        assert_near(v[1], psi * 0.8, 1e-13);
    }
}

/* mu = 1/2: rewards 0 and 1 are as far as they can be. */
static void an_even_guess_scores_plus_or_minus_one(void **state)
{
    (void)state;
    const sotto_spec spec = spec_of(SOTTO_REWARD_BINARY, SOTTO_LINK_LOGIT);
    const double x[] = {0, 1}, theta[] = {3, 0};
    sotto__scored scored = {.spec = &spec, .along_weight = 1, .x = x, .theta = theta};
    double v[2];
    scored.reward = 0;
    sotto__score_self(&scored, v);
    assert_true(v[1] == 1);
    scored.reward = 1;
    sotto__score_self(&scored, v);
    assert_true(v[1] == -1);
}

static void the_mean_is_of_the_true_context(void **state)
{
    (void)state;
    const sotto_spec spec = spec_of(SOTTO_REWARD_BINARY, SOTTO_LINK_LOGIT);
    const double x[] = {0.9, 0.3}, theta[] = {1, -2}, decide[] = {2, 0};
    const sotto__scored scored = {
        .spec = &spec, .along_weight = 0.5, .x = x, .reward = 0, .theta = theta, .decide = decide};
    double v[2], norm = hypot(0.45, 0.3), psi = plain_psi(&spec, 0.3, 0);
    sotto__score_self(&scored, v);
    assert_near(v[0], psi * 0.45 / norm, 1e-14);
    assert_near(v[1], psi * 0.3 / norm, 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_parameters_still_score_within_one),
        cmocka_unit_test(a_mean_beyond_the_range_counts_as_its_end),
        cmocka_unit_test(zero_context_gives_zero),
        cmocka_unit_test(every_link_and_kind_follows_the_formula),
        cmocka_unit_test(an_even_guess_scores_plus_or_minus_one),
        cmocka_unit_test(the_mean_is_of_the_true_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
