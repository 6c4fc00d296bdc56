/* Refusals as JSON. */
#include "service/api/error_json.h"
#include "test.h"

#include <jansson.h>
#include <string.h>

static void assert_body(const sottod_refusal *why, const char *wanted)
{
    char body[ERROR_JSON_BYTES];
    size_t bytes = error_json(why, body);
    assert_int_equal(bytes, strlen(wanted));
    assert_memory_equal(body, wanted, bytes);
}

static void what_json_cannot_have_is_escaped_or_replaced(void **state)
{
    (void)state;
    sottod_refusal why;
    refusal_set(&why, 400, "a \"b\"\\\n\x7f", "caf\xc3\xa9", "cut \xe2\x82", "\xff\xc0\x80");
    assert_body(&why,
                "{\"error\":\"a \\u0022b\\u0022\\u005c\\u000a\\u007f\",\"field\":\"caf\xc3\xa9\","
                "\"value\":\"cut ??\",\"allowed\":\"???\"}");
    /* Surrogates, overlong forms, and numbers above the last letter. */
    refusal_set(&why, 400, "\xed\xa0\x80", "\xe0\x9f\xbf", "\xf4\x90\x80\x80", "\xf0\x8f\xbf\xbf");
    assert_body(&why,
                "{\"error\":\"???\",\"field\":\"???\",\"value\":\"????\",\"allowed\":\"????\"}");
    refusal_set(&why, 400, "\xf0\x9f\x98\x80", NULL, NULL, NULL);
    assert_body(&why, "{\"error\":\"\xf0\x9f\x98\x80\",\"field\":null,\"value\":null,"
                      "\"allowed\":null}");
}

static void the_longest_refusal_fits_and_is_json(void **state)
{
    (void)state;
    sottod_refusal why;
    char body[ERROR_JSON_BYTES], longest[400];
    memset(longest, '\x01', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    refusal_set(&why, 400, longest, longest, longest, longest);
    size_t bytes = error_json(&why, body);
    json_t *read = json_loadb(body, bytes, 0, NULL);
    assert_non_null(read);
    assert_string_equal(json_string_value(json_object_get(read, "error")), why.error);
    assert_string_equal(json_string_value(json_object_get(read, "allowed")), why.allowed);
    json_decref(read);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_json_cannot_have_is_escaped_or_replaced),
        cmocka_unit_test(the_longest_refusal_fits_and_is_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
