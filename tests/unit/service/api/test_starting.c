/* The two ports while the journal is being read: they accept nothing and serve what is already
 * known. */
#include "asked.h"
#include "house.h"
#include "service/api/api.h"
#include "service/api/inner.h"
#include "shared_memory.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static house made;
static api_starting *starting;
static front_door door, admin;
static sottod_experiment *experiment;

static int start(void **state)
{
    (void)state;
    house_open(&made);
    experiment = house_experiment(&made, 0);
    starting = api_starting_new();
    if (starting == NULL) return 1;
    door = api_starting_public(starting);
    admin = api_starting_admin(starting);
    return 0;
}

FIXTURE(end)
{
    api_starting_free(starting);
    api_starting_free(NULL);
    house_close(&made);
}

static asked ask_one(front_method method, const char *what, const void *body, size_t bytes)
{
    static const front_header octets[] = {
        {"Content-Type", "application/octet-stream"}, {"Content-Length", "42"}, {NULL, NULL}};
    char path[200];
    snprintf(path, sizeof path, "/v1/experiments/%s/%s", experiment_id_text(experiment), what);
    return ask(&door, method, path, octets, body, bytes);
}

static void assert_later(asked got)
{
    assert_int_equal(got.status, 503);
    assert_string_equal(asked_header(&got, "Retry-After"), "1");
}

/* A page of any origin can read whether the model is new and when to retry. */
static void assert_readable(asked got)
{
    assert_string_equal(asked_header(&got, "Access-Control-Allow-Origin"), "*");
    assert_string_equal(asked_header(&got, "Access-Control-Expose-Headers"),
                        "ETag, Retry-After, Sotto-Reports");
}

TEST_WITH(all_is_refused_until_it_is_known, start, end)
{
    uint8_t frame[42] = {0};
    assert_readable(ask_one(FRONT_GET, "model", NULL, 0));
    assert_later(ask_one(FRONT_POST, "reports", frame, sizeof frame));
    assert_later(ask_one(FRONT_GET, "model", NULL, 0));
    assert_later(ask_one(FRONT_GET, "terms", NULL, 0));
    assert_later(ask_one(FRONT_GET, "privacy", NULL, 0));
    assert_later(ask(&door, FRONT_GET, "/readyz", NULL, NULL, 0));
    assert_later(ask(&door, FRONT_GET, "/v1/experiments/xyz/model", NULL, NULL, 0));
    assert_later(ask(&door, FRONT_GET, "/other", NULL, NULL, 0));
    assert_later(ask(&door, FRONT_OPTIONS, "/healthz", NULL, NULL, 0));
    asked got = ask(&door, FRONT_GET, "/healthz", NULL, NULL, 0);
    assert_int_equal(got.status, 200);
    assert_string_equal(got.body, "{\"status\":\"ok\"}");
}

TEST_WITH(query_arguments_are_refused_as_later, start, end)
{
    api_starting_know(starting, experiment);
    assert_int_equal(ask(&door, FRONT_GET, "/healthz?a=1", NULL, NULL, 0).status, 400);
    assert_int_equal(ask_one(FRONT_GET, "model?a=1", NULL, 0).status, 400);
    assert_int_equal(ask_one(FRONT_GET, "terms?a=1", NULL, 0).status, 400);
    assert_later(ask(&door, FRONT_GET, "/other?a=1", NULL, NULL, 0));
}

/* A request that is admitted here may be answered by the port that follows, which checks tokens as it admits. */
TEST_WITH(the_admin_port_admits_nothing_but_pages, start, end)
{
    static const char *const paths[] = {"/metrics", "/v1/experiments", "/healthz", "/other"};
    for (uint32_t i = 0; i < 4; i++) {
        asked got = ask(&admin, FRONT_GET, paths[i], NULL, NULL, 0);
        assert_true(got.early);
        assert_string_equal(asked_header(&got, "Cache-Control"), "no-store");
        assert_later(got);
    }
    asked page = ask(&admin, FRONT_GET, "/", NULL, NULL, 0);
    assert_int_equal(page.status, 200);
    assert_string_equal(page.type, "text/html");
    assert_later(ask(&admin, FRONT_POST, "/", NULL, NULL, 0));
}

TEST_WITH(reports_are_refused_before_they_are_read, start, end)
{
    api_starting_know(starting, experiment);
    uint8_t frame[42] = {0};
    asked got = ask_one(FRONT_POST, "reports", frame, sizeof frame);
    assert_true(got.early);
    assert_later(got);
}

