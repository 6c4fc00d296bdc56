/* What the watch counts: nothing unless it is on, every codeword once, the same in any order and in parts. */
#include "kinds.h"
#include "made.h"
#include "populations.h"
#include "reports.h"
#include "server/inner.h"
#include "server/server.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

OWNED(sotto__aim, sotto__aim_free)
OWNED(sotto__watch, sotto__watch_free)

static uint64_t sum_of(const uint64_t *count, uint32_t n)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += count[i];
    }
    return sum;
}

TEST(tests_have_names_and_other_numbers_have_none)
{
    assert_null(sotto__watch_name(SOTTO__WATCH_TESTS));
    assert_null(sotto__watch_name((sotto__watch_test)-1));
    assert_string_equal(sotto__watch_name(SOTTO__WATCH_INDEX), "index");
    assert_string_equal(sotto__watch_name(SOTTO__WATCH_COUNT), "count");
}

static crowd crowd_of(crowd_terms terms, uint64_t seed)
{
    crowd c;
    crowd_begin(&c, terms, seed);
    return c;
}

TEST(nobody_watches_unless_asked)
{
    sotto_terms terms = resolved_of(SHARED);
    sotto_learning learning = sotto_learning_default(&terms, 1000);
    sotto_learner *learner = made_learner(&terms, &learning);
    assert_null(sotto__learner_aim(learner));
    assert_null(learner->open[0].tally->watch);
    sotto__learner_uncount(learner); /* nothing to do */
    assert_ok(sotto__learner_watch(learner));
    assert_ok(sotto__learner_watch(learner)); /* again: all counts are 0 */
    assert_non_null(sotto__learner_aim(learner));
}

TEST(the_bytes_of_a_learner_are_those_of_one_that_is_not_watched)
{
    FREED_BY(crowd_end) crowd c = crowd_of(CROWD_TAGS, 1);
    for (int i = 0; i < 50; i++) {
        crowd_honest(&c, CROWD_ANYWHERE);
    }
    size_t bytes = sotto_learner_bytes(c.learner);
    FREED_BY(free_memory) uint8_t *watched = malloc(bytes);
    FREED_BY(free_memory) uint8_t *plain = malloc(bytes);
    assert_ok(sotto_learner_encode(c.learner, watched, bytes));
    OWN(sotto_learner) again = NULL;
    assert_ok(sotto_learner_decode(&c.terms, watched, bytes, &again));
    assert_null(sotto__learner_aim(again));
    assert_int_equal(sotto_learner_bytes(again), bytes);
    assert_ok(sotto_learner_encode(again, plain, bytes));
    assert_memory_equal(watched, plain, bytes);
}

/* Indices of learn reports that are not null; one for each arm under split. */
TEST(every_codeword_is_counted_once)
{
    for (int t = 0; t < CROWD_TERMS; t++) {
        FREED_BY(crowd_end) crowd c = crowd_of((crowd_terms)t, 5);
        for (int i = 0; i < 100; i++) {
            crowd_honest(&c, CROWD_ANYWHERE);
        }
        const sotto_tally *tally = tally_now(&c);
        const sotto__watch *watch = tally->watch;
        uint64_t of_each = t == CROWD_SPLIT ? c.terms.spec.arms : 1;
        uint64_t wanted = t == CROWD_TICKS ? 0 : of_each * tally->heard;
        assert_int_equal(sum_of(watch->index, watch->index_count), wanted);
        bool aims = t != CROWD_TICKS && t != CROWD_LINE && t != CROWD_WARM_UP;
        assert_int_equal(watch->aimed[0], aims ? wanted : 0);
        sotto__learner_uncount(c.learner);
        assert_ints(sum_of(watch->index, watch->index_count), 0, watch->aimed[0], 0);
    }
}

