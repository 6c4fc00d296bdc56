/* Requests as a server sees them, byte by byte, and answers that are wrong, too long or never come. */
#include "transport_scene.h"
#include "why.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BODY_MAX 10u

/* A wire without a site, one request, and the last answer with copies of what it pointed to. */
typedef struct scene {
    http_scene *http;
    http_answer given;
    sotto_wire *wire;
    sotto__request request;
    sotto__url url;
    unsigned done;
    sotto_answer answer;
    uint8_t body[SOTTO__ANSWER_BYTES_MAX];
    char why[256];
} scene;

static scene s;

static http_answer serve(void *state, const http_request *request)
{
    (void)state, (void)request;
    return s.given;
}

static void take(sotto__request *request, const sotto_answer *answer)
{
    assert_ptr_equal(request, &s.request);
    s.done++;
    s.answer = *answer;
    assert_true(answer->body_bytes <= sizeof s.body);
    if (answer->body_bytes > 0) memcpy(s.body, answer->body, answer->body_bytes);
    snprintf(s.why, sizeof s.why, "%s", answer->why == NULL ? "" : answer->why);
}

static void aim_at(uint16_t port)
{
    char url[256];
    const uint8_t id[SOTTO_SPEC_ID_BYTES] = {0xab, 1, 2};
    scene_url(port, id, url);
    assert_null(WHY(sotto__url_fault, "url", url, &s.url));
}

static void open_scene_with(const sotto_wire_options *options)
{
    memset(&s, 0, sizeof s);
    s.http = http_scene_new(serve, NULL);
    assert_ok(sotto_wire_new(options, &s.wire));
    sotto__request_make(&s.request, s.wire, take);
    aim_at(s.http->port);
}

static void open_scene(uint32_t timeout_ms, const char *proxy)
{
    sotto_wire_options options = sotto_wire_options_default();
    options.timeout_ms = timeout_ms;
    options.proxy = proxy;
    open_scene_with(&options);
}

FIXTURE(set_up)
{
    open_scene(30000, NULL);
}

FIXTURE(tear_down)
{
    sotto__request_stop(&s.request);
    sotto_wire_free(s.wire);
    http_scene_free(s.http);
}

static void turn(void)
{
    assert_ok(sotto_wire_turn(s.wire, 1));
    http_run(s.http);
}

static void wait_for_answer(unsigned number)
{
    for (int i = 0; s.done < number; i++) {
        if (i > SCENE_HANGS_MS) fail_msg("no answer, and no word of it");
        turn();
    }
    assert_int_equal(s.done, number);
    assert_false(s.request.running);
}

static void get(http_answer given)
{
    s.given = given;
    assert_ok(sotto__request_get(&s.request, &s.url, "model", BODY_MAX, NULL));
    assert_true(s.request.running);
    wait_for_answer(s.done + 1);
}

static void assert_no_answer(const char *why)
{
    assert_int_equal(s.answer.status, 0);
    assert_says(s.why, why);
}

static void assert_too_long(long status)
{
    assert_int_equal(s.answer.status, status);
    assert_true(s.answer.too_long && s.answer.body_bytes <= BODY_MAX);
}

/* ---- bad answers -------------------------------------------------------------------------- */

TEST_WITH(a_body_above_the_bound_is_refused_and_one_at_the_bound_is_not, set_up, tear_down)
{
    static const char page[5000];
    get((http_answer){.status = 200, .body = "0123456789a", .body_bytes = 11});
    assert_too_long(200);
    get((http_answer){.status = 410, .body = page, .body_bytes = sizeof page});
    assert_too_long(410); /* what it said before is known */
    get((http_answer){.status = 200, .body = "0123456789", .body_bytes = 10});
    assert_int_equal(s.answer.status, 200);
    assert_false(s.answer.too_long);
    assert_int_equal(s.answer.body_bytes, 10);
    assert_memory_equal(s.body, "0123456789", 10);
}

