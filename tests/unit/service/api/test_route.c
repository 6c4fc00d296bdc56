/* Finding routes, with a table made for the test. */
#include "asked.h"
#include "house.h"
#include "service/api/inner.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static house made;
static char id[64];
static const api_route *found;
static bool fits;
static route_call call;
static sottod_refusal why;
static char allow[ROUTE_ALLOW_BYTES];

static const api_route routes[] = {
    {.method = FRONT_GET, .path = "/a", .access = ROUTE_ANYBODY, .gone = false},
    {.method = FRONT_POST, .path = "/a{?one,two}", .access = ROUTE_ADMIN, .gone = false},
    {.method = FRONT_GET, .path = "/v1/experiments/{id}", .access = ROUTE_READER, .gone = false},
    {.method = FRONT_DELETE, .path = "/v1/experiments/{id}", .access = ROUTE_ADMIN, .gone = true},
    {.method = FRONT_GET,
     .path = "/v1/experiments/{id}/terms",
     .access = ROUTE_ANYBODY,
     .gone = false},
};
static const route_table table = {routes, sizeof routes / sizeof routes[0], false};

/* A door that only finds the route. */
static bool look(void *self, const front_request *request, size_t *body_max, front_answer *answer)
{
    (void)self;
    memset(&why, 0, sizeof why);
    found = route_find(&table, made.experiments, request, &call, allow, &why);
    const uint32_t kind = route_kind(&table, request);
    if (found != NULL) assert_ptr_equal(found, &routes[kind - 1]);
    fits = found != NULL && route_check_arguments(found, request, &why);
    *answer = (front_answer){.status = 200};
    *body_max = 0;
    return false;
}

static void find(front_method method, const char *path)
{
    const front_door door = {.admit = look, .answer = NULL, .refuse = NULL, .self = NULL};
    ask(&door, method, path, NULL, NULL, 0);
}

FIXTURE(start)
{
    house_open(&made);
    snprintf(id, sizeof id, "%s", experiment_id_text(house_experiment(&made, 0)));
}

FIXTURE(end)
{
    house_close(&made);
}

static void assert_missing(front_method method, const char *path, uint32_t status,
                           const char *field)
{
    find(method, path);
    if (found != NULL) fail_msg("%s was found", path);
    assert_int_equal(why.status, status);
    assert_string_equal(why.fault.field, field);
}

TEST_WITH(a_path_that_there_is_not_is_404, start, end)
{
    static const char *const paths[] = {"",
                                        "/",
                                        "a",
                                        "/b",
                                        "/a/",
                                        "//a",
                                        "/A",
                                        "/v1/experiments/",
                                        "/v1/experiments//terms",
                                        "/v1/experiments/x/terms/",
                                        "/v1/experiments/{id}/",
                                        "/v1/experiments/x/y/terms"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        assert_missing(FRONT_GET, paths[i], 404, "path");
    }
}

TEST_WITH(a_malformed_id_is_404, start, end)
{
    char path[200];
    static const char *const ids[] = {"x",
                                      "{id}",
                                      "..",
                                      "0123456789abcdef0123456789abcde",
                                      "0123456789abcdef0123456789abcdef0",
                                      "0123456789ABCDEF0123456789ABCDEF",
                                      "0123456789abcdef0123456789abcdeg",
                                      "%30"};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        snprintf(path, sizeof path, "/v1/experiments/%s/terms", ids[i]);
        assert_missing(FRONT_GET, path, 404, "id");
        assert_strings(why.fault.value, ids[i], why.fault.allowed,
                       "32 lower-case hexadecimal digits");
    }
    assert_missing(FRONT_GET, "/v1/experiments/0123456789abcdef0123456789abcdef/terms", 404, "id");
    assert_string_equal(why.fault.sentence, "There is no experiment with this id.");
}

