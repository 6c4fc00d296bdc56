/* Connections that hold a place for too long are cut, and only those. The clock stands still; time passes by
 * moving the moment at which a phase began. */
#include "front_scene.h"
#include "service/front/inner.h"
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define GET "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
#define POST "POST / HTTP/1.1\r\nHost: h\r\n"

static front_scene *scene;
static int client;

uint64_t __wrap_clock_steady_ms(void);
uint64_t __wrap_clock_steady_ms(void)
{
    return 1000000;
}

FIXTURE(start)
{
    scene = scene_new();
    scene_open(scene);
    client = client_new(scene);
    scene_drain(scene);
}

FIXTURE(stop)
{
    close(client);
    scene_free(scene);
}

static void say(const char *text)
{
    client_say(scene, client, text);
    for (int i = 0; i < 3; i++) {
        scene_run(scene, 20);
    }
    scene_drain(scene);
}

/* The request that has been in this phase longest now began this much earlier. */
static void pass(request_ring phase, uint64_t seconds)
{
    assert_non_null(scene->front->ring[phase]);
    scene->front->ring[phase]->since_ms -= 1000u * seconds;
    scene->front->look_ms = 0;
    scene_drain(scene);
}

static uint64_t refused(front_refusal why)
{
    return front_count(scene->front).refused[why];
}

static void assert_cut(front_refusal why)
{
    client_heard heard;
    client_hear_all(scene, client, &heard);
    assert_true(heard.ended);
    assert_int_equal(refused(why), 1);
    scene_empty(scene);
    assert_ints(scene->front->ending, 0, client_ask(scene, GET, &heard), 204);
}

TEST_WITH(a_first_line_that_never_ends_is_cut, start, stop)
{
    say("GET /aaa");
    pass(RING_QUIET, 61);
    assert_int_equal(refused(FRONT_REFUSED_SLOW_HEAD), 0);
    pass(RING_QUIET, 2);
    assert_cut(FRONT_REFUSED_SLOW_HEAD);
}

TEST_WITH(a_head_that_never_ends_is_cut, start, stop)
{
    say(POST "X: ");
    pass(RING_READS, 9);
    assert_int_equal(refused(FRONT_REFUSED_SLOW_HEAD), 0);
    pass(RING_READS, 2);
    assert_cut(FRONT_REFUSED_SLOW_HEAD);
}

TEST_WITH(the_second_head_of_a_connection_has_the_same_time, start, stop)
{
    client_heard heard;
    say(GET);
    client_hear(scene, client, 1, &heard);
    pass(RING_QUIET, 50);
    say("GET / HTTP/1.1\r\nX:");
    pass(RING_READS, 11);
    assert_cut(FRONT_REFUSED_SLOW_HEAD);
}

TEST_WITH(a_body_below_the_rate_is_cut, start, stop)
{
    scene->front->rate_min = 100;
    say(POST "Content-Length: 900\r\n\r\n");
    say("a hundred of bytes would do for a second; these are fewer");
    pass(RING_READS, 10);
    assert_int_equal(refused(FRONT_REFUSED_SLOW_BODY), 0);
    pass(RING_READS, 1);
    assert_cut(FRONT_REFUSED_SLOW_BODY);
}

TEST_WITH(a_body_above_the_rate_goes_on_until_the_time_of_a_request_is_over, start, stop)
{
    scene->front->rate_min = 1;
    say(POST "Content-Length: 900\r\n\r\n");
    char bytes[301] = "";
    memset(bytes, 'x', 300);
    say(bytes);
    pass(RING_READS, 239);
    assert_int_equal(refused(FRONT_REFUSED_SLOW_BODY), 0);
    pass(RING_READS, 2);
    assert_cut(FRONT_REFUSED_SLOW_BODY);
}

TEST_WITH(a_body_that_is_refused_has_no_more_time, start, stop)
{
    scene->front->rate_min = 100;
    say(POST "Content-Length: 5000\r\n\r\nabc");
    assert_int_equal(refused(FRONT_REFUSED_LENGTH), 1);
    pass(RING_READS, 11);
    assert_cut(FRONT_REFUSED_SLOW_BODY);
}

