/* Frames folded by any number of threads give the same state as frames taken by one, to the bit, or
 * no change at all. */
#include "learners.h"
#include "service/fold/inner.h"
#include "test.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

OWNED(sotto_learner, sotto_learner_free)
OWNED(sottod_fold, fold_free)

#define COUNT 40u
#define POOLS 4u

/* ---- the world around it */

static uint64_t allocations;
static bool out_of_memory;
static uint32_t threads_left; /* threads that can still be started */
static sottod_fold *awaited;  /* the caller waits for the helpers of this pool before it folds */
static uint64_t helped;       /* portions folded by helpers */

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*work)(void *), void *state);
size_t __real_sotto__learner_take_until(sotto_learner *learner, const uint8_t *frames,
                                        size_t count);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*work)(void *), void *state);
size_t __wrap_sotto__learner_take_until(sotto_learner *learner, const uint8_t *frames,
                                        size_t count);

void *__wrap_malloc(size_t bytes)
{
    allocations++;
    return out_of_memory ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    allocations++;
    return out_of_memory ? NULL : __real_calloc(count, bytes);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*work)(void *), void *state)
{
    if (threads_left == 0) return EAGAIN;
    threads_left--;
    return __real_pthread_create(thread, attributes, work, state);
}

/* Reports in tests are so cheap that the caller would fold all of them before a helper wakes up. */
size_t __wrap_sotto__learner_take_until(sotto_learner *learner, const uint8_t *frames, size_t count)
{
    bool waits = awaited != NULL;
    for (uint32_t i = 0; waits && i < 1000000; i++) {
        pthread_mutex_lock(&awaited->workers.lock);
        const fold_job *job = &awaited->job;
        waits = job->helpers_wanted > 0 && job->front < job->back;
        pthread_mutex_unlock(&awaited->workers.lock);
        if (waits) sched_yield();
    }
    return __real_sotto__learner_take_until(learner, frames, count);
}

/* A pool for which waking threads seems cheap. */
static sottod_fold *pool_of(uint32_t threads)
{
    threads_left = UINT32_MAX;
    sottod_fold *fold = fold_new(threads);
    assert_non_null(fold);
    fold->wake_ns = fold->chunk_ns = 0;
    return fold;
}

static bool fold_by(sottod_fold *fold, sotto_learner *learner, const uint8_t *frames, size_t count)
{
    pthread_mutex_lock(&fold->workers.lock); /* helpers may still be going back to sleep */
    fold->job = (fold_job){0};
    pthread_mutex_unlock(&fold->workers.lock);
    awaited = fold;
    bool folded = fold_frames(fold, learner, frames, count * sotto_report_bytes(&learner->terms));
    helped += fold->job.portions_count;
    awaited = NULL;
    return folded;
}

static uint8_t *frames_of(const sotto_learner *learner, tape *random, size_t count)
{
    size_t each = sotto_report_bytes(&learner->terms);
    uint8_t *frames = malloc(count * each);
    assert_non_null(frames);
    for (size_t i = 0; i < count;) {
        sotto_report *report = report_for(learner, random);
        if (sotto_learner_check(learner, report) == SOTTO_OK)
            assert_ok(sotto_report_encode(&learner->terms, report, frames + i++ * each, each));
        sotto_report_free(report);
    }
    return frames;
}

static uint32_t draw(tape *random, uint32_t below)
{
    return (uint32_t)(sotto__seeded_next(&random->seeded) >> 32) % below;
}

/* ---- refused */

TEST(frames_of_no_whole_number_are_refused)
{
    tape random = tape_seeded(1);
    OWN(sottod_fold) fold = pool_of(2);
    sotto_learner *learner = learner_of_case(0), *before = learner_of_case(0);
    size_t each = sotto_report_bytes(&learner->terms);
    FREED_BY(free_memory) uint8_t *frames = frames_of(learner, &random, 2);
    assert_false(fold_frames(NULL, learner, frames, each));
    assert_false(fold_frames(fold, NULL, frames, each));
    assert_false(fold_frames(fold, learner, NULL, each));
    assert_false(fold_frames(fold, learner, frames, each - 1));
    assert_false(fold_frames(fold, learner, frames, each + 1));
    assert_true(fold_frames(fold, learner, frames, 0));
    assert_true(learners_have_same_bytes(learner, before));
    fold_free(NULL);
    sotto_learner_free(learner);
    sotto_learner_free(before);
}

