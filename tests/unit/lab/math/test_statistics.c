/* Distributions and confidence bounds against known answers (SciPy 1.10). */
#include "lab/math/math.h"
#include "lab/random/random.h"
#include "seeds.h"
#include "stats.h"
#include "test.h"

#define assert_relative(got, wanted, tolerance) assert_near((got) / (wanted), 1, tolerance)

TEST(quantiles_of_the_normal)
{
    assert_near(sotto__normal_quantile(1e-12), -7.034483825301131, 1e-9);
    assert_near(sotto__normal_quantile(1e-7), -5.1993375821928165, 1e-10);
    assert_near(sotto__normal_quantile(0.005), -2.575829303548901, 1e-12);
    assert_near(sotto__normal_quantile(0.3), -0.5244005127080409, 1e-12);
    assert_near(sotto__normal_quantile(0.5), 0, 1e-12);
    assert_near(sotto__normal_quantile(0.999), 3.090232306167813, 1e-11);
    assert_relative(sotto__normal_tail(5), 2.866515718791933e-07, 1e-12);
    assert_relative(sotto__two_sided(-2), 0.04550026389635839, 1e-12);
}

TEST(tails_of_chi_square)
{
    assert_relative(sotto__chi_square_tail(3.84, 1), 0.05004352124870519, 1e-10);
    assert_relative(sotto__chi_square_tail(10, 10), 0.44049328506521257, 1e-12);
    assert_relative(sotto__chi_square_tail(120, 63), 2.010693881650102e-05, 1e-10);
    assert_relative(sotto__chi_square_tail(250, 127), 4.6546528989113714e-10, 1e-10);
    assert_nears(0, sotto__chi_square_tail(0, 3), 1, sotto__chi_square_tail(NAN, 3), 1);
}

TEST(inverse_of_the_incomplete_beta)
{
    assert_relative(sotto__beta_inverse(0.005, 1, 100), 5.012416197765643e-05, 1e-10);
    assert_relative(sotto__beta_inverse(0.005, 50, 51), 0.368861437358924, 1e-11);
    assert_relative(sotto__beta_inverse(1e-7, 600000, 400001), 0.597450536647072, 1e-9);
    assert_relative(sotto__beta_inverse(0.5, 2.5, 1.5), 0.6475477201228691, 1e-11);
    assert_relative(sotto__beta_inverse(0.001, 1, 1000000), 1.0005003330828618e-09, 1e-7);
}

TEST(bounds_of_clopper_and_pearson)
{
    assert_near(sotto__chance_lower(0, 100, 0.005), 0, 0);
    assert_relative(sotto__chance_upper(0, 100, 0.005), 0.05160402962410399, 1e-10);
    assert_relative(sotto__chance_lower(100, 100, 0.005), 0.948395970375896, 1e-12);
    assert_near(sotto__chance_upper(100, 100, 0.005), 1, 0);
    assert_relative(sotto__chance_lower(73, 100, 0.005), 0.601434349082817, 1e-11);
    assert_relative(sotto__chance_upper(73, 100, 0.005), 0.8359596508682342, 1e-11);
    assert_relative(sotto__chance_lower(731, 1000, 1e-4), 0.6762949540893338, 1e-11);
}

TEST(tails_of_the_binomial)
{
    assert_relative(sotto__binomial_tail(60, 100, 0.5), 0.028443966820490444, 1e-11);
    assert_relative(sotto__binomial_p(60, 100, 0.5), 0.05688793364098089, 1e-11);
    assert_near(sotto__binomial_p(3, 1000, 0.0027), 1, 1e-9);
    assert_relative(sotto__binomial_p(731500, 1000000, 0.7310585786300049), 0.3200345578172312,
                    1e-7);
    assert_near(sotto__binomial_tail(0, 10, 0.1), 1, 0);
}

TEST(p_values_of_counts_and_variances)
{
    const uint64_t even[] = {100, 100, 100}, uneven[] = {200, 50, 50};
    assert_near(sotto__uniform_p(even, 3), 1, 1e-12);
    assert_true(sotto__uniform_p(uneven, 3) < 1e-20);
    assert_near(sotto__uniform_p(uneven, 1), 1, 0);
    /* 25 hits in 64 places: 26 neighbours are one group; an empty half is still detected. */
    uint64_t sparse[64] = {0}, none[3] = {0};
    for (int i = 0; i < 25; i++) {
        sparse[i]++;
    }
    assert_true(sotto__uniform_p(sparse, 64) < 1e-4);
    sparse[60] = 9; /* one place that was hit nine times proves nothing */
    assert_true(sotto__uniform_p(sparse + 32, 32) > 0.01);
    assert_near(sotto__uniform_p(none, 3), 1, 0);
    /* chi-square with 100 degrees is above 129.561 with probability 0.025. */
    assert_near(sotto__variance_p(1.29561, 100, 3), 0.05, 0.002);
    assert_near(sotto__variance_p(0.742219, 100, 3), 0.05, 0.002);
    assert_true(sotto__variance_p(1.1, 100000, 6) < 1e-10);
    assert_near(sotto__smallest_p(0.2, 3), 0.6, 1e-12);
    assert_near(sotto__smallest_p(0.5, 3), 1, 0);
}