/* A codeword of one number 1 along an axis, beside directions that are known. */
TEST(tails_are_counted_along_the_right_direction)
{
    sotto_terms terms = resolved_of(SIGNS);
    OWN(sotto__aim) aim = NULL;
    OWN(sotto__watch) watch = NULL;
    assert_ok(sotto__aim_new(&terms, &aim));
    sotto_model *model = made_model(&terms);
    assert_ok(sotto__watch_new(&terms, aim, &watch));
    model->theta[0] = 1, model->theta[DIM + 1] = 1; /* rows e1, e2, 0; centred */
    sotto__aim_set(aim, model);
    const int32_t first[DIM] = {1 << 30, 0, 0}, third[DIM] = {0, 0, 1 << 30};
    const int8_t apart[ARMS] = {1, -1, 1};
    sotto__watch_codeword(watch, SOTTO_PHASE_MAIN, 7, first, 0, apart, 1);
    assert_ints(watch->index[7], 1, watch->aimed[0], 1);
    assert_int_equal(watch->tail[0][0], 0); /* e1 beside (2/3, -4/3) */
    sotto__watch_codeword(watch, SOTTO_PHASE_MAIN, 7, third, 0, apart, 1);
    assert_int_equal(watch->tail[0][0], 0);
    model->theta[DIM + 1] = 0;
    sotto__aim_set(aim, model);
    sotto__watch_codeword(watch, SOTTO_PHASE_MAIN, 9, first, 0, apart, 1);
    assert_ints(watch->tail[0][0], 1, watch->tail[0][2], 1);
    /* In warm-up a codeword is of its row alone. */
    sotto__watch_codeword(watch, SOTTO_PHASE_WARM_UP, 9, third, 1, apart, 1);
    assert_int_equal(watch->tail[0][0], 1);
    sotto__watch_codeword(watch, SOTTO_PHASE_WARM_UP, 9, first, 1, apart, 1);
    assert_int_equal(watch->tail[0][0], 2);
}

static void assert_same(const sotto__watch *one, const sotto__watch *other)
{
    assert_memory_equal(one->index, other->index, one->index_count * sizeof one->index[0]);
    assert_memory_equal(one->aimed, other->aimed, sizeof one->aimed);
    assert_memory_equal(one->tail, other->tail, sizeof one->tail);
}

/* Half of the reports in a tally of another thread, merged, beside all in one. */
TEST(parts_that_are_merged_count_as_one)
{
    for (int t = 0; t < CROWD_TERMS; t++) {
        FREED_BY(crowd_end) crowd c = crowd_of((crowd_terms)t, 8);
        sotto_tally *ours = tally_now(&c);
        sotto_tally *part = made_tally(&c.terms, ours->epoch, ours->phase, ours->decides);
        sotto_tally *rest = made_tally(&c.terms, ours->epoch, ours->phase, ours->decides);
        assert_ok(sotto__tally_watch(part, sotto__learner_aim(c.learner)));
        assert_ok(sotto__tally_watch(rest, sotto__learner_aim(c.learner)));
        for (int i = 0; i < 200; i++) {
            crowd_honest(&c, CROWD_ANYWHERE);
            assert_ok(sotto_tally_fold(i % 2 == 0 ? part : rest, c.report));
        }
        assert_ok(sotto_tally_merge(rest, part));
        assert_same(rest->watch, ours->watch);
    }
}

/* Frames by two portions, as threads have them, beside the learner that took them one by one; and taken out again. */
TEST(portions_of_threads_count_as_one)
{
    for (int t = 0; t < CROWD_TERMS; t++) {
        FREED_BY(crowd_end) crowd c = crowd_of((crowd_terms)t, 12);
        size_t frame_bytes = sotto_report_bytes(&c.terms), bytes = sotto_learner_bytes(c.learner);
        FREED_BY(free_memory) uint8_t *frames = malloc(100 * frame_bytes);
        FREED_BY(free_memory) uint8_t *kept = malloc(bytes);
        OWN(sotto_learner) other = NULL;
        assert_ok(sotto_learner_encode(c.learner, kept, bytes));
        assert_ok(sotto_learner_decode(&c.terms, kept, bytes, &other));
        assert_ok(sotto__learner_watch(other));
        for (uint32_t i = 0; i < 100; i++) {
            crowd_honest(&c, CROWD_ANYWHERE);
            assert_ok(
                sotto_report_encode(&c.terms, c.report, frames + i * frame_bytes, frame_bytes));
        }
        sotto__portion *portion[2] = {sotto__portion_new(), sotto__portion_new()};
        for (uint32_t p = 0; p < 2; p++) {
            assert_true(sotto__portion_fit(portion[p], other));
            assert_int_equal(sotto__portion_take(portion[p], frames + p * 50 * frame_bytes, 50),
                             50);
        }
        for (uint32_t p = 0; p < 2; p++) {
            sotto__portion_merge(portion[p], other);
            sotto__portion_free(portion[p]);
        }
        sotto_tally *theirs = sotto__learner_epoch(other, other->model->epoch)->tally;
        assert_same(theirs->watch, tally_now(&c)->watch);
        sotto__learner_untake(other, frames, 100);
        assert_ints(sum_of(theirs->watch->index, theirs->watch->index_count), 0,
                    theirs->watch->aimed[0], 0, theirs->watch->tail[0][0], 0);
    }
}

