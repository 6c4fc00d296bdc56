/* Rows: where there is room. */
#include "lab/audit/row.h"
#include "test.h"

#include <math.h>
#include <string.h>

static void rows_stop_where_there_is_no_room(void **state)
{
    (void)state;
    sotto_audit_result result = {.rows_count = 0};
    for (uint32_t i = 0; i < SOTTO_AUDIT_ROWS_MAX + 5; i++) {
        sotto__audit_row(&result, 1, "a row", i, NAN, NAN, true);
    }
    assert_int_equal(result.rows_count, SOTTO_AUDIT_ROWS_MAX);
}

static void a_row_says_what_was_compared(void **state)
{
    (void)state;
    sotto_audit_result result = {.rows_count = 0};
    char name[2 * SOTTO_AUDIT_NAME_BYTES];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    sotto__audit_row(&result, 3, name, 1.5, 2.5, 0.25, false);
    assert_int_equal(result.rows_count, 1);
    assert_int_equal(result.row[0].layer, 3);
    assert_int_equal(strlen(result.row[0].name), SOTTO_AUDIT_NAME_BYTES - 1);
    assert_true(result.row[0].statistic == 1.5 && result.row[0].bound == 2.5);
    assert_true(result.row[0].p_value == 0.25 && !result.row[0].passed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_stop_where_there_is_no_room),
        cmocka_unit_test(a_row_says_what_was_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
