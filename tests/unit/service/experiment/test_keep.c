/* Snapshots follow enough new frames; then frames of closed epochs are removed, and no others. */
#include "desk.h"
#include "service/experiment/inner.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

/* One row with frames of the current epoch alone, and a publish. Rows are 2e + 1 and 2e + 2 of epoch e. */
static void play_epoch(desk *d)
{
    uint8_t *frames = desk_frames_of(d, d->experiment, experiment_epoch(d->experiment), 10);
    desk_take_frames(d, frames, 10);
    free(frames);
    assert_true(desk_turn(d, 1000));
}

static uint64_t oldest_of(const desk *d)
{
    uint64_t oldest;
    journal_memory_rows(d->journal, 1, &oldest);
    return oldest;
}

static desk desk_with_lag(uint32_t lag, bool keep_reports)
{
    experiment_request request = desk_request();
    request.spec.epoch_lag_max = lag;
    desk d = desk_of(1);
    d.settings.keep_reports = keep_reports;
    desk_restart(&d);
    desk_create(&d, &request);
    return d;
}

static uint32_t scrubs_after(desk *d, uint64_t later_ms)
{
    assert_true(desk_turn(d, later_ms));
    return journal_memory_scrubs(d->journal);
}

TEST(rows_of_open_epochs_are_never_removed)
{
    for (uint32_t lag = 1; lag <= 16; lag += 5) {
        desk d = desk_with_lag(lag, false);
        for (uint32_t epoch = 0; epoch < 3 * lag; epoch++) {
            play_epoch(&d);
            assert_true(epochs_keep(d.all));
            assert_int_equal(journal_memory_snapshot(d.journal, 1)->seq, 2 * epoch + 2);
            uint32_t current = epoch + 1;
            /* The first row of the oldest open epoch. */
            uint64_t wanted = current < lag ? 1 : 2 * (current - lag) + 1;
            assert_int_equal(oldest_of(&d), wanted);
            if (epoch % 2 == 0) desk_restart(&d);
        }
        desk_free(&d);
    }
}

static uint32_t rows_of(const desk *d)
{
    uint64_t oldest;
    return journal_memory_rows(d->journal, 1, &oldest);
}

/* An epoch of 90 rows, 3.9 MB: SQLite would write all of its pages before the next request is answered. */
static desk desk_after_a_long_epoch(void)
{
    desk d = desk_with_lag(1, false);
    for (uint32_t i = 0; i < 90; i++) {
        desk_take(&d, 1000);
    }
    assert_true(desk_turn(&d, 1000));
    play_epoch(&d);
    return d;
}

TEST(bytes_that_no_snapshot_has_are_counted)
{
    experiment_rows rows = {.snapshot = 5};
    experiment_rows_add(&rows, 4, 420);
    experiment_rows_add(&rows, 5, 420);
    assert_int_equal(rows.unsaved_bytes, 0);
    experiment_rows_add(&rows, 6, 42);
    experiment_rows_add(&rows, 9, 84);
    assert_ints(rows.unsaved_bytes, 126, rows.last, 9);
}

TEST(a_long_epoch_is_removed_in_slices)
{
    HELD(desk) d = desk_after_a_long_epoch();
    uint32_t turns = 0, before = rows_of(&d);
    assert_true(before >
                30); /* the publish that closed it has removed one slice, and its turn another */
    for (; epochs_timeout_ms(d.all, d.now_ms) == 0; turns++) {
        assert_true(desk_turn(&d, 0));
        uint32_t rows = rows_of(&d);
        assert_in_range(before - rows, 1, JOURNAL_SLICE_BYTES / 42000 + 1);
        before = rows;
    }
    assert_in_range(turns, 1, 3);
    assert_true(before < 5);
}

TEST(a_slice_that_fails_is_tried_again)
{
    HELD(desk) d = desk_after_a_long_epoch();
    uint32_t before = rows_of(&d);
    for (uint32_t calls = 0; calls < 3; calls++) { /* begin, remove, commit */
        journal_memory_fail_after(d.journal, calls);
        assert_false(desk_turn(&d, 0));
        assert_int_equal(rows_of(&d), before);
    }
    assert_true(desk_turn(&d, 1000));
    assert_true(rows_of(&d) < before);
    desk_restart(&d); /* the rest is removed at the next snapshot */
    assert_true(epochs_keep(d.all));
    assert_true(rows_of(&d) < 5);
}

