/* A data set played by many methods and seeds at once. */
#include "replay.h"
#include "core/fault.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TICK_NS 100000000L /* how often the listener hears: a tenth of a second */
#define SECOND_NS 1000000000L

/* Those who play one block. A run is played by one of them, whoever comes first. */
typedef struct crew {
    sotto__replay *replay;
    const sotto_people *people;
    atomic_uint_least64_t next; /* the first run that nobody plays yet */
    atomic_uint_least64_t rounds;
    atomic_bool stop;
    bool stopped; /* by the listener */
    pthread_mutex_t lock;
    pthread_cond_t done;
    uint32_t done_count;    /* members who went home, under the lock */
    uint64_t failed;        /* the first run that failed, under the lock; UINT64_MAX: none */
    sotto_status status;    /* of that run */
    uint32_t members_count; /* threads that were started */
} crew;

typedef struct member {
    crew *crew;
    sotto__replay_room *room;
    pthread_t thread;
} member;

/* ---- made and freed ----------------------------------------------------------------------- */

static sotto_status take_memory(sotto__replay *replay, uint32_t dim)
{
    const sotto__replay_settings *s = &replay->settings;
    replay->run = calloc(replay->runs_count, sizeof replay->run[0]);
    replay->room = calloc(s->threads, sizeof replay->room[0]);
    if (replay->run == NULL || replay->room == NULL) return SOTTO_E_MEMORY;
    sotto_status status =
        sotto__yardstick_new(s->match[0].spec.arms, s->rules.clip, &replay->yardstick);
    if (status == SOTTO_OK && s->rules.log) {
        status = sotto__yardstick_keep_groups(replay->yardstick);
    }
    for (uint32_t b = 0; b < 2 && status == SOTTO_OK; b++) {
        status = sotto_people_new(dim, &replay->block[b]);
    }
    for (uint32_t i = 0; i < s->threads && status == SOTTO_OK; i++) {
        status =
            sotto__replay_room_new(&s->match[0].spec, replay->block[0]->rows_max, &replay->room[i]);
    }
    for (uint64_t r = 0; r < replay->runs_count && status == SOTTO_OK; r++) {
        status = sotto__replay_run_begin(&replay->run[r], &s->match[r / s->seeds_count],
                                         1 + r % s->seeds_count, &s->rules);
    }
    return status;
}

sotto_status sotto__replay_new(const sotto__replay_settings *settings, uint32_t dim,
                               sotto__replay **out)
{
    *out = NULL;
    sotto__replay *replay = calloc(1, sizeof *replay);
    if (replay == NULL) return SOTTO_E_MEMORY;
    replay->settings = *settings;
    replay->runs_count = (uint64_t)settings->matches_count * settings->seeds_count;
    if (replay->settings.threads > replay->runs_count) {
        replay->settings.threads = (uint32_t)replay->runs_count;
    }
    sotto_status status = take_memory(replay, dim);
    if (status != SOTTO_OK) {
        sotto__replay_free(replay);
        return status;
    }
    *out = replay;
    return SOTTO_OK;
}

void sotto__replay_free(sotto__replay *replay)
{
    if (replay == NULL) return;
    for (uint64_t r = 0; replay->run != NULL && r < replay->runs_count; r++) {
        sotto__replay_run_free(&replay->run[r]);
    }
    for (uint32_t i = 0; replay->room != NULL && i < replay->settings.threads; i++) {
        sotto__replay_room_free(&replay->room[i]);
    }
    sotto_people_free(replay->block[0]);
    sotto_people_free(replay->block[1]);
    sotto__yardstick_free(replay->yardstick);
    free(replay->run);
    free(replay->room);
    free(replay);
}

/* ---- a member of the crew ----------------------------------------------------------------- */

static bool go_on(void *state, uint64_t rounds)
{
    crew *c = state;
    atomic_fetch_add_explicit(&c->rounds, rounds, memory_order_relaxed);
    return !atomic_load_explicit(&c->stop, memory_order_relaxed);
}

/* Of several runs that fail the first counts, whoever was faster. */
static void fail(crew *c, uint64_t run, sotto_status status)
{
    pthread_mutex_lock(&c->lock);
    if (run < c->failed) {
        c->failed = run;
        c->status = status;
    }
    pthread_mutex_unlock(&c->lock);
}

