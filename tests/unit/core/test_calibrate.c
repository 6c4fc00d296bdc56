/* Scales of the randomisers against the printed vectors, their definitions and brute force. */
#include "core/core.h"
#include "test.h"

#include <math.h>

TEST(arguments_out_of_range_err_towards_noise)
{
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
TEST(the_ends_of_the_range_give_finite_lengths)
{
    assert_near(sotto_l2ball_radius(1, 1e-3) * 1e-3, 2, 1e-6);
    assert_near(sotto_l2ball_radius(1, 50), 1, 1e-14);
    assert_near(sotto_privunit_constants(1, 1e-3).scale * 1e-3, 2, 1e-6);
    assert_near(sotto_privunit_constants(1, 50).scale, 1, 0);
    assert_true(isfinite(sotto_privunit_constants(20, 1e-3).scale));
    assert_true(isfinite(sotto_privunit_constants(1024, 0.01).scale));
    assert_true(isfinite(sotto_l2ball_radius(65536, 0.01)));
}

/* The three functions of the Gaussian undo each other. */
TEST(gaussian_delta_and_epsilon_undo_sigma)
{
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
TEST(gaussian_variances_are_those_of_the_spec)
{
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
TEST(gaussian_sigma_is_the_smallest_over_the_whole_range)
{
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
TEST(l2ball_radii_are_those_of_the_spec)
{
    static const double epsilon[3] = {0.5, 1, 5};
    static const double two[3] = {6.414, 3.399, 1.592}, twenty[3] = {22.601, 11.978, 5.610};
    for (int i = 0; i < 3; i++) {
        assert_near(sotto_l2ball_radius(2, epsilon[i]), two[i], 5e-4 + 1e-9);
        assert_near(sotto_l2ball_radius(20, epsilon[i]), twenty[i], 5e-4 + 1e-9);
    }
}

TEST(the_l2ball_is_the_codebook_of_two)
{
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
TEST(privunit_constants_are_those_of_the_spec)
{
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
        assert_nears(5e-5 + 1e-9, got.cap_height, printed[i].g, got.cap_chance, printed[i].p);
        assert_near(got.scale, printed[i].scale, printed[i].half_unit + 1e-9);
    }
}

TEST(privunit_on_a_line_is_randomised_response)
{
    sotto_privunit got = sotto_privunit_constants(1, log(3));
    assert_near(got.cap_chance, 0.75, 1e-15);
    assert_near(got.scale, 2, 1e-14);
    assert_true(got.cap_height == 0);
}

/* No report is shorter than PrivUnit's: the codebook and the l2-ball pay for being simpler. */
TEST(privunit_is_the_shortest_of_all)
{
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
TEST(weights_are_floored_and_never_above_e_to_the_epsilon)
{
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

TEST(the_moments_diameter_is_the_largest_distance_found)
{
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
TEST(the_l1_diameter_is_attained_by_two_arms)
{
    for (uint32_t dim = 1; dim <= 50; dim++) {
        double x = 2 / sqrt(dim), norm = 0;
        for (uint32_t i = 0; i < dim; i++) {
            norm += (i + 1) * x * x + 1.5 * 0.25 * x;
        }
        assert_near(sotto__moments_diameter_l1(dim, 2, 0.25, 1.5), 2 * norm, 1e-12 * norm);
    }
}

/* Composition against exact sums, and never on the wrong side of them. */

/*
 * Made once by Python's decimal at 60 digits, from the definition, with no step in common with
 * compose.c (D = Decimal; D(float) is the exact value of the double):
 *
 *     def delta_rr(k, eps, total):
 *         e, g = D(eps).exp(), D(total).exp()
 *         p, q, s, l = (e / (1 + e))**k, (1 / (1 + e))**k, D(0), 0
 *         while l <= k and (k - 2*l) * D(eps) > D(total):
 *             s += p - g * q
 *             p, q, l = p * (k - l) / (l + 1) / e, q * (k - l) / (l + 1) * e, l + 1
 *         return s
 *     1 - (1 - D(delta))**k * (1 - delta_rr(k, eps, total))
 */
static const struct {
    uint64_t k;
    double epsilon, delta, epsilon_total, delta_total;
} exact[] = {
    {1, 1, 0, 0.5, 2.87649136644967924922E-1},
    {1, 8, 0, 7, 6.31908577116683978540E-1},
    {1, 0.5, 1e-6, 0, 2.44919417485046725569E-1},
    {2, 1, 0, 1, 3.37834712147041174176E-1},
    {2, 1, 0.001, 0, 4.63192385062646999017E-1},
    {3, 0.5, 0, 0.25, 2.69148698977530005645E-1},
    {10, 0.1, 0, 0.5, 9.92962691738885500371E-3},
    {10, 8, 0, 75.5, 9.85579756186568660959E-1},
    {10, 5, 0, 31.25, 9.98044969916273672084E-1}, /* rounding alone would fall below */
    {50, 2, 0, 90, 4.75954243567560012414E-2},
    {100, 0.1, 0, 4, 3.42231231919677915488E-5},
    {100, 0.1, 1e-8, 4, 3.52230884738617017424E-5},
    {100, 0.01, 0, 0.3, 3.92968901314102984752E-5},
    {400, 1, 0, 399.5, 1.49893218481893412383E-55},
    {1000, 0.1, 0, 20, 3.45798518884973498830E-7},
    {1000, 1e-4, 0, 0.02, 5.24020352227319692054E-14},
    {1000, 1e-9, 0, 1e-8, 8.23814153739223643078E-9},
    {10000, 0.01, 0, 4, 4.69825300986204678895E-5},
    {1000000, 0.001, 0, 4.5, 5.86742756916535182449E-6},
    {1000000, 0.001, 0, 12, 5.19907301200083152354E-32},
};
#define ROWS (sizeof exact / sizeof exact[0])

TEST(numbers_out_of_range_claim_nothing)
{
    const double bad[] = {NAN, -1, -INFINITY};
    for (int i = 0; i < 3; i++) {
        assert_true(sotto_compose_delta(3, bad[i], 0, 1) == 1);
        assert_true(sotto_compose_delta(3, 1, bad[i], 1) == 1);
        assert_true(sotto_compose_delta(3, 1, 0, bad[i]) == 1);
        assert_true(isinf(sotto_compose_epsilon(3, bad[i], 0, 0.1)));
        assert_true(isinf(sotto_compose_epsilon(3, 1, bad[i], 0.1)));
        assert_true(isinf(sotto_compose_epsilon(3, 1, 0, bad[i])));
    }
    assert_true(sotto_compose_delta(3, 701, 0, 1) == 1);
    assert_true(sotto_compose_delta(3, 1, 1, INFINITY) == 1);
    assert_true(isinf(sotto_compose_epsilon(3, INFINITY, 0, 0.1)));
    assert_true(isinf(sotto_compose_epsilon(10, 1, 1e-3, 9.9e-3))); /* ten failures are likelier */
}

TEST(delta_is_the_exact_sum_rounded_up)
{
    for (size_t r = 0; r < ROWS; r++) {
        double delta = sotto_compose_delta(exact[r].k, exact[r].epsilon, exact[r].delta,
                                           exact[r].epsilon_total);
        assert_true(delta >= exact[r].delta_total);
        assert_near(delta / exact[r].delta_total, 1, exact[r].k > 100000 ? 1e-9 : 1e-11);
    }
}

/* Weights below 1e-290 are not summed one by one: the geometric series stands for them. Exact
 * values as above. */
TEST(a_tail_that_is_cut_off_still_counts)
{
    const struct {
        uint64_t k;
        double epsilon, epsilon_total, delta_total;
    } far[] = {{2000, 0.1, 160, 7.66059655507726501661E-290},
               {2000, 0.01, 15.32, 5.27890872382372380135E-290},
               {10000, 0.01, 36.2, 1.36283025356514635982E-287}};
    for (size_t r = 0; r < sizeof far / sizeof far[0]; r++) {
        double delta = sotto_compose_delta(far[r].k, far[r].epsilon, 0, far[r].epsilon_total);
        assert_true(delta >= far[r].delta_total);
        assert_near(delta / far[r].delta_total, 1, 1e-3);
    }
}

TEST(epsilon_is_the_inverse_rounded_up)
{
    for (size_t r = 0; r < ROWS; r++) {
        double epsilon = sotto_compose_epsilon(exact[r].k, exact[r].epsilon, exact[r].delta,
                                               exact[r].delta_total);
        assert_true(epsilon >= exact[r].epsilon_total);
        assert_near(epsilon, exact[r].epsilon_total,
                    1e-9 * fmax(exact[r].epsilon, exact[r].epsilon_total));
    }
}

TEST(nothing_sent_costs_nothing)
{
    assert_true(sotto_compose_delta(0, 1, 1e-3, 0) == 0);
    assert_true(sotto_compose_epsilon(0, 1, 1e-3, 0) == 0);
    assert_true(sotto_compose_epsilon(5, 0, 0, 0) == 0);
}

/* Where only the sum will do, the sum is given, and to the last bit. */
TEST(without_a_total_delta_epsilons_add_up)
{
    const uint64_t counts[] = {1, 2, 3, 10, 1000, 1000000, UINT64_C(1) << 40};
    const double epsilons[] = {1e-9, 0.1, 1, 8, 50};
    for (size_t i = 0; i < 7; i++) {
        for (size_t j = 0; j < 5; j++) {
            double basic = (double)counts[i] * epsilons[j];
            assert_true(sotto_compose_epsilon(counts[i], epsilons[j], 0, 0) == basic);
            assert_true(sotto_compose_delta(counts[i], epsilons[j], 0, basic) == 0);
            assert_true(sotto_compose_delta(counts[i], epsilons[j], 0, basic * 0.999) > 0);
        }
    }
    assert_true(sotto_compose_epsilon(7, 1, 1e-4, 7 * 1e-4) <= 7);
    assert_true(sotto_compose_epsilon(1, 1, 1e-4, 1e-4) <= 1);
}

TEST(more_reports_protect_less)
{
    double before = 0;
    for (uint64_t k = 1; k <= 3000; k++) {
        double epsilon = sotto_compose_epsilon(k, 0.05, 1e-9, 1e-5);
        assert_true(epsilon > before);
        assert_true(epsilon <= 0.05 * (double)k);
        before = epsilon;
    }
    assert_true(before < 0.05 * 3000 / 7);
}

/* 2^31 reports still come back in time; one more has the sum of epsilons and nothing else. */
TEST(the_work_is_bounded)
{
    const uint64_t most = UINT64_C(1) << 31;
    double delta = sotto_compose_delta(most, 1e-5, 0, 2);
    assert_true(delta > 0 && delta < 1e-3);
    double tail = sotto_compose_delta(most, 1, 0, 0.99 * 0x1p31); /* far below the least weight */
    assert_true(tail > 0 && tail < 1e-200);
    assert_true(sotto_compose_delta(most + 1, 1e-5, 0, 2) == 1);
    assert_true(sotto_compose_epsilon(most + 1, 1e-5, 0, 1e-3) == 1e-5 * ((double)most + 1));
}
