/* The moments of a round: values by hand, order and weights, and the diameter of their range. */
#include "client/client.h"
#include "client/inner.h"
#include "core/core.h"
#include "distance.h"
#include "tape.h"
#include "test.h"

#include <float.h>
#include <math.h>

static sotto_spec moments_spec(uint32_t dim, sotto_noise_law law)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.method = SOTTO_METHOD_LDP_OLS, spec.score = SOTTO_SCORE_MOMENTS, spec.noise_law = law;
    spec.dim = dim, spec.delta = law == SOTTO_NOISE_LAPLACE ? 0 : 1e-6;
    return spec;
}

TEST(tiny_and_zero_contexts_give_finite_moments)
{
    const sotto_spec spec = moments_spec(2, SOTTO_NOISE_GAUSSIAN);
    const double tiny[][2] = {{0, -0.0}, {0x1p-1074, -0x1p-1074}, {1e-310, 1e-160}, {1e-6, 0}};
    for (size_t i = 0; i < 4; i++) {
        const sotto__scored scored = {.spec = &spec, .x = tiny[i], .reward = -1};
        double v[] = {7, 7, 7, 7, 7};
        sotto__score_moments(&scored, v);
        for (int j = 0; j < 5; j++) {
            assert_true(fabs(v[j]) <= 1e-6);
        }
    }
}

/* x = (1, 2, 3)/4, r = 1/2: the lower triangle row by row, then r x. The model does not matter. */
TEST(moments_are_the_lower_triangle_and_the_reward_s_multiple)
{
    const double x[] = {0.25, 0.5, 0.75}, theta[] = {NAN, INFINITY, -1e308};
    const double plain[] = {0.0625, 0.125, 0.25, 0.1875, 0.375, 0.5625, 0.125, 0.25, 0.375};
    const bool off_diagonal[] = {false, true, false, true, true, false, false, false, false};
    for (int law = 0; law < 2; law++) {
        const sotto_spec spec = moments_spec(3, (sotto_noise_law)law);
        const sotto__scored scored = {.spec = &spec, .x = x, .reward = 0.5, .theta = theta};
        double v[10] = {[9] = 7};
        sotto__score_moments(&scored, v);
        for (int i = 0; i < 9; i++) {
            bool scaled = off_diagonal[i] && law == SOTTO_NOISE_GAUSSIAN;
            assert_near(v[i], plain[i] * (scaled ? sqrt(2) : 1), 1e-15);
        }
        assert_true(v[9] == 7);
    }
}

TEST(the_reward_s_part_follows_sign_and_weight)
{
    sotto_spec spec = moments_spec(1, SOTTO_NOISE_GAUSSIAN);
    const double x[] = {-0.5};
    double v[2];
    sotto__scored scored = {.spec = &spec, .x = x, .reward = -0.75};
    sotto__score_moments(&scored, v);
    assert_true(v[0] == 0.25 && v[1] == 0.375);
    sotto__score_svec(&scored, 3, v); /* `last` stands in for the reward */
    assert_true(v[0] == 0.25 && v[1] == -1.5);
    spec.method = SOTTO_METHOD_SOTTO_OLS; /* lambda 1.1 */
    sotto__score_moments(&scored, v);
    assert_near(v[1], 1.1 * 0.375, 1e-16);
}

/* ||m||^2 = ||x||^4 + lambda^2 r^2 ||x||^2 with sqrt 2: that is what the L2 diameter rests on. */
TEST(gaussian_moments_have_the_norm_of_the_matrix)
{
    const double x[] = {0.3, -0.5, 0.1, 0.7};
    const sotto_spec spec = moments_spec(4, SOTTO_NOISE_GAUSSIAN);
    const sotto__scored scored = {.spec = &spec, .x = x, .reward = 0.8};
    double v[14], squares = 0, norm = 0.09 + 0.25 + 0.01 + 0.49;
    sotto__score_moments(&scored, v);
    for (int i = 0; i < 14; i++) {
        squares += v[i] * v[i];
    }
    assert_near(squares, norm * norm + 0.64 * norm, 1e-15);
}

TEST(no_moments_are_further_apart_than_the_diameter_and_some_nearly_attain_it)
{
    static const double bounds[] = {0.5, 1, 3}, rewards[] = {0.3, 1, 1.3, 5};
    for (int i = 0; i < 3 * 4 * 2 * 2 * 3; i++) {
        sotto_spec spec = moments_spec(1 + (uint32_t)(i / 48), (sotto_noise_law)(i % 2));
        spec.parameters = (sotto_parameters)(i / 2 % 2), spec.context_norm_max = bounds[i / 4 % 3];
        spec.reward_hi = rewards[i / 12 % 4], spec.reward_lo = i % 5 == 0 ? -0.1 : -spec.reward_hi;
        assert_diameter_holds(&spec, (uint64_t)i);
    }
}

