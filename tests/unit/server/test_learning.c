/* Settings of learning: every one at fault is named, and warm-ups are as long as they should be. */
#include "kinds.h"
#include "server/server.h"
#include "test.h"

#include <sotto/server.h>

#include <math.h>
#include <string.h>

TEST(each_bad_setting_is_named)
{
    sotto_fault fault;
    sotto_terms terms = resolved_of(SIGNS);
    sotto_learning good = sotto_learning_default(&terms, 1000), bad;
    assert_ok(sotto_learning_fault(&terms, &good, &fault));
#define BAD(field, value)                                                                          \
    bad = good, bad.field = (value);                                                               \
    assert_status(sotto_learning_fault(&terms, &bad, &fault), SOTTO_E_FAULT);                      \
    assert_non_null(strstr(fault.sentence, #field " = "))
    BAD(horizon, SOTTO_HORIZON_MAX + 1);
    BAD(warm_up, SOTTO_HORIZON_MAX + 1);
    BAD(epoch, SOTTO_REPORTS_MAX + 1);
    BAD(alpha, 0);
    BAD(alpha, 1);
    BAD(alpha, NAN);
    BAD(step, (sotto_step)2);
    BAD(eta0, 0);
    BAD(eta0, INFINITY);
    BAD(eta0, NAN);
    BAD(shift_scale, -1e-9);
    BAD(shift_scale, 1001);
    BAD(shift_scale, NAN);
    BAD(elimination_scale, -1);
    BAD(elimination_scale, NAN);
    terms = resolved_of(SHARED);
    BAD(warm_up, 1);
    good.warm_up = 0;
    BAD(mean_phase, 1);
    BAD(prior_variance, 1);
    terms = resolved_of(SIGNS);
    BAD(mean_phase, 1);
    BAD(prior_variance, 1);
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    good.prior_variance = 1;
    BAD(prior_variance, 0);
    BAD(prior_variance, 9e-13);
    BAD(prior_variance, 1.1e12);
    BAD(prior_variance, NAN);
    BAD(mean_phase, SOTTO_HORIZON_MAX + 1);
    good.mean_phase = SOTTO_HORIZON_MAX;
    assert_ok(sotto_learning_fault(&terms, &good, &fault));
#undef BAD
}

TEST(edges_of_the_ranges_are_allowed)
{
    sotto_terms terms = resolved_of(SIGNS);
    sotto_learning edge = {.horizon = SOTTO_HORIZON_MAX,
                           .warm_up = SOTTO_HORIZON_MAX,
                           .epoch = SOTTO_REPORTS_MAX,
                           .alpha = 1e-9,
                           .step = SOTTO_STEP_SQRT,
                           .eta0 = 1e6,
                           .shift_scale = 0,
                           .elimination_scale = INFINITY};
    assert_ok(sotto_learning_fault(&terms, &edge, NULL));
}

static uint64_t warm_up_of(sotto_method method, sotto_score score, uint32_t dim, uint32_t arms,
                           uint64_t horizon)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.parameters = SOTTO_PARAMETERS_PER_ARM, spec.method = method, spec.score = score;
    spec.dim = dim, spec.arms = arms;
    bool gaussian = method != SOTTO_METHOD_SOTTO && method != SOTTO_METHOD_LDP_SGD;
    spec.delta = gaussian ? 1e-6 : 0;
    sotto_terms terms = resolved(&spec);
    return sotto_learning_default(&terms, horizon).warm_up;
}

/* ceil(c K (pi/2) d B^2): d = 20, B^2 = 124.488 + 1 at epsilon 1 (a printed vector of the codebook).
 * K = 3: c = clip(4.5/20) = 0.5: 0.5 x 3 x 1.5708 x 20 x 125.488 = 5913.5. K = 40: c = 3. */
TEST(tracked_warm_up_follows_its_formula)
{
    uint64_t long_one = warm_up_of(SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, 20, 3, 10000000);
    assert_in_range(long_one, 5913, 5915);
    assert_int_equal(warm_up_of(SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, 20, 3, 0), long_one);
    assert_int_equal(warm_up_of(SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, 20, 3, 1000), 200);
    uint64_t many_arms = warm_up_of(SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, 20, 40, 0);
    assert_in_range(many_arms, 473070, 473090); /* 3 x 40 x 1.5708 x 20 x 125.488 */
    uint64_t middle = warm_up_of(SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, 20, 20, 0);
    assert_in_range(middle, 118265, 118275); /* 1.5 x 20 x 1.5708 x 20 x 125.488 */
}

/* d <= 3, K >= 5: 10 K log10(T/10^4) more, from T = 10^4 on, before the cap of T/5. */
TEST(hidden_arms_warm_up_longer)
{
    const sotto_method sotto = SOTTO_METHOD_SOTTO;
    const sotto_score sign = SOTTO_SCORE_SIGN;
    uint64_t alone = warm_up_of(sotto, sign, 3, 5, 0);
    assert_ints(warm_up_of(sotto, sign, 3, 5, 10000), alone, warm_up_of(sotto, sign, 3, 5, 100000),
                alone + 50, warm_up_of(sotto, sign, 3, 5, 10000000), alone + 150);
    assert_int_equal(warm_up_of(sotto, sign, 3, 5, 20000), alone + 15); /* 50 x 0.30103 */
    assert_int_equal(warm_up_of(sotto, sign, 3, 4, 100000), warm_up_of(sotto, sign, 3, 4, 0));
    assert_int_equal(warm_up_of(sotto, sign, 4, 5, 100000), warm_up_of(sotto, sign, 4, 5, 0));
    assert_true(warm_up_of(sotto, sign, 3, 26, 0) > 4000);
    assert_int_equal(warm_up_of(sotto, sign, 3, 26, 20000), 4000); /* capped after the sum */
}

static sotto_terms real_data_terms(uint32_t dim, uint32_t arms, sotto_link link)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    spec.parameters = SOTTO_PARAMETERS_PER_ARM, spec.dim = dim, spec.arms = arms, spec.link = link;
    spec.theta_norm_max = 3;
    return resolved(&spec);
}

