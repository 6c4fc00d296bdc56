/* The nearer of a number and its bound, for every kind of number. */
#include "test.h"

#include "core/secret.h"

#include <float.h>
#include <math.h>

static void what_is_not_a_number_becomes_the_bound(void **state)
{
    (void)state;
    assert_true(sotto__at_most(NAN, 3) == 3);
    assert_true(sotto__at_least(NAN, -3) == -3);
    assert_true(sotto__within(NAN, -3, 3) == 3);
    assert_true(sotto__at_most(-NAN, 3) == 3);
}

static void infinities_become_the_bound_or_stay(void **state)
{
    (void)state;
    assert_true(sotto__at_most(INFINITY, 3) == 3);
    assert_true(sotto__at_most(-INFINITY, 3) == -INFINITY);
    assert_true(sotto__at_least(-INFINITY, -3) == -3);
    assert_true(sotto__at_least(INFINITY, -3) == INFINITY);
    assert_true(sotto__within(INFINITY, -3, 3) == 3);
    assert_true(sotto__within(-INFINITY, -3, 3) == -3);
}

static void numbers_are_the_nearer_one(void **state)
{
    (void)state;
    static const double number[] = {-DBL_MAX,  -1.5, -1, -0.5, -0x1p-1074, 0,
                                    0x1p-1074, 0.5,  1,  1.5,  DBL_MAX};
    for (size_t i = 0; i < sizeof number / sizeof number[0]; i++) {
        double x = number[i];
        for (size_t j = 0; j < sizeof number / sizeof number[0]; j++) {
            assert_true(sotto__at_most(x, number[j]) == fmin(x, number[j]));
            assert_true(sotto__at_least(x, number[j]) == fmax(x, number[j]));
        }
        assert_true(sotto__within(x, -1, 1) == fmax(-1, fmin(1, x)));
    }
}

/* Which of two zeros, as every machine has it: the bound. */
static void of_two_zeros_it_is_the_bound(void **state)
{
    (void)state;
    assert_true(signbit(sotto__at_most(0., -0.)) != 0);
    assert_true(signbit(sotto__at_most(-0., 0.)) == 0);
    assert_true(signbit(sotto__at_least(0., -0.)) != 0);
    assert_true(signbit(sotto__at_least(-0., 0.)) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_a_number_becomes_the_bound),
        cmocka_unit_test(infinities_become_the_bound_or_stay),
        cmocka_unit_test(of_two_zeros_it_is_the_bound),
        cmocka_unit_test(numbers_are_the_nearer_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