static void *work(void *state)
{
    member *m = state;
    crew *c = m->crew;
    const sotto_run_watch watch = {go_on, c};
    while (!atomic_load_explicit(&c->stop, memory_order_relaxed)) {
        uint64_t r = atomic_fetch_add_explicit(&c->next, 1, memory_order_relaxed);
        if (r >= c->replay->runs_count) break; /* all are taken */
        sotto_status status =
            sotto__replay_run_block(&c->replay->run[r], c->people, m->room, &watch);
        if (status != SOTTO_OK) fail(c, r, status);
    }
    pthread_mutex_lock(&c->lock);
    c->done_count++;
    pthread_cond_signal(&c->done);
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* ---- the caller --------------------------------------------------------------------------- */

static struct timespec next_tick(void)
{
    struct timespec tick;
    clock_gettime(CLOCK_MONOTONIC, &tick);
    tick.tv_nsec += TICK_NS;
    if (tick.tv_nsec >= SECOND_NS) {
        tick.tv_nsec -= SECOND_NS;
        tick.tv_sec++;
    }
    return tick;
}

/* Waits until all members went home. */
static void wait_for_all(crew *c, const sotto_replay_listener *listener)
{
    pthread_mutex_lock(&c->lock);
    while (c->done_count < c->members_count) {
        struct timespec tick = next_tick();
        (void)pthread_cond_timedwait(&c->done, &c->lock, &tick);
        if (listener == NULL) continue;
        pthread_mutex_unlock(&c->lock);
        uint64_t rounds = atomic_load_explicit(&c->rounds, memory_order_relaxed);
        c->stopped = c->stopped || !listener->progress(listener->state, rounds);
        if (c->stopped) atomic_store(&c->stop, true);
        pthread_mutex_lock(&c->lock);
    }
    pthread_mutex_unlock(&c->lock);
}

/* The next people, of this pass or of another one; none at the end. */
static const char *read_block(sotto__replay *replay, sotto_dataset *dataset, uint32_t *pass,
                              uint64_t *people_left, sotto_people *block, char *fault)
{
    block->rows = 0;
    if (*people_left == 0) return NULL;
    const char *wrong = sotto_dataset_next(dataset, block, fault);
    if (wrong == NULL && block->rows == 0 && *pass + 1 < replay->settings.passes) {
        (*pass)++;
        wrong = sotto_dataset_rewind(dataset, fault);
        if (wrong == NULL) wrong = sotto_dataset_next(dataset, block, fault);
    }
    if (wrong != NULL) return wrong;
    bool last = block->rows >= *people_left;
    if (last && !replay->settings.rules.shuffle) block->rows = (uint32_t)*people_left;
    *people_left -= last ? *people_left : block->rows;
    if (*pass == 0) sotto__yardstick_add(replay->yardstick, block);
    return NULL;
}

/* Starts a thread a room; fewer, where the system gives no more. */
static void start(crew *c, member *members)
{
    for (uint32_t i = 0; i < c->replay->settings.threads; i++) {
        members[i] = (member){.crew = c, .room = &c->replay->room[i]};
        if (pthread_create(&members[i].thread, NULL, work, &members[i]) != 0) return;
        c->members_count = i + 1;
    }
}

/* Plays one block while `ahead` is read. */
static const char *play_block(crew *c, member *members, const sotto_replay_listener *listener,
                              sotto_dataset *dataset, uint32_t *pass, uint64_t *people_left,
                              sotto_people *ahead, char *fault)
{
    atomic_store(&c->next, 0);
    c->done_count = c->members_count = 0;
    start(c, members);
    const char *wrong = read_block(c->replay, dataset, pass, people_left, ahead, fault);
    if (wrong != NULL) atomic_store(&c->stop, true);
    wait_for_all(c, listener);
    for (uint32_t i = 0; i < c->members_count; i++) {
        pthread_join(members[i].thread, NULL);
    }
    if (wrong != NULL) return wrong;
    if (c->stopped) return sotto__fault(fault, "%s", SOTTO_REPLAY_STOPPED);
    if (c->members_count == 0) c->status = SOTTO_E_MEMORY;
    if (c->status == SOTTO_OK) return NULL;
    return sotto__fault(fault, "%s", sotto_status_text(c->status));
}

static const char *play_all(crew *c, member *members, const sotto_replay_listener *listener,
                            sotto_dataset *dataset, char *fault)
{
    sotto__replay *replay = c->replay;
    uint64_t people_left = replay->settings.rules.people_max;
    uint32_t pass = 0, current = 0;
    const char *wrong =
        read_block(replay, dataset, &pass, &people_left, replay->block[current], fault);
    while (wrong == NULL && replay->block[current]->rows > 0) {
        c->people = replay->block[current];
        current = 1 - current;
        wrong = play_block(c, members, listener, dataset, &pass, &people_left,
                           replay->block[current], fault);
    }
    return wrong;
}

const char *sotto__replay_play(sotto__replay *replay, sotto_dataset *dataset,
                               const sotto_replay_listener *listener, char fault[SOTTO_FAULT_BYTES])
{
    crew c = {.replay = replay, .failed = UINT64_MAX};
    member *members = calloc(replay->settings.threads, sizeof *members);
    if (members == NULL) {
        return sotto__fault(fault, "%s", sotto_status_text(SOTTO_E_MEMORY));
    }
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&c.lock, NULL);
    pthread_cond_init(&c.done, &monotonic);
    pthread_condattr_destroy(&monotonic);
    const char *wrong = play_all(&c, members, listener, dataset, fault);
    pthread_cond_destroy(&c.done);
    pthread_mutex_destroy(&c.lock);
    free(members);
    for (uint64_t r = 0; wrong == NULL && r < replay->runs_count; r++) {
        sotto__replay_run_end(&replay->run[r]);
    }
    return wrong;
}
