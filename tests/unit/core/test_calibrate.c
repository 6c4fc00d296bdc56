/* Scales of the randomisers against the printed vectors, their definitions and brute force. */
#include "test.h"

#include "core/calibrate.h"

#include <math.h>

static void arguments_out_of_range_err_towards_noise(void **state)
{
    (void)state;
    static const double epsilon[] = {0, -1, 1e-9, 50.1, 1e300, INFINITY, NAN};
    for (size_t i = 0; i < sizeof epsilon / sizeof epsilon[0]; i++) {
        assert_true(sotto_gaussian_sigma(epsilon[i], 1e-6, 1) == INFINITY);
        assert_true(sotto_l2ball_radius(10, epsilon[i]) == INFINITY);
        assert_true(sotto_privunit_constants(10, epsilon[i]).scale == INFINITY);
    }
    static const double delta[] = {0, -1, 1e-13, 0.51, INFINITY, NAN};
    for (size_t i = 0; i < sizeof delta / sizeof delta[0]; i++) {
        assert_true(sotto_gaussian_sigma(1, delta[i], 1) == INFINITY);
    }
    assert_true(sotto_gaussian_sigma(1, 1e-6, INFINITY) == INFINITY);
    assert_true(sotto_l2ball_radius(0, 1) == INFINITY);
    assert_true(sotto_l2ball_radius(SOTTO_CELLS_MAX + 1, 1) == INFINITY);
    assert_true(sotto_privunit_constants(0, 1).scale == INFINITY);
}

/* tanh(eps/2) = eps/2 and 1 within rounding at the ends of the range. */
static void the_ends_of_the_range_give_finite_lengths(void **state)
{
    (void)state;
    assert_near(sotto_l2ball_radius(1, 1e-3) * 1e-3, 2, 1e-6);
    assert_near(sotto_l2ball_radius(1, 50), 1, 1e-14);
    assert_near(sotto_privunit_constants(1, 1e-3).scale * 1e-3, 2, 1e-6);
    assert_near(sotto_privunit_constants(1, 50).scale, 1, 0);
    assert_true(isfinite(sotto_privunit_constants(20, 1e-3).scale));
    assert_true(isfinite(sotto_privunit_constants(1024, 0.01).scale));
    assert_true(isfinite(sotto_l2ball_radius(65536, 0.01)));
}

/* The three functions of the Gaussian undo each other. */
static void gaussian_delta_and_epsilon_undo_sigma(void **state)
{
    (void)state;
    const double epsilon[] = {0.01, 0.5, 1, 5, 8, 50}, delta[] = {1e-12, 1e-6, 1e-2, 0.3};
    for (int i = 0; i < 24; i++) {
        double e = epsilon[i / 4], d = delta[i % 4];
        double whitened = 2 / sotto_gaussian_sigma(e, d, 2);
        assert_true(sotto_gaussian_delta(e, whitened) <= d);
        assert_near(sotto_gaussian_delta(e, whitened) / d, 1, 1e-5);
        assert_near(sotto_gaussian_epsilon(d, whitened), e, 1e-7 * e);
        assert_true(sotto_gaussian_delta(sotto_gaussian_epsilon(d, whitened), whitened) <= d);
    }
    assert_near(sotto_gaussian_delta(0, 1), 2 * 0.69146246127401312 - 1, 1e-14);
    assert_true(sotto_gaussian_epsilon(0.4, 1) == 0);
    assert_true(sotto_gaussian_delta(1000, 0.01) == 0);
}

/* sigma^2 at Delta = 2, delta = 1e-5, as printed. */
static void gaussian_variances_are_those_of_the_spec(void **state)
{
    (void)state;
    static const struct {
        double epsilon, variance, half_unit;
    } printed[] = {{0.5, 197.79, 5e-3},
                   {1, 55.670, 5e-4},
                   {2, 15.901, 5e-4},
                   {5, 3.1817, 5e-5},
                   {8, 1.4411, 5e-5}};
    for (size_t i = 0; i < sizeof printed / sizeof printed[0]; i++) {
        double sigma = sotto_gaussian_sigma(printed[i].epsilon, 1e-5, 2);
        assert_near(sigma * sigma, printed[i].variance, printed[i].half_unit + 1e-9);
    }
}

/* The corners and the middle of the allowed ranges; bisection in mpmath with 40 digits. Never
 * below the true sigma, and above it by no more than its own safety factor and rounding. */
