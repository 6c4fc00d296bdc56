#include "folder.h"
#include "round.h"
#include "service/system/clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SLAB_BYTES_MAX ((uint64_t)64 << 20)
#define SLAB_S_MAX 600u
#define STANDBY_MS 50u   /* between two tries to become the folder */
#define AWAY_MS 1000u    /* after the database was away */
#define WAIT_MS_MAX 100u /* so that a stop does not wait long */
#define SAY_MS 60000u    /* between log lines that say that the database is away */

struct sottod_folder {
    sottod_folding *folding;
    sottod_fold *fold;
    sottod_log *log;
    folder_round round; /* the thread's alone */
    folder_alarms alarms;
    uint64_t said_ms;
    pthread_t thread;
    atomic_bool stop, holds_lock;
    atomic_uint_fast64_t publishes, fenced, fold_us, waiting;
    pthread_mutex_t mutex; /* of the rest */
    char stopped[FOLDER_STOPPED_MAX][SPEC_ID_TEXT_BYTES];
    uint32_t stopped_count;
};

static void rest(const sottod_folder *folder, uint32_t ms)
{
    for (uint32_t slept = 0; slept < ms && !atomic_load(&folder->stop); slept += STANDBY_MS) {
        const struct timespec slice = {.tv_nsec = STANDBY_MS * 1000000L};
        nanosleep(&slice, NULL);
    }
}

static void show(sottod_folder *folder)
{
    atomic_store(&folder->publishes, folder->round.publishes);
    atomic_store(&folder->fenced, folder->round.fenced);
    atomic_store(&folder->fold_us, folder->round.fold_us);
    atomic_store(&folder->waiting, folder->round.waiting);
    uint32_t count = 0;
    const char *id;
    pthread_mutex_lock(&folder->mutex);
    while (count < FOLDER_STOPPED_MAX &&
           (id = folder_round_stopped(&folder->round, count)) != NULL) {
        memcpy(folder->stopped[count++], id, SPEC_ID_TEXT_BYTES);
    }
    folder->stopped_count = count;
    pthread_mutex_unlock(&folder->mutex);
}

uint32_t folder_stopped(sottod_folder *folder, char (*id)[SPEC_ID_TEXT_BYTES], uint32_t most)
{
    pthread_mutex_lock(&folder->mutex);
    uint32_t count = folder->stopped_count < most ? folder->stopped_count : most;
    memcpy(id, folder->stopped, count * sizeof folder->stopped[0]);
    pthread_mutex_unlock(&folder->mutex);
    return count;
}

/* The database is away: the lock is lost, and so is all that was known. */
static void lose(sottod_folder *folder)
{
    uint64_t now_ms = clock_steady_ms();
    bool held = atomic_exchange(&folder->holds_lock, false);
    folder_round_forget(&folder->round);
    show(folder);
    if (held || folder->said_ms == 0 || now_ms - folder->said_ms >= SAY_MS) {
        const log_value values[] = {{.name = "why", .text = folding_fault(folder->folding)},
                                    {.name = NULL}};
        folder->said_ms = now_ms;
        log_write(folder->log, LOG_ERROR, "folder_lost_database", values);
    }
    rest(folder, AWAY_MS);
}

/* True if this process is the folder. */
static bool hold(sottod_folder *folder)
{
    bool held = false;
    if (atomic_load(&folder->holds_lock)) return true;
    if (!folding_lock(folder->folding, &held)) {
        lose(folder);
        return false;
    }
    if (!held) {
        rest(folder, STANDBY_MS);
        return false;
    }
    folder->said_ms = 0;
    folder_round_forget(&folder->round);
    atomic_store(&folder->holds_lock, true);
    log_write(folder->log, LOG_INFO, "folds", NULL);
    return true;
}

/* Waits until something may be due, or something changed. */
static bool wait(sottod_folder *folder)
{
    bool changed;
    uint64_t wait_ms = folder_round_ms(&folder->round, clock_steady_ms());
    if (wait_ms == 0) return true;
    if (wait_ms > WAIT_MS_MAX) wait_ms = WAIT_MS_MAX;
    if (!folding_wait(folder->folding, (int)wait_ms, &changed)) return false;
    if (changed) folder->round.stale = true;
    return true;
}

static void *run(void *context)
{
    sottod_folder *folder = context;
    while (!atomic_load(&folder->stop)) {
        if (!hold(folder)) continue;
        bool works = folder_round_run(&folder->round, clock_steady_ms(), clock_minute());
        show(folder);
        if (!works || !wait(folder)) lose(folder);
    }
    folder_round_forget(&folder->round);
    return NULL;
}

sottod_folder *folder_start(const folder_settings *settings, sottod_log *log)
{
    sottod_folder *folder = calloc(1, sizeof *folder);
    if (folder == NULL) return NULL;
    pthread_mutex_init(&folder->mutex, NULL);
    folder_alarms_init(&folder->alarms);
    folder->folding = folding_new(&settings->postgres);
    folder->log = log;
    folder->fold = fold_new(settings->threads);
    folder->round = (folder_round){
        .folding = folder->folding,
        .fold = folder->fold,
        .log = log,
        .alarms = &folder->alarms,
        .nonces_max = settings->nonces_max,
        .retention = {.slab_bytes_max = SLAB_BYTES_MAX,
                      .slab_s_max = SLAB_S_MAX,
                      .keep_reports = settings->keep_reports},
        .stale = true,
    };
    if (folder->folding == NULL || folder->fold == NULL ||
        pthread_create(&folder->thread, NULL, run, folder) != 0) {
        folding_free(folder->folding);
        fold_free(folder->fold);
        folder_alarms_free(&folder->alarms);
        pthread_mutex_destroy(&folder->mutex);
        free(folder);
        return NULL;
    }
    return folder;
}

void folder_stop(sottod_folder *folder)
{
    if (folder == NULL) return;
    atomic_store(&folder->stop, true);
    pthread_join(folder->thread, NULL);
    folding_free(folder->folding);
    fold_free(folder->fold);
    folder_alarms_free(&folder->alarms);
    pthread_mutex_destroy(&folder->mutex);
    free(folder);
}

void folder_watched(sottod_folder *folder, uint32_t experiment, uint64_t epochs[SOTTO__WATCH_TESTS])
{
    folder_alarms_look(&folder->alarms, experiment, epochs);
}

double folder_age(sottod_folder *folder, uint32_t experiment)
{
    return folder_alarms_age(&folder->alarms, experiment);
}

folder_state folder_look(const sottod_folder *folder)
{
    return (folder_state){
        .holds_lock = atomic_load(&folder->holds_lock),
        .publishes = atomic_load(&folder->publishes),
        .fenced = atomic_load(&folder->fenced),
        .fold_us = atomic_load(&folder->fold_us),
        .waiting = atomic_load(&folder->waiting),
    };
}
