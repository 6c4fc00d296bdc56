/* What the laws share: the share of alpha, and correlation with the next. */
#include "lab/audit/law.h"
#include "lab/random/random.h"
#include "test.h"

#include <math.h>

static void a_row_fails_below_its_share_of_alpha(void **state)
{
    (void)state;
    sotto_audit_result result = {.rows_count = 0};
    sotto__law_row(&result, "just so", 1, 2, 1.1e-7);
    sotto__law_row(&result, "no", 1, 2, 0.9e-7);
    assert_true(result.row[0].passed);
    assert_false(result.row[1].passed);
    assert_int_equal(result.row[1].layer, 1);
}

static void correlation_with_the_next_is_seen(void **state)
{
    (void)state;
    sotto__seeded random;
    sotto__lag honest = {.count = 0}, reused = {.count = 0}, short_one = {.count = 0};
    sotto__seeded_begin(&random, 4);
    for (int i = 0; i < 4000; i++) {
        double normal[2];
        sotto__normal_pair(sotto__seeded_next(&random), sotto__seeded_next(&random), normal);
        sotto__lag_add(&honest, normal[0]);
        sotto__lag_add(&reused, normal[1]);
        sotto__lag_add(&reused, normal[1]);
    }
    sotto__lag_add(&short_one, 1);
    assert_true(sotto__lag_p(&honest) > 1e-6);
    assert_near(sotto__lag_correlation(&reused), 0.5, 0.05);
    assert_true(sotto__lag_p(&reused) < 1e-100);
    assert_near(sotto__lag_p(&short_one), 1, 0);
    assert_near(sotto__lag_correlation(&short_one), 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_fails_below_its_share_of_alpha),
        cmocka_unit_test(correlation_with_the_next_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
