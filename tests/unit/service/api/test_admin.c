/* The admin port, called without a network. */
#include "asked.h"
#include "house.h"
#include "service/api/inner.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

OWNED(json_t, json_decref)

static house made;
static sottod_front *front;
static api_admin *port;
static front_door door;
static char text[257];
static char admin[128], reader[128];

static const char body_of_one[] =
    "{\"spec\":{\"reward_kind\":\"binary\",\"dim\":3,\"arms\":2},\"labels\":{\"name\":\"first\"}}";

/* "Bearer " and the content of the file. */
static void bearer(const char *name, char out[128])
{
    char path[256];
    uint8_t bytes[100] = {0};
    snprintf(path, sizeof path, "%s/%s", made.data.path, name);
    file_read(path, bytes, sizeof bytes);
    snprintf(out, 128, "Bearer %.64s", (const char *)bytes);
}

FIXTURE(start)
{
    house_open(&made);
    front = asked_front_new(8788, (front_counts){0});
    made.service.admin_front = front;
    assert_ok(api_admin_new(&made.service, &port, NULL));
    door = api_admin_door(port);
    bearer("admin.token", admin);
    bearer("reader.token", reader);
}

FIXTURE(end)
{
    api_admin_free(port);
    house_close(&made);
    free(front);
}

/* With a token, or NULL for none. */
static asked ask_with(const char *token, front_method method, const char *path, const char *body)
{
    const front_header headers[] = {{"Host", "127.0.0.1:8788"},
                                    {"Content-Type", "application/json"},
                                    {token != NULL ? "Authorization" : "X", token},
                                    {NULL, NULL}};
    asked got = ask(&door, method, path, headers, body, body != NULL ? strlen(body) : 0);
    assert_string_equal(asked_header(&got, "Access-Control-Allow-Origin"), "");
    assert_string_equal(asked_header(&got, "Cache-Control"), "no-store");
    return got;
}

static void assert_refused(asked got, uint32_t status, const char *field)
{
    assert_int_equal(got.status, status);
    assert_string_equal(asked_text(&got, "field", text), field);
}

/* Creates an experiment and returns its path. */
static void create(char path[100])
{
    asked got = ask_with(admin, FRONT_POST, "/v1/experiments", body_of_one);
    if (got.status != 201) fail_msg("%s", got.body);
    snprintf(path, 100, "%s", asked_header(&got, "Location"));
}

TEST_WITH(a_request_for_another_host_or_from_another_page_is_refused, start, end)
{
    const front_header none[] = {{"Authorization", admin}, {NULL, NULL}};
    const front_header host[] = {
        {"Authorization", admin}, {"Host", "evil.example:8788"}, {NULL, NULL}};
    const front_header origin[] = {{"Authorization", admin},
                                   {"Host", "localhost:8788"},
                                   {"Origin", "http://evil.example"},
                                   {NULL, NULL}};
    assert_refused(ask(&door, FRONT_GET, "/metrics", none, NULL, 0), 400, "Host");
    assert_refused(ask(&door, FRONT_GET, "/metrics", host, NULL, 0), 403, "Host");
    assert_refused(ask(&door, FRONT_GET, "/healthz", host, NULL, 0), 403, "Host");
    assert_refused(ask(&door, FRONT_GET, "/metrics", origin, NULL, 0), 403, "Origin");
    made.service.admin_hosts = "evil.example";
    asked got = ask(&door, FRONT_GET, "/metrics", host, NULL, 0);
    assert_int_equal(got.status, 200);
}

TEST_WITH(without_a_token_nothing_is_told, start, end)
{
    char path[100], longer[160];
    static const char *const parts[] = {"", "/results", "/history", "/terms", "/nothing"};
    create(path);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        snprintf(longer, sizeof longer, "%s%s", path, parts[i]);
        asked got = ask_with(NULL, FRONT_GET, longer, NULL);
        assert_string_equal(asked_header(&got, "WWW-Authenticate"), "Bearer realm=\"sottod\"");
        assert_true(got.early);
        assert_refused(got, 401, "Authorization");
    }
    assert_refused(ask_with(NULL, FRONT_GET, "/metrics", NULL), 401, "Authorization");
    assert_refused(ask_with(NULL, FRONT_PUT, "/nothing", NULL), 401, "Authorization");
    assert_refused(ask_with(NULL, FRONT_POST, "/v1/experiments", body_of_one), 401,
                   "Authorization");
    asked got = ask_with("Bearer 0", FRONT_GET, "/v1/experiments/x", NULL);
    assert_null(strstr(got.body, "Bearer 0"));
    assert_refused(got, 401, "Authorization");
    got = ask_with(NULL, FRONT_GET, "/healthz", NULL);
    assert_int_equal(got.status, 200);
}

