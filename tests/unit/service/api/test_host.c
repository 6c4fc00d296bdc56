/* Host and Origin of the admin port. */
#include "service/api/host.h"
#include "test.h"

#include <string.h>

static sottod_refusal why;

static uint32_t ask(const char *address, const char *names, const char *host, const char *origin)
{
    const host_rule rule = {address, 8788, names};
    memset(&why, 0, sizeof why);
    return host_allows(&rule, host, origin, &why) ? 200 : why.status;
}

static void a_request_without_a_host_is_malformed(void **state)
{
    (void)state;
    assert_int_equal(ask("127.0.0.1", NULL, NULL, NULL), 400);
    assert_string_equal(why.field, "Host");
}

static void another_host_is_refused(void **state)
{
    (void)state;
    static const char *const hosts[] = {
        "evil.example:8788",
        "evil.example",
        "localhost:8787",
        "localhost",
        "127.0.0.1",
        "127.0.0.2:8788",
        "localhost.evil:8788",
        "127.0.0.1:8788.evil",
        "127.0.0.1:08788",
        "127.0.0.1:",
        "",
        ":8788",
        "[127.0.0.1:8788",
        "[::1]:8788",
        "127.0.0.1:8788 ",
        "127.0.0.1:8788:8788",
        "localhost:8788/path",
    };
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        if (ask("127.0.0.1", "", hosts[i], NULL) != 403) fail_msg("\"%s\" passed", hosts[i]);
        assert_string_equal(why.field, "Host");
        assert_string_equal(why.value, hosts[i]);
    }
    char longest[400];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(ask("127.0.0.1", "", longest, NULL), 403);
}

static void the_own_address_and_localhost_pass(void **state)
{
    (void)state;
    assert_int_equal(ask("127.0.0.1", NULL, "127.0.0.1:8788", NULL), 200);
    assert_int_equal(ask(NULL, NULL, "127.0.0.1:8788", NULL), 200);
    assert_int_equal(ask("127.0.0.1", NULL, "LocalHost:8788", NULL), 200);
    assert_int_equal(ask("::1", NULL, "[::1]:8788", NULL), 200);
}

static void an_open_port_takes_addresses_and_no_names(void **state)
{
    (void)state;
    assert_int_equal(ask("0.0.0.0", NULL, "10.1.2.3:8788", NULL), 200);
    assert_int_equal(ask("::", NULL, "[fe80::1]:8788", NULL), 200);
    assert_int_equal(ask("0.0.0.0", NULL, "evil.example:8788", NULL), 403);
    assert_int_equal(ask("0.0.0.0", NULL, "10.1.2.3.evil.example:8788", NULL), 403);
    assert_int_equal(ask("0.0.0.0", NULL, "[evil]:8788", NULL), 403);
    assert_int_equal(ask("0.0.0.0", NULL, "[]:8788", NULL), 403);
}

static void names_that_were_given_pass(void **state)
{
    (void)state;
    static const char names[] = "admin.example, other.example:444 third.example";
    assert_int_equal(ask("127.0.0.1", names, "admin.example", NULL), 200);
    assert_int_equal(ask("127.0.0.1", names, "Admin.Example:443", NULL), 200);
    assert_int_equal(ask("127.0.0.1", names, "other.example:444", NULL), 200);
    assert_int_equal(ask("127.0.0.1", names, "other.example:445", NULL), 403);
    assert_int_equal(ask("127.0.0.1", names, "third.example", NULL), 200);
    assert_int_equal(ask("127.0.0.1", names, "example", NULL), 403);
    assert_int_equal(ask("127.0.0.1", names, "in.example", NULL), 403);
}

static void an_origin_must_be_the_same_place(void **state)
{
    (void)state;
    assert_int_equal(ask(NULL, NULL, "localhost:8788", "http://localhost:8788"), 200);
    assert_int_equal(ask(NULL, "a.example", "a.example", "https://a.example"), 200);
    static const char *const origins[] = {"null",
                                          "",
                                          "http://evil.example",
                                          "http://localhost",
                                          "http://localhost:8787",
                                          "http://localhost:8788.evil.example",
                                          "ftp://localhost:8788",
                                          "localhost:8788",
                                          "http://127.0.0.1:8788"};
    for (size_t i = 0; i < sizeof origins / sizeof origins[0]; i++) {
        if (ask(NULL, NULL, "localhost:8788", origins[i]) != 403) {
            fail_msg("\"%s\" passed", origins[i]);
        }
        assert_string_equal(why.field, "Origin");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_without_a_host_is_malformed),
        cmocka_unit_test(another_host_is_refused),
        cmocka_unit_test(the_own_address_and_localhost_pass),
        cmocka_unit_test(an_open_port_takes_addresses_and_no_names),
        cmocka_unit_test(names_that_were_given_pass),
        cmocka_unit_test(an_origin_must_be_the_same_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
