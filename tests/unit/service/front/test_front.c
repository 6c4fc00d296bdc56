/* HTTP over real sockets: valid requests. */
#include "allocations.h"
#include "front_scene.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define POST(length) "POST /v1/x HTTP/1.1\r\nHost: h\r\nContent-Length: " length "\r\n\r\n"
#define GET(path) "GET " path " HTTP/1.1\r\nHost: h\r\n\r\n"

static front_scene *scene;
static client_heard heard;

FIXTURE(start)
{
    assert_int_equal(scene_start(state), 0);
    scene = *state;
}

FIXTURE(end)
{
    scene_free(*state);
}

TEST_WITH(a_taken_port_is_refused_with_a_sentence, start, end)
{
    front_settings settings = scene->settings;
    settings.port = front_port(scene->front);
    const front_door door = {0};
    sottod_front *none;
    sotto_fault fault;
    assert_status(front_open(&settings, &door, &none, &fault), SOTTO_E_FAULT);
    assert_null(none);
    assert_non_null(strstr(fault.sentence, "cannot listen on port"));
    front_close(NULL);
}

TEST_WITH(a_request_comes_with_all_its_parts, start, end)
{
    assert_int_equal(client_ask(scene,
                                "POST /v1/a%20b?name=v%31 HTTP/1.1\r\nHost: h\r\nX-Name: one\r\n"
                                "Content-Length: 5\r\n\r\nhello",
                                &heard),
                     204);
    assert_int_equal(scene->method, FRONT_POST);
    assert_strings(scene->path, "/v1/a%20b", scene->argument, "v1", scene->header, "one");
    assert_int_equal(scene->body_bytes, 5);
    assert_memory_equal(scene->body, "hello", 5);
    assert_ints(scene->admitted, 1, scene->answered, 1);
}

TEST_WITH(an_answer_leaves_with_all_its_parts_and_no_others, start, end)
{
    scene->content = "content";
    assert_int_equal(client_ask(scene, GET("/v1/y"), &heard), 200);
    assert_non_null(strstr(heard.text, "\r\nContent-Type: text/plain\r\n"));
    assert_non_null(strstr(heard.text, "\r\nX-Path: /v1/y\r\n"));
    assert_non_null(strstr(heard.text, "\r\nContent-Length: 7\r\n"));
    assert_non_null(strstr(heard.text, "\r\n\r\ncontent"));
    assert_null(strstr(heard.text, "Server:"));
    assert_null(strstr(heard.text, "Cookie"));
    assert_null(strstr(heard.text, "Location"));
}

TEST_WITH(a_request_that_waits_is_answered_when_it_is_settled, start, end)
{
    scene->waits = true;
    int client = client_new(scene);
    client_say(scene, client, POST("5") "hello");
    scene_drain(scene);
    assert_ints(scene->answered, 1, front_begun(scene->front), 1);
    char byte;
    assert_int_equal(recv(client, &byte, 1, MSG_DONTWAIT), -1);

    for (int i = 0; i < 8; i++) { /* long enough to be suspended */
        scene_run(scene, 1);
    }
    assert_int_equal(front_begun(scene->front), 1);
    front_settle(scene->front, &(front_answer){.status = 204});
    assert_int_equal(front_begun(scene->front), 0);
    client_hear(scene, client, 1, &heard);
    assert_int_equal(heard_status(&heard), 204);

    /* The connection stays usable. */
    client_say(scene, client, POST("5") "again");
    scene_drain(scene);
    front_settle(scene->front, &(front_answer){.status = 503});
    client_hear(scene, client, 1, &heard);
    assert_ints(heard_status(&heard), 503, scene->answered, 2);
    assert_int_equal(front_count(scene->front).connections, 1);
    close(client);
}

TEST_WITH(answers_that_refuse_are_counted_by_their_reason, start, end)
{
    scene->waits = true;
    enum { CLIENTS = 5 };
    static const front_answer journal = {.status = 503, .why = FRONT_REFUSED_JOURNAL};
    static const front_answer taken = {.status = 204, .why = FRONT_REFUSED_JOURNAL};
    int client[CLIENTS];
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < CLIENTS; i++) {
            if (turn == 0) client[i] = client_new(scene);
            client_say(scene, client[i], POST("5") "hello");
        }
        scene_drain(scene);
        assert_int_equal(front_begun(scene->front), CLIENTS);
        front_settle(scene->front, turn == 0 ? &journal : &taken);
        for (int i = 0; i < CLIENTS; i++) {
            client_hear(scene, client[i], 1, &heard);
            assert_int_equal(heard_status(&heard), turn == 0 ? 503 : 204);
        }
        assert_int_equal(front_count(scene->front).refused[FRONT_REFUSED_JOURNAL], CLIENTS);
    }
    scene->refuses = 404;
    assert_int_equal(client_ask(scene, GET("/x"), &heard), 404);
    assert_int_equal(front_count(scene->front).refused[FRONT_REFUSED_ROUTE], 1);
    assert_int_equal(front_count(scene->front).refused[FRONT_REFUSED_JOURNAL], CLIENTS);
    for (int i = 0; i < CLIENTS; i++) {
        close(client[i]);
    }
}

