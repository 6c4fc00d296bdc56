/* Precision of the tracked estimator: over few reports to the bit, over many against the recursion
 * in higher precision and against the loop, with and without a window. */
#include "server/precision.h"
#include "server/step_sum.h"
#include "test.h"

#include <math.h>
#include <string.h>

static sotto_spec spec_of(sotto_score score, double range, double norm_max, uint64_t window)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = 4;
    spec.score = score;
    spec.reward_lo = 0;
    spec.reward_hi = range;
    spec.theta_norm_max = norm_max;
    spec.window_reports = window;
    return spec;
}

/* The recursion as estimator_tracked.c states it, in double: what a loop over all reports gives. */
static double loop(const sotto_spec *spec, double information, uint64_t reports, double *precision)
{
    double slope = 0, range = spec->reward_hi - spec->reward_lo, noise = 0.3 * range / 2;
    double start = spec->dim / (spec->theta_norm_max * spec->theta_norm_max);
    for (uint64_t u = 0; u < reports; u++) {
        bool self = spec->score == SOTTO_SCORE_SELF;
        slope = self ? 1.6 / range : 0.8 / sqrt(noise * noise + 1 / *precision);
        double added = information * slope * slope;
        *precision += added;
        if (spec->window_reports == 0) continue;
        *precision = fmin(*precision, start + (double)spec->window_reports * added);
    }
    return slope;
}

static double first_of(const sotto_spec *spec)
{
    const sotto_learning learning = {0};
    return sotto__first_precision(spec, &learning);
}

static long double exact_slope;

/* The same in long double; exact_slope is S of the last report. */
static long double exact(const sotto_spec *spec, double information, uint64_t reports,
                         double precision)
{
    long double p = precision, range = (long double)spec->reward_hi - spec->reward_lo;
    long double noise = 0.15L * range, norm = spec->theta_norm_max,
                start = spec->dim / (norm * norm);
    for (uint64_t u = 0; u < reports; u++) {
        bool self = spec->score == SOTTO_SCORE_SELF;
        exact_slope = self ? 1.6L / range : 0.8L / sqrtl(noise * noise + 1 / p);
        long double added = information * exact_slope * exact_slope;
        p += added;
        long double most = start + (long double)spec->window_reports * added;
        if (spec->window_reports > 0 && p > most) p = most;
    }
    return p;
}

static void no_report_changes_nothing(void **state)
{
    (void)state;
    sotto_spec spec = spec_of(SOTTO_SCORE_SIGN, 2, 1, 0);
    double precision = 4;
    assert_true(sotto__run_precision(&spec, first_of(&spec), 0.1, 0, &precision) == 0);
    assert_true(precision == 4);
}

static void the_first_precision_is_d_over_the_square_of_the_bound(void **state)
{
    (void)state;
    sotto_spec spec = spec_of(SOTTO_SCORE_SIGN, 2, 4, 0);
    assert_true(first_of(&spec) == 0.25);
}

static void a_prior_takes_the_place_of_the_bound(void **state)
{
    (void)state;
    sotto_spec spec = spec_of(SOTTO_SCORE_SELF, 2, 4, 0);
    const sotto_learning learning = {.prior_variance = 0.1};
    assert_true(sotto__first_precision(&spec, &learning) == 10);
}

/* Per-arm scores self of version 2: S = 1.2/R, and each report adds less than the one before. */
static void real_data_has_a_flatter_slope_and_a_damped_precision(void **state)
{
    (void)state;
    sotto_spec spec = spec_of(SOTTO_SCORE_SELF, 2, 1, 0);
    spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    double precision = 4;
    assert_true(sotto__run_precision(&spec, 4, 0.1, 0, &precision) == 0);
    assert_true(sotto__run_precision(&spec, 4, 0.1, 2, &precision) == 0.6);
    double added = 0.1 * 0.36;
    assert_near(precision, 4 + added + added / (1 + 4 * added / 6), 1e-15);
    spec.link = SOTTO_LINK_LOGIT;
    assert_true(sotto__run_precision(&spec, 4, 0.1, 1, &precision) == 0.5);
    spec.version = 1;
    spec.link = SOTTO_LINK_IDENTITY;
    precision = 4;
    assert_true(sotto__run_precision(&spec, 4, 0.1, 2, &precision) == 0.8);
    assert_near(precision, 4 + 2 * 0.1 * 0.64, 1e-15);
}

