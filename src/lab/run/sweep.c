/*
 * Plays many runs on a fixed number of threads. The calling thread hands out runs in order and
 * collects their results; only this thread calls the listener. A worker plays the run of its slot
 * and waits for the next. A result depends on its run alone, so the number of threads and the
 * assignment of runs change only the time.
 */
#include "core/core.h"
#include "inner.h"
#include "threads/threads.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#define TICK_MS 100u /* interval of progress reports */

typedef enum slot_state { SLOT_FREE, SLOT_PLAYING, SLOT_DONE } slot_state;

typedef struct sweep_pool sweep_pool;

/* One thread and the run that it plays. While it plays, all fields but `state` belong to the
 * worker, otherwise to the caller. */
typedef struct sweep_slot {
    sweep_pool *pool;
    slot_state state; /* under the lock */
    uint64_t run;
    sotto_point *point;
    sotto_run_result result;
    sotto_status status;
    bool finished;
} sweep_slot;

struct sweep_pool {
    const sotto_sweep *sweep;
    const sotto_sweep_listener *listener;
    workers workers;     /* one per slot */
    uint32_t done_count; /* slots whose state is SLOT_DONE, under the lock */
    atomic_bool stop;    /* runs end early */
    atomic_uint_least64_t rounds;
    sweep_slot *slot;
    uint64_t next;       /* the first run not given out */
    uint32_t playing;    /* slots that are not SLOT_FREE, as the caller knows */
    bool deaf;           /* the listener takes no more results */
    sotto_status status; /* of the first run that failed */
    struct timespec tick;
};

/* ---- a worker ----------------------------------------------------------------------------- */

static bool go_on(void *state, uint64_t rounds)
{
    sweep_slot *s = state;
    atomic_fetch_add_explicit(&s->pool->rounds, rounds, memory_order_relaxed);
    return !atomic_load_explicit(&s->pool->stop, memory_order_relaxed);
}

static void play(sweep_slot *s)
{
    const sotto_sweep *sweep = s->pool->sweep;
    const sotto_match *match = &sweep->match[s->run / sweep->seeds_count];
    uint64_t seed = sweep->first_seed + s->run % sweep->seeds_count;
    const sotto_run_watch watch = {go_on, s};
    s->finished = false;
    for (uint32_t i = 0; i < sweep->at_count; i++) {
        s->point[i] = (sotto_point){.t = sweep->at[i]};
    }
    s->status =
        sotto_match_play(match, seed, s->point, sweep->at_count, &watch, &s->result, &s->finished);
}

static bool work(void *state, uint32_t i)
{
    sweep_pool *p = state;
    sweep_slot *s = &p->slot[i];
    if (s->state != SLOT_PLAYING) return false;
    pthread_mutex_unlock(&p->workers.lock);
    play(s);
    pthread_mutex_lock(&p->workers.lock);
    s->state = SLOT_DONE;
    p->done_count++;
    pthread_cond_signal(&p->workers.done);
    return true;
}

/* ---- the caller --------------------------------------------------------------------------- */

static bool stopped(const sweep_pool *p)
{
    return atomic_load_explicit(&p->stop, memory_order_relaxed);
}

static void stop(sweep_pool *p)
{
    atomic_store_explicit(&p->stop, true, memory_order_relaxed);
}

/* Reports a run that ended to the listener, unless the run was stopped. */
static void take(sweep_pool *p, sweep_slot *s)
{
    p->playing--;
    if (s->status == SOTTO_E_PLUGIN && p->listener->failed != NULL) {
        if (p->deaf) return;
        p->deaf =
            !SOTTO__ASK(p->listener->failed(p->listener->state, s->run, s->result.fault.sentence));
        if (p->deaf) stop(p);
        return;
    }
    if (s->status != SOTTO_OK) {
        if (p->status == SOTTO_OK) p->status = s->status;
        stop(p);
        return;
    }
    if (!s->finished || p->deaf) return;
    p->deaf = !SOTTO__ASK(p->listener->finished(p->listener->state, s->run, s->point, &s->result));
    if (p->deaf) stop(p);
}

/* Puts the next run that needs playing on a slot; false if none is left. */
static bool give(sweep_pool *p, sweep_slot *s)
{
    const sotto_sweep_listener *listener = p->listener;
    uint64_t runs = sotto_sweep_runs(p->sweep);
    while (p->next < runs && listener->known != NULL &&
           SOTTO__ASK(listener->known(listener->state, p->next))) {
        p->next++;
    }
    if (p->next == runs || stopped(p)) return false;
    s->run = p->next++;
    p->playing++;
    return true;
}