TEST_WITH(a_reader_reads_and_changes_nothing, start, end)
{
    char path[100], longer[160];
    create(path);
    static const char *const changes[] = {"/open", "/pause", "/close"};
    for (size_t i = 0; i < 3; i++) {
        snprintf(longer, sizeof longer, "%s%s", path, changes[i]);
        assert_refused(ask_with(reader, FRONT_POST, longer, NULL), 403, "Authorization");
    }
    assert_refused(ask_with(reader, FRONT_DELETE, path, NULL), 403, "Authorization");
    assert_refused(ask_with(reader, FRONT_POST, "/v1/experiments", body_of_one), 403,
                   "Authorization");
    static const char *const reads[] = {"", "/results", "/history"};
    for (size_t i = 0; i < 3; i++) {
        snprintf(longer, sizeof longer, "%s%s", path, reads[i]);
        asked got = ask_with(reader, FRONT_GET, longer, NULL);
        assert_int_equal(got.status, 200);
    }
}

TEST_WITH(wrong_paths_and_methods_are_refused, start, end)
{
    assert_refused(ask_with(admin, FRONT_GET, "/nothing", NULL), 404, "path");
    assert_refused(ask_with(admin, FRONT_GET, "/v1/experiments/xyz", NULL), 404, "id");
    asked got = ask_with(admin, FRONT_PUT, "/v1/experiments", NULL);
    assert_string_equal(asked_header(&got, "Allow"), "POST, GET, HEAD");
    assert_refused(got, 405, "method");
    assert_refused(ask_with(admin, FRONT_OPTIONS, "/v1/experiments", NULL), 405, "method");
}

TEST_WITH(a_body_that_is_no_experiment_is_refused, start, end)
{
    const front_header headers[] = {{"Host", "localhost:8788"},
                                    {"Authorization", admin},
                                    {"Content-Type", "text/plain"},
                                    {NULL, NULL}};
    assert_refused(ask(&door, FRONT_POST, "/v1/experiments", headers, "{}", 2), 415,
                   "Content-Type");
    assert_refused(ask_with(admin, FRONT_POST, "/v1/experiments", ""), 400, "body");
    assert_refused(ask_with(admin, FRONT_POST, "/v1/experiments", "{}"), 400, "spec");
    assert_refused(ask_with(admin, FRONT_POST, "/v1/experiments",
                            "{\"spec\":{\"reward_kind\":\"binary\",\"epsilon\":11}}"),
                   400, "spec.epsilon");
    static char longest[70000];
    memset(longest, ' ', sizeof longest - 1);
    asked got = ask_with(admin, FRONT_POST, "/v1/experiments", longest);
    assert_int_equal(got.status, 413);
    /* Epochs that end before rewards arrive. */
    got = ask_with(admin, FRONT_POST, "/v1/experiments",
                   "{\"spec\":{\"reward_kind\":\"binary\",\"reward_window_s\":100},"
                   "\"learning\":{\"epoch_seconds_min\":1}}");
    assert_refused(got, 400, "learning.epoch_seconds_min");
    assert_int_equal(experiments_count(made.experiments), 0);
}

TEST_WITH(an_experiment_is_created_with_its_card_and_warnings, start, end)
{
    asked got = ask_with(admin, FRONT_POST, "/v1/experiments",
                         "{\"spec\":{\"reward_kind\":\"binary\",\"dim\":3,\"epsilon\":4},"
                         "\"labels\":{\"name\":\"first\"}}");
    assert_int_equal(got.status, 201);
    OWN(json_t) one = asked_json(&got);
    const sottod_experiment *experiment = experiments_at(made.experiments, 0);
    assert_string_equal(json_string_value(json_object_get(one, "id")),
                        experiment_id_text(experiment));
    assert_string_equal(json_string_value(json_object_get(one, "state")), "open");
    assert_string_equal(json_string_value(json_object_get(json_object_get(one, "labels"), "name")),
                        "first");
    assert_int_equal(json_array_size(json_object_get(one, "warnings")), 1);
    assert_true(json_number_value(json_object_get(json_object_get(one, "privacy"), "epsilon")) ==
                4);
    assert_int_equal(strlen(json_string_value(json_object_get(one, "terms"))), 568);
    assert_string_equal(asked_header(&got, "X-Content-Type-Options"), "nosniff");
}

