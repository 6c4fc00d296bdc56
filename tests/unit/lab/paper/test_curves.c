/* Regret as curves. */
#include "lab/paper/curves.h"
#include "lab/paper/numbers.h"
#include "reproductions.h"
#include "test.h"

#include <math.h>

/* 0, 0, 0 and 4 t by seed: mean t, standard deviation 2 t. */
static double wide(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    (void)part, (void)match;
    return seed == 3 ? 4 * (double)t : 0;
}

/* t less 1 and t more 1, times epsilon. */
static double narrow(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    return part->comparison.epsilon[match] * ((double)t + (seed == 0 ? -1 : 1));
}

/* The mean less half a deviation is 0, which has no place on a logarithmic axis. */
static void a_band_ends_at_a_tenth_of_the_mean(void **state)
{
    (void)state;
    sotto__reproduction_settings settings = settings_made("shared-d2", 4, 100);
    sotto__reproduction *r = reproduction_made(&settings, wide);
    sotto__curve curve = {0};
    assert_true(sotto__curve_along(&r->part[0], 0, &r->pool, &curve));
    assert_int_equal(curve.count, 7);
    assert_near(curve.x[6], 100, 0);
    assert_near(curve.y[6], 100, 1e-9);
    assert_near(curve.lo[6], 10, 1e-9);
    assert_near(curve.hi[6], 200, 1e-9);
    sotto__reproduction_free(r);
}

static void along_t_the_last_three_decades_are_drawn(void **state)
{
    (void)state;
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 20000);
    sotto__reproduction *r = reproduction_made(&settings, narrow);
    sotto__curve curve = {0};
    uint32_t match = sotto__part_match(&r->part[1], SOTTO_PLAYER_LDP_SGD, 5);
    assert_true(sotto__curve_along(&r->part[1], match, &r->pool, &curve));
    static const double at[] = {20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000};
    assert_int_equal(curve.count, 10);
    for (uint32_t i = 0; i < 10; i++) {
        assert_near(curve.x[i], at[i], 0);
        assert_near(curve.y[i], 5 * at[i], 1e-9);
        assert_near(curve.lo[i], 5 * at[i] - 2.5 * sqrt(2), 1e-9);
        assert_near(curve.hi[i], 5 * at[i] + 2.5 * sqrt(2), 1e-9);
    }
    sotto__reproduction_free(r);
}

/* Over random arms, and without an end at a tenth of the mean: the axis is linear. */
static void shares_are_of_random_arms(void **state)
{
    (void)state;
    sotto__reproduction_settings settings = settings_made("shared-d2", 4, 100);
    sotto__reproduction *r = reproduction_made(&settings, wide);
    sotto__curve curve = {0};
    uint32_t random = sotto__part_match(&r->part[0], SOTTO_PLAYER_RANDOM, 1);
    assert_true(sotto__curve_of_shares(&r->part[0], 0, random, &r->pool, &curve));
    assert_int_equal(curve.count, 7);
    assert_near(curve.x[6], 100, 0);
    assert_near(curve.y[6], 1, 1e-12);
    assert_near(curve.lo[6], 0, 1e-12);
    assert_near(curve.hi[6], 2, 1e-12);
    sotto__reproduction_free(r);
}

static void horizons_are_divided_by_the_bound_where_it_is_the_subject(void **state)
{
    (void)state;
    static const char *const name[] = {"rates-horizon", "lower-bound"};
    for (uint32_t i = 0; i < 2; i++) {
        sotto__reproduction_settings settings = settings_made(name[i], 2, 100);
        sotto__reproduction *r = reproduction_made(&settings, narrow);
        uint32_t horizons;
        const sotto__part *part = sotto__reproduction_stage(r, &settings.only->stage[0], &horizons);
        sotto__curve curve = {0};
        assert_true(sotto__curve_over_horizons(part, horizons, 0, &r->pool, &curve));
        assert_int_equal(curve.count, 5);
        double epsilon = part->comparison.epsilon[0]; /* 5 and 0.25 */
        double unit = i == 0 ? 1 : sqrt(3000 * 5.0) / (exp(0.25) - 1);
        assert_near(curve.x[1], 3000, 0);
        assert_near(curve.y[1], epsilon * 3000 / unit, 1e-9);
        assert_near(curve.hi[1], epsilon * (3000 + 0.5 * sqrt(2)) / unit, 1e-9);
        sotto__reproduction_free(r);
    }
}

static void epsilons_are_those_of_the_stage(void **state)
{
    (void)state;
    sotto__reproduction_settings settings = settings_made("rates-epsilon", 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, narrow);
    static const double epsilon[] = {0.1, 0.2, 0.5, 1, 2, 4, 8};
    sotto__curve curve = {0};
    assert_true(sotto__curve_over_epsilons(&r->part[0], SOTTO_PLAYER_OLS, &r->pool, &curve));
    assert_int_equal(curve.count, 7);
    for (uint32_t i = 0; i < 7; i++) {
        assert_near(curve.x[i], epsilon[i], 0);
        assert_near(curve.y[i], 100 * epsilon[i], 1e-9);
    }
    sotto__reproduction_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_band_ends_at_a_tenth_of_the_mean),
        cmocka_unit_test(along_t_the_last_three_decades_are_drawn),
        cmocka_unit_test(shares_are_of_random_arms),
        cmocka_unit_test(horizons_are_divided_by_the_bound_where_it_is_the_subject),
        cmocka_unit_test(epsilons_are_those_of_the_stage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
