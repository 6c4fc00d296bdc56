/* Schema files, written: as they are read. */
#include "lab/dataset/schema_file.h"
#include "texts.h"

#include <stdlib.h>

static char fault[SOTTO_FAULT_BYTES];

#define ARMS "label y a b\n"

static sotto_schema schema_of(const char *text)
{
    folder f = folder_new();
    sotto_schema schema;
    assert_silent(sotto__schema_read(text_file(&f, text), &schema, fault));
    folder_free(&f);
    return schema;
}

static void write_text(const sotto_schema *schema, char *text, size_t bytes)
{
    FILE *file = fmemopen(text, bytes, "w");
    assert_non_null(file);
    sotto__schema_write(schema, file);
    assert_false(ferror(file));
    fclose(file);
}

/* Writing is exact: what was written is read as what writes the same again, and as the same. */
static void what_is_written_is_read_as_the_same(void **state)
{
    (void)state;
    static char text[65536], again[65536];
    sotto_schema a =
        schema_of("separator tab\ndecimal comma\nheader no\nscale bound\nranges data\nothers "
                  "ignore\nunlabelled skip\n"
                  "missing ? \"\" \"#\" #N/A - .\nmissing \"#N/A\"\n"
                  "number x 0.1 1e300\nnumber y -0.30000000000000004 1 log\n"
                  "category \"c \"\"d\" x \"y\nz\" \"1..3\" 100..199\nignore \"\"\nignore e\n"
                  "label item 0 1 2\nalias \"a b\" 2\n");
    a.column[3].note = strdup("why");
    write_text(&a, text, sizeof text);
    assert_non_null(strstr(text, "# why\nignore"));
    assert_non_null(strstr(text, "number x 0.1 1e+300\n"));
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        assert_true(strcspn(line, "\n") <= 100);
    }
    sotto_schema b = schema_of(text);
    free(a.column[3].note);
    a.column[3].note = NULL;
    write_text(&a, text, sizeof text);
    write_text(&b, again, sizeof again);
    assert_string_equal(text, again);
    assert_int_equal(b.columns_count, a.columns_count);
    for (uint32_t i = 0; i < a.columns_count; i++) {
        const sotto__column *p = &a.column[i], *q = &b.column[i];
        assert_string_equal(p->name, q->name);
        assert_true(p->kind == q->kind && p->lo == q->lo && p->hi == q->hi && p->log == q->log);
        assert_int_equal(p->levels_count, q->levels_count);
        for (uint32_t k = 0; k < p->levels_count; k++) {
            assert_string_equal(p->level[k], q->level[k]);
        }
        assert_int_equal(p->aliases_count, q->aliases_count);
    }
    assert_string_equal(b.column[5].alias[0], "a b");
    assert_int_equal(b.column[5].alias_level[0], 2);
    assert_true(!b.header && !b.unit && b.from_data && b.others && b.separator == '\t');
    assert_true(b.unlabelled && b.decimal_comma);
    assert_int_equal(b.missing_count, 4); /* an unquoted # begins a comment */
    assert_string_equal(b.missing[3], "#N/A");
    sotto__schema_free(&a);
    sotto__schema_free(&b);
}

static void a_constant_chance_is_written_as_it_is_read(void **state)
{
    (void)state;
    char text[512];
    sotto_schema s = schema_of("action k a b\nreward r 0 1\npropensity constant 0.1\n");
    assert_true(s.propensity == 0.1);
    assert_int_equal(s.columns_count, 2);
    write_text(&s, text, sizeof text);
    assert_non_null(strstr(text, "propensity constant 0.1\n"));
    sotto__schema_free(&s);
    s = schema_of("action k a b\nreward r 0 1\npropensity constant\n"); /* a column's name */
    assert_string_equal(s.column[2].name, "constant");
    sotto__schema_free(&s);
}

