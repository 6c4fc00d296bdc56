/* The published results of measure rounds. */
#include "desk.h"
#include "service/experiment/inner.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define FLOOR 20u

static desk d;

/* Half of the rounds measure; a batch has 20 of each part. */
FIXTURE(start)
{
    experiment_request request = desk_request();
    request.spec.measure = 1u << 31;
    request.epoch_reports_min = FLOOR;
    d = desk_with(1, &request);
}

FIXTURE(end)
{
    desk_free(&d);
}

static bool take_last(void *self, const journal_history *history)
{
    *(journal_history *)self = *history;
    return true;
}

static bool add_up(void *self, const journal_history *history)
{
    journal_history *sum = self;
    sum->follow += history->follow;
    sum->follow_sum += history->follow_sum;
    sum->control += history->control;
    sum->control_sum += history->control_sum;
    return true;
}

static journal_history history(bool (*take)(void *, const journal_history *))
{
    journal_history out = {0};
    assert_true(journal_read_history(d.journal, experiment_number(d.experiment), take, &out));
    return out;
}

static sotto_measurement measure(void)
{
    sotto_measurement m;
    assert_ok(experiment_measure(d.experiment, 0.05, &m));
    return m;
}

static sotto_arm_measurement measure_arm(uint32_t arm)
{
    sotto_arm_measurement m;
    assert_ok(experiment_measure_arm(d.experiment, 0.05, arm, &m));
    return m;
}

/* Ends an epoch with this many reports. */
static void epoch_of(uint32_t reports)
{
    desk_epoch(&d, reports);
}

static void assert_none_or_enough(uint64_t before, uint64_t after)
{
    assert_true(after == before || after >= before + FLOOR);
}

TEST_WITH(what_is_not_measured_is_a_status, start, end)
{
    sotto_measurement m;
    sotto_arm_measurement arm;
    assert_status(experiment_measure(d.experiment, 0, &m), SOTTO_E_FAULT);
    assert_status(experiment_measure_arm(d.experiment, 0.05, 3, &arm), SOTTO_E_INDEX);
    desk_create(&d, NULL);
    assert_status(experiment_measure(d.experiment, 0.05, &m), SOTTO_E_SPEC);
    epoch_of(60);
    assert_int_equal(history(take_last).follow, 0);
}

/* Whoever looks after every publish never sees a part grow by fewer reports than the floor: not in
 * results, not in history, and not in the difference between them. */
TEST_WITH(nobody_sees_fewer_than_the_floor, start, end)
{
    sotto_measurement then = measure();
    sotto_arm_measurement arm_then[3] = {measure_arm(0), measure_arm(1), measure_arm(2)};
    uint32_t results = 0, silent = 0, with_recent = 0;
    for (uint32_t i = 0; i < 300; i++) {
        epoch_of(41 + i % 7 * 10);
        sotto_measurement now = measure();
        journal_history last = history(take_last);
        uint64_t arms = 0;
        assert_none_or_enough(then.follow_count, now.follow_count);
        for (uint32_t a = 0; a < 3; a++) {
            sotto_arm_measurement arm = measure_arm(a);
            assert_none_or_enough(arm_then[a].count, arm.count);
            arm_then[a] = arm;
            arms += arm.count;
        }
        assert_ints(arms, now.control_count, last.follow, now.follow_count - then.follow_count);
        assert_int_equal(last.control, now.control_count - then.control_count);
        assert_none_or_enough(0, now.recent_follow_count);
        assert_none_or_enough(0, now.recent_control_count);
        if (now.recent_follow_count > 0 && now.recent_follow_count < last.follow)
            assert_none_or_enough(now.recent_follow_count, last.follow);
        results += last.follow > 0;
        silent += last.follow == 0;
        with_recent += now.recent_follow_count > 0;
        then = now;
    }
    assert_true(results > 30 && silent > 30 && with_recent > 60);
}