static void gaussian_sigma_is_the_smallest_over_the_whole_range(void **state)
{
    (void)state;
    static const struct {
        double epsilon, delta, sigma;
    } known[] = {
        {1e-3, 1e-12, 5412.302193843927}, {1e-3, 1e-6, 2436.552493748581},
        {1e-3, 0.1, 3.961059966706276},   {1e-3, 0.5, 0.7408691851956264},
        {0.01, 1e-12, 578.9978670614141}, {0.01, 1e-6, 306.3503761538177},
        {0.01, 0.1, 3.809443806109984},   {0.01, 0.5, 0.7370173171807443},
        {0.5, 1e-12, 12.84417448988618},  {0.5, 1e-6, 8.057618480725044},
        {0.5, 0.1, 1.556287895373497},    {0.5, 0.5, 0.5909175992587809},
        {1, 1e-12, 6.55782206745885},     {1, 1e-6, 4.224678889326835},
        {1, 0.1, 1.085877765191856},      {1, 0.5, 0.5070650314763314},
        {8, 1e-12, 0.9122519988399578},   {8, 1e-6, 0.6529353843582159},
        {8, 0.1, 0.3214555272478377},     {8, 0.5, 0.235915335276807},
        {50, 1e-12, 0.1907104424063771},  {50, 1e-6, 0.1565928703917619},
        {50, 0.1, 0.1124582414127738},    {50, 0.5, 0.09901784387823793},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        double sigma = sotto_gaussian_sigma(known[i].epsilon, known[i].delta, 1);
        assert_true(sigma >= known[i].sigma);
        assert_near(sigma / known[i].sigma, 1, 2e-9);
        assert_near(sotto_gaussian_sigma(known[i].epsilon, known[i].delta, 3) / sigma, 3, 1e-14);
    }
}

/* r/R, as printed. */
static void l2ball_radii_are_those_of_the_spec(void **state)
{
    (void)state;
    static const double epsilon[3] = {0.5, 1, 5};
    static const double two[3] = {6.414, 3.399, 1.592}, twenty[3] = {22.601, 11.978, 5.610};
    for (int i = 0; i < 3; i++) {
        assert_near(sotto_l2ball_radius(2, epsilon[i]), two[i], 5e-4 + 1e-9);
        assert_near(sotto_l2ball_radius(20, epsilon[i]), twenty[i], 5e-4 + 1e-9);
    }
}

static void the_l2ball_is_the_codebook_of_two(void **state)
{
    (void)state;
    static const uint32_t dims[] = {1, 2, 3, 4, 10, 20, 100, 1024};
    static const double epsilon[] = {0.01, 0.5, 1, 5, 8};
    for (size_t i = 0; i < 8 * 5; i++) {
        uint32_t dim = dims[i / 5];
        double radius = sotto_l2ball_radius(dim, epsilon[i % 5]);
        sotto_codebook codebook = sotto_codebook_constants(dim, 2, 1, epsilon[i % 5]);
        assert_int_equal(codebook.top, 1);
        assert_near(codebook.scale / radius, 1, 1e-12);
    }
}

/* (g, p, B), as printed. */
static void privunit_constants_are_those_of_the_spec(void **state)
{
    (void)state;
    static const struct {
        uint32_t dim;
        double epsilon, g, p, scale, half_unit;
    } printed[] = {
        {2, 1, .3083, .6446, 3.2437, 5e-5},     {2, 5, .9243, .9548, 1.0819, 5e-5},
        {10, 1, .1283, .5978, 7.7931, 5e-5},    {10, 5, .5488, .8614, 1.8222, 5e-5},
        {20, 0.5, .0451, .5473, 22.1737, 5e-5}, {20, 1, .0898, .5934, 11.1348, 5e-5},
        {20, 5, .4011, .8463, 2.4933, 5e-5},    {50, 1, .0564, .5909, 17.716, 5e-4},
    };
    for (size_t i = 0; i < sizeof printed / sizeof printed[0]; i++) {
        sotto_privunit got = sotto_privunit_constants(printed[i].dim, printed[i].epsilon);
        assert_near(got.cap_height, printed[i].g, 5e-5 + 1e-9);
        assert_near(got.cap_chance, printed[i].p, 5e-5 + 1e-9);
        assert_near(got.scale, printed[i].scale, printed[i].half_unit + 1e-9);
    }
}

static void privunit_on_a_line_is_randomised_response(void **state)
{
    (void)state;
    sotto_privunit got = sotto_privunit_constants(1, log(3));
    assert_near(got.cap_chance, 0.75, 1e-15);
    assert_near(got.scale, 2, 1e-14);
    assert_true(got.cap_height == 0);
}

/* No report is shorter than PrivUnit's: the codebook and the l2-ball pay for being simpler. */
static void privunit_is_the_shortest_of_all(void **state)
{
    (void)state;
    static const uint32_t dims[] = {2, 3, 10, 50, 200};
    static const double epsilon[] = {0.1, 1, 2, 5, 8};
    for (size_t i = 0; i < 5 * 5; i++) {
        uint32_t dim = dims[i / 5];
        double best = sotto_privunit_constants(dim, epsilon[i % 5]).scale;
        assert_true(best < sotto_codebook_constants(dim, 1024, 1, epsilon[i % 5]).scale);
        assert_true(best < sotto_l2ball_radius(dim, epsilon[i % 5]));
    }
}

/* 2^28 e^eps (1 - 2^-40), (1 - 2^-48) and 1, floored, by mpmath. At 7.274346438124745 the bound is
 * 1.4e-5 below a whole number, and e^eps in double lands on it: only what is shaved off keeps the
 * weight below. */
