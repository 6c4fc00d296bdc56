/* Yardsticks of a data set, by hand. */
#include "lab/replay/yardstick.h"
#include "test.h"

#include <math.h>

static sotto_people people_of(uint32_t *arm, double *reward, double *propensity, uint32_t rows)
{
    return (sotto_people){.dim = 1,
                          .rows = rows,
                          .rows_max = rows,
                          .arm = arm,
                          .reward = reward,
                          .propensity = propensity};
}

static void an_empty_file_has_yardsticks_all_the_same(void **state)
{
    (void)state;
    sotto__yardstick *yardstick;
    sotto__yardstick_free(NULL);
    assert_ok(sotto__yardstick_new(3, 0.01, &yardstick));
    assert_int_equal(yardstick->rows, 0);
    assert_int_equal(sotto__yardstick_majority(yardstick), 0);
    assert_int_equal(sotto__yardstick_best_arm(yardstick), 0);
    assert_true(sotto__yardstick_floor(yardstick) == 1);
    assert_int_equal(sotto__yardstick_matches(yardstick), 1);
    sotto__yardstick_free(yardstick);
}

static void labels_are_counted(void **state)
{
    (void)state;
    uint32_t first[] = {2, 1, 2, 0}, second[] = {1, 1};
    double ones[] = {1, 1, 1, 1};
    sotto_people a = people_of(first, ones, ones, 4), b = people_of(second, ones, ones, 2);
    sotto__yardstick *yardstick;
    assert_ok(sotto__yardstick_new(4, 0.01, &yardstick));
    sotto__yardstick_add(yardstick, &a);
    assert_int_equal(sotto__yardstick_majority(yardstick), 2);
    sotto__yardstick_add(yardstick, &b);
    assert_int_equal(yardstick->rows, 6);
    assert_int_equal(yardstick->arm_count[0], 1);
    assert_int_equal(yardstick->arm_count[1], 3);
    assert_int_equal(yardstick->arm_count[2], 2);
    assert_int_equal(yardstick->arm_count[3], 0);
    assert_int_equal(sotto__yardstick_majority(yardstick), 1);
    assert_int_equal(yardstick->clipped, 0);
    sotto__yardstick_free(yardstick);
}

/* Groups go on from one block to the next; a group has every 1,009th row. */
static void sums_by_group_are_kept_if_asked_for(void **state)
{
    (void)state;
    static uint32_t arm[SOTTO__GROUPS + 1];
    static double reward[SOTTO__GROUPS + 1], propensity[SOTTO__GROUPS + 1];
    for (uint32_t i = 0; i <= SOTTO__GROUPS; i++) {
        reward[i] = i;
        propensity[i] = 0.5;
    }
    arm[1] = 2;
    sotto_people first = people_of(arm, reward, propensity, 2);
    sotto_people rest = people_of(arm + 2, reward + 2, propensity + 2, SOTTO__GROUPS - 1);
    sotto__yardstick *yardstick;
    assert_ok(sotto__yardstick_new(3, 0.01, &yardstick));
    assert_null(yardstick->agreed);
    assert_int_equal(sotto__yardstick_arms_given(yardstick), 0);
    assert_ok(sotto__yardstick_keep_groups(yardstick));
    sotto__yardstick_add(yardstick, &first);
    sotto__yardstick_add(yardstick, &rest);
    const sotto__agreed *agreed = yardstick->agreed;
    assert_true(agreed[0].weight == 4 && agreed[0].product == 2 * SOTTO__GROUPS);
    assert_true(agreed[1].weight == 0 && agreed[2].product == 4);
    assert_true(agreed[2 * SOTTO__GROUPS + 1].product == 2);
    assert_int_equal(sotto__yardstick_arms_given(yardstick), 2);
    sotto__yardstick_free(yardstick);
}

/* Arm 1: 0.4/0.5 + 1/0.5 = 2.8; arm 0: 0.1/0.01, its propensity clipped. */
static void a_log_has_a_value_for_each_arm(void **state)
{
    (void)state;
    uint32_t arm[] = {1, 0, 1, 2};
    double reward[] = {0.4, 0.1, 1, 0}, propensity[] = {0.5, 0.005, 0.5, 0.25};
    sotto_people people = people_of(arm, reward, propensity, 4);
    sotto__yardstick *yardstick;
    assert_ok(sotto__yardstick_new(3, 0.01, &yardstick));
    sotto__yardstick_add(yardstick, &people);
    assert_near(sotto__off_policy_value(&yardstick->logging, 4).value, 0.375, 1e-15);
    assert_near(sotto__off_policy_value(&yardstick->constant[1], 4).value, 0.7, 1e-15);
    assert_near(sotto__off_policy_value(&yardstick->constant[0], 4).value, 2.5, 1e-12);
    assert_int_equal(sotto__yardstick_best_arm(yardstick), 0);
    assert_int_equal(yardstick->clipped, 1);
    assert_true(yardstick->propensity_min == 0.005);
    assert_near(yardstick->inverse_sum, 2 + 100 + 2 + 4, 1e-12);
    assert_true(sotto__yardstick_floor(yardstick) == 0.01);
    sotto__yardstick_free(yardstick);
}

/* Where all rewards are losses, an arm that nobody got is not the best for having lost nothing. */
static void an_arm_that_was_never_given_has_no_value(void **state)
{
    (void)state;
    uint32_t arm[] = {1, 1, 2};
    double reward[] = {-1, -1, -0.5}, propensity[] = {0.5, 0.5, 0.5};
    sotto_people people = people_of(arm, reward, propensity, 3);
    sotto__yardstick *yardstick;
    assert_ok(sotto__yardstick_new(4, 0.01, &yardstick));
    sotto__yardstick_add(yardstick, &people);
    assert_int_equal(sotto__yardstick_best_arm(yardstick), 2);
    sotto__yardstick_free(yardstick);
}

