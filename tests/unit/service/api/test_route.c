/* Finding routes, by a table of the test's own. */
#include "asked.h"
#include "house.h"
#include "service/api/answer.h"
#include "service/api/route.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static house made;
static char id[64];
static const api_route *found;
static route_call call;
static sottod_refusal why;
static char allow[ROUTE_ALLOW_BYTES];

static const api_route routes[] = {
    {FRONT_GET, "/a", ROUTE_ANYBODY, false, NULL, NULL},
    {FRONT_POST, "/a", ROUTE_ADMIN, false, NULL, NULL},
    {FRONT_GET, "/v1/experiments/{id}", ROUTE_READER, false, NULL, NULL},
    {FRONT_DELETE, "/v1/experiments/{id}", ROUTE_ADMIN, true, NULL, NULL},
    {FRONT_GET, "/v1/experiments/{id}/terms", ROUTE_ANYBODY, false, NULL, NULL},
};
static const route_table table = {routes, sizeof routes / sizeof routes[0], false};

/* A door that only looks for the route. */
static bool look(void *self, const front_request *request, size_t *body_max, front_answer *answer)
{
    (void)self;
    memset(&why, 0, sizeof why);
    found = route_find(&table, made.experiments, request, &call, allow, &why);
    *answer = (front_answer){.status = 200};
    *body_max = 0;
    return false;
}

static void find(front_method method, const char *path)
{
    const front_door door = {.admit = look, .answer = NULL, .refuse = NULL, .self = NULL};
    asked got = ask(&door, method, path, NULL, NULL, 0);
    asked_free(&got);
}

static int start(void **state)
{
    (void)state;
    house_open(&made);
    snprintf(id, sizeof id, "%s", experiment_id_text(house_experiment(&made, 0)));
    return 0;
}

static int end(void **state)
{
    (void)state;
    house_close(&made);
    return 0;
}

static void assert_missing(front_method method, const char *path, uint32_t status,
                           const char *field)
{
    find(method, path);
    if (found != NULL) fail_msg("%s was found", path);
    assert_int_equal(why.status, status);
    assert_string_equal(why.field, field);
}

static void a_path_that_there_is_not_is_404(void **state)
{
    (void)state;
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

static void a_malformed_id_is_404(void **state)
{
    (void)state;
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
        assert_string_equal(why.value, ids[i]);
        assert_string_equal(why.allowed, "32 hexadecimal digits, small letters");
    }
    assert_missing(FRONT_GET, "/v1/experiments/0123456789abcdef0123456789abcdef/terms", 404, "id");
    assert_string_equal(why.error, "There is no experiment with this id.");
}

static void another_method_is_405_with_those_there_are(void **state)
{
    (void)state;
    assert_missing(FRONT_PUT, "/a", 405, "method");
    assert_string_equal(allow, "GET, HEAD, POST");
    assert_string_equal(why.value, "PUT");
    assert_missing(FRONT_OTHER, "/v1/experiments/x", 405, "method");
    assert_string_equal(allow, "GET, HEAD, DELETE");
    route_table asking = table;
    asking.options = true;
    assert_true(route_methods(&asking, "/v1/experiments/x/terms", allow));
    assert_string_equal(allow, "GET, HEAD, OPTIONS");
    assert_false(route_methods(&asking, "/b", allow));
}

static void a_route_comes_with_its_experiment(void **state)
{
    (void)state;
    char path[200];
    find(FRONT_POST, "/a");
    assert_ptr_equal(found, &routes[1]);
    assert_null(call.experiment);
    snprintf(path, sizeof path, "/v1/experiments/%s/terms", id);
    find(FRONT_GET, path);
    assert_ptr_equal(found, &routes[4]);
    assert_string_equal(experiment_id_text(call.experiment), id);
}

static void a_deleted_experiment_is_gone_but_for_routes_that_take_it(void **state)
{
    (void)state;
    char path[200];
    snprintf(path, sizeof path, "/v1/experiments/%s", id);
    find(FRONT_GET, path);
    assert_ptr_equal(found, &routes[2]);
    assert_true(experiment_set_state(made.experiments, call.experiment, JOURNAL_DELETED, &why));
    assert_missing(FRONT_GET, path, 410, "id");
    find(FRONT_DELETE, path);
    assert_ptr_equal(found, &routes[3]);
}

static void methods_have_names(void **state)
{
    (void)state;
    assert_string_equal(route_method_name(FRONT_GET), "GET");
    assert_string_equal(route_method_name(FRONT_POST), "POST");
    assert_string_equal(route_method_name(FRONT_PUT), "PUT");
    assert_string_equal(route_method_name(FRONT_DELETE), "DELETE");
    assert_string_equal(route_method_name(FRONT_OPTIONS), "OPTIONS");
    assert_string_equal(route_method_name(FRONT_OTHER), "other");
}

#define IN_HOUSE(test) cmocka_unit_test_setup_teardown(test, start, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_HOUSE(a_path_that_there_is_not_is_404),
        IN_HOUSE(a_malformed_id_is_404),
        IN_HOUSE(another_method_is_405_with_those_there_are),
        IN_HOUSE(a_route_comes_with_its_experiment),
        IN_HOUSE(a_deleted_experiment_is_gone_but_for_routes_that_take_it),
        cmocka_unit_test(methods_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