/* Score self per arm: B without nulls, and floor(clip(., T/50, T/10)). */
TEST(on_real_data_warm_up_is_a_fiftieth_to_a_tenth)
{
    sotto_terms terms = real_data_terms(17, 10, SOTTO_LINK_IDENTITY);
    double b = terms.codebook[SOTTO_PHASE_MEAN].scale;
    assert_true(terms.codebook[SOTTO_PHASE_WARM_UP].scale > 1.01 * b); /* nulls */
    double wanted = ceil(1.5 * 10 / 17 * 10 * acos(0) * 17 * b * b);
    assert_near((double)sotto_learning_default(&terms, 0).warm_up, wanted, 0.5);
    assert_near((double)sotto_learning_default(&terms, 1000000).warm_up, wanted, 0.5);
    assert_int_equal(sotto_learning_default(&terms, 10999).warm_up, 1099);
    assert_int_equal(sotto_learning_default(&terms, 99999999).warm_up, 1999999);
    terms = real_data_terms(2, 5, SOTTO_LINK_IDENTITY);
    uint64_t alone = sotto_learning_default(&terms, 0).warm_up;
    assert_true(alone > 400 && alone < 1900);
    assert_int_equal(sotto_learning_default(&terms, 20000).warm_up, alone + 15); /* 50 x 0.30103 */
    terms = real_data_terms(3, 26, SOTTO_LINK_IDENTITY);
    assert_true(sotto_learning_default(&terms, 0).warm_up > 2000);
    assert_int_equal(sotto_learning_default(&terms, 20000).warm_up,
                     2000); /* capped after the sum */
}

TEST(the_prior_goes_by_the_range_or_by_the_bound)
{
    sotto_terms terms = real_data_terms(18, 4, SOTTO_LINK_IDENTITY);
    assert_true(sotto_learning_default(&terms, 1000).prior_variance == 0.5);
    terms.spec.reward_hi = 3;
    assert_true(sotto_learning_default(&terms, 1000).prior_variance == 4.5);
    terms = real_data_terms(18, 4, SOTTO_LINK_LOGIT);
    assert_true(sotto_learning_default(&terms, 1000).prior_variance == 0.5); /* 9/18 */
    terms = resolved_of(TAGS);
    assert_true(sotto_learning_default(&terms, 1000).prior_variance == 0);
}

TEST(the_mean_phase_is_the_one_that_pays)
{
    sotto_terms terms = real_data_terms(5, 4, SOTTO_LINK_IDENTITY);
    assert_true(sotto_learning_mean_phase(&terms, 10000000) > 0);
    assert_int_equal(sotto_learning_default(&terms, 10000000).mean_phase,
                     sotto_learning_mean_phase(&terms, 10000000));
    assert_int_equal(sotto_learning_default(&terms, 0).mean_phase, 0);
}

/* c = 1.5. Tags give the main phase another B. */
TEST(tracked_warm_up_goes_by_the_codebook_of_the_warm_up)
{
    sotto_terms terms = resolved_of(TAGS);
    double b = terms.codebook[SOTTO_PHASE_WARM_UP].scale;
    assert_true(fabs(terms.codebook[SOTTO_PHASE_MAIN].scale / b - 1) > 0.1);
    double wanted = 1.5 * ARMS * acos(0) * DIM * b * b;
    assert_near((double)sotto_learning_default(&terms, 0).warm_up, wanted + 0.5, 0.51);
}

