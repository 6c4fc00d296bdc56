/* The table of answers: counts by secret, whatever the keys. */
#include "lab/audit/table.h"
#include "lab/random/random.h"
#include "test.h"

#include <math.h>

static void what_never_came_says_nothing(void **state)
{
    (void)state;
    sotto__table *table;
    assert_ok(sotto__table_new(0, &table));
    assert_near(sotto__table_ratio(table, 0), 0, 0);
    assert_near(sotto__table_ratio(table, 7), 0, 0);
    sotto__table_free(table);
    sotto__table_free(NULL);
}

static void ratios_are_those_of_the_counts(void **state)
{
    (void)state;
    sotto__table *table;
    assert_ok(sotto__table_new(3, &table));
    for (uint32_t i = 0; i < 9; i++) {
        sotto__table_add(table, 0, 0); /* 0 is a key like any other */
        sotto__table_add(table, UINT64_MAX, i < 2);
    }
    sotto__table_add(table, 5, 1);
    assert_near(sotto__table_ratio(table, 0), log(9.5 / 0.5), 1e-15);
    assert_near(sotto__table_ratio(table, UINT64_MAX), log(7.5 / 2.5), 1e-15);
    assert_near(sotto__table_ratio(table, 5), log(0.5 / 1.5), 1e-15);
    assert_near(sotto__table_ratio(table, 6), 0, 0);
    sotto__table_free(table);
}

/* As many keys as there is room for, many of which want the same place. */
static void a_full_table_finds_every_key_and_no_other(void **state)
{
    (void)state;
    enum { KEYS = 100000 };
    sotto__table *table;
    sotto__seeded random;
    assert_ok(sotto__table_new(KEYS, &table));
    sotto__seeded_begin(&random, 1);
    for (uint32_t i = 0; i < KEYS; i++) {
        uint64_t key = sotto__seeded_next(&random);
        for (uint32_t k = 0; k <= i % 3; k++) {
            sotto__table_add(table, key, i % 2);
        }
    }
    sotto__seeded_begin(&random, 1);
    for (uint32_t i = 0; i < KEYS; i++) {
        double ratio = log((1 + i % 3 + 0.5) / 0.5);
        double found = sotto__table_ratio(table, sotto__seeded_next(&random));
        assert_near(found, i % 2 == 0 ? ratio : -ratio, 1e-15);
    }
    for (uint32_t i = 0; i < KEYS; i++) {
        assert_near(sotto__table_ratio(table, sotto__seeded_next(&random)), 0, 0);
    }
    sotto__table_free(table);
}

/* Tables of 4 places: in some of them both keys want the last. */
static void behind_the_last_place_comes_the_first(void **state)
{
    (void)state;
    sotto__seeded random;
    sotto__seeded_begin(&random, 2);
    for (uint32_t i = 0; i < 200; i++) {
        uint64_t first = sotto__seeded_next(&random), second = sotto__seeded_next(&random);
        sotto__table *table;
        assert_ok(sotto__table_new(2, &table));
        sotto__table_add(table, first, 0);
        sotto__table_add(table, second, 1);
        assert_near(sotto__table_ratio(table, first), log(3), 1e-15);
        assert_near(sotto__table_ratio(table, second), -log(3), 1e-15);
        sotto__table_free(table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_never_came_says_nothing),
        cmocka_unit_test(ratios_are_those_of_the_counts),
        cmocka_unit_test(a_full_table_finds_every_key_and_no_other),
        cmocka_unit_test(behind_the_last_place_comes_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
