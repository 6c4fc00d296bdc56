/* Rows of the journal: appended, read, removed. */
#include "allocations.h"
#include "journals.h"

#include <stdlib.h>

static journals test;

static int start(void **state)
{
    (void)state;
    test = journals_new();
    journals_open(&test);
    return 0;
}

static int end(void **state)
{
    (void)state;
    journals_free(&test);
    return 0;
}

/* ---- bad input */

static void a_row_outside_of_a_transaction_is_refused(void **state)
{
    (void)state;
    journal_row row = {.experiment = journals_experiment(&test, "one")};
    assert_refused(&test, journal_append(test.journal, &row), "outside of a transaction");
}

static void a_row_of_no_experiment_is_refused(void **state)
{
    (void)state;
    journals_experiment(&test, "one");
    const uint32_t numbers[] = {0, 2, UINT32_MAX};
    for (size_t i = 0; i < 3; i++) {
        journal_row row = {.experiment = numbers[i]};
        assert_done(&test, journal_begin(test.journal));
        assert_refused(&test, journal_append(test.journal, &row), "there are 1 to 1");
        journal_abandon(test.journal);
    }
}

static void a_row_of_a_deleted_experiment_is_refused(void **state)
{
    (void)state;
    journal_row row = {.experiment = journals_experiment(&test, "one")};
    journals_state(&test, 1, JOURNAL_DELETED);
    assert_done(&test, journal_begin(test.journal));
    assert_refused(&test, journal_append(test.journal, &row), "experiment 1 is deleted");
}

static void a_row_of_another_kind_is_refused(void **state)
{
    (void)state;
    journal_row row = {.experiment = journals_experiment(&test, "one"), .kind = (journal_kind)3};
    assert_done(&test, journal_begin(test.journal));
    assert_refused(&test, journal_append(test.journal, &row), "kind 3");
}

static void a_publish_or_discard_with_frames_is_refused(void **state)
{
    (void)state;
    journal_row row = {.experiment = journals_experiment(&test, "one"),
                       .frames = {(const uint8_t *)"abc", 3}};
    for (row.kind = JOURNAL_PUBLISH; row.kind <= JOURNAL_DISCARD; row.kind++) {
        assert_done(&test, journal_begin(test.journal));
        assert_refused(&test, journal_append(test.journal, &row), "3 bytes of frames");
        journal_abandon(test.journal);
    }
}

static void a_minute_that_sqlite_cannot_hold_is_refused(void **state)
{
    (void)state;
    journal_row row = {.experiment = journals_experiment(&test, "one"), .minute = 1ull << 63};
    assert_done(&test, journal_begin(test.journal));
    assert_refused(&test, journal_append(test.journal, &row), "2^63");
}

static void after_a_change_that_failed_nothing_else_is_done(void **state)
{
    (void)state;
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

static void rows_beyond_the_snapshot_are_not_removed(void **state)
{
    (void)state;
    journals_experiment(&test, "one");
    journals_append(&test, 1, "a");
    journals_append(&test, 1, "b");
    assert_done(&test, journal_begin(test.journal));
    assert_refused(&test, journal_remove_rows(test.journal, 1, 1), "those up to 0");
    journal_abandon(test.journal);
    journals_snapshot(&test, 1, 1, "learner");
    assert_done(&test, journal_begin(test.journal));
    assert_refused(&test, journal_remove_rows(test.journal, 1, 2), "those up to 1");
    journal_abandon(test.journal);
    assert_string_equal(journals_rows(&test, 0, 0).text, "1:1:a 2:1:b ");
}

/* ---- order and numbers */

static void rows_are_read_in_order_from_any_place(void **state)
{
    (void)state;
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
        assert_string_equal(journals_rows(&test, 1, 2).text, "");
        assert_string_equal(journals_rows(&test, 3, 0).text, "");
        journals_reopen(&test);
    }
}

static bool take_publish(void *self, const journal_row *row)
{
    *(journal_row *)self = *row;
    return row->frames.bytes == 0;
}