TEST(slices_of_a_deleted_experiment_went_with_it)
{
    HELD(desk) d = desk_after_a_long_epoch();
    sottod_refusal why;
    assert_true(experiment_set_state(d.all, d.experiment, JOURNAL_DELETED, &why));
    assert_true(desk_turn(&d, 0));
    assert_int_equal(rows_of(&d), 0);
}

/* A row among those of closed epochs has one frame of an open epoch: neither it nor later rows are
 * removed. */
TEST(nothing_behind_a_row_with_an_open_frame_is_removed)
{
    HELD(desk) d = desk_with_lag(2, false);
    play_epoch(&d); /* rows 1, 2 */
    uint8_t *mixed = desk_frames_of(&d, d.experiment, 1, 1), *old;
    desk_take_frames(&d, mixed, 1); /* row 3: epoch 1 */
    old = desk_frames_of(&d, d.experiment, 0, 12);
    desk_take_frames(&d, old, 12);    /* row 4: epoch 0 */
    assert_true(desk_turn(&d, 1000)); /* row 5, epoch 2 */
    play_epoch(&d);                   /* 6, 7: epoch 3, 0 is closed */
    assert_int_equal(experiment_epoch(d.experiment), 3);
    assert_true(epochs_keep(d.all));
    assert_int_equal(oldest_of(&d), 3); /* row 4 stays too, although it has only closed frames */
    play_epoch(&d);                     /* epoch 4: 1 is closed */
    assert_int_equal(oldest_of(&d), 6); /* with the publish: the snapshot before already had them */
    free(mixed);
    free(old);
}

TEST(whoever_keeps_reports_keeps_all)
{
    HELD(desk) d = desk_with_lag(1, true);
    for (uint32_t epoch = 0; epoch < 8; epoch++) {
        play_epoch(&d);
        assert_true(epochs_keep(d.all));
    }
    assert_int_equal(oldest_of(&d), 1);
    desk_restart(&d);
    desk_assert_counts(d.experiment, 80, 0, 0, 0);
    assert_int_equal(scrubs_after(&d, 700000), 1); /* the one at the start */
    assert_int_equal(scrubs_after(&d, 700000), 1);
}

static uint64_t snapshot_of(const desk *d)
{
    const journal_snapshot *snapshot = journal_memory_snapshot(d->journal, 1);
    return snapshot == NULL ? 0 : snapshot->seq;
}

static uint64_t snapshot_after(desk *d, uint64_t later_ms)
{
    assert_true(desk_turn(d, later_ms));
    return snapshot_of(d);
}

TEST(a_snapshot_follows_a_publish_when_frames_outweigh_it)
{
    HELD(desk) d = desk_with_lag(2, false);
    desk_epoch(&d, 10);
    assert_int_equal(snapshot_of(&d), 0);
    uint32_t enough = 4 * (uint32_t)sotto_learner_bytes(experiment_learner(d.experiment)) / 42 + 1;
    desk_epoch(&d, enough - 15);
    assert_int_equal(snapshot_of(&d), 0);
    desk_epoch(&d, 15);
    assert_int_equal(snapshot_of(&d), 6);
    desk_epoch(&d, 15); /* since the last snapshot */
    assert_int_equal(snapshot_of(&d), 6);
}

TEST(a_snapshot_comes_by_time_if_there_is_something_new)
{
    HELD(desk) d = desk_with_lag(2, false);
    assert_int_equal(snapshot_after(&d, 700000), 0); /* nothing happened */
    desk_take(&d, 5);
    assert_int_equal(snapshot_after(&d, 600000), 1);
    desk_take(&d, 1);
    assert_int_equal(snapshot_after(&d, 599999), 1);
    int timeout_ms = epochs_timeout_ms(d.all, d.now_ms);
    assert_int_equal(timeout_ms, 1);
    assert_int_equal(snapshot_after(&d, 1), 2);
}

static uint32_t snapshots_of(const desk *d, uint32_t experiments)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i <= experiments; i++) {
        count += journal_memory_snapshot(d->journal, i) != NULL;
    }
    return count;
}

