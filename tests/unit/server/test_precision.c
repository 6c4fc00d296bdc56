/* Precision of the tracked estimator: over few reports to the bit, over many against the recursion
 * in higher precision and against the loop, with and without a window. */
#include "server/inner.h"
#include "server/server.h"
#include "test.h"

#include <math.h>
#include <string.h>

static sotto_spec spec_of(sotto_score score, double range, double norm_max, uint64_t window)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = 4, spec.score = score, spec.reward_lo = 0, spec.reward_hi = range;
    spec.theta_norm_max = norm_max, spec.window_reports = window;
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

TEST(no_report_changes_nothing)
{
    sotto_spec spec = spec_of(SOTTO_SCORE_SIGN, 2, 1, 0);
    double precision = 4;
    assert_true(sotto__run_precision(&spec, first_of(&spec), 0.1, 0, &precision) == 0);
    assert_true(precision == 4);
}

TEST(the_first_precision_is_d_over_the_square_of_the_bound)
{
    sotto_spec spec = spec_of(SOTTO_SCORE_SIGN, 2, 4, 0);
    assert_true(first_of(&spec) == 0.25);
}

TEST(a_prior_takes_the_place_of_the_bound)
{
    sotto_spec spec = spec_of(SOTTO_SCORE_SELF, 2, 4, 0);
    const sotto_learning learning = {.prior_variance = 0.1};
    assert_true(sotto__first_precision(&spec, &learning) == 10);
}

/* Per-arm scores self: S = 1.2/R, and each report adds less than the one before. */
TEST(real_data_has_a_flatter_slope_and_a_damped_precision)
{
    sotto_spec spec = spec_of(SOTTO_SCORE_SELF, 2, 1, 0);
    spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    double precision = 4;
    assert_true(sotto__run_precision(&spec, 4, 0.1, 0, &precision) == 0);
    assert_true(sotto__run_precision(&spec, 4, 0.1, 2, &precision) == 0.6);
    double added = 0.1 * 0.36;
    assert_near(precision, 4 + added + added / (1 + 4 * added / 6), 1e-15);
    spec.link = SOTTO_LINK_LOGIT;
    assert_true(sotto__run_precision(&spec, 4, 0.1, 1, &precision) == 0.5);
    spec.parameters = SOTTO_PARAMETERS_SHARED, spec.link = SOTTO_LINK_IDENTITY;
    precision = 4;
    assert_true(sotto__run_precision(&spec, 4, 0.1, 2, &precision) == 0.8);
    assert_near(precision, 4 + 2 * 0.1 * 0.64, 1e-15);
}

