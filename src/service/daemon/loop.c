#include "core/core.h"
#include "daemon.h"
#include "inner.h"
#include "service/system/system.h"

#include <assert.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* ==== signals ================================================================================ */

void signals_hold(bool held)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    (void)sigprocmask(held ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

int signals_open(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    if (sigprocmask(SIG_BLOCK, &set, NULL) != 0) return -1;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow then causes a write error */
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

signals_kind signals_take(int fd)
{
    struct signalfd_siginfo info;
    if (read(fd, &info, sizeof info) != sizeof info) return SIGNALS_NONE;
    return info.ssi_signo == SIGHUP ? SIGNALS_RELOAD : SIGNALS_END;
}

/* ==== loop =================================================================================== */

/*
 * One turn:
 *
 *     poll           waits until a port or a shared journal is ready, an epoch may end, or a signal arrives
 *     front_run      requests are read; reports are offered to the group, and their requests wait
 *     intake_commit  the group becomes durable and is folded
 *     front_settle   the answers are sent
 *     epochs_turn    publishes what is due, once the reports received for it are taken in */

#define RETRY_MS 1000u /* after a failure of the journal */
#define SAY_MS 60000u  /* between log lines about it */
/* the next attempt comes after so many times the duration of the last one */
#define TRY_PART 4u
/* but at most this long after: a disk that hung for an hour is soon tried again */
#define TRY_MS_MAX 30000u

static int sooner(int a, int b)
{
    if (a < 0) return b;
    return b < 0 || a < b ? a : b;
}

/* Milliseconds until the next turn of epochs: as they requested last, or 0 if reports have come since. */
static int until_epoch(const sottod_loop *loop, uint64_t now_ms)
{
    if (now_ms < loop->retry_ms) return (int)(loop->retry_ms - now_ms);
    if (now_ms >= loop->turn_ms) return 0;
    return sooner(epochs_timeout_ms(loop->service->experiments, now_ms),
                  (int)(loop->turn_ms - now_ms));
}

/* The journal reports its own part of the duration; the rest is sorting and folding. */
static bool commit_group(api_service *service, sottod_refusal *why)
{
    uint64_t journal_us = 0, began_us = clock_steady_us();
    if (!intake_commit(service->intake, why)) return false;
    uint64_t all_us = clock_steady_us() - began_us;
    journal_commits(service->journal, &journal_us);
    service->commits++;
    service->commit_us += journal_us;
    service->folded_us += all_us > journal_us ? all_us - journal_us : 0;
    return true;
}

/* True if a port can be read or written. Waits for that, or for a signal, up to `timeout_ms`. */
static bool ready(const sottod_loop *loop, int timeout_ms)
{
    struct pollfd fd[] = {
        {.fd = front_fd(loop->public_front), .events = POLLIN},
        {.fd = front_fd(loop->admin_front), .events = POLLIN},
        {.fd = loop->signals, .events = POLLIN},
        {.fd = journal_fd(loop->service->journal), .events = POLLIN}, /* poll ignores -1 */
    };
    return poll(fd, 4, timeout_ms) > 0 && (fd[0].revents != 0 || fd[1].revents != 0);
}

static int fronts_timeout_ms(const sottod_loop *loop)
{
    return sooner(front_timeout_ms(loop->public_front), front_timeout_ms(loop->admin_front));
}

/* Logs a failure of the journal. */
static void say_that(sottod_loop *loop, const char *event, const char *why)
{
    uint64_t now_ms = clock_steady_ms();
    loop->retry_ms = now_ms + RETRY_MS;
    if (loop->said_ms != 0 && now_ms - loop->said_ms < SAY_MS) return;
    loop->said_ms = now_ms;
    log_why(loop->service->log, LOG_ERROR, event, why);
}

static void commits_fail(sottod_loop *loop, const char *why)
{
    if (!loop->service->failing) loop->said_ms = 0; /* the first failure is logged at once */
    loop->service->failing = true;
    loop->service->reason = journal_reason(loop->service->journal);
    say_that(loop, "commit_failed", why);
}

static void commits_work(sottod_loop *loop)
{
    if (!loop->service->failing) return;
    loop->service->failing = false;
    log_write(loop->service->log, LOG_INFO, "commit_works", NULL);
}

/* A shared journal may refuse only these reports, for example because the experiment was closed elsewhere, and
 * otherwise work. */
static void commit_failed(sottod_loop *loop)
{
    sottod_journal *journal = loop->service->journal;
    const sotto_fault why = *journal_fault(journal); /* which a probe overwrites */
    if (journal_fd(journal) < 0 || !journal_probe(journal)) {
        commits_fail(loop, why.sentence);
        return;
    }
    log_why(loop->service->log, LOG_WARNING, "commit_refused", why.sentence);
}

/* Makes the group durable and prepares its answers. False: the group was empty. */
static bool settle(sottod_loop *loop)
{
    sottod_refusal why;
    if (intake_waiting(loop->service->intake) == 0) return false;
    bool durable = commit_group(loop->service, &why);
    if (durable) {
        commits_work(loop);
    } else {
        commit_failed(loop);
    }
    front_answer answer = api_public_settled(loop->public_port, durable ? NULL : &why);
    front_settle(loop->public_front, &answer);
    return true;
}

/* With a shared journal, each single copy or late frame would cost a row. So they are collected for a while, or until
 * a report comes, and share one row. They are answered then. */
static bool gathers(sottod_loop *loop)
{
    const uint64_t now_ms = clock_steady_ms();
    const uint32_t wait_ms = intake_gathers_ms(loop->service->intake);
    const bool before = loop->counts_ms != 0;
    if (wait_ms == 0 || (before && now_ms >= loop->counts_ms)) {
        loop->counts_ms = 0;
        return false;
    }
    if (!before) loop->counts_ms = now_ms + wait_ms;
    return true;
}

static int until_counts(const sottod_loop *loop, uint64_t now_ms)
{
    if (loop->counts_ms == 0) return -1;
    return now_ms >= loop->counts_ms ? 0 : (int)(loop->counts_ms - now_ms);
}

/* Also sends the answers, which may take in more reports. */
static void commit(sottod_loop *loop)
{
    if (!gathers(loop) && settle(loop)) front_run(loop->public_front);
}

static void end_epochs(sottod_loop *loop, uint64_t now_ms)
{
    bool drained = fronts_timeout_ms(loop) != 0 && !ready(loop, 0);
    uint64_t began_us = clock_steady_us();
    bool worked = epochs_turn(loop->service->experiments, now_ms, clock_minute(), drained);
    loop->service->publish_us += clock_steady_us() - began_us;
    int next_ms = epochs_timeout_ms(loop->service->experiments, now_ms);
    loop->turn_ms = now_ms + (uint64_t)sooner(LOOP_TURN_MS_MAX, next_ms);
    if (worked) return;
    const sotto_fault why = *journal_fault(loop->service->journal);
    if (journal_probe(loop->service->journal)) {
        say_that(loop, "keeping_failed", why.sentence); /* reports are durable nevertheless */
    } else {
        commits_fail(loop, why.sentence);
    }
}

static void publish(sottod_loop *loop)
{
    uint64_t now_ms = clock_steady_ms();
    if (until_epoch(loop, now_ms) != 0) return;
    commit(loop);
    /* No report may wait while an epoch ends: it would become part of another epoch. */
    bool owes = settle(loop);
    loop->counts_ms = 0;
    assert(intake_waiting(loop->service->intake) == 0);
    end_epochs(loop, now_ms);
    if (owes) front_run(loop->public_front);
}

/* While /readyz says that the service cannot write, clients send no reports, so the service itself must find out when
 * it can write again. If an attempt takes long, as with a machine that does not answer, the next one follows after
 * several times as long. */
static void try_again(sottod_loop *loop)
{
    uint64_t began_ms = clock_steady_ms();
    if (!loop->service->failing || began_ms < loop->retry_ms) return;
    if (journal_probe(loop->service->journal)) {
        commits_work(loop);
        return;
    }
    commits_fail(loop, journal_fault(loop->service->journal)->sentence);
    const uint64_t wait_ms = TRY_PART * (clock_steady_ms() - began_ms);
    loop->retry_ms += wait_ms < TRY_MS_MAX ? wait_ms : TRY_MS_MAX;
}

/* Answers clients that wait for a change. */
static void tell_changes(sottod_loop *loop)
{
    front_answer answer;
    if (!api_admin_turn(loop->admin_port, clock_steady_ms(), &answer)) return;
    front_settle(loop->admin_front, &answer);
    front_run(loop->admin_front);
}

static void turn(sottod_loop *loop, int timeout_ms)
{
    int wait_ms = sooner(timeout_ms, fronts_timeout_ms(loop));
    const uint64_t now_ms = clock_steady_ms();
    wait_ms = sooner(wait_ms, until_counts(loop, now_ms));
    wait_ms = sooner(wait_ms, api_admin_timeout_ms(loop->admin_port, now_ms));
    ready(loop, sooner(wait_ms, until_epoch(loop, now_ms)));
    front_run(loop->public_front);
    front_run(loop->admin_front);
    commit(loop);
    try_again(loop);
    epochs_notice(loop->service->experiments);
    publish(loop);
    tell_changes(loop);
}

void loop_run(sottod_loop *loop)
{
    signals_kind came;
    while ((came = signals_take(loop->signals)) != SIGNALS_END) {
        if (came == SIGNALS_RELOAD) loop->reload(loop->self);
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
