/* The constants of lattice noise: promises that cannot be kept, tampered ones, the whole range. */
#include "core/calibrate_lattice.h"
#include "core/method.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static sotto__lattice_need gaussian_need(void)
{
    return (sotto__lattice_need){SOTTO_NOISE_GAUSSIAN, 1, 1e-6, 2, 16, 1};
}

static sotto__lattice_need laplace_need(void)
{
    return (sotto__lattice_need){SOTTO_NOISE_LAPLACE, 1, 0, 2, 16, 1};
}

static void promises_that_noise_cannot_keep_are_refused_by_name(void **state)
{
    (void)state;
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
    char text[SOTTO_FAULT_BYTES];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *fault = sotto__lattice_promise_fault(rows[i].law, rows[i].dim, rows[i].epsilon,
                                                         rows[i].delta, rows[i].weak, text);
        assert_ptr_equal(fault, text);
        assert_string_equal(text, rows[i].says);
    }
    assert_null(sotto__lattice_promise_fault(SOTTO_NOISE_GAUSSIAN, 5, 1, 1e-12, false, text));
    assert_null(sotto__lattice_promise_fault(SOTTO_NOISE_GAUSSIAN, 5, 1, 1e-6, false, text));
    assert_null(sotto__lattice_promise_fault(SOTTO_NOISE_GAUSSIAN, 5, 1, 0.5, true, text));
    assert_null(sotto__lattice_promise_fault(SOTTO_NOISE_LAPLACE, 65, 0.01, 0, false, text));
    assert_null(
        sotto__lattice_promise_fault(SOTTO_NOISE_LAPLACE, 1u << 19, 0.0626, 0, false, text));
}

static void assert_told(const sotto_lattice *lattice, const sotto__lattice_need *need,
                        sotto_status status, const char *says)
{
    char text[SOTTO_FAULT_BYTES];
    assert_status(sotto__lattice_check(lattice, need, text), status);
    if (strstr(text, says) == NULL) fail_msg("\"%s\", wanted \"%s\"", text, says);
}