/* Means, deviations, quantiles, slopes. */

TEST(nothing_has_no_answer)
{
    const double one[] = {3};
    assert_true(isnan(sotto__mean_of(one, 0)) && isnan(sotto__quantile(one, 0, 0.5)));
    assert_true(isnan(sotto__deviation(one, 1)) && isnan(sotto__standard_error(one, 1)));
    assert_true(isnan(sotto__slope(one, one, 1)));
    sotto__sort(NULL, 0);
}

/* 1, 2, 4, 9: mean 4, squares 9 + 4 + 0 + 25 = 38. */
TEST(numbers_by_hand)
{
    const double x[] = {9, 1, 4, 2};
    assert_nears(1e-15, sotto__mean_of(x, 4), 4, sotto__deviation(x, 4), sqrt(38.0 / 3));
    assert_near(sotto__standard_error(x, 4), sqrt(38.0 / 12), 1e-15);
}

TEST(quantiles_lie_between_neighbours)
{
    double x[] = {9, 1, 4, 2};
    sotto__sort(x, 4);
    assert_nears(0, sotto__quantile(x, 4, 0), 1, sotto__quantile(x, 4, 1), 9);
    assert_near(sotto__quantile(x, 4, 0.5), 3, 1e-15);
    assert_near(sotto__quantile(x, 4, 0.9), 7.5, 1e-14); /* place 2.7: 4 + 0.7 x 5 */
}

/* Through (0, 1), (1, 2), (2, 6): mean 1 and 3, (2 x 1 + 3 x 1)/2. */
TEST(slope_by_hand)
{
    const double x[] = {0, 1, 2}, y[] = {1, 2, 6}, same[] = {5, 5, 5};
    assert_near(sotto__slope(x, y, 3), 2.5, 1e-15);
    assert_true(isnan(sotto__slope(same, y, 3)));
}

/* The exact rank test. */

TEST(bad_inputs_have_no_p)
{
    const double x[] = {1, 2, 3}, tied[] = {5, 2}, nothing[] = {NAN};
    double many[SOTTO__RANK_TEST_MAX + 1];
    for (uint32_t i = 0; i <= SOTTO__RANK_TEST_MAX; i++) {
        many[i] = 10 + i;
    }
    assert_true(isnan(sotto__rank_test(x, 0, tied, 2)) && isnan(sotto__rank_test(x, 3, tied, 0)));
    assert_true(isnan(sotto__rank_test(x, 3, tied, 2)));
    assert_true(isnan(sotto__rank_test(x, 3, nothing, 1)));
    assert_true(isnan(sotto__rank_test(many, SOTTO__RANK_TEST_MAX + 1, x, 3)));
    assert_true(isnan(sotto__rank_test(x, 3, many, SOTTO__RANK_TEST_MAX + 1)));
    assert_true(sotto__rank_test(many, SOTTO__RANK_TEST_MAX, x, 3) > 0);
}

/* Of the C(5, 2) = 10 orders of 2 and 3 values, u = 0..6 have 1 1 2 2 2 1 1. */
TEST(small_cases_by_hand)
{
    const double low[] = {1, 2}, high[] = {3, 4, 5}, between[] = {1.5, 6, 7},
                 inside[] = {0, 1.5, 3};
    assert_near(sotto__rank_test(low, 2, high, 3), 0.2, 1e-15);    /* u = 0 */
    assert_near(sotto__rank_test(high, 3, low, 2), 0.2, 1e-15);    /* u = 6 */
    assert_near(sotto__rank_test(low, 2, between, 3), 0.4, 1e-15); /* u = 1: 2 x 2/10 */
    assert_near(sotto__rank_test(low, 2, inside, 3), 1, 1e-15);    /* u = 3: the middle */
}

/* All of 30 above all of 10: 2/C(40, 10), to 15 digits. */
TEST(the_farthest_order_of_many)
{
    double first[30], second[10];
    for (uint32_t i = 0; i < 30; i++) {
        first[i] = 100 + i;
    }
    for (uint32_t i = 0; i < 10; i++) {
        second[i] = i;
    }
    assert_near(sotto__rank_test(first, 30, second, 10) * 847660528 / 2, 1, 1e-13);
}

