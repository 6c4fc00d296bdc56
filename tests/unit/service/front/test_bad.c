/* Wrong, slow, overlong and truncated requests, over real sockets. */
#include "front_scene.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEAD "POST /v1/x HTTP/1.1\r\nHost: h\r\n"
#define GOOD HEAD "Content-Length: 5\r\n\r\nhello"

static front_scene *scene;
static client_heard heard;

FIXTURE(start)
{
    assert_int_equal(scene_start(state), 0);
    scene = *state;
}

TEST_WITH(a_length_that_is_no_length_is_refused, start, scene_end_served)
{
    static const struct {
        const char *length;
        uint32_t status;
    } bad[] = {
        {"-1", 400},
        {"+5", 400},
        {"0x5", 400},
        {"five", 400},
        {"", 400},
        {"5 5", 400},
        {"5, 5", 400},
        {"5.0", 400},
        {"1048577", 413},
        {"9223372036854775808", 413},
        {"18446744073709551615", 413},
        {"18446744073709551616", 413},
        {"99999999999999999999999999999999", 413},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[256];
        snprintf(text, sizeof text, HEAD "Content-Length: %s\r\n\r\nhello", bad[i].length);
        scene_refuses(scene, text, bad[i].status);
    }
}

TEST_WITH(a_post_without_a_length_is_refused_where_a_body_is_wanted, start, scene_end_served)
{
    scene_refuses(scene, HEAD "\r\n", 411);
    scene_refuses(scene, HEAD "\r\nhello", 411);
    assert_int_equal(scene->refused_status, 411);

    scene->body_max = 0;
    assert_int_equal(client_ask(scene, HEAD "\r\n", &heard), 204);
    scene->body_max = SCENE_BODY_MAX;
}

TEST_WITH(two_lengths_are_refused, start, scene_end_served)
{
    scene_refuses(scene, HEAD "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", 400);
    scene_refuses(scene, HEAD "Content-Length: 5\r\ncontent-length: 5\r\n\r\nhello", 400);
    scene_refuses(scene,
                  HEAD "Content-Length: 5\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
                  400);
}

/* A proxy in front of us might see a length or chunks where we see none, and then take the body for the
 * next request, or the other way round. */
TEST_WITH(headers_that_others_might_read_differently_are_refused, start, scene_end_served)
{
    static const char *const bad[] = {
        "Transfer-Encoding : chunked\r\nContent-Length: 5\r\n",
        "Transfer-Encoding\t: chunked\r\nContent-Length: 5\r\n",
        "Transfer-Encoding:\r\n chunked\r\nContent-Length: 5\r\n",
        "Content-Length: 5\r\n 0\r\n",
        "Content-Length:\r\n 5\r\n",
        "Content-Length : 5\r\n",
        "X Y: 1\r\nContent-Length: 5\r\n",
        "X: 1\r\n Y: 2\r\nContent-Length: 5\r\n", /* the name becomes XY: 2 */
        "Host: other\r\nContent-Length: 5\r\n",
        "Host: h\r\nContent-Length: 5\r\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[256];
        snprintf(text, sizeof text, HEAD "%s\r\nhello", bad[i]);
        scene_refuses(scene, text, 400);
    }
}

