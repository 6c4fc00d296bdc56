/* What the watch counts: nothing unless it is on, every codeword once, the same in any order and in parts. */
#include "kinds.h"
#include "populations.h"
#include "reports.h"
#include "server/portion.h"
#include "test.h"

#include <string.h>

static uint64_t sum_of(const uint64_t *count, uint32_t n)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += count[i];
    }
    return sum;
}

static void tests_have_names_and_other_numbers_have_none(void **state)
{
    (void)state;
    assert_null(sotto__watch_name(SOTTO__WATCH_TESTS));
    assert_null(sotto__watch_name((sotto__watch_test)-1));
    assert_string_equal(sotto__watch_name(SOTTO__WATCH_INDEX), "index");
    assert_string_equal(sotto__watch_name(SOTTO__WATCH_COUNT), "count");
}

static void nobody_watches_unless_asked(void **state)
{
    (void)state;
    sotto_terms terms = resolved_of(SHARED);
    sotto_learning learning = sotto_learning_default(&terms, 1000);
    sotto_learner *learner;
    assert_ok(sotto_learner_new(&terms, &learning, &learner));
    assert_null(sotto__learner_aim(learner));
    assert_null(learner->open[0].tally->watch);
    sotto__learner_uncount(learner); /* nothing to do */
    assert_ok(sotto__learner_watch(learner));
    assert_ok(sotto__learner_watch(learner)); /* again: all counts are 0 */
    assert_non_null(sotto__learner_aim(learner));
    sotto_learner_free(learner);
}

static void the_bytes_of_a_learner_are_those_of_one_that_is_not_watched(void **state)
{
    (void)state;
    crowd c;
    crowd_begin(&c, CROWD_TAGS, 1);
    for (int i = 0; i < 50; i++) {
        crowd_honest(&c, CROWD_ANYWHERE);
    }
    size_t bytes = sotto_learner_bytes(c.learner);
    uint8_t *watched = test_malloc(bytes), *plain = test_malloc(bytes);
    assert_ok(sotto_learner_encode(c.learner, watched, bytes));
    sotto_learner *again;
    assert_ok(sotto_learner_decode(&c.terms, watched, bytes, &again));
    assert_null(sotto__learner_aim(again));
    assert_int_equal(sotto_learner_bytes(again), bytes);
    assert_ok(sotto_learner_encode(again, plain, bytes));
    assert_memory_equal(watched, plain, bytes);
    test_free(watched);
    test_free(plain);
    sotto_learner_free(again);
    crowd_end(&c);
}

/* Indices of learn reports that are not null; one for each arm under split. */
static void every_codeword_is_counted_once(void **state)
{
    (void)state;
    for (int t = 0; t < CROWD_TERMS; t++) {
        crowd c;
        crowd_begin(&c, (crowd_terms)t, 5);
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
        assert_int_equal(sum_of(watch->index, watch->index_count), 0);
        assert_int_equal(watch->aimed[0], 0);
        crowd_end(&c);
    }
}

/* A codeword of one number 1 along an axis, beside directions that are known. */
static void tails_are_counted_along_the_right_direction(void **state)
{
    (void)state;
    sotto_terms terms = resolved_of(SIGNS);
    sotto__aim *aim;
    sotto__watch *watch;
    sotto_model *model;
    assert_ok(sotto__aim_new(&terms, &aim));
    assert_ok(sotto_model_new(&terms, &model));
    assert_ok(sotto__watch_new(&terms, aim, &watch));
    model->theta[0] = 1, model->theta[DIM + 1] = 1; /* rows e1, e2, 0; centred */
    sotto__aim_set(aim, model);
    const int32_t first[DIM] = {1 << 30, 0, 0}, third[DIM] = {0, 0, 1 << 30};
    const int8_t apart[ARMS] = {1, -1, 1};
    sotto__watch_codeword(watch, SOTTO_PHASE_MAIN, 7, first, 0, apart, 1);
    assert_int_equal(watch->index[7], 1);
    assert_int_equal(watch->aimed[0], 1);
    assert_int_equal(watch->tail[0][0], 0); /* e1 beside (2/3, -4/3) */
    sotto__watch_codeword(watch, SOTTO_PHASE_MAIN, 7, third, 0, apart, 1);
    assert_int_equal(watch->tail[0][0], 0);
    model->theta[DIM + 1] = 0;
    sotto__aim_set(aim, model);
    sotto__watch_codeword(watch, SOTTO_PHASE_MAIN, 9, first, 0, apart, 1);
    assert_int_equal(watch->tail[0][0], 1);
    assert_int_equal(watch->tail[0][2], 1);
    /* In warm-up a codeword is of its row alone. */
    sotto__watch_codeword(watch, SOTTO_PHASE_WARM_UP, 9, third, 1, apart, 1);
    assert_int_equal(watch->tail[0][0], 1);
    sotto__watch_codeword(watch, SOTTO_PHASE_WARM_UP, 9, first, 1, apart, 1);
    assert_int_equal(watch->tail[0][0], 2);
    sotto__watch_free(watch);
    sotto_model_free(model);
    sotto__aim_free(aim);
}