static void tampered_constants_are_refused_by_name(void **state)
{
    (void)state;
    for (int law = 0; law < 2; law++) {
        const sotto__lattice_need need = law == 0 ? gaussian_need() : laplace_need();
        const sotto_lattice made = sotto__lattice_constants(&need);
        char text[SOTTO_FAULT_BYTES];
        assert_ok(sotto__lattice_check(&made, &need, text));
        sotto_lattice l = made;
        l.scale_ticks--; /* made one larger than needed */
        assert_ok(sotto__lattice_check(&l, &need, text));
        l.scale_ticks--;
        assert_told(&l, &need, SOTTO_E_WEAK, "needs at least");
        l.scale_ticks = (1u << 10) - 1;
        assert_told(&l, &need, SOTTO_E_FAULT, "scale_ticks = 1023: allowed 2^10 to 2^24");
        l.scale_ticks = (1u << 24) + 1;
        assert_told(&l, &need, SOTTO_E_FAULT, "scale_ticks = 16777217: allowed 2^10 to 2^24");
        l.scale_ticks = 1u << 24;
        assert_ok(sotto__lattice_check(&l, &need, text));
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
static void grids_whose_ticks_overflow_are_refused_whatever_the_scale(void **state)
{
    (void)state;
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
static void rounding_widens_the_diameter_in_the_norm_of_the_law(void **state)
{
    (void)state;
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
static void constants_by_hand(void **state)
{
    (void)state;
    sotto__lattice_need need = gaussian_need();
    sotto_lattice made = sotto__lattice_constants(&need);
    double sigma = 4.224678889326835 * (2 + 4 * 0x1p-13); /* of diameter 1, by mpmath */
    assert_int_equal(made.dim, 16);
    assert_int_equal(made.grid_log2, -13);
    assert_int_equal(made.scale_ticks, (uint32_t)ceil(sigma * 8192) + 1);
    assert_int_equal(made.clip_ticks, 8192);
    need = laplace_need();
    made = sotto__lattice_constants(&need);
    assert_int_equal(made.grid_log2, -15);
    assert_int_equal(made.scale_ticks, (2 << 15) + 16 + 1 + 1);
    assert_int_equal(made.clip_ticks, 32768);
    need.dim = 1024; /* a thousandth of the diameter: 2^(ilogb(2/1024) - 10) = 2^-19 */
    made = sotto__lattice_constants(&need);
    assert_int_equal(made.grid_log2, -19);
    assert_int_equal(made.scale_ticks, (2 << 19) + 1024 + 1 + 1);
    need.dim = 100000; /* but b is at most 2^23 ticks before rounding: 2^(1 - 22) */
    made = sotto__lattice_constants(&need);
    assert_int_equal(made.grid_log2, -21);
    assert_int_equal(made.scale_ticks, (2 << 21) + 100000 + 1 + 1);
}

static void honest_ticks_fit_and_the_bound_is_that_of_the_law(void **state)
{
    (void)state;
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
    char text[SOTTO_FAULT_BYTES];
    const sotto_lattice *l = &terms->lattice;
    if (sotto_terms_fault(terms, text) != NULL) fail_msg("%s", text);
    assert_true(l->scale_ticks >= 1u << 10 && l->scale_ticks <= 1u << 24);
    assert_true(l->grid_log2 >= -60 && l->grid_log2 <= 60);
    assert_true(sotto__lattice_tick_max(l, terms->spec.noise_law) < INT32_MAX);
    sotto_terms weaker = *terms;
    weaker.lattice.scale_ticks -= 2;
    assert_status(sotto_terms_check(&weaker), SOTTO_E_WEAK);
}

static void every_spec_in_range_gets_constants_that_pass_their_own_check(void **state)
{
    (void)state;
    static const uint32_t dims[] = {1, 2, 30, 408, 1024};
    static const double epsilons[] = {0.01, 0.063, 1, 50}, deltas[] = {1e-12, 1e-6, 0.5};
    static const double bounds[] = {1e-6, 1, 1e6}, rewards[] = {5e-7, 1, 1e6};
    int refused = 0;
    for (int i = 0; i < 5 * 4 * 3 * 3 * 3 * 2 * 2; i++) {
        sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
        spec.method = i % 2 == 0 ? SOTTO_METHOD_LDP_OLS : SOTTO_METHOD_LDP_GLOC;
        spec.score = i % 2 == 0 ? SOTTO_SCORE_MOMENTS : SOTTO_SCORE_GLOC_PAIR;
        spec.noise_law = (sotto_noise_law)(i / 2 % 2);
        spec.arms = 2;
        spec.dim = dims[i / 4 % 5];
        spec.epsilon = epsilons[i / 20 % 4];
        spec.delta = spec.noise_law == SOTTO_NOISE_LAPLACE ? 0 : deltas[i / 80 % 3];
        spec.allow_weak_delta = true;
        spec.context_norm_max = bounds[i / 240 % 3];
        spec.reward_hi = rewards[i / 720];
        spec.reward_lo = -spec.reward_hi;
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
static void the_least_laplace_promise_gets_constants_that_pass_their_own_check(void **state)
{
    (void)state;
    static const uint32_t dims[] = {85904, 1u << 17, 300699, 525824};
    for (size_t i = 0; i < 4 * 2000; i++) {
        uint32_t dim = dims[i % 4];
        double epsilon = dim * 0x1p-23;
        char text[SOTTO_FAULT_BYTES];
        while (sotto__lattice_promise_fault(SOTTO_NOISE_LAPLACE, dim, epsilon, 0, false, text)) {
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
        if (sotto__lattice_check(&made, &need, text) != SOTTO_OK) fail_msg("%u: %s", dim, text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(promises_that_noise_cannot_keep_are_refused_by_name),
        cmocka_unit_test(tampered_constants_are_refused_by_name),
        cmocka_unit_test(grids_whose_ticks_overflow_are_refused_whatever_the_scale),
        cmocka_unit_test(rounding_widens_the_diameter_in_the_norm_of_the_law),
        cmocka_unit_test(constants_by_hand),
        cmocka_unit_test(honest_ticks_fit_and_the_bound_is_that_of_the_law),
        cmocka_unit_test(every_spec_in_range_gets_constants_that_pass_their_own_check),
        cmocka_unit_test(the_least_laplace_promise_gets_constants_that_pass_their_own_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