/* Latency covers our work, not the arrival of the body; for a waiting request also the wait. */
TEST_WITH(a_request_is_timed_from_its_end_on, start, stop)
{
    static const uint64_t long_us = 1000000000;
    client_heard heard;
    say(POST "Content-Length: 10\r\n\r\n12345");
    assert_non_null(scene->front->ring[RING_READS]);
    scene->front->ring[RING_READS]->whole_us -= long_us;
    client_say(scene, client, "67890");
    client_hear(scene, client, 1, &heard);
    assert_ints(heard_status(&heard), 204, front_count(scene->front).latency[0].count, 1);
    assert_true(front_count(scene->front).latency[0].sum_us < long_us);
    scene->waits = true;
    say(POST "Content-Length: 5\r\n\r\n12345");
    assert_non_null(scene->front->ring[RING_WAITS]);
    scene->front->ring[RING_WAITS]->whole_us -= long_us;
    const front_answer answer = {.status = 204};
    front_settle(scene->front, &answer);
    client_hear(scene, client, 1, &heard);
    assert_int_equal(front_count(scene->front).latency[0].count, 2);
    assert_true(front_count(scene->front).latency[0].sum_us >= long_us);
}

TEST_WITH(a_request_that_waits_for_us_is_never_slow, start, stop)
{
    scene->waits = true;
    say(POST "Content-Length: 2\r\n\r\nab");
    assert_null(scene->front->ring[RING_READS]);
    assert_null(scene->front->ring[RING_QUIET]);
    assert_null(scene->front->ring[RING_SENDS]);
    front_settle(scene->front, &(front_answer){.status = 204});
    client_heard heard;
    client_hear(scene, client, 1, &heard);
    assert_int_equal(heard_status(&heard), 204);
    assert_non_null(scene->front->ring[RING_QUIET]);
}

TEST_WITH(an_answer_that_nobody_takes_is_cut, start, stop)
{
    static char content[64000];
    memset(content, 'x', sizeof content - 1);
    scene->content = content;
    for (int i = 0; i < 2000 && scene->front->ring[RING_SENDS] == NULL; i++) {
        (void)send(client, GET, strlen(GET), MSG_DONTWAIT | MSG_NOSIGNAL);
        scene_run(scene, 1);
    }
    pass(RING_SENDS, 11);
    assert_int_equal(refused(FRONT_REFUSED_SLOW_READER), 0); /* 64 kB have a minute more */
    scene->content = NULL;
    pass(RING_SENDS, 70);
    assert_int_equal(refused(FRONT_REFUSED_SLOW_READER), 1);
    scene_empty(scene);
}

TEST_WITH(who_is_quiet_gives_way_when_all_places_are_taken, start, stop)
{
    scene->front->connections_max = 2;
    int other = client_new(scene);
    scene_drain(scene);
    client_heard heard;
    assert_int_equal(client_ask(scene, GET, &heard), 0); /* no connection has been quiet for long */
    assert_int_equal(refused(FRONT_REFUSED_CONNECTIONS), 1);
    pass(RING_QUIET, 2);
    assert_ints(client_ask(scene, GET, &heard), 204, refused(FRONT_REFUSED_ROOM), 1);
    client_hear_all(scene, client, &heard); /* the oldest */
    scene_drain(scene);
    assert_int_equal(scene->front->ending, 0);
    client_say(scene, other, GET);
    client_hear(scene, other, 1, &heard);
    assert_int_equal(heard_status(&heard), 204);
    close(other);
}

TEST_WITH(who_reads_for_long_gives_way_when_nobody_is_quiet, start, stop)
{
    scene->front->connections_max = 1;
    say(POST "X: ");
    pass(RING_READS, 2);
    client_heard heard;
    assert_ints(client_ask(scene, GET, &heard), 204, refused(FRONT_REFUSED_ROOM), 1);
}

TEST_WITH(there_is_nothing_to_look_at_without_connections, start, stop)
{
    assert_in_range(phase_timeout_ms(scene->front), 1, 500);
    close(client);
    scene_empty(scene);
    assert_int_equal(phase_timeout_ms(scene->front), -1);
    client = client_new(scene);
}

/* A client that sends many requests ahead of their answers is closed; one that sends them one by one never is. */

#define HELLO "HELLO / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"

static front_scene *scene;
static int client;
static char text[200000];
static client_heard heard;

static uint64_t refused_all(void)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < FRONT_REFUSALS; i++) {
        sum += refused(i);
    }
    return sum;
}

static const char *times(const char *request, uint32_t count)
{
    size_t bytes = strlen(request);
    assert_true(bytes * count < sizeof text);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(text + bytes * i, request, bytes);
    }
    text[bytes * count] = '\0';
    return text;
}

/* One request was not sent ahead, and AHEAD_MAX were; the last answer says that it is the last. */
static void assert_closed(void)
{
    client_hear_all(scene, client, &heard);
    assert_int_equal(heard_answers(&heard), AHEAD_MAX + 1u);
    const char *last = strstr(heard.text, "Connection: close");
    assert_non_null(last);
    assert_null(strstr(last, "HTTP/1.1"));
    assert_ints(refused(FRONT_REFUSED_AHEAD), 1, refused_all(), 1);
    scene_empty(scene);
    assert_int_equal(client_ask(scene, GET, &heard), 204);
}