/* The law adds up to 1: p of the middle is 1, and p is even in u. */
TEST(both_tails_weigh_the_same)
{
    double first[7], second[9], mirrored_first[7], mirrored_second[9];
    for (uint32_t i = 0; i < 7; i++) {
        first[i] = 2.5 * i + 0.3;
        mirrored_first[i] = -first[i];
    }
    for (uint32_t i = 0; i < 9; i++) {
        second[i] = i;
        mirrored_second[i] = -second[i];
    }
    double p = sotto__rank_test(first, 7, second, 9);
    assert_true(p > 0 && p < 1);
    assert_near(p, sotto__rank_test(mirrored_first, 7, mirrored_second, 9), 1e-15);
    assert_near(p, sotto__rank_test(second, 9, first, 7), 1e-15);
}

/* Expectations over the best arm, against closed forms and draws. */

#define PI 3.14159265358979323846

static double one(double c, const void *state)
{
    (void)c;
    (void)state;
    return 1;
}

static double square(double c, const void *state)
{
    return c * c * *(const double *)state;
}

/* Chances sum to 1, in every dimension and for every number of arms. */
TEST(the_density_integrates_to_one)
{
    const uint32_t dims[] = {1, 2, 3, 4, 10, 143, 144, 145, 1024};
    const uint32_t arms[] = {1, 2, 3, 20, 1024};
    for (int i = 0; i < 9; i++) {
        for (int j = 0; j < 5; j++) {
            assert_near(sotto__sphere_max(dims[i], arms[j], one, NULL), 1, 1e-9);
        }
    }
}

/* One arm: E c = 0, E c^2 = 1/d. */
TEST(one_arm_has_the_moments_of_a_projection)
{
    const double three = 3;
    for (uint32_t d = 1; d <= 1024; d = 2 * d + 1) {
        assert_near(sotto__sphere_max_mean(d, 1), 0, 1e-12);
        assert_near(sotto__sphere_max(d, 1, square, &three), 3.0 / d, 1e-10);
    }
}

/* A projection is +-1 on a line, cos of a uniform angle on a circle, uniform in space. */
TEST(one_two_and_three_dimensions_have_closed_forms)
{
    for (uint32_t arms = 1; arms <= 1024; arms *= 2) {
        double k = arms;
        assert_near(sotto__sphere_max_mean(1, arms), 1 - 2 * pow(2, -k), 1e-15);
        assert_near(sotto__sphere_max_mean(3, arms), (k - 1) / (k + 1), 1e-10);
    }
    /* E max(cos a, cos b) = 4/pi^2. */
    assert_near(sotto__sphere_max_mean(2, 2), 4 / (PI * PI), 1e-12);
    const double unit = 1; /* K uniforms on [-1, 1]: E c^2 = 4K/(K + 2) - 4K/(K + 1) + 1 */
    assert_near(sotto__sphere_max(3, 4, square, &unit), 16.0 / 6 - 16.0 / 5 + 1, 1e-12);
}

TEST(the_largest_of_normals_has_closed_forms)
{
    assert_near(sotto__normal_max_mean(1), 0, 1e-14);
    assert_near(sotto__normal_max_mean(2), 1 / sqrt(PI), 1e-12);
    assert_near(sotto__normal_max_mean(3), 1.5 / sqrt(PI), 1e-12);
    /* Tables of order statistics: 10 and 100 normals. */
    assert_near(sotto__normal_max_mean(10), 1.53875273, 1e-8);
    assert_near(sotto__normal_max_mean(100), 2.50759364, 1e-8);
}

/* In many dimensions a projection is nearly normal: with d = 1024 to a part in a few hundred. */
TEST(many_dimensions_come_near_to_normals)
{
    for (uint32_t arms = 2; arms <= 64; arms *= 2) {
        double ratio = 32 * sotto__sphere_max_mean(1024, arms) / sotto__normal_max_mean(arms);
        assert_near(ratio, 1, 0.005);
    }
}

/* Five arms of R^7, drawn 200000 times (false alarms below 1e-6). */
TEST(the_mean_is_that_of_draws)
{
    enum { DRAWS = 200000, ARMS = 5, DIM = 7 };
    sotto__ziggurat ziggurat;
    sotto__seeded seeded = seeded_of(3);
    sotto__ziggurat_begin(&ziggurat);
    double sum = 0, squares = 0;
    for (int i = 0; i < DRAWS; i++) {
        double best = -1;
        for (int k = 0; k < ARMS; k++) {
            double x = sotto__normal(&ziggurat, &seeded), norm = x * x;
            for (int j = 1; j < DIM; j++) {
                double y = sotto__normal(&ziggurat, &seeded);
                norm += y * y;
            }
            best = fmax(best, x / sqrt(norm));
        }
        sum += best, squares += best * best;
    }
    double mean = sum / DRAWS, error = sqrt((squares / DRAWS - mean * mean) / DRAWS);
    assert_near(sotto__sphere_max_mean(DIM, ARMS), mean, Z_FALSE_ALARM * error);
}

