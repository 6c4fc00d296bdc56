/*
 * One turn:
 *
 *     poll           until a port has something, or an epoch may end, or a signal comes
 *     front_run      requests are read; reports are offered to the group, and their requests wait
 *     intake_commit  the group becomes durable and is folded
 *     front_settle   their answers leave
 *     epochs_turn    what is due is published, once nothing more is waiting on the ports
 */
#include "loop.h"
#include "service/system/clock.h"
#include "signals.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>

#define RETRY_MS 1000u /* after the journal failed */

static int sooner(int a, int b)
{
    if (a < 0) return b;
    return b < 0 || a < b ? a : b;
}

/* Milliseconds until an epoch may end by time alone; -1: none. */
static int until_epoch(const sottod_loop *loop, uint64_t now_ms)
{
    if (now_ms < loop->retry_ms) return (int)(loop->retry_ms - now_ms);
    return epochs_timeout_ms(loop->service->experiments, now_ms);
}

/* True if a port has something to read or to write. Waits for it, or for a signal, `timeout_ms`. */
static bool ready(const sottod_loop *loop, int timeout_ms)
{
    struct pollfd fd[] = {
        {.fd = front_fd(loop->public_front), .events = POLLIN},
        {.fd = front_fd(loop->admin_front), .events = POLLIN},
        {.fd = loop->signals, .events = POLLIN},
    };
    return poll(fd, 3, timeout_ms) > 0 && (fd[0].revents != 0 || fd[1].revents != 0);
}

static int fronts_timeout_ms(const sottod_loop *loop)
{
    return sooner(front_timeout_ms(loop->public_front), front_timeout_ms(loop->admin_front));
}

static void say_that_commits_fail(sottod_loop *loop)
{
    uint64_t now_ms = clock_steady_ms();
    loop->service->failing = true;
    loop->retry_ms = now_ms + RETRY_MS;
    if (loop->refused_ms != 0 && now_ms - loop->refused_ms < 60000) return; /* once a minute */
    loop->refused_ms = now_ms;
    loop->said = true;
    const log_value values[] = {{"why", journal_fault(loop->service->journal), 0}, {NULL, NULL, 0}};
    log_write(loop->service->log, LOG_ERROR, "commit_failed", values);
}

static void say_that_commits_work(sottod_loop *loop)
{
    if (loop->said) log_write(loop->service->log, LOG_INFO, "commit_works", NULL);
    loop->service->failing = loop->said = false;
}

/* Makes the group durable, and has its answers ready. False: there was nothing in it. */
static bool settle(sottod_loop *loop)
{
    sottod_refusal why;
    if (intake_waiting(loop->service->intake) == 0) return false;
    bool durable = intake_commit(loop->service->intake, &why);
    if (durable) {
        say_that_commits_work(loop);
    } else {
        say_that_commits_fail(loop);
    }
    front_answer answer = api_public_settled(loop->public_port, durable ? NULL : &why);
    front_settle(loop->public_front, &answer);
    return true;
}

/* Sends the answers, too. That may take in more reports. */
static void commit(sottod_loop *loop)
{
    if (settle(loop)) front_run(loop->public_front);
}

static void publish(sottod_loop *loop)
{
    uint64_t now_ms = clock_steady_ms();
    if (until_epoch(loop, now_ms) != 0 && now_ms - loop->turned_ms < LOOP_TURN_MS_MAX) return;
    loop->turned_ms = now_ms;
    commit(loop);
    /* No report waits while an epoch ends: it would be of another one afterwards. */
    bool owes = settle(loop);
    assert(intake_waiting(loop->service->intake) == 0);
    bool drained = fronts_timeout_ms(loop) != 0 && !ready(loop, 0);
    if (!epochs_turn(loop->service->experiments, now_ms, clock_minute(), drained))
        say_that_commits_fail(loop);
    if (owes) front_run(loop->public_front);
}

/* Who hears from /readyz that we cannot write sends no report, so that none would tell when we can. */
static void try_again(sottod_loop *loop)
{
    if (!loop->service->failing || clock_steady_ms() < loop->retry_ms) return;
    if (journal_probe(loop->service->journal)) {
        say_that_commits_work(loop);
    } else {
        say_that_commits_fail(loop);
    }
}

static void turn(sottod_loop *loop, int timeout_ms)
{
    int wait_ms = sooner(timeout_ms, fronts_timeout_ms(loop));
    ready(loop, sooner(wait_ms, until_epoch(loop, clock_steady_ms())));
    front_run(loop->public_front);
    front_run(loop->admin_front);
    commit(loop);
    try_again(loop);
    publish(loop);
}

void loop_run(sottod_loop *loop)
{
    while (!signals_take(loop->signals)) {
        turn(loop, LOOP_TURN_MS_MAX);
    }
    loop->service->stopping = true;
    front_quiesce(loop->public_front);
    front_quiesce(loop->admin_front);
    uint64_t end_ms = clock_steady_ms() + LOOP_DRAIN_MS;
    while (front_begun(loop->public_front) + front_begun(loop->admin_front) > 0 &&
           clock_steady_ms() < end_ms) {
        turn(loop, 100);
    }
}