static void assert_same(const sotto__watch *one, const sotto__watch *other)
{
    assert_memory_equal(one->index, other->index, one->index_count * sizeof one->index[0]);
    assert_memory_equal(one->aimed, other->aimed, sizeof one->aimed);
    assert_memory_equal(one->tail, other->tail, sizeof one->tail);
}

/* Half of the reports in a tally of another thread, merged, beside all in one. */
static void parts_that_are_merged_count_as_one(void **state)
{
    (void)state;
    for (int t = 0; t < CROWD_TERMS; t++) {
        crowd c;
        crowd_begin(&c, (crowd_terms)t, 8);
        sotto_tally *ours = tally_now(&c), *part, *rest;
        assert_ok(sotto__tally_new(&c.terms, ours->epoch, ours->phase, ours->decides, &part));
        assert_ok(sotto__tally_new(&c.terms, ours->epoch, ours->phase, ours->decides, &rest));
        assert_ok(sotto__tally_watch(part, sotto__learner_aim(c.learner)));
        assert_ok(sotto__tally_watch(rest, sotto__learner_aim(c.learner)));
        for (int i = 0; i < 200; i++) {
            crowd_honest(&c, CROWD_ANYWHERE);
            assert_ok(sotto_tally_fold(i % 2 == 0 ? part : rest, c.report));
        }
        assert_ok(sotto_tally_merge(rest, part));
        assert_same(rest->watch, ours->watch);
        sotto_tally_free(part);
        sotto_tally_free(rest);
        crowd_end(&c);
    }
}

/* Frames by two portions, as threads have them, beside the learner that took them one by one; and taken out again. */
static void portions_of_threads_count_as_one(void **state)
{
    (void)state;
    for (int t = 0; t < CROWD_TERMS; t++) {
        crowd c;
        crowd_begin(&c, (crowd_terms)t, 12);
        size_t frame_bytes = sotto_report_bytes(&c.terms), bytes = sotto_learner_bytes(c.learner);
        uint8_t *frames = test_malloc(100 * frame_bytes), *kept = test_malloc(bytes);
        sotto_learner *other;
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
        assert_int_equal(sum_of(theirs->watch->index, theirs->watch->index_count), 0);
        assert_int_equal(theirs->watch->aimed[0], 0);
        assert_int_equal(theirs->watch->tail[0][0], 0);
        test_free(frames);
        test_free(kept);
        sotto_learner_free(other);
        crowd_end(&c);
    }
}

static void a_publish_begins_anew_and_aims_again(void **state)
{
    (void)state;
    crowd c;
    crowd_begin(&c, CROWD_SHARED, 9);
    for (int i = 0; i < 100; i++) {
        crowd_honest(&c, CROWD_ANYWHERE);
    }
    double before = c.learner->aim->way[0].at[0];
    assert_ok(sotto_learner_publish(c.learner));
    assert_true(c.learner->aim->way[0].at[0] != before);
    for (uint32_t e = 0; e < c.learner->open_count; e++) {
        const sotto__watch *watch = c.learner->open[e].tally->watch;
        assert_int_equal(sum_of(watch->index, watch->index_count), 0);
        assert_int_equal(watch->aimed[0], 0);
    }
    crowd_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tests_have_names_and_other_numbers_have_none),
        cmocka_unit_test(nobody_watches_unless_asked),
        cmocka_unit_test(the_bytes_of_a_learner_are_those_of_one_that_is_not_watched),
        cmocka_unit_test(every_codeword_is_counted_once),
        cmocka_unit_test(tails_are_counted_along_the_right_direction),
        cmocka_unit_test(parts_that_are_merged_count_as_one),
        cmocka_unit_test(portions_of_threads_count_as_one),
        cmocka_unit_test(a_publish_begins_anew_and_aims_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