/* Correlations at 128 lags: independent numbers of any law pass; dependence is detected and its lag
 * named. */

static double normal(sotto__seeded *random)
{
    double pair[2];
    sotto__normal_pair(sotto__seeded_next(random), sotto__seeded_next(random), pair);
    return pair[0];
}

TEST(what_is_short_or_constant_says_nothing)
{
    sotto__lags lags = {.count = 0};
    assert_near(sotto__lags_worst(&lags).p, 1, 0);
    sotto__lags_end(&lags); /* no numbers */
    sotto__lags_add(&lags, 5);
    sotto__lags_end(&lags);
    for (uint32_t i = 0; i < 1000; i++) {
        sotto__lags_add(&lags, 3);
    }
    sotto__lags_end(&lags);
    assert_near(sotto__lags_worst(&lags).p, 1, 0);
    assert_int_equal(lags.sequences, 0);
}

/* Sequences with different means and variances, and far from 0. */
TEST(independent_numbers_pass)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        sotto__lags lags = {.count = 0};
        sotto__seeded random = seeded_of(seed);
        for (uint32_t i = 0; i < 40000; i++) {
            uint32_t sequence = i / 8000;
            sotto__lags_add(&lags, sequence + (1 + 9 * (sequence == 3)) * normal(&random));
            if (i % 8000 == 7999) sotto__lags_end(&lags);
        }
        assert_int_equal(lags.sequences, 5);
        assert_true(sotto__lags_worst(&lags).p > 1e-4);
    }
}

/* Each number at a place t with odd t/lag is that of `lag` places before, negated. */
TEST(the_lag_is_named)
{
    const uint32_t lag[] = {1, 2, 3, 64, 127, 128};
    for (uint32_t n = 0; n < sizeof lag / sizeof lag[0]; n++) {
        sotto__lags lags = {.count = 0};
        sotto__seeded random = seeded_of(7);
        double past[128];
        for (uint32_t t = 0; t < 20000; t++) {
            double *held = &past[t % lag[n]];
            *held = t / lag[n] % 2 == 0 ? normal(&random) : -*held;
            sotto__lags_add(&lags, *held);
        }
        sotto__lags_end(&lags);
        sotto__worst_lag worst = sotto__lags_worst(&lags);
        assert_int_equal(worst.lag, lag[n]);
        assert_near(worst.correlation, -0.5, 0.05);
        assert_true(worst.p < 1e-100);
    }
}

/* Nothing is reported beyond the reach, and a new sequence has no earlier numbers. */
TEST(a_sequence_begins_anew)
{
    sotto__lags far = {.count = 0}, apart = {.count = 0};
    sotto__seeded random = seeded_of(8);
    double past[129];
    for (uint32_t t = 0; t < 20000; t++) {
        double *held = &past[t % 129];
        *held = t / 129 % 2 == 0 ? normal(&random) : *held;
        sotto__lags_add(&far, *held);
    }
    for (uint32_t t = 0; t < 20000; t++) { /* a pair of equal numbers, cut between the two */
        double y = normal(&random);
        sotto__lags_add(&apart, y);
        if (t % 200 == 199) {
            sotto__lags_end(&apart);
            sotto__lags_add(&apart, y);
        }
    }
    sotto__lags_end(&far);
    sotto__lags_end(&apart);
    assert_true(sotto__lags_worst(&far).p > 1e-4 && sotto__lags_worst(&apart).p > 1e-4);
}

/* Weak dependence adds up over sequences, and signs do not cancel. */
TEST(sequences_add_up)
{
    sotto__lags lags = {.count = 0};
    sotto__seeded random = seeded_of(9);
    for (uint32_t sequence = 0; sequence < 4; sequence++) {
        double last[2] = {0, 0};
        for (uint32_t t = 0; t < 20000; t++) {
            double y = normal(&random);
            sotto__lags_add(&lags, y + 0.03 * last[t % 2]);
            last[t % 2] = y;
        }
        sotto__lags_end(&lags);
    }
    sotto__worst_lag worst = sotto__lags_worst(&lags);
    assert_int_equal(worst.lag, 2);
    assert_near(worst.correlation, 0.03, 0.015);
    assert_true(worst.p < 1e-6);
}