/* Without a series in the body, the service draws one: the same body makes another experiment. */
TEST_WITH(the_same_terms_are_refused_and_another_series_is_not, start, end)
{
    static const char named[] =
        "{\"spec\":{\"reward_kind\":\"binary\",\"dim\":3,\"arms\":2,\"series\":1}}";
    static const struct {
        front_method method;
        const char *body;
        uint32_t status;
    } steps[] = {
        {FRONT_POST, body_of_one, 201}, {FRONT_POST, body_of_one, 201}, {FRONT_POST, named, 201},
        {FRONT_POST, named, 409},       {FRONT_DELETE, NULL, 200},      {FRONT_POST, named, 409},
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        char path[100] = "/v1/experiments";
        if (steps[i].method == FRONT_DELETE) {
            const sottod_experiment *last = experiments_at(made.experiments, 2);
            snprintf(path, sizeof path, "/v1/experiments/%s", experiment_id_text(last));
        }
        asked got = ask_with(admin, steps[i].method, path, steps[i].body);
        assert_int_equal(got.status, steps[i].status);
    }
}

static void assert_state(front_method method, const char *path, const char *part,
                         const char *wanted)
{
    char longer[160];
    snprintf(longer, sizeof longer, "%s%s", path, part);
    asked got = ask_with(admin, method, longer, NULL);
    assert_int_equal(got.status, 200);
    assert_string_equal(asked_text(&got, "state", text), wanted);
}

TEST_WITH(states_are_changed_and_what_is_for_good_stays, start, end)
{
    char path[100], longer[160];
    create(path);
    assert_state(FRONT_POST, path, "/pause", "paused");
    assert_state(FRONT_POST, path, "/pause", "paused");
    assert_state(FRONT_GET, path, "", "paused");
    assert_state(FRONT_POST, path, "/open", "open");
    assert_state(FRONT_POST, path, "/close", "closed");
    snprintf(longer, sizeof longer, "%s/open", path);
    asked got = ask_with(admin, FRONT_POST, longer, NULL);
    assert_int_equal(got.status / 100, 4);
    assert_state(FRONT_DELETE, path, "", "deleted");
    assert_state(FRONT_DELETE, path, "", "deleted");
    assert_refused(ask_with(admin, FRONT_GET, path, NULL), 410, "id");
    assert_refused(ask_with(admin, FRONT_POST, longer, NULL), 410, "id");
}

TEST_WITH(all_experiments_are_listed, start, end)
{
    char path[100];
    asked got = ask_with(reader, FRONT_GET, "/v1/experiments", NULL);
    assert_string_equal(got.body, "{\"experiments\":[]}");
    create(path);
    house_experiment(&made, 5);
    got = ask_with(reader, FRONT_GET, "/v1/experiments", NULL);
    OWN(json_t) list = asked_json(&got);
    assert_int_equal(json_array_size(json_object_get(list, "experiments")), 2);
}

TEST_WITH(results_take_an_alpha, start, end)
{
    char path[200];
    const sottod_experiment *experiment = house_experiment(&made, 0);
    snprintf(path, sizeof path, "/v1/experiments/%s/results?alpha=0.2",
             experiment_id_text(experiment));
    asked got = ask_with(reader, FRONT_GET, path, NULL);
    json_t *results = asked_json(&got);
    assert_true(json_real_value(json_object_get(results, "alpha")) == 0.2);
    json_decref(results);
    snprintf(path, sizeof path, "/v1/experiments/%s/results?alpha=2",
             experiment_id_text(experiment));
    assert_refused(ask_with(reader, FRONT_GET, path, NULL), 400, "alpha");
}

TEST_WITH(metrics_are_text, start, end)
{
    asked got = ask_with(reader, FRONT_GET, "/metrics", NULL);
    assert_int_equal(got.status, 200);
    assert_string_equal(got.type, "text/plain; version=0.0.4; charset=utf-8");
    assert_non_null(strstr(got.body, "\nsottod_experiments 0\n"));
    assert_refused(ask_with(reader, FRONT_GET, "/metrics?experiment=x", NULL), 404, "id");
    assert_refused(ask_with(reader, FRONT_GET, "/metrics?experiments=x", NULL), 400, "experiments");
    assert_refused(ask_with(NULL, FRONT_GET, "/metrics?x=1", NULL), 401, "Authorization");
    char path[100];
    sottod_experiment *experiment = house_experiment(&made, 0);
    snprintf(path, sizeof path, "/metrics?experiment=%s", experiment_id_text(experiment));
    got = ask_with(reader, FRONT_GET, path, NULL);
    assert_int_equal(got.status, 200);
    assert_non_null(strstr(got.body, experiment_id_text(experiment)));
    assert_null(strstr(got.body, "sottod_requests_total"));
    char one[100];
    snprintf(one, sizeof one, "/v1/experiments/%s", experiment_id_text(experiment));
    assert_state(FRONT_DELETE, one, "", "deleted");
    assert_refused(ask_with(reader, FRONT_GET, path, NULL), 410, "id");
}