TEST_WITH(methods_have_their_names, start, end)
{
    static const struct {
        const char *name;
        front_method method;
    } methods[] = {{"GET", FRONT_GET},         {"HEAD", FRONT_GET},    {"DELETE", FRONT_DELETE},
                   {"OPTIONS", FRONT_OPTIONS}, {"TRACE", FRONT_OTHER}, {"get", FRONT_OTHER},
                   {"PATCH", FRONT_OTHER},     {"BREW", FRONT_OTHER}};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        char text[128];
        snprintf(text, sizeof text, "%s /x HTTP/1.1\r\nHost: h\r\n\r\n", methods[i].name);
        assert_ints(client_ask(scene, text, &heard), 204, scene->method, methods[i].method);
    }
    assert_int_equal(
        client_ask(scene, "PUT /x HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\na", &heard), 204);
    assert_int_equal(scene->method, FRONT_PUT);
}

TEST_WITH(head_is_get_without_the_body, start, end)
{
    scene->content = "content";
    int client = client_new(scene);
    client_say(scene, client, "HEAD /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    client_hear_all(scene, client, &heard);
    assert_int_equal(heard_status(&heard), 200);
    assert_non_null(strstr(heard.text, "\r\nContent-Length: 7\r\n"));
    assert_null(strstr(heard.text, "content"));
    close(client);
}

TEST_WITH(http_1_0_is_answered_and_closed, start, end)
{
    int client = client_new(scene);
    client_say(scene, client, "POST /x HTTP/1.0\r\nContent-Length: 5\r\n\r\nhello");
    client_hear_all(scene, client, &heard);
    assert_int_equal(heard_status(&heard), 204);
    assert_true(heard.ended);
    assert_memory_equal(scene->body, "hello", 5);
    close(client);
}

TEST_WITH(who_expects_100_gets_it, start, end)
{
    int client = client_new(scene);
    client_say(scene, client,
               "POST /x HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
    client_hear(scene, client, 1, &heard);
    assert_ints(heard_status(&heard), 100, scene->answered, 0);
    client_say(scene, client, "hello");
    client_hear(scene, client, 1, &heard);
    assert_int_equal(heard_status(&heard), 204);
    close(client);
}

TEST_WITH(who_has_said_all_may_close_its_side, start, end)
{
    scene->waits = true;
    for (int turns = 0; turns < 8; turns++) { /* called again or suspended */
        int client = client_new(scene);
        client_say(scene, client, POST("5") "hello");
        shutdown(client, SHUT_WR);
        for (int i = 0; i <= turns; i++) {
            scene_drain(scene);
        }
        front_settle(scene->front, &(front_answer){.status = 204});
        client_hear_all(scene, client, &heard);
        assert_int_equal(heard_status(&heard), 204);
        close(client);
    }
    assert_int_equal(scene->answered, 8);

    scene->settles = true; /* at once, as a service does */
    int client = client_new(scene);
    scene_drain(scene);
    client_say(scene, client, POST("5") "hello" POST("5") "hello");
    shutdown(client, SHUT_WR);
    client_hear_all(scene, client, &heard);
    assert_int_equal(heard_answers(&heard), 2);
    close(client);
    scene_empty(scene);
}

TEST_WITH(pipelined_requests_are_answered_in_order, start, end)
{
    scene->content = "content";
    enum { COUNT = 15 };
    static char text[COUNT * 64];
    for (int i = 0; i < COUNT; i++) {
        sprintf(text + strlen(text), GET("/v1/%d"), i);
    }
    int client = client_new(scene);
    client_say(scene, client, text);
    client_hear(scene, client, COUNT, &heard);
    const char *at = heard.text;
    for (int i = 0; i < COUNT; i++) {
        char path[32];
        snprintf(path, sizeof path, "X-Path: /v1/%d\r\n", i);
        const char *next = strstr(at, "X-Path: ");
        assert_non_null(next);
        assert_int_equal(strncmp(next, path, strlen(path)), 0);
        at = next + 1;
    }
    close(client);
}

/* Otherwise one commit could contain all bodies of all connections, and every request would wait for it. */
TEST(a_body_that_is_one_too_many_is_handed_over_after_the_commit)
{
    enum { CLIENTS = 5, BYTES = 600000 };
    static char body[BYTES];
    scene = scene_new();
    scene->settings.bodies_bytes_max = 8u << 20;
    scene_open(scene);
    scene->body_max = BYTES;
    scene->waits = true;
    int client[CLIENTS];
    for (uint32_t i = 0; i < CLIENTS; i++) {
        client[i] = client_new(scene);
        client_say(scene, client[i], POST("600000"));
        client_send(scene, client[i], body, BYTES);
    }
    for (uint32_t answered = 1; answered <= CLIENTS; answered++) { /* no two fit together */
        scene_drain(scene);
        assert_int_equal(scene->answered, answered);
        front_settle(scene->front, &(front_answer){.status = 204});
    }
    for (uint32_t i = 0; i < CLIENTS; i++) {
        client_hear(scene, client[i], 1, &heard);
        assert_int_equal(heard_status(&heard), 204);
        close(client[i]);
    }
    scene_free(scene);
}

TEST_WITH(pipelined_requests_wait_one_after_the_other, start, end)
{
    scene->waits = true;
    int client = client_new(scene);
    client_say(scene, client, POST("5") "first" POST("5") "other");
    shutdown(client, SHUT_WR);
    scene_drain(scene);
    assert_ints(scene->answered, 1, front_begun(scene->front), 1);
    front_settle(scene->front, &(front_answer){.status = 204});
    scene_drain(scene);
    assert_int_equal(scene->answered, 2);
    assert_memory_equal(scene->body, "other", 5);
    front_settle(scene->front, &(front_answer){.status = 503});
    client_hear_all(scene, client, &heard);
    assert_ints(heard_answers(&heard), 2, heard_status(&heard), 204);
    assert_non_null(strstr(heard.text, "HTTP/1.1 503"));
    close(client);
}

TEST_WITH(a_slow_request_is_served, start, end)
{
    static const char text[] = POST("5") "hello";
    int client = client_new(scene);
    for (size_t i = 0; i + 1u < sizeof text; i++) {
        client_send(scene, client, text + i, 1);
        /* A byte of an incomplete head is progress, too. */
        assert_true(scene_run(scene, SCENE_HANGS_MS));
        while (scene_run(scene, 0)) {
        }
    }
    client_hear(scene, client, 1, &heard);
    assert_int_equal(heard_status(&heard), 204);
    assert_memory_equal(scene->body, "hello", 5);
    close(client);
}

TEST_WITH(a_refused_request_without_a_body_leaves_the_connection_open, start, end)
{
    scene->refuses = 404;
    int client = client_new(scene);
    for (int i = 0; i < 3; i++) {
        client_say(scene, client, GET("/x"));
        client_hear(scene, client, 1, &heard);
        assert_int_equal(heard_status(&heard), 404);
        assert_false(heard.ended);
    }
    client_say(scene, client, POST("5") "hello");
    client_hear_all(scene, client, &heard);
    assert_ints(heard_status(&heard), 404, scene->answered, 0);
    close(client);
}

TEST_WITH(an_answer_can_close_the_connection, start, end)
{
    scene->closes = true;
    int client = client_new(scene);
    client_say(scene, client, GET("/x"));
    client_hear_all(scene, client, &heard);
    assert_int_equal(heard_status(&heard), 204);
    assert_non_null(strstr(heard.text, "\r\nConnection: close\r\n"));
    close(client);
}

TEST_WITH(a_long_answer_comes_whole, start, end)
{
    static char content[12000];
    memset(content, 'c', sizeof content - 1u);
    scene->content = content;
    assert_int_equal(client_ask(scene, GET("/x"), &heard), 200);
    assert_non_null(strstr(heard.text, content));
}

TEST_WITH(a_front_without_work_says_so, start, end)
{
    assert_false(scene_run(scene, 0));
    int client = client_new(scene);
    assert_true(scene_run(scene, SCENE_HANGS_MS));
    scene_drain(scene);
    assert_ints(front_begun(scene->front), 0, front_count(scene->front).connections, 1);
    assert_int_equal(front_count(scene->front).requests, 0);

    client_say(scene, client, POST("5"));
    assert_true(scene_run(scene, SCENE_HANGS_MS));
    assert_int_equal(front_begun(scene->front), 1); /* its head is complete, its body is not */
    scene_drain(scene);
    assert_int_equal(front_begun(scene->front), 1);
    assert_true(front_timeout_ms(scene->front) > 0);

    scene->waits = true;
    client_say(scene, client, "hello");
    assert_true(scene_run(scene, SCENE_HANGS_MS));
    for (int i = 0; i < 8; i++) { /* waiting for an answer is not progress */
        assert_false(scene_run(scene, 0));
        assert_int_equal(front_begun(scene->front), 1);
    }
    assert_true(front_timeout_ms(scene->front) != 0); /* and the front does not spin */
    front_settle(scene->front, &(front_answer){.status = 204});
    assert_int_equal(front_timeout_ms(scene->front), 0);
    assert_true(scene_run(scene, 0));
    scene_drain(scene);
    assert_ints(front_begun(scene->front), 0, front_count(scene->front).requests, 1);
    close(client);
    assert_true(scene_run(scene, SCENE_HANGS_MS));
    assert_int_equal(front_count(scene->front).connections, 0);
    front_settle(scene->front, &(front_answer){.status = 204}); /* no request is waiting */
}

TEST_WITH(a_quiet_front_accepts_nobody_and_answers_who_is_there, start, end)
{
    scene->waits = true;
    int waiting = client_new(scene), idle = client_new(scene);
    client_say(scene, waiting, POST("5") "hello");
    scene_drain(scene);
    front_quiesce(scene->front);
    front_quiesce(scene->front);

    int late = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_storage to;
    socklen_t bytes = sizeof to;
    assert_int_equal(getpeername(waiting, (struct sockaddr *)&to, &bytes), 0);
    assert_int_equal(connect(late, (const struct sockaddr *)&to, bytes), -1);
    close(late);

    front_settle(scene->front, &(front_answer){.status = 204});
    client_hear_all(scene, waiting, &heard);
    assert_int_equal(heard_status(&heard), 204);
    scene->waits = false;
    client_say(scene, idle, POST("5") "hello");
    client_hear_all(scene, idle, &heard);
    assert_ints(heard_status(&heard), 204, scene->answered, 2);
    close(waiting);
    close(idle);
}

TEST(closing_cuts_what_is_still_open)
{
    for (int turns = 0; turns < 8; turns++) { /* called again or suspended */
        scene = scene_new();
        scene_open(scene);
        scene->waits = true;
        int waiting = client_new(scene), reading = client_new(scene), idle = client_new(scene);
        int settled = client_new(scene);
        client_say(scene, settled, POST("5") "hello");
        scene_drain(scene);
        for (int i = 0; i < turns; i++) {
            scene_run(scene, 0);
        }
        front_settle(scene->front, &(front_answer){.status = 204});
        client_say(scene, waiting, POST("5") "hello");
        client_say(scene, reading, POST("5") "he");
        for (int i = 0; i <= turns; i++) {
            front_run(scene->front);
        }
        scene_free(scene);
        char byte;
        assert_true(recv(waiting, &byte, 1, 0) <= 0);
        assert_true(recv(reading, &byte, 1, 0) <= 0);
        assert_true(recv(idle, &byte, 1, 0) <= 0);
        close(waiting);
        close(reading);
        close(idle);
        close(settled);
    }
}

TEST_WITH(a_warm_front_allocates_nothing, start, end)
{
    scene->waits = true;
    enum { CLIENTS = 8 };
    int client[CLIENTS];
    for (int i = 0; i < CLIENTS; i++) {
        client[i] = client_new(scene);
    }
    for (int round = 0; round < 20; round++) {
        if (round == 1) allocations = 0; /* from the second round on */
        for (int i = 0; i < CLIENTS; i++) {
            client_say(scene, client[i], POST("42") "012345678901234567890123456789012345678901");
        }
        scene_drain(scene);
        assert_int_equal(front_begun(scene->front), CLIENTS);
        front_settle(scene->front, &(front_answer){.status = 204});
        for (int i = 0; i < CLIENTS; i++) {
            client_hear(scene, client[i], 1, &heard);
            assert_int_equal(heard_status(&heard), 204);
        }
    }
    assert_int_equal(allocations, 0);
    for (int i = 0; i < CLIENTS; i++) {
        close(client[i]);
    }
}
