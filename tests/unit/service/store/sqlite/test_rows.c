/* Rows of the journal: appended, read, removed. */
#include "allocations.h"
#include "journals.h"
#include "tape.h"

#include <stdlib.h>

static journals test;

FIXTURE(start)
{
    test = journals_new();
    journals_open(&test);
}

FIXTURE(end)
{
    journals_free(&test);
}

/* ---- bad input */

TEST_WITH(a_row_outside_of_a_transaction_is_refused, start, end)
{
    journal_row row = {.experiment = journals_experiment(&test, "one")};
    assert_refused(&test, journal_append(test.journal, &row), "outside of a transaction");
}

TEST_WITH(a_row_of_no_experiment_is_refused, start, end)
{
    journals_experiment(&test, "one");
    const uint32_t numbers[] = {0, 2, UINT32_MAX};
    for (size_t i = 0; i < 3; i++) {
        journal_row row = {.experiment = numbers[i]};
        assert_refused_within(&test, journal_append(test.journal, &row), "there are 1 to 1");
    }
}

TEST_WITH(a_row_of_a_deleted_experiment_is_refused, start, end)
{
    journal_row row = {.experiment = journals_experiment(&test, "one")};
    journals_state(&test, 1, JOURNAL_DELETED);
    assert_refused_within(&test, journal_append(test.journal, &row), "experiment 1 is deleted");
}

TEST_WITH(a_row_of_another_kind_is_refused, start, end)
{
    journal_row row = {.experiment = journals_experiment(&test, "one"), .kind = (journal_kind)4};
    assert_refused_within(&test, journal_append(test.journal, &row), "kind 4");
}

TEST_WITH(a_publish_or_discard_with_frames_is_refused, start, end)
{
    journal_row row = {.experiment = journals_experiment(&test, "one"),
                       .frames = {(const uint8_t *)"abc", 3}};
    for (row.kind = JOURNAL_PUBLISH; row.kind <= JOURNAL_END_FALLBACK; row.kind++) {
        assert_refused_within(&test, journal_append(test.journal, &row), "3 bytes of frames");
    }
}

TEST_WITH(a_minute_that_sqlite_cannot_hold_is_refused, start, end)
{
    journal_row row = {.experiment = journals_experiment(&test, "one"), .minute = 1ull << 63};
    assert_refused_within(&test, journal_append(test.journal, &row), "2^63");
}

TEST_WITH(after_a_change_that_failed_nothing_else_is_done, start, end)
{
    journals_experiment(&test, "one");
    journal_row bad = {.experiment = 9}, good = {.experiment = 1};
    assert_done(&test, journal_begin(test.journal));
    assert_refused(&test, journal_append(test.journal, &bad), "no experiment 9");
    assert_refused(&test, journal_append(test.journal, &good), "no experiment 9");
    assert_refused(&test, journal_commit(test.journal), "no experiment 9");
    journal_abandon(test.journal);
    assert_string_equal(journals_rows(&test, 0, 0).text, "");
    assert_int_equal(journals_append(&test, 1, "a"), 1);
}

TEST_WITH(rows_beyond_the_snapshot_are_not_removed, start, end)
{
    journals_experiment(&test, "one");
    journals_append(&test, 1, "a");
    journals_append(&test, 1, "b");
    assert_refused_within(&test, journal_remove_rows(test.journal, 1, 1), "those up to 0");
    journals_snapshot(&test, 1, 1, "learner");
    assert_refused_within(&test, journal_remove_rows(test.journal, 1, 2), "those up to 1");
    assert_string_equal(journals_rows(&test, 0, 0).text, "1:1:a 2:1:b ");
}

/* *more: the slice is not all that may be removed. */
static uint64_t slice_of(uint32_t experiment, uint64_t oldest_open, bool *more)
{
    uint64_t to = 99;
    assert_done(&test, journal_begin(test.journal));
    assert_done(&test, journal_slice(test.journal, experiment, oldest_open, &to, more));
    journal_abandon(test.journal);
    return to;
}

TEST_WITH(a_slice_ends_where_rows_weigh_enough, start, end)
{
    static char frames[JOURNAL_SLICE_BYTES / 4];
    bool more;
    memset(frames, 'x', sizeof frames - 1);
    journals_experiment(&test, "one");
    journals_experiment(&test, "two");
    assert_int_equal(slice_of(1, UINT64_MAX, &more), 0); /* no rows: nothing is left */
    for (uint32_t i = 0; i < 10; i++) {
        journals_append(&test, 1 + i % 2, frames); /* 1, 3, 5, 7, 9 are of the first */
    }
    assert_int_equal(slice_of(1, UINT64_MAX, &more), 0); /* there is no snapshot either */
    journals_snapshot(&test, 1, 5, "learner");
    journals_snapshot(&test, 2, 10, "learner");
    assert_int_equal(slice_of(1, UINT64_MAX, &more), 5);
    assert_false(more);
    journals_snapshot(&test, 1, 9, "learner");
    assert_int_equal(slice_of(1, UINT64_MAX, &more), 7);
    assert_true(more);
    assert_int_equal(slice_of(2, UINT64_MAX, &more), 8);
    journals_remove(&test, 1, 3);
    assert_int_equal(slice_of(1, UINT64_MAX, &more), 9);
    assert_false(more);
}