TEST(a_publish_begins_anew_and_aims_again)
{
    FREED_BY(crowd_end) crowd c = crowd_of(CROWD_SHARED, 9);
    for (int i = 0; i < 100; i++) {
        crowd_honest(&c, CROWD_ANYWHERE);
    }
    double before = c.learner->aim->way[0].at[0];
    assert_ok(sotto_learner_publish(c.learner));
    assert_true(c.learner->aim->way[0].at[0] != before);
    for (uint32_t e = 0; e < c.learner->open_count; e++) {
        const sotto__watch *watch = c.learner->open[e].tally->watch;
        assert_ints(sum_of(watch->index, watch->index_count), 0, watch->aimed[0], 0);
    }
}

/* Counting again after a restart: the same counts as before it, in the same learner. */

#define REPORTS 120u

TEST(half_a_frame_is_refused)
{
    FREED_BY(crowd_end) crowd c = crowd_of(CROWD_SHARED, 1);
    uint8_t frame[64] = {0};
    assert_status(sotto__learner_recount(c.learner, frame, 41), SOTTO_E_LENGTH);
}

TEST(a_frame_that_the_learner_would_refuse_is_refused)
{
    FREED_BY(crowd_end) crowd c = crowd_of(CROWD_SHARED, 1);
    uint8_t frame[64] = {0};
    size_t bytes = sotto_report_bytes(&c.terms);
    crowd_honest(&c, CROWD_ZERO);
    assert_ok(sotto_report_encode(&c.terms, c.report, frame, sizeof frame));
    frame[0] ^= 1; /* the magic */
    assert_status(sotto__learner_recount(c.learner, frame, bytes), SOTTO_E_FRAME);
}

TEST(nothing_is_counted_where_nobody_watches)
{
    FREED_BY(crowd_end) crowd c = crowd_of(CROWD_SHARED, 1);
    uint8_t frame[64] = {0};
    sotto_learning learning = sotto_learning_default(&c.terms, 1000);
    sotto_learner *plain = made_learner(&c.terms, &learning);
    assert_ok(sotto__learner_recount(plain, frame, sotto_report_bytes(&c.terms)));
}

/* Reports of two open epochs, a snapshot, a restart, and all of them again. */
TEST(counts_after_a_restart_are_those_from_before)
{
    for (int t = 0; t < CROWD_TERMS; t++) {
        FREED_BY(crowd_end) crowd c = crowd_of((crowd_terms)t, 2);
        size_t frame_bytes = sotto_report_bytes(&c.terms), bytes;
        FREED_BY(free_memory) uint8_t *frames = calloc(REPORTS + 1, frame_bytes);
        for (uint32_t i = 0; i < REPORTS; i++) {
            crowd_honest(&c, CROWD_ANYWHERE);
            assert_ok(
                sotto_report_encode(&c.terms, c.report, frames + i * frame_bytes, frame_bytes));
        }
        /* One of an epoch that is not open any more, as rows before the last publish have them. */
        c.report->epoch = 77;
        assert_ok(
            sotto_report_encode(&c.terms, c.report, frames + REPORTS * frame_bytes, frame_bytes));
        bytes = sotto_learner_bytes(c.learner);
        FREED_BY(free_memory) uint8_t *kept = malloc(bytes);
        OWN(sotto_learner) again = NULL;
        assert_ok(sotto_learner_encode(c.learner, kept, bytes));
        assert_ok(sotto_learner_decode(&c.terms, kept, bytes, &again));
        assert_ok(sotto__learner_watch(again));
        assert_ok(sotto__learner_recount(again, frames, (REPORTS + 1) * frame_bytes));
        const sotto__watch *one = tally_now(&c)->watch;
        const sotto__watch *other = sotto__learner_epoch(again, again->model->epoch)->tally->watch;
        assert_memory_equal(one->index, other->index, one->index_count * sizeof one->index[0]);
        assert_memory_equal(one->tail, other->tail, sizeof one->tail);
        assert_int_equal(sotto_learner_taken(again), sotto_learner_taken(c.learner));
        FREED_BY(free_memory) uint8_t *after = malloc(bytes);
        assert_ok(sotto_learner_encode(again, after, bytes));
        assert_memory_equal(kept, after, bytes); /* no report was taken twice */
    }
}

