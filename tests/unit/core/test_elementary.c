/* e^x - 1 and ln(1 + x) keep their digits where the result is small; cubes have their roots. */
#include "test.h"

#include "core/elementary.h"

#include <math.h>

static void arguments_at_the_ends_give_the_limits(void **state)
{
    (void)state;
    assert_true(isnan(sotto__expm1(NAN)));
    assert_true(sotto__expm1(INFINITY) == INFINITY);
    assert_true(sotto__expm1(1e308) == INFINITY);
    assert_true(sotto__expm1(-INFINITY) == -1);
    assert_true(sotto__expm1(-1e308) == -1);
    assert_true(sotto__expm1(0) == 0);
    assert_true(sotto__expm1(5e-324) == 5e-324);
    assert_true(isnan(sotto__log1p(NAN)));
    assert_true(isnan(sotto__log1p(-2)));
    assert_true(sotto__log1p(-1) == -INFINITY);
    assert_true(sotto__log1p(INFINITY) == INFINITY);
    assert_true(sotto__log1p(0) == 0);
    assert_true(sotto__log1p(5e-324) == 5e-324);
    assert_true(isnan(sotto__cbrt(NAN)));
    assert_true(isnan(sotto__cbrt(-1)));
    assert_true(sotto__cbrt(0) == 0);
    assert_true(sotto__cbrt(INFINITY) == INFINITY);
}

static double ulps(double value, long double wanted)
{
    int exponent;
    frexp((double)wanted, &exponent);
    return (double)fabsl((long double)value - wanted) / ldexp(1, exponent - 53);
}

/* Sizes from 2^-60 to 2^5, both signs; the steps are irregular so that no bits are always 0. */
static void both_agree_with_a_longer_type_on_a_scan(void **state)
{
    (void)state;
    for (int i = 0; i < 65 * 200; i++) {
        double size = ldexp(1 + (i % 200) / 200.0 + 1e-9 * i, i / 200 - 60);
        for (int side = -1; side <= 1; side += 2) {
            double x = side * size;
            double off = ulps(sotto__expm1(x), expm1l((long double)x));
            if (!(off < 3)) fail_msg("expm1(%.17g) is off by %g units", x, off);
            if (x <= -1) continue;
            off = ulps(sotto__log1p(x), log1pl((long double)x));
            if (!(off < 2)) fail_msg("log1p(%.17g) is off by %g units", x, off);
        }
    }
}

static void cube_roots_agree_with_a_longer_type_on_a_scan(void **state)
{
    (void)state;
    for (int i = 0; i < 200 * 100; i++) {
        double x = ldexp(1 + (i % 100) / 100.0 + 1e-9 * i, i / 100 - 100);
        double off = ulps(sotto__cbrt(x), cbrtl((long double)x));
        if (!(off < 2)) fail_msg("cbrt(%.17g) is off by %g units", x, off);
    }
    assert_true(sotto__cbrt(1) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_at_the_ends_give_the_limits),
        cmocka_unit_test(both_agree_with_a_longer_type_on_a_scan),
        cmocka_unit_test(cube_roots_agree_with_a_longer_type_on_a_scan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
