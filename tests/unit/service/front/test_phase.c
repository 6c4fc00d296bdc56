/* Who holds a place for too long is cut, by name; who is in time is not. Time passes by moving the moment at
 * which a phase began. */
#include "front_scene.h"
#include "service/front/phase.h"
#include "test.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define GET "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
#define POST "POST / HTTP/1.1\r\nHost: h\r\n"

static front_scene *scene;
static int client;

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

static void say(const char *text)
{
    client_say(scene, client, text);
    for (int i = 0; i < 3; i++) {
        scene_run(scene, 20);
    }
    scene_drain(scene);
}

/* The one that has been in this phase for the longest time began so much earlier. */
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
    assert_int_equal(scene->front->ending, 0);
    assert_int_equal(client_ask(scene, GET, &heard), 204);
}

static void a_first_line_that_never_ends_is_cut(void **state)
{
    (void)state;
    say("GET /aaa");
    pass(RING_QUIET, 61);
    assert_int_equal(refused(FRONT_REFUSED_SLOW_HEAD), 0);
    pass(RING_QUIET, 2);
    assert_cut(FRONT_REFUSED_SLOW_HEAD);
}

static void a_head_that_never_ends_is_cut(void **state)
{
    (void)state;
    say(POST "X: ");
    pass(RING_READS, 9);
    assert_int_equal(refused(FRONT_REFUSED_SLOW_HEAD), 0);
    pass(RING_READS, 2);
    assert_cut(FRONT_REFUSED_SLOW_HEAD);
}

static void the_second_head_of_a_connection_has_the_same_time(void **state)
{
    (void)state;
    client_heard heard;
    say(GET);
    client_hear(scene, client, 1, &heard);
    pass(RING_QUIET, 50);
    say("GET / HTTP/1.1\r\nX:");
    pass(RING_READS, 11);
    assert_cut(FRONT_REFUSED_SLOW_HEAD);
}

static void a_body_below_the_rate_is_cut(void **state)
{
    (void)state;
    scene->front->rate_min = 100;
    say(POST "Content-Length: 900\r\n\r\n");
    say("a hundred of bytes would do for a second; these are fewer");
    pass(RING_READS, 10);
    assert_int_equal(refused(FRONT_REFUSED_SLOW_BODY), 0);
    pass(RING_READS, 1);
    assert_cut(FRONT_REFUSED_SLOW_BODY);
}

static void a_body_above_the_rate_goes_on_until_the_time_of_a_request_is_over(void **state)
{
    (void)state;
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

static void a_body_that_is_refused_has_no_more_time(void **state)
{
    (void)state;
    scene->front->rate_min = 100;
    say(POST "Content-Length: 5000\r\n\r\nabc");
    assert_int_equal(refused(FRONT_REFUSED_LENGTH), 1);
    pass(RING_READS, 11);
    assert_cut(FRONT_REFUSED_SLOW_BODY);
}

static void a_request_that_waits_for_us_is_never_slow(void **state)
{
    (void)state;
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

static void an_answer_that_nobody_takes_is_cut(void **state)
{
    (void)state;
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

static void who_is_quiet_gives_way_when_all_places_are_taken(void **state)
{
    (void)state;
    scene->front->connections_max = 2;
    int other = client_new(scene);
    scene_drain(scene);
    client_heard heard;
    assert_int_equal(client_ask(scene, GET, &heard), 0); /* nobody has been quiet for long */
    assert_int_equal(refused(FRONT_REFUSED_CONNECTIONS), 1);
    pass(RING_QUIET, 2);
    assert_int_equal(client_ask(scene, GET, &heard), 204);
    assert_int_equal(refused(FRONT_REFUSED_ROOM), 1);
    client_hear_all(scene, client, &heard); /* the oldest */
    scene_drain(scene);
    assert_int_equal(scene->front->ending, 0);
    client_say(scene, other, GET);
    client_hear(scene, other, 1, &heard);
    assert_int_equal(heard_status(&heard), 204);
    close(other);
}

static void who_reads_for_long_gives_way_when_nobody_is_quiet(void **state)
{
    (void)state;
    scene->front->connections_max = 1;
    say(POST "X: ");
    pass(RING_READS, 2);
    client_heard heard;
    assert_int_equal(client_ask(scene, GET, &heard), 204);
    assert_int_equal(refused(FRONT_REFUSED_ROOM), 1);
}

static void there_is_nothing_to_look_at_without_connections(void **state)
{
    (void)state;
    assert_in_range(phase_timeout_ms(scene->front), 1, 500);
    close(client);
    scene_empty(scene);
    assert_int_equal(phase_timeout_ms(scene->front), -1);
    client = client_new(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_first_line_that_never_ends_is_cut, start, stop),
        cmocka_unit_test_setup_teardown(a_head_that_never_ends_is_cut, start, stop),
        cmocka_unit_test_setup_teardown(the_second_head_of_a_connection_has_the_same_time, start,
                                        stop),
        cmocka_unit_test_setup_teardown(a_body_below_the_rate_is_cut, start, stop),
        cmocka_unit_test_setup_teardown(
            a_body_above_the_rate_goes_on_until_the_time_of_a_request_is_over, start, stop),
        cmocka_unit_test_setup_teardown(a_body_that_is_refused_has_no_more_time, start, stop),
        cmocka_unit_test_setup_teardown(a_request_that_waits_for_us_is_never_slow, start, stop),
        cmocka_unit_test_setup_teardown(an_answer_that_nobody_takes_is_cut, start, stop),
        cmocka_unit_test_setup_teardown(who_is_quiet_gives_way_when_all_places_are_taken, start,
                                        stop),
        cmocka_unit_test_setup_teardown(who_reads_for_long_gives_way_when_nobody_is_quiet, start,
                                        stop),
        cmocka_unit_test_setup_teardown(there_is_nothing_to_look_at_without_connections, start,
                                        stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
