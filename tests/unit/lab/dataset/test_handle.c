/* Schemas as others hold them: read, drafted, written, and used to read people. */
#include "texts.h"

#include <sotto/lab/datasets.h>

static char fault[SOTTO_FAULT_BYTES];
static const char rows[] = "x,c,y\n1,red,a\n3,blue,b\n2,red,a\n";

static void what_cannot_be_read_makes_no_schema(void **state)
{
    (void)state;
    folder f = folder_new();
    sotto_schema *schema = (void *)&schema;
    assert_says(sotto_schema_read("/nowhere/at/all", &schema, fault), fault, "/nowhere/at/all");
    assert_null(schema);
    schema = (void *)&schema;
    assert_says(sotto_schema_read(text_file(&f, "nonsense\n"), &schema, fault), fault, "line 1");
    assert_null(schema);
    folder_free(&f);
}

static void a_draft_that_makes_no_sense_is_refused(void **state)
{
    (void)state;
    folder f = folder_new();
    const char *path = text_file(&f, rows), *ignored[] = {NULL};
    sotto_schema *schema = (void *)&schema;
    sotto_draft draft = sotto_draft_default();
    draft.format = 7;
    assert_says(sotto_schema_draft(&draft, path, &schema, fault), fault, "format = 7: not known");
    assert_null(schema);
    draft = sotto_draft_default();
    draft.header = 7;
    assert_says(sotto_schema_draft(&draft, path, &schema, fault), fault, "header = 7: not known");
    draft = sotto_draft_default();
    draft.separator = 'x';
    assert_says(sotto_schema_draft(&draft, path, &schema, fault), fault, "separator: allowed");
    draft.separator = '|';
    draft.decimal = ';';
    assert_says(sotto_schema_draft(&draft, path, &schema, fault), fault, "decimal: allowed");
    draft = sotto_draft_default();
    draft.constant_propensity = 1.5;
    assert_says(sotto_schema_draft(&draft, path, &schema, fault), fault, "= 1.5: allowed above 0");
    draft = sotto_draft_default();
    draft.ignored_count = 1;
    draft.ignored = ignored;
    assert_string_equal(sotto_schema_draft(&draft, path, &schema, fault),
                        sotto_status_text(SOTTO_E_ARGUMENT));
    draft = sotto_draft_default(); /* names no label */
    assert_says(sotto_schema_draft(&draft, path, &schema, fault), fault, "0 labels, 0 actions");
    assert_null(schema);
    folder_free(&f);
}

static void a_schema_is_drafted_written_and_read_back(void **state)
{
    (void)state;
    folder f = folder_new();
    sotto_draft draft = sotto_draft_default();
    sotto_schema *drafted, *read;
    draft.label = "y";
    assert_silent(sotto_schema_draft(&draft, text_file(&f, rows), &drafted, fault));
    assert_silent(sotto_schema_write(drafted, f.other, fault));
    assert_silent(sotto_schema_read(f.other, &read, fault));
    for (int i = 0; i < 2; i++) {
        const sotto_schema *schema = i == 0 ? drafted : read;
        assert_false(sotto_schema_is_log(schema));
        assert_int_equal(sotto_schema_arms(schema), 2);
        assert_string_equal(sotto_schema_arm_name(schema, 1), "b");
        assert_null(sotto_schema_arm_name(schema, 2));
        assert_int_equal(sotto_schema_dim(schema), 4); /* the constant, x, two levels */
    }
    sotto_schema_free(read);
    assert_says(sotto_schema_write(drafted, "/nowhere/at/all", fault), fault,
                "/nowhere/at/all: No such file");
    assert_says(sotto_schema_write(drafted, "/dev/full", fault), fault, "/dev/full: No space");
    sotto_schema_free(drafted);
    folder_free(&f);
}

static void people_are_read_with_it(void **state)
{
    (void)state;
    folder f = folder_new();
    sotto_draft draft = sotto_draft_default();
    sotto_schema *schema;
    sotto_dataset *dataset;
    sotto_people *people, *others;
    draft.label = "y";
    assert_silent(sotto_schema_draft(&draft, text_file(&f, rows), &schema, fault));
    assert_silent(sotto_dataset_open(schema, f.file, &dataset, fault));
    assert_status(sotto_people_new(0, &people), SOTTO_E_FAULT);
    assert_null(people);
    assert_status(sotto_people_new(SOTTO_DIM_MAX + 1, &people), SOTTO_E_FAULT);
    assert_ok(sotto_people_new(sotto_schema_dim(schema), &people));
    assert_ok(sotto_people_new(sotto_schema_dim(schema) - 1, &others));
    assert_says(sotto_dataset_next(dataset, others, fault), fault,
                "dim of people = 3: the schema has 4");
    assert_silent(sotto_dataset_next(dataset, people, fault));
    assert_int_equal(people->rows, 3);
    assert_int_equal(people->arm[1], 1);
    assert_int_equal(sotto_dataset_counted(dataset)->rows, 3);
    sotto_people_free(others);
    sotto_people_free(people);
    sotto_dataset_close(dataset);
    sotto_schema_free(schema);
    folder_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_read_makes_no_schema),
        cmocka_unit_test(a_draft_that_makes_no_sense_is_refused),
        cmocka_unit_test(a_schema_is_drafted_written_and_read_back),
        cmocka_unit_test(people_are_read_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