TEST_WITH(rows_of_open_epochs_are_in_no_slice, start, end)
{
    bool more = true;
    journals_experiment(&test, "one");
    for (uint32_t epoch = 0; epoch < 4; epoch++) {
        journal_row reports = {
            .experiment = 1, .epoch = epoch, .frames = {(const uint8_t *)"a", 1}};
        journal_row publish = {.experiment = 1, .kind = JOURNAL_PUBLISH, .epoch = epoch + 1};
        assert_committed(&test, journal_append(test.journal, &reports) &&
                                    journal_append(test.journal, &publish));
    }
    journals_snapshot(&test, 1, 7, "learner");
    assert_int_equal(slice_of(1, 0, &more), 0);
    assert_false(more);
    assert_int_equal(slice_of(1, 1, &more), 2); /* a publish has no frames */
    assert_ints(slice_of(1, 3, &more), 6, slice_of(1, 4, &more), 7);
    assert_false(more);
}

typedef struct plain {
    uint64_t seq[400];
    uint32_t epoch[400];
    bool has_frames[400];
    uint32_t count, removed;
} plain;

static uint64_t plain_slice(const plain *p, uint64_t snapshot, uint32_t oldest_open)
{
    uint64_t to = 0;
    for (uint32_t i = p->removed; i < p->count; i++) {
        bool open = p->has_frames[i] && p->epoch[i] >= oldest_open;
        if (open || p->seq[i] > snapshot) break;
        to = p->seq[i];
    }
    return to;
}

static void add_random(plain *p, const uint8_t byte[4], uint32_t lag, uint32_t *current)
{
    const uint32_t back = byte[1] % (lag + 1), now = *current;
    journal_row row = {.experiment = 1,
                       .epoch = back <= now ? now - back : 0,
                       .frames = {(const uint8_t *)"a", byte[0] % 4 != 0}};
    if (byte[0] < 60)
        row = (journal_row){.experiment = 1, .kind = JOURNAL_PUBLISH, .epoch = ++*current};
    if (byte[2] % 3 == 0) journals_row(&test, 2, "b", 1); /* others are between */
    assert_done(&test, journal_append(test.journal, &row));
    p->seq[p->count] = row.seq;
    p->epoch[p->count] = row.epoch;
    p->has_frames[p->count++] = row.frames.bytes > 0;
}

TEST_WITH(slices_of_random_rows_are_those_of_a_plain_list, start, end)
{
    tape random = tape_seeded(3);
    uint32_t removals = 0;
    journals_experiment(&test, "one");
    journals_experiment(&test, "two");
    for (uint32_t lag = 0; lag <= 16; lag += 4) {
        plain p = {.count = 0};
        uint32_t current = 0;
        uint64_t saved = 0, to = 0;
        assert_done(&test, journal_begin(test.journal));
        for (int step = 0; step < 400; step++) {
            uint8_t byte[4];
            bool more;
            assert_ok(random.rng.fill(&random.rng, byte, sizeof byte));
            add_random(&p, byte, lag, &current);
            if (byte[3] % 8 == 0) {
                saved = p.seq[p.count - 1];
                const journal_snapshot snapshot = {
                    .experiment = 1, .seq = saved, .learner = {(const uint8_t *)"l", 1}};
                assert_done(&test, journal_put_snapshot(test.journal, &snapshot));
            }
            const uint32_t oldest_open = current < lag ? 0 : current - lag;
            assert_done(&test, journal_slice(test.journal, 1, oldest_open, &to, &more));
            assert_int_equal(to, plain_slice(&p, saved, oldest_open));
            assert_false(more);
            if (to == 0 || byte[3] % 2 == 0) continue;
            assert_done(&test, journal_remove_rows(test.journal, 1, to));
            for (; p.removed < p.count && p.seq[p.removed] <= to; p.removed++) {
                removals++;
            }
        }
        journal_abandon(test.journal);
    }
    assert_true(removals > 200);
}

/* ---- order and numbers */

TEST_WITH(rows_are_read_in_order_from_any_place, start, end)
{
    journals_experiment(&test, "one");
    journals_experiment(&test, "two");
    journals_append(&test, 2, "a");
    journals_append(&test, 1, "b");
    journals_append(&test, 2, "c");
    for (int i = 0; i < 2; i++) {
        assert_string_equal(journals_rows(&test, 0, 0).text, "1:2:a 2:1:b 3:2:c ");
        assert_string_equal(journals_rows(&test, 0, 1).text, "2:1:b 3:2:c ");
        assert_string_equal(journals_rows(&test, 2, 0).text, "1:2:a 3:2:c ");
        assert_string_equal(journals_rows(&test, 2, 1).text, "3:2:c ");
        assert_strings(journals_rows(&test, 1, 2).text, "", journals_rows(&test, 3, 0).text, "");
        journals_reopen(&test);
    }
}