TEST_WITH(chunks_are_refused_whatever_they_are, start, scene_end_served)
{
    static const char *const bodies[] = {
        "5\r\nhello\r\n0\r\n\r\n",         "zz\r\nhello\r\n0\r\n\r\n", "-5\r\nhello\r\n0\r\n\r\n",
        "ffffffffffffffffff\r\nhello\r\n", "5;a=b\r\nhello\r\n",       "",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char text[256];
        snprintf(text, sizeof text, HEAD "Transfer-Encoding: chunked\r\n\r\n%s", bodies[i]);
        scene_refuses(scene, text, 411);
    }
    scene_refuses(scene, HEAD "Transfer-Encoding: gzip\r\n\r\nhello", 411);
    scene_refuses(scene, HEAD "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                  411);
}

TEST_WITH(chunks_without_end_are_cut, start, scene_end_served)
{
    int client = client_new(scene);
    client_say(scene, client, HEAD "Transfer-Encoding: chunked\r\n\r\n");
    static const char chunk[4096 + 8] = "1000\r\n";
    for (int i = 0; i < 1000; i++) {
        client_send(scene, client, chunk, sizeof chunk);
    }
    client_hear_all(scene, client, &heard);
    assert_true(heard.ended);
    assert_int_equal(scene->answered, 0);
    close(client);
}

/* libmicrohttpd would spin for as long as a connection may be idle. */
TEST_WITH(the_size_of_a_chunk_without_end_keeps_nobody_busy, start, scene_end_served)
{
    char text[9000] = HEAD "Transfer-Encoding: chunked\r\n\r\n";
    size_t bytes = strlen(text);
    memset(text + bytes, '0', sizeof text - bytes - 1u);
    scene_refuses(scene, text, 411);
    scene_drain(scene);
    assert_true(front_timeout_ms(scene->front) != 0);
}

TEST_WITH(a_body_that_is_too_long_is_refused_before_it_is_sent, start, scene_end_served)
{
    scene_refuses(scene, HEAD "Expect: 100-continue\r\nContent-Length: 1001\r\n\r\n", 413);
    assert_int_equal(scene->refused_status, 413);
    assert_string_equal(scene->refused_allowed, "at most 1000 bytes");
    assert_int_equal(front_count(scene->front).refused[FRONT_REFUSED_LENGTH], 1);
}

TEST_WITH(a_body_that_is_too_long_is_refused_while_it_is_sent, start, scene_end_served)
{
    static const size_t lengths[] = {1001, 60000, 70000, 5000000};
    static char body[10000];
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        char head[256];
        snprintf(head, sizeof head, HEAD "Content-Length: %zu\r\n\r\n", lengths[i]);
        int client = client_new(scene);
        client_say(scene, client, head);
        for (size_t sent = 0; sent < lengths[i]; sent += sizeof body) {
            size_t left = lengths[i] - sent;
            client_send(scene, client, body, left < sizeof body ? left : sizeof body);
        }
        client_hear_all(scene, client, &heard);
        assert_int_equal(heard_status(&heard), 413);
        close(client);
    }
    assert_ints(scene->answered, 0, front_count(scene->front).refused[FRONT_REFUSED_LENGTH], 4);
}

TEST_WITH(a_body_without_room_is_refused_with_its_head, start, scene_end_served)
{
    scene->body_max = 2u << 20; /* of which there is 1 MiB for all */
    scene_refuses(scene, HEAD "Content-Length: 1500000\r\n\r\n", 503);
    assert_int_equal(scene->refused_status, 503);
    assert_int_equal(front_count(scene->front).refused[FRONT_REFUSED_MEMORY], 1);
}

TEST_WITH(bodies_that_outgrow_the_room_together_are_refused_and_the_rest_is_served, start,
          scene_end_served)
{
    scene->body_max = 1u << 20;
    enum { CLIENTS = 4, LENGTH = 400000, HALF = LENGTH / 2 };
    static char body[LENGTH];
    int client[CLIENTS];
    for (int i = 0; i < CLIENTS; i++) { /* each fits alone; together they have 1.6 MB */
        client[i] = client_new(scene);
        client_say(scene, client[i], HEAD "Content-Length: 400000\r\n\r\n");
        scene_drain(scene);
    }
    for (int half = 0; half < 2; half++) {
        for (int i = 0; i < CLIENTS; i++) {
            client_send(scene, client[i], body, HALF);
            scene_drain(scene);
        }
    }
    uint32_t served = 0, refused_now = 0;
    for (int i = 0; i < CLIENTS; i++) {
        client_hear(scene, client[i], 1, &heard);
        served += heard_status(&heard) == 204;
        refused_now += heard_status(&heard) == 503;
        close(client[i]);
    }
    assert_true(served > 0);
    assert_true(refused_now > 0);
    assert_ints(served + refused_now, CLIENTS, scene->answered, served, scene->body_bytes, LENGTH);
    assert_int_equal(front_count(scene->front).refused[FRONT_REFUSED_MEMORY], refused_now);
}

