/* What a door may read of a request, over real sockets. */
#include "front_scene.h"
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static front_scene *scene;

FIXTURE(start)
{
    scene = scene_new();
    scene_open(scene);
}

FIXTURE(end)
{
    scene_free(scene);
}

TEST_WITH(all_arguments_come_as_they_are_meant, start, end)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"?", ""},
        {"?a", "a;"},
        {"?a=", "a=;"},
        {"?a=1&a=2&b", "a=1;a=2;b;"},
        {"?a%00b=1", "%00=1;"},
        {"?a=1%00", "a=%00;"},
        {"?a%20b=c%3dd+e", "a b=c=d e;"},
        {"?a=1&stop=2&b=3", "a=1;stop=2;"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        client_heard heard;
        snprintf(text, sizeof text, "GET /x%s HTTP/1.1\r\nHost: h\r\n\r\n", cases[i][0]);
        assert_int_equal(client_ask(scene, text, &heard), 204);
        assert_strings(scene->arguments, cases[i][1], scene->path, "/x");
    }
}

TEST_WITH(an_argument_is_not_cut_at_a_nul, start, end)
{
    client_heard heard;
    assert_int_equal(client_ask(scene, "GET /x?name=1%00 HTTP/1.1\r\nHost: h\r\n\r\n", &heard),
                     204);
    assert_string_equal(scene->argument, "%00");
}

TEST_WITH(parts_that_are_not_there_are_none, start, end)
{
    client_heard heard;
    assert_int_equal(client_ask(scene, "GET /x HTTP/1.1\r\nHost: h\r\n\r\n", &heard), 204);
    assert_strings(scene->argument, "", scene->header, "");
    assert_ints(scene->method, FRONT_GET, scene->body_bytes, 0);
}

/* Answers that are produced while they are sent. */

typedef struct counter {
    uint32_t made, pieces, ended, pauses;
    bool fails;
} counter;

/* "piece N;", and between pieces a call that has nothing to send. */
static ptrdiff_t next_piece(void *self, char *at, size_t room)
{
    counter *c = self;
    if (c->made == c->pieces) return c->fails ? FRONT_PIECES_FAIL : FRONT_PIECES_END;
    if (c->pauses++ % 2 == 0) return 0;
    return snprintf(at, room, "piece %u;", c->made++);
}

static void end_pieces(void *self)
{
    ((counter *)self)->ended++;
}

TEST_WITH(an_answer_in_pieces_is_sent_while_it_is_made, start, end)
{
    static const char *const versions[] = {"1.1", "1.0"};
    for (int i = 0; i < 2; i++) {
        for (int fails = 0; fails < 2; fails++) {
            counter c = {.pieces = 30, .fails = fails == 1};
            scene->pieces = (front_pieces){next_piece, end_pieces, &c};
            char text[100];
            snprintf(text, sizeof text, "GET / HTTP/%s\r\nHost: h\r\nConnection: close\r\n\r\n",
                     versions[i]);
            int client = client_new(scene);
            client_say(scene, client, text);
            client_heard heard;
            client_hear_all(scene, client, &heard);
            close(client);
            scene_drain(scene);
            assert_int_equal(heard_status(&heard), 200);
            assert_non_null(strstr(heard.text, "piece 0;"));
            assert_non_null(strstr(heard.text, "piece 29;"));
            /* A client that speaks HTTP/1.1 can see whether the answer is complete. */
            if (i == 0) assert_int_equal(strstr(heard.text, "\r\n0\r\n\r\n") != NULL, fails == 0);
            assert_int_equal(c.ended, 1);
        }
    }
    counter left = {.pieces = 1000000};
    scene->pieces = (front_pieces){next_piece, end_pieces, &left};
    int client = client_new(scene);
    client_say(scene, client, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    scene_run(scene, 100);
    for (int i = 0; i < 100; i++) {
        scene_run(scene, 0);
        assert_int_equal(front_timeout_ms(scene->front), 0); /* there is nothing to wait for */
    }
    close(client);
    scene_empty(scene);
    assert_int_equal(left.ended, 1);
    assert_true(left.made < left.pieces);
    counter none = {.pieces = 10};
    scene->pieces = (front_pieces){next_piece, end_pieces, &none};
    client_heard heard;
    assert_int_equal(client_ask(scene, "HEAD / HTTP/1.1\r\nHost: h\r\n\r\n", &heard), 200);
    scene_empty(scene);
    assert_ints(none.made, 0, none.ended, 1);
}
