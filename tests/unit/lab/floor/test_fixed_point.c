/* Fixed points that are known. */
#include "lab/floor/fixed_point.h"
#include "test.h"

#include <math.h>

static int calls;

static double inverse(double x, void *state)
{
    calls++;
    return *(const double *)state / x; /* meets x at its root */
}

static double steep(double x, void *state)
{
    calls++;
    return 1e9 * exp(-*(const double *)state * x);
}

static double flat(double x, void *state)
{
    (void)x;
    return *(const double *)state;
}

static void it_is_where_the_function_meets_its_argument(void **state)
{
    (void)state;
    for (double of = 1e-6; of < 1e6; of *= 7) {
        double root = sqrt(of);
        const double low[] = {0.99 * root, 0.5 * root, root},
                     high[] = {root, 1.01 * root, 100 * root};
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                assert_near(sotto__fixed_point(inverse, &of, low[i], high[j], 1e-9), root,
                            2e-9 * root);
            }
        }
        assert_near(sotto__fixed_point(flat, &of, 0, 10 * of, 1e-9), of, 1e-9 * of);
    }
}

static void a_steep_fall_from_nothing_known_takes_few_steps(void **state)
{
    (void)state;
    for (double of = 0.01; of < 100; of *= 3) {
        calls = 0;
        double found = sotto__fixed_point(steep, &of, 0, 1e9, 1e-9);
        assert_near(log(1e9 / found), of * found, 1e-6);
        assert_true(calls < 70);
    }
}

/* A bound that is not one, by rounding: the end of it is the answer. */
static void a_low_end_above_the_root_is_the_answer(void **state)
{
    (void)state;
    double of = 4;
    assert_near(sotto__fixed_point(inverse, &of, 2.00001, 3, 1e-9), 2, 2e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_where_the_function_meets_its_argument),
        cmocka_unit_test(a_steep_fall_from_nothing_known_takes_few_steps),
        cmocka_unit_test(a_low_end_above_the_root_is_the_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