static void all_fields_of_a_row_come_back(void **state)
{
    (void)state;
    journals_experiment(&test, "one");
    journal_row row = {.experiment = 1,
                       .kind = JOURNAL_PUBLISH,
                       .epoch = UINT32_MAX,
                       .minute = INT64_MAX,
                       .late = UINT32_MAX - 1,
                       .duplicate = UINT32_MAX - 2,
                       .conflicting = UINT32_MAX - 3};
    assert_done(&test, journal_begin(test.journal));
    assert_done(&test, journal_append(test.journal, &row));
    assert_done(&test, journal_commit(test.journal));
    journals_reopen(&test);
    journal_row got;
    assert_done(&test, journal_read_rows(test.journal, 1, 0, take_publish, &got));
    assert_int_equal(got.seq, 1);
    assert_int_equal(got.experiment, 1);
    assert_int_equal(got.kind, JOURNAL_PUBLISH);
    assert_int_equal(got.epoch, row.epoch);
    assert_int_equal(got.minute, row.minute);
    assert_int_equal(got.late, row.late);
    assert_int_equal(got.duplicate, row.duplicate);
    assert_int_equal(got.conflicting, row.conflicting);
}

static bool take_none(void *self, const journal_row *row)
{
    (void)row;
    ++*(int *)self;
    return false;
}

static void reading_stops_when_it_is_told_to(void **state)
{
    (void)state;
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

static void frames_may_have_megabytes(void **state)
{
    (void)state;
    uint8_t *frames = malloc(3000001);
    assert_non_null(frames);
    for (uint32_t i = 0; i < 3000001; i++) {
        frames[i] = (uint8_t)(i * 2654435761u >> 24);
    }
    journals_experiment(&test, "one");
    assert_done(&test, journal_begin(test.journal));
    journals_row(&test, 1, frames, 3000001);
    assert_done(&test, journal_commit(test.journal));
    journals_reopen(&test);
    assert_done(&test, journal_read_rows(test.journal, 1, 0, take_large, frames));
    free(frames);
}

static void numbers_of_rows_are_never_used_again(void **state)
{
    (void)state;
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
    assert_int_equal(journal_last(test.journal), 2);
    assert_int_equal(journals_append(&test, 2, "c"), 3);
    journals_state(&test, 2, JOURNAL_DELETED);
    journals_reopen(&test);
    assert_int_equal(journal_last(test.journal), 3);
    journals_experiment(&test, "three");
    assert_int_equal(journals_append(&test, 3, "d"), 4);
}

static void a_row_counts_as_the_last_one_when_it_is_durable(void **state)
{
    (void)state;
    journals_experiment(&test, "one");
    assert_done(&test, journal_begin(test.journal));
    journals_row(&test, 1, "a", 1);
    assert_int_equal(journal_last(test.journal), 0);
    assert_done(&test, journal_commit(test.journal));
    assert_int_equal(journal_last(test.journal), 1);
}

static void a_commit_allocates_nothing(void **state)
{
    (void)state;
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

static void rows_go_from_the_old_end_and_the_chain_holds(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_row_outside_of_a_transaction_is_refused, start, end),
        cmocka_unit_test_setup_teardown(a_row_of_no_experiment_is_refused, start, end),
        cmocka_unit_test_setup_teardown(a_row_of_a_deleted_experiment_is_refused, start, end),
        cmocka_unit_test_setup_teardown(a_row_of_another_kind_is_refused, start, end),
        cmocka_unit_test_setup_teardown(a_publish_or_discard_with_frames_is_refused, start, end),
        cmocka_unit_test_setup_teardown(a_minute_that_sqlite_cannot_hold_is_refused, start, end),
        cmocka_unit_test_setup_teardown(after_a_change_that_failed_nothing_else_is_done, start,
                                        end),
        cmocka_unit_test_setup_teardown(rows_beyond_the_snapshot_are_not_removed, start, end),
        cmocka_unit_test_setup_teardown(rows_are_read_in_order_from_any_place, start, end),
        cmocka_unit_test_setup_teardown(all_fields_of_a_row_come_back, start, end),
        cmocka_unit_test_setup_teardown(reading_stops_when_it_is_told_to, start, end),
        cmocka_unit_test_setup_teardown(frames_may_have_megabytes, start, end),
        cmocka_unit_test_setup_teardown(numbers_of_rows_are_never_used_again, start, end),
        cmocka_unit_test_setup_teardown(a_row_counts_as_the_last_one_when_it_is_durable, start,
                                        end),
        cmocka_unit_test_setup_teardown(a_commit_allocates_nothing, start, end),
        cmocka_unit_test_setup_teardown(rows_go_from_the_old_end_and_the_chain_holds, start, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
