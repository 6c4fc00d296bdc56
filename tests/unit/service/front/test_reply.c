/* Answers as libmicrohttpd sends them. */
#include "service/front/front.h"
#include "service/front/inner.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const front_answer taken = {.status = 204};

static const char *header(const front_reply *reply, const char *name)
{
    return MHD_get_response_header(reply->response, name);
}

TEST(a_header_with_a_line_break_is_refused)
{
    FREED_BY(reply_memory_clear) reply_memory memory = {0};
    const front_answer bad = {
        .status = 200, .headers = 1, .header = {{.name = "X", .value = "a\r\nSet-Cookie: b"}}};
    assert_null(reply_of(&memory, &bad));
}

static uint32_t ended;

static ptrdiff_t more(void *self, char *at, size_t room)
{
    (void)self, (void)at, (void)room;
    return FRONT_PIECES_END;
}

static void end(void *self)
{
    ended += *(uint32_t *)self;
}

TEST(pieces_are_ended_once_whatever_becomes_of_them)
{
    FREED_BY(reply_memory_clear) reply_memory memory = {0};
    uint32_t one = 1;
    front_answer answer = {.status = 200, .pieces = {more, end, &one}};
    ended = 0;
    front_reply *first = reply_of(&memory, &answer), *second = reply_of(&memory, &answer);
    assert_ptr_not_equal(first, second); /* replies are not remembered */
    reply_hold(first);
    reply_drop(first);
    assert_int_equal(ended, 0);
    reply_drop(first);
    assert_int_equal(ended, 1);
    reply_drop(second);
    assert_int_equal(ended, 2);
    answer.headers = 1;
    answer.header[0] = (front_header){.name = "X", .value = "a\r\nSet-Cookie: b"};
    assert_null(reply_of(&memory, &answer));
    assert_int_equal(ended, 3);
}

TEST(the_same_answer_is_one_reply)
{
    FREED_BY(reply_memory_clear) reply_memory memory = {0};
    front_reply *first = reply_of(&memory, &taken);
    front_reply *second = reply_of(&memory, &taken);
    assert_non_null(first);
    assert_ptr_equal(first, second);
    assert_int_equal(first->holders, 3); /* two here, one in the cache */
    reply_drop(first);
    reply_drop(second);
}

TEST(answers_that_differ_in_anything_are_two)
{
    FREED_BY(reply_memory_clear) reply_memory memory = {0};
    const front_answer answers[] = {
        {.status = 204},
        {.status = 200},
        {.status = 200, .body = "ab", .body_bytes = 2},
        {.status = 200, .body = "a", .body_bytes = 1, .type = "b"},
        {.status = 200, .body = "a", .body_bytes = 1, .headers = 1, .header = {{"b", "c"}}},
        {.status = 200, .body = "a", .body_bytes = 1, .headers = 1, .header = {{"bc", ""}}},
        {.status = 200, .type = "b", .headers = 1, .header = {{"b", "c"}}},
    };
    enum { COUNT = sizeof answers / sizeof *answers };
    front_reply *got[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        got[i] = reply_of(&memory, &answers[i]);
        if (got[i] == NULL) continue; /* libmicrohttpd takes no empty header */
        for (size_t k = 0; k < i; k++) {
            assert_ptr_not_equal(got[i], got[k]);
        }
    }
    const front_answer last = {.status = 204, .close = true};
    front_reply *closing = reply_of(&memory, &last);
    assert_ptr_not_equal(closing, got[0]);
    assert_string_equal(header(closing, "Connection"), "close");
    assert_null(header(got[0], "Connection"));
    reply_drop(closing);
    for (size_t i = 0; i < COUNT; i++) {
        if (got[i] != NULL) reply_drop(got[i]);
    }
}

TEST(all_of_an_answer_is_copied)
{
    FREED_BY(reply_memory_clear) reply_memory memory = {0};
    char type[] = "text/plain", name[] = "X-Name", value[] = "value", body[] = "body";
    const front_answer answer = {.status = 200,
                                 .type = type,
                                 .body = body,
                                 .body_bytes = 4,
                                 .headers = 1,
                                 .header = {{name, value}}};
    front_reply *reply = reply_of(&memory, &answer);
    type[0] = name[0] = value[0] = body[0] = '?';
    assert_strings(header(reply, "Content-Type"), "text/plain", header(reply, "X-Name"), "value");
    assert_memory_equal(reply->answer.body, "body", 4);
    assert_int_equal(reply->answer.status, 200);
    reply_drop(reply);
}

TEST(a_reply_outlives_the_memory_while_it_is_held)
{
    reply_memory memory = {0};
    front_reply *reply = reply_of(&memory, &taken);
    reply_hold(reply);
    reply_memory_clear(&memory);
    reply_drop(reply);
    assert_int_equal(reply->holders, 1);
    reply_drop(reply);
}

TEST(many_other_answers_do_not_push_out_one_in_use)
{
    FREED_BY(reply_memory_clear) reply_memory memory = {0};
    front_reply *reply = reply_of(&memory, &taken);
    for (uint32_t i = 0; i < 100; i++) {
        char text[16];
        int bytes = snprintf(text, sizeof text, "%u", i);
        const front_answer other = {.status = 400, .body = text, .body_bytes = (size_t)bytes};
        reply_drop(reply_of(&memory, &other));
        front_reply *again = reply_of(&memory, &taken);
        assert_ptr_equal(again, reply);
        reply_drop(again);
    }
    reply_drop(reply);
}

