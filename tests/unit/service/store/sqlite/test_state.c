/* Experiments and snapshots in the journal. */
#include "journals.h"

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

static bool take_experiment(void *self, const journal_experiment *experiment)
{
    journals_text *out = self;
    size_t at = strlen(out->text);
    snprintf(out->text + at, sizeof out->text - at, "%u %s %s %.*s %.*s %s %llu %u %llu%s%s%.*s|",
             experiment->number, (const char *)experiment->id,
             journal_state_name(experiment->state), (int)experiment->terms.bytes,
             (const char *)experiment->terms.at, (int)experiment->start.bytes,
             (const char *)experiment->start.at, experiment->labels,
             (unsigned long long)experiment->created_minute, experiment->epoch_seconds_min,
             (unsigned long long)experiment->epoch_reports_min,
             experiment->epoch_reports_expected == 500 ? " 500" : "",
             experiment->quarantine ? " held" : "", experiment->has_report_key ? 3 : 0,
             (const char *)experiment->report_key);
    return true;
}

static journals_text experiments(void)
{
    journals_text out = {.text = ""};
    assert_done(&test, journal_read_experiments(test.journal, take_experiment, &out));
    return out;
}

static bool take_snapshot(void *self, const journal_snapshot *snapshot)
{
    journals_text *out = self;
    snprintf(out->text, sizeof out->text, "%u %llu %llu %llu %llu %llu %.*s", snapshot->experiment,
             (unsigned long long)snapshot->seq, (unsigned long long)snapshot->counts.folded,
             (unsigned long long)snapshot->counts.late,
             (unsigned long long)snapshot->counts.duplicate,
             (unsigned long long)snapshot->counts.conflicting, (int)snapshot->learner.bytes,
             (const char *)snapshot->learner.at);
    return true;
}

static journals_text snapshot_of(uint32_t experiment)
{
    bool found;
    journals_text out = {.text = "none"};
    assert_done(&test,
                journal_read_snapshot(test.journal, experiment, take_snapshot, &out, &found));
    assert_int_equal(found, strcmp(out.text, "none") != 0);
    return out;
}

/* ---- bad input */

TEST_WITH(an_id_is_not_taken_twice, start, end)
{
    journals_experiment(&test, "one");
    journals_state(&test, 1, JOURNAL_DELETED);
    journal_experiment again = {.id = "one", .labels = ""};
    assert_refused_within(&test, journal_add_experiment(test.journal, &again), "UNIQUE");
    assert_int_equal(journals_experiment(&test, "two"), 2);
}

TEST_WITH(a_new_experiment_that_is_deleted_is_refused, start, end)
{
    journal_experiment experiment = {.id = "one", .labels = "", .state = JOURNAL_DELETED};
    assert_refused_within(&test, journal_add_experiment(test.journal, &experiment), "state 3");
}

TEST_WITH(a_state_that_there_is_not_is_refused, start, end)
{
    journals_experiment(&test, "one");
    assert_null(journal_state_name((journal_state)4));
    assert_refused_within(&test, journal_set_state(test.journal, 1, (journal_state)4), "state 4");
}

TEST_WITH(a_deleted_experiment_stays_deleted, start, end)
{
    journals_experiment(&test, "one");
    journals_state(&test, 1, JOURNAL_DELETED);
    const journal_snapshot snapshot = {.experiment = 1};
    const journal_history history = {.experiment = 1};
    assert_refused_within(&test, journal_set_state(test.journal, 1, JOURNAL_OPEN),
                          "deleted, which cannot be undone");
    assert_refused_within(&test, journal_put_snapshot(test.journal, &snapshot),
                          "deleted, which cannot be undone");
    assert_refused_within(&test, journal_add_history(test.journal, &history),
                          "deleted, which cannot be undone");
    journals_reopen(&test);
    assert_refused_within(&test, journal_set_state(test.journal, 1, JOURNAL_OPEN),
                          "deleted, which cannot be undone");
}