/* The formula gives 3e12. */
TEST(no_warm_up_is_longer_than_the_longest_horizon)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.parameters = SOTTO_PARAMETERS_PER_ARM, spec.dim = 1024, spec.arms = 64;
    spec.epsilon = 0.01;
    sotto_terms terms = resolved(&spec);
    sotto_learning learning = sotto_learning_default(&terms, 0);
    assert_int_equal(learning.warm_up, SOTTO_HORIZON_MAX);
    assert_ok(sotto_learning_fault(&terms, &learning, NULL));
}

/* K max(10 d, T/(20 K)), at most T/2. */
TEST(the_paper_s_warm_up_follows_its_formula)
{
    assert_int_equal(warm_up_of(SOTTO_METHOD_LDP_SGD, SOTTO_SCORE_GRADIENT, 5, 3, 100000), 5000);
    assert_int_equal(warm_up_of(SOTTO_METHOD_LDP_SGD, SOTTO_SCORE_GRADIENT, 5, 3, 100002), 5001);
    assert_int_equal(warm_up_of(SOTTO_METHOD_LDP_OLS, SOTTO_SCORE_MOMENTS, 20, 3, 10000), 600);
    assert_int_equal(warm_up_of(SOTTO_METHOD_LDP_OLS, SOTTO_SCORE_MOMENTS, 20, 3, 1000), 500);
    assert_int_equal(warm_up_of(SOTTO_METHOD_LDP_OLS, SOTTO_SCORE_MOMENTS, 20, 3, 0), 600);
    assert_int_equal(warm_up_of(SOTTO_METHOD_LDP_OLS, SOTTO_SCORE_MOMENTS, 20, 3, 1), 0);
}

TEST(confidence_bounds_and_shared_parameters_have_none)
{
    assert_int_equal(warm_up_of(SOTTO_METHOD_LDP_UCB, SOTTO_SCORE_MOMENTS, 5, 3, 100000), 0);
    assert_int_equal(warm_up_of(SOTTO_METHOD_LDP_GLOC, SOTTO_SCORE_GLOC_PAIR, 5, 3, 100000), 0);
    for (kind k = 0; k < KINDS; k++) {
        sotto_terms terms = resolved_of(k);
        bool shared = terms.spec.parameters == SOTTO_PARAMETERS_SHARED;
        assert_int_equal(sotto_learning_default(&terms, 100000).warm_up == 0, shared);
    }
}

TEST(steps_have_names)
{
    assert_string_equal(sotto_step_name(SOTTO_STEP_INVERSE), "1/t");
    assert_string_equal(sotto_step_name(SOTTO_STEP_SQRT), "1/sqrt");
    assert_null(sotto_step_name(2));
}

/* Epoch sizes: by the rule, by hand, and never across the end of a phase. */

static sotto_learning automatic(const sotto_terms *terms)
{
    sotto_learning learning = sotto_learning_default(terms, 0);
    learning.epoch = 0, learning.warm_up = 0;
    return learning;
}

static uint64_t reports(const sotto_terms *terms, uint64_t t)
{
    sotto_learning learning = automatic(terms);
    return sotto__epoch_reports(terms, &learning, t, 0);
}

TEST(a_fixed_size_is_kept)
{
    sotto_terms terms = resolved_of(SHARED);
    sotto_learning learning = automatic(&terms);
    learning.epoch = 17;
    assert_int_equal(sotto__epoch_reports(&terms, &learning, 0, 0), 17);
    assert_int_equal(sotto__epoch_reports(&terms, &learning, 1000000, 0), 17);
}

/* n = floor(min(0.2 t, 0.25 B sqrt t)), at least 1. */
TEST(the_rule_is_stable_growth)
{
    sotto_terms terms = resolved_of(SHARED);
    double scale = terms.codebook[SOTTO_PHASE_MAIN].scale;
    assert_ints(reports(&terms, 0), 1, reports(&terms, 9), 1, reports(&terms, 10), 2,
                reports(&terms, 14), 2, reports(&terms, 1000000),
                (uint64_t)floor(0.25 * scale * 1000));
    assert_true(reports(&terms, 1000000) < 200000);
}

/* min(0.05 t, 0.1 B sqrt t) where reports may be late. */
TEST(late_reports_want_smaller_epochs)
{
    sotto_spec spec = resolved_of(SHARED).spec;
    spec.epoch_lag_max = 2;
    sotto_terms terms = resolved(&spec);
    double scale = terms.codebook[SOTTO_PHASE_MAIN].scale;
    assert_ints(reports(&terms, 39), 1, reports(&terms, 40), 2, reports(&terms, 1000000),
                (uint64_t)floor(0.1 * scale * 1000));
    spec.epoch_lag_max = 1;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    assert_int_equal(reports(&terms, 40), 2);
    spec.epoch_lag_max = 8; /* four times as many epochs on their way, each a quarter as long */
    assert_ok(sotto_spec_resolve(&spec, &terms));
    assert_int_equal(reports(&terms, 1000000), (uint64_t)floor(0.025 * scale * 1000));
}

