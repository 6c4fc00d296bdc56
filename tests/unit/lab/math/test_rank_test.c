/* The exact rank test. */
#include "test.h"
#include "lab/math/rank_test.h"

#include <math.h>

static void bad_inputs_have_no_p(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3}, tied[] = {5, 2}, nothing[] = {NAN};
    double many[SOTTO__RANK_TEST_MAX + 1];
    for (uint32_t i = 0; i <= SOTTO__RANK_TEST_MAX; i++) {
        many[i] = 10 + i;
    }
    assert_true(isnan(sotto__rank_test(x, 0, tied, 2)));
    assert_true(isnan(sotto__rank_test(x, 3, tied, 0)));
    assert_true(isnan(sotto__rank_test(x, 3, tied, 2)));
    assert_true(isnan(sotto__rank_test(x, 3, nothing, 1)));
    assert_true(isnan(sotto__rank_test(many, SOTTO__RANK_TEST_MAX + 1, x, 3)));
    assert_true(isnan(sotto__rank_test(x, 3, many, SOTTO__RANK_TEST_MAX + 1)));
    assert_true(sotto__rank_test(many, SOTTO__RANK_TEST_MAX, x, 3) > 0);
}

/* Of the C(5, 2) = 10 orders of 2 and 3 values, u = 0..6 have 1 1 2 2 2 1 1. */
static void small_cases_by_hand(void **state)
{
    (void)state;
    const double low[] = {1, 2}, high[] = {3, 4, 5}, between[] = {1.5, 6, 7},
                 inside[] = {0, 1.5, 3};
    assert_near(sotto__rank_test(low, 2, high, 3), 0.2, 1e-15);    /* u = 0 */
    assert_near(sotto__rank_test(high, 3, low, 2), 0.2, 1e-15);    /* u = 6 */
    assert_near(sotto__rank_test(low, 2, between, 3), 0.4, 1e-15); /* u = 1: 2 x 2/10 */
    assert_near(sotto__rank_test(low, 2, inside, 3), 1, 1e-15);    /* u = 3: the middle */
}

/* All of 30 above all of 10: 2/C(40, 10), to 15 digits. */
static void the_farthest_order_of_many(void **state)
{
    (void)state;
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
static void both_tails_weigh_the_same(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_inputs_have_no_p),
        cmocka_unit_test(small_cases_by_hand),
        cmocka_unit_test(the_farthest_order_of_many),
        cmocka_unit_test(both_tails_weigh_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
