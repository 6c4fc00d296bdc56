#include "inner.h"
#include "service/system/system.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SLAB_BYTES_MAX ((uint64_t)64 << 20)
#define SLAB_S_MAX 600u
#define SLICE_MS 50u
#define LEAD_MS 1000u    /* between two attempts to become the housekeeper */
#define AWAY_MS 1000u    /* pause after the database was unreachable */
#define WAIT_MS_MAX 100u /* short, so that a stop is quick */
#define SAY_MS 60000u    /* between log lines about an unreachable database */

struct sottod_publisher {
    sottod_folding *folding;
    sottod_fold *fold;
    sottod_log *log;
    publisher_pass pass; /* only used by the thread */
    uint64_t said_ms;
    bool joined;      /* it holds the crew's lock on this connection */
    uint64_t lead_ms; /* its next attempt to become the housekeeper */
    pthread_t thread;
    atomic_bool stop, holds_lock;
    atomic_uint_fast64_t publishes, fenced, fold_us, waiting, distinct, experiments;
    pthread_mutex_t mutex; /* protects the rest */
    char stopped[PUBLISHER_STOPPED_MAX][SPEC_ID_TEXT_BYTES];
    uint32_t stopped_count;
};

static void rest(const sottod_publisher *publisher, uint32_t ms)
{
    for (uint32_t slept = 0; slept < ms && !atomic_load(&publisher->stop); slept += SLICE_MS) {
        const struct timespec slice = {.tv_nsec = SLICE_MS * 1000000L};
        nanosleep(&slice, NULL);
    }
}

static void show(sottod_publisher *publisher)
{
    atomic_store(&publisher->publishes, publisher->pass.publishes);
    atomic_store(&publisher->fenced, publisher->pass.fenced);
    atomic_store(&publisher->fold_us, publisher->pass.fold_us);
    atomic_store(&publisher->waiting, publisher->pass.waiting);
    atomic_store(&publisher->distinct, publisher->pass.distinct);
    atomic_store(&publisher->experiments, publisher->pass.crew.mine);
    uint32_t count = 0;
    const char *id;
    pthread_mutex_lock(&publisher->mutex);
    while (count < PUBLISHER_STOPPED_MAX &&
           (id = publisher_pass_stopped(&publisher->pass, count)) != NULL) {
        memcpy(publisher->stopped[count++], id, SPEC_ID_TEXT_BYTES);
    }
    publisher->stopped_count = count;
    pthread_mutex_unlock(&publisher->mutex);
}

uint32_t publisher_stopped(sottod_publisher *publisher, char (*id)[SPEC_ID_TEXT_BYTES],
                           uint32_t most)
{
    pthread_mutex_lock(&publisher->mutex);
    uint32_t count = publisher->stopped_count < most ? publisher->stopped_count : most;
    memcpy(id, publisher->stopped, count * sizeof publisher->stopped[0]);
    pthread_mutex_unlock(&publisher->mutex);
    return count;
}

/* The database is unreachable: the lock is lost, and with it everything known. */
static void lose(sottod_publisher *publisher)
{
    uint64_t now_ms = clock_steady_ms();
    bool held = publisher->joined;
    atomic_store(&publisher->holds_lock, false);
    publisher->joined = publisher->pass.leads = false;
    folding_hang_up(publisher->folding); /* a publisher that knows nothing must hold no lock */
    publisher_pass_forget(&publisher->pass);
    show(publisher);
    if (held || publisher->said_ms == 0 || now_ms - publisher->said_ms >= SAY_MS) {
        publisher->said_ms = now_ms;
        log_why(publisher->log, LOG_ERROR, "publisher_lost_database",
                folding_fault(publisher->folding)->sentence);
    }
    rest(publisher, AWAY_MS);
}

/* False: the database is unreachable. */
static bool join(sottod_publisher *publisher)
{
    bool held = false;
    uint64_t now_ms = clock_steady_ms();
    if (publisher->joined && (publisher->pass.leads || now_ms < publisher->lead_ms)) return true;
    publisher->lead_ms = now_ms + LEAD_MS;
    if (!folding_lock(publisher->folding, &held)) return false;
    if (!publisher->joined) publisher_pass_forget(&publisher->pass);
    publisher->joined = true;
    publisher->said_ms = 0;
    if (!held) return true;
    publisher->pass.leads = true;
    publisher->pass.stale = true;
    atomic_store(&publisher->holds_lock, true);
    log_write(publisher->log, LOG_INFO, "housekeeper", NULL);
    return true;
}

/* Waits until something may be due, or something changed. */
static bool wait(sottod_publisher *publisher)
{
    bool changed;
    uint64_t wait_ms = publisher_pass_ms(&publisher->pass, clock_steady_ms());
    if (wait_ms == 0) return true;
    if (wait_ms > WAIT_MS_MAX) wait_ms = WAIT_MS_MAX;
    if (!folding_wait(publisher->folding, (int)wait_ms, &changed)) return false;
    if (changed) publisher->pass.stale = true;
    return true;
}

static void *run(void *context)
{
    sottod_publisher *publisher = context;
    while (!atomic_load(&publisher->stop)) {
        bool works = join(publisher) &&
                     publisher_pass_run(&publisher->pass, clock_steady_ms(), clock_minute());
        show(publisher);
        if (!works || !wait(publisher)) lose(publisher);
    }
    publisher_pass_forget(&publisher->pass);
    return NULL;
}

sottod_publisher *publisher_start(const publisher_settings *settings, sottod_log *log)
{
    sottod_publisher *publisher = calloc(1, sizeof *publisher);
    if (publisher == NULL) return NULL;
    pthread_mutex_init(&publisher->mutex, NULL);
    publisher->folding = folding_new(&settings->postgres);
    publisher->log = log;
    publisher->fold = fold_new(settings->threads);
    publisher->pass = (publisher_pass){
        .folding = publisher->folding,
        .fold = publisher->fold,
        .log = log,
        .totals = settings->totals,
        .nonces_max = settings->nonces_max,
        .retention = {.slab_bytes_max = SLAB_BYTES_MAX,
                      .slab_s_max = SLAB_S_MAX,
                      .keep_reports = settings->keep_reports},
        .stale = true,
    };
    if (publisher->folding == NULL || publisher->fold == NULL ||
        pthread_create(&publisher->thread, NULL, run, publisher) != 0) {
        folding_free(publisher->folding);
        fold_free(publisher->fold);
        pthread_mutex_destroy(&publisher->mutex);
        free(publisher);
        return NULL;
    }
    return publisher;
}

void publisher_stop(sottod_publisher *publisher)
{
    if (publisher == NULL) return;
    atomic_store(&publisher->stop, true);
    pthread_join(publisher->thread, NULL);
    folding_free(publisher->folding);
    fold_free(publisher->fold);
    pthread_mutex_destroy(&publisher->mutex);
    free(publisher);
}

publisher_state publisher_look(const sottod_publisher *publisher)
{
    return (publisher_state){
        .holds_lock = atomic_load(&publisher->holds_lock),
        .publishes = atomic_load(&publisher->publishes),
        .fenced = atomic_load(&publisher->fenced),
        .fold_us = atomic_load(&publisher->fold_us),
        .waiting = atomic_load(&publisher->waiting),
        .distinct = atomic_load(&publisher->distinct),
        .experiments = (uint32_t)atomic_load(&publisher->experiments),
    };
}