/* Lifted moments: always on the unit sphere, by hand, and whatever the bounds. */

#define COUNT_MAX 66

static sotto_spec lifted_spec(uint32_t dim)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.method = SOTTO_METHOD_SOTTO_OLS, spec.score = SOTTO_SCORE_MOMENTS, spec.dim = dim;
    return spec;
}

static double squares_of(const double *v, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += v[i] * v[i];
    }
    return sum;
}

TEST(tiny_and_zero_contexts_are_lifted_to_the_pole)
{
    const double tiny[][2] = {{0, -0.0}, {0x1p-1074, 0}, {1e-310, -1e-160}};
    const sotto_spec spec = lifted_spec(2);
    for (size_t i = 0; i < 3; i++) {
        const sotto__scored scored = {.spec = &spec, .x = tiny[i], .reward = 1};
        double v[6];
        sotto__score_lifted(&scored, v);
        assert_true(v[5] == 1);
        assert_true(squares_of(v, 5) <= 1e-300);
    }
}

/* Whatever enters, clipped as a round clips it: a unit vector, its last number not negative. */
TEST(every_secret_lands_on_the_unit_sphere)
{
    const double odd[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308, 1e-310, 0, -0.0, 1, -1e-6};
    const double bounds[] = {1e-6, 0.5, 1, 1e6};
    tape random = tape_seeded(8);
    for (uint32_t trial = 0; trial < 20000; trial++) {
        sotto_spec spec = lifted_spec(1 + trial % 10);
        spec.context_norm_max = bounds[trial / 10 % 4], spec.reward_hi = bounds[trial / 40 % 4];
        spec.reward_lo = trial % 3 == 0 ? 0 : -spec.reward_hi * (trial % 3);
        double given[10], x[10], v[COUNT_MAX + 1];
        for (uint32_t i = 0; i < spec.dim; i++) {
            uint64_t word = sotto__seeded_next(&random.seeded);
            given[i] = trial % 2 == 0 ? odd[word % 10] : 2e6 * sotto__uniform(word) - 1e6;
        }
        sotto__clip_vector(given, spec.dim, spec.context_norm_max, x);
        double reward = sotto__clip_reward(&spec, odd[trial / 7 % 10]);
        const sotto__scored scored = {.spec = &spec, .x = x, .reward = reward};
        uint32_t count = sotto__statistic_dim(&spec);
        v[count] = 7;
        sotto__score_lifted(&scored, v);
        assert_near(squares_of(v, count), 1, 1e-14);
        assert_true(v[count - 1] >= 0);
        assert_true(v[count] == 7);
    }
}

/* C = 2, rewards in [-1, 4], x = (1.2, 0), r = 2: x/C = (0.6, 0), r/c = 0.5, lambda = 1.1:
 * m = (0.36, 0, 0, 0.33, 0), ||m||^2 = 0.2385, lift^2 = 2.21 - 0.2385. */
TEST(a_secret_by_hand)
{
    sotto_spec spec = lifted_spec(2);
    spec.context_norm_max = 2, spec.reward_hi = 4;
    const double x[] = {1.2, 0}, radius = sqrt(2.21);
    const double wanted[] = {0.36, 0, 0, 0.33, 0, sqrt(2.21 - 0.2385)};
    const sotto__scored scored = {.spec = &spec, .x = x, .reward = 2};
    double v[6];
    sotto__score_lifted(&scored, v);
    for (int i = 0; i < 6; i++) {
        assert_near(v[i], wanted[i] / radius, 1e-15);
    }
}

/* Off-diagonal entries carry sqrt 2, and the reward's larger end is the scale, low or high. */
TEST(order_and_weights_are_those_of_the_moments)
{
    sotto_spec spec = lifted_spec(2);
    spec.reward_lo = -8, spec.reward_hi = 2;
    const double x[] = {0.6, -0.8}, radius = sqrt(2.21);
    const double wanted[] = {
        0.36, -0.48 * sqrt(2), 0.64, -1.1 * 0.5 * 0.6, 1.1 * 0.5 * 0.8, 1.1 * sqrt(0.75)};
    const sotto__scored scored = {.spec = &spec, .x = x, .reward = -4};
    double v[6];
    sotto__score_lifted(&scored, v);
    for (int i = 0; i < 6; i++) {
        assert_near(v[i], wanted[i] / radius, 1e-14);
    }
}