static void weights_are_floored_and_never_above_e_to_the_epsilon(void **state)
{
    (void)state;
    static const struct {
        double epsilon;
        uint64_t made, accepted, true_bound;
    } known[] = {
        {0.01, UINT64_C(271133277), UINT64_C(271133277), UINT64_C(271133277)},
        {0.5, UINT64_C(442575246), UINT64_C(442575246), UINT64_C(442575246)},
        {1, UINT64_C(729683222), UINT64_C(729683222), UINT64_C(729683222)},
        {5, UINT64_C(39839354040), UINT64_C(39839354040), UINT64_C(39839354040)},
        {7.25, UINT64_C(377985267023), UINT64_C(377985267023), UINT64_C(377985267023)},
        {7.274346438124745, UINT64_C(387300801841), UINT64_C(387300801841), UINT64_C(387300801841)},
        {7.9, UINT64_C(724046211748), UINT64_C(724046211749), UINT64_C(724046211749)},
        {8, UINT64_C(800194816567), UINT64_C(800194816568), UINT64_C(800194816568)},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_true(sotto__weight_top(known[i].epsilon) == known[i].made);
        assert_true(sotto__weight_top_max(known[i].epsilon) == known[i].accepted);
        assert_true(sotto__weight_top(known[i].epsilon) <= known[i].true_bound);
        assert_true(sotto__weight_top_max(known[i].epsilon) <= known[i].true_bound);
    }
    assert_true(SOTTO__WEIGHT_REST == UINT64_C(268435456));
}

/* The largest distance of two moments (svec(x x'), lambda r x) over contexts in a plane, at any
 * angle, one as long as allowed and the other too or 0, with rewards at their bounds. */
static double scanned_diameter(double bound, double reward, double weight)
{
    double largest = 0;
    for (int i = 0; i < 4 * 20001; i++) {
        double angle = 3.14159265358979323846 * (i / 4) / 20000;
        double length = i % 2 == 0 ? bound : 0, sign = i / 2 % 2 == 0 ? 1 : -1;
        double x = bound, y1 = length * cos(angle), y2 = length * sin(angle);
        double xx = x * x - y1 * y1, xy = y1 * y2, yy = y2 * y2;
        double u1 = weight * reward * (x - sign * y1), u2 = weight * reward * sign * y2;
        largest = fmax(largest, xx * xx + 2 * xy * xy + yy * yy + u1 * u1 + u2 * u2);
    }
    return sqrt(largest);
}

static void the_moments_diameter_is_the_largest_distance_found(void **state)
{
    (void)state;
    static const double bound[] = {1e-3, 0.5, 1, 30}, reward[] = {1e-2, 0.7, 1, 1.5, 40};
    static const double weight[] = {1, 1.1};
    assert_near(sotto__moments_diameter(1, 1, 1), sqrt(4.5), 1e-15);
    for (size_t i = 0; i < 4 * 5 * 2; i++) {
        double c_b = bound[i / 10], c_r = reward[i / 2 % 5], lambda = weight[i % 2];
        double found = scanned_diameter(c_b, c_r, lambda);
        assert_near(sotto__moments_diameter(c_b, c_r, lambda) / found, 1, 1e-7);
    }
}

/* Two people with the longest contexts on different arms attain the L1 diameter: each statistic
 * has norm C^2 (d+1)/2 + lambda c C sqrt d at x = C/sqrt(d) (1, ..., 1). */
static void the_l1_diameter_is_attained_by_two_arms(void **state)
{
    (void)state;
    for (uint32_t dim = 1; dim <= 50; dim++) {
        double x = 2 / sqrt(dim), norm = 0;
        for (uint32_t i = 0; i < dim; i++) {
            norm += (i + 1) * x * x + 1.5 * 0.25 * x;
        }
        assert_near(sotto__moments_diameter_l1(dim, 2, 0.25, 1.5), 2 * norm, 1e-12 * norm);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_out_of_range_err_towards_noise),
        cmocka_unit_test(the_ends_of_the_range_give_finite_lengths),
        cmocka_unit_test(gaussian_variances_are_those_of_the_spec),
        cmocka_unit_test(gaussian_sigma_is_the_smallest_over_the_whole_range),
        cmocka_unit_test(gaussian_delta_and_epsilon_undo_sigma),
        cmocka_unit_test(l2ball_radii_are_those_of_the_spec),
        cmocka_unit_test(the_l2ball_is_the_codebook_of_two),
        cmocka_unit_test(privunit_constants_are_those_of_the_spec),
        cmocka_unit_test(privunit_on_a_line_is_randomised_response),
        cmocka_unit_test(privunit_is_the_shortest_of_all),
        cmocka_unit_test(weights_are_floored_and_never_above_e_to_the_epsilon),
        cmocka_unit_test(the_moments_diameter_is_the_largest_distance_found),
        cmocka_unit_test(the_l1_diameter_is_attained_by_two_arms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