static void epochs_of_the_loop_are_equal_to_the_bit(void **state)
{
    (void)state;
    static const sotto_score scores[] = {SOTTO_SCORE_SIGN, SOTTO_SCORE_HUBER, SOTTO_SCORE_SELF};
    static const uint64_t counts[] = {1, 7, 1000, SOTTO__LOOP_REPORTS_MAX};
    for (size_t i = 0; i < 3 * 4 * 2; i++) {
        sotto_spec spec = spec_of(scores[i % 3], 2, 1, i / 12 ? 500 : 0);
        double got = 4, wanted = 4;
        double slope = sotto__run_precision(&spec, first_of(&spec), 0.003, counts[i / 3 % 4], &got);
        assert_true(slope == loop(&spec, 0.003, counts[i / 3 % 4], &wanted));
        assert_true(got == wanted);
    }
}

/* 0.5 for self and centred under a link that is not the identity, few reports or many. */
static void the_slope_of_counts_is_a_half(void **state)
{
    (void)state;
    static const sotto_score scores[] = {SOTTO_SCORE_SELF, SOTTO_SCORE_CENTRED};
    for (int i = 0; i < 4; i++) {
        sotto_spec spec = spec_of(scores[i % 2], 10, 1, 0);
        spec.link = SOTTO_LINK_LOG;
        uint64_t reports = i / 2 ? 10000 : 100;
        double precision = 4;
        assert_true(sotto__run_precision(&spec, first_of(&spec), 0.01, reports, &precision) == 0.5);
        assert_near(precision, 4 + 0.0025 * (double)reports, 1e-11);
    }
}

typedef struct world {
    double range, norm_max;
    double information;
    uint64_t window;
} world;

static void assert_as_recursion(sotto_score score, const world *w, uint64_t reports, double from)
{
    sotto_spec spec = spec_of(score, w->range, w->norm_max, w->window);
    double start = from * first_of(&spec), got = start, looped = start;
    double slope = sotto__run_precision(&spec, first_of(&spec), w->information, reports, &got);
    double looped_slope = loop(&spec, w->information, reports, &looped);
    long double wanted = exact(&spec, w->information, reports, start);
    assert_near((double)(got / wanted), 1, 1e-13);
    assert_near((double)(slope / exact_slope), 1, 1e-13);
    assert_near(got / looped, 1, 1e-10);
    assert_near(slope / looped_slope, 1, 1e-10);
}

/* Information from that of a report without noise to that of an epsilon of 0.01 and 100 arms;
 * ranges of rewards so short that 1/P grows like a power, and so long that it grows by the same;
 * windows that bind at once, in the middle, at the end and never. */
static void long_epochs_are_the_recursion(void **state)
{
    (void)state;
    static const double informations[] = {1, 0.1, 0.01, 2e-3, 7.6e-4, 1e-4, 3e-6, 1e-9};
    static const double ranges[] = {1e-6, 0.01, 2, 50};
    static const uint64_t windows[] = {0, 1, 2, 50, 3000, 8000, 10000000};
    for (size_t i = 0; i < 8 * 4; i++) {
        for (size_t j = 0; j < 7; j++) {
            world w = {ranges[i / 8], j % 2 ? 30 : 1, informations[i % 8], windows[j]};
            assert_as_recursion(SOTTO_SCORE_SIGN, &w, SOTTO__LOOP_REPORTS_MAX + 1 + 700 * j, 1);
            assert_as_recursion(SOTTO_SCORE_HUBER, &w, 9000, 12.5);
        }
        world w = {ranges[i / 8], 1, informations[i % 8], i % 2 ? 6000 : 0};
        assert_as_recursion(SOTTO_SCORE_SELF, &w, 9000, 3);
    }
}

