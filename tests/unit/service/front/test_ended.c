/* Connections that libmicrohttpd ends itself are counted once each, by reason; those that others
 * end are not. */
#include "front_scene.h"
#include "service/front/inner.h"
#include "test.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define GET "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

static front_scene *scene;

/* Clients that close as soon as the server closes, before it has counted them. */
enum { QUICK = 3 };
static int quick[QUICK];
static int quick_left;

/* Replaces the C library's function, also for libmicrohttpd. */
__attribute__((visibility("default"))) int shutdown(int fd, int how)
{
    int got = (int)syscall(SYS_shutdown, fd, how);
    while (quick_left > 0) {
        close(quick[--quick_left]);
    }
    return got;
}

/* Time passes only when a test says so, for the service and for libmicrohttpd, which reads the C
 * library's clock. */
static uint32_t passed_s;

uint64_t __wrap_clock_steady_ms(void);
uint64_t __wrap_clock_steady_ms(void)
{
    return 1000000 + 1000 * passed_s;
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *out)
{
    int got = (int)syscall(SYS_clock_gettime, clock, out);
    if (got == 0) out->tv_sec += passed_s;
    return got;
}

#define IDLE_S_MAX 100u

FIXTURE(start)
{
    scene = scene_new();
    scene->settings.idle_s_max = IDLE_S_MAX;
    scene->settings.head_s_max = 10 * IDLE_S_MAX;
    scene->settings.rate_min = 0;
    passed_s = 0;
    scene_open(scene);
}

FIXTURE(stop)
{
    scene_free(scene);
}

static void assert_refused(front_refusal why, uint64_t count)
{
    for (uint32_t i = 0; i < FRONT_REFUSALS; i++) {
        assert_int_equal(front_count(scene->front).refused[i], i == why ? count : 0);
    }
}

TEST_WITH(who_says_nothing_is_counted, start, stop)
{
    enum { CLIENTS = 7 };
    int client[CLIENTS];
    static const char *const said[CLIENTS] = {
        "",
        "",
        "",
        "GET /",
        "GET / HTTP/1.1\r\nX: y",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nbody",
        GET};
    for (int i = 0; i < CLIENTS; i++) {
        client[i] = client_new(scene);
        client_say(scene, client[i], said[i]);
    }
    client_heard heard;
    client_hear(scene, client[CLIENTS - 1], 1, &heard);
    assert_int_equal(heard_status(&heard), 204);
    scene_drain(scene);
    passed_s = IDLE_S_MAX + 1;
    scene_empty(scene);
    assert_refused(FRONT_REFUSED_IDLE, CLIENTS);
    for (int i = 0; i < CLIENTS; i++) {
        close(client[i]);
    }
}

TEST_WITH(who_says_nothing_and_goes_when_told_is_counted, start, stop)
{
    for (int i = 0; i < QUICK; i++) {
        quick[i] = client_new(scene);
    }
    while (front_count(scene->front).connections < QUICK) {
        scene_run(scene, 1);
    }
    quick_left = QUICK;
    passed_s = IDLE_S_MAX + 1;
    scene_empty(scene);
    assert_int_equal(quick_left, 0);
    assert_refused(FRONT_REFUSED_IDLE, QUICK);
}

TEST_WITH(who_goes_by_itself_is_not_counted, start, stop)
{
    int silent = client_new(scene), half = client_new(scene), done = client_new(scene);
    client_heard heard;
    client_say(scene, half, "GET / HT");
    client_say(scene, done, GET);
    client_hear(scene, done, 1, &heard);
    shutdown(half, SHUT_WR);
    close(silent);
    close(done);
    scene_empty(scene);
    close(half);
    assert_refused(FRONT_REFUSALS, 0);
}

TEST_WITH(who_says_what_is_no_head_is_counted_as_that, start, stop)
{
    char text[6000] = "GET / HTTP/1.1\r\nX: ";
    memset(text + strlen(text), 'y', 5000);
    client_heard heard;
    assert_int_equal(client_ask(scene, text, &heard), 431);
    scene_empty(scene);
    assert_refused(FRONT_REFUSED_HEAD, 1);
}
