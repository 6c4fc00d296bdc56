/* Calibration of both kinds of mechanism: codebooks and lattices. */
#include "core/core.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The constants of codebooks: printed vectors, randomised response, and spheres with closed forms.
 */

TEST(arguments_out_of_range_give_an_infinite_scale)
{
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
TEST(a_tiny_epsilon_gives_a_long_but_finite_report)
{
    sotto_codebook codebook = sotto_codebook_constants(3, 2, 1, 1e-3);
    assert_near(codebook.scale * 1e-3, 4, 1e-6);
    assert_true(isfinite(sotto_codebook_constants(1024, 64, 1, 1e-3).scale));
}

/* As printed: (d, eps, M, k, MSE = B^2 - 1). */
TEST(constants_are_those_of_the_spec)
{
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

TEST(the_given_shape_and_the_weights_are_passed_on)
{
    sotto_codebook got = sotto_codebook_constants(7, 60, 5, 2);
    assert_ints(got.dim, 7, got.size, 60, got.groups, 5);
    assert_true(got.top >= 1 && got.top <= 6);
    assert_true(got.weight_rest == UINT64_C(1) << 28);
    assert_true(got.weight_top == sotto__weight_top(2));
}

TEST(on_a_line_it_is_randomised_response)
{
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
TEST(in_three_dimensions_the_closed_form_agrees_with_groups_too)
{
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
TEST(in_other_dimensions_the_order_statistics_are_those_of_mpmath)
{
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
TEST(scales_fall_with_size_and_epsilon)
{
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
TEST(nulls_are_the_best_of_all_sizes_and_tops)
{
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
        assert_ints(c.nulls, c.top, c.size % (2 * groups), 0);
        assert_near(sotto__codebook_variance(&c, epsilon, size) / least, 1, 1e-9);
    }
}

/* Where all M are as good, which one is taken must not hang on the last bit of somebody's exp(). */
TEST(equally_good_sizes_give_the_smallest)
{
    for (int at = 0; at < 40 * 50; at++) {
        uint32_t groups = 1 + (uint32_t)at % 40, step = 2 * groups;
        double epsilon = 2 + 6.0 * (at / 40) / 50;
        const sotto_codebook c = sotto__codebook_with_nulls(1, groups, epsilon, 0.3);
        if (c.top < c.size / step) continue; /* then the sizes differ */
        assert_int_equal(c.size, (64 + step - 1) / step * step);
    }
}

/* By a program of its own, for 26 arms (a = 2/26) in 16 dimensions: 9.2, 4.8 and 1.3 times less. */
TEST(nulls_make_small_scores_vary_less)
{
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

/* The constants of lattice noise: promises that cannot be kept, tampered ones, the whole range. */

static sotto__lattice_need gaussian_need(void)
{
    return (sotto__lattice_need){SOTTO_NOISE_GAUSSIAN, 1, 1e-6, 2, 16, 1};
}

static sotto__lattice_need laplace_need(void)
{
    return (sotto__lattice_need){SOTTO_NOISE_LAPLACE, 1, 0, 2, 16, 1};
}

TEST(promises_that_noise_cannot_keep_are_refused_by_name)
{
    const struct {
        sotto_noise_law law;
        uint32_t dim;
        double epsilon, delta;
        bool weak;
        const char *says;
    } rows[] = {
        {SOTTO_NOISE_GAUSSIAN, 5, 1, 0, false,
         "delta = 0: allowed 1e-12 to 0.5 for gaussian noise"},
        {SOTTO_NOISE_GAUSSIAN, 5, 1, 0, true, "delta = 0: allowed 1e-12 to 0.5 for gaussian noise"},
        {SOTTO_NOISE_GAUSSIAN, 5, 1, 9e-13, true,
         "delta = 9e-13: allowed 1e-12 to 0.5 for gaussian noise"},
        {SOTTO_NOISE_GAUSSIAN, 5, 1, NAN, true,
         "delta = nan: allowed 1e-12 to 0.5 for gaussian noise"},
        {SOTTO_NOISE_GAUSSIAN, 5, 1, 2e-6, false,
         "delta = 2e-06: above 1e-6 only with allow_weak_delta"},
        {SOTTO_NOISE_LAPLACE, 1u << 19, 0.06, 0, false,
         "epsilon = 0.06: laplace noise on 524288 numbers needs at least 0.0625"},
        {SOTTO_NOISE_LAPLACE, 1u << 19, NAN, 0, false,
         "epsilon = nan: laplace noise on 524288 numbers needs at least 0.0625"},
    };
    sotto_fault fault;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_fault_says(sotto__lattice_promise_fault(rows[i].law, rows[i].dim, rows[i].epsilon,
                                                       rows[i].delta, rows[i].weak, &fault),
                          fault, rows[i].says);
    }
    assert_ok(sotto__lattice_promise_fault(SOTTO_NOISE_GAUSSIAN, 5, 1, 1e-12, false, &fault));
    assert_ok(sotto__lattice_promise_fault(SOTTO_NOISE_GAUSSIAN, 5, 1, 1e-6, false, &fault));
    assert_ok(sotto__lattice_promise_fault(SOTTO_NOISE_GAUSSIAN, 5, 1, 0.5, true, &fault));
    assert_ok(sotto__lattice_promise_fault(SOTTO_NOISE_LAPLACE, 65, 0.01, 0, false, &fault));
    assert_ok(
        sotto__lattice_promise_fault(SOTTO_NOISE_LAPLACE, 1u << 19, 0.0626, 0, false, &fault));
}

static void assert_told(const sotto_lattice *lattice, const sotto__lattice_need *need,
                        sotto_status status, const char *says)
{
    sotto_fault fault;
    assert_status(sotto__lattice_check(lattice, need, &fault), status);
    if (strstr(fault.sentence, says) == NULL)
        fail_msg("\"%s\", wanted \"%s\"", fault.sentence, says);
}

TEST(tampered_constants_are_refused_by_name)
{
    for (int law = 0; law < 2; law++) {
        const sotto__lattice_need need = law == 0 ? gaussian_need() : laplace_need();
        const sotto_lattice made = sotto__lattice_constants(&need);
        assert_ok(sotto__lattice_check(&made, &need, NULL));
        sotto_lattice l = made;
        l.scale_ticks--; /* made one larger than needed */
        assert_ok(sotto__lattice_check(&l, &need, NULL));
        l.scale_ticks--;
        assert_told(&l, &need, SOTTO_E_WEAK, "needs at least");
        l.scale_ticks = (1u << 10) - 1;
        assert_told(&l, &need, SOTTO_E_FAULT, "scale_ticks = 1023: allowed 2^10 to 2^24");
        l.scale_ticks = (1u << 24) + 1;
        assert_told(&l, &need, SOTTO_E_FAULT, "scale_ticks = 16777217: allowed 2^10 to 2^24");
        l.scale_ticks = 1u << 24;
        assert_ok(sotto__lattice_check(&l, &need, NULL));
        l.clip_ticks++;
        assert_told(&l, &need, SOTTO_E_FAULT, "lattice clip_ticks = ");
        l.clip_ticks -= 2;
        assert_told(&l, &need, SOTTO_E_FAULT, "lattice clip_ticks = ");
        l = made;
        const int32_t grids[] = {61, -61, INT32_MAX, INT32_MIN};
        for (int i = 0; i < 4; i++) {
            l.grid_log2 = grids[i];
            assert_told(&l, &need, SOTTO_E_FAULT, "allowed -60 to 60");
        }
    }
}

/* coordinate_max is 1: 2^30 ticks at a grid of 2^-30, which is more than half of 2^31 - 1. */
TEST(grids_whose_ticks_overflow_are_refused_whatever_the_scale)
{
    const sotto__lattice_need need = gaussian_need();
    for (int32_t grid_log2 = -60; grid_log2 <= -30; grid_log2++) {
        const double clip = ldexp(1, -grid_log2);
        const sotto_lattice l = {16, grid_log2, 1u << 24, grid_log2 >= -31 ? (uint32_t)clip : 0};
        char says[100];
        snprintf(says, sizeof says, "lattice grid_log2 = %d: ticks up to %.15g overflow 32 bits",
                 grid_log2, clip);
        assert_told(&l, &need, SOTTO_E_FAULT, says);
    }
    const sotto_lattice weak = {16, -29, 1u << 24, 1u << 29}; /* fits, but 2^24 ticks are too few */
    assert_told(&weak, &need, SOTTO_E_WEAK, "epsilon 1 needs at least");
}

/* A coarser grid adds more to the diameter, and so does each coordinate. */
TEST(rounding_widens_the_diameter_in_the_norm_of_the_law)
{
    const sotto__lattice_need gaussian = gaussian_need(), laplace = laplace_need();
    assert_near(sotto__lattice_diameter(&gaussian, 0), 2, 0);
    assert_near(sotto__lattice_diameter(&gaussian, 0.25), 3, 0); /* 2 + sqrt(16)/4 */
    assert_near(sotto__lattice_diameter(&laplace, 0.25), 6, 0);  /* 2 + 16/4 */
    assert_near(sotto__lattice_scale(&laplace, 0.25), 6 * (1 + 1e-9), 1e-14);
    assert_near(sotto__lattice_scale(&gaussian, 0.25), sotto_gaussian_sigma(1, 1e-6, 3), 1e-12);
    assert_near(sotto__lattice_clip(&gaussian, 0.25), 4, 0);
    assert_near(sotto__lattice_clip(&gaussian, 0.3), 4, 0); /* up */
}

/* gaussian: sigma(1, 1e-6, 2) = 8.449 needs a grid of 2^(3 - 16), and rounding by 2^-13 sqrt 16 is
 * no thousandth of 2. laplace: b = 2, grid 2^(1 - 16); rounding by 2^-15 x 16 = 2^-11; the 1e-9
 * for the last bits of a statistic makes it one tick more. */
TEST(constants_by_hand)
{
    sotto__lattice_need need = gaussian_need();
    sotto_lattice made = sotto__lattice_constants(&need);
    double sigma = 4.224678889326835 * (2 + 4 * 0x1p-13); /* of diameter 1, by mpmath */
    assert_ints(made.dim, 16, made.grid_log2, -13, made.scale_ticks,
                (uint32_t)ceil(sigma * 8192) + 1, made.clip_ticks, 8192);
    need = laplace_need();
    made = sotto__lattice_constants(&need);
    assert_ints(made.grid_log2, -15, made.scale_ticks, (2 << 15) + 16 + 1 + 1, made.clip_ticks,
                32768);
    need.dim = 1024; /* a thousandth of the diameter: 2^(ilogb(2/1024) - 10) = 2^-19 */
    made = sotto__lattice_constants(&need);
    assert_ints(made.grid_log2, -19, made.scale_ticks, (2 << 19) + 1024 + 1 + 1);
    need.dim = 100000; /* but b is at most 2^23 ticks before rounding: 2^(1 - 22) */
    made = sotto__lattice_constants(&need);
    assert_ints(made.grid_log2, -21, made.scale_ticks, (2 << 21) + 100000 + 1 + 1);
}

TEST(honest_ticks_fit_and_the_bound_is_that_of_the_law)
{
    const sotto_lattice lattice = {1000, 0, 2048, 100};
    assert_near(sotto__lattice_tick_max(&lattice, SOTTO_NOISE_GAUSSIAN), 100 + 7.5 * 2048, 1e-9);
    assert_near(sotto__lattice_tick_max(&lattice, SOTTO_NOISE_LAPLACE), 100 + 2048 * log(1e12),
                1e-6);
    const sotto_lattice widest = {SOTTO_TICKS_MAX, 0, 1u << 24, INT32_MAX / 2};
    assert_true(sotto__lattice_tick_max(&widest, SOTTO_NOISE_GAUSSIAN) < INT32_MAX);
    assert_true(sotto__lattice_tick_max(&widest, SOTTO_NOISE_LAPLACE) < INT32_MAX);
}

/* Made constants are the smallest sufficient ones and one tick, and pass the check. */
static void assert_passes_its_own_check(const sotto_terms *terms)
{
    sotto_fault fault;
    const sotto_lattice *l = &terms->lattice;
    if (sotto_terms_fault(terms, &fault) != SOTTO_OK) fail_msg("%s", fault.sentence);
    assert_true(l->scale_ticks >= 1u << 10 && l->scale_ticks <= 1u << 24);
    assert_true(l->grid_log2 >= -60 && l->grid_log2 <= 60);
    assert_true(sotto__lattice_tick_max(l, terms->spec.noise_law) < INT32_MAX);
    sotto_terms weaker = *terms;
    weaker.lattice.scale_ticks -= 2;
    assert_status(sotto_terms_check(&weaker), SOTTO_E_WEAK);
}

TEST(every_spec_in_range_gets_constants_that_pass_their_own_check)
{
    static const uint32_t dims[] = {1, 2, 30, 408, 1024};
    static const double epsilons[] = {0.01, 0.063, 1, 50}, deltas[] = {1e-12, 1e-6, 0.5};
    static const double bounds[] = {1e-6, 1, 1e6}, rewards[] = {5e-7, 1, 1e6};
    int refused = 0;
    for (int i = 0; i < 5 * 4 * 3 * 3 * 3 * 2 * 2; i++) {
        sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
        spec.method = i % 2 == 0 ? SOTTO_METHOD_LDP_OLS : SOTTO_METHOD_LDP_GLOC;
        spec.score = i % 2 == 0 ? SOTTO_SCORE_MOMENTS : SOTTO_SCORE_GLOC_PAIR;
        spec.noise_law = (sotto_noise_law)(i / 2 % 2), spec.arms = 2, spec.dim = dims[i / 4 % 5];
        spec.epsilon = epsilons[i / 20 % 4];
        spec.delta = spec.noise_law == SOTTO_NOISE_LAPLACE ? 0 : deltas[i / 80 % 3];
        spec.allow_weak_delta = true, spec.context_norm_max = bounds[i / 240 % 3];
        spec.reward_hi = rewards[i / 720], spec.reward_lo = -spec.reward_hi;
        sotto_terms terms;
        sotto_status status = sotto_spec_resolve(&spec, &terms);
        if (status != SOTTO_OK) { /* laplace on so many numbers */
            assert_true(spec.noise_law == SOTTO_NOISE_LAPLACE && spec.dim == 1024);
            assert_true(spec.epsilon == 0.01);
            refused++;
            continue;
        }
        assert_passes_its_own_check(&terms);
    }
    assert_int_equal(refused, 3 * 3 * 3 * 2);
}

/* The smallest epsilon that laplace noise allows: b just below 2^23 ticks, as many for rounding. */
TEST(the_least_laplace_promise_gets_constants_that_pass_their_own_check)
{
    static const uint32_t dims[] = {85904, 1u << 17, 300699, 525824};
    for (size_t i = 0; i < 4 * 2000; i++) {
        uint32_t dim = dims[i % 4];
        double epsilon = dim * 0x1p-23;
        sotto_fault fault;
        while (sotto__lattice_promise_fault(SOTTO_NOISE_LAPLACE, dim, epsilon, 0, false, &fault)) {
            epsilon *= 1 + 1e-9;
        }
        assert_true(epsilon < dim * 0x1p-23 * (1 + 1e-6));
        const sotto__lattice_need need = {
            .law = SOTTO_NOISE_LAPLACE,
            .epsilon = epsilon,
            .diameter = epsilon * (1 - 1e-12 * (double)(i * i)),
            .dim = dim,
            .coordinate_max = epsilon / 1000,
        };
        const sotto_lattice made = sotto__lattice_constants(&need);
        if (sotto__lattice_check(&made, &need, &fault) != SOTTO_OK)
            fail_msg("%u: %s", dim, fault.sentence);
    }
}