TEST_WITH(a_snapshot_of_a_row_to_come_or_older_than_the_last_is_refused, start, end)
{
    journals_experiment(&test, "one");
    journals_append(&test, 1, "a");
    journals_append(&test, 1, "b");
    journals_snapshot(&test, 1, 2, "learner");
    const uint64_t wrong[] = {1, 3};
    for (size_t i = 0; i < 2; i++) {
        const journal_snapshot snapshot = {.experiment = 1, .seq = wrong[i]};
        assert_refused_within(&test, journal_put_snapshot(test.journal, &snapshot),
                              "allowed 2 (that of");
    }
    assert_string_equal(snapshot_of(1).text, "1 2 7 1 0 0 learner");
}

/* ---- what is kept */

TEST_WITH(experiments_come_back_in_order, start, end)
{
    journals_experiment(&test, "one");
    journals_experiment(&test, "two");
    journals_experiment(&test, "three");
    journals_state(&test, 2, JOURNAL_PAUSED);
    journals_state(&test, 3, JOURNAL_CLOSED);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(experiments().text,
                            "1 one open one start {\"arm\":\"a\"} 29000000 60 20|"
                            "2 two paused two start {\"arm\":\"a\"} 29000000 60 20 500 heldkkk|"
                            "3 three closed three start {\"arm\":\"a\"} 29000000 60 20|");
        journals_reopen(&test);
    }
}

TEST_WITH(a_deleted_experiment_keeps_its_number_and_id_alone, start, end)
{
    journals_experiment(&test, "one");
    journals_append(&test, 1, "a");
    journals_snapshot(&test, 1, 1, "learner");
    journals_append(&test, 1, "b");
    journals_state(&test, 1, JOURNAL_DELETED);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(experiments().text, "1 one deleted    29000000 60 20|");
        assert_strings(journals_rows(&test, 0, 0).text, "", snapshot_of(1).text, "none");
        journals_reopen(&test);
    }
}

static bool count_row(void *self, const journal_row *row)
{
    (void)row;
    ++*(uint32_t *)self;
    return true;
}

static bool count_history(void *self, const journal_history *history)
{
    (void)history;
    ++*(uint32_t *)self;
    return true;
}

/* Rows and history. */
static uint32_t left_of(uint32_t experiment)
{
    uint32_t left = 0;
    assert_done(&test, journal_read_rows(test.journal, experiment, 0, count_row, &left));
    assert_done(&test, journal_read_history(test.journal, experiment, count_history, &left));
    return left;
}

static bool tidy(void)
{
    bool more;
    assert_committed(&test, journal_tidy(test.journal, 0, &more));
    return more;
}

static void write_much(uint32_t experiment, uint32_t rows, uint32_t epochs)
{
    static const uint8_t frames[JOURNAL_SLICE_BYTES / 2];
    assert_done(&test, journal_begin(test.journal));
    for (uint32_t i = 0; i < rows; i++) {
        journals_row(&test, experiment, frames, sizeof frames);
    }
    for (uint32_t epoch = 1; epoch <= epochs; epoch++) {
        const journal_history history = {.experiment = experiment, .epoch = epoch, .publishes = 1};
        assert_done(&test, journal_add_history(test.journal, &history));
    }
    assert_done(&test, journal_commit(test.journal));
}

/* Deleted at once, removed in slices. After each slice the journal is complete, and may be
 * closed. */
TEST_WITH(a_large_experiment_is_removed_in_slices, start, end)
{
    const uint32_t rows = 5, epochs = 2 * JOURNAL_SLICE_ROWS + 7;
    bool more;
    journals_experiment(&test, "one");
    journals_experiment(&test, "two");
    write_much(1, rows, epochs);
    write_much(2, 1, 1);
    journals_state(&test, 1, JOURNAL_DELETED);
    uint32_t left = left_of(1), slices = 1;
    assert_in_range(left, epochs + 1, epochs + rows - 1);
    assert_done(&test, journal_begin(test.journal));
    assert_done(&test, journal_tidy(test.journal, 0, &more));
    journal_abandon(test.journal);
    for (more = true; more; slices++) {
        assert_int_equal(left_of(1), left);
        assert_refused_within(&test, journal_set_quarantine(test.journal, 1, true),
                              "deleted, which cannot be undone");
        if (slices % 2 == 0) journals_reopen(&test);
        more = tidy();
        assert_true(left_of(1) + JOURNAL_SLICE_ROWS + rows >= left);
        left = left_of(1);
    }
    assert_true(slices > 5);
    assert_ints(left, 0, left_of(2), 2);
    assert_int_equal(journals_append(&test, 2, "a"), rows + 2); /* numbers are not reused */
    journals_reopen(&test);
    assert_false(tidy());
}

