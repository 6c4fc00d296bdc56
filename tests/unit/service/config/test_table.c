/* The table of settings. */
#include "service/config/config.h"
#include "test.h"

#include <string.h>

static bool value_read(const option *row, const char *text, sottod_config *config)
{
    return option_read(row, text, config, NULL) == SOTTO_OK;
}

TEST(a_name_that_is_not_there_is_not_found)
{
    assert_null(option_find(config_settings.table, "", 0));
    assert_null(option_find(config_settings.table, "dat", 3));
    assert_null(option_find(config_settings.table, "data-", 5));
    assert_null(option_find(config_settings.table, "DATA", 4));
}

TEST(a_name_is_found_by_its_letters_alone)
{
    assert_ptr_equal(option_find(config_settings.table, "data=/x", 4), &config_settings.table[0]);
    assert_string_equal(option_find(config_settings.table, "keep-reports", 12)->name,
                        "keep-reports");
}

TEST(names_are_different_and_can_be_flags_and_variables)
{
    for (const option *row = config_settings.table; row->meaning != NULL; row++) {
        assert_true(option_find(config_settings.table, row->name, strlen(row->name)) == row);
        assert_true(strspn(row->name, "abcdefghijklmnopqrstuvwxyz-") == strlen(row->name));
        assert_true(strlen(row->name) < 32);
        assert_true((row->sources & OPTION_FROM_LINE) != 0);
    }
}

/* Kubernetes has variables that begin with these. */
TEST(no_name_begins_like_a_variable_of_a_cluster)
{
    for (const option *row = config_settings.table; row->meaning != NULL; row++) {
        assert_true(strncmp(row->name, "port", 4) != 0);
        assert_true(strncmp(row->name, "service", 7) != 0);
    }
}

TEST(every_default_is_allowed_and_every_meaning_is_a_sentence)
{
    sottod_config config;
    for (const option *row = config_settings.table; row->meaning != NULL; row++) {
        if (row->usual != NULL) assert_true(value_read(row, row->usual, &config));
        assert_int_equal(row->meaning[strlen(row->meaning) - 1], '.');
        assert_true(strlen(row->meaning) <= 69);
    }
}

TEST(groups_stand_together)
{
    for (const option *row = config_settings.table; row->meaning != NULL; row++) {
        assert_true(row->group != NULL && row->group[0] != '\0');
        if (row == config_settings.table || strcmp(row[-1].group, row->group) == 0) continue;
        for (const option *other = config_settings.table; other < row; other++) {
            assert_true(strcmp(other->group, row->group) != 0);
        }
    }
}

TEST(ranges_of_32_bits_fit_them)
{
    for (const option *row = config_settings.table; row->meaning != NULL; row++) {
        if (row->kind != OPTION_IS_U32 || row->names != NULL) continue;
        assert_true(row->lo <= row->hi && row->hi <= UINT32_MAX);
    }
}

/* A body of 1 MiB grows by doubling, so for a moment it needs twice the memory. */
TEST(the_least_memory_for_bodies_holds_the_longest_of_most_experiments)
{
    const char *name = "bodies-mib-max";
    sottod_config config;
    const option *row = option_find(config_settings.table, name, strlen(name));
    assert_false(value_read(row, "1", &config));
    assert_false(value_read(row, "3", &config));
    assert_true(value_read(row, "4", &config));
}