TEST(the_longest_secret_needs_no_lift)
{
    const sotto_spec spec = lifted_spec(3);
    const double x[] = {2.0 / 7, 3.0 / 7, -6.0 / 7};
    const sotto__scored scored = {.spec = &spec, .x = x, .reward = -1};
    double v[10];
    sotto__score_lifted(&scored, v);
    assert_near(v[9], 0, 1e-7);
}

/* The GLOC pair: hostile estimates, the residual by hand, its clip, the diameter of its range. */

static sotto_spec pair_spec(uint32_t dim, sotto_link link)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.method = SOTTO_METHOD_LDP_GLOC, spec.score = SOTTO_SCORE_GLOC_PAIR, spec.link = link;
    spec.dim = dim, spec.delta = 1e-6;
    return spec;
}

/* The residual e of one number x = 1: the second of the pair. */
static double residual(const sotto_spec *spec, double online, double reward)
{
    const double x = 1, theta = 1e308; /* theta is the other estimate, and does not matter */
    const sotto__scored scored = {
        .spec = spec, .x = &x, .reward = reward, .theta = &theta, .online = &online};
    double v[2];
    sotto__score_gloc_pair(&scored, v);
    assert_true(v[0] == 1);
    return v[1];
}

TEST(hostile_estimates_give_a_residual_within_its_bound)
{
    const double odd[] = {NAN,    INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, 1e300, -1e300,
                          1e-310, 0,        -0.0,      710,     -710,     37,    -37};
    for (size_t i = 0; i < 4 * sizeof odd / sizeof odd[0]; i++) {
        sotto_spec spec = pair_spec(1, (sotto_link)(i % 4));
        for (double reward = -1; reward <= 1; reward += 0.5) {
            double e = residual(&spec, odd[i / 4], reward);
            assert_true(fabs(e) <= 2);
            if (!isfinite(odd[i / 4])) assert_true(e == residual(&spec, 0, reward));
        }
    }
    const sotto_spec two = pair_spec(2, SOTTO_LINK_IDENTITY);
    const double x[] = {0.6, 0.8}, online[] = {DBL_MAX, DBL_MAX}, against[] = {DBL_MAX, -DBL_MAX};
    double v[5];
    sotto__scored scored = {.spec = &two, .x = x, .online = online};
    sotto__score_gloc_pair(&scored, v);
    assert_true(fabs(v[3]) <= 1.2 && fabs(v[4]) <= 1.6);
    scored.online = against;
    sotto__score_gloc_pair(&scored, v);
    assert_true(v[3] == -1.2 && v[4] == -1.6);
}

TEST(the_residual_is_clipped_to_twice_the_largest_reward)
{
    sotto_spec spec = pair_spec(1, SOTTO_LINK_IDENTITY);
    assert_true(residual(&spec, 1.25, 0.25) == 1);
    assert_true(residual(&spec, 1.25, -0.75) == 2);
    assert_true(residual(&spec, 1.25, -1) == 2);
    assert_true(residual(&spec, -9, 1) == -2);
    assert_true(residual(&spec, 0, 0.5) == -0.5);
    spec.reward_lo = -3; /* the larger end counts, whichever it is */
    assert_true(residual(&spec, 9, 1) == 6);
    assert_true(residual(&spec, 4, 1) == 3);
    spec.reward_lo = 0.5, spec.reward_hi = 4;
    assert_true(residual(&spec, -9, 1) == -8);
}

TEST(the_residual_goes_through_the_link)
{
    const double v = 0.75;
    const double means[] = {v, 1 / (1 + exp(-v)), erfc(-v / sqrt(2)) / 2, exp(v)};
    for (int link = 0; link < 4; link++) {
        const sotto_spec spec = pair_spec(1, (sotto_link)link);
        assert_near(residual(&spec, v, 0.25), means[link] - 0.25, 1e-14);
    }
}

/* x = (1, 2)/4, theta_h = (2, 1): mu = 1, r = 1/2, e = 1/2; sqrt 2 for gaussian noise alone. */
TEST(the_pair_is_the_triangle_and_the_residual_s_multiple)
{
    const double x[] = {0.25, 0.5}, online[] = {2, 1};
    for (int law = 0; law < 2; law++) {
        sotto_spec spec = pair_spec(2, SOTTO_LINK_IDENTITY);
        spec.noise_law = (sotto_noise_law)law;
        const sotto__scored scored = {.spec = &spec, .x = x, .reward = 0.5, .online = online};
        double v[6] = {[5] = 7};
        sotto__score_gloc_pair(&scored, v);
        assert_true(v[0] == 0.0625 && v[2] == 0.25);
        assert_near(v[1], 0.125 * (law == SOTTO_NOISE_LAPLACE ? 1 : sqrt(2)), 1e-16);
        assert_true(v[3] == 0.125 && v[4] == 0.25);
        assert_true(v[5] == 7);
    }
}

