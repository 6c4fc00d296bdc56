/* Schemas, built column by column. */
#include "lab/dataset/dataset.h"
#include "lab/dataset/inner.h"
#include "texts.h"
#include "why.h"

#include <sotto/lab/datasets.h>

OWNED(sotto_people, sotto_people_free)

TEST(kinds_have_names)
{
    assert_null(sotto__column_kind_name(7));
    assert_string_equal(sotto__column_kind_name(SOTTO__COLUMN_IGNORE), "ignore");
    assert_string_equal(sotto__column_kind_name(SOTTO__COLUMN_PROPENSITY), "propensity");
}

TEST(a_column_s_index_is_a_plain_number)
{
    static const char *const bad[] = {
        "", "0", "01", "+1", "-1", "1x", " 1", "4097", "99999", "4294967297", "100000000000001"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(sotto__column_index(bad[i]), 0);
    }
    assert_ints(sotto__column_index("1"), 1, sotto__column_index("4096"), 4096);
}

/* More than there is room for at first; a column moves when one more is added. */
TEST(what_is_added_is_kept_in_order)
{
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
    assert_ints(schema.columns_count, 9, schema.missing_count, 9);
    assert_strings(schema.missing[8], "column", schema.missing[3], "column3");
    assert_string_equal(schema.column[8].name, "column8");
    assert_ints(schema.column[8].kind, SOTTO__COLUMN_CATEGORY, schema.column[8].levels_count, 0);
    assert_ints(column->levels_count, 9, column->aliases_count, 9);
    assert_strings(column->level[8], "8", column->alias[8], "al");
    assert_ints(column->alias_level[8], 0, column->alias_level[0], 8);
    sotto__schema_free(&schema);
    assert_int_equal(schema.columns_count, 0);
    assert_null(schema.column);
}

TEST(levels_are_listed_as_far_as_they_fit)
{
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

TEST(files_are_found_beside_the_schema)
{
    const struct {
        char *directory;
        const char *name, *path;
    } cases[] = {{NULL, "x", "./x"}, {"a/b", "x", "a/b/x"}, {"", "x", "/x"}, {"a", "/c/x", "/c/x"}};
    char *path;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sotto_schema schema = {.directory = cases[i].directory};
        assert_silent(WHY(sotto__schema_beside, &schema, cases[i].name, &path));
        assert_string_equal(path, cases[i].path);
        free(path);
    }
    assert_says(WHY(sotto__schema_beside, &(sotto_schema){0}, "/dev/null", &path),
                why_fault.sentence, "/dev/null: is not a regular file");
    free(path);
}

TEST(the_arms_are_those_of_the_label_or_the_action)
{
    FREED_BY(sotto__schema_free) sotto_schema schema = {0};
    assert_null(sotto__schema_arms_column(&schema));
    assert_non_null(sotto__schema_add(&schema, SOTTO__COLUMN_CATEGORY, "c", 1));
    assert_null(sotto__schema_arms_column(&schema));
    assert_non_null(sotto__schema_add(&schema, SOTTO__COLUMN_ACTION, "k", 1));
    assert_string_equal(sotto__schema_arms_column(&schema)->name, "k");
}