TEST_WITH(a_body_that_never_ends_is_not_read_on, set_up, tear_down)
{
    get((http_answer){.act = HTTP_NEVER_ENDS_ITS_BODY});
    assert_too_long(200);
    for (int i = 0; i < 100 && http_open(s.http) > 0; i++) {
        turn();
    }
    assert_int_equal(http_open(s.http), 0); /* the server was told */
}

TEST_WITH(a_head_that_never_ends_is_not_read_on, set_up, tear_down)
{
    get((http_answer){.act = HTTP_NEVER_ENDS_ITS_HEAD});
    assert_too_long(200);
    for (int i = 0; i < 100 && http_open(s.http) > 0; i++) {
        turn();
    }
    assert_int_equal(http_open(s.http), 0);
}

TEST_WITH(a_redirect_is_not_followed, set_up, tear_down)
{
    char location[1100];
    const int status[] = {301, 302, 303, 307, 308};
    snprintf(location, sizeof location, "Location: %s/terms\r\n", s.url.text);
    for (size_t i = 0; i < sizeof status / sizeof status[0]; i++) {
        get((http_answer){.status = status[i], .headers = location});
        assert_int_equal(s.answer.status, status[i]);
        for (int more = 0; more < 5; more++) {
            turn();
        }
        assert_int_equal(s.http->requests, i + 1);
    }
}

TEST_WITH(a_server_that_hangs_up_or_talks_nonsense_gave_no_answer, set_up, tear_down)
{
    static const struct {
        const char *bytes, *why;
    } wrong[] = {
        {"", "mpty reply"},
        {"hello\n", "HTTP/0.9"},
        {"HTTP/9.9 200 OK\r\n\r\n", ""},
        {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n123", ""}, /* cut */
        {"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n", ""},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", ""},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        get((http_answer){
            .act = HTTP_SAYS, .body = wrong[i].bytes, .body_bytes = strlen(wrong[i].bytes)});
        assert_no_answer(wrong[i].why);
        assert_true(strlen(s.why) > 5);
        assert_false(s.answer.too_long);
    }
    get((http_answer){.act = HTTP_CLOSES});
    assert_no_answer("mpty reply");
}

TEST_WITH(a_number_that_is_no_status_is_no_answer, set_up, tear_down)
{
    static const char *const said[] = {"HTTP/20 No\n{}", "HTTP/2222222222222222222222 So\r\n\r\n",
                                       "HTTP/2 -200 So\r\nRetry-After: 30\r\n\r\n"};
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
        get((http_answer){.act = HTTP_SAYS, .body = said[i], .body_bytes = strlen(said[i])});
        assert_no_answer("its first line has no status");
        assert_int_equal(s.answer.retry_after_ms, 0);
    }
    get((http_answer){.status = 999});
    assert_int_equal(s.answer.status, 999);
}

/* Not the one of the answer before, which is freed: a use of it shows under a sanitizer at the latest. */
TEST_WITH(a_head_that_begins_with_a_blank_goes_on_no_other_head, set_up, tear_down)
{
    for (int i = 0; i < 3; i++) {
        get((http_answer){.status = 503, .headers = "Retry-After: 30\r\n"});
        assert_int_equal(s.answer.retry_after_ms, 30000);
        get((http_answer){.status = 200, .headers = " and: more\r\n"});
        assert_no_answer("");
        assert_int_equal(s.answer.retry_after_ms, 0);
    }
}

TEST_WITH(a_connection_that_is_refused_says_so, set_up, tear_down)
{
    aim_at(http_port_of_nobody());
    assert_ok(sotto__request_get(&s.request, &s.url, "model", BODY_MAX, NULL));
    wait_for_answer(1);
    assert_no_answer("connect");
}

TEST_WITH(silence_ends_with_the_timeout, set_up, tear_down)
{
    tear_down(NULL);
    open_scene(100, NULL);
    uint64_t begun_ms = sotto__wire_now_ms(s.wire);
    get((http_answer){.act = HTTP_IS_SILENT});
    assert_no_answer("timed out");
    assert_in_range(sotto__wire_now_ms(s.wire) - begun_ms, 90, 60000);
}

