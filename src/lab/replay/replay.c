/* A data set played by many methods and seeds at once. */
#include "replay.h"
#include "core/core.h"
#include "threads/threads.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define TICK_MS 100u /* interval of progress reports */

/* The workers of one block. Each run is played by the first worker that is free. */
typedef struct crew {
    sotto__replay *replay;
    const sotto_people *people;
    atomic_uint_least64_t next; /* the next run to be played */
    atomic_uint_least64_t rounds;
    atomic_bool stop;
    bool stopped;        /* by the listener */
    workers workers;     /* one per room */
    bool *playing;       /* which workers have not finished this block, under the lock */
    uint32_t left;       /* how many, under the lock */
    uint64_t failed;     /* the first run that failed, under the lock; UINT64_MAX: none */
    sotto_status status; /* of that run */
} crew;

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

/* If several runs fail, keeps the first in order, so that timing does not matter. */
static void fail(crew *c, uint64_t run, sotto_status status)
{
    pthread_mutex_lock(&c->workers.lock);
    if (run < c->failed) {
        c->failed = run;
        c->status = status;
    }
    pthread_mutex_unlock(&c->workers.lock);
}

static void play_runs(crew *c, sotto__replay_room *room)
{
    const sotto_run_watch watch = {go_on, c};
    while (!atomic_load_explicit(&c->stop, memory_order_relaxed)) {
        uint64_t r = atomic_fetch_add_explicit(&c->next, 1, memory_order_relaxed);
        if (r >= c->replay->runs_count) break; /* all are taken */
        sotto_status status = sotto__replay_run_block(&c->replay->run[r], c->people, room, &watch);
        if (status != SOTTO_OK) fail(c, r, status);
    }
}

static bool work(void *state, uint32_t i)
{
    crew *c = state;
    if (!c->playing[i]) return false;
    pthread_mutex_unlock(&c->workers.lock);
    play_runs(c, &c->replay->room[i]);
    pthread_mutex_lock(&c->workers.lock);
    c->playing[i] = false;
    c->left--;
    pthread_cond_signal(&c->workers.done);
    return true;
}

/* ---- the caller --------------------------------------------------------------------------- */

/* Waits until all workers have played the block. */
static void wait_for_all(crew *c, const sotto_replay_listener *listener)
{
    pthread_mutex_lock(&c->workers.lock);
    while (c->left > 0) {
        struct timespec tick = steady_after_ms(TICK_MS);
        (void)pthread_cond_timedwait(&c->workers.done, &c->workers.lock, &tick);
        if (listener == NULL) continue;
        pthread_mutex_unlock(&c->workers.lock);
        uint64_t rounds = atomic_load_explicit(&c->rounds, memory_order_relaxed);
        bool more = SOTTO__ASK(listener->progress(listener->state, rounds));
        c->stopped = c->stopped || !more;
        if (c->stopped) atomic_store(&c->stop, true);
        pthread_mutex_lock(&c->workers.lock);
    }
    pthread_mutex_unlock(&c->workers.lock);
}

/* Reads the next people, from this pass or the next; no rows at the end. */
static sotto_status read_block(sotto__replay *replay, sotto_dataset *dataset, uint32_t *pass,
                               uint64_t *people_left, sotto_people *block, sotto_fault *fault)
{
    block->rows = 0;
    if (*people_left == 0) return SOTTO_OK;
    sotto_status wrong = sotto_dataset_next(dataset, block, fault);
    if (wrong == SOTTO_OK && block->rows == 0 && *pass + 1 < replay->settings.passes) {
        (*pass)++;
        wrong = sotto_dataset_rewind(dataset, fault);
        if (wrong == SOTTO_OK) wrong = sotto_dataset_next(dataset, block, fault);
    }
    if (wrong != SOTTO_OK) return wrong;
    bool last = block->rows >= *people_left;
    if (last && !replay->settings.rules.shuffle) block->rows = (uint32_t)*people_left;
    *people_left -= last ? *people_left : block->rows;
    if (*pass == 0) sotto__yardstick_add(replay->yardstick, block);
    return SOTTO_OK;
}

/* Lets all workers play the block. */
static void begin_block(crew *c)
{
    pthread_mutex_lock(&c->workers.lock);
    atomic_store(&c->next, 0);
    for (c->left = 0; c->left < c->workers.count; c->left++) {
        c->playing[c->left] = true;
    }
    pthread_cond_broadcast(&c->workers.begun);
    pthread_mutex_unlock(&c->workers.lock);
}

/* Plays one block and meanwhile reads the next one into `ahead`. */
static sotto_status play_block(crew *c, const sotto_replay_listener *listener,
                               sotto_dataset *dataset, uint32_t *pass, uint64_t *people_left,
                               sotto_people *ahead, sotto_fault *fault)
{
    begin_block(c);
    sotto_status wrong = read_block(c->replay, dataset, pass, people_left, ahead, fault);
    if (wrong != SOTTO_OK) atomic_store(&c->stop, true);
    wait_for_all(c, listener);
    if (wrong != SOTTO_OK) return wrong;
    if (c->stopped) return sotto__refuse(fault, "%s", SOTTO_REPLAY_STOPPED);
    if (c->status == SOTTO_OK) return SOTTO_OK;
    if (c->status != SOTTO_E_PLUGIN)
        return sotto__refuse(fault, "%s", sotto_status_text(c->status));
    const sotto__replay_run *run = &c->replay->run[c->failed];
    return sotto__refuse(fault, "%s, in the run of epsilon %g, seed %" PRIu64,
                         run->player->fault(run->player)->sentence,
                         sotto__replay_epsilon(run->match),
                         1 + c->failed % c->replay->settings.seeds_count);
}

static sotto_status play_all(crew *c, const sotto_replay_listener *listener, sotto_dataset *dataset,
                             sotto_fault *fault)
{
    sotto__replay *replay = c->replay;
    uint64_t people_left = replay->settings.rules.people_max;
    uint32_t pass = 0, current = 0;
    sotto_status wrong =
        read_block(replay, dataset, &pass, &people_left, replay->block[current], fault);
    while (wrong == SOTTO_OK && replay->block[current]->rows > 0) {
        c->people = replay->block[current];
        current = 1 - current;
        wrong =
            play_block(c, listener, dataset, &pass, &people_left, replay->block[current], fault);
    }
    return wrong;
}

sotto_status sotto__replay_play(sotto__replay *replay, sotto_dataset *dataset,
                                const sotto_replay_listener *listener, sotto_fault *fault)
{
    uint32_t threads = replay->settings.threads;
    crew c = {.replay = replay, .failed = UINT64_MAX};
    sotto_status wrong = sotto__fault_status(fault, SOTTO_E_MEMORY);
    c.playing = calloc(threads, sizeof *c.playing);
    if (c.playing != NULL && workers_open(&c.workers, threads, work, &c)) {
        if (c.workers.count > 0) wrong = play_all(&c, listener, dataset, fault);
        workers_close(&c.workers);
    }
    free(c.playing);
    for (uint64_t r = 0; wrong == SOTTO_OK && r < replay->runs_count; r++) {
        sotto__replay_run_end(&replay->run[r]);
    }
    return wrong;
}