/* After a restart all of them are due at the same time. */
TEST(a_turn_writes_a_few_snapshots_and_the_next_the_rest)
{
    HELD(desk) d = desk_of(1);
    for (uint32_t i = 0; i < 40; i++) {
        experiment_request request = desk_request();
        request.spec.series = i;
        desk_create(&d, &request);
        desk_take(&d, 2);
    }
    d.now_ms += 600000;
    for (uint32_t turn = 0; turn < 10; turn++) {
        assert_int_equal(epochs_timeout_ms(d.all, d.now_ms), 0);
        assert_true(epochs_turn(d.all, d.now_ms, DESK_MINUTE, true));
        assert_int_equal(snapshots_of(&d, 40), 4 * (turn + 1));
    }
    assert_true(desk_turn(&d, 0));
    assert_true(epochs_timeout_ms(d.all, d.now_ms) > 590000);
}

/* The experiments that failed are not the only ones that are tried. */
TEST(snapshots_that_fail_do_not_keep_others_from_theirs)
{
    HELD(desk) d = desk_of(1);
    for (uint32_t i = 0; i < 8; i++) {
        experiment_request request = desk_request();
        request.spec.series = i;
        desk_create(&d, &request);
        desk_take(&d, 2);
    }
    journal_memory_fail_after(d.journal, 0);
    assert_false(desk_turn(&d, 600000));
    assert_int_equal(epochs_timeout_ms(d.all, d.now_ms), 1000);
    assert_true(desk_turn(&d, 1000));
    assert_null(journal_memory_snapshot(d.journal, 1));
    assert_non_null(journal_memory_snapshot(d.journal, 8));
    assert_true(desk_turn(&d, 0));
    assert_int_equal(snapshots_of(&d, 8), 8);
}

/* The 10 minutes begin at the last snapshot, whatever its reason. */
TEST(a_snapshot_by_weight_puts_off_the_one_by_time)
{
    HELD(desk) d = desk_with_lag(2, false);
    assert_true(desk_turn(&d, 0));
    desk_take(&d, 500);
    assert_int_equal(snapshot_after(&d, 300000), 2);
    desk_take(&d, 1);
    assert_int_equal(snapshot_after(&d, 300000), 2);
    assert_int_equal(snapshot_after(&d, 300000), 3);
}

TEST(a_snapshot_that_fails_is_tried_again_and_removes_nothing)
{
    HELD(desk) d = desk_with_lag(1, false), never = desk_with_lag(1, false);
    for (int i = 0; i < 3; i++) { /* too few for a snapshot */
        play_epoch(&d);
        play_epoch(&never);
    }
    for (uint32_t calls = 0; calls < 4; calls++) { /* begin, put, remove, commit */
        journal_memory_fail_after(d.journal, calls);
        assert_false(epochs_keep(d.all));
        assert_true(journal_memory_has_failed(d.journal));
        assert_ints(oldest_of(&d), 1, snapshot_of(&d), 0);
        assert_true(desk_same(d.experiment, never.experiment));
    }
    journal_memory_fail_after(d.journal, 0);
    assert_false(desk_turn(&d, 600000)); /* by time */
    assert_int_equal(epochs_timeout_ms(d.all, d.now_ms), 1000);
    assert_int_equal(snapshot_after(&d, 1000), 6);
    assert_true(oldest_of(&d) > 1);
}

TEST(what_is_left_of_rows_is_overwritten_once_a_minute_at_most)
{
    HELD(desk) d = desk_with_lag(1, false);
    for (int i = 0; i < 3; i++) {
        play_epoch(&d);
    }
    assert_int_equal(journal_memory_scrubs(d.journal), 0); /* nothing was removed yet */
    assert_int_equal(scrubs_after(&d, 600000), 1);
    for (int i = 0; i < 50; i++) {
        play_epoch(&d); /* rows are removed again and again */
    }
    assert_int_equal(journal_memory_scrubs(d.journal), 1);
    assert_true(epochs_timeout_ms(d.all, d.now_ms) <= 10000);
    assert_int_equal(scrubs_after(&d, 10000), 2);
    assert_int_equal(scrubs_after(&d, 120000), 2); /* nothing new was removed */
}