TEST_WITH(in_the_end_all_but_the_last_batch_is_published, start, end)
{
    sotto_measurement m, all;
    for (uint32_t i = 0; i < 50; i++) {
        epoch_of(60);
    }
    epoch_of(2000); /* certainly more than the floor */
    m = measure();
    assert_ok(sotto_learner_measure(experiment_learner(d.experiment), 0.05, &all));
    assert_ints(m.follow_count, all.follow_count, m.control_count, all.control_count);
    assert_true(m.follow.value == all.follow.value && m.uplift.lo == all.uplift.lo);
    journal_history sum = history(add_up);
    assert_ints(sum.follow, all.follow_count, sum.control, all.control_count);
}

TEST_WITH(a_failed_publish_tells_nothing, start, end)
{
    epoch_of(60);
    desk_take(&d, 2000);
    sotto_measurement then = measure();
    d.now_ms += 1000;
    journal_memory_fail_after(d.journal, 3);
    assert_false(epochs_turn(d.all, d.now_ms, DESK_MINUTE, true));
    assert_int_equal(measure().follow_count, then.follow_count);
    assert_true(desk_turn(&d, 1000));
    assert_true(measure().follow_count > then.follow_count + 100);
}

TEST_WITH(after_a_restart_history_goes_on_where_it_was, start, end)
{
    sotto_measurement all;
    for (uint32_t i = 0; i < 40; i++) {
        epoch_of(50);
        if (i % 9 == 4) desk_restart(&d);
        assert_ok(sotto_learner_measure(experiment_learner(d.experiment), 0.05, &all));
        if (i % 9 == 4) assert_int_equal(measure().follow_count, all.follow_count);
    }
    epoch_of(2000);
    assert_ok(sotto_learner_measure(experiment_learner(d.experiment), 0.05, &all));
    journal_history sum = history(add_up);
    assert_ints(sum.follow, all.follow_count, sum.control, all.control_count);
}

TEST_WITH(history_that_has_more_than_there_is_goes_on_with_nothing, start, end)
{
    const journal_history made_up = {.experiment = experiment_number(d.experiment),
                                     .follow = 100000,
                                     .control = 100000,
                                     .follow_sum = INT64_MIN};
    assert_true(journal_begin(d.journal));
    assert_true(journal_add_history(d.journal, &made_up));
    assert_true(journal_commit(d.journal));
    desk_restart(&d);
    epoch_of(60);
    epoch_of(2000);
    assert_true(measure().follow_count > 100);
    assert_ints(history(take_last).follow, 0, history(take_last).control_sum, 0);
}

/* ---- as bytes */

#define ARMS 3u
#define RESULTS_BYTES (8u + 16u * (3u + ARMS))

static void fill(uint8_t bytes[RESULTS_BYTES], published_results *results)
{
    const sotto_terms *terms = experiment_terms(d.experiment);
    for (uint32_t i = 0; i < 30; i++) {
        epoch_of(200);
    }
    assert_int_equal(published_bytes(terms), RESULTS_BYTES);
    published_encode(&d.experiment->engine->results, terms, bytes);
    assert_true(published_make(results, experiment_learner(d.experiment), terms));
}

static void assert_same_results(const published_results *one, const published_results *other)
{
    const sotto__measures *a = &one->shown, *b = &other->shown;
    assert_ints(one->hides_recent, other->hides_recent, a->doublings, b->doublings);
    assert_memory_equal(&a->follow, &b->follow, sizeof a->follow);
    assert_memory_equal(&a->control, &b->control, sizeof a->control);
    assert_memory_equal(&a->recent_follow, &b->recent_follow, sizeof a->follow);
    assert_memory_equal(&a->recent_control, &b->recent_control, sizeof a->follow);
    assert_memory_equal(a->control_arm, b->control_arm, ARMS * sizeof a->control_arm[0]);
    assert_memory_equal(&one->follow, &other->follow, sizeof one->follow);
    assert_memory_equal(&one->control, &other->control, sizeof one->control);
}

