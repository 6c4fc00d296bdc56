/*
 * Plays each run in its own process.
 *
 * A child plays one run and writes messages into its pipe, each a tag of 8 bytes and its content:
 *
 *   progress   rounds played since the last, 8 bytes
 *   result     the status, whether the run finished, its result, its points
 *
 * A complete result counts, whatever the child does afterwards. A child whose pipe ends without one has
 * failed, and its exit status says why. The parent checks every number that it reads.
 */
#include "core/core.h"
#include "inner.h"
#include "lab/plugin/plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TICK_MS 100 /* interval of progress reports */

enum { TAG_PROGRESS = 0x50726f67, TAG_RESULT = 0x52657375 };

typedef struct progress_message {
    uint64_t tag, rounds;
} progress_message;

typedef struct result_message {
    uint64_t tag;
    sotto_status status;
    bool finished;
    sotto_run_result result;
} result_message; /* then the points */

/* One child at a time. */
typedef struct child_slot {
    pid_t child; /* 0: free */
    int pipe;    /* its messages */
    uint64_t run;
    char *in; /* the part of the current message that has arrived */
    size_t in_bytes;
    bool ended; /* the pipe is at its end */
    bool heard; /* the whole result is in `in` */
    bool strange;
} child_slot;

typedef struct children {
    const sotto_sweep *sweep;
    const sotto_sweep_listener *listener;
    uint32_t slots_count;
    child_slot *slot;
    struct pollfd *poll;
    size_t result_bytes;
    uint64_t next, rounds;
    uint32_t playing;
    bool stop;
    sotto_status status;
} children;

/* ---- the child ---------------------------------------------------------------------------- */

static bool go_on(void *state, uint64_t rounds)
{
    const progress_message message = {TAG_PROGRESS, rounds};
    return sotto__child_send(*(const int *)state, &message, sizeof message);
}

