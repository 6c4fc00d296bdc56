/* Who sends many requests ahead of their answers is closed, by name; who asks one after the other never is. */
#include "front_scene.h"
#include "service/front/ahead.h"
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define GET "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
#define POST "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"

static front_scene *scene;
static int client;
static char text[200000];
static client_heard heard;

static int start(void **state)
{
    (void)state;
    scene = scene_new();
    scene_open(scene);
    client = client_new(scene);
    scene_drain(scene);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    close(client);
    scene_free(scene);
    return 0;
}

static uint64_t refused(front_refusal why)
{
    return front_count(scene->front).refused[why];
}

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

/* One was not sent ahead, and AHEAD_MAX were; the last one's answer says that it is the last. */
static void assert_closed(void)
{
    client_hear_all(scene, client, &heard);
    assert_int_equal(heard_answers(&heard), AHEAD_MAX + 1u);
    const char *last = strstr(heard.text, "Connection: close");
    assert_non_null(last);
    assert_null(strstr(last, "HTTP/1.1"));
    assert_int_equal(refused(FRONT_REFUSED_AHEAD), 1);
    assert_int_equal(refused_all(), 1);
    scene_empty(scene);
    assert_int_equal(client_ask(scene, GET, &heard), 204);
}

static void many_in_one_piece_are_closed_after_a_few(void **state)
{
    (void)state;
    client_say(scene, client, times(GET, 100));
    assert_closed();
}

/* Heads that leave no room for the next one: libmicrohttpd reads one at a time. */
static void so_are_long_ones_of_which_one_is_read_at_a_time(void **state)
{
    (void)state;
    uint32_t closed = 0;
    for (int digits = 3200; digits < 3320; digits += 8) {
        char request[3400];
        snprintf(request, sizeof request, "GET / HTTP/1.1\r\nHost: h\r\nX: %0*d\r\n\r\n", digits,
                 0);
        int other = client_new(scene);
        client_say(scene, other, times(request, 50));
        client_hear_all(scene, other, &heard);
        assert_int_equal(heard_answers(&heard), AHEAD_MAX + 1u);
        assert_int_equal(refused(FRONT_REFUSED_AHEAD), ++closed);
        close(other);
    }
}

/* The first line of the next one is cut at the end of the memory, wherever that is. */
static void so_are_those_of_every_length(void **state)
{
    (void)state;
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
            if (heard_status(&heard) != 204) break; /* no line may be so long */
            assert_int_equal(heard_answers(&heard), AHEAD_MAX + 1u);
            assert_int_equal(refused(FRONT_REFUSED_AHEAD), ++closed);
        }
    }
    assert_true(closed >= 38); /* all whose head is long, and some first lines */
}

static void so_are_those_that_wait_for_the_commit(void **state)
{
    (void)state;
    scene->waits = scene->settles = true;
    client_say(scene, client, times(POST, 60));
    assert_int_equal(scene->answered, 0);
    client_hear_all(scene, client, &heard);
    scene->waits = false;
    assert_int_equal(scene->answered, AHEAD_MAX + 1u);
    assert_int_equal(heard_answers(&heard), AHEAD_MAX + 1u);
    assert_int_equal(refused(FRONT_REFUSED_AHEAD), 1);
    const char *last = strstr(heard.text, "Connection: close");
    assert_non_null(last);
    assert_null(strstr(last, "HTTP/1.1"));
}

static void one_that_is_refused_and_closed_anyway_counts_once(void **state)
{
    (void)state;
    client_say(scene, client, times(GET, AHEAD_MAX));
    client_hear(scene, client, AHEAD_MAX, &heard);
    client_say(scene, client, "GET / HTTP/1.1\r\nX : y\r\n\r\n");
    client_hear_all(scene, client, &heard);
    assert_int_equal(heard_status(&heard), 400);
    assert_int_equal(refused(FRONT_REFUSED_HEAD), 1);
    assert_int_equal(refused_all(), 1);
}

static void who_asks_one_after_the_other_is_never_closed(void **state)
{
    (void)state;
    for (int i = 0; i < 500; i++) {
        client_say(scene, client, i % 2 == 0 ? GET : POST);
        client_hear(scene, client, 1, &heard);
        assert_int_equal(heard_status(&heard), 204);
        assert_false(heard.ended);
        assert_int_equal(scene->front->ring[RING_QUIET]->ahead, 0);
    }
    assert_int_equal(refused_all(), 0);
}

static void who_asks_two_at_a_time_is_never_closed(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        client_say(scene, client, GET GET);
        client_hear(scene, client, 2, &heard);
        assert_false(heard.ended);
    }
    assert_int_equal(refused_all(), 0);
}

static void who_asks_ten_at_a_time_is_closed_soon(void **state)
{
    (void)state;
    uint32_t bursts = 0;
    for (heard.ended = false; !heard.ended; bursts++) {
        assert_true(bursts < 10);
        client_say(scene, client, times(GET, 10));
        client_hear(scene, client, 10, &heard);
    }
    assert_true(bursts >= 2);
    assert_int_equal(refused(FRONT_REFUSED_AHEAD), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(many_in_one_piece_are_closed_after_a_few),
        TEST(so_are_long_ones_of_which_one_is_read_at_a_time),
        TEST(so_are_those_of_every_length),
        TEST(so_are_those_that_wait_for_the_commit),
        TEST(one_that_is_refused_and_closed_anyway_counts_once),
        TEST(who_asks_one_after_the_other_is_never_closed),
        TEST(who_asks_two_at_a_time_is_never_closed),
        TEST(who_asks_ten_at_a_time_is_closed_soon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