static void an_epoch_of_two_hundred_thousand_is_the_recursion(void **state)
{
    (void)state;
    world still = {2, 1, 2e-3, 0}, drift = {2, 1, 1e-5, 90000}, few = {1e-6, 1, 3e-5, 0};
    assert_as_recursion(SOTTO_SCORE_SIGN, &still, 200000, 1);
    assert_as_recursion(SOTTO_SCORE_SIGN, &drift, 200000, 1);
    assert_as_recursion(SOTTO_SCORE_SIGN, &few, 200000, 1);
}

/* Short ranges and a window of about 1/a make the bound slow to settle: 1/P runs freely for some
 * 27,000 reports, and then takes hundreds to come to rest. */
static void the_window_binds_from_the_right_report_on(void **state)
{
    (void)state;
    world w = {1.0 / 30, 1, 1 / (0.64 * 6000), 6000};
    sotto_spec spec = spec_of(SOTTO_SCORE_SIGN, w.range, w.norm_max, w.window);
    sotto_spec unbound = spec_of(SOTTO_SCORE_SIGN, w.range, w.norm_max, 0);
    double bounded = 4, unbounded = 4;
    uint64_t free = 0;
    for (; free < 100000 && bounded == unbounded; free++) {
        (void)loop(&spec, w.information, 1, &bounded);
        (void)loop(&unbound, w.information, 1, &unbounded);
    }
    assert_in_range(free, 20000, 40000);
    for (uint64_t n = free - 2; n < free + 3; n++) {
        assert_as_recursion(SOTTO_SCORE_SIGN, &w, n, 1);
    }
    assert_as_recursion(SOTTO_SCORE_SIGN, &w, free + 100, 1);
    assert_as_recursion(SOTTO_SCORE_SIGN, &w, 5000, 300); /* from above */
}

/* After a warm-up that said more per report, 1/P may be above what the window allows. */
static void a_window_lets_go_of_what_is_too_much(void **state)
{
    (void)state;
    world w = {2, 1, 1e-4, 1000};
    assert_as_recursion(SOTTO_SCORE_SIGN, &w, 5000, 1e6);
    assert_as_recursion(SOTTO_SCORE_SELF, &w, 5000, 1e6);
}

/* More reports than a loop could take. For large q the recursion is q' = q + a, nearly: 1/P grows
 * by 0.64 information/s0^2 per report. */
static void the_largest_epochs_end(void **state)
{
    (void)state;
    sotto_spec spec = spec_of(SOTTO_SCORE_SIGN, 2, 1, 0);
    double precision = 4, reports = ldexp(1, 52);
    double slope = sotto__run_precision(&spec, first_of(&spec), 0.5, UINT64_C(1) << 52, &precision);
    assert_near(precision / (reports * 0.64 * 0.5 / 0.09), 1, 1e-12);
    assert_near(slope, 0.8 / 0.3, 1e-12);
    spec.window_reports = 1000;
    precision = 4;
    (void)sotto__run_precision(&spec, first_of(&spec), 0.5, UINT64_C(1) << 52, &precision);
    double settled = precision;
    (void)sotto__run_precision(&spec, first_of(&spec), 0.5, 1, &precision);
    assert_near(precision / settled, 1, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_report_changes_nothing),
        cmocka_unit_test(the_first_precision_is_d_over_the_square_of_the_bound),
        cmocka_unit_test(a_prior_takes_the_place_of_the_bound),
        cmocka_unit_test(real_data_has_a_flatter_slope_and_a_damped_precision),
        cmocka_unit_test(epochs_of_the_loop_are_equal_to_the_bit),
        cmocka_unit_test(the_slope_of_counts_is_a_half),
        cmocka_unit_test(long_epochs_are_the_recursion),
        cmocka_unit_test(an_epoch_of_two_hundred_thousand_is_the_recursion),
        cmocka_unit_test(the_window_binds_from_the_right_report_on),
        cmocka_unit_test(a_window_lets_go_of_what_is_too_much),
        cmocka_unit_test(the_largest_epochs_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