/* Verdicts: which test looks at what, and what each of them says of counts that are known. The laws are in
 * tests/statistical/test_watch.c. */

#define ALPHA 1e-6

static sotto__watch_verdict verdict_of(const crowd *c)
{
    return sotto__learner_verdict(c->learner, ALPHA, 0);
}

TEST(no_report_is_no_alarm)
{
    for (int t = 0; t < CROWD_TERMS; t++) {
        FREED_BY(crowd_end) crowd c = crowd_of((crowd_terms)t, 1);
        sotto__watch_verdict verdict = sotto__learner_verdict(c.learner, ALPHA, 1);
        assert_ints(verdict.alarms, 0, verdict.reports, 0);
        for (int i = 0; i < SOTTO__WATCH_TESTS; i++) {
            assert_true(verdict.chance[i] == 1);
        }
    }
}

TEST(a_learner_that_nobody_watches_still_counts_roles_arms_and_reports)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    sotto_terms terms = resolved(&spec);
    sotto_learning learning = sotto_learning_default(&terms, 1000);
    sotto_learner *learner = made_learner(&terms, &learning);
    learner->open[0].tally->count = 21;
    assert_int_equal(sotto__learner_verdict(learner, ALPHA, 10).alarms, 1u << SOTTO__WATCH_COUNT);
}

TEST(more_than_twice_as_many_reports_as_expected_are_an_alarm)
{
    FREED_BY(crowd_end) crowd c = crowd_of(CROWD_LINE, 1);
    for (int i = 0; i < 40; i++) {
        crowd_honest(&c, CROWD_ZERO);
    }
    const uint32_t bit = 1u << SOTTO__WATCH_COUNT;
    assert_int_equal(sotto__learner_verdict(c.learner, ALPHA, 0).alarms & bit, 0);
    assert_int_equal(sotto__learner_verdict(c.learner, ALPHA, 20).alarms & bit, 0);
    assert_int_equal(sotto__learner_verdict(c.learner, ALPHA, 19).alarms & bit, bit);
    assert_int_equal(sotto__learner_verdict(c.learner, ALPHA, UINT64_MAX).alarms & bit, 0);
}

TEST(one_index_alone_is_an_alarm)
{
    FREED_BY(crowd_end) crowd c = crowd_of(CROWD_SHARED, 1);
    tally_now(&c)->watch->index[5] = 60;
    sotto__watch_verdict verdict = verdict_of(&c);
    assert_int_equal(verdict.alarms, 1u << SOTTO__WATCH_INDEX);
    /* 60 ln 64 beside 63 degrees of freedom, by the formula at the head of watch.c. */
    double x = 60 * log(64);
    assert_near(log(verdict.chance[SOTTO__WATCH_INDEX]), 63 - x + 63 * log(x / 63), 1e-9);
}

TEST(indices_on_a_line_are_not_tested)
{
    FREED_BY(crowd_end) crowd c = crowd_of(CROWD_LINE, 1);
    tally_now(&c)->watch->index[5] = 1000;
    assert_int_equal(verdict_of(&c).alarms, 0);
}

TEST(one_tag_alone_is_no_alarm)
{
    FREED_BY(crowd_end) crowd c = crowd_of(CROWD_TAGS, 1);
    const sotto_codebook *codebook = &c.terms.codebook[SOTTO_PHASE_MAIN];
    assert_true(codebook->groups > 1);
    for (uint32_t i = 1; i < codebook->size; i += codebook->groups) {
        tally_now(&c)->watch->index[i] = 500;
    }
    assert_int_equal(verdict_of(&c).alarms, 0);
}

TEST(a_tail_above_the_most_that_scores_can_cause_is_an_alarm)
{
    FREED_BY(crowd_end) crowd c = crowd_of(CROWD_SHARED, 1);
    sotto__watch *watch = tally_now(&c)->watch;
    const sotto_codebook *codebook = &c.terms.codebook[SOTTO_PHASE_MAIN];
    double top = (double)codebook->weight_top / (double)codebook->weight_rest;
    double factor =
        codebook->size / 2.0 * (top + 1) / (codebook->top * top + codebook->size - codebook->top);
    watch->aimed[1] = 100000;
    watch->tail[1][1] = (uint64_t)(factor * 1000); /* the mean of the most */
    assert_int_equal(verdict_of(&c).alarms, 0);
    watch->tail[1][1] = (uint64_t)(factor * 1000 * SOTTO__WATCH_MARGIN + 300); /* 8 sd more */
    assert_int_equal(verdict_of(&c).alarms, 1u << SOTTO__WATCH_TAIL);
    /* The least of as many chances as there are looks, times their number. */
    double one =
        sotto__chance_above(watch->tail[1][1], 100000, factor * SOTTO__WATCH_MARGIN * 0.01);
    double looks = SOTTO_PHASES * SOTTO__AIM_WAYS * SOTTO__AIM_LEVELS;
    assert_near(verdict_of(&c).chance[SOTTO__WATCH_TAIL] / one, looks, 1e-6);
}

