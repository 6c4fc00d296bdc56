/* Portions that are merged are the reports taken one by one, for one learner after another. */
#include "learners.h"
#include "made.h"
#include "server/server.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

OWNED(sotto__portion, sotto__portion_free)

#define COUNT 12

static bool out_of_memory;

void *__real_calloc(size_t count, size_t bytes);
void *__real_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_malloc(size_t bytes);

void *__wrap_calloc(size_t count, size_t bytes)
{
    return out_of_memory ? NULL : __real_calloc(count, bytes);
}

void *__wrap_malloc(size_t bytes)
{
    return out_of_memory ? NULL : __real_malloc(bytes);
}

static uint8_t *frames_of(const sotto_learner *learner, tape *random, size_t count)
{
    size_t each = sotto_report_bytes(&learner->terms);
    uint8_t *frames = malloc(count * each);
    assert_non_null(frames);
    for (size_t i = 0; i < count;) {
        OWN(sotto_report) report = report_for(learner, random);
        if (sotto_learner_check(learner, report) == SOTTO_OK)
            assert_ok(sotto_report_encode(&learner->terms, report, frames + i++ * each, each));
    }
    return frames;
}

TEST(a_portion_without_memory_fits_nothing)
{
    OWN(sotto_learner) learner = learner_of_case(0);
    out_of_memory = true;
    assert_null(sotto__portion_new());
    out_of_memory = false;
    OWN(sotto__portion) portion = sotto__portion_new();
    out_of_memory = true;
    assert_false(sotto__portion_fit(portion, learner));
    out_of_memory = false;
    assert_true(sotto__portion_fit(portion, learner));
    out_of_memory = true; /* none is needed any more */
    assert_true(sotto__portion_fit(portion, learner));
    out_of_memory = false;
    sotto__portion_free(NULL);
}

TEST(a_portion_stops_at_a_frame_that_the_learner_would_refuse)
{
    tape random = tape_seeded(3);
    OWN(sotto_learner) learner = learner_of_case(LEARNER_METHODS * 3); /* late reports */
    OWN(sotto__portion) portion = sotto__portion_new();
    size_t each = sotto_report_bytes(&learner->terms), bytes;
    for (int i = 0; i < 5; i++) {
        assert_ok(sotto_learner_publish(learner));
    }
    FREED_BY(free_memory) uint8_t *frames = frames_of(learner, &random, 3);
    FREED_BY(free_memory) uint8_t *before = learner_bytes_of(learner, &bytes);
    static const struct {
        size_t at;
        uint8_t byte;
    } bad[] = {{0, 'X'}, {4, 0xff}, {20, 6}, {20, 2}, {41, 0xff}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint8_t good = frames[2 * each + bad[i].at];
        frames[2 * each + bad[i].at] = bad[i].byte ^ (bad[i].byte == good);
        assert_true(sotto__portion_fit(portion, learner));
        assert_int_equal(sotto__portion_take(portion, frames, 3), 2);
        frames[2 * each + bad[i].at] = good;
        assert_int_equal(sotto__portion_take(portion, frames + 2 * each, 1), 1);
        sotto__portion_empty(portion);
        sotto__portion_merge(portion, learner); /* nothing */
        size_t bytes_after;
        FREED_BY(free_memory) uint8_t *after = learner_bytes_of(learner, &bytes_after);
        assert_int_equal(bytes, bytes_after);
        assert_memory_equal(before, after, bytes);
    }
}

TEST(a_portion_of_a_served_epoch_takes_no_learn_report)
{
    tape random = tape_seeded(5);
    OWN(sotto_learner) learner = learner_of_case(0);
    OWN(sotto__portion) portion = sotto__portion_new();
    FREED_BY(free_memory) uint8_t *frame = frames_of(learner, &random, 1);
    learner->open[0].tally->served = true;
    assert_true(sotto__portion_fit(portion, learner));
    assert_int_equal(sotto__portion_take(portion, frame, 1), 0);
}

/* One portion for all cases: each finds the memory that the one before has left. */
TEST(portions_that_are_merged_are_the_reports_taken_one_by_one)
{
    tape random = tape_seeded(4);
    sotto_terms terms;
    sotto_learning learning;
    OWN(sotto__portion) portion = sotto__portion_new();
    for (uint32_t c = 0; c < LEARNER_CASES; c++) {
        if (!learner_case(c, &terms, &learning)) continue;
        sotto_learner *merged = made_learner(&terms, &learning);
        sotto_learner *alone = made_learner(&terms, &learning);
        size_t each = sotto_report_bytes(&terms);
        for (int epoch = 0; epoch < 3; epoch++) {
            FREED_BY(free_memory) uint8_t *frames = frames_of(merged, &random, COUNT);
            size_t split = sotto__seeded_next(&random.seeded) % (COUNT + 1);
            assert_true(sotto__portion_fit(portion, merged));
            assert_ints(sotto__portion_take(portion, frames + split * each, COUNT - split),
                        COUNT - split, sotto__learner_take_until(merged, frames, split), split);
            sotto__portion_merge(portion, merged);
            assert_ok(sotto_learner_take_frames(alone, frames, COUNT * each, NULL));
            assert_true(learners_have_same_bytes(merged, alone));
            assert_int_equal(sotto_learner_taken(merged), sotto_learner_taken(alone));
            assert_ok(sotto_learner_publish(merged));
            assert_ok(sotto_learner_publish(alone));
        }
    }
}

TEST(more_numbers_cost_more)
{
    for (uint32_t c = 0; c < LEARNER_METHODS; c++) {
        sotto_terms terms;
        sotto_learning learning;
        if (!learner_case(c, &terms, &learning)) continue;
        if (terms.spec.method == SOTTO_METHOD_BEST_ARM) continue; /* its reports have one number */
        sotto_spec spec = terms.spec;
        sotto_learner *learner[2] = {made_learner(&terms, &learning)};
        spec.dim *= 2;
        assert_ok(sotto_spec_resolve(&spec, &terms));
        learner[1] = made_learner(&terms, &learning);
        assert_true(sotto__learner_frame_ns(learner[0]) > 0);
        for (uint32_t i = 0; i < 2; i++) { /* in whatever phase */
            assert_true(sotto__terms_frame_ns(&learner[i]->terms) >=
                        sotto__learner_frame_ns(learner[i]));
        }
        assert_true(sotto__learner_frame_ns(learner[1]) > sotto__learner_frame_ns(learner[0]));
        assert_true(sotto__learner_merge_ns(learner[1]) > sotto__learner_merge_ns(learner[0]));
    }
}