/* A kill between removal and scrub leaves removed rows in the files. */
TEST(a_scrub_that_a_kill_prevented_follows_the_next_start)
{
    sottod_refusal why;
    HELD(desk) d = desk_with_lag(1, false);
    desk_take(&d, 10);
    assert_true(experiment_set_state(d.all, d.experiment, JOURNAL_DELETED, &why));
    assert_int_equal(journal_memory_scrubs(d.journal), 0);
    desk_restart(&d);
    assert_int_equal(scrubs_after(&d, 0), 1);
    assert_int_equal(scrubs_after(&d, 120000), 1);
}

/* Another process may read the journal. */
TEST(a_scrub_that_is_refused_is_put_off)
{
    sottod_refusal why;
    HELD(desk) d = desk_with_lag(1, false);
    assert_true(experiment_set_state(d.all, d.experiment, JOURNAL_DELETED, &why));
    assert_true(desk_turn(&d, 0)); /* at the first turn; then once a minute */
    assert_int_equal(journal_memory_scrubs(d.journal), 1);
    assert_true(experiment_set_state(d.all, desk_create(&d, NULL), JOURNAL_DELETED, &why));
    journal_memory_fail_after(d.journal, 3); /* what it leaves is removed */
    assert_true(desk_turn(&d, 60000));
    assert_true(journal_memory_has_failed(d.journal));
    assert_int_equal(scrubs_after(&d, 59999), 1);
    assert_int_equal(scrubs_after(&d, 1), 2);
}

/* No more reports come, so no nonce is needed. */
TEST(a_closed_experiment_keeps_no_frame)
{
    sottod_refusal why;
    uint64_t oldest;
    HELD(desk) d = desk_with_lag(2, false);
    for (int i = 0; i < 4; i++) {
        play_epoch(&d);
    }
    desk_take(&d, 7);
    assert_true(experiment_set_state(d.all, d.experiment, JOURNAL_CLOSED, &why));
    assert_true(desk_turn(&d, 600000));
    assert_int_equal(journal_memory_rows(d.journal, 1, &oldest), 0);
    for (int i = 0; i < 2; i++, desk_restart(&d)) {
        desk_assert_counts(d.experiment, 47, 0, 0, 0);
        assert_ints(experiment_epoch(d.experiment), 4, desk_since_publish(d.experiment).learn, 7);
        assert_true(experiment_memory_bytes(d.experiment) < 10000); /* nor any nonces */
        assert_true(desk_turn(&d, 0));                              /* the scrub at the start */
        uint32_t scrubs = journal_memory_scrubs(d.journal);
        assert_true(epochs_keep(d.all)); /* nothing more to do */
        assert_int_equal(journal_memory_scrubs(d.journal), scrubs);
    }
}

TEST(history_is_thinned_once_an_hour_after_a_week)
{
    HELD(desk) d = desk_with_lag(1, false);
    assert_true(epochs_turn(d.all, d.now_ms, EPOCHS_HISTORY_WEEK_MIN - 1, true));
    assert_int_equal(journal_memory_thinned(d.journal), 0);
    for (uint32_t i = 1; i <= 180; i++) {
        assert_true(epochs_turn(d.all, d.now_ms + i * 60000, DESK_MINUTE + i, true));
        assert_int_equal(journal_memory_thinned(d.journal), i / 60);
    }
}

/* Late, repeated and conflicting frames since the last publish are not in the history yet. */
TEST(thinned_history_counts_as_before)
{
    HELD(desk) d = desk_with_lag(1, false);
    FREED_BY(free_memory) uint8_t *old = desk_frames_of(&d, d.experiment, 0, 3);
    for (int i = 0; i < 6; i++) {
        desk_give(&d, old, 3);
        play_epoch(&d);
    }
    desk_take_frames(&d, old, 2);
    d.now_ms += 8 * 24 * 3600 * UINT64_C(1000);
    assert_true(epochs_turn(d.all, d.now_ms, DESK_MINUTE + 8 * 24 * 60, true));
    assert_int_equal(journal_memory_thinned(d.journal), 2);
    for (int i = 0; i < 2; i++, desk_restart(&d)) {
        assert_int_equal(desk_since_publish(d.experiment).late, 2);
        assert_int_equal(desk_since_publish(d.experiment).duplicate, 0);
        desk_assert_counts(d.experiment, 63, 4 * 3 + 2, 3, 0);
    }
}
