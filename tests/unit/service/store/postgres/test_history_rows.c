/* The table of history. */
#include "connection_scene.h"
#include "service/store/postgres/inner.h"

static const journal_history full = {1, 2, 300, 4, 5, 6, 7, -8, -9, 10, 11, 12, 13};

static void put(journal_history row, uint32_t experiment, uint32_t epoch, uint64_t minute)
{
    row.experiment = experiment;
    row.epoch = epoch;
    row.minute = minute;
    if (!postgres__put_history(&one, &row) || !postgres__run(&one, NULL, NULL))
        fail_msg("%s", one.fault.sentence);
}

static bool take(void *self, const journal_history *row)
{
    return scene_add(self, "%u.%u:%llu ", row->experiment, row->epoch,
                     (unsigned long long)row->learn);
}

TEST_WITH(an_altered_row_is_refused, start, end)
{
    static const char *const columns[] = {
        "experiment",  "epoch",      "minute", "publishes", "learn",       "control", "follow",
        "control_sum", "follow_sum", "late",   "duplicate", "conflicting", "alarms"};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        char sql[100];
        scene_text out = {.text = ""};
        put(full, 1, 2, 300);
        snprintf(sql, sizeof sql, "UPDATE history SET %s = %s + 1", columns[i], columns[i]);
        scene_change(sql);
        assert_false(postgres__read_history(&one, 0, 0, 10000, take, &out));
        assert_words(one.fault.sentence, "is damaged: the history of experiment");
        assert_string_equal(out.text, "");
        scene_change("DELETE FROM history");
    }
}

static bool take_full(void *self, const journal_history *row)
{
    *(journal_history *)self = *row;
    return true;
}

TEST_WITH(a_row_comes_back_as_it_was_written, start, end)
{
    journal_history got = {.epoch = 0};
    put(full, 1, 2, 300);
    assert_true(postgres__read_history(&one, 1, 300, 301, take_full, &got));
    assert_ints(got.experiment, 1, got.epoch, 2, got.minute, 300, got.publishes, 4, got.learn, 5);
    assert_ints(got.control, 6, got.follow, 7, got.control_sum, -8, got.follow_sum, -9);
    assert_ints(got.late, 10, got.duplicate, 11, got.conflicting, 12, got.alarms, 13);
}

TEST_WITH(rows_come_by_experiment_and_epoch_and_minutes, start, end)
{
    scene_text all = {.text = ""}, two = {.text = ""}, some = {.text = ""};
    journal_history again = full;
    put(full, 2, 1, 100);
    put(full, 1, 9, 90);
    put(full, 1, 3, 110);
    again.learn = 77;
    put(again, 2, 1, 100); /* replaces the first row */
    assert_true(postgres__read_history(&one, 0, 0, 1000, take, &all));
    assert_string_equal(all.text, "1.3:5 1.9:5 2.1:77 ");
    assert_true(postgres__read_history(&one, 2, 0, 1000, take, &two));
    assert_string_equal(two.text, "2.1:77 ");
    assert_true(postgres__read_history(&one, 0, 91, 110, take, &some));
    assert_string_equal(some.text, "2.1:77 ");
}

TEST_WITH(a_part_has_epochs_minutes_and_a_limit, start, end)
{
    scene_text none = {.text = ""}, some = {.text = ""}, first = {.text = ""};
    for (uint32_t i = 1; i <= 6; i++) {
        put(full, 1, i, i == 3 ? 500 : 60 + i); /* the clock jumps, and jumps back */
        put(full, 2, i, 60);
    }
    const journal_span nothing = {1, 5, 4, 0, 1000, 10}, minutes = {1, 1, 6, 62, 65, 10},
                       two = {1, 3, UINT32_MAX, 0, INT64_MAX, 2};
    assert_true(postgres__read_span(&one, &nothing, take, &none));
    assert_string_equal(none.text, "");
    assert_true(postgres__read_span(&one, &minutes, take, &some));
    assert_string_equal(some.text, "1.2:5 1.4:5 ");
    assert_true(postgres__read_span(&one, &two, take, &first));
    assert_string_equal(first.text, "1.3:5 1.4:5 ");
}
