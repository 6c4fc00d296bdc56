/* JSON on one line: separators, escapes, and numbers that JSON does not have. */
#include "cli/print/print.h"
#include "memory_file.h"

#include <math.h>

TEST(a_number_that_is_not_finite_is_null)
{
    memory_file p;
    json_writer j = json_begin(memory_file_open(&p));
    json_open(&j, NULL, '[');
    json_real(&j, NULL, NAN);
    json_real(&j, NULL, INFINITY);
    json_digits(&j, NULL, -INFINITY, 3);
    json_null(&j, NULL);
    json_close(&j);
    json_end(&j);
    assert_written(&p, "[null, null, null, null]\n");
}

TEST(what_would_end_a_text_is_escaped)
{
    memory_file p;
    json_writer j = json_begin(memory_file_open(&p));
    json_open(&j, NULL, '{');
    json_text(&j, "a", "say \"no\"\\\n\t\x7f\x01");
    json_text(&j, "b", "");
    json_text(&j, "c", "\xc3\xa4"); /* UTF-8 stays as it is */
    json_close(&j);
    json_end(&j);
    assert_written(
        &p, "{\"a\": \"say \\\"no\\\"\\\\\\u000a\\u0009\\u007f\\u0001\", \"b\": \"\", \"c\": "
            "\"\xc3\xa4\"}\n");
}

TEST(what_a_terminal_obeys_or_is_not_utf8_is_escaped)
{
    memory_file p;
    json_writer j = json_begin(memory_file_open(&p));
    json_open(&j, NULL, '[');
    json_text(&j, NULL,
              "a\xC2\x9B"
              "b\xE2\x80\xAE"
              "c\xE2\x80\xA8");
    json_text(&j, NULL,
              "a\xFF"
              "b\xC3");
    json_text(&j, NULL, "\xF0\x9F\x8D\xB0");
    json_close(&j);
    json_end(&j);
    assert_written(&p, "[\"a\\u009bb\\u202ec\\u2028\", \"a\\ufffdb\\ufffd\", "
                       "\"\xF0\x9F\x8D\xB0\"]\n");
}

TEST(numbers_are_written_so_that_they_read_back)
{
    memory_file p;
    json_writer j = json_begin(memory_file_open(&p));
    json_open(&j, NULL, '{');
    json_real(&j, "tenth", 0.1);
    json_digits(&j, "short", 0.1, 3);
    json_natural(&j, "most", UINT64_MAX);
    json_whole(&j, "least", INT64_MIN);
    json_flag(&j, "yes", true);
    json_flag(&j, "no", false);
    json_close(&j);
    json_end(&j);
    assert_written(
        &p, "{\"tenth\": 0.10000000000000001, \"short\": 0.1, \"most\": 18446744073709551615, "
            "\"least\": -9223372036854775808, \"yes\": true, \"no\": false}\n");
}

TEST(lists_and_objects_lie_in_each_other)
{
    memory_file p;
    json_writer j = json_begin(memory_file_open(&p));
    json_open(&j, NULL, '{');
    json_open(&j, "empty", '[');
    json_close(&j);
    json_open(&j, "rows", '[');
    for (uint32_t i = 0; i < 2; i++) {
        json_open(&j, NULL, '{');
        json_natural(&j, "i", i);
        json_close(&j);
    }
    json_close(&j);
    json_natural(&j, "after", 1);
    json_close(&j);
    json_end(&j);
    assert_written(&p, "{\"empty\": [], \"rows\": [{\"i\": 0}, {\"i\": 1}], \"after\": 1}\n");
}

/* As deep as it goes: 8. */
TEST(the_greatest_depth_is_reached)
{
    memory_file p;
    json_writer j = json_begin(memory_file_open(&p));
    for (uint32_t i = 0; i < JSON_DEPTH_MAX; i++) {
        json_open(&j, NULL, '[');
    }
    for (uint32_t i = 0; i < JSON_DEPTH_MAX; i++) {
        json_close(&j);
    }
    json_end(&j);
    assert_written(&p, "[[[[[[[[]]]]]]]]\n");
}

TEST(a_list_can_stand_on_lines)
{
    memory_file p;
    json_writer j = json_begin(memory_file_open(&p));
    j.lines = true;
    json_open(&j, NULL, '[');
    for (uint32_t i = 0; i < 2; i++) {
        json_open(&j, NULL, '{');
        json_natural(&j, "a", i);
        json_natural(&j, "b", i);
        json_close(&j);
    }
    json_close(&j);
    json_end(&j);
    assert_written(&p, "[{\"a\": 0, \"b\": 0},\n {\"a\": 1, \"b\": 1}]\n");
}

TEST(a_row_is_an_object_of_the_columns_with_keys)
{
    static const print_column column[] = {
        {"name", "Name", -8, 0, 0}, {NULL, "only the table", 8, 3, 0},
        {"x", NULL, 0, 0, 3},       {"y", "y", 8, 3, 0},
        {"n", "n", 8, 0, 0},        {"ok", "ok", 3, 0, 0},
        {"none", "none", 3, 0, 0},
    };
    const print_value value[] = {print_text("a\"b"), print_real(1),    print_real(2.0 / 3),
                                 print_real(NAN),    print_natural(7), print_flag(true),
                                 print_none()};
    memory_file p;
    json_row(memory_file_open(&p), column, value, 7);
    assert_written(&p, "{\"name\": \"a\\\"b\", \"x\": 0.667, \"y\": null, \"n\": 7, \"ok\": true, "
                       "\"none\": null}\n");
}

TEST(a_row_can_be_part_of_something_larger)
{
    static const print_column column[] = {{"x", "x", 8, 3, 0}};
    const print_value value = print_natural(1);
    memory_file p;
    json_writer j = json_begin(memory_file_open(&p));
    json_open(&j, NULL, '{');
    json_object(&j, "one", column, &value, 1);
    json_object(&j, "two", column, &value, 1);
    json_close(&j);
    json_end(&j);
    assert_written(&p, "{\"one\": {\"x\": 1}, \"two\": {\"x\": 1}}\n");
}