TEST_WITH(garbage_is_closed_or_refused, start, scene_end_served)
{
    static const struct {
        const char *text;
        uint32_t status;
    } bad[] = {
        {"hello\r\n\r\n", 0},
        {"\x16\x03\x01\x02\r\n\r\n", 0},
        {"GET /\r\n\r\n", 400},
        {"GET / HTTP/2.0\r\n\r\n", 505},
        {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
        {"GET / HTTX/1.1\r\nHost: h\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\nno colon\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\n\r\n", 400}, /* no Host */
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        scene_refuses(scene, bad[i].text, bad[i].status);
    }
}

TEST_WITH(a_head_that_is_too_large_is_refused, start, scene_end_served)
{
    for (size_t bytes = 2800; bytes < 4400; bytes += 40) {
        char text[5000] = HEAD "Content-Length: 5\r\nX: ";
        size_t at = strlen(text);
        memset(text + at, 'a', bytes);
        strcpy(text + at + bytes, "\r\n\r\nhello");
        uint32_t answered = scene->answered;
        uint32_t status = client_ask(scene, text, &heard);
        /* The door answers every request that it gets. */
        assert_int_equal(scene->answered - answered, status == 204 ? 1 : 0);
        if (bytes < 3200) assert_int_equal(status, 204);
        if (bytes > 4100) assert_int_equal(status, 431);
    }
    char text[9000] = "GET / HTTP/1.1\r\nHost: h\r\n";
    for (int i = 0; i < 1000; i++) {
        strcat(text, "A: b\r\n");
    }
    scene_refuses(scene, text, 431);
}

TEST_WITH(a_path_that_is_too_long_is_refused, start, scene_end_served)
{
    static const size_t lengths[] = {192, 500, 3000, 5000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        char text[6000] = "GET /";
        memset(text + 5, 'a', lengths[i] - 1u);
        strcpy(text + 4 + lengths[i], " HTTP/1.1\r\nHost: h\r\n\r\n");
        scene_refuses(scene, text, 414);
    }
    assert_int_equal(scene->admitted, 0);
}

TEST(arguments_that_do_not_fit_end_with_the_time_of_the_connection)
{
    scene = scene_new();
    scene->settings.idle_s_max = 1;
    scene_open(scene);
    char text[2000] = "GET /?";
    for (int i = 0; i < 600; i++) {
        strcat(text, "a&");
    }
    strcat(text, " HTTP/1.1\r\nHost: h\r\n\r\n");
    scene_refuses(scene, text, 0);
    scene_free(scene);
}

TEST(a_connection_that_says_nothing_is_closed)
{
    scene = scene_new();
    scene->settings.idle_s_max = 1;
    scene_open(scene);
    scene_refuses(scene, "", 0);
    scene_refuses(scene, HEAD "Content-", 0);
    scene_refuses(scene, HEAD "Content-Length: 5\r\n\r\nhell", 0);
    assert_ints(front_begun(scene->front), 0, front_count(scene->front).connections, 0);
    scene_free(scene);
}

/* They are never idle: they send a byte every 0.2 s, and occupy a place or room for a body. */
TEST(requests_that_are_not_whole_in_time_are_cut)
{
    scene = scene_new();
    scene->settings.idle_s_max = 1;
    scene_open(scene);
    int client[2] = {client_new(scene), client_new(scene)};
    client_say(scene, client[0], HEAD "Content-Length: 900\r\n\r\n");
    client_say(scene, client[1], HEAD "X: ");
    uint32_t sent = 0;
    for (; sent < 100; sent++) {
        for (int k = 0; k < 20; k++) {
            scene_run(scene, 10);
        }
        if (front_count(scene->front).connections == 0) break;
        for (int i = 0; i < 2; i++) {
            (void)send(client[i], "x", 1, MSG_NOSIGNAL);
        }
    }
    assert_in_range(sent, 1, 99); /* neither at once nor never */
    assert_int_equal(front_begun(scene->front), 0);
    assert_int_equal(client_ask(scene, GOOD, &heard), 204);
    close(client[0]);
    close(client[1]);
    scene_free(scene);
}

TEST_WITH(what_is_cut_off_is_not_handed_over, start, scene_end_served)
{
    static const char *const pieces[] = {"P",
                                         "POST /v1/x HTTP/1.1\r\n",
                                         HEAD,
                                         HEAD "Content-Le",
                                         HEAD "Content-Length: 5\r\n\r\n",
                                         HEAD "Content-Length: 5\r\n\r\nhell"};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        for (int hard = 0; hard < 2; hard++) {
            int client = client_new(scene);
            client_say(scene, client, pieces[i]);
            scene_drain(scene);
            if (hard) { /* reset, not closed */
                struct linger now = {.l_onoff = 1};
                setsockopt(client, SOL_SOCKET, SO_LINGER, &now, sizeof now);
            }
            close(client);
            scene_drain(scene);
            assert_ints(front_begun(scene->front), 0, front_count(scene->front).connections, 0);
        }
    }
    assert_int_equal(scene->answered, 0);
}

/* libmicrohttpd alone would notice it only after the time limit, here 60 s. */
TEST_WITH(an_end_that_comes_with_the_last_bytes_is_heard, start, scene_end_served)
{
    static const char *const pieces[] = {"P",
                                         HEAD,
                                         HEAD "Content-Length: 5\r\n\r\n",
                                         HEAD "Content-Length: 5\r\n\r\nhell",
                                         GOOD,
                                         GOOD GOOD,
                                         GOOD HEAD};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        int client = client_new(scene);
        scene_drain(scene);
        client_say(scene, client, pieces[i]);
        shutdown(client, SHUT_WR);
        client_hear_all(scene, client, &heard);
        close(client);
        scene_empty(scene);
        assert_int_equal(front_begun(scene->front), 0);
    }
    assert_int_equal(scene->answered, 4);
}

