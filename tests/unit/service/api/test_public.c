/* The public port, called without a network. */
#include "allocations.h"
#include "asked.h"
#include "house.h"
#include "shared_memory.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static house made;
static api_public *port;
static front_door door;
static sottod_experiment *experiment;
static sottod_refusal why;
static char text[257];

static const front_header octets[] = {
    {"Content-Type", "application/octet-stream"}, {"Content-Length", "42"}, {NULL, NULL}};

static int start(void **state)
{
    (void)state;
    house_open(&made);
    experiment = house_experiment(&made, 0);
    port = api_public_new(&made.service);
    door = api_public_door(port);
    return port == NULL;
}

FIXTURE(end)
{
    api_public_free(port);
    house_close(&made);
}

/* A request to a path of the experiment. */
static asked ask_one(front_method method, const char *what, const front_header *headers,
                     const void *body, size_t bytes)
{
    char path[200];
    snprintf(path, sizeof path, "/v1/experiments/%s/%s", experiment_id_text(experiment), what);
    asked got = ask(&door, method, path, headers, body, bytes);
    if (got.status != 0) {
        assert_string_equal(asked_header(&got, "Access-Control-Allow-Origin"),
                            strcmp(what, "reports") == 0 && got.status != 413 ? "" : "*");
        assert_string_equal(asked_header(&got, "Access-Control-Allow-Credentials"), "");
    }
    return got;
}

static void assert_status_of(asked got, uint32_t status, const char *field)
{
    assert_int_equal(got.status, status);
    assert_string_equal(asked_text(&got, "field", text), field);
    assert_string_not_equal(asked_text(&got, "error", text), "");
}

static void set_state(journal_state state)
{
    assert_true(experiment_set_state(made.experiments, experiment, state, &why));
}

static size_t frame_bytes(void)
{
    return sotto_report_bytes(experiment_terms(experiment));
}

TEST_WITH(wrong_paths_ids_and_methods_are_refused, start, end)
{
    assert_status_of(ask(&door, FRONT_GET, "/v1/experiments", NULL, NULL, 0), 404, "path");
    assert_status_of(ask(&door, FRONT_GET, "/v1/experiments/xyz/terms", NULL, NULL, 0), 404, "id");
    assert_status_of(ask(&door, FRONT_OPTIONS, "/v1/other", NULL, NULL, 0), 404, "path");
    asked got = ask_one(FRONT_PUT, "terms", NULL, NULL, 0);
    assert_string_equal(asked_header(&got, "Allow"), "GET, HEAD, OPTIONS");
    assert_string_equal(asked_text(&got, "allowed", text), "GET, HEAD, OPTIONS");
    assert_status_of(got, 405, "method");
    got = ask_one(FRONT_GET, "reports", NULL, NULL, 0);
    assert_string_equal(asked_header(&got, "Allow"), "POST, OPTIONS");
    assert_status_of(got, 405, "method");
    assert_status_of(ask(&door, FRONT_DELETE, "/healthz", NULL, NULL, 0), 405, "method");
}

TEST_WITH(a_get_has_no_body, start, end)
{
    asked got = ask_one(FRONT_GET, "terms", NULL, "x", 1);
    assert_int_equal(got.status, 413);
}

TEST_WITH(a_body_of_another_type_is_refused, start, end)
{
    uint8_t frame[64];
    house_frames(experiment, 1, frame, frame_bytes());
    static const front_header none[] = {{"Content-Length", "42"}, {NULL, NULL}};
    static const front_header json[] = {
        {"Content-Type", "application/json"}, {"Content-Length", "42"}, {NULL, NULL}};
    static const front_header longer[] = {
        {"Content-Type", "application/octet-streams"}, {"Content-Length", "42"}, {NULL, NULL}};
    static const front_header parameters[] = {{"content-type", "Application/Octet-Stream; a=b"},
                                              {NULL, NULL}};
    assert_status_of(ask_one(FRONT_POST, "reports", none, frame, frame_bytes()), 415,
                     "Content-Type");
    assert_status_of(ask_one(FRONT_POST, "reports", json, frame, frame_bytes()), 415,
                     "Content-Type");
    assert_status_of(ask_one(FRONT_POST, "reports", longer, frame, frame_bytes()), 415,
                     "Content-Type");
    assert_int_equal(ask_one(FRONT_POST, "reports", parameters, frame, frame_bytes()).status, 0);
}