static void a_table_of_rewards_is_written_as_it_is_read(void **state)
{
    (void)state;
    char text[512];
    folder f = folder_new();
    sotto_schema s;
    file_write(f.other, (const uint8_t *)"y,a,b\na,1,0\nb,-2,1\n", 19);
    assert_silent(sotto__schema_read(text_file(&f, ARMS "rewards other\n"), &s, fault));
    assert_true(s.rewards_lo == -2 && s.rewards[2] == -2 && !s.rewards_ranged);
    write_text(&s, text, sizeof text);
    assert_non_null(strstr(text, "rewards other\n"));
    sotto__schema_free(&s);
    assert_silent(sotto__schema_read(text_file(&f, ARMS "rewards \"other\" -2.5 1\n"), &s, fault));
    write_text(&s, text, sizeof text);
    assert_non_null(strstr(text, "rewards other -2.5 1\n"));
    sotto__schema_free(&s);
    folder_free(&f);
}

static void features_of_arms_are_written_as_they_are_read(void **state)
{
    (void)state;
    char text[1024], again[1024];
    folder f = folder_new();
    sotto_schema s;
    const char *file = "y,p,k\na,1,u\nb,2,V\n";
    file_write(f.other, (const uint8_t *)file, strlen(file));
    assert_silent(sotto__schema_read(
        text_file(&f, ARMS "arms other\narm number p 0 2 log\narm category k u v\nalias V v\n"), &s,
        fault));
    write_text(&s, text, sizeof text);
    assert_non_null(strstr(
        text, "arms other\narm number p 0 2 log\narm category k u v\nalias V v\nlabel y a b\n"));
    sotto__schema_free(&s);
    assert_silent(sotto__schema_read(text_file(&f, text), &s, fault));
    write_text(&s, again, sizeof again);
    assert_string_equal(text, again);
    sotto__schema_free(&s);
    folder_free(&f);
}

static void libsvm_has_no_header_and_no_separator(void **state)
{
    (void)state;
    static char text[4096];
    sotto_schema schema = schema_of("format libsvm\n" ARMS);
    write_text(&schema, text, sizeof text);
    assert_non_null(strstr(text, "format libsvm\nscale unit\n"));
    assert_null(strstr(text, "header"));
    assert_null(strstr(text, "separator"));
    sotto__schema_free(&schema);
}

static void numbers_have_no_more_digits_than_they_need(void **state)
{
    (void)state;
    const struct {
        double value;
        const char *text;
    } cases[] = {{0.1, "0.1"}, {-3, "-3"}, {1e300, "1e+300"}, {0.1 + 0.2, "0.30000000000000004"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[64] = "";
        FILE *file = fmemopen(text, sizeof text, "w");
        assert_non_null(file);
        sotto__number_write(cases[i].value, file);
        fclose(file);
        assert_string_equal(text, cases[i].text);
    }
}

static void vw_text_has_its_own_settings(void **state)
{
    (void)state;
    static char text[4096];
    sotto_schema schema =
        schema_of("format vw\nnumbered yes\nhash 3\nseparator tab\nnumber u^x 0 1\n" ARMS);
    write_text(&schema, text, sizeof text);
    assert_non_null(strstr(text, "format vw\nseparator tab\nscale unit\n"));
    assert_non_null(strstr(text, "numbered yes\n"));
    assert_non_null(strstr(text, "hash 3\nnumber u^x 0 1\nlabel y a b\n"));
    assert_null(strstr(text, "header"));
    assert_string_equal(text + strlen(text) - 12, "label y a b\n"); /* and no bucket after it */
    sotto__schema_free(&schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_as_the_same),
        cmocka_unit_test(a_constant_chance_is_written_as_it_is_read),
        cmocka_unit_test(a_table_of_rewards_is_written_as_it_is_read),
        cmocka_unit_test(features_of_arms_are_written_as_they_are_read),
        cmocka_unit_test(libsvm_has_no_header_and_no_separator),
        cmocka_unit_test(numbers_have_no_more_digits_than_they_need),
        cmocka_unit_test(vw_text_has_its_own_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
