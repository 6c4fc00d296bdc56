/* URLs of experiments: what is allowed, and everything else. */
#include "test.h"
#include "transport/url.h"

#include <stdio.h>
#include <string.h>

#define ID "00112233445566778899aabbccddeeff"
#define TAIL "/v1/experiments/" ID

static const char *fault_of(const char *url)
{
    static char text[SOTTO_FAULT_BYTES];
    sotto__url out;
    return sotto__url_fault("url", url, &out, text);
}

static void test_anything_else_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        "ftp://a" TAIL,
        "HTTPS://a" TAIL,
        "https:/a" TAIL,
        "https://" TAIL,
        "https://a",
        "https://a/",
        "https://a/v1/experiments/",
        "https://a/v1/experiments/0011",
        "https://a/v1/experiments/00112233445566778899AABBCCDDEEFF",
        "https://a" TAIL "/",
        "https://a" TAIL "/terms",
        "https://a" TAIL "0",
        "https://a" TAIL "?b=c",
        "https://a" TAIL "#d",
        "https://user@a" TAIL,
        "https://user:word@a" TAIL,
        "https://a:" TAIL,
        "https://a:0" TAIL,
        "https://a:65536" TAIL,
        "https://a:8x" TAIL,
        "https://a:123456" TAIL,
        "https://a b" TAIL,
        "https://a%2e" TAIL,
        "https://a\\b" TAIL,
        "https://a\n" TAIL,
        "https://[::1" TAIL,
        "https://[::1]x" TAIL,
        "https://[zz]" TAIL,
        "https://[]" TAIL,
        "https://a/../b" TAIL,
        "https://a/./b" TAIL,
        "https://a//b" TAIL,
        "https://a/%2e%2e" TAIL,
        "https://a/b c" TAIL,
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (fault_of(wrong[i]) == NULL) fail_msg("taken: %s", wrong[i]);
    }
}

static void test_http_is_for_this_machine_alone(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "http://example.org" TAIL,
        "http://128.0.0.1" TAIL,
        "http://127.1" TAIL,
        "http://0x7f.0.0.1" TAIL,
        "http://2130706433" TAIL,
        "http://localhost.example.org" TAIL,
        "http://[::2]" TAIL,
        "http://[::ffff:7f00:1]" TAIL,
        "http://127.0.0.1.example.org" TAIL,
        "http://0.0.0.0" TAIL,
        "http://LOCALHOST.org" TAIL,
    };
    static const char *const right[] = {
        "http://127.0.0.1" TAIL,     "http://127.0.0.1:8787" TAIL,
        "http://127.255.3.4:1" TAIL, "http://localhost:65535/a/b" TAIL,
        "http://[::1]:8787" TAIL,
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *fault = fault_of(wrong[i]);
        if (fault == NULL || strstr(fault, "http is allowed to this machine alone") == NULL)
            fail_msg("%s: %s", wrong[i], fault);
    }
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        const char *fault = fault_of(right[i]);
        if (fault != NULL) fail_msg("%s", fault);
    }
}

static void test_https_is_for_all_and_gives_the_id(void **state)
{
    (void)state;
    static const char *const right[] = {
        "https://example.org" TAIL, "https://example.org:8443/some/path_x~y" TAIL,
        "https://192.0.2.7" TAIL,   "https://[2001:db8::7]:443" TAIL,
        "https://127.0.0.1" TAIL,
    };
    char text[SOTTO_FAULT_BYTES];
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        sotto__url out;
        assert_null(sotto__url_fault("url", right[i], &out, text));
        assert_string_equal(out.text, right[i]);
        assert_false(out.plain);
        for (unsigned b = 0; b < SOTTO_SPEC_ID_BYTES; b++) {
            assert_int_equal(out.spec_id[b], 0x11 * b);
        }
    }
}

static void test_a_url_that_is_too_long_is_refused(void **state)
{
    (void)state;
    char url[SOTTO__URL_BYTES_MAX + 2];
    size_t tail = sizeof TAIL - 1;
    memset(url, 'a', sizeof url);
    memcpy(url, "https://a/", 10);
    memcpy(url + SOTTO__URL_BYTES_MAX - tail, TAIL, tail + 1);
    assert_null(fault_of(url));
    memmove(url + SOTTO__URL_BYTES_MAX - tail + 1, TAIL, tail + 1);
    url[SOTTO__URL_BYTES_MAX - tail] = 'a';
    assert_non_null(strstr(fault_of(url), "more than 1000 bytes"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_anything_else_is_refused),
        cmocka_unit_test(test_http_is_for_this_machine_alone),
        cmocka_unit_test(test_https_is_for_all_and_gives_the_id),
        cmocka_unit_test(test_a_url_that_is_too_long_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
