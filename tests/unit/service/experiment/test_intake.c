/* Bodies of frames: a bad frame refuses the whole body; late and repeated frames are skipped and
 * counted; nothing counts before it is durable. */
#include "allocations.h"
#include "desk.h"
#include "learners.h"
#include "test.h"

#include "service/experiment/inner.h"
#include "service/fold/inner.h"

#include <stdlib.h>
#include <string.h>

#define EACH 42u /* bytes of a frame of desk_request */

/* Everything that an offer could change. */
typedef struct picture {
    uint8_t *learner;
    size_t learner_bytes;
    journal_counts counts;
    uint64_t nonces;
    uint32_t waiting;
    uint64_t last;
} picture;

static picture picture_of(const desk *d)
{
    picture p = {
        .counts = experiment_counts(d->experiment),
        .nonces = sotto_nonce_set_count(d->experiment->engine->nonces),
        .waiting = intake_waiting(d->intake),
        .last = journal_last(d->journal),
    };
    p.learner = learner_bytes_of(experiment_learner(d->experiment), &p.learner_bytes);
    return p;
}

static void assert_unchanged(const desk *d, picture *before)
{
    picture now = picture_of(d);
    assert_int_equal(now.learner_bytes, before->learner_bytes);
    assert_memory_equal(now.learner, before->learner, now.learner_bytes);
    assert_memory_equal(&now.counts, &before->counts, sizeof now.counts);
    assert_ints(now.nonces, before->nonces, now.waiting, before->waiting, now.last, before->last);
    free(now.learner);
    free(before->learner);
}

static void assert_refused_for(desk *d, const uint8_t *body, size_t bytes, uint32_t status,
                               const char *field, refusal_lack lacks)
{
    sottod_refusal why = {0};
    picture before = picture_of(d);
    assert_false(intake_offer(d->intake, d->experiment, body, bytes, &why));
    assert_int_equal(why.status, status);
    assert_string_equal(why.fault.field, field);
    assert_int_equal(why.lacks, lacks);
    assert_true(why.fault.sentence[0] != '\0');
    assert_unchanged(d, &before);
}

static void assert_refused(desk *d, const uint8_t *body, size_t bytes, uint32_t status,
                           const char *field)
{
    assert_refused_for(d, body, bytes, status, field, LACK_NOTHING);
}

TEST(bodies_of_no_whole_frames_are_refused)
{
    HELD(desk) d = desk_with(1, NULL);
    sottod_refusal why;
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&d, d.experiment, 2);
    assert_false(intake_offer(d.intake, NULL, frames, EACH, &why));
    assert_int_equal(why.status, 404);
    assert_refused(&d, frames, 0, 400, "body");
    assert_refused(&d, frames, 1, 400, "body");
    assert_refused(&d, frames, EACH - 1, 400, "body");
    assert_refused(&d, frames, EACH + 1, 400, "body");
    assert_int_equal(experiment_body_bytes_max(d.experiment), 24966 * EACH);
    FREED_BY(free_memory) uint8_t *long_one = calloc(24967, EACH);
    assert_refused(&d, long_one, 24967 * (size_t)EACH, 413, "body");
}

/* 64 codewords of 1024 numbers in a frame: about 0.3 ms each. */
TEST(a_body_that_takes_long_to_fold_is_refused_with_the_number_that_is_not)
{
    experiment_request request = desk_request();
    request.spec.method = SOTTO_METHOD_LDP_SGD;
    request.spec.dim = 1024;
    request.spec.arms = 64;
    request.spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    request.spec.score = SOTTO_SCORE_GRADIENT;
    request.spec.split = SOTTO_SPLIT_PER_ARM;
    HELD(desk) d = desk_with(1, &request);
    const size_t each = sotto_report_bytes(experiment_terms(d.experiment));
    const size_t frames = experiment_body_bytes_max(d.experiment) / each;
    assert_in_range(frames * sotto__terms_frame_ns(experiment_terms(d.experiment)), 19000000,
                    20000000);
    FREED_BY(free_memory) uint8_t *body = calloc(frames + 1, each);
    assert_refused(&d, body, (frames + 1) * each, 413, "body");
    sottod_refusal why;
    char number[64];
    assert_false(intake_offer(d.intake, d.experiment, body, (frames + 1) * each, &why));
    snprintf(number, sizeof number, "at most %zu reports per request", frames);
    assert_non_null(strstr(why.fault.sentence, number));
    FREED_BY(free_memory) uint8_t *good = desk_frames(&d, d.experiment, (uint32_t)frames);
    desk_take_frames(&d, good, (uint32_t)frames);
    desk_assert_counts(d.experiment, frames, 0, 0, 0);
}

