/* Strict reading of JSON. */
#include "service/api/json_read.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static sottod_refusal why;

static json_t *read_text(const char *text)
{
    memset(&why, 0, sizeof why);
    return json_read_object(text, strlen(text), &why);
}

static void assert_refused(const char *text, uint32_t status, const char *field, const char *value,
                           const char *allowed)
{
    json_t *got = read_text(text);
    assert_null(got);
    assert_int_equal(why.status, status);
    assert_string_equal(why.field, field);
    assert_string_equal(why.value, value);
    assert_string_equal(why.allowed, allowed);
    assert_true(why.error[0] != '\0');
}

static void what_is_no_json_is_refused_with_its_place(void **state)
{
    (void)state;
    assert_refused("", 400, "body", "line 1, column 0", "one JSON object");
    assert_refused("{\"spec\":{\"epsilon\":1,}}", 400, "spec", "line 1, column 22",
                   "one JSON object");
    assert_refused("{\"spec\":\n{\"epsilon\":NaN}}", 400, "spec.epsilon", "line 2, column 14",
                   "one JSON object");
    assert_refused("{} {}", 400, "body", "line 1, column 4", "one JSON object");
    assert_refused("{\"a\":\"\\u0000\"}", 400, "a", "line 1, column 13", "one JSON object");
    assert_refused("{\"a\":\"\xc3\x28\"}", 400, "a", "line 1, column 6", "one JSON object");
    assert_refused("{\"a\":1e999}", 400, "a", "line 1, column 10", "one JSON object");
    assert_refused("{\"a\":99999999999999999999}", 400, "a", "line 1, column 25",
                   "one JSON object");
}

static void what_is_no_object_is_refused(void **state)
{
    (void)state;
    assert_refused("[1]", 400, "body", "[1]", "one JSON object");
}

static void a_key_that_comes_twice_is_named_by_its_path(void **state)
{
    (void)state;
    assert_refused("{\"spec\":{\"epsilon\":1,\"dim\":3,\"epsilon\":2}}", 400, "spec.epsilon",
                   "line 1, column 38", "each key once");
    assert_refused("{\"spec\":{},\"spec\":{}}", 400, "spec", "line 1, column 17", "each key once");
}

static void eight_levels_are_read_and_nine_are_not(void **state)
{
    (void)state;
    json_t *got = read_text("{\"a\":[[[[[[[1]]]]]]]}");
    assert_non_null(got);
    json_decref(got);
    assert_refused("{\"a\":[[[[[[[[1]]]]]]]]}", 400, "body", "9 levels", "at most 8 levels");
    got = read_text("{\"a\":\"[[[[[[[[[[[[{{{{\\\"[[[[\"}"); /* brackets in a text are no levels */
    assert_non_null(got);
    json_decref(got);
    /* As many as fit: no recursion is ever entered. */
    static char deep[JSON_READ_BYTES_MAX + 1];
    memset(deep, '[', JSON_READ_BYTES_MAX);
    assert_refused(deep, 400, "body", "65536 levels", "at most 8 levels");
}

static void a_body_that_is_too_long_is_refused_by_its_length(void **state)
{
    (void)state;
    static char text[JSON_READ_BYTES_MAX + 2];
    memset(text, ' ', JSON_READ_BYTES_MAX + 1);
    memcpy(text, "{}", 2);
    assert_refused(text, 413, "body", "65537 bytes", "at most 65536 bytes");
    text[JSON_READ_BYTES_MAX] = '\0';
    json_t *got = read_text(text);
    assert_non_null(got);
    json_decref(got);
}

static void an_unknown_key_is_refused_with_the_known_ones(void **state)
{
    (void)state;
    static const char *const names[] = {"spec", "labels"};
    json_t *got = read_text("{\"spec\":1,\"sepc\":{\"a\":[1,2]}}");
    assert_false(json_read_known(got, "", names, 2, &why));
    assert_int_equal(why.status, 400);
    assert_string_equal(why.field, "sepc");
    assert_string_equal(why.value, "{\"a\":[1,2]}");
    assert_string_equal(why.allowed, "spec, labels");
    assert_false(json_read_known(got, "above", names, 1, &why));
    assert_string_equal(why.field, "above.sepc");
    json_decref(got);
    got = read_text("{\"\":1}");
    assert_false(json_read_known(got, "", names, 2, &why));
    assert_string_equal(why.field, "\"\"");
    json_decref(got);
    got = read_text("{\"labels\":1}");
    assert_true(json_read_known(got, "", names, 2, &why));
    json_decref(got);
}

static void a_path_that_is_too_long_is_cut(void **state)
{
    (void)state;
    char path[JSON_READ_PATH_BYTES], key[200], text[300];
    memset(key, 'k', sizeof key - 1);
    key[sizeof key - 1] = '\0';
    json_read_path(path, "spec", key);
    assert_int_equal(strlen(path), JSON_READ_PATH_BYTES - 1);
    snprintf(text, sizeof text, "{\"%s\":{\"x\":}}", key);
    assert_null(read_text(text));
    assert_int_equal(strlen(why.field), JSON_READ_PATH_BYTES - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_json_is_refused_with_its_place),
        cmocka_unit_test(what_is_no_object_is_refused),
        cmocka_unit_test(a_key_that_comes_twice_is_named_by_its_path),
        cmocka_unit_test(eight_levels_are_read_and_nine_are_not),
        cmocka_unit_test(a_body_that_is_too_long_is_refused_by_its_length),
        cmocka_unit_test(an_unknown_key_is_refused_with_the_known_ones),
        cmocka_unit_test(a_path_that_is_too_long_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
