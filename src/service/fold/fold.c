/*
 * Folding on all cores.
 *
 * The caller folds into the learner itself and never waits for a thread to wake up: helpers that wake up in time take
 * frames from the other end into their own portions, and the caller merges those. So a pool of one thread, or a helper
 * that sleeps too long, costs only the signal. */
#include "inner.h"

#include <stdlib.h>

/* Measured: research/measurements.md. */
#define WAKE_NS 30000u
#define CHUNK_NS 20000u

/* ---- a helper */

/* Takes frames from the front (caller) or the back (helper); 0: none are left. The lock is held. */
static size_t take_chunk(fold_job *job, bool front, size_t *first)
{
    size_t left = job->back - job->front;
    size_t count = left < job->chunk ? left : job->chunk;
    if (front) {
        *first = job->front;
        job->front += count;
    } else {
        job->back -= count;
        *first = job->back;
    }
    return count;
}

/* Lets nobody take more. The lock is held. */
static void refuse(fold_job *job)
{
    job->refused = true;
    job->front = job->back;
}

/* Folds while frames are left. The lock is held on entry and on return. */
static void help(sottod_fold *fold)
{
    fold_job *job = &fold->job;
    sotto__portion *portion = fold->portion[job->portions_count++];
    size_t first, count;
    job->helpers_wanted--;
    job->working++;
    while ((count = take_chunk(job, false, &first)) > 0) {
        const uint8_t *frames = job->frames + first * job->frame_bytes;
        pthread_mutex_unlock(&fold->workers.lock);
        size_t taken = sotto__portion_take(portion, frames, count);
        pthread_mutex_lock(&fold->workers.lock);
        if (taken < count) refuse(job);
    }
    job->working--;
    if (job->working == 0) pthread_cond_signal(&fold->workers.done);
}

static bool work(void *state, uint32_t i)
{
    (void)i;
    sottod_fold *fold = state;
    const fold_job *job = &fold->job;
    if (job->helpers_wanted == 0 || job->front == job->back) return false;
    help(fold);
    return true;
}

/* ---- the pool */

static bool make_portions(sottod_fold *fold, uint32_t count)
{
    fold->portion = calloc(count, sizeof fold->portion[0]);
    if (fold->portion == NULL) return false;
    for (fold->portions = 0; fold->portions < count; fold->portions++) {
        fold->portion[fold->portions] = sotto__portion_new();
        if (fold->portion[fold->portions] == NULL) return false;
    }
    return true;
}

static void free_portions(sottod_fold *fold)
{
    for (uint32_t i = 0; i < fold->portions; i++) {
        sotto__portion_free(fold->portion[i]);
    }
    free(fold->portion);
    free(fold);
}

sottod_fold *fold_new(uint32_t threads)
{
    uint32_t wanted = threads == 0 ? cores_count(FOLD_THREADS_MAX) : threads;
    uint32_t helpers = (wanted < FOLD_THREADS_MAX ? wanted : FOLD_THREADS_MAX) - 1;
    sottod_fold *fold = calloc(1, sizeof *fold);
    if (fold == NULL) return NULL;
    fold->wake_ns = WAKE_NS;
    fold->chunk_ns = CHUNK_NS;
    bool made = helpers == 0 || make_portions(fold, helpers);
    if (!made || !workers_open(&fold->workers, helpers, work, fold)) {
        free_portions(fold);
        return NULL;
    }
    if (fold->workers.count == helpers) return fold;
    fold_free(fold);
    return NULL;
}

void fold_free(sottod_fold *fold)
{
    if (fold == NULL) return;
    workers_close(&fold->workers);
    free_portions(fold);
}

/* ---- the caller */

/* Work W on n threads takes W/n, so thread n + 1 saves W/(n(n + 1)); it costs waking and merging. */
static uint32_t helpers_that_pay(const sottod_fold *fold, const sotto_learner *learner,
                                 uint64_t work_ns)
{
    uint64_t each_ns = fold->wake_ns + sotto__learner_merge_ns(learner), n = 1;
    while (n <= fold->workers.count && work_ns / (n * (n + 1)) > each_ns) {
        n++;
    }
    return (uint32_t)(n - 1);
}