TEST(epochs_of_the_loop_are_equal_to_the_bit)
{
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
TEST(the_slope_of_counts_is_a_half)
{
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
    assert_nears(1e-13, (double)(got / wanted), 1, (double)(slope / exact_slope), 1);
    assert_nears(1e-10, got / looped, 1, slope / looped_slope, 1);
}

/* Information from that of a report without noise to that of an epsilon of 0.01 and 100 arms;
 * ranges of rewards so short that 1/P grows like a power, and so long that it grows by the same;
 * windows that bind at once, in the middle, at the end and never. */
TEST(long_epochs_are_the_recursion)
{
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

TEST(an_epoch_of_two_hundred_thousand_is_the_recursion)
{
    world still = {2, 1, 2e-3, 0}, drift = {2, 1, 1e-5, 90000}, few = {1e-6, 1, 3e-5, 0};
    assert_as_recursion(SOTTO_SCORE_SIGN, &still, 200000, 1);
    assert_as_recursion(SOTTO_SCORE_SIGN, &drift, 200000, 1);
    assert_as_recursion(SOTTO_SCORE_SIGN, &few, 200000, 1);
}

/* Short ranges and a window of about 1/a make the bound slow to settle: 1/P runs freely for some
 * 27,000 reports, and then takes hundreds to come to rest. */
TEST(the_window_binds_from_the_right_report_on)
{
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
TEST(a_window_lets_go_of_what_is_too_much)
{
    world w = {2, 1, 1e-4, 1000};
    assert_as_recursion(SOTTO_SCORE_SIGN, &w, 5000, 1e6);
    assert_as_recursion(SOTTO_SCORE_SELF, &w, 5000, 1e6);
}

/* More reports than a loop could take. For large q the recursion is q' = q + a, nearly: 1/P grows
 * by 0.64 information/s0^2 per report. */
TEST(the_largest_epochs_end)
{
    sotto_spec spec = spec_of(SOTTO_SCORE_SIGN, 2, 1, 0);
    double precision = 4, reports = ldexp(1, 52);
    double slope = sotto__run_precision(&spec, first_of(&spec), 0.5, UINT64_C(1) << 52, &precision);
    assert_nears(1e-12, precision / (reports * 0.64 * 0.5 / 0.09), 1, slope, 0.8 / 0.3);
    spec.window_reports = 1000;
    precision = 4;
    (void)sotto__run_precision(&spec, first_of(&spec), 0.5, UINT64_C(1) << 52, &precision);
    double settled = precision;
    (void)sotto__run_precision(&spec, first_of(&spec), 0.5, 1, &precision);
    assert_near(precision / settled, 1, 1e-15);
}

/* The damped precision: its definition, many reports at once, and its bound under drift. */

/* 1/P += added/(1 + R^2 (1/P - 1/P_0)/6), in the words of the definition. */
static double gone_through(const sotto__damping *damping, uint64_t reports, double from)
{
    long double squared = (long double)damping->range * damping->range, precision = from;
    for (uint64_t i = 0; i < reports; i++) {
        precision += damping->added / (1 + squared * (precision - damping->first) / 6);
    }
    return (double)precision;
}

TEST(no_report_damps_nothing)
{
    const sotto__damping damping = {.first = 2, .range = 1, .added = 0.5, .window = 1};
    assert_true(sotto__run_damped(&damping, 0, 2.75) == 2.75);
}

TEST(the_first_report_adds_all_and_the_next_less)
{
    const sotto__damping damping = {.first = 2, .range = 3, .added = 0.5};
    double one = sotto__run_damped(&damping, 1, 2);
    assert_near(one, 2.5, 1e-15);
    double two = sotto__run_damped(&damping, 1, one);
    assert_near(two, 2.5 + 0.5 / (1 + 9 * 0.5 / 6), 1e-15);
}

TEST(a_precision_below_the_first_counts_as_the_first)
{
    const sotto__damping damping = {.first = 2, .range = 1, .added = 0.5};
    assert_true(sotto__run_damped(&damping, 1, 1) == sotto__run_damped(&damping, 1, 2));
}

TEST(many_reports_at_once_are_as_many_one_by_one)
{
    static const double added[] = {1e-9, 1e-5, 3e-4, 0.02, 1, 50};
    static const double ranges[] = {0.1, 1, 40};
    static const uint64_t counts[] = {
        1, 100, SOTTO__LOOP_REPORTS_MAX, SOTTO__LOOP_REPORTS_MAX + 1, 20000, 300000};
    for (int i = 0; i < 6 * 3 * 6; i++) {
        const sotto__damping damping = {
            .first = 2 / (ranges[i % 3] * ranges[i % 3]),
            .range = ranges[i % 3],
            .added = added[i / 3 % 6],
        };
        double from = damping.first * (i % 2 == 0 ? 1 : 1.7);
        double got = sotto__run_damped(&damping, counts[i / 18], from);
        double want = gone_through(&damping, counts[i / 18], from);
        assert_near(got / want, 1, 1e-12);
    }
}

/* y + y^2/12 grows by about a: after a billion reports nothing else is left. */
TEST(a_billion_reports_end_where_the_square_says)
{
    const sotto__damping damping = {.first = 2, .range = 1, .added = 0.01};
    double y = sotto__run_damped(&damping, 1000000000, 2) - 2;
    assert_near((y + y * y / 12) / 1e7, 1, 1e-5);
}

/* y <= the root of y + y^2/12 = W a, from both sides, however reports are divided. */
TEST(under_drift_it_stays_at_its_bound)
{
    const sotto__damping damping = {.first = 2, .range = 2, .added = 0.01, .window = 1000};
    double most = sotto__run_damped(&damping, 1000000, 2), y = 4 * (most - 2);
    assert_near(y + y * y / 12, 1000 * 4 * 0.01, 1e-12);
    assert_true(sotto__run_damped(&damping, 1, most) == most);
    assert_true(sotto__run_damped(&damping, 1, 100) == most);
    const sotto__damping still = {.first = 2, .range = 2, .added = 0.01};
    assert_true(sotto__run_damped(&damping, 500, 2) == sotto__run_damped(&still, 500, 2));
}

/* Sums of steps and products of weights: against loops in higher precision, and by hand. */

/* The definition, in long double. */
static long double loop_sum(sotto_step step, const sotto__step_times *times)
{
    long double sum = 0;
    for (uint64_t u = 0; u < times->count; u++) {
        long double s = (long double)times->first + (long double)times->stride * (long double)u;
        if (s < times->lo) s = times->lo;
        if (s > times->hi) s = times->hi;
        sum += 1 / (step == SOTTO_STEP_SQRT ? sqrtl(s) : s);
    }
    return sum;
}

static long double loop_kept(uint64_t before, uint64_t count, uint64_t window)
{
    long double kept = 1;
    for (uint64_t u = before + 1; u <= before + count; u++) {
        uint64_t t = window > 0 && u > window ? window : u;
        kept *= 1 - 4 / ((long double)t + 3);
    }
    return kept;
}

static void assert_relative(double got, long double wanted, double tolerance)
{
    assert_near((double)(got / wanted), 1, tolerance);
}

TEST(no_reading_adds_nothing)
{
    sotto__step_times times = {.first = 1, .stride = 1, .count = 0, .lo = 1, .hi = INFINITY};
    assert_true(sotto__step_sum(SOTTO_STEP_INVERSE, &times) == 0);
    assert_true(sotto__step_sum(SOTTO_STEP_SQRT, &times) == 0);
    assert_true(sotto__average_kept(7, 0, 0) == 1);
    assert_true(sotto__average_kept(7, 0, 5) == 1);
}

/* 1 + 1/2 + 1/3 + 1/4; 1/4 + 1/4 + 1/4 + 1/5 + 1/6 + 1/6 with lo = 4, hi = 6 from 2 on. */
TEST(few_readings_by_hand)
{
    sotto__step_times plain = {.first = 1, .stride = 1, .count = 4, .lo = 1, .hi = INFINITY};
    assert_nears(1e-15, sotto__step_sum(SOTTO_STEP_INVERSE, &plain), 25.0 / 12,
                 sotto__step_sum(SOTTO_STEP_SQRT, &plain), 1 + sqrt(0.5) + sqrt(1 / 3.0) + 0.5);
    sotto__step_times clipped = {.first = 2, .stride = 1, .count = 6, .lo = 4, .hi = 6};
    assert_near(sotto__step_sum(SOTTO_STEP_INVERSE, &clipped), 0.95 + 1.0 / 3, 1e-15);
}

TEST(sums_are_those_of_the_loop)
{
    static const double firsts[] = {-5000, 0.25, 1, 2, 63, 64, 1000.5, 3e6, 4e12};
    static const double strides[] = {1, 1.0 / 3, 0.01};
    static const double tops[] = {INFINITY, 2, 700, 1e5};
    static const uint64_t counts[] = {1, 60, 64, 65, 4097, 9000};
    for (size_t i = 0; i < sizeof firsts / sizeof firsts[0]; i++) {
        for (size_t j = 0; j < 3 * 4 * 6; j++) {
            sotto__step_times times = {.first = firsts[i],
                                       .stride = strides[j % 3],
                                       .count = counts[j / 3 % 6],
                                       .lo = strides[j % 3],
                                       .hi = tops[j / 18]};
            for (int step = 0; step < 2; step++) {
                double got = sotto__step_sum((sotto_step)step, &times);
                assert_relative(got, loop_sum((sotto_step)step, &times), 1e-14);
            }
        }
    }
}

TEST(sums_of_two_hundred_thousand_are_those_of_the_loop)
{
    for (int step = 0; step < 2; step++) {
        sotto__step_times still = {
            .first = 2, .stride = 1, .count = 200000, .lo = 1, .hi = INFINITY};
        double got = sotto__step_sum((sotto_step)step, &still);
        assert_relative(got, loop_sum((sotto_step)step, &still), 1e-14);
        sotto__step_times drift = {
            .first = -7, .stride = 0.1, .count = 200000, .lo = 0.1, .hi = 9000};
        got = sotto__step_sum((sotto_step)step, &drift);
        assert_relative(got, loop_sum((sotto_step)step, &drift), 1e-14);
    }
}

/* Times that stand still at one end. */
TEST(times_may_stay_outside_their_limits)
{
    sotto__step_times low = {.first = -1e9, .stride = 1, .count = 5000, .lo = 0.5, .hi = 8};
    assert_near(sotto__step_sum(SOTTO_STEP_INVERSE, &low), 10000, 1e-9);
    sotto__step_times high = {.first = 9, .stride = 1, .count = 5000, .lo = 0.5, .hi = 8};
    assert_near(sotto__step_sum(SOTTO_STEP_INVERSE, &high), 625, 1e-9);
    sotto__step_times point = {.first = 1, .stride = 1, .count = 5000, .lo = 4, .hi = 4};
    assert_near(sotto__step_sum(SOTTO_STEP_SQRT, &point), 2500, 1e-9);
}

/* More reports than any loop could take: log 2 and 2 (sqrt 2 - 1) sqrt t. */
TEST(the_largest_epochs_are_summed)
{
    double t = ldexp(1, 60);
    sotto__step_times times = {
        .first = t, .stride = 1, .count = UINT64_C(1) << 60, .lo = 1, .hi = INFINITY};
    assert_near(sotto__step_sum(SOTTO_STEP_INVERSE, &times), log(2), 1e-15);
    assert_relative(sotto__step_sum(SOTTO_STEP_SQRT, &times), 2 * (sqrtl(2) - 1) * ldexp(1, 30),
                    1e-15);
}

TEST(products_are_those_of_the_loop)
{
    static const uint64_t befores[] = {0, 1, 2, 50, 4999, 5000, 5001, 1000000};
    static const uint64_t counts[] = {1, 2, 100, 4097, 20000};
    static const uint64_t windows[] = {0, 2, 300, 5000, 30000, 1000000000};
    for (size_t i = 0; i < 8 * 5 * 6; i++) {
        uint64_t before = befores[i % 8], count = counts[i / 8 % 5], window = windows[i / 40];
        double got = sotto__average_kept(before, count, window);
        long double wanted = loop_kept(before, count, window);
        assert_near(got, (double)wanted, 1e-15);
        if (wanted > 1e-250L) assert_relative(got, wanted, 1e-12);
    }
}

/* t = 1 has weight 1: nothing before it is kept, with any window. */
TEST(the_first_report_is_all_there_is)
{
    assert_true(sotto__average_kept(0, 5000, 0) == 0);
    assert_true(sotto__average_kept(0, 5000, 100) == 0);
    assert_true(sotto__average_kept(0, 5000, 1) == 0);
    assert_true(sotto__average_kept(9, 5000, 1) == 0);
}