/* Changing one leaves the other unchanged. */
TEST_WITH(origins_and_keys_are_changed_apart, start, end)
{
    static const char *const bodies[] = {"{\"report_keys\":[\"0123456789abcdef\"]}",
                                         "{\"origins\":[\"https://a.example\"]}"};
    char path[100], longer[160];
    create(path);
    for (size_t i = 0; i < 4; i++) {
        snprintf(longer, sizeof longer, "%s/%s", path, i % 2 == 0 ? "report-keys" : "origins");
        asked got = ask_with(admin, FRONT_POST, longer, bodies[i % 2]);
        assert_int_equal(got.status, 200);
        const experiment_access access = experiment_access_of(experiments_at(made.experiments, 0));
        assert_int_equal(access.keys, 1);
        assert_string_equal(access.origins, i == 0 ? "" : "https://a.example");
    }
}

TEST_WITH(a_token_file_that_others_may_read_is_refused_at_the_start, start, end)
{
    sotto_fault fault;
    api_admin *none;
    assert_true(api_admin_token_is_new(port));
    assert_int_equal(chmod(api_admin_token_file(port), 0644), 0);
    assert_status(api_admin_new(&made.service, &none, &fault), SOTTO_E_FAULT);
    assert_null(none);
    assert_non_null(strstr(fault.sentence, "admin.token: other users have access to it"));
    api_admin_free(NULL);
}

/* ---- pages */

static asked ask_page(const char *path, const char *host, const char *tag)
{
    const front_header headers[] = {
        {"Host", host}, {tag != NULL ? "If-None-Match" : "X", tag}, {NULL, NULL}};
    return ask(&door, FRONT_GET, path, headers, NULL, 0);
}

TEST_WITH(a_page_is_refused_to_another_host, start, end)
{
    assert_refused(ask_page("/", "rebound.example", NULL), 403, "Host");
    assert_refused(ask_page("/", NULL, NULL), 400, "Host");
}

TEST_WITH(a_path_beside_the_pages_needs_a_token, start, end)
{
    assert_refused(ask_page("/other.js", "127.0.0.1:8788", NULL), 401, "Authorization");
    assert_refused(ask_with(NULL, FRONT_POST, "/", "{}"), 401, "Authorization");
}

TEST_WITH(a_page_needs_no_token_and_may_run_only_our_files, start, end)
{
    asked page = ask_page("/", "127.0.0.1:8788", NULL);
    assert_int_equal(page.status, 200);
    assert_strings(page.type, "text/html", asked_header(&page, "Referrer-Policy"), "no-referrer");
    assert_string_equal(asked_header(&page, "X-Content-Type-Options"), "nosniff");
    assert_string_equal(asked_header(&page, "Content-Security-Policy"), PAGES_POLICY);
    assert_string_equal(asked_header(&page, "Cache-Control"), "no-cache");
    asked again = ask_page("/", "127.0.0.1:8788", asked_header(&page, "ETag"));
    assert_int_equal(again.status, 304);
    asked api = ask_page("/openapi.json", "127.0.0.1:8788", NULL);
    json_decref(asked_json(&api));
}

/* ---- changes */

TEST_WITH(who_knows_the_stamp_waits_until_something_changes, start, end)
{
    char path[300], stamp[257], after[257];
    front_answer answer;
    assert_refused(ask_with(NULL, FRONT_GET, "/v1/changes", NULL), 401, "Authorization");
    assert_refused(ask_with(reader, FRONT_GET, "/v1/changes?after=1", NULL), 400, "after");
    asked got = ask_with(reader, FRONT_GET, "/v1/changes", NULL);
    asked_text(&got, "stamp", stamp);
    snprintf(path, sizeof path, "/v1/changes?after=%s", stamp);
    const front_header headers[] = {
        {"Host", "127.0.0.1:8788"}, {"Authorization", reader}, {NULL, NULL}};
    assert_int_equal(ask(&door, FRONT_GET, path, headers, NULL, 0).status,
                     0); /* the request waits */
    const uint64_t now_ms = clock_steady_ms();
    assert_true(api_admin_timeout_ms(port, now_ms) >= 0);
    assert_false(api_admin_turn(port, now_ms, &answer));
    char one[100];
    create(one);
    assert_true(api_admin_turn(port, now_ms + 2000, &answer));
    got = asked_of(&answer);
    assert_int_equal(got.status, 200);
    assert_string_not_equal(asked_text(&got, "stamp", after), stamp);
    assert_int_equal(api_admin_timeout_ms(port, now_ms), -1);
}