/* Only the caller may fold into tallies that may fill up: which reports fit then depends on the order. */
static bool has_room(const sotto_learner *learner, size_t count)
{
    for (uint32_t e = 0; e < learner->open_count; e++) {
        if (count > SOTTO_REPORTS_MAX - sotto__tally_all(learner->open[e].tally)) return false;
    }
    return true;
}

static bool fold_alone(sotto_learner *learner, const uint8_t *frames, size_t count)
{
    size_t taken = sotto__learner_take_until(learner, frames, count);
    if (taken == count) return true;
    sotto__learner_untake(learner, frames, taken);
    return false;
}

/* Makes portions that fit the learner: as many as memory allows. */
static uint32_t fit_portions(const sottod_fold *fold, const sotto_learner *learner, uint32_t wanted)
{
    uint32_t count = 0;
    while (count < wanted && sotto__portion_fit(fold->portion[count], learner)) {
        count++;
    }
    return count;
}

static void begin(sottod_fold *fold, const fold_job *job)
{
    pthread_mutex_lock(&fold->workers.lock);
    fold->job = *job;
    for (uint32_t i = 0; i < job->helpers_wanted; i++) {
        pthread_cond_signal(&fold->workers.begun);
    }
    pthread_mutex_unlock(&fold->workers.lock);
}

/* Folds from the front until no frame is left, and waits for the helpers; returns how many frames the caller has
 * folded. */
static size_t take_part(sottod_fold *fold, sotto_learner *learner)
{
    fold_job *job = &fold->job;
    size_t first, count, all = 0;
    pthread_mutex_lock(&fold->workers.lock);
    while ((count = take_chunk(job, true, &first)) > 0) {
        pthread_mutex_unlock(&fold->workers.lock);
        size_t taken =
            sotto__learner_take_until(learner, job->frames + first * job->frame_bytes, count);
        all += taken;
        pthread_mutex_lock(&fold->workers.lock);
        if (taken < count) refuse(job);
    }
    job->helpers_wanted = 0;
    while (job->working > 0) {
        pthread_cond_wait(&fold->workers.done, &fold->workers.lock);
    }
    pthread_mutex_unlock(&fold->workers.lock);
    return all;
}

static bool fold_together(sottod_fold *fold, sotto_learner *learner, const fold_job *job)
{
    begin(fold, job);
    size_t taken = take_part(fold, learner); /* then the helpers are done */
    for (uint32_t i = 0; i < fold->job.portions_count; i++) {
        if (fold->job.refused) {
            sotto__portion_empty(fold->portion[i]);
        } else {
            sotto__portion_merge(fold->portion[i], learner);
        }
    }
    if (fold->job.refused) sotto__learner_untake(learner, job->frames, taken);
    return !fold->job.refused;
}

bool fold_frames(sottod_fold *fold, sotto_learner *learner, const uint8_t *frames,
                 size_t frames_bytes)
{
    if (fold == NULL || learner == NULL || frames == NULL) return false;
    size_t frame_bytes = sotto_report_bytes(&learner->terms), count = frames_bytes / frame_bytes;
    if (frames_bytes % frame_bytes != 0) return false;
    if (fold->workers.count == 0 || !has_room(learner, count))
        return fold_alone(learner, frames, count);
    uint64_t frame_ns = sotto__learner_frame_ns(learner);
    uint32_t helpers = helpers_that_pay(fold, learner, count * frame_ns);
    if (helpers > 0) helpers = fit_portions(fold, learner, helpers);
    if (helpers == 0) return fold_alone(learner, frames, count);
    const fold_job job = {
        .frames = frames,
        .frame_bytes = frame_bytes,
        .chunk = 1 + fold->chunk_ns / frame_ns,
        .back = count,
        .helpers_wanted = helpers,
    };
    return fold_together(fold, learner, &job);
}