/* The third of four frames is changed, in every way possible. */
TEST(one_bad_frame_refuses_all_and_is_named)
{
    HELD(desk) d = desk_with(1, NULL);
    desk_epoch(&d, 12);
    static const struct {
        uint32_t at;
        uint8_t value;
        const char *field, *says, *allowed;
    } bad[] = {
        {0, 'X', "frame 2", "not a valid frame", "whole report frames"},
        {5, 0, "frame 2", "another spec", "whole report frames"},
        {20, 2, "epoch", "Frame 2, counted from 0: its epoch has not begun", "0 to 1, the current"},
        {23, 0xff, "epoch", "Frame 2, counted from 0: its epoch has not begun", "0 to 1, the cur"},
        {41, 0xff, "frame 2", "codeword index", "whole report frames"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sottod_refusal why;
        uint8_t *frames = desk_frames_of(&d, d.experiment, 1, 4);
        uint8_t *byte = frames + 2 * EACH + bad[i].at;
        *byte = *byte == bad[i].value ? (uint8_t)(bad[i].value + 1) : bad[i].value;
        assert_refused(&d, frames, 4 * EACH, 400, bad[i].field);
        assert_false(desk_offer(&d, frames, 4, &why));
        assert_non_null(strstr(why.fault.sentence, bad[i].says));
        assert_non_null(strstr(why.fault.allowed, bad[i].allowed));
        assert_string_equal(why.fault.value, ""); /* no bytes of the report */
        free(frames);
    }
}

TEST(ticks_that_nobody_honest_has_are_refused)
{
    experiment_request request = desk_request();
    request.spec.method = SOTTO_METHOD_LDP_OLS;
    request.spec.score = SOTTO_SCORE_MOMENTS;
    request.spec.delta = 1e-6;
    sotto_terms terms = resolved(&request.spec);
    request.learning = sotto_learning_default(&terms, 0);
    HELD(desk) d = desk_with(1, &request);
    size_t each = sotto_report_bytes(&terms);
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&d, d.experiment, 2);
    memset(frames + each + 40, 0x7f, 4);
    assert_refused(&d, frames, 2 * each, 400, "frame 1");
}

/* An index from the other phase's codebook passes the decoder but not the check against its epoch. */
TEST(an_index_that_its_epoch_does_not_have_is_refused)
{
    experiment_request request = desk_request();
    request.spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    request.spec.epsilon = 5;
    sotto_terms terms = resolved(&request.spec);
    request.learning = sotto_learning_default(&terms, 1000);
    request.learning.warm_up = 100;
    HELD(desk) d = desk_with(1, &request);
    uint32_t warm_up = terms.codebook[SOTTO_PHASE_WARM_UP].size + terms.codebook[0].nulls;
    uint32_t main_phase = terms.codebook[SOTTO_PHASE_MAIN].size + terms.codebook[1].nulls;
    assert_true(warm_up < main_phase);
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&d, d.experiment, 1);
    frames[40] = (uint8_t)warm_up;
    frames[41] = (uint8_t)(warm_up >> 8);
    assert_refused(&d, frames, EACH, 400, "frame 0");
}

TEST(late_repeated_and_conflicting_frames_are_skipped_and_counted)
{
    HELD(desk) d = desk_with(1, NULL);
    FREED_BY(free_memory) uint8_t *old = desk_frames_of(&d, d.experiment, 0, 10);
    desk_take_frames(&d, old, 10);
    FREED_BY(free_memory) uint8_t *frames = desk_frames_of(&d, d.experiment, 0, 10);
    memcpy(frames + 1 * EACH, frames, EACH);         /* twice in one body */
    memcpy(frames + 2 * EACH + 24, frames + 24, 16); /* the nonce of the first, other bytes */
    frames[2 * EACH + 40] = (uint8_t)(frames[40] ^ 1);
    memcpy(frames + 3 * EACH, old + 3 * EACH, EACH); /* taken before */
    desk_give(&d, frames, 10);
    desk_give(&d, frames, 10); /* and all of them again in this group */
    desk_assert_counts(d.experiment, 10, 0, 0, 0);
    assert_int_equal(intake_waiting(d.intake), 2);
    desk_commit(&d);
    assert_int_equal(intake_waiting(d.intake), 0);
    desk_assert_counts(d.experiment, 17, 0, 2 + 9, 1 + 1);
    for (int i = 0; i < 3; i++) {
        desk_epoch(&d, 10);
    }
    assert_int_equal(experiment_epoch(d.experiment), 3);
    journal_counts before = experiment_counts(d.experiment);
    desk_take_frames(&d, old, 10); /* all are of epoch 0, which is closed */
    desk_assert_counts(d.experiment, before.folded, 10, 11, 2);
    assert_int_equal(desk_since_publish(d.experiment).late, 10);
}

