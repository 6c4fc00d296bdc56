/* The bootstrap: where it has no answer, where it agrees with the normal law, and how it leans. */
#include "lab/random/random.h"
#include "lab/replay/bootstrap.h"
#include "test.h"

#include <math.h>
#include <string.h>

static sotto__ratio ratio[2];

static void clear(void)
{
    memset(ratio, 0, sizeof ratio);
}

static sotto_estimate one(uint32_t groups)
{
    sotto_estimate e;
    assert_ok(sotto__bootstrap(ratio, 1, groups, &e));
    return e;
}

static void no_group_one_group_and_equal_groups_have_no_interval(void **state)
{
    (void)state;
    clear();
    sotto_estimate e = one(0);
    assert_true(isnan(e.value) && isnan(e.lo) && isnan(e.hi));
    for (uint32_t j = 0; j < 50; j++) {
        ratio[0].num[j] = 0.3;
        ratio[0].den[j] = 1;
    }
    e = one(1);
    assert_true(e.value == 0.3 && isnan(e.lo) && isnan(e.hi));
    e = one(50);
    assert_near(e.value, 0.3, 1e-15);
    assert_true(isnan(e.lo) && isnan(e.hi));
}

/* With k groups that count, a resample has none of them with chance e^-k: 0.14 of 2, 0.018 of 4. */
static void too_many_empty_resamples_have_no_interval(void **state)
{
    (void)state;
    clear();
    for (uint32_t j = 0; j < 4; j++) {
        ratio[0].num[j] = j;
        ratio[0].den[j] = j < 2;
    }
    assert_true(isnan(one(500).lo));
    ratio[0].den[2] = ratio[0].den[3] = 1;
    sotto_estimate e = one(500);
    assert_true(e.value == 1.5 && e.lo >= 0 && e.hi <= 3 && e.lo < e.hi);
}

/* 1000 normals: to the noise of 2000 resamples and of their skew, the interval of the standard error. */
static void of_normals_it_is_the_interval_of_the_standard_error(void **state)
{
    (void)state;
    sotto__seeded coins;
    clear();
    sotto__seeded_begin(&coins, 3);
    for (uint32_t j = 0; j < 1000; j += 2) {
        double pair[2];
        sotto__normal_pair(sotto__seeded_next(&coins), sotto__seeded_next(&coins), pair);
        for (uint32_t i = 0; i < 2; i++) {
            ratio[0].num[j + i] = 5 + pair[i];
            ratio[0].den[j + i] = 1;
        }
    }
    sotto_estimate normal = sotto__ratio_estimate(ratio, 1000), e = one(1000);
    double reach = normal.hi - normal.value;
    assert_true(e.value == normal.value);
    assert_near(e.lo, normal.lo, 0.15 * reach);
    assert_near(e.hi, normal.hi, 0.15 * reach);
}

/* Ten rewards among 500 events, each of weight 10: the law of the mean has its long tail above, so the interval
 * reaches farther up than down, by more than the 1.17 times of plain percentiles (4 to 17 rewards). Its mirror
 * image reaches farther down. */
static void a_skewed_law_has_a_skewed_interval(void **state)
{
    (void)state;
    clear();
    for (uint32_t j = 0; j < 500; j++) {
        ratio[0].num[j] = j % 50 == 0 ? 10 : 0;
        ratio[0].den[j] = 1;
        ratio[1].num[j] = -ratio[0].num[j];
        ratio[1].den[j] = 1;
    }
    sotto_estimate e[2];
    assert_ok(sotto__bootstrap(ratio, 2, 500, e));
    assert_true(e[0].hi - e[0].value > 1.4 * (e[0].value - e[0].lo));
    assert_true(e[0].lo > 0);
    assert_true(e[1].value - e[1].lo > 1.4 * (e[1].hi - e[1].value));
}

static void pull_widens_the_interval(void **state)
{
    (void)state;
    clear();
    for (uint32_t j = 0; j < 400; j++) {
        ratio[0].num[j] = ratio[1].num[j] = j % 2;
        ratio[0].den[j] = ratio[1].den[j] = 1;
        ratio[1].pull[j] = j / 2 % 2 == 0 ? 2 : -2;
    }
    sotto_estimate e[2];
    assert_ok(sotto__bootstrap(ratio, 2, 400, e));
    assert_true(e[0].value == e[1].value);
    double plain = e[0].hi - e[0].lo, pulled = e[1].hi - e[1].lo;
    assert_near(pulled / plain, sqrt(0.25 + 4) / 0.5, 0.4); /* standard deviations */
}

static void the_same_log_has_the_same_interval(void **state)
{
    (void)state;
    clear();
    for (uint32_t j = 0; j < 100; j++) {
        ratio[0].num[j] = j;
        ratio[0].den[j] = 1;
    }
    ratio[1] = ratio[0];
    sotto_estimate first[2], alone = one(100);
    assert_ok(sotto__bootstrap(ratio, 2, 100, first));
    assert_memory_equal(&first[0], &first[1], sizeof first[0]);
    assert_memory_equal(&first[0], &alone, sizeof alone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_group_one_group_and_equal_groups_have_no_interval),
        cmocka_unit_test(too_many_empty_resamples_have_no_interval),
        cmocka_unit_test(of_normals_it_is_the_interval_of_the_standard_error),
        cmocka_unit_test(a_skewed_law_has_a_skewed_interval),
        cmocka_unit_test(pull_widens_the_interval),
        cmocka_unit_test(the_same_log_has_the_same_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