TEST(no_pair_is_further_apart_than_the_diameter_and_one_nearly_attains_it)
{
    static const double bounds[] = {0.5, 1, 3}, rewards[] = {0.3, 1, 5};
    for (int i = 0; i < 3 * 3 * 2 * 2 * 3; i++) {
        sotto_spec spec = pair_spec(1 + (uint32_t)(i / 36), SOTTO_LINK_IDENTITY);
        spec.noise_law = (sotto_noise_law)(i % 2);
        if (i % 2 == 1) spec.delta = 0;
        spec.parameters = (sotto_parameters)(i / 2 % 2), spec.context_norm_max = bounds[i / 4 % 3];
        spec.reward_hi = rewards[i / 12 % 3], spec.reward_lo = i % 5 == 0 ? 0 : -spec.reward_hi;
        assert_diameter_holds(&spec, (uint64_t)i);
    }
}

/* The centred score: within [-1, 1], 0 in the mean where the prediction is true, falling with the
 * reward. */

static sotto_spec centred_spec(double lo, double hi)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_COUNT);
    spec.score = SOTTO_SCORE_CENTRED, spec.dim = 1, spec.reward_lo = lo, spec.reward_hi = hi;
    spec.reward_default = lo;
    return spec;
}

/* psi at a prediction and a reward: v is psi itself in one dimension. */
static double psi_of(const sotto_spec *spec, double prediction, double reward)
{
    const double x = 1;
    double v;
    const sotto__scored scored = {
        .spec = spec, .along_weight = 1, .x = &x, .reward = reward, .theta = &prediction};
    sotto__score_centred(&scored, &v);
    return v;
}

TEST(any_prediction_gives_a_score_within_one)
{
    const sotto_spec spec = centred_spec(0, 10);
    static const double predictions[] = {-1e300, -50, -4, 0, 1, 6.39, 7, 50, 1e300};
    for (size_t i = 0; i < sizeof predictions / sizeof predictions[0]; i++) {
        double before = 1;
        for (double reward = 0; reward <= 10; reward += 0.5) {
            double psi = psi_of(&spec, predictions[i], reward);
            assert_true(psi >= -1 && psi <= before);
            before = psi;
        }
    }
}

/* By an independent sum over Poisson(m) with its own logarithms. */
TEST(its_mean_is_zero_at_the_truth)
{
    static const struct {
        double mean, lo, hi;
    } rows[] = {{0.02, 0, 10}, {0.5, 0, 10}, {0.6931, 0, 10}, {1, 0, 10},
                {3.3, 0, 10},  {3.3, 0, 4},  {3.3, 3, 10},    {7, 0, 3},
                {12, 0, 1000}, {40, 0, 60},  {599, 0, 5000}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const sotto_spec spec = centred_spec(rows[i].lo, rows[i].hi);
        double sum = 0, m = rows[i].mean;
        for (int count = 0; count < 1500; count++) {
            double chance = exp(count * log(m) - m - lgamma(count + 1.0));
            double reward = fmax(spec.reward_lo, fmin(spec.reward_hi, count));
            sum += chance * psi_of(&spec, log(m), reward);
        }
        assert_near(sum, 0, 1e-10);
    }
}

/* Poisson(0.5): P(0) = .60653, so that q = 0 and psi(0) = P(R > 0)/P(R = 0). */
TEST(a_row_by_hand)
{
    const sotto_spec spec = centred_spec(0, 10);
    assert_near(psi_of(&spec, log(0.5), 0), expm1(0.5), 1e-12);
    assert_true(psi_of(&spec, log(0.5), 1) == -1);
    assert_true(psi_of(&spec, log(0.5), 0.25) == -1); /* a reward that is no count */
    assert_true(psi_of(&spec, log(3.3), 1) == 1);
}

/* Means below 0.02 and above 600 count as those. */
TEST(means_are_clamped)
{
    const sotto_spec spec = centred_spec(0, 1000);
    assert_near(psi_of(&spec, log(0.001), 0), expm1(0.02), 1e-12);
    assert_true(psi_of(&spec, log(0.021), 0) > expm1(0.0209));
    assert_true(psi_of(&spec, log(650), 601) == -1); /* the median of Poisson(600) is 600 */
    assert_true(psi_of(&spec, log(650), 599) == 1);
    assert_true(psi_of(&spec, log(599.5), 600) == -1);
}
