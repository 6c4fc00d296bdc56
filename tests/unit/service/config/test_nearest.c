/* The name that a person may have meant. */
#include "service/config/nearest.h"
#include "test.h"

#include <string.h>

static void nothing_is_near_a_word_that_says_nothing(void **state)
{
    (void)state;
    assert_null(nearest_setting("", SETTING_FLAG));
    assert_null(nearest_setting("da", SETTING_FLAG));
    assert_null(nearest_setting("zzzzzzzzzz", SETTING_FLAG));
    assert_null(nearest_setting("keep-reports-keep-reports-keep-reports", SETTING_FLAG));
}

static void mean(const char *word, const char *meant)
{
    const setting *row = nearest_setting(word, SETTING_FLAG);
    if (row == NULL) fail_msg("%s: nothing is near, wanted %s", word, meant);
    assert_string_equal(row->name, meant);
}

static void a_slip_of_the_hand_is_near(void **state)
{
    (void)state;
    mean("dtaa", "data");
    mean("keep-report", "keep-reports");
    mean("keepreports", "keep-reports");
    mean("keep_reports", "keep-reports");
    mean("lisen", "listen");
    mean("log-levle", "log-level");
    mean("LOG-level", "log-level");
}

static void a_part_of_a_name_is_near(void **state)
{
    (void)state;
    mean("nonces", "nonces-max");
    mean("level", "log-level");
    mean("recover", "recover-to");
}

static void what_cannot_be_said_in_a_place_is_not_near_there(void **state)
{
    (void)state;
    assert_null(nearest_setting("recover", SETTING_FILE));
    assert_null(nearest_setting("recover", SETTING_VARIABLE));
    assert_null(nearest_setting("confg", SETTING_FILE));
    assert_string_equal(nearest_setting("confg", SETTING_VARIABLE)->name, "config");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_near_a_word_that_says_nothing),
        cmocka_unit_test(a_slip_of_the_hand_is_near),
        cmocka_unit_test(a_part_of_a_name_is_near),
        cmocka_unit_test(what_cannot_be_said_in_a_place_is_not_near_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