TEST_WITH(a_body_that_is_malformed_or_foreign_is_refused_whole, start, end)
{
    uint8_t body[256];
    size_t each = frame_bytes();
    sottod_experiment *other = house_experiment(&made, 1);
    assert_status_of(ask_one(FRONT_POST, "reports", octets, body, 0), 400, "body");
    house_frames(experiment, 1, body, 2 * each);
    asked got = ask_one(FRONT_POST, "reports", octets, body, 2 * each - 1);
    assert_int_equal(got.status, 400);
    house_frames(other, 1, body + each, each);
    got = ask_one(FRONT_POST, "reports", octets, body, 2 * each);
    assert_ints(got.status, 400, intake_waiting(made.intake), 0);
    static uint8_t longest[2u << 20];
    size_t most = experiment_body_bytes_max(experiment);
    assert_true(most < sizeof longest);
    got = ask_one(FRONT_POST, "reports", octets, longest, most + 1);
    assert_int_equal(got.status, 413);
}

/* Answers give the position of the frame and nothing of its content. */
TEST_WITH(errors_quote_no_report, start, end)
{
    uint8_t body[64];
    size_t each = frame_bytes();
    memset(body, 'Z', sizeof body);
    asked got = ask_one(FRONT_POST, "reports", octets, body, each);
    assert_int_equal(got.status, 400);
    assert_null(strstr(got.body, "ZZ"));
    assert_null(strstr(got.body, "5a5a"));
}

TEST_WITH(reports_wait_for_the_commit_and_count_when_acknowledged, start, end)
{
    uint8_t body[512];
    size_t each = frame_bytes();
    house_frames(experiment, 1, body, 5 * each);
    assert_int_equal(ask_one(FRONT_POST, "reports", octets, body, 5 * each).status, 0);
    assert_int_equal(ask_one(FRONT_POST, "reports", octets, body, each).status, 0);
    assert_ints(intake_waiting(made.intake), 2, made.service.acknowledged, 0);
    assert_true(intake_commit(made.intake, &why));
    front_answer answer = api_public_settled(port, NULL);
    assert_int_equal(answer.status, 204);
    assert_null(answer.body);
    assert_ints(answer.headers, 0, made.service.acknowledged, 6);
    journal_counts counts = experiment_counts(experiment);
    assert_ints(counts.folded, 5, counts.duplicate, 1);
}

TEST_WITH(taking_reports_allocates_nothing, start, end)
{
    static uint8_t body[100][64];
    size_t each = frame_bytes();
    assert_true(each <= sizeof body[0]);
    for (size_t i = 0; i < 100; i++) {
        house_frames(experiment, i + 1, body[i], each);
    }
    assert_int_equal(ask_one(FRONT_POST, "reports", octets, body[0], each).status, 0);
    assert_true(intake_commit(made.intake, &why));
    (void)api_public_settled(port, NULL);
    assert_true(allocations > 0);
    allocations = 0;
    for (size_t i = 1; i < 100; i++) {
        assert_int_equal(ask_one(FRONT_POST, "reports", octets, body[i], each).status, 0);
    }
    assert_ints(api_public_settled(port, NULL).status, 204, allocations, 0);
}

TEST_WITH(reports_whose_commit_failed_are_not_acknowledged, start, end)
{
    uint8_t body[64];
    house_frames(experiment, 1, body, frame_bytes());
    assert_int_equal(ask_one(FRONT_POST, "reports", octets, body, frame_bytes()).status, 0);
    refusal_set(&why, 503, "the disk is full", NULL, NULL, NULL);
    front_answer answer = api_public_settled(port, &why);
    asked got = asked_of(&answer);
    assert_int_equal(got.status, 503);
    assert_string_equal(asked_header(&got, "Retry-After"), "1");
    assert_string_equal(asked_text(&got, "error", text), "the disk is full");
    answer = api_public_settled(port, NULL);
    assert_int_equal(made.service.acknowledged, 0);
}

TEST_WITH(when_the_group_is_full_devices_come_back, start, end)
{
    size_t bytes = experiment_body_bytes_max(experiment);
    uint8_t *body = malloc(bytes);
    uint32_t status = 0;
    for (uint64_t seed = 1; seed < 10 && status == 0; seed++) {
        house_frames(experiment, seed, body, bytes);
        asked got = ask_one(FRONT_POST, "reports", octets, body, bytes);
        status = got.status;
        if (status != 0) assert_string_equal(asked_header(&got, "Retry-After"), "1");
    }
    free(body);
    assert_int_equal(status, 503);
}

