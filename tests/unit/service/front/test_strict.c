/* Heads that others could read differently, over real sockets. */
#include "front_scene.h"
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HEAD "POST /v1/x HTTP/1.1\r\nHost: h\r\n"

/* libmicrohttpd ends a line at a NUL, and the head at a line that begins with one. */
TEST_WITH(a_control_character_in_a_head_is_refused, scene_start, scene_end_served)
{
#define AND(text)                                                                                  \
    {                                                                                              \
        text, sizeof text - 1u                                                                     \
    }
    static const struct {
        const char *text;
        size_t bytes;
    } bad[] = {
        AND(HEAD "Content-Length: 5\0\r\n\r\nhello"),
        AND(HEAD "Content-Length: 5\0x\r\n\r\nhello"),
        AND(HEAD "Content-Length: 5\0\0\r\n\r\nhello"),
        AND(HEAD "Content-Length: 5\0Content-Length: 6\r\n\r\nhello"),
        AND(HEAD "X: \0\r\nContent-Length: 5\r\n\r\nhello"),
        AND(HEAD "X:\0a\nContent-Length: 5\r\n\r\nhello"),
        AND(HEAD "X\0: 1\r\nContent-Length: 5\r\n\r\nhello"),
        AND(HEAD "Content-Length: 5\r\n\0X: 1\r\n\r\nhello"),
        AND(HEAD "Content-Length: 5\r\n\0\r\n\r\nhello"),
        AND("POST /v1/x HTTP/1.1\r\n\0\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"),
        AND("POST\0 /v1/x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"),
        AND("POST\0x /v1/x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"),
        AND("POST /v1/x\0y HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"),
        AND("POST /v1/x?a\0b HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"),
        AND("POST /v1/x\r HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"),
        AND(HEAD "X: 1\rY: 2\r\nContent-Length: 5\r\n\r\nhello"),
        AND(HEAD "X: 1\r\r\nContent-Length: 5\r\n\r\nhello"),
        AND(HEAD "X: \rContent-Length: 6\r\nContent-Length: 5\r\n\r\nhello"),
        AND(HEAD "X: \x01\r\nContent-Length: 5\r\n\r\nhello"),
        AND(HEAD "X: \x7f\r\nContent-Length: 5\r\n\r\nhello"),
        AND(HEAD "X: 1\r\n Y\r\nContent-Length: 5\r\n\r\nhello"),
    };
#undef AND
    front_scene *scene = *state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        client_heard heard;
        int client = client_new(scene);
        client_send(scene, client, bad[i].text, bad[i].bytes);
        client_hear(scene, client, 1, &heard);
        close(client);
        if (heard_status(&heard) != 400) fail_msg("%zu: heard \"%s\"", i, heard.text);
    }
    assert_int_equal(scene->answered, 0);
}

/* Unusual but unambiguous heads. */
TEST_WITH(blanks_and_ends_of_lines_may_differ, scene_start, scene_end_served)
{
    static const char *const good[] = {
        HEAD "Content-Length:5\r\n\r\nhello",
        HEAD "AZaz09!#$%&'*+-.^_`|~: 1\r\nContent-Length: 5\r\n\r\nhello",
        HEAD "Content-Length: \t 5\r\nX:\r\nY: \r\nZ: a\tb  \r\n\r\nhello",
        "POST /v1/x HTTP/1.1\nHost: h\nX:\nContent-Length: 5\n\nhello",
        "\r\n\r\n" HEAD "Cookie: a=b; c=d\r\nContent-Length: 5\r\n\r\nhello",
        "POST   /v1/x?a=b&c&d=%20+e HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello",
        "POST http://h/v1/x?a=b HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello",
        "POST HTTP://H/v1/x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello",
        "POST https://h/v1/x HTTP/1.1\r\nhost: h\r\nContent-Length: 5\r\n\r\nhello",
        "POST http://h:80/v1/x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello",
        "POST http://h/v1/x HTTP/1.1\r\nHost: h:80\r\nContent-Length: 5\r\n\r\nhello",
        "POST http://h:/v1/x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello",
        "POST https://h:443/v1/x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello",
        "POST http://[::1]:80/v1/x HTTP/1.1\r\nHost: [::1]\r\nContent-Length: 5\r\n\r\nhello",
    };
    front_scene *scene = *state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        client_heard heard;
        if (client_ask(scene, good[i], &heard) != 204) fail_msg("%s: %s", good[i], heard.text);
        assert_string_equal(scene->path, "/v1/x");
        assert_int_equal(scene->body_bytes, 5);
    }
}

/* The memory of a head grows while it comes. */
TEST_WITH(a_head_that_comes_in_pieces_is_read, scene_start, scene_end_served)
{
    front_scene *scene = *state;
    static const size_t steps[] = {1, 7, 100, 1000};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        char text[4000] = "POST http://h/v1/x?a=b&c=d HTTP/1.1\r\nHost: h\r\nCookie: a=b\r\nX: ";
        size_t bytes = strlen(text);
        memset(text + bytes, 'x', 2600);
        strcpy(text + bytes + 2600, "\r\nContent-Length: 5\r\n\r\nhello");
        bytes = strlen(text);
        int client = client_new(scene);
        for (size_t at = 0; at < bytes; at += steps[i]) {
            client_send(scene, client, text + at, steps[i] < bytes - at ? steps[i] : bytes - at);
            scene_run(scene, 0);
        }
        client_heard heard;
        client_hear(scene, client, 1, &heard);
        close(client);
        assert_int_equal(heard_status(&heard), 204);
        assert_string_equal(scene->path, "/v1/x");
    }
}

TEST_WITH(a_url_of_another_host_is_refused, scene_start, scene_end_served)
{
    scene_refuses(*state, "GET http://g/v1/x HTTP/1.1\r\nHost: h\r\n\r\n", 400);
    scene_refuses(*state, "GET http://other/v1/x HTTP/1.1\r\nHost: h\r\n\r\n", 400);
    scene_refuses(*state, "GET http://h:1/v1/x HTTP/1.1\r\nHost: h\r\n\r\n", 400);
    scene_refuses(*state, "GET http://me@h/v1/x HTTP/1.1\r\nHost: h\r\n\r\n", 400);
    scene_refuses(*state, "GET http:///v1/x HTTP/1.1\r\nHost: h\r\n\r\n", 400);
    scene_refuses(*state, "GET http://h:443/v1/x HTTP/1.1\r\nHost: h\r\n\r\n", 400);
    scene_refuses(*state, "GET https://h:80/v1/x HTTP/1.1\r\nHost: h\r\n\r\n", 400);
    scene_refuses(*state, "GET https://h/v1/x HTTP/1.1\r\nHost: h:80\r\n\r\n", 400);
    scene_refuses(*state, "GET http://h:8080/v1/x HTTP/1.1\r\nHost: h:80\r\n\r\n", 400);
    scene_refuses(*state, "GET http://h:80/v1/x HTTP/1.1\r\nHost: h:8080\r\n\r\n", 400);
    scene_refuses(*state, "GET http://h80/v1/x HTTP/1.1\r\nHost: h\r\n\r\n", 400);
    scene_refuses(*state, "GET http://:80/v1/x HTTP/1.1\r\nHost: h\r\n\r\n", 400);
}