TEST_WITH(arguments_that_a_route_does_not_have_are_400, start, end)
{
    static const struct {
        front_method method;
        const char *path, *field, *allowed; /* field NULL: the route matches */
    } cases[] = {
        {FRONT_GET, "/a?x=1", "x", "none"},
        {FRONT_GET, "/a?one=1", "one", "none"},
        {FRONT_GET, "/a?x", "x", "none"},
        {FRONT_POST, "/a?x=1", "x", "one,two"},
        {FRONT_POST, "/a?one=1&x=1", "x", "one,two"},
        {FRONT_POST, "/a?on=1", "on", "one,two"},
        {FRONT_POST, "/a?onet=1", "onet", "one,two"},
        {FRONT_POST, "/a?=1", "", "one,two"},
        {FRONT_POST, "/a?One=1", "One", "one,two"},
        {FRONT_POST, "/a?two=1&two=1", "two", "once"},
        {FRONT_POST, "/a?two", "two", "NAME=VALUE"},
        {FRONT_GET, "/a", NULL, NULL},
        {FRONT_POST, "/a?two=1&one=", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        find(cases[i].method, cases[i].path);
        assert_non_null(found);
        assert_int_equal(fits, cases[i].field == NULL);
        if (fits) continue;
        assert_int_equal(why.status, 400);
        assert_strings(why.fault.field, cases[i].field, why.fault.allowed, cases[i].allowed);
    }
}

TEST_WITH(another_method_is_405_with_those_there_are, start, end)
{
    assert_missing(FRONT_PUT, "/a", 405, "method");
    assert_strings(allow, "GET, HEAD, POST", why.fault.value, "PUT");
    assert_missing(FRONT_OTHER, "/v1/experiments/x", 405, "method");
    assert_string_equal(allow, "GET, HEAD, DELETE");
    route_table asking = table;
    asking.options = true;
    assert_true(route_methods(&asking, "/v1/experiments/x/terms", allow));
    assert_string_equal(allow, "GET, HEAD, OPTIONS");
    assert_false(route_methods(&asking, "/b", allow));
}

TEST_WITH(a_route_comes_with_its_experiment, start, end)
{
    char path[200];
    find(FRONT_POST, "/a");
    assert_ptr_equal(found, &routes[1]);
    assert_null(call.experiment);
    snprintf(path, sizeof path, "/v1/experiments/%s/terms", id);
    find(FRONT_GET, path);
    assert_ptr_equal(found, &routes[4]);
    assert_string_equal(experiment_id_text(call.experiment), id);
}

TEST_WITH(a_deleted_experiment_is_gone_but_for_routes_that_take_it, start, end)
{
    char path[200];
    snprintf(path, sizeof path, "/v1/experiments/%s", id);
    find(FRONT_GET, path);
    assert_ptr_equal(found, &routes[2]);
    assert_true(experiment_set_state(made.experiments, call.experiment, JOURNAL_DELETED, &why));
    assert_missing(FRONT_GET, path, 410, "id");
    find(FRONT_DELETE, path);
    assert_ptr_equal(found, &routes[3]);
}

TEST(methods_have_names)
{
    assert_strings(route_method_name(FRONT_GET), "GET", route_method_name(FRONT_POST), "POST");
    assert_strings(route_method_name(FRONT_PUT), "PUT", route_method_name(FRONT_DELETE), "DELETE");
    assert_string_equal(route_method_name(FRONT_OPTIONS), "OPTIONS");
    assert_string_equal(route_method_name(FRONT_OTHER), "other");
}

/* Host and Origin of the admin port. */

static sottod_refusal why;

static uint32_t ask_host(const char *address, const char *names, const char *host,
                         const char *origin)
{
    const host_rule rule = {address, 8788, names};
    memset(&why, 0, sizeof why);
    return host_allows(&rule, host, origin, &why) ? 200 : why.status;
}

TEST(a_request_without_a_host_is_malformed)
{
    assert_int_equal(ask_host("127.0.0.1", NULL, NULL, NULL), 400);
    assert_string_equal(why.fault.field, "Host");
}

TEST(another_host_is_refused)
{
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
        if (ask_host("127.0.0.1", "", hosts[i], NULL) != 403) fail_msg("\"%s\" passed", hosts[i]);
        assert_strings(why.fault.field, "Host", why.fault.value, hosts[i]);
    }
    char longest[400];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(ask_host("127.0.0.1", "", longest, NULL), 403);
}

TEST(the_own_address_and_localhost_pass)
{
    assert_int_equal(ask_host("127.0.0.1", NULL, "127.0.0.1:8788", NULL), 200);
    assert_int_equal(ask_host(NULL, NULL, "127.0.0.1:8788", NULL), 200);
    assert_int_equal(ask_host("127.0.0.1", NULL, "LocalHost:8788", NULL), 200);
    assert_int_equal(ask_host("::1", NULL, "[::1]:8788", NULL), 200);
}

TEST(an_open_port_takes_addresses_and_no_names)
{
    assert_int_equal(ask_host("0.0.0.0", NULL, "10.1.2.3:8788", NULL), 200);
    assert_int_equal(ask_host("::", NULL, "[fe80::1]:8788", NULL), 200);
    assert_int_equal(ask_host("0.0.0.0", NULL, "evil.example:8788", NULL), 403);
    assert_int_equal(ask_host("0.0.0.0", NULL, "10.1.2.3.evil.example:8788", NULL), 403);
    assert_int_equal(ask_host("0.0.0.0", NULL, "[evil]:8788", NULL), 403);
    assert_int_equal(ask_host("0.0.0.0", NULL, "[]:8788", NULL), 403);
}

TEST(names_that_were_given_pass)
{
    static const char names[] = "admin.example, other.example:444 third.example";
    assert_int_equal(ask_host("127.0.0.1", names, "admin.example", NULL), 200);
    assert_int_equal(ask_host("127.0.0.1", names, "Admin.Example:443", NULL), 200);
    assert_int_equal(ask_host("127.0.0.1", names, "other.example:444", NULL), 200);
    assert_int_equal(ask_host("127.0.0.1", names, "other.example:445", NULL), 403);
    assert_int_equal(ask_host("127.0.0.1", names, "third.example", NULL), 200);
    assert_int_equal(ask_host("127.0.0.1", names, "example", NULL), 403);
    assert_int_equal(ask_host("127.0.0.1", names, "in.example", NULL), 403);
    static const char *const longer[] = {"admin.example.evil",    "admin.example.evil:443",
                                         "admin.exampl",          "other.example:4444",
                                         "other.example:44",      "other.example",
                                         "third.example.evil:80", "other.example:444.evil"};
    for (size_t i = 0; i < sizeof longer / sizeof longer[0]; i++) {
        if (ask_host("127.0.0.1", names, longer[i], NULL) != 403)
            fail_msg("\"%s\" passed", longer[i]);
    }
}

TEST(an_origin_must_be_the_same_place)
{
    assert_int_equal(ask_host(NULL, NULL, "localhost:8788", "http://localhost:8788"), 200);
    assert_int_equal(ask_host(NULL, "a.example", "a.example", "https://a.example"), 200);
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
        if (ask_host(NULL, NULL, "localhost:8788", origins[i]) != 403) {
            fail_msg("\"%s\" passed", origins[i]);
        }
        assert_string_equal(why.fault.field, "Origin");
    }
}
