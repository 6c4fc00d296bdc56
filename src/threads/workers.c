/* Threads that wait for work. */
#include "threads.h"

#include <signal.h>
#include <stdlib.h>

struct worker {
    workers *all;
    pthread_t thread;
};

static void *run(void *state)
{
    const struct worker *self = state;
    workers *all = self->all;
    uint32_t i = (uint32_t)(self - all->worker);
    pthread_mutex_lock(&all->lock);
    while (!all->closing) {
        if (!all->work(all->state, i)) pthread_cond_wait(&all->begun, &all->lock);
    }
    pthread_mutex_unlock(&all->lock);
    return NULL;
}

/* Starts threads with all signals blocked, so that signals go to the thread that waits for them. */
static void start(workers *self, uint32_t count)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (; self->count < count; self->count++) {
        struct worker *one = &self->worker[self->count];
        one->all = self;
        if (pthread_create(&one->thread, NULL, run, one) != 0) break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

bool workers_open(workers *out, uint32_t count, workers_work *work, void *state)
{
    *out = (workers){.work = work, .state = state};
    out->worker = calloc((size_t)count + 1, sizeof *out->worker);
    if (out->worker == NULL) return false;
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_mutex_init(&out->lock, NULL);
    pthread_cond_init(&out->begun, NULL);
    pthread_cond_init(&out->done, &steady);
    pthread_condattr_destroy(&steady);
    start(out, count);
    return true;
}

void workers_close(workers *self)
{
    pthread_mutex_lock(&self->lock);
    self->closing = true;
    pthread_cond_broadcast(&self->begun);
    pthread_mutex_unlock(&self->lock);
    for (uint32_t i = 0; i < self->count; i++) {
        pthread_join(self->worker[i].thread, NULL);
    }
    pthread_cond_destroy(&self->done);
    pthread_cond_destroy(&self->begun);
    pthread_mutex_destroy(&self->lock);
    free(self->worker);
}

struct timespec steady_after_ms(uint32_t ms)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    long ns = at.tv_nsec + (long)(ms % 1000) * 1000000;
    at.tv_sec += (time_t)(ms / 1000) + ns / 1000000000;
    at.tv_nsec = ns % 1000000000;
    return at;
}