TEST(a_full_set_of_nonces_refuses_the_whole_body)
{
    experiment_request request = desk_request();
    request.epoch_seconds_min = 1000;
    HELD(desk) d = desk_of(1);
    d.settings.nonces_max = 1000;
    desk_restart(&d);
    desk_create(&d, &request);
    desk_take(&d, 990);
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&d, d.experiment, 25);
    assert_refused_for(&d, frames, 25 * EACH, 503, "", LACK_NONCES);
    desk_give(&d, frames, 6);
    assert_refused_for(&d, frames, 25 * EACH, 503, "",
                       LACK_NONCES);  /* into a group that is not empty */
    desk_take_frames(&d, frames, 10); /* 6 of them again */
    desk_assert_counts(d.experiment, 1000, 0, 6, 0);
    assert_refused_for(&d, frames + 10 * EACH, EACH, 503, "", LACK_NONCES);
    desk_take_frames(&d, frames, 10); /* known frames need no room */
    desk_assert_counts(d.experiment, 1000, 0, 16, 0);
}

/* What was refused leaves no row behind. */
TEST(a_refused_body_is_no_part_of_the_group)
{
    experiment_request request = desk_request();
    HELD(desk) d = desk_of(1);
    uint64_t oldest;
    d.settings.nonces_max = 1000;
    desk_restart(&d);
    sottod_experiment *other = desk_create(&d, &request);
    request.spec.series = 1;
    desk_create(&d, &request);
    sottod_refusal why;
    FREED_BY(free_memory)
    uint8_t *frames = desk_frames(&d, d.experiment, 1001), *others = desk_frames(&d, other, 3);
    assert_refused_for(&d, frames, 1001 * EACH, 503, "", LACK_NONCES);
    assert_true(intake_offer(d.intake, other, others, 3 * EACH, &why));
    desk_commit(&d);
    assert_int_equal(journal_memory_rows(d.journal, 1, &oldest), 1);
    assert_int_equal(journal_memory_rows(d.journal, 2, &oldest), 0);
}

TEST(nonces_get_more_room_as_they_come)
{
    HELD(desk) d = desk_with(1, NULL);
    assert_true(experiment_memory_bytes(d.experiment) < 60000);
    for (int i = 0; i < 5; i++) {
        desk_take(&d, 1000);
    }
    desk_assert_counts(d.experiment, 5000, 0, 0, 0);
    assert_int_equal(sotto_nonce_set_count(d.experiment->engine->nonces), 5000);
    assert_int_equal(sotto_nonce_set_capacity(d.experiment->engine->nonces), 5120);
}

TEST(a_commit_that_fails_never_was)
{
    for (uint32_t calls = 0; calls < 3; calls++) { /* begin, append, commit */
        desk d = desk_with(1, NULL), never = desk_with(1, NULL);
        sottod_refusal why;
        desk_take(&d, 5);
        desk_take(&never, 5);
        assert_true(desk_same(d.experiment, never.experiment));
        uint8_t *frames = desk_frames(&d, d.experiment, 50);
        picture before = picture_of(&d);
        for (uint32_t i = 0; i < 5; i++) {
            desk_give(&d, frames + i * 10 * EACH, 10);
        }
        desk_give(&d, frames, 10); /* duplicates in the group */
        journal_memory_fail_after(d.journal, calls);
        assert_false(intake_commit(d.intake, &why));
        assert_ints(why.status, 503, why.lacks, LACK_JOURNAL);
        assert_unchanged(&d, &before);
        assert_true(desk_same(d.experiment, never.experiment));
        assert_true(intake_commit(d.intake, &why)); /* nothing is waiting */
        desk_give(&d, frames, 50);
        desk_give(&never, frames, 50);
        desk_commit(&d);
        desk_commit(&never);
        desk_assert_counts(d.experiment, 55, 0, 0, 0);
        assert_true(desk_same(d.experiment, never.experiment));
        free(frames);
        desk_free(&d);
        desk_free(&never);
    }
}

TEST(what_is_durable_is_folded_once)
{
    HELD(desk) d = desk_with(1, NULL);
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&d, d.experiment, 5);
    desk_give(&d, frames, 5);
    desk_give(&d, frames, 5);
    assert_int_equal(sotto_learner_taken(experiment_learner(d.experiment)), 0);
    desk_commit(&d);
    assert_int_equal(sotto_learner_taken(experiment_learner(d.experiment)), 5);
    desk_assert_counts(d.experiment, 5, 0, 5, 0);
}

