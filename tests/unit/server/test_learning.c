/* Settings of learning: every one at fault is named, and warm-ups are as long as they should be. */
#include "kinds.h"
#include "test.h"

#include <sotto/server.h>

#include <math.h>
#include <string.h>

static void each_bad_setting_is_named(void **state)
{
    (void)state;
    char text[SOTTO_FAULT_BYTES];
    sotto_terms terms = resolved_of(SIGNS);
    sotto_learning good = sotto_learning_default(&terms, 1000), bad;
    assert_null(sotto_learning_fault(&terms, &good, text));
#define BAD(field, value)                                                                          \
    bad = good, bad.field = (value);                                                               \
    assert_non_null(sotto_learning_fault(&terms, &bad, text));                                     \
    assert_non_null(strstr(text, #field " = "))
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
    terms = resolved_of(SIGNS); /* version 1 */
    BAD(mean_phase, 1);
    BAD(prior_variance, 1);
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    spec.version = 2, spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    good.prior_variance = 1;
    BAD(prior_variance, 0);
    BAD(prior_variance, 9e-13);
    BAD(prior_variance, 1.1e12);
    BAD(prior_variance, NAN);
    BAD(mean_phase, SOTTO_HORIZON_MAX + 1);
    good.mean_phase = SOTTO_HORIZON_MAX;
    assert_null(sotto_learning_fault(&terms, &good, text));
#undef BAD
}

static void edges_of_the_ranges_are_allowed(void **state)
{
    (void)state;
    char text[SOTTO_FAULT_BYTES];
    sotto_terms terms = resolved_of(SIGNS);
    sotto_learning edge = {.horizon = SOTTO_HORIZON_MAX,
                           .warm_up = SOTTO_HORIZON_MAX,
                           .epoch = SOTTO_REPORTS_MAX,
                           .alpha = 1e-9,
                           .step = SOTTO_STEP_SQRT,
                           .eta0 = 1e6,
                           .shift_scale = 0,
                           .elimination_scale = INFINITY};
    assert_null(sotto_learning_fault(&terms, &edge, text));
}

static uint64_t warm_up_of(sotto_method method, sotto_score score, uint32_t dim, uint32_t arms,
                           uint64_t horizon)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    spec.method = method, spec.score = score;
    spec.dim = dim, spec.arms = arms;
    bool gaussian = method != SOTTO_METHOD_SOTTO && method != SOTTO_METHOD_LDP_SGD;
    spec.delta = gaussian ? 1e-6 : 0;
    sotto_terms terms;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    return sotto_learning_default(&terms, horizon).warm_up;
}

/* ceil(c K (pi/2) d B^2): d = 20, B^2 = 124.488 + 1 at epsilon 1 (a printed vector of the codebook).
 * K = 3: c = clip(4.5/20) = 0.5: 0.5 x 3 x 1.5708 x 20 x 125.488 = 5913.5. K = 40: c = 3. */
static void tracked_warm_up_follows_its_formula(void **state)
{
    (void)state;
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
static void hidden_arms_warm_up_longer(void **state)
{
    (void)state;
    const sotto_method sotto = SOTTO_METHOD_SOTTO;
    const sotto_score sign = SOTTO_SCORE_SIGN;
    uint64_t alone = warm_up_of(sotto, sign, 3, 5, 0);
    assert_int_equal(warm_up_of(sotto, sign, 3, 5, 10000), alone);
    assert_int_equal(warm_up_of(sotto, sign, 3, 5, 100000), alone + 50);
    assert_int_equal(warm_up_of(sotto, sign, 3, 5, 10000000), alone + 150);
    assert_int_equal(warm_up_of(sotto, sign, 3, 5, 20000), alone + 15); /* 50 x 0.30103 */
    assert_int_equal(warm_up_of(sotto, sign, 3, 4, 100000), warm_up_of(sotto, sign, 3, 4, 0));
    assert_int_equal(warm_up_of(sotto, sign, 4, 5, 100000), warm_up_of(sotto, sign, 4, 5, 0));
    assert_true(warm_up_of(sotto, sign, 3, 26, 0) > 4000);
    assert_int_equal(warm_up_of(sotto, sign, 3, 26, 20000), 4000); /* capped after the sum */
}

static sotto_terms real_data_terms(uint32_t dim, uint32_t arms, sotto_link link)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    spec.dim = dim, spec.arms = arms, spec.link = link;
    spec.theta_norm_max = 3;
    sotto_terms terms;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    return terms;
}

/* Score self per arm: B without nulls, and floor(clip(., T/50, T/10)). */
static void on_real_data_warm_up_is_a_fiftieth_to_a_tenth(void **state)
{
    (void)state;
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

static void the_prior_goes_by_the_range_or_by_the_bound(void **state)
{
    (void)state;
    sotto_terms terms = real_data_terms(18, 4, SOTTO_LINK_IDENTITY);
    assert_true(sotto_learning_default(&terms, 1000).prior_variance == 0.5);
    terms.spec.reward_hi = 3;
    assert_true(sotto_learning_default(&terms, 1000).prior_variance == 4.5);
    terms = real_data_terms(18, 4, SOTTO_LINK_LOGIT);
    assert_true(sotto_learning_default(&terms, 1000).prior_variance == 0.5); /* 9/18 */
    terms = resolved_of(TAGS);
    assert_true(sotto_learning_default(&terms, 1000).prior_variance == 0);
}

static void the_mean_phase_is_the_one_that_pays(void **state)
{
    (void)state;
    sotto_terms terms = real_data_terms(5, 4, SOTTO_LINK_IDENTITY);
    assert_true(sotto_learning_mean_phase(&terms, 10000000) > 0);
    assert_int_equal(sotto_learning_default(&terms, 10000000).mean_phase,
                     sotto_learning_mean_phase(&terms, 10000000));
    assert_int_equal(sotto_learning_default(&terms, 0).mean_phase, 0);
}

/* c = 1.5. Tags give the main phase another B. */
static void tracked_warm_up_goes_by_the_codebook_of_the_warm_up(void **state)
{
    (void)state;
    sotto_terms terms = resolved_of(TAGS);
    double b = terms.codebook[SOTTO_PHASE_WARM_UP].scale;
    assert_true(fabs(terms.codebook[SOTTO_PHASE_MAIN].scale / b - 1) > 0.1);
    double wanted = 1.5 * ARMS * acos(0) * DIM * b * b;
    assert_near((double)sotto_learning_default(&terms, 0).warm_up, wanted + 0.5, 0.51);
}

/* The formula gives 3e12. */
static void no_warm_up_is_longer_than_the_longest_horizon(void **state)
{
    (void)state;
    char text[SOTTO_FAULT_BYTES];
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    spec.dim = 1024, spec.arms = 64;
    spec.epsilon = 0.01;
    sotto_terms terms;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    sotto_learning learning = sotto_learning_default(&terms, 0);
    assert_int_equal(learning.warm_up, SOTTO_HORIZON_MAX);
    assert_null(sotto_learning_fault(&terms, &learning, text));
}

/* K max(10 d, T/(20 K)), at most T/2. */
static void the_paper_s_warm_up_follows_its_formula(void **state)
{
    (void)state;
    assert_int_equal(warm_up_of(SOTTO_METHOD_LDP_SGD, SOTTO_SCORE_GRADIENT, 5, 3, 100000), 5000);
    assert_int_equal(warm_up_of(SOTTO_METHOD_LDP_SGD, SOTTO_SCORE_GRADIENT, 5, 3, 100002), 5001);
    assert_int_equal(warm_up_of(SOTTO_METHOD_LDP_OLS, SOTTO_SCORE_MOMENTS, 20, 3, 10000), 600);
    assert_int_equal(warm_up_of(SOTTO_METHOD_LDP_OLS, SOTTO_SCORE_MOMENTS, 20, 3, 1000), 500);
    assert_int_equal(warm_up_of(SOTTO_METHOD_LDP_OLS, SOTTO_SCORE_MOMENTS, 20, 3, 0), 600);
    assert_int_equal(warm_up_of(SOTTO_METHOD_LDP_OLS, SOTTO_SCORE_MOMENTS, 20, 3, 1), 0);
}

static void confidence_bounds_and_shared_parameters_have_none(void **state)
{
    (void)state;
    assert_int_equal(warm_up_of(SOTTO_METHOD_LDP_UCB, SOTTO_SCORE_MOMENTS, 5, 3, 100000), 0);
    assert_int_equal(warm_up_of(SOTTO_METHOD_LDP_GLOC, SOTTO_SCORE_GLOC_PAIR, 5, 3, 100000), 0);
    for (kind k = 0; k < KINDS; k++) {
        sotto_terms terms = resolved_of(k);
        bool shared = terms.spec.parameters == SOTTO_PARAMETERS_SHARED;
        assert_int_equal(sotto_learning_default(&terms, 100000).warm_up == 0, shared);
    }
}

static void steps_have_names(void **state)
{
    (void)state;
    assert_string_equal(sotto_step_name(SOTTO_STEP_INVERSE), "1/t");
    assert_string_equal(sotto_step_name(SOTTO_STEP_SQRT), "1/sqrt");
    assert_null(sotto_step_name(2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_bad_setting_is_named),
        cmocka_unit_test(edges_of_the_ranges_are_allowed),
        cmocka_unit_test(tracked_warm_up_follows_its_formula),
        cmocka_unit_test(hidden_arms_warm_up_longer),
        cmocka_unit_test(on_real_data_warm_up_is_a_fiftieth_to_a_tenth),
        cmocka_unit_test(the_prior_goes_by_the_range_or_by_the_bound),
        cmocka_unit_test(the_mean_phase_is_the_one_that_pays),
        cmocka_unit_test(tracked_warm_up_goes_by_the_codebook_of_the_warm_up),
        cmocka_unit_test(no_warm_up_is_longer_than_the_longest_horizon),
        cmocka_unit_test(the_paper_s_warm_up_follows_its_formula),
        cmocka_unit_test(confidence_bounds_and_shared_parameters_have_none),
        cmocka_unit_test(steps_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