static _Noreturn void play(const children *c, uint64_t run, int pipe)
{
    const sotto_sweep *sweep = c->sweep;
    const sotto_match *match = &sweep->match[run / sweep->seeds_count];
    uint64_t seed = sweep->first_seed + run % sweep->seeds_count;
    const sotto_run_watch watch = {go_on, &pipe};
    sotto__child_begin();
    dup2(STDERR_FILENO, STDOUT_FILENO);
    result_message message;
    memset(&message, 0, sizeof message); /* padding too: all of it is sent */
    message.tag = TAG_RESULT;
    sotto_point *point = calloc(sweep->at_count, sizeof *point);
    if (point == NULL) _exit(EXIT_FAILURE);
    for (uint32_t i = 0; i < sweep->at_count; i++) {
        point[i].t = sweep->at[i];
    }
    message.status = sotto_match_play(match, seed, point, sweep->at_count, &watch, &message.result,
                                      &message.finished);
    fflush(NULL); /* custom code may have printed */
    bool sent = sotto__child_send(pipe, &message, sizeof message) &&
                sotto__child_send(pipe, point, sweep->at_count * sizeof *point);
    _exit(sent ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* ---- the parent --------------------------------------------------------------------------- */

/* Starts the run in a child. False if the system cannot create a process. */
static bool start(children *c, child_slot *s, uint64_t run)
{
    int ends[2];
    if (pipe(ends) != 0) return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    fflush(NULL); /* so that no child prints it again */
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        play(c, run, ends[1]);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return false;
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    *s = (child_slot){.child = child, .pipe = ends[0], .run = run, .in = s->in};
    c->playing++;
    return true;
}

/* Takes every whole progress message. A result stays in the buffer until the child has ended. */
static void take_messages(children *c, child_slot *s)
{
    uint64_t tag;
    while (s->in_bytes >= sizeof tag && !s->heard) {
        memcpy(&tag, s->in, sizeof tag);
        if (tag == TAG_RESULT) {
            s->heard = s->in_bytes == c->result_bytes;
            return;
        }
        if (tag != TAG_PROGRESS) {
            s->strange = true;
            return;
        }
        progress_message message;
        if (s->in_bytes < sizeof message) return;
        memcpy(&message, s->in, sizeof message);
        c->rounds += message.rounds;
        s->in_bytes -= sizeof message;
        memmove(s->in, s->in + sizeof message, s->in_bytes);
    }
}

static void receive(children *c, child_slot *s)
{
    while (!s->ended && !s->heard && !s->strange) {
        ssize_t got = read(s->pipe, s->in + s->in_bytes, c->result_bytes - s->in_bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) return;
        if (got <= 0) {
            s->ended = true;
        } else {
            s->in_bytes += (size_t)got;
            take_messages(c, s);
        }
    }
}

/* Explains why a child ended without a result, and names the custom code of its run. */
static void explain(const children *c, const child_slot *s, int end, sotto_fault *fault)
{
    const sotto_match *match = &c->sweep->match[s->run / c->sweep->seeds_count];
    const sotto_player_table *method = match->custom;
    const sotto_environment_table *environment = match->environment.custom;
    bool two = method != NULL && environment != NULL;
    char guests[2 * SOTTO_TABLE_NAME_BYTES + 32];
    snprintf(guests, sizeof guests, "%s%s%s%s%s", method == NULL ? "" : "method ",
             method == NULL ? "" : method->name, two ? " or " : "",
             environment == NULL ? "" : "environment ",
             environment == NULL ? "" : environment->name);
    if (s->strange) {
        sotto__refuse(fault, "%s: wrote into a pipe that is not its own", guests);
    } else {
        sotto__child_fault(guests, end, fault);
    }
}

static void tell_failed(children *c, const child_slot *s, const char *fault)
{
    if (c->stop) return;
    c->stop = !SOTTO__ASK(c->listener->failed(c->listener->state, s->run, fault));
}

static void tell_result(children *c, const child_slot *s)
{
    result_message message;
    memcpy(&message, s->in, sizeof message);
    char *sentence = message.result.fault.sentence;
    sentence[sizeof message.result.fault.sentence - 1] = '\0';
    uint32_t *arms = &message.result.measured.arms_count;
    if (*arms > SOTTO_RUN_ARMS_MAX) *arms = SOTTO_RUN_ARMS_MAX;
    if (message.status == SOTTO_E_PLUGIN) {
        tell_failed(c, s, sentence);
        return;
    }
    if (message.status != SOTTO_OK) {
        if (c->status == SOTTO_OK) c->status = message.status;
        c->stop = true;
        return;
    }
    if (!message.finished || c->stop) return;
    sotto_point *point = malloc(c->sweep->at_count * sizeof *point);
    if (point == NULL) {
        c->status = SOTTO_E_MEMORY;
        c->stop = true;
        return;
    }
    memcpy(point, s->in + sizeof message, c->sweep->at_count * sizeof *point);
    for (uint32_t i = 0; i < c->sweep->at_count; i++) {
        point[i].t = c->sweep->at[i];
    }
    c->stop =
        !SOTTO__ASK(c->listener->finished(c->listener->state, s->run, point, &message.result));
    free(point);
}

/* Frees the slot of a child that has ended, and reports its result or failure. */
static void clear(children *c, child_slot *s, int end)
{
    sotto_fault fault;
    receive(c, s); /* what the child wrote before it ended */
    close(s->pipe);
    s->child = 0;
    c->playing--;
    if (s->heard) {
        tell_result(c, s);
        return;
    }
    explain(c, s, end, &fault);
    tell_failed(c, s, fault.sentence);
}

static void serve_slot(children *c, child_slot *s)
{
    int end = 0;
    if (s->child == 0) return;
    receive(c, s);
    bool over = s->heard || s->strange;
    if (over) kill(s->child, SIGKILL); /* it has sent everything, or something invalid */
    /* Wait for the child, not for the end of its pipe: other processes may hold the pipe open. */
    if (waitpid(s->child, &end, over ? 0 : WNOHANG) != 0) clear(c, s, end);
}

/* Starts runs in free slots. If the system cannot create any process, the sweep ends. */
static void fill_slots(children *c)
{
    const sotto_sweep_listener *listener = c->listener;
    uint64_t runs = sotto_sweep_runs(c->sweep);
    for (uint32_t i = 0; i < c->slots_count && !c->stop; i++) {
        while (c->next < runs && listener->known != NULL &&
               SOTTO__ASK(listener->known(listener->state, c->next))) {
            c->next++;
        }
        if (c->next == runs) return;
        if (c->slot[i].child != 0) continue;
        if (start(c, &c->slot[i], c->next)) {
            c->next++;
            continue;
        }
        if (c->playing > 0) return; /* later, when one of them has ended */
        c->status = SOTTO_E_MEMORY;
        c->stop = true;
    }
}

/* Waits until a child writes, or for a tick. */
static void wait_for_news(children *c)
{
    nfds_t count = 0;
    bool closed = false;
    for (uint32_t i = 0; i < c->slots_count; i++) {
        if (c->slot[i].child == 0) continue;
        closed |= c->slot[i].ended; /* it would always be ready */
        if (c->slot[i].ended) continue;
        c->poll[count++] = (struct pollfd){.fd = c->slot[i].pipe, .events = POLLIN};
    }
    (void)poll(c->poll, count, closed ? 1 : TICK_MS);
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static void serve(children *c)
{
    const sotto_sweep_listener *listener = c->listener;
    double progress_ms = now_ms();
    fill_slots(c);
    while (c->playing > 0 && !c->stop) {
        wait_for_news(c);
        for (uint32_t i = 0; i < c->slots_count; i++) {
            serve_slot(c, &c->slot[i]);
        }
        if (now_ms() - progress_ms >= TICK_MS) {
            progress_ms = now_ms();
            bool on = listener->progress == NULL ||
                      SOTTO__ASK(listener->progress(listener->state, c->rounds));
            c->stop = c->stop || !on;
        }
        fill_slots(c);
    }
    for (uint32_t i = 0; i < c->slots_count; i++) {
        if (c->slot[i].child == 0) continue;
        kill(c->slot[i].child, SIGKILL);
        waitpid(c->slot[i].child, NULL, 0);
        close(c->slot[i].pipe);
    }
}

sotto_status sotto__sweep_subprocesses(const sotto_sweep *sweep,
                                       const sotto_sweep_listener *listener)
{
    if (listener == NULL || listener->finished == NULL || listener->failed == NULL) {
        return SOTTO_E_ARGUMENT;
    }
    sotto_status status = sotto__sweep_check(sweep);
    if (status != SOTTO_OK) return status;
    uint64_t runs = sotto_sweep_runs(sweep);
    children c = {
        .sweep = sweep,
        .listener = listener,
        .slots_count = runs < sweep->threads ? (uint32_t)runs : sweep->threads,
        .result_bytes = sizeof(result_message) + sweep->at_count * sizeof(sotto_point),
        .status = SOTTO_OK,
    };
    status = SOTTO_E_MEMORY;
    char *room = malloc(c.slots_count * c.result_bytes);
    c.slot = calloc(c.slots_count, sizeof *c.slot);
    c.poll = calloc(c.slots_count, sizeof *c.poll);
    if (room == NULL || c.slot == NULL || c.poll == NULL) goto cleanup;
    for (uint32_t i = 0; i < c.slots_count; i++) {
        c.slot[i].in = room + i * c.result_bytes;
    }
    serve(&c);
    status = c.status;
cleanup:
    free(room);
    free(c.slot);
    free(c.poll);
    return status;
}