TEST_WITH(many_in_one_piece_are_closed_after_a_few, start, stop)
{
    client_say(scene, client, times(GET, 100));
    assert_closed();
}

/* Heads so long that libmicrohttpd reads only one at a time. */
TEST_WITH(so_are_long_ones_of_which_one_is_read_at_a_time, start, stop)
{
    uint32_t closed = 0;
    for (int digits = 3200; digits < 3320; digits += 8) {
        char request[3400];
        snprintf(request, sizeof request, "GET / HTTP/1.1\r\nHost: h\r\nX: %0*d\r\n\r\n", digits,
                 0);
        int other = client_new(scene);
        client_say(scene, other, times(request, 50));
        client_hear_all(scene, other, &heard);
        assert_ints(heard_answers(&heard), AHEAD_MAX + 1u, refused(FRONT_REFUSED_AHEAD), ++closed);
        close(other);
    }
}

/* The first line of the next request is cut at the end of the memory, wherever that is. */
TEST_WITH(so_are_those_of_every_length, start, stop)
{
    uint32_t closed = 0;
    for (int digits = 100; digits < 2400; digits += 61) {
        for (int in_line = 0; in_line < 2; in_line++) {
            char request[2600];
            snprintf(request, sizeof request, "GET /%0*d HTTP/1.1\r\nHost: h\r\nX: %0*d\r\n\r\n",
                     in_line == 1 ? digits : 1, 0, in_line == 1 ? 1 : digits, 0);
            int other = client_new(scene);
            client_say(scene, other, times(request, 60));
            client_hear_all(scene, other, &heard);
            close(other);
            if (heard_status(&heard) != 204) break; /* a first line may not be that long */
            assert_int_equal(heard_answers(&heard), AHEAD_MAX + 1u);
            assert_int_equal(refused(FRONT_REFUSED_AHEAD), ++closed);
        }
    }
    assert_true(closed >= 38); /* all with a long head, and some with a long first line */
}

TEST_WITH(so_are_those_that_wait_for_the_commit, start, stop)
{
    scene->waits = scene->settles = true;
    client_say(scene, client, times(HELLO, 60));
    assert_int_equal(scene->answered, 0);
    client_hear_all(scene, client, &heard);
    scene->waits = false;
    assert_ints(scene->answered, AHEAD_MAX + 1u, heard_answers(&heard), AHEAD_MAX + 1u);
    assert_int_equal(refused(FRONT_REFUSED_AHEAD), 1);
    const char *last = strstr(heard.text, "Connection: close");
    assert_non_null(last);
    assert_null(strstr(last, "HTTP/1.1"));
}

TEST_WITH(one_that_is_refused_and_closed_anyway_counts_once, start, stop)
{
    client_say(scene, client, times(GET, AHEAD_MAX));
    client_hear(scene, client, AHEAD_MAX, &heard);
    client_say(scene, client, "GET / HTTP/1.1\r\nX : y\r\n\r\n");
    client_hear_all(scene, client, &heard);
    assert_ints(heard_status(&heard), 400, refused(FRONT_REFUSED_HEAD), 1, refused_all(), 1);
}

TEST_WITH(who_asks_one_after_the_other_is_never_closed, start, stop)
{
    for (int i = 0; i < 500; i++) {
        client_say(scene, client, i % 2 == 0 ? GET : HELLO);
        client_hear(scene, client, 1, &heard);
        assert_int_equal(heard_status(&heard), 204);
        assert_false(heard.ended);
        assert_int_equal(scene->front->ring[RING_QUIET]->ahead, 0);
    }
    assert_int_equal(refused_all(), 0);
}

TEST_WITH(who_asks_two_at_a_time_is_never_closed, start, stop)
{
    for (int i = 0; i < 100; i++) {
        client_say(scene, client, GET GET);
        client_hear(scene, client, 2, &heard);
        assert_false(heard.ended);
    }
    assert_int_equal(refused_all(), 0);
}

TEST_WITH(who_asks_ten_at_a_time_is_closed_soon, start, stop)
{
    uint32_t bursts = 0;
    for (heard.ended = false; !heard.ended; bursts++) {
        assert_true(bursts < 10);
        client_say(scene, client, times(GET, 10));
        client_hear(scene, client, 10, &heard);
    }
    assert_true(bursts >= 2);
    assert_int_equal(refused(FRONT_REFUSED_AHEAD), 1);
}