TEST_WITH(what_is_known_is_served_as_later, start, end)
{
    api_starting_know(starting, experiment);
    house_epoch(&made, experiment, 1, 40);
    assert_int_equal(experiment_epoch(experiment), 1);       /* the newest model is served */
    api_starting_know(starting, house_experiment(&made, 1)); /* and of other experiments */
    api_starting_know(starting, experiment);
    size_t bytes;
    const uint8_t *model = experiment_model_bytes(experiment, &bytes);
    asked got = ask_one(FRONT_GET, "model", NULL, 0);
    assert_ints(got.status, 200, got.bytes, bytes);
    assert_memory_equal(got.body, model, bytes);
    assert_string_equal(asked_header(&got, "ETag"), "\"1\"");
    assert_readable(got);
    char path[200];
    static const front_header known[] = {{"If-None-Match", "\"1\""}, {NULL, NULL}},
                              old[] = {{"If-None-Match", "\"0\""}, {NULL, NULL}};
    snprintf(path, sizeof path, "/v1/experiments/%s/model", experiment_id_text(experiment));
    got = ask(&door, FRONT_GET, path, known, NULL, 0);
    assert_int_equal(got.status, 304);
    got = ask(&door, FRONT_GET, path, old, NULL, 0);
    assert_int_equal(got.status, 200);
    char *end_of_id = strstr(path, "/model") - 1;
    *end_of_id = *end_of_id == '0' ? '1' : '0';
    assert_later(ask(&door, FRONT_GET, path, NULL, NULL, 0)); /* another one */
    const uint8_t *terms = experiment_terms_bytes(experiment, &bytes);
    got = ask_one(FRONT_GET, "terms", NULL, 0);
    assert_ints(got.status, 200, got.bytes, bytes);
    assert_memory_equal(got.body, terms, bytes);
    assert_string_equal(asked_header(&got, "Cache-Control"), "public, max-age=86400, immutable");
    char tag[64];
    snprintf(tag, sizeof tag, "\"%s\"", experiment_id_text(experiment));
    assert_string_equal(asked_header(&got, "ETag"), tag);
    const front_header cached[] = {{"If-None-Match", tag}, {NULL, NULL}};
    snprintf(path, sizeof path, "/v1/experiments/%s/terms", experiment_id_text(experiment));
    assert_int_equal(ask(&door, FRONT_GET, path, cached, NULL, 0).status, 304);
    assert_later(ask_one(FRONT_GET, "privacy", NULL, 0));
}

/* Which experiments are stopped. That of a publisher is in tests/unit/service/publisher/test_publisher.c. */

static api_service service;

/* A gateway over these experiments, all damaged. */
static void open_gateway(uint32_t count)
{
    sotto_fault fault;
    const experiments_settings settings = {.nonces_max = 1000, .experiments_max = 100};
    shared_memory_start();
    for (uint32_t i = 0; i < count; i++) {
        shared.experiment[i] =
            (journal_experiment){.number = i + 1, .id = {(uint8_t)(i + 1)}, .damaged = true};
    }
    shared.experiments = count;
    service = (api_service){.journal = shared_memory_gateway()};
    if (experiments_open(service.journal, &settings, NULL, 0, &service.experiments, &fault) !=
        SOTTO_OK)
        fail_msg("%s", fault.sentence);
}

static void close_gateway(void)
{
    experiments_free(service.experiments);
    journal_close(service.journal);
    shared_memory_end();
}

TEST(nothing_is_stopped_where_all_is_whole)
{
    api_stopped stopped = {.count = 9};
    open_gateway(0);
    stopped_list(&service, &stopped);
    assert_int_equal(stopped.count, 0);
    close_gateway();
}

TEST(what_is_damaged_is_stopped)
{
    api_stopped stopped;
    open_gateway(3);
    stopped_list(&service, &stopped);
    assert_int_equal(stopped.count, 3);
    assert_string_equal(stopped.id[0], "01000000000000000000000000000000");
    assert_string_equal(stopped.id[2], "03000000000000000000000000000000");
    const uint8_t id[SOTTO_SPEC_ID_BYTES] = {2}, none[SOTTO_SPEC_ID_BYTES] = {4};
    assert_true(experiments_is_damaged(service.experiments, id));
    assert_false(experiments_is_damaged(service.experiments, none));
    assert_int_equal(experiments_count(service.experiments), 0);
    close_gateway();
}

/* The same id twice, as in a copied row. */
TEST(each_is_told_once)
{
    api_stopped stopped;
    open_gateway(2);
    shared.experiment[1].id[0] = 1;
    experiments_free(service.experiments);
    sotto_fault fault;
    const experiments_settings settings = {.nonces_max = 1000, .experiments_max = 100};
    assert_ok(experiments_open(service.journal, &settings, NULL, 0, &service.experiments, &fault));
    stopped_list(&service, &stopped);
    assert_int_equal(stopped.count, 1);
    close_gateway();
}