/* Serves one slot. The lock is held on entry and on return, never while the listener is called. */
static void serve_slot(sweep_pool *p, sweep_slot *s)
{
    if (s->state == SLOT_PLAYING) return;
    bool done = s->state == SLOT_DONE;
    if (done) p->done_count--;
    s->state = SLOT_FREE;
    pthread_mutex_unlock(&p->workers.lock);
    if (done) take(p, s);
    bool given = give(p, s);
    pthread_mutex_lock(&p->workers.lock);
    if (!given) return;
    s->state = SLOT_PLAYING;
    pthread_cond_broadcast(&p->workers.begun); /* it is one of those who wait */
}

/* Waits until a run ends or the tick comes. */
static void wait_for_news(sweep_pool *p)
{
    int code = 0;
    while (p->done_count == 0 && code != ETIMEDOUT) {
        code = pthread_cond_timedwait(&p->workers.done, &p->workers.lock, &p->tick);
    }
}

static bool tick_is_past(const sweep_pool *p)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec != p->tick.tv_sec) return now.tv_sec > p->tick.tv_sec;
    return now.tv_nsec >= p->tick.tv_nsec;
}

static void tell_progress(sweep_pool *p)
{
    const sotto_sweep_listener *listener = p->listener;
    uint64_t rounds = atomic_load_explicit(&p->rounds, memory_order_relaxed);
    if (listener->progress != NULL && !SOTTO__ASK(listener->progress(listener->state, rounds)))
        stop(p);
    p->tick = steady_after_ms(TICK_MS);
}

/* Ends when no run is playing and none can be given out. */
static void serve(sweep_pool *p)
{
    p->tick = steady_after_ms(TICK_MS);
    pthread_mutex_lock(&p->workers.lock);
    do {
        for (uint32_t i = 0; i < p->workers.count; i++) {
            serve_slot(p, &p->slot[i]);
        }
        if (tick_is_past(p)) {
            pthread_mutex_unlock(&p->workers.lock);
            tell_progress(p);
            pthread_mutex_lock(&p->workers.lock);
        }
        if (p->playing > 0) wait_for_news(p);
    } while (p->playing > 0);
    pthread_mutex_unlock(&p->workers.lock);
}

/* ---- the sweep ---------------------------------------------------------------------------- */

sotto_status sotto__sweep_check(const sotto_sweep *sweep)
{
    if (sweep == NULL || sweep->match == NULL || sweep->at == NULL) return SOTTO_E_ARGUMENT;
    if (sweep->matches_count == 0 || sweep->seeds_count == 0) return SOTTO_E_FAULT;
    if (sweep->first_seed > UINT64_MAX - (sweep->seeds_count - 1)) return SOTTO_E_FAULT;
    if (sweep->threads == 0 || sweep->threads > SOTTO_THREADS_MAX) return SOTTO_E_FAULT;
    if (sweep->at_count == 0 || sweep->at_count > SOTTO_POINTS_MAX) return SOTTO_E_FAULT;
    if (sweep->at[0] == 0) return SOTTO_E_FAULT;
    for (uint32_t i = 1; i < sweep->at_count; i++) {
        if (sweep->at[i] <= sweep->at[i - 1]) return SOTTO_E_FAULT;
    }
    for (uint32_t i = 0; i < sweep->matches_count; i++) {
        if (sweep->match[i].horizon != sweep->at[sweep->at_count - 1]) return SOTTO_E_FAULT;
    }
    return SOTTO_OK;
}

sotto_status sotto_sweep_run(const sotto_sweep *sweep, const sotto_sweep_listener *listener)
{
    if (listener == NULL || listener->finished == NULL) return SOTTO_E_ARGUMENT;
    sotto_status status = sotto__sweep_check(sweep);
    if (status != SOTTO_OK) return status;
    uint64_t runs = sotto_sweep_runs(sweep);
    uint32_t slots = runs < sweep->threads ? (uint32_t)runs : sweep->threads;
    sweep_pool p = {.sweep = sweep, .listener = listener, .status = SOTTO_OK};
    sotto_point *point = NULL;

    status = SOTTO_E_MEMORY;
    p.slot = calloc(slots, sizeof *p.slot);
    point = calloc((size_t)slots * sweep->at_count, sizeof *point);
    if (p.slot == NULL || point == NULL) goto cleanup;
    for (uint32_t i = 0; i < slots; i++) {
        p.slot[i].pool = &p;
        p.slot[i].point = point + (size_t)i * sweep->at_count;
    }
    if (!workers_open(&p.workers, slots, work, &p)) goto cleanup;
    if (p.workers.count > 0) {
        serve(&p);
        status = p.status;
    }
    workers_close(&p.workers);
cleanup:
    free(point);
    free(p.slot);
    return status;
}
