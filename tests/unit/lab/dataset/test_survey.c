/* What one pass over a file keeps of it. What becomes of that, and what is refused, is in test_draft.c. */
#include "lab/dataset/survey.h"
#include "texts.h"

#include <stdlib.h>

static char fault[SOTTO_FAULT_BYTES];
static const sotto_draft by_y = {.label = "y", .header = SOTTO_HEADER_GUESS};

typedef struct scene {
    folder folder;
    sotto_schema schema;
    sotto__survey survey;
} scene;

static const char *look(const sotto_draft *draft, const char *text, scene **out)
{
    scene *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->folder = folder_new();
    c->survey.draft = draft;
    c->survey.schema = &c->schema;
    c->survey.mark = '.';
    c->survey.fault = fault;
    assert_ok(sotto__levels_new(&c->survey.missing, 1));
    sotto__levels_add(&c->survey.missing, "NA", 2, 0);
    assert_silent(sotto__source_open(&c->survey.source, text_file(&c->folder, text), fault));
    *out = c;
    return draft->format == SOTTO_DATASET_CSV ? sotto__survey_csv(&c->survey)
                                              : sotto__survey_libsvm(&c->survey);
}

static void scene_free(scene *c)
{
    sotto__survey_free(&c->survey);
    sotto__levels_free(&c->survey.missing);
    sotto__source_close(&c->survey.source);
    folder_free(&c->folder);
    free(c);
}

static void bad_rows_are_named_by_line(void **state)
{
    (void)state;
    scene *c;
    assert_says(look(&by_y, "", &c), fault, "is empty");
    scene_free(c);
    assert_says(look(&by_y, "x,y\n1,a\n2\n", &c), fault, "line 3: 1 field, expected 2");
    scene_free(c);
    assert_says(look(&by_y, "|x|y|\n|1|a|\n2|b|\n", &c), fault,
                "line 3: does not begin and end with a bar, as the header does");
    scene_free(c);
    sotto_draft sparse = {.format = SOTTO_DATASET_LIBSVM};
    assert_says(look(&sparse, "1 1:2\n2 3:x\n", &c), fault, "line 2, column 3: \"x\"");
    scene_free(c);
}

static void columns_keep_their_range_and_the_first_words(void **state)
{
    (void)state;
    scene *c;
    assert_silent(look(&by_y, "x;z;w;y\n1,5;u;1.234,5;a\nNA;2;2,5;a\n-3,5;2;7;b\n", &c));
    const sotto__survey *s = &c->survey;
    assert_int_equal(s->rows, 3);
    assert_int_equal(s->columns_count, 4);
    assert_true(c->schema.header);
    assert_int_equal(c->schema.separator, ';');
    assert_true(c->schema.decimal_comma);
    assert_false(sotto__has_words(s->seen[0]));
    assert_true(s->seen[0]->lo == -3.5 && s->seen[0]->hi == 1.5);
    assert_int_equal(s->seen[0]->missing, 1);
    assert_int_equal(s->seen[0]->first_missing.line, 3);
    assert_true(s->seen[1]->words);
    assert_int_equal(s->seen[1]->first_other.line, 0);
    assert_false(s->seen[2]->words); /* nothing but numbers, one of them written otherwise */
    assert_int_equal(s->seen[2]->first_other.line, 2);
    assert_string_equal(s->seen[2]->first_other.shown, "1.234,5");
    assert_int_equal(s->seen[3]->levels.count, 2);
    assert_int_equal(sotto__survey_column(s, "w"), 2);
    assert_int_equal(sotto__survey_column(s, "q"), 4);
    scene_free(c);
}

static void bars_around_a_header_are_no_columns(void **state)
{
    (void)state;
    static const char *const text[] = {"|x|y|\n|1|a|\n|2|b|\n",
                                       "| x | y |\n|---|---|\n| 1 | a |\n| 2 | b |\n",
                                       "x|y\n---|---\n1|a\n2|b\n"};
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        scene *c;
        assert_silent(look(&by_y, text[i], &c));
        assert_true(c->schema.header);
        assert_int_equal(c->survey.columns_count, 2);
        assert_string_equal(c->survey.name[0], "x");
        assert_string_equal(c->survey.name[1], "y");
        assert_int_equal(c->survey.rows, 2);
        assert_true(c->survey.seen[0]->hi == 2);
        scene_free(c);
    }
}

static void without_a_header_empty_columns_stay(void **state)
{
    (void)state;
    scene *c;
    sotto_draft by_number = {.label = "3", .header = SOTTO_HEADER_NO};
    assert_silent(look(&by_number, "|1|a|\n|---|---|\n", &c));
    assert_int_equal(c->survey.columns_count, 4);
    assert_int_equal(c->survey.rows, 2);
    assert_int_equal(c->survey.seen[0]->missing, 2);
    scene_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_rows_are_named_by_line),
        cmocka_unit_test(columns_keep_their_range_and_the_first_words),
        cmocka_unit_test(bars_around_a_header_are_no_columns),
        cmocka_unit_test(without_a_header_empty_columns_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