/* ---- Retry-After -------------------------------------------------------------------------- */

TEST_WITH(retry_after_is_read_in_seconds_alone, set_up, tear_down)
{
    static const struct {
        const char *value;
        uint64_t wait_ms;
    } row[] = {
        {"-1", 0},
        {"Fri, 31 Dec 2027 23:59:59 GMT", 0},
        {"soon", 0},
        {"", 0},
        {"5 minutes", 0},
        {"1.5", 0},
        {"0", 0},
        {"1", 1000},
        {"86399", 86399000},
        {"86400", 86400000},
        {"86401", 86400000},
        {"99999999999999999999999999", 86400000},
        {"-99999999999999999999999999", 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        char header[100];
        snprintf(header, sizeof header, "Retry-After: %s\r\n", row[i].value);
        get((http_answer){.status = 503, .headers = header});
        assert_int_equal(s.answer.status, 503);
        if (s.answer.retry_after_ms != row[i].wait_ms)
            fail_msg("%s: %llu ms", row[i].value, (unsigned long long)s.answer.retry_after_ms);
    }
    get((http_answer){.status = 503});
    assert_int_equal(s.answer.retry_after_ms, 0); /* not that of the answer before */
}

/* ---- what leaves -------------------------------------------------------------------------- */

#define PATH "/v1/experiments/ab010200000000000000000000000000"

static void assert_last_head(const char *first_line, const char *headers)
{
    char wanted[1000];
    snprintf(wanted, sizeof wanted, "%s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n%s\r\n", first_line,
             s.http->port, headers);
    assert_string_equal(s.http->request[s.http->requests - 1]->head, wanted);
}

/* After a server that tried to leave marks: the second request is the same, byte by byte. */
TEST_WITH(a_get_says_nothing_but_what_it_wants, set_up, tear_down)
{
    const http_answer marks = {.status = 200,
                               .headers = "Set-Cookie: who=me; Path=/\r\nETag: \"77\"\r\n"
                                          "Refresh: 0; url=/other\r\nAlt-Svc: h2=\":1\"\r\n"
                                          "Link: </x>; rel=preload\r\nAccept-CH: DPR\r\n"};
    for (int i = 0; i < 3; i++) {
        get(marks);
        assert_last_head("GET " PATH "/model", "Accept: */*\r\n");
    }
}

/* What comes on one connection is of one device: a kept one is as good as a cookie. */
TEST_WITH(each_request_has_a_connection_of_its_own_unless_they_are_kept, set_up, tear_down)
{
    sotto_wire_options options = sotto_wire_options_default();
    for (int i = 0; i < 3; i++) {
        get((http_answer){.status = 200});
    }
    assert_int_equal(s.http->connections, 3);
    http_run(s.http);
    assert_int_equal(http_open(s.http), 0);
    tear_down(state);
    options.keep_connections = true;
    open_scene_with(&options);
    for (int i = 0; i < 3; i++) {
        get((http_answer){.status = 200});
    }
    assert_int_equal(s.http->connections, 1);
}

TEST_WITH(a_conditional_get_names_the_epoch_alone, set_up, tear_down)
{
    const uint32_t epoch[] = {0, 3, UINT32_MAX};
    const char *const tag[] = {"0", "3", "4294967295"};
    s.given = (http_answer){.status = 304};
    for (unsigned i = 0; i < 3; i++) {
        char headers[100];
        snprintf(headers, sizeof headers, "Accept: */*\r\nIf-None-Match: \"%s\"\r\n", tag[i]);
        assert_ok(sotto__request_get(&s.request, &s.url, "model", BODY_MAX, &epoch[i]));
        wait_for_answer(i + 1);
        assert_int_equal(s.answer.status, 304);
        assert_last_head("GET " PATH "/model", headers);
    }
    get((http_answer){.status = 200}); /* and the next one names none */
    assert_last_head("GET " PATH "/model", "Accept: */*\r\n");
}

/* Above 1 MiB libcurl would ask for leave first (Expect: 100-continue) if it were not told. */
TEST_WITH(a_post_has_its_bytes_and_their_type, set_up, tear_down)
{
    static uint8_t frames[1200000];
    const size_t sizes[] = {42, sizeof frames};
    for (size_t i = 0; i < sizeof frames; i++) {
        frames[i] = (uint8_t)(i * i >> 3);
    }
    s.given = (http_answer){.status = 204, .headers = "Set-Cookie: a=b\r\n"};
    for (unsigned i = 0; i < 2; i++) {
        char headers[200];
        snprintf(headers, sizeof headers,
                 "Accept: */*\r\nContent-Type: application/octet-stream\r\n"
                 "Content-Length: %zu\r\n",
                 sizes[i]);
        assert_ok(sotto__request_post(&s.request, &s.url, NULL, frames, sizes[i]));
        wait_for_answer(i + 1);
        assert_int_equal(s.answer.status, 204);
        assert_last_head("POST " PATH "/reports", headers);
        assert_int_equal(s.http->request[i]->body_bytes, sizes[i]);
        assert_memory_equal(s.http->request[i]->body, frames, sizes[i]);
    }
    get((http_answer){.status = 200}); /* one handle can do both */
    assert_last_head("GET " PATH "/model", "Accept: */*\r\n");
}

TEST_WITH(a_post_shows_the_key_if_there_is_one, set_up, tear_down)
{
    static const uint8_t frame[42];
    s.given = (http_answer){.status = 204};
    assert_ok(sotto__request_post(&s.request, &s.url, "0123456789abcdef", frame, sizeof frame));
    wait_for_answer(1);
    assert_last_head("POST " PATH "/reports",
                     "Accept: */*\r\nContent-Type: application/octet-stream\r\n"
                     "Sotto-Report-Key: 0123456789abcdef\r\nContent-Length: 42\r\n");
    get((http_answer){.status = 200}); /* and a question does not */
    assert_last_head("GET " PATH "/model", "Accept: */*\r\n");
}

/* http stays on this machine: neither the environment nor the options send it to a proxy. */
TEST_WITH(no_proxy_sees_plain_http, set_up, tear_down)
{
    char proxy[100];
    snprintf(proxy, sizeof proxy, "http://127.0.0.1:%u", http_port_of_nobody());
    setenv("http_proxy", proxy, 1);
    setenv("ALL_PROXY", proxy, 1);
    tear_down(NULL);
    open_scene(30000, proxy);
    get((http_answer){.status = 200});
    assert_int_equal(s.answer.status, 200);
    assert_last_head("GET " PATH "/model", "Accept: */*\r\n");
    unsetenv("http_proxy");
    unsetenv("ALL_PROXY");
}

/* ---- the end ------------------------------------------------------------------------------ */

TEST_WITH(a_request_that_is_stopped_is_not_heard_of_again, set_up, tear_down)
{
    s.given = (http_answer){.act = HTTP_IS_SILENT};
    assert_ok(sotto__request_get(&s.request, &s.url, "model", BODY_MAX, &(uint32_t){7}));
    for (int i = 0; s.http->requests < 1; i++) {
        assert_true(i < SCENE_HANGS_MS);
        turn();
    }
    sotto__request_stop(&s.request);
    assert_false(s.request.running);
    for (int i = 0; i < 10; i++) {
        turn();
    }
    assert_int_equal(s.done, 0);
    assert_int_equal(http_open(s.http), 0);
    sotto__request_stop(&s.request); /* again does no harm */
    get((http_answer){.status = 200, .body = "x", .body_bytes = 1});
    assert_int_equal(s.answer.status, 200);
    assert_last_head("GET " PATH "/model", "Accept: */*\r\n");
}