TEST_WITH(who_vanishes_while_waiting_is_forgotten, start, scene_end_served)
{
    scene->waits = true;
    for (int turns = 0; turns < 8; turns++) { /* called again or suspended */
        for (int hard = 0; hard < 2; hard++) {
            int gone = client_new(scene), stays = client_new(scene);
            client_say(scene, gone, GOOD);
            client_say(scene, stays, GOOD);
            scene_drain(scene);
            assert_int_equal(front_begun(scene->front), 2);
            for (int i = 0; i < turns; i++) {
                scene_run(scene, 1);
            }
            if (hard) {
                struct linger now = {.l_onoff = 1};
                setsockopt(gone, SOL_SOCKET, SO_LINGER, &now, sizeof now);
            }
            close(gone);
            scene_run(scene, 1);
            /* Another client connects, perhaps with the same descriptor. */
            int stranger = client_new(scene);
            scene_drain(scene);
            front_settle(scene->front, &(front_answer){.status = 204});
            client_hear(scene, stays, 1, &heard);
            assert_int_equal(heard_status(&heard), 204);
            scene_drain(scene);
            char byte;
            assert_int_equal(recv(stranger, &byte, 1, MSG_DONTWAIT), -1);
            close(stays);
            close(stranger);
            scene_drain(scene);
            assert_ints(front_begun(scene->front), 0, front_count(scene->front).connections, 0);
        }
    }
}

TEST(who_comes_above_the_limit_is_turned_away)
{
    scene = scene_new();
    scene->settings.connections_max = 3;
    scene_open(scene);
    int client[3];
    for (int i = 0; i < 3; i++) {
        client[i] = client_new(scene);
    }
    scene_drain(scene);
    for (int i = 0; i < 5; i++) {
        scene_refuses(scene, GOOD, 0);
    }
    assert_int_equal(front_count(scene->front).refused[FRONT_REFUSED_CONNECTIONS], 5);
    assert_int_equal(front_count(scene->front).connections, 3);

    client_say(scene, client[1], GOOD);
    client_hear(scene, client[1], 1, &heard);
    assert_int_equal(heard_status(&heard), 204);
    close(client[0]);
    scene_drain(scene);
    assert_int_equal(client_ask(scene, GOOD, &heard), 204);
    close(client[1]);
    close(client[2]);
    scene_free(scene);
}

/* A step of a simple generator of random numbers. */
static uint32_t stir(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

/* Two requests with some bytes changed, left out or doubled; returns the length. */
static size_t spoil(uint64_t *seed, char *out)
{
    static const char good[] = HEAD "Content-Length: 5\r\nX-Name: one\r\n\r\nhello"
                                    "GET /v1/y?name=b HTTP/1.1\r\nHost: h\r\n\r\n";
    static const char stuff[] = "\r\n :0159-%?&=;\t\"xZ";
    uint32_t often = 20u + stir(seed) % 400u;
    size_t bytes = 0;
    for (size_t i = 0; i + 1u < sizeof good; i++) {
        uint32_t how = stir(seed) % often;
        if (how == 0) continue;
        out[bytes++] = how == 1 ? (char)stir(seed) : good[i];
        if (how == 2) out[bytes - 1u] = stuff[stir(seed) % (sizeof stuff - 1u)];
        if (how == 3) out[bytes++] = good[i];
    }
    return bytes;
}

TEST_WITH(spoilt_requests_leave_nothing_behind, start, scene_end_served)
{
    scene->waits = true;
    uint64_t seed = 17;
    for (int trial = 0; trial < 3000; trial++) {
        char text[1024];
        size_t bytes = spoil(&seed, text);
        size_t first = stir(&seed) % (bytes + 1u);
        int client = client_new(scene);
        client_send(scene, client, text, first);
        if (stir(&seed) % 2u == 0) scene_run(scene, 1);
        client_send(scene, client, text + first, bytes - first);
        if (stir(&seed) % 4u == 0) shutdown(client, SHUT_WR);
        scene->settles = stir(&seed) % 2u == 0;
        for (uint32_t i = stir(&seed) % 4u; i > 0; i--) {
            scene_run(scene, 0);
        }
        close(client);
    }
    scene->settles = true;
    scene_empty(scene);
    assert_int_equal(front_begun(scene->front), 0);
    assert_true(scene->answered > 300);
    scene->settles = false;
}