TEST_WITH(terms_are_the_canonical_bytes, start, end)
{
    uint8_t bytes[SOTTO_TERMS_BYTES];
    size_t count = sotto_terms_encode(experiment_terms(experiment), bytes);
    asked got = ask_one(FRONT_GET, "terms", NULL, NULL, 0);
    assert_int_equal(got.status, 200);
    assert_string_equal(got.type, "application/octet-stream");
    assert_string_equal(asked_header(&got, "Cache-Control"), "public, max-age=86400, immutable");
    assert_int_equal(got.bytes, count);
    assert_memory_equal(got.body, bytes, count);
    char tag[40];
    snprintf(tag, sizeof tag, "\"%s\"", experiment_id_text(experiment));
    assert_string_equal(asked_header(&got, "ETag"), tag);
    const front_header known[] = {{"If-None-Match", tag}, {NULL, NULL}};
    got = ask_one(FRONT_GET, "terms", known, NULL, 0);
    assert_ints(got.status, 304, got.bytes, 0);
}

TEST_WITH(a_model_is_compressed_for_those_who_take_it, start, end)
{
    static const struct {
        front_header header[3];
        uint32_t status;
        const char *tag, *coding;
    } cases[] = {
        {{{"Accept-Encoding", "br"}}, 200, "\"0\"", ""},
        {{{"Accept-Encoding", "gzip;q=0"}}, 200, "\"0\"", ""},
        {{{"Accept-Encoding", "gzip"}}, 200, "\"0-gzip\"", "gzip"},
        {{{"Accept-Encoding", "gzip"}, {"If-None-Match", "\"0\""}}, 304, "\"0-gzip\"", ""},
        {{{"Accept-Encoding", "gzip"}, {"If-None-Match", "\"0-gzip\""}}, 304, "\"0-gzip\"", ""},
        {{{"If-None-Match", "\"0-gzip\""}}, 304, "\"0\"", ""},
        {{{"If-None-Match", "\"1-gzip\""}}, 200, "\"0\"", ""},
    };
    asked plain = ask_one(FRONT_GET, "model", NULL, NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        asked got = ask_one(FRONT_GET, "model", cases[i].header, NULL, 0);
        assert_int_equal(got.status, cases[i].status);
        assert_string_equal(asked_header(&got, "ETag"), cases[i].tag);
        assert_string_equal(asked_header(&got, "Content-Encoding"), cases[i].coding);
        assert_string_equal(asked_header(&got, "Vary"), "Accept-Encoding, Origin");
        if (cases[i].coding[0] != '\0') {
            assert_true(got.bytes < plain.bytes);
            assert_memory_equal(got.body, "\x1f\x8b", 2);
        }
    }
}

static uint32_t status_if_none_match(const char *tags)
{
    const front_header headers[] = {{"If-None-Match", tags}, {NULL, NULL}};
    asked got = ask_one(FRONT_GET, "model", headers, NULL, 0);
    assert_int_equal(got.bytes == 0, got.status == 304);
    assert_string_equal(asked_header(&got, "ETag"), "\"1\"");
    return got.status;
}

TEST_WITH(the_validator_of_a_model_is_its_epoch, start, end)
{
    asked got = ask_one(FRONT_GET, "model", NULL, NULL, 0);
    assert_int_equal(got.status, 200);
    assert_string_equal(asked_header(&got, "ETag"), "\"0\"");
    assert_string_equal(asked_header(&got, "Cache-Control"), "no-cache");
    assert_string_equal(asked_header(&got, "Access-Control-Expose-Headers"),
                        "ETag, Retry-After, Sotto-Reports");
    house_epoch(&made, experiment, 1, 30);
    got = ask_one(FRONT_GET, "model", NULL, NULL, 0);
    sotto_model *model;
    assert_ok(sotto_model_new(experiment_terms(experiment), &model));
    assert_ok(sotto_model_decode(experiment_terms(experiment), (const uint8_t *)got.body, got.bytes,
                                 model));
    assert_int_equal(model->epoch, 1);
    sotto_model_free(model);
    assert_ints(status_if_none_match("\"1\""), 304, status_if_none_match("W/\"1\""), 304);
    assert_ints(status_if_none_match("\"0\", \"1\""), 304, status_if_none_match("*"), 304);
    assert_ints(status_if_none_match("\"0\""), 200, status_if_none_match("\"11\""), 200);
    assert_ints(status_if_none_match("1"), 200, status_if_none_match(""), 200);
}

TEST_WITH(privacy_is_for_auditors, start, end)
{
    asked got = ask_one(FRONT_GET, "privacy", NULL, NULL, 0);
    assert_int_equal(got.status, 200);
    json_t *card = asked_json(&got);
    assert_string_equal(json_string_value(json_object_get(card, "id")),
                        experiment_id_text(experiment));
    assert_true(json_number_value(json_object_get(card, "epsilon")) == 1);
    assert_int_equal(json_array_size(json_object_get(card, "warnings")), 1); /* measures too much */
    assert_null(json_object_get(card, "labels"));
    json_decref(card);
}