TEST(a_pool_that_cannot_have_its_threads_is_not_made)
{
    for (uint32_t left = 0; left < 3; left++) {
        threads_left = left;
        assert_null(fold_new(4)); /* the caller is the fourth */
    }
    threads_left = 3;
    fold_free(fold_new(4));
    assert_int_equal(threads_left, 0);
    sottod_fold *one = fold_new(1);
    assert_non_null(one); /* which needs none */
    fold_free(one);
    out_of_memory = true;
    assert_null(fold_new(1));
    out_of_memory = false;
}

TEST(a_pool_has_as_many_threads_as_there_are_cores_unless_told)
{
    sottod_fold *all = pool_of(0), *one = pool_of(1), *most = pool_of(UINT32_MAX);
    assert_true(all->workers.count < FOLD_THREADS_MAX);
    assert_ints(one->workers.count, 0, most->workers.count, FOLD_THREADS_MAX - 1);
    fold_free(all);
    fold_free(one);
    fold_free(most);
}

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

TEST(signals_are_left_to_the_caller)
{
    sigset_t set, before;
    const struct sigaction act = {.sa_handler = interrupt};
    OWN(sottod_fold) fold = pool_of(3);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    assert_ints(sigaction(SIGUSR1, &act, NULL), 0, pthread_sigmask(SIG_BLOCK, &set, &before), 0);
    assert_int_equal(kill(getpid(), SIGUSR1), 0);
    usleep(1000);
    assert_int_equal(sigpending(&set), 0);
    assert_true(sigismember(&set, SIGUSR1)); /* no other thread has received it */
    assert_ints(interrupted, 0, pthread_sigmask(SIG_SETMASK, &before, NULL), 0, interrupted, 1);
}

/* Damages one frame; the caller restores it. */
static void spoil(uint8_t *frame, uint32_t way)
{
    static const size_t at[] = {0, 4, 23, 41}; /* magic, spec id, epoch, index */
    frame[at[way]] ^= 0xff;
}

TEST(after_a_refused_frame_the_learner_is_as_before)
{
    static const uint32_t cases[] = {0,  6,  7,
                                     11, 12, 6 + 2 * LEARNER_METHODS + LEARNER_METHODS * 3};
    tape random = tape_seeded(2);
    helped = 0;
    for (uint32_t threads = 1; threads <= 4; threads++) {
        sottod_fold *fold = pool_of(threads);
        for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
            sotto_learner *learner = learner_of_case(cases[c]);
            sotto_learner *alone = learner_of_case(cases[c]);
            size_t each = sotto_report_bytes(&learner->terms);
            for (uint32_t turn = 0; turn < 8; turn++) {
                uint8_t *frames = frames_of(learner, &random, COUNT);
                uint8_t kept[4096];
                uint32_t bad = turn == 0 ? 0 : turn == 1 ? COUNT - 1 : draw(&random, COUNT);
                assert_true(each <= sizeof kept);
                memcpy(kept, frames + bad * each, each);
                spoil(frames + bad * each, turn % 4);
                assert_false(fold_by(fold, learner, frames, COUNT));
                assert_true(learners_have_same_bytes(learner, alone));
                assert_int_equal(sotto_learner_taken(learner), sotto_learner_taken(alone));
                memcpy(frames + bad * each, kept, each);
                assert_true(fold_by(fold, learner, frames, COUNT));
                assert_ok(sotto_learner_take_frames(alone, frames, COUNT * each, NULL));
                assert_true(learners_have_same_bytes(learner, alone));
                if (turn % 2 == 1) {
                    assert_ok(sotto_learner_publish(learner));
                    assert_ok(sotto_learner_publish(alone));
                }
                free(frames);
            }
            sotto_learner_free(learner);
            sotto_learner_free(alone);
        }
        fold_free(fold);
    }
    assert_true(helped > 0);
}

TEST(a_tally_that_fills_up_refuses_all_or_nothing)
{
    tape random = tape_seeded(3);
    OWN(sottod_fold) fold = pool_of(3);
    OWN(sotto_learner) learner = learner_of_case(0);
    sotto_tally *tally = learner->open[0].tally;
    FREED_BY(free_memory) uint8_t *frames = frames_of(learner, &random, COUNT);
    tally->count = tally->heard = SOTTO_REPORTS_MAX - COUNT + 1;
    assert_false(fold_by(fold, learner, frames, COUNT));
    assert_ints(tally->count, SOTTO_REPORTS_MAX - COUNT + 1, tally->sum[0], 0);
    tally->count = tally->heard = SOTTO_REPORTS_MAX - COUNT;
    assert_true(fold_by(fold, learner, frames, COUNT));
    assert_ints(tally->count, SOTTO_REPORTS_MAX, sotto_learner_taken(learner), COUNT);
}

/* ---- folded */