TEST_WITH(bytes_that_nobody_wrote_are_refused, start, end)
{
    uint8_t good[RESULTS_BYTES], bytes[RESULTS_BYTES + 1];
    published_results results, before;
    const sotto_terms *terms = experiment_terms(d.experiment);
    fill(good, &results);
    assert_true(published_decode(&results, terms, good, RESULTS_BYTES));
    assert_true(published_make(&before, experiment_learner(d.experiment), terms));
    assert_true(published_decode(&before, terms, good, RESULTS_BYTES));
    memcpy(bytes, good, RESULTS_BYTES);
    bytes[RESULTS_BYTES] = 0;
    assert_false(published_decode(&results, terms, bytes, 0));
    assert_false(published_decode(&results, terms, bytes, RESULTS_BYTES - 1));
    assert_false(published_decode(&results, terms, bytes, RESULTS_BYTES + 1));
    static const struct {
        uint32_t at;
        uint8_t value;
    } wrong[] = {
        {0, 'T'},               /* another magic */
        {3, 2},                 /* another version */
        {4, 2},                 /* the flag is neither 0 nor 1 */
        {15, 0x40},             /* 2^62 reports and more */
        {15, 0x80},             /* counts that would be below 0 */
        {23, 0x40},             /* a sum above the count */
        {8 + 16 * 3 + 7, 0x41}, /* the same of an arm */
        {8 + 16 * 3 + 8 + 7, 0x40},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        memcpy(bytes, good, RESULTS_BYTES);
        bytes[wrong[i].at] = wrong[i].value;
        if (published_decode(&results, terms, bytes, RESULTS_BYTES))
            fail_msg("case %zu was taken", i);
        assert_same_results(&results, &before);
    }
    memcpy(bytes, good, RESULTS_BYTES);
    bytes[8] ^= 1; /* parity of count and sum differ */
    assert_false(published_decode(&results, terms, bytes, RESULTS_BYTES));
    memcpy(bytes, good, RESULTS_BYTES);
    memset(bytes + 8 + 16, 0, 16);
    memset(bytes + 8, 0xff, 2); /* more recent reports than reports in all */
    bytes[8 + 16 + 3] = 1;
    assert_false(published_decode(&results, terms, bytes, RESULTS_BYTES));
    memcpy(bytes, good, RESULTS_BYTES);
    bytes[4] = 1; /* hidden, although there are counts */
    memset(bytes + 8 + 16, 0, 32);
    bytes[8 + 16] = 2;
    assert_false(published_decode(&results, terms, bytes, RESULTS_BYTES));
    assert_same_results(&results, &before);
    published_free(&results);
    published_free(&before);
}

TEST_WITH(what_is_published_is_the_same_when_it_is_read_again, start, end)
{
    uint8_t bytes[RESULTS_BYTES], again[RESULTS_BYTES];
    published_results results;
    const sotto_terms *terms = experiment_terms(d.experiment);
    uint32_t hidden = 0, shown = 0;
    assert_true(published_make(&results, experiment_learner(d.experiment), terms));
    for (uint32_t i = 0; i < 300; i++) {
        epoch_of(41 + i % 7 * 10);
        published_encode(&d.experiment->engine->results, terms, bytes);
        assert_true(published_decode(&results, terms, bytes, RESULTS_BYTES));
        assert_same_results(&results, &d.experiment->engine->results);
        published_encode(&results, terms, again);
        assert_memory_equal(bytes, again, RESULTS_BYTES);
        hidden += results.hides_recent;
        shown += results.shown.recent_follow.count > 0;
    }
    assert_true(hidden > 0 && shown > 0);
    published_free(&results);
}

TEST_WITH(without_measure_rounds_there_are_no_bytes, start, end)
{
    uint8_t byte = 77;
    published_results results;
    desk_create(&d, NULL);
    const sotto_terms *terms = experiment_terms(d.experiment);
    assert_true(published_make(&results, experiment_learner(d.experiment), terms));
    assert_int_equal(published_bytes(terms), 0);
    published_encode(&results, terms, &byte);
    assert_int_equal(byte, 77);
    assert_true(published_decode(&results, terms, NULL, 0));
    assert_false(published_decode(&results, terms, &byte, 1));
    published_free(&results);
}
