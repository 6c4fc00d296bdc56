/* Answers as libmicrohttpd sends them. */
#include "service/front/reply.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const front_answer taken = {.status = 204};

static const char *header(const front_reply *reply, const char *name)
{
    return MHD_get_response_header(reply->response, name);
}

static void a_header_with_a_line_break_is_refused(void **state)
{
    (void)state;
    reply_memory memory = {0};
    const front_answer bad = {
        .status = 200, .headers = 1, .header = {{.name = "X", .value = "a\r\nSet-Cookie: b"}}};
    assert_null(reply_of(&memory, &bad));
    reply_memory_clear(&memory);
}

static void the_same_answer_is_one_reply(void **state)
{
    (void)state;
    reply_memory memory = {0};
    front_reply *first = reply_of(&memory, &taken);
    front_reply *second = reply_of(&memory, &taken);
    assert_non_null(first);
    assert_ptr_equal(first, second);
    assert_int_equal(first->holders, 3); /* two here, one in the memory */
    reply_drop(first);
    reply_drop(second);
    reply_memory_clear(&memory);
}

static void answers_that_differ_in_anything_are_two(void **state)
{
    (void)state;
    reply_memory memory = {0};
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
    reply_memory_clear(&memory);
}

static void all_of_an_answer_is_copied(void **state)
{
    (void)state;
    reply_memory memory = {0};
    char type[] = "text/plain", name[] = "X-Name", value[] = "value", body[] = "body";
    const front_answer answer = {.status = 200,
                                 .type = type,
                                 .body = body,
                                 .body_bytes = 4,
                                 .headers = 1,
                                 .header = {{name, value}}};
    front_reply *reply = reply_of(&memory, &answer);
    type[0] = name[0] = value[0] = body[0] = '?';
    assert_string_equal(header(reply, "Content-Type"), "text/plain");
    assert_string_equal(header(reply, "X-Name"), "value");
    assert_memory_equal(reply->answer.body, "body", 4);
    assert_int_equal(reply->answer.status, 200);
    reply_drop(reply);
    reply_memory_clear(&memory);
}

static void a_reply_outlives_the_memory_while_it_is_held(void **state)
{
    (void)state;
    reply_memory memory = {0};
    front_reply *reply = reply_of(&memory, &taken);
    reply_hold(reply);
    reply_memory_clear(&memory);
    reply_drop(reply);
    assert_int_equal(reply->holders, 1);
    reply_drop(reply);
}

static void many_other_answers_do_not_push_out_one_in_use(void **state)
{
    (void)state;
    reply_memory memory = {0};
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
    reply_memory_clear(&memory);
}

static void a_large_answer_is_one_reply_too(void **state)
{
    (void)state;
    reply_memory memory = {0};
    char *body = calloc(REPLY_BODY_BYTES_MAX + 1u, 1);
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
    reply_memory_clear(&memory);
    free(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_with_a_line_break_is_refused),
        cmocka_unit_test(the_same_answer_is_one_reply),
        cmocka_unit_test(answers_that_differ_in_anything_are_two),
        cmocka_unit_test(all_of_an_answer_is_copied),
        cmocka_unit_test(a_reply_outlives_the_memory_while_it_is_held),
        cmocka_unit_test(many_other_answers_do_not_push_out_one_in_use),
        cmocka_unit_test(a_large_answer_is_one_reply_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
