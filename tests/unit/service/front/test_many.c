/* Many connections at once. libmicrohttpd's own epoll loop hangs for good when 128 or 256 of them are
 * ready at the same moment, and its poll loop collapses beside thousands that are idle. */
#include "front_scene.h"
#include "test.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define GOOD "POST /v1/x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"
#define OPEN_AT_ONCE 200u /* connections requested before the front runs */

/* Two descriptors per connection, and a few. False if the system does not allow so many. */
static bool allow_connections(uint32_t count)
{
    rlim_t wanted = 2u * count + 100u;
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    if (limit.rlim_cur >= wanted) return true;
    limit.rlim_cur = wanted;
    if (limit.rlim_max < wanted) limit.rlim_max = wanted;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

static front_scene *scene_of(uint32_t connections)
{
    front_scene *scene = scene_new();
    scene->settings.connections_max = connections;
    scene_open(scene);
    scene->waits = true;
    scene->settles = true;
    return scene;
}

static int *connect_all(front_scene *scene, uint32_t count)
{
    int *client = calloc(count, sizeof *client);
    assert_non_null(client);
    for (uint32_t i = 0; i < count; i++) {
        client[i] = client_new(scene);
        if (i % OPEN_AT_ONCE == OPEN_AT_ONCE - 1u) scene_drain(scene);
    }
    scene_drain(scene);
    assert_int_equal(front_count(scene->front).connections, count);
    return client;
}

static void hear_all(front_scene *scene, const int *client, uint32_t count)
{
    FREED_BY(free_memory) client_heard *heard = malloc(sizeof *heard);
    assert_non_null(heard);
    for (uint32_t i = 0; i < count; i++) {
        client_hear(scene, client[i], 1, heard);
        assert_int_equal(heard_status(heard), 204);
    }
}

static void close_all(int *client, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        close(client[i]);
    }
    free(client);
}

TEST(requests_that_are_ready_at_once_are_all_answered)
{
    static const uint32_t counts[] = {127, 128, 129, 256, 1000};
    if (!allow_connections(1000)) skip();
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        front_scene *scene = scene_of(counts[c]);
        int *client = connect_all(scene, counts[c]);
        for (uint32_t round = 1; round <= 3; round++) {
            for (uint32_t i = 0; i < counts[c]; i++) {
                assert_int_equal(send(client[i], GOOD, strlen(GOOD), 0), strlen(GOOD));
            }
            hear_all(scene, client, counts[c]);
            assert_int_equal(scene->answered, round * counts[c]);
        }
        close_all(client, counts[c]);
        scene_drain(scene);
        assert_int_equal(front_count(scene->front).connections, 0);
        scene_free(scene);
    }
}

/* All of them connect and send before the front runs: as many as the system queues for us. */
TEST(requests_that_were_there_first_are_all_answered)
{
    enum { COUNT = 256 };
    front_scene *scene = scene_of(COUNT);
    int *client = calloc(COUNT, sizeof *client);
    assert_non_null(client);
    for (uint32_t i = 0; i < COUNT; i++) {
        client[i] = client_new(scene);
        assert_int_equal(send(client[i], GOOD, strlen(GOOD), 0), strlen(GOOD));
    }
    hear_all(scene, client, COUNT);
    close_all(client, COUNT);
    scene_free(scene);
}

TEST(all_that_wait_suspended_are_settled_at_once)
{
    enum { COUNT = 256 };
    front_scene *scene = scene_of(COUNT);
    scene->settles = false;
    scene->body_max = FRONT_WAITING_BYTES; /* so that all may wait together */
    int *client = connect_all(scene, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(send(client[i], GOOD, strlen(GOOD), 0), strlen(GOOD));
    }
    for (int i = 0; i < 8; i++) {
        scene_drain(scene);
    }
    assert_int_equal(front_begun(scene->front), COUNT);
    assert_true(front_timeout_ms(scene->front) != 0); /* no connection is polled in a loop */
    front_settle(scene->front, &(front_answer){.status = 204});
    assert_int_equal(front_begun(scene->front), 0);
    hear_all(scene, client, COUNT);
    close_all(client, COUNT);
    scene_free(scene);
}

TEST(live_connections_are_served_beside_thousands_that_are_idle)
{
    enum { IDLE = 3900, LIVE = 64, ROUNDS = 50 };
    if (!allow_connections(IDLE + LIVE)) {
        print_message("skipped: the system does not allow %d descriptors\n", 2 * (IDLE + LIVE));
        skip();
    }
    front_scene *scene = scene_of(IDLE + LIVE);
    int *idle = connect_all(scene, IDLE);
    int *live = calloc(LIVE, sizeof *live);
    assert_non_null(live);
    for (uint32_t i = 0; i < LIVE; i++) {
        live[i] = client_new(scene);
    }
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < LIVE; i++) {
            assert_int_equal(send(live[i], GOOD, strlen(GOOD), 0), strlen(GOOD));
        }
        hear_all(scene, live, LIVE);
    }
    assert_int_equal(scene->answered, LIVE * ROUNDS);
    /* And after they were idle, all at once. */
    for (uint32_t i = 0; i < IDLE; i++) {
        assert_int_equal(send(idle[i], GOOD, strlen(GOOD), 0), strlen(GOOD));
    }
    hear_all(scene, idle, IDLE);
    close_all(live, LIVE);
    close_all(idle, IDLE);
    scene_free(scene);
}
