/* Means from sums by group, and their intervals by the standard error. */
#include "lab/replay/off_policy.h"
#include "lab/replay/ratio.h"
#include "test.h"

#include <math.h>

static sotto__ratio ratio;

static void set(uint32_t j, double num, double den, double pull)
{
    ratio.num[j] = num;
    ratio.den[j] = den;
    ratio.pull[j] = pull;
}

static void no_group_and_no_weight_have_no_value(void **state)
{
    (void)state;
    set(0, 0, 0, 0);
    set(1, 0, 0, 0);
    for (uint32_t groups = 0; groups <= 2; groups++) {
        sotto_estimate e = sotto__ratio_estimate(&ratio, groups);
        assert_true(isnan(e.value) && isnan(e.lo) && isnan(e.hi));
        assert_false(sotto__ratio_varies(&ratio, groups));
    }
}

static void one_group_and_equal_groups_have_no_interval(void **state)
{
    (void)state;
    set(0, 0.3, 1, 0);
    set(1, 0.1 + 0.2, 1, 0); /* not the same bits */
    set(2, 0.6, 2, 0);
    for (uint32_t groups = 1; groups <= 3; groups++) {
        sotto_estimate e = sotto__ratio_estimate(&ratio, groups);
        assert_near(e.value, 0.3, 1e-15);
        assert_true(isnan(e.lo) && isnan(e.hi));
    }
}

static void rewards_that_hardly_differ_have_an_interval(void **state)
{
    (void)state;
    set(0, 1, 1, 0);
    set(1, 1 + 1e-8, 1, 0);
    sotto_estimate e = sotto__ratio_estimate(&ratio, 2);
    assert_true(e.lo < e.value && e.value < e.hi);
}

/* One event per group: the interval of the sample variance. */
static void a_mean_of_events_has_the_usual_interval(void **state)
{
    (void)state;
    sotto__off_policy sums = {0};
    for (uint32_t j = 0; j < 100; j++) {
        bool agreed = j % 3 == 0;
        double reward = j * 13 % 7;
        if (agreed) sotto__off_policy_add(&sums, reward, 0.25, 0.01);
        set(j, agreed ? 4 * reward : 0, 1, 0);
    }
    sotto_estimate usual = sotto__off_policy_value(&sums, 100);
    sotto_estimate e = sotto__ratio_estimate(&ratio, 100);
    assert_near(e.value, usual.value, 1e-12);
    assert_near(e.lo, usual.lo, 1e-12);
    assert_near(e.hi, usual.hi, 1e-12);
}

/* num 1, 0; den 1, 3; pull 0.25, -0.25: V = 1/4, psi = (1 - 1/4 + 1/4)/4 and (0 - 3/4 - 1/4)/4, so
 * se^2 = 2/1 x (1/16 + 1/16). */
static void two_groups_by_hand(void **state)
{
    (void)state;
    double psi[SOTTO__GROUPS];
    set(0, 1, 1, 0.25);
    set(1, 0, 3, -0.25);
    sotto__ratio_influence(&ratio, 2, psi);
    sotto_estimate e = sotto__ratio_estimate(&ratio, 2);
    assert_true(psi[0] == 0.25 && psi[1] == -0.25);
    assert_near(e.value, 0.25, 1e-15);
    assert_near(e.hi - e.value, 1.959963984540054 * 0.5, 1e-12);
    assert_near(e.value - e.lo, 1.959963984540054 * 0.5, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_group_and_no_weight_have_no_value),
        cmocka_unit_test(one_group_and_equal_groups_have_no_interval),
        cmocka_unit_test(rewards_that_hardly_differ_have_an_interval),
        cmocka_unit_test(a_mean_of_events_has_the_usual_interval),
        cmocka_unit_test(two_groups_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
