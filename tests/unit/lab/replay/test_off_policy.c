/* Off-policy evaluation: cases by hand, and intervals that cover the truth as often as they say. */
#include "lab/random/stream.h"
#include "lab/replay/off_policy.h"
#include "test.h"

#include <math.h>

static void no_event_has_no_value(void **state)
{
    (void)state;
    const sotto__off_policy none = {0};
    sotto_estimate estimate = sotto__off_policy_value(&none, 0);
    assert_true(isnan(estimate.value) && isnan(estimate.lo) && isnan(estimate.hi));
    assert_true(isnan(sotto__off_policy_self_normalised(&none)));
    assert_true(sotto__off_policy_effective_size(&none) == 0);

    sotto__off_policy one = {0};
    sotto__off_policy_add(&one, 3, 0.5, 0);
    estimate = sotto__off_policy_value(&one, 1);
    assert_true(estimate.value == 6);
    assert_true(isnan(estimate.lo) && isnan(estimate.hi));
    estimate = sotto__off_policy_value(&none, 2); /* two events, and it agreed with none */
    assert_true(estimate.value == 0 && isnan(estimate.lo) && isnan(estimate.hi));
}

/* Weights 2, 4 and, clipped, 100 among five events: w r sums to 2 + 0 + 100, its squares to 10004;
 * s^2 = (10004 - 5 x 20.4^2)/4 = 1980.8. */
static void three_of_five_events_by_hand(void **state)
{
    (void)state;
    sotto__off_policy sums = {0};
    sotto__off_policy_add(&sums, 1, 0.5, 0.01);
    sotto__off_policy_add(&sums, 0, 0.25, 0.01);
    sotto__off_policy_add(&sums, 1, 0.005, 0.01);
    sotto_estimate estimate = sotto__off_policy_value(&sums, 5);
    double reach = 1.959963984540054 * sqrt(1980.8 / 5);
    assert_int_equal(sums.matched, 3);
    assert_near(estimate.value, 20.4, 1e-12);
    assert_near(estimate.lo, 20.4 - reach, 1e-9);
    assert_near(estimate.hi, 20.4 + reach, 1e-9);
    assert_near(sotto__off_policy_self_normalised(&sums), 102.0 / 106, 1e-15);
    assert_near(sotto__off_policy_effective_size(&sums), 106.0 * 106 / 10020, 1e-12);
}

static void joined_logs_are_one_log(void **state)
{
    (void)state;
    sotto__off_policy whole = {0}, part[2] = {{0}, {0}};
    for (int i = 0; i < 10; i++) {
        sotto__off_policy_add(&whole, i, 0.25 + 0.05 * i, 0.01);
        sotto__off_policy_add(&part[i % 2], i, 0.25 + 0.05 * i, 0.01);
    }
    sotto__off_policy_join(&part[0], &part[1]);
    assert_int_equal(part[0].matched, 10);
    assert_near(part[0].weight, whole.weight, 1e-12);
    assert_near(part[0].weight_squares, whole.weight_squares, 1e-12);
    assert_near(part[0].product, whole.product, 1e-12);
    assert_near(part[0].product_squares, whole.product_squares, 1e-10);
}

/* Nobody clicked among a thousand: that does not make the chance of a click 0. */
static void equal_rewards_have_no_interval(void **state)
{
    (void)state;
    sotto__off_policy sums = {0};
    for (int i = 0; i < 1000; i++) {
        sotto__off_policy_add(&sums, 0.1, 1, 0);
    }
    sotto_estimate estimate = sotto__off_policy_value(&sums, 1000);
    assert_near(estimate.value, 0.1, 1e-12);
    assert_true(isnan(estimate.lo) && isnan(estimate.hi));
    assert_near(sotto__off_policy_effective_size(&sums), 1000, 1e-9);
}

/* Rewards that differ by a hundredth of a percent do differ: s^2 = 5e-9. */
static void rewards_that_hardly_differ_have_an_interval(void **state)
{
    (void)state;
    sotto__off_policy sums = {0};
    sotto__off_policy_add(&sums, 1, 1, 0);
    sotto__off_policy_add(&sums, 1.0001, 1, 0);
    sotto_estimate estimate = sotto__off_policy_value(&sums, 2);
    assert_near(estimate.hi - estimate.value, 1.959963984540054 * 5e-5, 1e-9);
}

/* ---- coverage ----------------------------------------------------------------------------- */

static const double logging[2][3] = {{0.5, 0.3, 0.2}, {0.2, 0.2, 0.6}}; /* of a context, an arm */
static const double chance[2][3] = {{0.2, 0.7, 0.4}, {0.5, 0.1, 0.3}};  /* of a reward of 1 */
static const uint32_t policy[2] = {1, 0};                               /* what is evaluated */
#define TRUTH (0.5 * 0.7 + 0.5 * 0.5)

typedef double weight_rule(double propensity);

static double as_logged(double propensity)
{
    return propensity;
}

/* The twin that forgets the propensities: every arm once in three. */
static double forgetful(double propensity)
{
    (void)propensity;
    return 1.0 / 3;
}

static uint32_t draw_arm(const double *p, double u)
{
    if (u < p[0]) return 0;
    return u < p[0] + p[1] ? 1 : 2;
}

static sotto_estimate estimate_of_log(sotto__seeded *coins, uint32_t events, weight_rule *rule)
{
    sotto__off_policy sums = {0};
    for (uint32_t i = 0; i < events; i++) {
        uint32_t x = (uint32_t)(sotto__seeded_next(coins) >> 63);
        uint32_t arm = draw_arm(logging[x], sotto__uniform(sotto__seeded_next(coins)));
        double luck = sotto__uniform(sotto__seeded_next(coins));
        if (arm != policy[x]) continue;
        sotto__off_policy_add(&sums, luck < chance[x][arm] ? 1 : 0, rule(logging[x][arm]), 0.01);
    }
    return sotto__off_policy_value(&sums, events);
}

static double coverage(weight_rule *rule)
{
    enum { LOGS = 3000, EVENTS = 500 };
    sotto__seeded coins;
    uint32_t covered = 0;
    sotto__seeded_begin(&coins, 20);
    for (uint32_t log = 0; log < LOGS; log++) {
        sotto_estimate estimate = estimate_of_log(&coins, EVENTS, rule);
        if (estimate.lo <= TRUTH && TRUTH <= estimate.hi) covered++;
    }
    return (double)covered / LOGS;
}

/* 500 events put the chance of covering between 0.94 and 0.96. Of 3000 logs fewer than 0.915 or
 * more than 0.98 would be covered with chance below 1e-6. */
static void intervals_cover_the_truth(void **state)
{
    (void)state;
    double covered = coverage(as_logged);
    assert_true(covered >= 0.915);
    assert_true(covered <= 0.98);
    assert_true(coverage(forgetful) < 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_event_has_no_value),
        cmocka_unit_test(three_of_five_events_by_hand),
        cmocka_unit_test(joined_logs_are_one_log),
        cmocka_unit_test(equal_rewards_have_no_interval),
        cmocka_unit_test(rewards_that_hardly_differ_have_an_interval),
        cmocka_unit_test(intervals_cover_the_truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
