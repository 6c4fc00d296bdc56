/* What is lost on a line, against sums over how many arms are good. */
#include "lab/plan/line.h"
#include "test.h"

#include <math.h>

static double cdf(double x)
{
    return erfc(-x / sqrt(2)) / 2;
}

/* By Simpson's rule, for each number of good arms: a bad arm has the largest estimate, and the person loses 2; a
 * random arm loses 2 (1 - good/K) where an arm is good. */
static double slow_part(double z, uint32_t arms)
{
    enum { STEPS = 4000 };
    double lost = 0, random = 0, ways = ldexp(1, -(int)arms);
    for (uint32_t good = 0; good <= arms; good++) {
        double bad = arms - (double)good, chance = 0;
        for (int i = 0; i <= STEPS && bad > 0 && good > 0; i++) {
            double t = -9 + 18.0 * i / STEPS, weight = i % STEPS == 0 ? 1 : i % 2 == 1 ? 4 : 2;
            double density = bad * pow(cdf(t), bad - 1) * exp(-t * t / 2) / sqrt(8 * atan(1));
            chance += weight * density * pow(cdf(t - 2 * z), good) * (18.0 / STEPS) / 3;
        }
        lost += ways * 2 * chance;
        if (good > 0) random += ways * 2 * bad / arms;
        ways *= bad / (good + 1);
    }
    return lost / random;
}

static void arms_are_counted_one_by_one(void **state)
{
    (void)state;
    const uint32_t arms[] = {2, 3, 5, 20};
    const double z[] = {0, 0.1, 0.5, 1, 2, 3};
    for (int i = 0; i < 24; i++) {
        assert_near(sotto__line_part_of_arms(z[i / 4], arms[i % 4]),
                    slow_part(z[i / 4], arms[i % 4]), 1e-6);
    }
}

static void closed_forms_hold(void **state)
{
    (void)state;
    for (double z = 0; z < 9; z += 0.3) {
        assert_near(sotto__line_part(z), erfc(z / sqrt(2)), 1e-14);
        assert_near(sotto__line_part_of_arms(z, 2), erfc(z), 1e-6); /* 2 Phi(-z sqrt 2) */
    }
}

/* From what a random arm loses to nothing, with any number of arms. */
static void less_is_lost_the_more_is_known(void **state)
{
    (void)state;
    for (uint32_t arms = 2; arms <= 1024; arms *= 2) {
        double before = sotto__line_part_of_arms(0, arms);
        assert_near(before, 1, 1e-5);
        for (double z = 0.05; z < 10; z += 0.05) {
            double now = sotto__line_part_of_arms(z, arms);
            assert_true(now >= 0 && now <= before);
            before = now;
        }
        assert_true(before == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arms_are_counted_one_by_one),
        cmocka_unit_test(closed_forms_hold),
        cmocka_unit_test(less_is_lost_the_more_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