static bool take_publish(void *self, const journal_row *row)
{
    *(journal_row *)self = *row;
    return row->frames.bytes == 0;
}

TEST_WITH(all_fields_of_a_row_come_back, start, end)
{
    journals_experiment(&test, "one");
    journal_row row = {.experiment = 1,
                       .kind = JOURNAL_PUBLISH,
                       .epoch = UINT32_MAX,
                       .minute = INT64_MAX,
                       .late = UINT32_MAX - 1,
                       .duplicate = UINT32_MAX - 2,
                       .conflicting = UINT32_MAX - 3};
    assert_committed(&test, journal_append(test.journal, &row));
    journals_reopen(&test);
    journal_row got;
    assert_done(&test, journal_read_rows(test.journal, 1, 0, take_publish, &got));
    assert_ints(got.seq, 1, got.experiment, 1, got.kind, JOURNAL_PUBLISH, got.epoch, row.epoch);
    assert_ints(got.minute, row.minute, got.late, row.late, got.duplicate, row.duplicate);
    assert_int_equal(got.conflicting, row.conflicting);
}

static bool take_none(void *self, const journal_row *row)
{
    (void)row;
    ++*(int *)self;
    return false;
}

TEST_WITH(reading_stops_when_it_is_told_to, start, end)
{
    int calls = 0;
    journals_experiment(&test, "one");
    journals_append(&test, 1, "a");
    journals_append(&test, 1, "b");
    assert_false(journal_read_rows(test.journal, 0, 0, take_none, &calls));
    assert_int_equal(calls, 1);
    assert_string_equal(journals_rows(&test, 0, 0).text, "1:1:a 2:1:b ");
}

static bool take_large(void *self, const journal_row *row)
{
    return memcmp(self, row->frames.at, row->frames.bytes) == 0 && row->frames.bytes == 3000001;
}

TEST_WITH(frames_may_have_megabytes, start, end)
{
    FREED_BY(free_memory) uint8_t *frames = malloc(3000001);
    assert_non_null(frames);
    for (uint32_t i = 0; i < 3000001; i++) {
        frames[i] = (uint8_t)(i * 2654435761u >> 24);
    }
    journals_experiment(&test, "one");
    journals_append_bytes(&test, 1, frames, 3000001);
    journals_reopen(&test);
    assert_done(&test, journal_read_rows(test.journal, 1, 0, take_large, frames));
}

TEST_WITH(numbers_of_rows_are_never_used_again, start, end)
{
    journals_experiment(&test, "one");
    journals_experiment(&test, "two");
    assert_int_equal(journal_last(test.journal), 0);
    journals_append(&test, 1, "a");
    journals_append(&test, 2, "b");
    journals_snapshot(&test, 2, 2, "learner");
    journals_remove(&test, 2, 2);
    journals_state(&test, 1, JOURNAL_DELETED);
    assert_string_equal(journals_rows(&test, 0, 0).text, "");
    journals_reopen(&test);
    assert_ints(journal_last(test.journal), 2, journals_append(&test, 2, "c"), 3);
    journals_state(&test, 2, JOURNAL_DELETED);
    journals_reopen(&test);
    assert_int_equal(journal_last(test.journal), 3);
    journals_experiment(&test, "three");
    assert_int_equal(journals_append(&test, 3, "d"), 4);
}

TEST_WITH(a_row_counts_as_the_last_one_when_it_is_durable, start, end)
{
    journals_experiment(&test, "one");
    assert_done(&test, journal_begin(test.journal));
    journals_row(&test, 1, "a", 1);
    assert_int_equal(journal_last(test.journal), 0);
    assert_done(&test, journal_commit(test.journal));
    assert_int_equal(journal_last(test.journal), 1);
}

TEST_WITH(a_commit_allocates_nothing, start, end)
{
    allocations = 0;
    journals_reopen(&test);
    assert_true(allocations > 0); /* they are counted */
    journals_experiment(&test, "one");
    journals_experiment(&test, "two");
    allocations = 0;
    for (uint32_t i = 0; i < 20; i++) {
        journals_append(&test, 1 + i % 2, "a");
    }
    assert_int_equal(allocations, 0);
}

/* ---- removing */

TEST_WITH(rows_go_from_the_old_end_and_the_chain_holds, start, end)
{
    journals_experiment(&test, "one");
    journals_experiment(&test, "two");
    for (uint32_t i = 0; i < 6; i++) {
        journals_append(&test, 1 + i % 2, "x");
    }
    journals_snapshot(&test, 1, 6, "learner");
    journals_remove(&test, 1, 4);
    assert_string_equal(journals_rows(&test, 0, 0).text, "2:2:x 4:2:x 5:1:x 6:2:x ");
    journals_reopen(&test);
    journals_remove(&test, 1, 4);
    journals_append(&test, 1, "y");
    journals_reopen(&test);
    journals_remove(&test, 1, 6);
    assert_string_equal(journals_rows(&test, 1, 0).text, "7:1:y ");
    journals_reopen(&test);
}
