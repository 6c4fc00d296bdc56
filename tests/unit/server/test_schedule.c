/* Epoch sizes: by the rule, by hand, and never across the end of a phase. */
#include "kinds.h"
#include "server/schedule.h"
#include "test.h"

#include <math.h>

static sotto_learning automatic(const sotto_terms *terms)
{
    sotto_learning learning = sotto_learning_default(terms, 0);
    learning.epoch = 0;
    learning.warm_up = 0;
    return learning;
}

static uint64_t reports(const sotto_terms *terms, uint64_t t)
{
    sotto_learning learning = automatic(terms);
    return sotto__epoch_reports(terms, &learning, t, 0);
}

static void a_fixed_size_is_kept(void **state)
{
    (void)state;
    sotto_terms terms = resolved_of(SHARED);
    sotto_learning learning = automatic(&terms);
    learning.epoch = 17;
    assert_int_equal(sotto__epoch_reports(&terms, &learning, 0, 0), 17);
    assert_int_equal(sotto__epoch_reports(&terms, &learning, 1000000, 0), 17);
}

/* n = floor(min(0.2 t, 0.25 B sqrt t)), at least 1. */
static void the_rule_is_stable_growth(void **state)
{
    (void)state;
    sotto_terms terms = resolved_of(SHARED);
    double scale = terms.codebook[SOTTO_PHASE_MAIN].scale;
    assert_int_equal(reports(&terms, 0), 1);
    assert_int_equal(reports(&terms, 9), 1);
    assert_int_equal(reports(&terms, 10), 2);
    assert_int_equal(reports(&terms, 14), 2);
    assert_int_equal(reports(&terms, 1000000), (uint64_t)floor(0.25 * scale * 1000));
    assert_true(reports(&terms, 1000000) < 200000);
}

/* min(0.05 t, 0.1 B sqrt t) where reports may be late. */
static void late_reports_want_smaller_epochs(void **state)
{
    (void)state;
    sotto_spec spec = resolved_of(SHARED).spec;
    spec.epoch_lag_max = 2;
    sotto_terms terms;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    double scale = terms.codebook[SOTTO_PHASE_MAIN].scale;
    assert_int_equal(reports(&terms, 39), 1);
    assert_int_equal(reports(&terms, 40), 2);
    assert_int_equal(reports(&terms, 1000000), (uint64_t)floor(0.1 * scale * 1000));
    spec.epoch_lag_max = 1;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    assert_int_equal(reports(&terms, 40), 2);
    spec.epoch_lag_max = 8; /* four times as many epochs on their way, each a quarter as long */
    assert_ok(sotto_spec_resolve(&spec, &terms));
    assert_int_equal(reports(&terms, 1000000), (uint64_t)floor(0.025 * scale * 1000));
}

/* B is the warm-up's for per-arm parameters: signs and tags have other codebooks. */
static void per_arm_takes_the_warm_up_s_length(void **state)
{
    (void)state;
    const kind kinds[] = {SIGNS, TAGS, JOINT};
    for (size_t i = 0; i < 3; i++) {
        sotto_terms terms = resolved_of(kinds[i]);
        double scale = terms.codebook[SOTTO_PHASE_WARM_UP].scale;
        assert_int_equal(reports(&terms, 1000000), (uint64_t)floor(0.25 * scale * 1000));
    }
}

/* Least squares makes no steps that could overshoot; ldp-gloc's are not scaled by a B, and
 * confidence bounds would explore by turns. */
static void least_squares_grows_by_a_fifth_unless_it_explores(void **state)
{
    (void)state;
    sotto_spec spec = resolved_of(TICKS).spec;
    sotto_terms terms;
    assert_ok(sotto_spec_resolve(&spec, &terms));
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
static void a_window_bounds_growth(void **state)
{
    (void)state;
    sotto_spec spec = resolved_of(SHARED).spec;
    spec.window_reports = 400;
    sotto_terms terms;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    double scale = terms.codebook[SOTTO_PHASE_MAIN].scale;
    uint64_t bound = (uint64_t)floor(fmin(80, 0.25 * scale * 20));
    assert_int_equal(reports(&terms, 400), bound);
    assert_int_equal(reports(&terms, 100000), bound);
}

static void configuration_caps_it(void **state)
{
    (void)state;
    sotto_spec spec = resolved_of(SHARED).spec;
    spec.epoch_reports_max = 30;
    sotto_terms terms;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    assert_int_equal(reports(&terms, 1000000), 30);
    sotto_learning learning = automatic(&terms);
    learning.epoch = 1000;
    assert_int_equal(sotto__epoch_reports(&terms, &learning, 5, 0), 30);
}

static void no_epoch_spans_two_phases(void **state)
{
    (void)state;
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
static void an_epoch_lasts_long_enough_for_its_reports(void **state)
{
    (void)state;
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
static void an_epoch_that_is_served_wants_measure_reports(void **state)
{
    (void)state;
    const sotto_terms terms = {.spec = {.measure = 1u << 31}};
    assert_int_equal(sotto__served_reports(&terms, 1), 1);
    assert_int_equal(sotto__served_reports(&terms, 3), 1);
    assert_int_equal(sotto__served_reports(&terms, 4), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fixed_size_is_kept),
        cmocka_unit_test(the_rule_is_stable_growth),
        cmocka_unit_test(late_reports_want_smaller_epochs),
        cmocka_unit_test(per_arm_takes_the_warm_up_s_length),
        cmocka_unit_test(least_squares_grows_by_a_fifth_unless_it_explores),
        cmocka_unit_test(a_window_bounds_growth),
        cmocka_unit_test(configuration_caps_it),
        cmocka_unit_test(no_epoch_spans_two_phases),
        cmocka_unit_test(an_epoch_lasts_long_enough_for_its_reports),
        cmocka_unit_test(an_epoch_that_is_served_wants_measure_reports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
