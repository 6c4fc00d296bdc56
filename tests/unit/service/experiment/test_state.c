/* Open <-> paused -> closed -> deleted: durable, and final where required. */
#include "desk.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static void assert_state(desk *d, journal_state wanted)
{
    assert_int_equal(experiment_state(d->experiment), wanted);
    desk_restart(d);
    assert_int_equal(experiment_state(d->experiment), wanted);
}

static bool set(desk *d, journal_state state, uint32_t refused)
{
    sottod_refusal why = {0};
    bool done = experiment_set_state(d->all, d->experiment, state, &why);
    assert_int_equal(why.status, refused);
    return done;
}

TEST(nobody_comes_back_from_closed_or_deleted)
{
    HELD(desk) d = desk_with(1, NULL);
    assert_true(set(&d, JOURNAL_CLOSED, 0));
    assert_false(set(&d, JOURNAL_OPEN, 409));
    assert_false(set(&d, JOURNAL_PAUSED, 409));
    assert_state(&d, JOURNAL_CLOSED);
    assert_true(set(&d, JOURNAL_CLOSED, 0));
    assert_true(set(&d, JOURNAL_DELETED, 0));
    assert_false(set(&d, JOURNAL_OPEN, 410));
    assert_false(set(&d, JOURNAL_CLOSED, 410));
    assert_true(set(&d, JOURNAL_DELETED, 0));
    assert_state(&d, JOURNAL_DELETED);
}

TEST(a_state_that_is_not_durable_is_not_taken)
{
    HELD(desk) d = desk_with(1, NULL);
    for (uint32_t calls = 0; calls < 3; calls++) { /* begin, set, commit */
        journal_memory_fail_after(d.journal, calls);
        assert_false(set(&d, JOURNAL_DELETED, 503));
        assert_true(journal_memory_has_failed(d.journal));
        assert_state(&d, JOURNAL_OPEN);
    }
    desk_take(&d, 5);
}

TEST(a_paused_experiment_goes_on_where_it_was)
{
    HELD(desk) d = desk_of(1);
    sottod_refusal why;
    desk_create(&d, NULL);
    desk_take(&d, 20);
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&d, d.experiment, 1);
    assert_true(set(&d, JOURNAL_PAUSED, 0));
    assert_false(desk_offer(&d, frames, 1, &why));
    assert_int_equal(why.status, 409);
    assert_int_equal(desk_turned(&d, 100000), 0); /* it does not publish either */
    assert_true(set(&d, JOURNAL_OPEN, 0));
    desk_take_frames(&d, frames, 1);
    assert_int_equal(desk_turned(&d, 0), 1);
    desk_assert_counts(d.experiment, 21, 0, 0, 0);
}

TEST(one_that_was_ready_when_it_was_paused_publishes_when_it_is_opened)
{
    HELD(desk) d = desk_of(1);
    experiment_request request = desk_request();
    request.epoch_seconds_min = 100;
    desk_create(&d, &request);
    desk_epoch(&d, 20); /* ready in 99 s */
    assert_true(set(&d, JOURNAL_PAUSED, 0));
    assert_int_equal(desk_turned(&d, 200000), 0);
    assert_true(set(&d, JOURNAL_OPEN, 0));
    assert_int_equal(desk_turned(&d, 0), 1);
}

TEST(a_deleted_experiment_is_a_tombstone)
{
    HELD(desk) d = desk_of(1);
    sottod_refusal why;
    size_t bytes = 7;
    uint64_t oldest;
    desk_create(&d, NULL);
    desk_take(&d, 20);
    assert_true(epochs_keep(d.all));
    desk_take(&d, 20);
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&d, d.experiment, 1);
    assert_true(set(&d, JOURNAL_DELETED, 0));
    assert_int_equal(journal_memory_rows(d.journal, 1, &oldest), 0);
    for (uint32_t round = 0; round < 2; round++, desk_restart(&d)) {
        const sottod_experiment *e = d.experiment;
        assert_int_equal(experiments_count(d.all), 0);
        assert_null(experiments_at(d.all, 0));
        assert_int_equal(experiment_number(e), 1);
        assert_null(experiment_terms(e));
        assert_null(experiment_terms_bytes(e, &bytes));
        assert_int_equal(bytes, 0);
        assert_null(experiment_model_bytes(e, &bytes));
        assert_int_equal(bytes, 0);
        assert_null(experiment_learner(e));
        assert_string_equal(experiment_labels(e), "");
        assert_ints(experiment_epoch(e), 0, desk_since_publish(e).learn, 0);
        assert_ints(experiment_counts(e).folded, 0, experiment_access_of(e).keys, 0);
        assert_false(experiment_watched(e).quarantine);
        assert_true(experiment_memory_bytes(e) < 400); /* it stays in memory for good */
        assert_false(intake_offer(d.intake, d.experiment, frames, 42, &why));
        assert_int_equal(why.status, 410);
        assert_true(desk_turn(&d, 100000)); /* the rest of its rows is overwritten */
        assert_int_equal(journal_memory_scrubs(d.journal), 1 + round);
    }
}

/* Requests of both ports are served before the commit. */
TEST(reports_that_wait_while_their_experiment_ends_are_no_trouble)
{
    for (journal_state end = JOURNAL_PAUSED; end <= JOURNAL_DELETED; end++) {
        for (uint32_t fails = 0; fails < 2; fails++) {
            desk d = desk_of(1);
            sottod_refusal why;
            uint64_t oldest;
            experiment_request request = desk_request();
            sottod_experiment *other = desk_create(&d, &request);
            request.spec.series = 1;
            uint8_t *others = desk_frames(&d, other, 4);
            uint8_t *frames = desk_frames(&d, desk_create(&d, &request), 5);
            desk_give(&d, frames, 5);
            assert_true(intake_offer(d.intake, other, others, 4 * (size_t)42, &why));
            assert_true(set(&d, end, 0));
            if (fails) journal_memory_fail_after(d.journal, 1);
            assert_int_equal(intake_commit(d.intake, &why), !fails);
            desk_assert_counts(other, fails ? 0 : 4, 0, 0, 0);
            uint32_t rows = end == JOURNAL_DELETED || fails ? 0 : 1;
            assert_int_equal(journal_memory_rows(d.journal, 2, &oldest), rows);
            desk_assert_counts(d.experiment, 5 * rows, 0, 0, 0);
            desk_restart(&d);
            desk_assert_counts(d.experiment, 5 * rows, 0, 0, 0);
            free(frames);
            free(others);
            desk_free(&d);
        }
    }
}