/* Otherwise the row of the publish would precede a row with reports of the epoch that it closed. */
TEST(an_epoch_does_not_end_under_a_group)
{
    experiment_request request = desk_request();
    request.spec.epoch_lag_max = 1;
    HELD(desk) d = desk_with(1, &request);
    desk_epoch(&d, 10);
    desk_take(&d, 10);
    FREED_BY(free_memory)
    uint8_t *frames = desk_frames_of(&d, d.experiment, 0, 5); /* the next publish closes epoch 0 */
    desk_give(&d, frames, 5);
    assert_int_equal(desk_turned(&d, 1000), 1);
    desk_commit(&d);
    desk_assert_counts(d.experiment, 25, 0, 0, 0);
    assert_int_equal(desk_turned(&d, 0), 2);
    desk_restart(&d); /* reads the rows again, in their order */
    assert_int_equal(experiment_epoch(d.experiment), 2);
    desk_assert_counts(d.experiment, 25, 0, 0, 0);
}

TEST(a_group_has_one_row_per_experiment)
{
    HELD(desk) d = desk_of(1);
    experiment_request request = desk_request();
    sottod_refusal why;
    sottod_experiment *experiment[20];
    for (request.spec.series = 0; request.spec.series < 20; request.spec.series++) {
        experiment[request.spec.series] = desk_create(&d, &request);
    }
    for (uint32_t i = 0; i < 60; i++) {
        uint8_t *frames = desk_frames(&d, experiment[i % 20], 1 + i % 3);
        assert_true(
            intake_offer(d.intake, experiment[i % 20], frames, (1 + i % 3) * (size_t)EACH, &why));
        free(frames);
    }
    uint64_t last_us, commits = journal_commits(d.journal, &last_us);
    desk_commit(&d);
    assert_int_equal(journal_commits(d.journal, &last_us), commits + 1);
    for (uint32_t i = 0; i < 20; i++) {
        uint64_t oldest;
        assert_int_equal(journal_memory_rows(d.journal, i + 1, &oldest), 1);
        assert_int_equal(experiment_counts(experiment[i]).folded,
                         1 + i % 3 + 1 + (i + 20) % 3 + 1 + (i + 40) % 3);
    }
}

TEST(a_body_that_does_not_fit_the_group_waits_for_the_next)
{
    HELD(desk) d = desk_with(1, NULL);
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&d, d.experiment, 24966);
    intake_free(d.intake);
    d.intake = intake_new(d.all, 100); /* less than one body: it grows */
    desk_give(&d, frames, 24966);
    FREED_BY(free_memory) uint8_t *more = desk_frames(&d, d.experiment, 1);
    assert_refused_for(&d, more, EACH, 503, "", LACK_MEMORY);
    desk_commit(&d);
    desk_assert_counts(d.experiment, 24966, 0, 0, 0);
    desk_take_frames(&d, more, 1);
    desk_assert_counts(d.experiment, 24967, 0, 0, 0);
}

/* After there is room for the nonces. Allocations of the journal in memory do not count. */
TEST(nothing_is_allocated_once_it_is_warm)
{
    HELD(desk) d = desk_with(1, NULL);
    sottod_refusal why;
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&d, d.experiment, 900);
    assert_true(engine_reserve(d.experiment->engine, 1000, 1000));
    desk_take_frames(&d, frames, 10);
    for (uint32_t i = 10; i < 900; i += 89) {
        uint64_t before = allocations;
        desk_give(&d, frames + i * EACH, 89);
        assert_int_equal(allocations, before);
        journal_memory_fail_after(d.journal, 0);
        assert_false(intake_commit(d.intake, &why)); /* sorted, and forgotten */
        assert_int_equal(allocations, before);
        desk_take_frames(&d, frames + i * EACH, 89);
        assert_true(allocations > before); /* by the journal, which shows that the counter works */
    }
    desk_assert_counts(d.experiment, 900, 0, 0, 0);
}

TEST(a_large_group_is_folded_by_two_threads_as_by_one)
{
    const experiment_request request = desk_request();
    desk d[] = {desk_of(1), desk_of(1)};
    for (uint32_t i = 0; i < 2; i++) {
        d[i].settings.threads = i + 1;
        desk_restart(&d[i]);
        desk_create(&d[i], &request);
        assert_int_equal(d[i].all->fold->workers.count, i);
        for (uint32_t epoch = 0; epoch < 3; epoch++) {
            desk_take(&d[i], 3000);
            assert_int_equal(d[i].all->fold->job.frames != NULL, i); /* frames were given out */
            assert_true(desk_turn(&d[i], 1000));
        }
        desk_take(&d[i], 3000);
    }
    assert_int_equal(experiment_epoch(d[1].experiment), 3);
    assert_true(desk_same(d[0].experiment, d[1].experiment));
    desk_free(&d[0]);
    desk_free(&d[1]);
}
