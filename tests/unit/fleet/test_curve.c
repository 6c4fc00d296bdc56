/* The curve keeps every person, in steps of as many people each, however many come. */
#include "fleet/curve.h"
#include "test.h"

static void nobody_is_no_step(void **state)
{
    (void)state;
    const sotto__curve curve = {0};
    assert_int_equal(sotto__curve_steps(&curve), 0);
    assert_int_equal(sotto__curve_people(&curve, 0), 0);
}

static void every_person_is_in_the_step_of_their_number(void **state)
{
    (void)state;
    sotto__curve curve = {0};
    for (uint64_t n = 1; n <= 1000; n++) {
        sotto__curve_add(&curve, (double)n, 2 * (double)n);
        uint32_t steps = sotto__curve_steps(&curve);
        assert_true(steps <= SOTTO__CURVE_STEPS &&
                    (n < SOTTO__CURVE_STEPS || steps > SOTTO__CURVE_STEPS / 2));
        uint64_t first = 1;
        for (uint32_t i = 0; i < steps; i++) {
            uint64_t people = sotto__curve_people(&curve, i);
            double sum = (double)people * (double)(2 * first + people - 1) /
                         2; /* of first, first + 1, ... */
            assert_true(people == curve.width || i + 1 == steps);
            assert_near(curve.regret[i], sum, 1e-9);
            assert_near(curve.random[i], 2 * sum, 1e-9);
            first += people;
        }
        assert_int_equal(first, n + 1);
        assert_int_equal(sotto__curve_people(&curve, steps), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_is_no_step),
        cmocka_unit_test(every_person_is_in_the_step_of_their_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