TEST_WITH(a_deleted_experiment_has_no_key, start, end)
{
    journals_experiment(&test, "two");
    journals_state(&test, 1, JOURNAL_DELETED);
    assert_string_equal(experiments().text, "1 two deleted    29000000 60 20 500 held|");
}

TEST_WITH(a_quarantine_is_set_and_lifted, start, end)
{
    journals_experiment(&test, "one");
    journals_experiment(&test, "two");
    for (int i = 0; i < 2; i++) {
        assert_committed(&test, journal_set_quarantine(test.journal, 1, i == 0) &&
                                    journal_set_quarantine(test.journal, 2, i != 0));
        journals_reopen(&test);
        const char *held = i == 0 ? " held" : "", *other = i == 0 ? "" : " held";
        char wanted[256];
        snprintf(wanted, sizeof wanted,
                 "1 one open one start {\"arm\":\"a\"} 29000000 60 20%s|"
                 "2 two open two start {\"arm\":\"a\"} 29000000 60 20 500%skkk|",
                 held, other);
        assert_string_equal(experiments().text, wanted);
    }
}

TEST_WITH(a_quarantine_of_an_experiment_that_is_not_there_is_refused, start, end)
{
    journals_experiment(&test, "one");
    assert_refused_within(&test, journal_set_quarantine(test.journal, 2, true), "no experiment 2");
    assert_refused(&test, journal_set_quarantine(test.journal, 1, true), "outside");
    journals_state(&test, 1, JOURNAL_DELETED);
    assert_done(&test, journal_begin(test.journal));
    assert_refused(&test, journal_set_quarantine(test.journal, 1, true),
                   "deleted, which cannot be undone");
    uint64_t reports = 1;
    assert_done(&test, journal_read_waiting(test.journal, &(uint32_t){1}, 1, &reports));
    assert_int_equal(reports, 0);
    bool held = false;
    journal_abandon(test.journal);
    assert_committed(&test, journal_decide(test.journal, 1, 0, JOURNAL_PUBLISH, &held));
    assert_true(held); /* as its one user knows; nothing is kept */
}

TEST_WITH(who_may_send_reports_is_changed_and_read, start, end)
{
    static const uint8_t key[JOURNAL_DIGEST_BYTES] = "new";
    journals_experiment(&test, "one");
    journals_experiment(&test, "two");
    assert_refused(&test, journal_set_access(test.journal, 1, "{}", NULL), "outside");
    assert_refused_within(&test, journal_set_access(test.journal, 3, "{}", NULL),
                          "no experiment 3");
    assert_committed(&test, journal_set_access(test.journal, 1, "{}\norigins *", key) &&
                                journal_set_access(test.journal, 2, "{}", NULL));
    journals_reopen(&test); /* checks the digests */
    assert_string_equal(experiments().text, "1 one open one start {}\norigins * 29000000 60 20new|"
                                            "2 two open two start {} 29000000 60 20 500 held|");
}

TEST_WITH(the_last_snapshot_is_kept, start, end)
{
    journals_experiment(&test, "one");
    journals_experiment(&test, "two");
    journals_append(&test, 1, "a");
    assert_string_equal(snapshot_of(1).text, "none");
    journals_snapshot(&test, 1, 0, "first");
    journals_snapshot(&test, 1, 1, "second");
    journals_reopen(&test);
    assert_strings(snapshot_of(1).text, "1 1 7 1 0 0 second", snapshot_of(2).text, "none");
}
