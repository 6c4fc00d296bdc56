/* Workers: what the system refuses, who gets signals, and that all work is done before they go home. */
#include "test.h"
#include "threads/threads.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

static bool out_of_memory;
static uint32_t threads_left = UINT32_MAX;

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*begin)(void *), void *state);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*begin)(void *), void *state);

void *__wrap_calloc(size_t count, size_t bytes)
{
    return out_of_memory ? NULL : __real_calloc(count, bytes);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*begin)(void *), void *state)
{
    if (threads_left == 0) return EAGAIN;
    threads_left--;
    return __real_pthread_create(thread, attributes, begin, state);
}

enum { WORKERS = 4, PIECES = 1000 };

/* All of it is under the lock. */
typedef struct heap {
    workers workers;
    uint32_t left, done[PIECES], by[WORKERS];
    bool open_to_signals;
} heap;

static bool work(void *state, uint32_t i)
{
    heap *h = state;
    sigset_t blocked;
    if (h->left == 0) return false;
    uint32_t piece = --h->left;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    h->open_to_signals |= sigismember(&blocked, SIGTERM) == 0;
    pthread_mutex_unlock(&h->workers.lock);
    sched_yield();
    pthread_mutex_lock(&h->workers.lock);
    h->done[piece]++;
    h->by[i]++;
    pthread_cond_signal(&h->workers.done);
    return true;
}

static uint32_t done_of(const heap *h)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < WORKERS; i++) {
        count += h->by[i];
    }
    return count;
}

/* Gives all pieces, and waits for them. */
static void give(heap *h)
{
    uint32_t before = done_of(h);
    pthread_mutex_lock(&h->workers.lock);
    h->left = PIECES;
    pthread_cond_broadcast(&h->workers.begun);
    while (done_of(h) < before + PIECES) {
        pthread_cond_wait(&h->workers.done, &h->workers.lock);
    }
    pthread_mutex_unlock(&h->workers.lock);
}

TEST(without_memory_there_are_none)
{
    heap h = {.left = 0};
    out_of_memory = true;
    assert_false(workers_open(&h.workers, WORKERS, work, &h));
    out_of_memory = false;
}

TEST(there_are_as_many_as_the_system_gives)
{
    for (uint32_t given = 0; given <= WORKERS; given++) {
        heap h = {.left = 0};
        threads_left = given;
        assert_true(workers_open(&h.workers, WORKERS, work, &h));
        threads_left = UINT32_MAX;
        assert_int_equal(h.workers.count, given);
        if (given > 0) give(&h);
        workers_close(&h.workers);
        for (uint32_t i = given; i < WORKERS; i++) {
            assert_int_equal(h.by[i], 0);
        }
    }
}

TEST(every_piece_is_done_once_each_time)
{
    heap h = {.left = 0};
    assert_true(workers_open(&h.workers, WORKERS, work, &h));
    give(&h);
    give(&h); /* those who sleep wake up again */
    workers_close(&h.workers);
    for (uint32_t i = 0; i < PIECES; i++) {
        assert_int_equal(h.done[i], 2);
    }
}

TEST(workers_leave_signals_to_the_caller)
{
    heap h = {.left = 0};
    sigset_t blocked;
    assert_true(workers_open(&h.workers, 1, work, &h));
    give(&h);
    workers_close(&h.workers);
    assert_false(h.open_to_signals);
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    assert_int_equal(sigismember(&blocked, SIGTERM), 0);
}

static bool is_between(const struct timespec *at, const struct timespec *lo,
                       const struct timespec *hi, uint32_t ms)
{
    double t = (double)at->tv_sec + 1e-9 * (double)at->tv_nsec - 1e-3 * ms;
    return at->tv_nsec >= 0 && at->tv_nsec < 1000000000 &&
           t >= (double)lo->tv_sec + 1e-9 * (double)lo->tv_nsec - 1e-6 &&
           t <= (double)hi->tv_sec + 1e-9 * (double)hi->tv_nsec + 1e-6;
}

TEST(a_moment_is_so_many_milliseconds_from_now)
{
    static const uint32_t ms[] = {0, 1, 100, 999, 1000, 2500};
    for (size_t i = 0; i < sizeof ms / sizeof ms[0]; i++) {
        struct timespec before, after;
        clock_gettime(CLOCK_MONOTONIC, &before);
        struct timespec at = steady_after_ms(ms[i]);
        clock_gettime(CLOCK_MONOTONIC, &after);
        assert_true(is_between(&at, &before, &after, ms[i]));
    }
}
