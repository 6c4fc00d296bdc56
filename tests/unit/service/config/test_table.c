/* The table of settings. */
#include "service/config/table.h"
#include "service/config/value.h"
#include "test.h"

#include <string.h>

static void a_name_that_is_not_there_is_not_found(void **state)
{
    (void)state;
    assert_null(setting_find("", 0));
    assert_null(setting_find("dat", 3));
    assert_null(setting_find("data-", 5));
    assert_null(setting_find("DATA", 4));
}

static void a_name_is_found_by_its_letters_alone(void **state)
{
    (void)state;
    assert_ptr_equal(setting_find("data=/x", 4), &config_table[0]);
    assert_string_equal(setting_find("keep-reports", 12)->name, "keep-reports");
}

static void names_are_different_and_can_be_flags_and_variables(void **state)
{
    (void)state;
    for (const setting *row = config_table; row->name != NULL; row++) {
        assert_true(setting_find(row->name, strlen(row->name)) == row);
        assert_true(strspn(row->name, "abcdefghijklmnopqrstuvwxyz-") == strlen(row->name));
        assert_true(strlen(row->name) < 32);
        assert_true((row->sources & SETTING_FLAG) != 0);
    }
}

/* Kubernetes has variables that begin with these. */
static void no_name_begins_like_a_variable_of_a_cluster(void **state)
{
    (void)state;
    for (const setting *row = config_table; row->name != NULL; row++) {
        assert_true(strncmp(row->name, "port", 4) != 0);
        assert_true(strncmp(row->name, "service", 7) != 0);
    }
}

static void every_default_is_allowed_and_every_meaning_is_a_sentence(void **state)
{
    (void)state;
    sottod_config config;
    for (const setting *row = config_table; row->name != NULL; row++) {
        if (row->usual != NULL) assert_true(value_read(row, row->usual, &config));
        assert_int_equal(row->meaning[strlen(row->meaning) - 1], '.');
        assert_true(strlen(row->meaning) <= 69);
    }
}

static void groups_stand_together(void **state)
{
    (void)state;
    for (const setting *row = config_table; row->name != NULL; row++) {
        assert_true(row->group != NULL && row->group[0] != '\0');
        if (row == config_table || strcmp(row[-1].group, row->group) == 0) continue;
        for (const setting *other = config_table; other < row; other++) {
            assert_true(strcmp(other->group, row->group) != 0);
        }
    }
}

static void ranges_of_32_bits_fit_them(void **state)
{
    (void)state;
    for (const setting *row = config_table; row->name != NULL; row++) {
        if (row->kind == SETTING_U32) assert_true(row->lo <= row->hi && row->hi <= UINT32_MAX);
    }
}

/* A body of 1 MiB grows by doubling: for a moment it is there twice. */
static void the_least_memory_for_bodies_holds_the_longest_of_most_experiments(void **state)
{
    (void)state;
    const char *name = "bodies-mib-max";
    sottod_config config;
    const setting *row = setting_find(name, strlen(name));
    assert_false(value_read(row, "1", &config));
    assert_false(value_read(row, "3", &config));
    assert_true(value_read(row, "4", &config));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_that_is_not_there_is_not_found),
        cmocka_unit_test(a_name_is_found_by_its_letters_alone),
        cmocka_unit_test(names_are_different_and_can_be_flags_and_variables),
        cmocka_unit_test(no_name_begins_like_a_variable_of_a_cluster),
        cmocka_unit_test(every_default_is_allowed_and_every_meaning_is_a_sentence),
        cmocka_unit_test(groups_stand_together),
        cmocka_unit_test(ranges_of_32_bits_fit_them),
        cmocka_unit_test(the_least_memory_for_bodies_holds_the_longest_of_most_experiments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