TEST_WITH(a_paused_or_closed_experiment_takes_no_reports_and_is_still_read, start, end)
{
    static const struct {
        journal_state state;
        uint32_t status;
    } cases[] = {{JOURNAL_PAUSED, 409}, {JOURNAL_CLOSED, 410}};
    uint8_t body[64];
    house_frames(experiment, 1, body, frame_bytes());
    for (size_t i = 0; i < 2; i++) {
        set_state(cases[i].state);
        asked got = ask_one(FRONT_POST, "reports", octets, body, frame_bytes());
        assert_true(got.early);
        assert_status_of(got, cases[i].status, "state");
        static const char *const read[] = {"terms", "model", "privacy"};
        for (size_t k = 0; k < 3; k++) {
            got = ask_one(FRONT_GET, read[k], NULL, NULL, 0);
            assert_int_equal(got.status, 200);
        }
    }
}

TEST_WITH(a_deleted_experiment_is_gone, start, end)
{
    static const char *const read[] = {"terms", "model", "privacy"};
    set_state(JOURNAL_DELETED);
    assert_status_of(ask_one(FRONT_POST, "reports", octets, "x", 1), 410, "id");
    for (size_t k = 0; k < 3; k++) {
        assert_status_of(ask_one(FRONT_GET, read[k], NULL, NULL, 0), 410, "id");
    }
}

TEST_WITH(pages_of_other_origins_may_ask, start, end)
{
    asked got = ask_one(FRONT_OPTIONS, "reports", NULL, NULL, 0);
    assert_ints(got.status, 204, got.bytes, 0);
    assert_string_equal(asked_header(&got, "Access-Control-Allow-Methods"), "POST, OPTIONS");
    assert_string_equal(asked_header(&got, "Access-Control-Allow-Headers"),
                        "Content-Type, If-None-Match, Sotto-Report-Key");
    assert_string_equal(asked_header(&got, "Access-Control-Max-Age"), "86400");
}

static asked ask_from(front_method method, const char *what, const char *origin)
{
    const front_header headers[] = {octets[0],
                                    octets[1],
                                    {"Origin", origin},
                                    {"Access-Control-Request-Method", "POST"},
                                    {NULL, NULL}};
    char path[200];
    uint8_t body[64] = {0};
    bool there = experiment_terms(experiment) != NULL;
    size_t bytes = there && method == FRONT_POST ? frame_bytes() : 0;
    if (bytes > 0) house_frames(experiment, 7, body, bytes);
    snprintf(path, sizeof path, "/v1/experiments/%s/%s", experiment_id_text(experiment), what);
    return ask(&door, method, path, headers, body, bytes);
}

static void assert_page(asked got, uint32_t status, const char *origin)
{
    assert_int_equal(got.status, status);
    assert_string_equal(asked_header(&got, "Access-Control-Allow-Origin"), origin);
}

static void let(const char *origins)
{
    const experiment_access access = {.origins = origins};
    assert_true(experiment_set_access(made.experiments, experiment, &access, &why));
}

TEST_WITH(reports_of_a_page_that_is_not_listed_are_refused_unread, start, end)
{
    static const char *const lists[] = {"", "https://other.example"};
    for (size_t i = 0; i < 2; i++) {
        let(lists[i]);
        asked got = ask_from(FRONT_POST, "reports", "https://a.example");
        assert_true(got.early);
        assert_string_equal(asked_text(&got, "field", text), "Origin");
        assert_page(got, 403, "");
        assert_page(ask_from(FRONT_OPTIONS, "reports", "https://a.example"), 403, "");
        assert_page(ask_from(FRONT_PUT, "reports", "https://a.example"), 405, "");
        assert_page(ask_from(FRONT_GET, "terms", "https://a.example"), 200, "*");
        assert_page(ask_from(FRONT_OPTIONS, "model", "https://a.example"), 204, "*");
    }
    assert_ints(intake_waiting(made.intake), 0, made.service.refused_key, 0);
}

static void assert_told(const char *origin, uint32_t status, const char *refusal)
{
    const front_header all[] = {{"Accept-Encoding", "gzip"},
                                {"If-None-Match", status == 304 ? "\"0\"" : "\"7\""},
                                {origin != NULL ? "Origin" : NULL, origin},
                                {NULL, NULL}};
    asked got = ask_one(FRONT_GET, "model", all, NULL, 0);
    assert_int_equal(got.status, status);
    assert_string_equal(asked_header(&got, "Sotto-Reports"), refusal);
    assert_string_equal(asked_header(&got, "Vary"), "Accept-Encoding, Origin");
}

