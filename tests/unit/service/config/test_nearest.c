/* The name that a person may have meant. */
#include "service/config/config.h"
#include "test.h"

#include <string.h>

TEST(nothing_is_near_a_word_that_says_nothing)
{
    assert_null(option_nearest(config_settings.table, "", OPTION_FROM_LINE));
    assert_null(option_nearest(config_settings.table, "da", OPTION_FROM_LINE));
    assert_null(option_nearest(config_settings.table, "zzzzzzzzzz", OPTION_FROM_LINE));
    assert_null(option_nearest(config_settings.table, "keep-reports-keep-reports-keep-reports",
                               OPTION_FROM_LINE));
}

static void mean(const char *word, const char *meant)
{
    const option *row = option_nearest(config_settings.table, word, OPTION_FROM_LINE);
    if (row == NULL) fail_msg("%s: nothing is near, wanted %s", word, meant);
    assert_string_equal(row->name, meant);
}

TEST(a_slip_of_the_hand_is_near)
{
    mean("dtaa", "data");
    mean("keep-report", "keep-reports");
    mean("keepreports", "keep-reports");
    mean("keep_reports", "keep-reports");
    mean("lisen", "listen");
    mean("log-levle", "log-level");
    mean("LOG-level", "log-level");
}

TEST(a_part_of_a_name_is_near)
{
    mean("nonces", "nonces-max");
    mean("level", "log-level");
    mean("recover", "recover-to");
}

TEST(what_cannot_be_said_in_a_place_is_not_near_there)
{
    assert_null(option_nearest(config_settings.table, "recover", OPTION_FROM_FILE));
    assert_null(option_nearest(config_settings.table, "recover", OPTION_FROM_VARIABLE));
    assert_null(option_nearest(config_settings.table, "confg", OPTION_FROM_FILE));
    assert_string_equal(option_nearest(config_settings.table, "confg", OPTION_FROM_VARIABLE)->name,
                        "config");
}
