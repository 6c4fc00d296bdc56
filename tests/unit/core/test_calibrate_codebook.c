/* The constants of codebooks: printed vectors, randomised response, and spheres with closed forms.
 */
#include "test.h"

#include "core/calibrate.h"

#include <math.h>

static void arguments_out_of_range_give_an_infinite_scale(void **state)
{
    (void)state;
    static const struct {
        uint32_t dim, size, groups;
        double epsilon;
    } bad[] = {
        {10, 64, 1, 0}, {10, 64, 1, NAN}, {10, 64, 1, 1e300}, {10, 64, 1, -1},
        {0, 64, 1, 1},  {70000, 2, 1, 1}, {10, 0, 1, 1},      {10, 63, 1, 1},
        {10, 64, 0, 1}, {10, 64, 5, 1},   {10, 8192, 1, 1},   {10, 64, UINT32_MAX, 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sotto_codebook codebook =
            sotto_codebook_constants(bad[i].dim, bad[i].size, bad[i].groups, bad[i].epsilon);
        assert_int_equal(codebook.top, 0);
        assert_true(codebook.scale == INFINITY);
    }
}

/* M = 2 in R^3: S_1 = 1/2 and m = (e^eps - 1)/2/(e^eps + 1), about eps/4. */
static void a_tiny_epsilon_gives_a_long_but_finite_report(void **state)
{
    (void)state;
    sotto_codebook codebook = sotto_codebook_constants(3, 2, 1, 1e-3);
    assert_near(codebook.scale * 1e-3, 4, 1e-6);
    assert_true(isfinite(sotto_codebook_constants(1024, 64, 1, 1e-3).scale));
}

/* As printed: (d, eps, M, k, MSE = B^2 - 1). */
static void constants_are_those_of_the_spec(void **state)
{
    (void)state;
    static const struct {
        uint32_t dim;
        double epsilon;
        uint32_t size, top;
        double mse, half_unit;
    } printed[] = {
        {2, 1, 64, 26, 9.6454, 5e-5},  {2, 5, 256, 32, .174671, 5e-7},
        {10, 1, 64, 23, 60.457, 5e-4}, {10, 5, 256, 11, 2.3767, 5e-5},
        {10, 8, 1024, 5, .8711, 5e-5}, {20, 1, 64, 23, 124.488, 5e-4},
        {20, 5, 256, 9, 5.3399, 5e-5}, {50, 1, 64, 23, 316.73, 5e-3},
        {50, 8, 1024, 4, 6.297, 5e-4},
    };
    for (size_t i = 0; i < sizeof printed / sizeof printed[0]; i++) {
        sotto_codebook got =
            sotto_codebook_constants(printed[i].dim, printed[i].size, 1, printed[i].epsilon);
        assert_int_equal(got.top, printed[i].top);
        assert_near(got.scale * got.scale - 1, printed[i].mse, printed[i].half_unit + 1e-9);
    }
}

static void the_given_shape_and_the_weights_are_passed_on(void **state)
{
    (void)state;
    sotto_codebook got = sotto_codebook_constants(7, 60, 5, 2);
    assert_int_equal(got.dim, 7);
    assert_int_equal(got.size, 60);
    assert_int_equal(got.groups, 5);
    assert_true(got.top >= 1 && got.top <= 6);
    assert_true(got.weight_rest == UINT64_C(1) << 28);
    assert_true(got.weight_top == sotto__weight_top(2));
}

static void on_a_line_it_is_randomised_response(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {2, 4, 64, 1024};
    static const double epsilon[] = {0.01, 1, 5, 8};
    for (size_t i = 0; i < 4 * 4; i++) {
        uint32_t size = sizes[i / 4];
        sotto_codebook got = sotto_codebook_constants(1, size, 1, epsilon[i % 4]);
        assert_int_equal(got.top, size / 2);
        assert_near(got.scale, 1 / tanh(epsilon[i % 4] / 2), 1e-12 * got.scale);
    }
}

/* In R^3 |U| is uniform on [0, 1] (Archimedes), so the j-th largest of n is (n+1-j)/(n+1) on
 * average; k is the best of all, tried one by one. */
static void in_three_dimensions_the_closed_form_agrees_with_groups_too(void **state)
{
    (void)state;
    static const uint32_t shape[][2] = {{2, 1},    {4, 1},      {64, 1},  {256, 1},
                                        {1024, 1}, {256, 2},    {258, 3}, {260, 5},
                                        {300, 10}, {1024, 512}, {4096, 1}};
    static const double epsilon[] = {0.01, 0.5, 1, 2, 5, 8};
    for (size_t i = 0; i < sizeof shape / sizeof shape[0] * 6; i++) {
        uint32_t size = shape[i / 6][0], groups = shape[i / 6][1], n = size / (2 * groups);
        double e = exp(epsilon[i % 6]), sum = 0, best = 0;
        uint32_t best_k = 0;
        for (uint32_t k = 1; k <= n; k++) {
            sum += (n + 1.0 - k) / (n + 1.0);
            double mean = (e - 1) * sum / (k * e + size - k);
            if (mean > best) best_k = k;
            best = fmax(best, mean);
        }
        sotto_codebook got = sotto_codebook_constants(3, size, groups, epsilon[i % 6]);
        assert_int_equal(got.top, best_k);
        assert_near(got.scale * best, 1, 1e-12 + 3e-14 * size); /* powers of up to n - 1 */
    }
}

/* E of the sums S_1, S_2, ... of n draws of |U|, as int P(Bin(n, Fbar(u)) >= k) du by mpmath. */
static void in_other_dimensions_the_order_statistics_are_those_of_mpmath(void **state)
{
    (void)state;
    static const struct {
        uint32_t dim, n;
        double sum[4];
    } known[] = {
        {2, 4, {0.9212796290334283, 1.691979760423268, 2.250157425375517, 2.546479089470325}},
        {5, 3, {0.590625, 0.9522321428571429, 1.125}},
        {20, 2, {0.2538116700864447, 0.3613112507469901}},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const double epsilon = 1, e = exp(epsilon);
        double best = 0;
        for (uint32_t k = 1; k <= known[i].n; k++) {
            double mean = (e - 1) * known[i].sum[k - 1] / (k * e + 2 * known[i].n - k);
            best = fmax(best, mean);
        }
        sotto_codebook got = sotto_codebook_constants(known[i].dim, 2 * known[i].n, 1, epsilon);
        assert_near(got.scale * best, 1, 1e-12);
    }
}

/* More codewords never make the best report longer, and more epsilon makes it shorter. */
static void scales_fall_with_size_and_epsilon(void **state)
{
    (void)state;
    static const uint32_t dims[] = {2, 5, 40, 1024, 65341};
    for (size_t i = 0; i < sizeof dims / sizeof dims[0]; i++) {
        double last = INFINITY;
        for (uint32_t size = 2; size <= 1024; size *= 8) {
            double scale = sotto_codebook_constants(dims[i], size, 1, 4).scale;
            assert_true(scale > 1);
            assert_true(scale < last);
            last = scale;
        }
        double strict = sotto_codebook_constants(dims[i], 64, 1, 0.5).scale;
        assert_true(strict > sotto_codebook_constants(dims[i], 64, 1, 1).scale);
    }
}

/* All k of all sizes, by the closed order statistics of a line and of three dimensions: E of the i-th
 * largest of n uniform |U| is (n + 1 - i)/(n + 1). */
static void nulls_are_the_best_of_all_sizes_and_tops(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {64, 128, 256, 1024};
    for (int at = 0; at < 3 * 4 * 5 * 2; at++) {
        uint32_t groups = (const uint32_t[]){1, 3, 26}[at % 3], dim = at / 60 == 0 ? 3 : 1;
        double epsilon = (const double[]){0.5, 1, 4, 8}[at / 3 % 4];
        double size = (const double[]){0.01, 0.077, 0.3, 0.8, 1}[at / 12 % 5];
        double least = INFINITY;
        for (int s = 0; s < 4; s++) {
            uint32_t m = (sizes[s] + 2 * groups - 1) / (2 * groups) * (2 * groups);
            uint32_t n = m / (2 * groups);
            double sum = 0;
            for (uint32_t k = 1; k <= n; k++) {
                sum += dim == 1 ? 1 : (n + 1.0 - k) / (n + 1.0);
                double top = k * exp(epsilon), scale = (top + m) / (expm1(epsilon) * sum);
                double heard = (size * (top + m - k) + (1 - size) * m) / (top + m);
                least = fmin(least, scale * scale * heard);
            }
        }
        const sotto_codebook c = sotto__codebook_with_nulls(dim, groups, epsilon, size);
        assert_int_equal(c.nulls, c.top);
        assert_int_equal(c.size % (2 * groups), 0);
        assert_near(sotto__codebook_variance(&c, epsilon, size) / least, 1, 1e-9);
    }
}

/* Where all M are as good, which one is taken must not hang on the last bit of somebody's exp(). */
static void equally_good_sizes_give_the_smallest(void **state)
{
    (void)state;
    for (int at = 0; at < 40 * 50; at++) {
        uint32_t groups = 1 + (uint32_t)at % 40, step = 2 * groups;
        double epsilon = 2 + 6.0 * (at / 40) / 50;
        const sotto_codebook c = sotto__codebook_with_nulls(1, groups, epsilon, 0.3);
        if (c.top < c.size / step) continue; /* then the sizes differ */
        assert_int_equal(c.size, (64 + step - 1) / step * step);
    }
}

/* By a program of its own, for 26 arms (a = 2/26) in 16 dimensions: 9.2, 4.8 and 1.3 times less. */
static void nulls_make_small_scores_vary_less(void **state)
{
    (void)state;
    static const struct {
        double epsilon, times;
        uint32_t size;
    } rows[] = {{8, 9.18, 1024}, {4, 4.83, 256}, {1, 1.29, 64}};
    for (int i = 0; i < 3; i++) {
        const sotto_codebook plain = sotto_codebook_constants(16, rows[i].size, 1, rows[i].epsilon);
        const sotto_codebook nulls = sotto__codebook_with_nulls(16, 1, rows[i].epsilon, 2.0 / 26);
        double variance = sotto__codebook_variance(&nulls, rows[i].epsilon, 2.0 / 26);
        assert_near(plain.scale * plain.scale / variance, rows[i].times, 0.01);
        assert_true(sotto__codebook_variance(&plain, rows[i].epsilon, 0.1) ==
                    plain.scale * plain.scale);
        assert_true(sotto__codebook_heard(&plain, rows[i].epsilon, 0.1) == 1);
        for (int s = 0; s <= 10; s++) {
            double heard = sotto__codebook_heard(&nulls, rows[i].epsilon, s / 10.0);
            double all = sotto__codebook_variance(&nulls, rows[i].epsilon, s / 10.0);
            assert_near(heard * nulls.scale * nulls.scale, all, 1e-12 * all);
            assert_true(heard > 0 && heard < 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_out_of_range_give_an_infinite_scale),
        cmocka_unit_test(a_tiny_epsilon_gives_a_long_but_finite_report),
        cmocka_unit_test(constants_are_those_of_the_spec),
        cmocka_unit_test(the_given_shape_and_the_weights_are_passed_on),
        cmocka_unit_test(on_a_line_it_is_randomised_response),
        cmocka_unit_test(in_three_dimensions_the_closed_form_agrees_with_groups_too),
        cmocka_unit_test(in_other_dimensions_the_order_statistics_are_those_of_mpmath),
        cmocka_unit_test(scales_fall_with_size_and_epsilon),
        cmocka_unit_test(nulls_are_the_best_of_all_sizes_and_tops),
        cmocka_unit_test(equally_good_sizes_give_the_smallest),
        cmocka_unit_test(nulls_make_small_scores_vary_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