/* Uses another pool and another size of chunks at each call; false if there is no such case. */
static bool pools_fold_what_one_thread_folds(sottod_fold **pool, uint32_t number, tape *random)
{
    sotto_terms terms;
    sotto_learning learning;
    sotto_learner *learner, *alone;
    if (!learner_case(number, &terms, &learning)) return false;
    assert_ok(sotto_learner_new(&terms, &learning, &learner));
    assert_ok(sotto_learner_new(&terms, &learning, &alone));
    size_t each = sotto_report_bytes(&terms);
    for (uint32_t turn = 0; turn < 2 * POOLS; turn++) {
        sottod_fold *fold = pool[(number + turn) % POOLS];
        uint32_t count = 1 + draw(random, COUNT);
        uint8_t *frames = frames_of(learner, random, count);
        fold->chunk_ns = (uint64_t)draw(random, 4) * 200; /* a frame costs about 100 */
        assert_true(fold_by(fold, learner, frames, count));
        assert_ok(sotto_learner_take_frames(alone, frames, count * each, NULL));
        assert_true(learners_have_same_bytes(learner, alone));
        assert_int_equal(sotto_learner_taken(learner), sotto_learner_taken(alone));
        if (draw(random, 2) > 0) {
            assert_ok(sotto_learner_publish(learner));
            assert_ok(sotto_learner_publish(alone));
        }
        free(frames);
    }
    assert_true(learners_are_same(learner, alone));
    sotto_learner_free(learner);
    sotto_learner_free(alone);
    return true;
}

/* Methods, versions, measure rounds, late reports, drift; in the mean phase, in warm-up and after
 * them. */
TEST(learners_of_every_kind_are_the_same_to_the_bit)
{
    tape random = tape_seeded(5);
    sottod_fold *pool[POOLS] = {pool_of(1), pool_of(2), pool_of(3), pool_of(8)};
    uint32_t cases = 0;
    helped = 0;
    for (uint32_t number = 0; number < LEARNER_CASES; number++) {
        cases += pools_fold_what_one_thread_folds(pool, number, &random);
    }
    assert_true(cases > LEARNER_METHODS);
    assert_true(helped > cases);
    for (size_t i = 0; i < POOLS; i++) {
        fold_free(pool[i]);
    }
}

TEST(without_memory_for_portions_the_caller_folds_alone)
{
    tape random = tape_seeded(6);
    OWN(sottod_fold) fold = pool_of(2);
    sotto_learner *learner = learner_of_case(0), *alone = learner_of_case(0);
    FREED_BY(free_memory) uint8_t *frames = frames_of(learner, &random, COUNT);
    size_t bytes = COUNT * sotto_report_bytes(&learner->terms);
    helped = 0;
    out_of_memory = true;
    assert_true(fold_by(fold, learner, frames, COUNT));
    out_of_memory = false;
    assert_int_equal(helped, 0);
    assert_ok(sotto_learner_take_frames(alone, frames, bytes, NULL));
    assert_true(learners_have_same_bytes(learner, alone));
    assert_true(fold_by(fold, learner, frames, COUNT));
    assert_int_equal(helped, 1);
    sotto_learner_free(learner);
    sotto_learner_free(alone);
}

TEST(nothing_is_allocated_for_a_learner_of_a_size_that_was_there_before)
{
    tape random = tape_seeded(7);
    OWN(sottod_fold) fold = pool_of(3);
    sotto_learner *large = learner_of_case(1), *small = learner_of_case(0); /* dim 6, dim 3 */
    uint8_t *of_large = frames_of(large, &random, COUNT),
            *of_small = frames_of(small, &random, COUNT);
    assert_true(fold_by(fold, large, of_large, COUNT));
    uint64_t before = allocations;
    for (int i = 0; i < 3; i++) {
        assert_true(fold_by(fold, small, of_small, COUNT));
        assert_true(fold_by(fold, large, of_large, COUNT));
    }
    assert_ints(allocations, before, sotto_learner_taken(small), 3 * COUNT);
    free(of_large);
    free(of_small);
    sotto_learner_free(large);
    sotto_learner_free(small);
}

TEST(few_frames_wake_nobody)
{
    tape random = tape_seeded(8);
    OWN(sotto_learner) learner = learner_of_case(0);
    FREED_BY(free_memory) uint8_t *frames = frames_of(learner, &random, COUNT);
    threads_left = UINT32_MAX;
    OWN(sottod_fold) fold = fold_new(8);
    assert_non_null(fold);
    helped = 0;
    assert_true(fold_by(fold, learner, frames, COUNT));
    assert_int_equal(helped, 0);
    assert_null(fold->job.frames); /* no frames were handed out */
}
