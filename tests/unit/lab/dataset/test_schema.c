/* Schemas, made column by column. */
#include "lab/dataset/schema.h"
#include "texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void kinds_have_names(void **state)
{
    (void)state;
    assert_null(sotto__column_kind_name(7));
    assert_string_equal(sotto__column_kind_name(SOTTO__COLUMN_IGNORE), "ignore");
    assert_string_equal(sotto__column_kind_name(SOTTO__COLUMN_PROPENSITY), "propensity");
}

static void a_column_s_index_is_a_plain_number(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "", "0", "01", "+1", "-1", "1x", " 1", "4097", "99999", "4294967297", "100000000000001"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(sotto__column_index(bad[i]), 0);
    }
    assert_int_equal(sotto__column_index("1"), 1);
    assert_int_equal(sotto__column_index("4096"), 4096);
}

/* More than there is room for at first; a column moves when one more is added. */
static void what_is_added_is_kept_in_order(void **state)
{
    (void)state;
    char name[16];
    sotto_schema schema = {0};
    for (uint32_t i = 0; i < 9; i++) {
        snprintf(name, sizeof name, "column%u", i);
        assert_non_null(sotto__schema_add(&schema, SOTTO__COLUMN_CATEGORY, name, strlen(name)));
        assert_true(sotto__schema_add_missing(&schema, name, 6 + i % 2));
    }
    sotto__column *column = &schema.column[4];
    for (uint32_t i = 0; i < 9; i++) {
        snprintf(name, sizeof name, "%u", i);
        assert_true(sotto__schema_add_level(column, name, 1));
        assert_true(sotto__schema_add_alias(column, "alias", i % 6, 8 - i));
    }
    assert_int_equal(schema.columns_count, 9);
    assert_int_equal(schema.missing_count, 9);
    assert_string_equal(schema.missing[8], "column");
    assert_string_equal(schema.missing[3], "column3");
    assert_string_equal(schema.column[8].name, "column8");
    assert_int_equal(schema.column[8].kind, SOTTO__COLUMN_CATEGORY);
    assert_int_equal(schema.column[8].levels_count, 0);
    assert_int_equal(column->levels_count, 9);
    assert_int_equal(column->aliases_count, 9);
    assert_string_equal(column->level[8], "8");
    assert_string_equal(column->alias[8], "al");
    assert_int_equal(column->alias_level[8], 0);
    assert_int_equal(column->alias_level[0], 8);
    sotto__schema_free(&schema);
    assert_int_equal(schema.columns_count, 0);
    assert_null(schema.column);
}

static void levels_are_listed_as_far_as_they_fit(void **state)
{
    (void)state;
    char text[SOTTO__LISTED_BYTES], *few[] = {"a", "b\nc"}, *many[300];
    sotto__column column = {.levels_count = 2, .level = few};
    assert_string_equal(sotto__levels_listed(&column, text), "a b?c");
    for (uint32_t i = 0; i < 300; i++) {
        many[i] = "level";
    }
    column = (sotto__column){.levels_count = 300, .level = many};
    sotto__levels_listed(&column, text);
    assert_string_equal(text + strlen(text) - 9, "level ...");
    assert_string_equal(sotto__levels_listed(&(sotto__column){0}, text), "");
}

static void files_are_found_beside_the_schema(void **state)
{
    (void)state;
    const struct {
        char *folder;
        const char *name, *path;
    } cases[] = {{NULL, "x", "./x"}, {"a/b", "x", "a/b/x"}, {"", "x", "/x"}, {"a", "/c/x", "/c/x"}};
    char fault[SOTTO_FAULT_BYTES], *path;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sotto_schema schema = {.folder = cases[i].folder};
        assert_silent(sotto__schema_beside(&schema, cases[i].name, &path, fault));
        assert_string_equal(path, cases[i].path);
        free(path);
    }
    assert_says(sotto__schema_beside(&(sotto_schema){0}, "/dev/null", &path, fault), fault,
                "/dev/null: is not a regular file");
    free(path);
}

static void the_arms_are_those_of_the_label_or_the_action(void **state)
{
    (void)state;
    sotto_schema schema = {0};
    assert_null(sotto__schema_arms_column(&schema));
    assert_non_null(sotto__schema_add(&schema, SOTTO__COLUMN_CATEGORY, "c", 1));
    assert_null(sotto__schema_arms_column(&schema));
    assert_non_null(sotto__schema_add(&schema, SOTTO__COLUMN_ACTION, "k", 1));
    assert_string_equal(sotto__schema_arms_column(&schema)->name, "k");
    sotto__schema_free(&schema);
}

static void a_text_that_could_not_be_made_is_not_taken(void **state)
{
    (void)state;
    char **list = NULL;
    uint32_t count = 0;
    assert_false(sotto__texts_push(&list, &count, NULL));
    assert_int_equal(count, 0);
    assert_true(sotto__texts_push(&list, &count, strdup("one")));
    assert_false(sotto__texts_push(&list, &count, NULL));
    assert_int_equal(count, 1);
    assert_string_equal(list[0], "one");
    sotto__texts_free(list, count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_have_names),
        cmocka_unit_test(a_column_s_index_is_a_plain_number),
        cmocka_unit_test(what_is_added_is_kept_in_order),
        cmocka_unit_test(levels_are_listed_as_far_as_they_fit),
        cmocka_unit_test(files_are_found_beside_the_schema),
        cmocka_unit_test(the_arms_are_those_of_the_label_or_the_action),
        cmocka_unit_test(a_text_that_could_not_be_made_is_not_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