TEST(a_large_answer_is_one_reply_too)
{
    FREED_BY(reply_memory_clear) reply_memory memory = {0};
    FREED_BY(free_memory) char *body = calloc(REPLY_BODY_BYTES_MAX + 1u, 1);
    assert_non_null(body);
    const front_answer model = {.status = 200, .body = body, .body_bytes = REPLY_BODY_BYTES_MAX};
    front_reply *first = reply_of(&memory, &model);
    front_reply *second = reply_of(&memory, &model);
    assert_ptr_equal(first, second);
    body[REPLY_BODY_BYTES_MAX - 1u] = 1; /* the next epoch */
    front_reply *third = reply_of(&memory, &model);
    assert_ptr_not_equal(third, first);
    reply_drop(first);
    reply_drop(second);
    reply_drop(third);

    const front_answer longer = {
        .status = 200, .body = body, .body_bytes = REPLY_BODY_BYTES_MAX + 1u};
    front_reply *alone = reply_of(&memory, &longer);
    assert_int_equal(alone->holders, 1); /* not remembered */
    reply_drop(alone);
}

/* What heads contain. Reading them is tested over real sockets, in test_front.c and test_bad.c. */

#define GOOD .bytes = 100, .records = 3, .length = "42"
#define GOOD_AT GOOD, .host = "h"
#define ROOM (HEAD_CONNECTION_BYTES - HEAD_ANSWER_BYTES)

TEST(what_nobody_can_serve_is_refused)
{
    static const struct {
        uint32_t status;
        request_head head;
    } cases[] = {
        {411, {GOOD_AT, .coded = true}},
        {400, {GOOD_AT, .length_twice = true}},
        {400, {GOOD_AT, .odd = true}},
        {400, {GOOD_AT, .control = true}},
        {400, {GOOD_AT, .cut = true}},
        {400, {GOOD_AT, .host_other = true}},
        {400, {GOOD_AT, .host_twice = true}},
        {400, {GOOD_AT, .authorizations = 2}},
        {400, {GOOD_AT, .origins = 2}},
        {0, {GOOD_AT, .authorizations = 1, .origins = 1}},
        {400, {GOOD}},
        {0, {GOOD, .first = true}},
        {414, {GOOD_AT, .path_cut = true}},
        {431, {.bytes = ROOM - 3u * HEAD_RECORD_BYTES + 1u, .records = 3, .host = "h"}},
        {0, {.bytes = ROOM - 3u * HEAD_RECORD_BYTES, .records = 3, .host = "h"}},
        {431, {.bytes = ROOM - 3u * HEAD_RECORD_BYTES, .records = 4, .host = "h"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t status = 0;
        sotto_fault fault;
        const sotto_status got = head_fault(&cases[i].head, &status, &fault);
        assert_ints(status, cases[i].status, got, status != 0 ? SOTTO_E_FAULT : SOTTO_OK);
    }
    const request_head octal = {.length = "010"};
    assert_int_equal(head_length(&octal), 10);
}

TEST(targets_are_paths_or_urls)
{
    static const struct {
        const char *uri, *authority, *path;
        bool control;
    } cases[] = {
        {"/a\rb", NULL, "/a\rb", true},
        {"/a\x7f", NULL, "/a\x7f", true},
        {"http:/x", NULL, "http:/x", false},
        {"", NULL, "", false},
        {"*", NULL, "*", false},
        {"/healthz?a=b", NULL, "/healthz", false},
        {"http://h", "h", "/", false},
        {"http://h?a=/b", "h", "/", false},
        {"HTTP://h:80/x?y", "h:80", "/x", false},
        {"https:///x", "", "/x", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        head_target target = head_target_of(cases[i].uri);
        assert_int_equal(target.authority == NULL, cases[i].authority == NULL);
        if (target.authority != NULL) {
            assert_int_equal(target.authority_bytes, strlen(cases[i].authority));
            assert_memory_equal(target.authority, cases[i].authority, target.authority_bytes);
        }
        assert_int_equal(target.path_bytes, strlen(cases[i].path));
        assert_memory_equal(target.path, cases[i].path, target.path_bytes);
        assert_int_equal(target.control, cases[i].control);
        assert_ptr_equal(target.end, cases[i].uri + strlen(cases[i].uri));
    }
}

TEST(lengths_of_64_bits_are_read)
{
    request_head head = {GOOD_AT};
    assert_int_equal(head_length(&head), 42);
    head.length = "18446744073709551615";
    assert_true(head_length(&head) == UINT64_MAX);
    head.length = NULL;
    assert_int_equal(head_length(&head), 0);
}

TEST(methods_are_told_by_their_whole_name)
{
    assert_ints(head_method("POST"), FRONT_POST, head_method("HEAD"), FRONT_GET);
    assert_ints(head_method("post"), FRONT_OTHER, head_method("POSTS"), FRONT_OTHER);
    assert_int_equal(head_method(""), FRONT_OTHER);
}

/* Steps of the histogram of latencies. */

TEST(steps_rise)
{
    for (uint32_t i = 1; i < LATENCY_STEPS; i++) {
        assert_true(strtod(latency_step(i - 1), NULL) < strtod(latency_step(i), NULL));
    }
}

TEST(each_is_counted_in_the_first_step_that_holds_it)
{
    front_latency latency = {.count = 0};
    static const struct {
        uint64_t us;
        uint32_t step;
    } cases[] = {{0, 0}, {1000, 0}, {1001, 1}, {50000, 3}, {5000000, 6}};
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t before = latency.within[cases[i].step];
        latency_add(&latency, cases[i].us);
        assert_int_equal(latency.within[cases[i].step], before + 1);
        sum += cases[i].us;
    }
    latency_add(&latency, 5000001); /* above the last step */
    uint64_t within = 0;
    for (uint32_t i = 0; i < LATENCY_STEPS; i++) {
        within += latency.within[i];
    }
    assert_ints(within, 5, latency.count, 6, latency.sum_us, sum + 5000001);
}
