/*
 * Many runs on a fixed number of threads.
 *
 * The calling thread gives runs out in order and takes results back; it alone talks to the
 * listener. A worker plays the run on its seat and waits for the next. What a run gives depends on
 * the run alone, so the number of threads and who plays what can change nothing but the time.
 */
#include "sweep.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#define TICK_NS 100000000L /* how often the listener hears of progress: a tenth of a second */
#define SECOND_NS 1000000000L

typedef enum seat_state { SEAT_FREE, SEAT_PLAYING, SEAT_DONE } seat_state;

typedef struct pool pool;

/* One thread, and the run that it plays. While it plays all but `state` is the worker's; otherwise
 * the caller's. */
typedef struct seat {
    pool *pool;
    pthread_t thread;
    pthread_cond_t given;
    seat_state state; /* under the lock */
    uint64_t run;
    sotto_point *point;
    sotto_run_result result;
    sotto_status status;
    bool finished;
} seat;

struct pool {
    const sotto_sweep *sweep;
    const sotto_sweep_listener *listener;
    pthread_mutex_t lock;
    pthread_cond_t done;
    uint32_t done_count; /* seats whose state is SEAT_DONE, under the lock */
    bool closing;        /* under the lock: workers go home */
    atomic_bool stop;    /* runs end early */
    atomic_uint_least64_t rounds;
    uint32_t seats_count;
    seat *seat;
    uint64_t next;       /* the first run not given out */
    uint32_t playing;    /* seats that are not SEAT_FREE, as the caller knows */
    bool deaf;           /* the listener wants no more results */
    sotto_status status; /* of the first run that failed */
    struct timespec tick;
};

/* ---- a worker ----------------------------------------------------------------------------- */

static bool go_on(void *state, uint64_t rounds)
{
    seat *s = state;
    atomic_fetch_add_explicit(&s->pool->rounds, rounds, memory_order_relaxed);
    return !atomic_load_explicit(&s->pool->stop, memory_order_relaxed);
}

static void play(seat *s)
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

static void *work(void *state)
{
    seat *s = state;
    pool *p = s->pool;
    pthread_mutex_lock(&p->lock);
    for (;;) { /* until the caller closes */
        while (s->state != SEAT_PLAYING && !p->closing) {
            pthread_cond_wait(&s->given, &p->lock);
        }
        if (s->state != SEAT_PLAYING) break;
        pthread_mutex_unlock(&p->lock);
        play(s);
        pthread_mutex_lock(&p->lock);
        s->state = SEAT_DONE;
        p->done_count++;
        pthread_cond_signal(&p->done);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* ---- the caller --------------------------------------------------------------------------- */

static bool stopped(const pool *p)
{
    return atomic_load_explicit(&p->stop, memory_order_relaxed);
}

static void stop(pool *p)
{
    atomic_store_explicit(&p->stop, true, memory_order_relaxed);
}

/* Tells the listener of a run that ended. A run that was told to stop has nothing to tell. */
static void take(pool *p, seat *s)
{
    p->playing--;
    if (s->status != SOTTO_OK) {
        if (p->status == SOTTO_OK) p->status = s->status;
        stop(p);
        return;
    }
    if (!s->finished || p->deaf) return;
    p->deaf = !p->listener->finished(p->listener->state, s->run, s->point, &s->result);
    if (p->deaf) stop(p);
}

/* Puts the next run that needs playing on a seat; false if none is left. */
static bool give(pool *p, seat *s)
{
    const sotto_sweep_listener *listener = p->listener;
    uint64_t runs = sotto_sweep_runs(p->sweep);
    while (p->next < runs && listener->known != NULL && listener->known(listener->state, p->next)) {
        p->next++;
    }
    if (p->next == runs || stopped(p)) return false;
    s->run = p->next++;
    p->playing++;
    return true;
}

/* Serves one seat. The lock is held on entry and on return, never while the listener is called. */
static void serve_seat(pool *p, seat *s)
{
    if (s->state == SEAT_PLAYING) return;
    bool done = s->state == SEAT_DONE;
    if (done) p->done_count--;
    s->state = SEAT_FREE;
    pthread_mutex_unlock(&p->lock);
    if (done) take(p, s);
    bool given = give(p, s);
    pthread_mutex_lock(&p->lock);
    if (!given) return;
    s->state = SEAT_PLAYING;
    pthread_cond_signal(&s->given);
}

/* Waits until a run ends or the tick comes. */
static void wait_for_news(pool *p)
{
    int code = 0;
    while (p->done_count == 0 && code != ETIMEDOUT) {
        code = pthread_cond_timedwait(&p->done, &p->lock, &p->tick);
    }
}

static bool tick_is_past(const pool *p)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec != p->tick.tv_sec) return now.tv_sec > p->tick.tv_sec;
    return now.tv_nsec >= p->tick.tv_nsec;
}