/* B is the warm-up's for per-arm parameters: signs and tags have other codebooks. */
TEST(per_arm_takes_the_warm_up_s_length)
{
    const kind kinds[] = {SIGNS, TAGS, JOINT};
    for (size_t i = 0; i < 3; i++) {
        sotto_terms terms = resolved_of(kinds[i]);
        double scale = terms.codebook[SOTTO_PHASE_WARM_UP].scale;
        assert_int_equal(reports(&terms, 1000000), (uint64_t)floor(0.25 * scale * 1000));
    }
}

/* Least squares makes no steps that could overshoot; ldp-gloc's are not scaled by a B, and
 * confidence bounds would explore by turns. */
TEST(least_squares_grows_by_a_fifth_unless_it_explores)
{
    sotto_spec spec = resolved_of(TICKS).spec;
    sotto_terms terms = resolved(&spec);
    assert_int_equal(reports(&terms, 1000000), 200000);
    spec.method = SOTTO_METHOD_LDP_UCB;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    assert_int_equal(reports(&terms, 1000000), 250);
    spec.method = SOTTO_METHOD_LDP_GLOC, spec.score = SOTTO_SCORE_GLOC_PAIR;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    assert_int_equal(reports(&terms, 1000000), 250);
    spec.method = SOTTO_METHOD_SOTTO_OLS, spec.score = SOTTO_SCORE_MOMENTS, spec.delta = 0;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    assert_int_equal(reports(&terms, 1000000), 200000);
}

/* Under drift min(t, W) stands for t: otherwise epochs would grow while steps do not. */
TEST(a_window_bounds_growth)
{
    sotto_spec spec = resolved_of(SHARED).spec;
    spec.window_reports = 400;
    sotto_terms terms = resolved(&spec);
    double scale = terms.codebook[SOTTO_PHASE_MAIN].scale;
    uint64_t bound = (uint64_t)floor(fmin(80, 0.25 * scale * 20));
    assert_ints(reports(&terms, 400), bound, reports(&terms, 100000), bound);
}

TEST(configuration_caps_it)
{
    sotto_spec spec = resolved_of(SHARED).spec;
    spec.epoch_reports_max = 30;
    sotto_terms terms = resolved(&spec);
    assert_int_equal(reports(&terms, 1000000), 30);
    sotto_learning learning = automatic(&terms);
    learning.epoch = 1000;
    assert_int_equal(sotto__epoch_reports(&terms, &learning, 5, 0), 30);
}

TEST(no_epoch_spans_two_phases)
{
    sotto_terms terms = resolved_of(SIGNS);
    sotto_learning learning = automatic(&terms);
    learning.epoch = 100;
    assert_int_equal(sotto__epoch_reports(&terms, &learning, 0, 250), 100);
    assert_int_equal(sotto__epoch_reports(&terms, &learning, 200, 250), 50);
    assert_int_equal(sotto__epoch_reports(&terms, &learning, 249, 250), 1);
    assert_int_equal(sotto__epoch_reports(&terms, &learning, 250, 250), 100);
    assert_int_equal(sotto__epoch_reports(&terms, &learning, 249, 0), 100);
}

/* As long as a report may be on its way, over the epochs that wait for it. */
TEST(an_epoch_lasts_long_enough_for_its_reports)
{
    const struct {
        uint32_t window_s, spread_s, lag, wanted;
    } cases[] = {
        {0, 0, 0, 1},  {0, 0, 8, 1},
        {0, 9, 0, 9},  {10, 6, 8, 2},
        {10, 7, 8, 3}, {31536000, 31536000, 0, 31536000},
        {1, 0, 16, 1}, {31536000, 31536000, 16, 3942000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sotto_spec spec = {.reward_window_s = cases[i].window_s,
                           .send_spread_s = cases[i].spread_s,
                           .epoch_lag_max = cases[i].lag};
        assert_int_equal(sotto__epoch_seconds_min(&spec), cases[i].wanted);
    }
}

/* Where a fallback is served only measure rounds report: their part of the people, and never nobody. */
TEST(an_epoch_that_is_served_wants_measure_reports)
{
    const sotto_terms terms = {.spec = {.measure = 1u << 31}};
    assert_ints(sotto__served_reports(&terms, 1), 1, sotto__served_reports(&terms, 3), 1,
                sotto__served_reports(&terms, 4), 2);
}