TEST(too_many_and_too_few_of_a_role_are_alarms)
{
    FREED_BY(crowd_end) crowd c = crowd_of(CROWD_SHARED, 1);
    sotto_tally *tally = tally_now(&c);
    const uint32_t bit = 1u << SOTTO__WATCH_ROLES;
    tally->count = 9000, tally->measured = 1000;
    tally->follow.count = 500;
    for (uint32_t k = 0; k < 4; k++) {
        tally->control[k].count = 125;
    }
    assert_int_equal(verdict_of(&c).alarms, 0);
    tally->follow.count = 700, tally->measured = 1200;
    assert_int_equal(verdict_of(&c).alarms, bit);
    tally->follow.count = 350, tally->measured = 850;
    assert_int_equal(verdict_of(&c).alarms, bit);
}

/* In an epoch whose model does not decide nobody follows it. */
TEST(followers_are_compared_with_those_whose_model_decides)
{
    FREED_BY(crowd_end) crowd c = crowd_of(CROWD_SHARED, 1);
    sotto_tally *now = tally_now(&c), *before = tally_before(&c);
    before->decides = false, now->decides = true;
    now->count = 9000, now->measured = 1000, now->follow.count = 500;
    before->count = 9500, before->measured = 500;
    for (uint32_t k = 0; k < 4; k++) {
        now->control[k].count = before->control[k].count = 125;
    }
    assert_int_equal(verdict_of(&c).alarms, 0);
    assert_true(verdict_of(&c).chance[SOTTO__WATCH_ROLES] == 1);
}

TEST(one_arm_alone_is_an_alarm_where_nonces_assign_it)
{
    FREED_BY(crowd_end) crowd c = crowd_of(CROWD_WARM_UP, 1);
    sotto_tally *tally = tally_now(&c);
    tally->arm_count[2] = tally->count = 100;
    assert_true((verdict_of(&c).alarms & 1u << SOTTO__WATCH_ARMS) != 0);
    tally->phase = SOTTO_PHASE_MAIN; /* tags: people choose */
    assert_true((verdict_of(&c).alarms & 1u << SOTTO__WATCH_ARMS) == 0);
    tally->control[1].count = tally->measured = 60;
    assert_true((verdict_of(&c).alarms & 1u << SOTTO__WATCH_ARMS) != 0);
}

/* Three people in four get arm 0. Where half have arm 1, nonces were chosen. */
TEST(arms_of_best_arm_are_compared_with_their_shares)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    spec.method = SOTTO_METHOD_BEST_ARM, spec.score = SOTTO_SCORE_REWARD, spec.arms = 2;
    sotto_terms terms = resolved(&spec);
    const sotto_learning learning = sotto_learning_default(&terms, 1000);
    sotto_learner *learner = made_learner(&terms, &learning);
    sotto_tally *tally = learner->open[0].tally;
    tally->shares[0] = 3u << 30, tally->shares[1] = 1u << 30;
    tally->count = 1000, tally->arm_count[0] = 750, tally->arm_count[1] = 250;
    assert_int_equal(sotto__learner_verdict(learner, ALPHA, 0).alarms, 0);
    tally->arm_count[0] = tally->arm_count[1] = 500;
    assert_int_equal(sotto__learner_verdict(learner, ALPHA, 0).alarms, 1u << SOTTO__WATCH_ARMS);
}

TEST(late_reports_are_tested_with_the_others)
{
    FREED_BY(crowd_end) crowd c = crowd_of(CROWD_SHARED, 1);
    for (uint32_t i = 0; i < 64; i++) {
        tally_now(&c)->watch->index[i] = 2;
    }
    tally_before(&c)->watch->index[5] = 100;
    assert_true((verdict_of(&c).alarms & 1u << SOTTO__WATCH_INDEX) != 0);
}