static void set_tick(pool *p)
{
    clock_gettime(CLOCK_MONOTONIC, &p->tick);
    p->tick.tv_nsec += TICK_NS;
    if (p->tick.tv_nsec < SECOND_NS) return;
    p->tick.tv_nsec -= SECOND_NS;
    p->tick.tv_sec++;
}

static void tell_progress(pool *p)
{
    const sotto_sweep_listener *listener = p->listener;
    uint64_t rounds = atomic_load_explicit(&p->rounds, memory_order_relaxed);
    if (listener->progress != NULL && !listener->progress(listener->state, rounds)) stop(p);
    set_tick(p);
}

/* Ends when no run is playing and none can be given out. */
static void serve(pool *p)
{
    set_tick(p);
    pthread_mutex_lock(&p->lock);
    do {
        for (uint32_t i = 0; i < p->seats_count; i++) {
            serve_seat(p, &p->seat[i]);
        }
        if (tick_is_past(p)) {
            pthread_mutex_unlock(&p->lock);
            tell_progress(p);
            pthread_mutex_lock(&p->lock);
        }
        if (p->playing > 0) wait_for_news(p);
    } while (p->playing > 0);
    p->closing = true;
    for (uint32_t i = 0; i < p->seats_count; i++) {
        pthread_cond_signal(&p->seat[i].given);
    }
    pthread_mutex_unlock(&p->lock);
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

static void init_conditions(pool *p, uint32_t seats)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->done, &monotonic);
    pthread_condattr_destroy(&monotonic);
    for (uint32_t i = 0; i < seats; i++) {
        pthread_cond_init(&p->seat[i].given, NULL);
    }
}

static void destroy_conditions(pool *p, uint32_t seats)
{
    for (uint32_t i = 0; i < seats; i++) {
        pthread_cond_destroy(&p->seat[i].given);
    }
    pthread_cond_destroy(&p->done);
    pthread_mutex_destroy(&p->lock);
}

/* Starts a thread a seat; fewer, where the system gives no more. */
static void start(pool *p, uint32_t seats, sotto_point *point)
{
    for (uint32_t i = 0; i < seats; i++) {
        seat *s = &p->seat[i];
        s->pool = p;
        s->point = point + (size_t)i * p->sweep->at_count;
        if (pthread_create(&s->thread, NULL, work, s) != 0) return;
        p->seats_count = i + 1;
    }
}

sotto_status sotto_sweep_run(const sotto_sweep *sweep, const sotto_sweep_listener *listener)
{
    if (listener == NULL || listener->finished == NULL) return SOTTO_E_ARGUMENT;
    sotto_status status = sotto__sweep_check(sweep);
    if (status != SOTTO_OK) return status;
    uint64_t runs = sotto_sweep_runs(sweep);
    uint32_t seats = runs < sweep->threads ? (uint32_t)runs : sweep->threads;
    pool p = {.sweep = sweep, .listener = listener, .status = SOTTO_OK};
    sotto_point *point = NULL;

    status = SOTTO_E_MEMORY;
    p.seat = calloc(seats, sizeof *p.seat);
    point = calloc((size_t)seats * sweep->at_count, sizeof *point);
    if (p.seat == NULL || point == NULL) goto cleanup;
    init_conditions(&p, seats);
    start(&p, seats, point);
    if (p.seats_count > 0) {
        serve(&p);
        status = p.status;
    }
    for (uint32_t i = 0; i < p.seats_count; i++) {
        pthread_join(p.seat[i].thread, NULL);
    }
    destroy_conditions(&p, seats);
cleanup:
    free(point);
    free(p.seat);
    return status;
}