/* 60 events at 1/2 and 30 at 1/4: kept 60 x 1/2 + 30 = 60, and one in K = 3 of them matched. */
static void matches_are_foreseen(void **state)
{
    (void)state;
    uint32_t arm[90] = {0};
    double reward[90] = {0}, propensity[90];
    for (int i = 0; i < 90; i++) {
        propensity[i] = i < 60 ? 0.5 : 0.25;
    }
    sotto_people people = people_of(arm, reward, propensity, 90);
    sotto__yardstick *yardstick;
    assert_ok(sotto__yardstick_new(3, 0.01, &yardstick));
    sotto__yardstick_add(yardstick, &people);
    assert_true(sotto__yardstick_floor(yardstick) == 0.25);
    assert_int_equal(sotto__yardstick_matches(yardstick), 20);
    sotto__yardstick_free(yardstick);
}

/* The labels of all rows are `arm_count`, those of the last ones `last`. */
static bool is_sorted(const uint64_t *arm_count, const uint64_t *last, uint32_t arms)
{
    sotto__yardstick *yardstick;
    assert_ok(sotto__yardstick_new(arms, 0.01, &yardstick));
    for (uint32_t a = 0; a < arms; a++) {
        yardstick->arm_count[a] = arm_count[a];
        yardstick->rows += arm_count[a];
    }
    bool sorted = sotto__yardstick_is_sorted(yardstick, last);
    sotto__yardstick_free(yardstick);
    return sorted;
}

/* 100 of 1000, 50 expected of each label: X = 2 x^2/50 over 0.9, against 30.3 for two cells, so that
 * x = 26 is by chance and x = 27 is not. */
static void a_sorted_file_shows_in_its_last_people(void **state)
{
    (void)state;
    const uint64_t even[] = {500, 500}, nobody[] = {0, 0};
    const uint64_t half[] = {50, 50}, near[] = {76, 24}, far[] = {77, 23}, other[] = {23, 77};
    assert_false(is_sorted(nobody, nobody, 2));
    assert_false(is_sorted(even, nobody, 2));
    assert_false(is_sorted(even, half, 2));
    assert_false(is_sorted(even, near, 2));
    assert_true(is_sorted(even, far, 2));
    assert_true(is_sorted(even, other, 2));
    /* The last people are all people, of whom so many are not told exactly. */
    const uint64_t many[] = {3608926326, 1009045414};
    assert_false(is_sorted(even, even, 2));
    assert_false(is_sorted(many, many, 2));
}

/* 10 labels of 20 expected people each, of 2000: none has enough alone, and one cell of all of them
 * says nothing. Beside a common label they are a cell. */
static void rare_labels_are_counted_together(void **state)
{
    (void)state;
    const uint64_t rare[] = {200, 200, 200, 200, 200, 200, 200, 200, 200, 200};
    const uint64_t one[] = {200, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const uint64_t beside[] = {1000, 200, 200, 200, 200, 200};
    const uint64_t common[] = {160, 8, 8, 8, 8, 8}, shifted[] = {100, 60, 10, 10, 10, 10};
    const uint64_t scarce[] = {1900, 50, 50}, ended[] = {190, 10, 0}, gone[] = {0, 100, 100};
    assert_false(is_sorted(rare, one, 10));
    assert_true(is_sorted(beside, common, 6));
    assert_false(is_sorted(beside, shifted, 6));
    assert_false(is_sorted(scarce, ended, 3));
    assert_true(is_sorted(scarce, gone, 3));
}

/* 1/p is 2, 4, 2 and 4: 3 in the mean, with a standard error of 1/sqrt(rows). Below the clip, 0.01, it is 100. */
static void propensities_say_how_many_arms_there_were(void **state)
{
    (void)state;
    uint32_t arm[] = {0, 1, 2, 0};
    double reward[] = {0, 0, 0, 0}, propensity[] = {0.5, 0.25, 0.5, 0.25}, few[] = {0.001};
    sotto_people people = people_of(arm, reward, propensity, 4),
                 rare = people_of(arm, reward, few, 1);
    sotto__yardstick *yardstick;
    assert_ok(sotto__yardstick_new(3, 0.01, &yardstick));
    sotto_span choices = sotto__yardstick_choices(yardstick);
    for (int rows = 0; rows < 1000; rows += 4) {
        assert_true(isnan(choices.lo) && isnan(choices.hi));
        sotto__yardstick_add(yardstick, &people);
        choices = sotto__yardstick_choices(yardstick);
    }
    assert_near(choices.lo, 3 - 4.7535 / sqrt(1000), 1e-12);
    assert_near(choices.hi, 3 + 4.7535 / sqrt(1000), 1e-12);
    sotto__yardstick_add(yardstick, &rare);
    choices = sotto__yardstick_choices(yardstick);
    assert_near((choices.lo + choices.hi) / 2, 3100.0 / 1001, 1e-12);
    sotto__yardstick_free(yardstick);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_file_has_yardsticks_all_the_same),
        cmocka_unit_test(labels_are_counted),
        cmocka_unit_test(sums_by_group_are_kept_if_asked_for),
        cmocka_unit_test(propensities_say_how_many_arms_there_were),
        cmocka_unit_test(a_log_has_a_value_for_each_arm),
        cmocka_unit_test(an_arm_that_was_never_given_has_no_value),
        cmocka_unit_test(matches_are_foreseen),
        cmocka_unit_test(a_sorted_file_shows_in_its_last_people),
        cmocka_unit_test(rare_labels_are_counted_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
