/* Damage: refused, with the place. */
#include "journals.h"

#include <sqlite3.h>

static journals test;

static int start(void **state)
{
    (void)state;
    test = journals_new();
    journals_open(&test);
    journals_experiment(&test, "one");
    journals_append(&test, 1, "a");
    journals_append(&test, 1, "b");
    journals_append(&test, 1, "c");
    journals_close(&test);
    return 0;
}

static int end(void **state)
{
    (void)state;
    journals_free(&test);
    return 0;
}

/* Changes the file behind the journal's back. */
static void change(const char *sql)
{
    sqlite3 *data;
    assert_int_equal(sqlite3_open(test.file, &data), SQLITE_OK);
    assert_int_equal(sqlite3_exec(data, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(data), SQLITE_OK);
}

static void a_row_that_was_changed_is_refused_with_its_place(void **state)
{
    (void)state;
    change("UPDATE journal SET frames = x'62ff' WHERE seq = 2");
    assert_false(journals_try(&test, 0));
    assert_words(test.fault, "row 2 of experiment 1");
    assert_words(test.fault, "--recover-to 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_row_that_was_changed_is_refused_with_its_place, start,
                                        end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
