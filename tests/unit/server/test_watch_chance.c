/* Chances of the watch, beside plain sums. */
#include "server/watch_chance.h"
#include "test.h"

#include <math.h>

static void nothing_seen_is_no_evidence(void **state)
{
    (void)state;
    const uint64_t none[4] = {0};
    uint64_t total = 0;
    assert_true(sotto__chance_above(0, 0, 0.1) == 1);
    assert_true(sotto__chance_apart(0, 0, 0.1) == 1);
    assert_true(sotto__entropy_of(none, 4, 1, &total) == 0);
    assert_int_equal(total, 0);
    assert_true(sotto__entropy_chance(0, 0) == 1);
    assert_true(sotto__entropy_chance(1e-12, 0) == 1); /* rounding, and nothing to look at */
}

static void a_chance_of_one_or_more_says_nothing(void **state)
{
    (void)state;
    assert_true(sotto__chance_above(10, 10, 1) == 1);
    assert_true(sotto__chance_above(10, 10, 1.7) == 1);
}

/* P(X >= x) by adding it up. */
static double sum_above(uint32_t x, uint32_t n, double q)
{
    double sum = 0;
    for (uint32_t i = x; i <= n; i++) {
        double log_choose = lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0);
        sum += exp(log_choose + i * log(q) + (n - i) * log1p(-q));
    }
    return sum;
}

static void binomial_tails_are_those_of_the_sum(void **state)
{
    (void)state;
    static const double chance[] = {0.0001, 0.05, 0.5, 0.97};
    for (uint32_t n = 1; n <= 40; n += 13) {
        for (uint32_t x = 1; x <= n; x++) {
            for (int c = 0; c < 4; c++) {
                double q = chance[c], above = sum_above(x, n, q);
                double below = 1 - sum_above(x + 1, n, q);
                assert_near(sotto__chance_above(x, n, q), above, 1e-10 * above + 1e-13);
                assert_near(sotto__chance_apart(x, n, q), fmin(1, 2 * fmin(above, below)), 1e-10);
            }
        }
    }
}

static void far_tails_of_many_reports_are_right(void **state)
{
    (void)state;
    /* A million coins: 503,000 heads or more, 6 sd. Normal: 9.9e-10, with the half step 9.6e-10. */
    assert_near(sotto__chance_above(503000, 1000000, 0.5), 9.7e-10, 0.4e-10);
    /* The largest tally: no loss of digits, and an answer. */
    uint64_t n = UINT64_C(1) << 31;
    assert_near(sotto__chance_above(n / 2 + 23170, n, 0.5), 0.1587, 0.002);
}

static void entropy_is_that_of_every_stride_th_count(void **state)
{
    (void)state;
    const uint64_t count[6] = {3, 100, 1, 100, 0, 100};
    uint64_t total = 0;
    double wanted = 3 * log(3 * 3 / 4.0) + log(3 / 4.0);
    assert_near(sotto__entropy_of(count, 3, 2, &total), wanted, 1e-12);
    assert_int_equal(total, 4);
    const uint64_t equal[3] = {5, 5, 5};
    assert_near(sotto__entropy_of(equal, 3, 1, &total), 0, 1e-12);
}

/* All outcomes of n throws of three sides: the bound is never below the true chance. */
static void the_bound_on_entropy_holds_for_every_outcome_of_few_throws(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 12; n++) {
        for (double x = 0.5; x < 14; x += 0.5) {
            double chance = 0;
            for (uint32_t a = 0; a <= n; a++) {
                for (uint32_t b = 0; a + b <= n; b++) {
                    const uint64_t count[3] = {a, b, n - a - b};
                    uint64_t total = 0;
                    if (sotto__entropy_of(count, 3, 1, &total) < x) continue;
                    chance += exp(lgamma(n + 1.0) - lgamma(a + 1.0) - lgamma(b + 1.0) -
                                  lgamma(n - a - b + 1.0) - n * log(3));
                }
            }
            assert_true(chance <= sotto__entropy_chance(x, 2) + 1e-12);
        }
    }
}

static void tails_of_the_sphere_are_those_that_are_known(void **state)
{
    (void)state;
    /* d = 3: U_1 is uniform on [-1, 1]. d = 2: P(|U_1| > t) = 2 acos(t)/pi. */
    assert_near(sotto__tail_square(3, 0.01), 0.99 * 0.99, 1e-12);
    assert_near(sotto__tail_square(2, 0.1), pow(cos(0.05 * acos(-1)), 2), 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_seen_is_no_evidence),
        cmocka_unit_test(a_chance_of_one_or_more_says_nothing),
        cmocka_unit_test(binomial_tails_are_those_of_the_sum),
        cmocka_unit_test(far_tails_of_many_reports_are_right),
        cmocka_unit_test(entropy_is_that_of_every_stride_th_count),
        cmocka_unit_test(the_bound_on_entropy_holds_for_every_outcome_of_few_throws),
        cmocka_unit_test(tails_of_the_sphere_are_those_that_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