TEST_WITH(answers_about_the_model_say_why_reports_would_be_refused, start, end)
{
    static const char page[] = "https://a.example";
    assert_told(page, 200, "unlisted");
    assert_told(page, 304, "unlisted");
    assert_told("null", 200, "unlisted");
    assert_told(NULL, 200, ""); /* an app sends no Origin */
    let(page);
    assert_told(page, 200, "");
    set_state(JOURNAL_PAUSED);
    assert_told(page, 304, "paused");
    assert_told(NULL, 304, "paused");
    assert_told("null", 304, "unlisted");
    set_state(JOURNAL_OPEN);
    assert_told(page, 304, "");
    set_state(JOURNAL_CLOSED);
    assert_told(page, 200, "closed");
    asked got = ask_from(FRONT_GET, "terms", "null"); /* these may be cached for a day */
    assert_string_equal(asked_header(&got, "Sotto-Reports"), "");
}

TEST_WITH(reports_of_a_listed_page_are_taken_and_it_reads_the_answer, start, end)
{
    let("https://a.example https://b.example");
    assert_page(ask_from(FRONT_OPTIONS, "reports", "https://b.example"), 204, "https://b.example");
    assert_int_equal(ask_from(FRONT_POST, "reports", "https://b.example").status, 0);
    assert_page(ask_from(FRONT_PUT, "reports", "https://b.example"), 405, "https://b.example");
    assert_true(intake_commit(made.intake, &why));
    assert_int_equal(api_public_settled(port, NULL).headers, 0); /* door_dress adds the headers */
    set_state(JOURNAL_PAUSED);
    assert_page(ask_from(FRONT_POST, "reports", "https://a.example"), 409, "https://a.example");
    let("*");
    assert_page(ask_from(FRONT_POST, "reports", "null"), 409, "null");
    set_state(JOURNAL_DELETED);
    assert_page(ask_from(FRONT_POST, "reports", "https://a.example"), 410, "");
    assert_page(ask_from(FRONT_OPTIONS, "reports", "https://a.example"), 403, "");
}

static uint32_t status_of(const char *path)
{
    asked got = ask(&door, FRONT_GET, path, NULL, NULL, 0);
    return got.status;
}

static void assert_refused_words(const char *path, const char *words)
{
    asked got = ask(&door, FRONT_GET, path, NULL, NULL, 0);
    assert_int_equal(got.status, 503);
    assert_string_equal(asked_text(&got, "error", text), words);
}

TEST_WITH(a_service_that_stops_or_fails_is_alive_and_not_ready, start, end)
{
    assert_ints(status_of("/healthz"), 200, status_of("/readyz"), 200);
    made.service.stopping = true;
    assert_ints(status_of("/healthz"), 200, status_of("/readyz"), 503);
    made.service.stopping = false;
    made.service.failing = true;
    assert_refused_words("/readyz", "The journal's last commit failed.");
    made.service.reason = "its disk is full";
    assert_refused_words("/readyz", "The journal's last commit failed: its disk is full.");
    made.service.reason = NULL;
}

/* With a shared database, requests do not wait for it and are told when to retry. */
TEST_WITH(while_the_database_is_away_reports_are_refused_at_once, start, end)
{
    uint8_t frame[42];
    shared_memory_start();
    made.service.journal = shared_memory_gateway();
    house_frames(experiment, 1, frame, sizeof frame);
    asked got = ask_one(FRONT_POST, "reports", octets, frame, sizeof frame);
    assert_int_equal(got.status, 0); /* the answer waits for the commit */
    made.service.failing = true;
    got = ask_one(FRONT_POST, "reports", octets, frame, sizeof frame);
    assert_int_equal(got.status, 503);
    assert_string_equal(asked_header(&got, "Retry-After"), "1");
    assert_int_equal(intake_waiting(made.intake), 1);
    got = ask_one(FRONT_GET, "model", NULL, NULL, 0);
    assert_ints(got.status, 200, status_of("/readyz"), 503);
    made.service.failing = false;
    got = ask(&door, FRONT_GET, "/readyz", NULL, NULL, 0);
    assert_int_equal(got.status, 200);
    assert_string_equal(asked_text(&got, "status", text), "ok");
    journal_close(made.service.journal);
    made.service.journal = made.journal;
    shared_memory_end();
}

TEST(a_missing_port_is_freed_like_any)
{
    api_public_free(NULL);
}