TEST(a_text_that_could_not_be_made_is_not_taken)
{
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

/* The settings of a schema: what is set is what one gets, and the first word is the usual one. */

TEST(every_word_of_every_setting_can_be_set)
{
    sotto_schema schema = {.separator = ',', .header = true, .unit = true}; /* as they are read */
    for (uint32_t i = 0; i < SOTTO__SETTINGS; i++) {
        assert_int_equal(sotto__setting_get(&schema, (sotto__setting)i), 0);
    }
    for (uint32_t i = 0; i < SOTTO__SETTINGS; i++) {
        sotto__setting which = (sotto__setting)i;
        assert_non_null(sotto__setting_name(which));
        uint32_t choice = 0;
        for (; sotto__setting_choice(which, choice) != NULL; choice++) {
            sotto__setting_set(&schema, which, choice);
            assert_int_equal(sotto__setting_get(&schema, which), choice);
        }
        assert_true(choice >= 2);
    }
}

TEST(words_stand_for_what_they_say)
{
    assert_string_equal(sotto__setting_choice(SOTTO__SETTING_FORMAT, SOTTO_DATASET_VW), "vw");
    assert_string_equal(sotto__setting_choice(SOTTO__SETTING_FORMAT, SOTTO_DATASET_VW_ADF),
                        "vw-adf");
    assert_strings(sotto__separator_name(0), "comma", sotto__separator_name(4), "blank");
    assert_null(sotto__separator_name(5));
}

/* Schemas used by other parts: read, drafted, written, and used to read people. */

static const char rows[] = "x,c,y\n1,red,a\n3,blue,b\n2,red,a\n";

TEST(what_cannot_be_read_makes_no_schema)
{
    HELD(directory) f = directory_new();
    sotto_schema *schema = (void *)&schema;
    assert_says(WHY(sotto_schema_read, "/nowhere/at/all", &schema), why_fault.sentence,
                "/nowhere/at/all");
    assert_null(schema);
    schema = (void *)&schema;
    assert_says(WHY(sotto_schema_read, text_file(&f, "nonsense\n"), &schema), why_fault.sentence,
                "line 1");
    assert_null(schema);
}

TEST(a_draft_that_makes_no_sense_is_refused)
{
    HELD(directory) f = directory_new();
    const char *path = text_file(&f, rows), *ignored[] = {NULL};
    sotto_schema *schema = (void *)&schema;
    sotto_draft draft = sotto_draft_default();
    draft.format = 7;
    assert_says(WHY(sotto_schema_draft, &draft, path, &schema), why_fault.sentence,
                "format = 7: not known");
    assert_null(schema);
    draft = sotto_draft_default();
    draft.header = 7;
    assert_says(WHY(sotto_schema_draft, &draft, path, &schema), why_fault.sentence,
                "header = 7: not known");
    draft = sotto_draft_default();
    draft.separator = 'x';
    assert_says(WHY(sotto_schema_draft, &draft, path, &schema), why_fault.sentence,
                "separator: allowed");
    draft.separator = '|';
    draft.decimal = ';';
    assert_says(WHY(sotto_schema_draft, &draft, path, &schema), why_fault.sentence,
                "decimal: allowed");
    draft = sotto_draft_default();
    draft.constant_propensity = 1.5;
    assert_says(WHY(sotto_schema_draft, &draft, path, &schema), why_fault.sentence,
                "= 1.5: allowed above 0");
    draft = sotto_draft_default();
    draft.ignored_count = 1;
    draft.ignored = ignored;
    assert_string_equal(WHY(sotto_schema_draft, &draft, path, &schema),
                        sotto_status_text(SOTTO_E_ARGUMENT));
    draft = sotto_draft_default(); /* names no label */
    assert_says(WHY(sotto_schema_draft, &draft, path, &schema), why_fault.sentence,
                "0 labels, 0 actions");
    assert_null(schema);
}

TEST(a_schema_is_drafted_written_and_read_back)
{
    HELD(directory) f = directory_new();
    sotto_draft draft = sotto_draft_default();
    sotto_schema *drafted, *read;
    draft.label = "y";
    assert_silent(WHY(sotto_schema_draft, &draft, text_file(&f, rows), &drafted));
    assert_silent(WHY(sotto_schema_write, drafted, f.other));
    assert_silent(WHY(sotto_schema_read, f.other, &read));
    for (int i = 0; i < 2; i++) {
        const sotto_schema *schema = i == 0 ? drafted : read;
        assert_false(sotto_schema_is_log(schema));
        assert_int_equal(sotto_schema_arms(schema), 2);
        assert_string_equal(sotto_schema_arm_name(schema, 1), "b");
        assert_null(sotto_schema_arm_name(schema, 2));
        assert_int_equal(sotto_schema_dim(schema), 4); /* the constant, x, two levels */
    }
    sotto_schema_free(read);
    assert_says(WHY(sotto_schema_write, drafted, "/nowhere/at/all"), why_fault.sentence,
                "/nowhere/at/all: No such file");
    assert_says(WHY(sotto_schema_write, drafted, "/dev/full"), why_fault.sentence,
                "/dev/full: No space");
    sotto_schema_free(drafted);
}

TEST(people_are_read_with_it)
{
    HELD(directory) f = directory_new();
    sotto_draft draft = sotto_draft_default();
    sotto_schema *schema;
    sotto_dataset *dataset;
    OWN(sotto_people) people, *others;
    draft.label = "y";
    assert_silent(WHY(sotto_schema_draft, &draft, text_file(&f, rows), &schema));
    assert_silent(WHY(sotto_dataset_open, schema, f.file, &dataset));
    assert_status(sotto_people_new(0, &people), SOTTO_E_FAULT);
    assert_null(people);
    assert_status(sotto_people_new(SOTTO_DIM_MAX + 1, &people), SOTTO_E_FAULT);
    assert_ok(sotto_people_new(sotto_schema_dim(schema), &people));
    assert_ok(sotto_people_new(sotto_schema_dim(schema) - 1, &others));
    assert_says(WHY(sotto_dataset_next, dataset, others), why_fault.sentence,
                "dim of people = 3: the schema has 4");
    assert_silent(WHY(sotto_dataset_next, dataset, people));
    assert_ints(people->rows, 3, people->arm[1], 1, sotto_dataset_counted(dataset)->rows, 3);
    sotto_dataset_close(dataset);
    sotto_schema_free(schema);
}

/* Words as indices. */

TEST(a_word_is_there_once)
{
    sotto__levels levels;
    assert_ok(sotto__levels_new(&levels, 3));
    assert_true(sotto__levels_add(&levels, "a", 1, 5));
    assert_false(sotto__levels_add(&levels, "a", 1, 6));
    assert_ints(sotto__levels_find(&levels, "a", 1), 5, levels.count, 1);
    sotto__levels_free(&levels);
    sotto__levels_free(&levels);
}

TEST(words_are_compared_whole)
{
    HELD(sotto__levels) levels;
    assert_ok(sotto__levels_new(&levels, 3));
    assert_true(sotto__levels_add(&levels, "", 0, 0) && sotto__levels_add(&levels, "ab", 2, 1));
    assert_true(sotto__levels_add(&levels, "abc", 3, 2));
    assert_int_equal(sotto__levels_find(&levels, "abc", 0), 0);
    assert_int_equal(sotto__levels_find(&levels, "abc", 1), UINT32_MAX);
    assert_ints(sotto__levels_find(&levels, "abc", 2), 1, sotto__levels_find(&levels, "abc", 3), 2);
    assert_int_equal(sotto__levels_find(&levels, "abd", 3), UINT32_MAX);
    assert_int_equal(sotto__levels_find(&levels, "abcd", 4), UINT32_MAX);
}

TEST(a_full_table_finds_all_and_nothing_else)
{
    enum { COUNT = 1000 };
    static char word[2 * COUNT][8];
    HELD(sotto__levels) levels;
    assert_ok(sotto__levels_new(&levels, COUNT));
    for (uint32_t i = 0; i < 2 * COUNT; i++) {
        snprintf(word[i], sizeof word[i], "%u", i);
        if (i < COUNT) assert_true(sotto__levels_add(&levels, word[i], strlen(word[i]), i));
    }
    for (uint32_t i = 0; i < 2 * COUNT; i++) {
        uint32_t wanted = i < COUNT ? i : UINT32_MAX;
        assert_int_equal(sotto__levels_find(&levels, word[i], strlen(word[i])), wanted);
    }
}
