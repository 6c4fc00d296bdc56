/* Moving an experiment from one journal to another: export and import. */
#include "core/core.h"
#include "desk.h"
#include "service/archive/archive.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static desk from, to;
static sottod_journal *file; /* carries the experiment between the two services */
static sotto_fault fault;
static uint8_t id[SOTTO_SPEC_ID_BYTES];

static void empty_file(void)
{
    journal_memory_free(file);
    file = journal_memory_new();
}

FIXTURE(start_empty)
{
    from = desk_of(1);
    to = desk_of(2);
    file = journal_memory_new();
    desk_create(&from, NULL);
}

/* One experiment with a closed epoch, and 7 reports of an open one. */
static int start(void **state)
{
    start_empty(state);
    desk_take(&from, 12);
    assert_true(desk_turn(&from, 2000));
    desk_take(&from, 7);
    return 0;
}

FIXTURE(end)
{
    journal_memory_free(file);
    desk_free(&from);
    desk_free(&to);
}

static bool try_export(bool with_reports)
{
    return archive_write(from.journal, experiment_id(from.experiment), with_reports, file,
                         &fault) == SOTTO_OK;
}

static void export_it(bool with_reports)
{
    empty_file();
    if (!try_export(with_reports)) fail_msg("%s", fault.sentence);
}

/* Imports the experiment and starts the other service again. */
static void import_it(void)
{
    if (archive_read(file, to.journal, id, &fault) != SOTTO_OK) fail_msg("%s", fault.sentence);
    assert_memory_equal(id, experiment_id(from.experiment), sizeof id);
    desk_restart(&to);
    to.experiment = experiments_find(to.all, id);
    assert_non_null(to.experiment);
}

static void refused(const char *words)
{
    assert_status(archive_read(file, to.journal, id, &fault), SOTTO_E_FAULT);
    if (strstr(fault.sentence, words) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", fault.sentence, words);
    desk_restart(&to);
    assert_int_equal(experiments_count(to.all), 0);
}

static void export_refused(bool with_reports, const char *words)
{
    uint64_t oldest;
    assert_false(try_export(with_reports));
    if (strstr(fault.sentence, words) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", fault.sentence, words);
    assert_int_equal(journal_memory_rows(file, 1, &oldest), 0);
}

/* ---- export */

TEST_WITH(an_experiment_that_is_not_there_is_refused, start_empty, end)
{
    const uint8_t other[SOTTO_SPEC_ID_BYTES] = {1};
    assert_status(archive_write(from.journal, other, true, file, &fault), SOTTO_E_FAULT);
    assert_string_equal(fault.sentence, "there is no such experiment");
}

TEST_WITH(a_deleted_experiment_is_refused, start_empty, end)
{
    sottod_refusal why;
    assert_true(experiment_set_state(from.all, from.experiment, JOURNAL_DELETED, &why));
    export_refused(true, "the experiment was deleted");
}

TEST_WITH(a_journal_that_cannot_be_written_is_told, start, end)
{
    for (uint32_t calls = 0; calls < 8; calls++) {
        journal_memory_fail_after(file, calls);
        assert_false(try_export(true));
        assert_true(journal_memory_has_failed(file));
        assert_true(fault.sentence[0] != '\0');
    }
    export_it(true);
}

TEST_WITH(too_few_reports_of_an_open_epoch_are_not_published_by_the_way, start_empty, end)
{
    sottod_refusal why;
    desk_take(&from, 2); /* fewer than epoch_reports_min, which is 3 */
    export_refused(false, "have 2 reports, fewer than epoch_reports_min (3)");
    export_it(true);
    assert_true(experiment_set_state(from.all, from.experiment, JOURNAL_CLOSED, &why));
    export_it(false);
}

static bool count_frames(void *self, const journal_row *row)
{
    *(size_t *)self += row->frames.bytes / sotto_report_bytes(experiment_terms(from.experiment));
    return true;
}

TEST_WITH(reports_leave_only_if_that_was_said, start, end)
{
    size_t reports = 0;
    export_it(false);
    assert_true(journal_read_rows(file, 1, 0, count_frames, &reports));
    assert_int_equal(reports, 0);
    export_it(true);
    assert_true(journal_read_rows(file, 1, 0, count_frames, &reports));
    assert_int_equal(reports, 19);
}

TEST_WITH(the_learner_is_that_after_all_rows, start, end)
{
    assert_true(epochs_keep(from.all));
    desk_take(&from, 5); /* after the snapshot */
    export_it(false);
    const journal_snapshot *snapshot = journal_memory_snapshot(file, 1);
    const sotto_learner *learner = experiment_learner(from.experiment);
    size_t bytes = sotto_learner_bytes(learner);
    FREED_BY(free_memory) uint8_t *wanted = malloc(bytes);
    assert_ok(sotto_learner_encode(learner, wanted, bytes));
    assert_ints(snapshot->counts.folded, 24, snapshot->learner.bytes, bytes);
    assert_memory_equal(snapshot->learner.at, wanted, bytes);
}

/* ---- import */

TEST_WITH(a_journal_of_no_or_two_experiments_is_refused, start, end)
{
    refused("the file has no experiment");
    export_it(true);
    experiment_request request = desk_request();
    request.spec.series = 2;
    desk_create(&from, &request);
    assert_true(try_export(true));
    refused("the file has more than one experiment");
    empty_file();
    assert_true(try_export(true));
    journal_memory_experiment(file, 1)->state = JOURNAL_DELETED;
    refused("the experiment was deleted");
}

TEST_WITH(a_journal_with_a_bad_report_is_refused, start, end)
{
    export_it(true);
    journal_row *row = journal_memory_row(file, 3);
    FREED_BY(free_memory) uint8_t *frames = malloc(row->frames.bytes);
    memcpy(frames, row->frames.at, row->frames.bytes);
    frames[4] ^= 1; /* the spec id of the first frame */
    row->frames.at = frames;
    refused("row 3 of the file has a bad report: the message belongs to another spec");
}

static void set_history(journal_history history)
{
    history.experiment = 1;
    assert_true(journal_begin(file));
    assert_true(journal_add_history(file, &history));
    assert_true(journal_commit(file));
}

TEST_WITH(what_the_service_could_not_start_with_is_refused, start, end)
{
    journal_experiment *e;
#define WRONG(change, words)                                                                       \
    export_it(true);                                                                               \
    e = journal_memory_experiment(file, 1);                                                        \
    change;                                                                                        \
    refused(words)
    WRONG(e->state = (journal_state)9, "the state is unknown; allowed");
    WRONG(e->epoch_seconds_min = 0, "epoch_seconds_min or epoch_reports_min is out of range");
    WRONG(e->epoch_seconds_min = 31536001, "epoch_seconds_min or epoch_reports_min is out of "
                                           "range; allowed: 1 to 31536000, and 1 to 2147483648");
    WRONG(e->epoch_reports_min = 0, "epoch_seconds_min or epoch_reports_min is out of range");
    WRONG(e->epoch_reports_min = UINT64_C(1) << 32, "epoch_reports_min is out of range");
    WRONG(e->epoch_reports_expected = UINT64_C(1) << 32, "epoch_reports_expected is above");
    WRONG(e->id[0] ^= 1, "the id is not that of the terms");
    WRONG(e->terms.bytes--, "bytes: terms have");
    WRONG(e->start.bytes--, "damaged, cut or extended");
    WRONG(journal_memory_snapshot(file, 1)->learner.bytes--, "damaged, cut");
    WRONG(e->labels = "[]", "the labels are not a JSON object of at most 16384 bytes");
    WRONG(e->labels = "{} and so on", "the labels are not a JSON object of at most 16384 bytes");
    WRONG(set_history((journal_history){.epoch = 7}), "the history of epoch 7 is out of order");
    WRONG(set_history((journal_history){.epoch = 1, .late = 1}), "counts are too large");
    WRONG(set_history((journal_history){.epoch = 1, .late = UINT64_MAX}), "counts are too large");
    WRONG(set_history((journal_history){.epoch = 1, .duplicate = 1}), "counts are too large");
    WRONG(set_history((journal_history){.epoch = 1, .conflicting = 1}), "counts are too large");
    WRONG(journal_memory_row(file, 1)->kind = (journal_kind)4, "a row has an unknown kind");
    WRONG(journal_memory_row(file, 1)->epoch = 9, "an epoch that has not begun");
    WRONG(journal_memory_row(file, 1)->epoch = 1,
          "row 1 of the file has frames, counts or an epoch that do not fit its kind");
    WRONG(journal_memory_row(file, 1)->minute = 1,
          "row 1 of the file has frames, counts or an epoch that do not fit its kind");
    WRONG(journal_memory_row(file, 1)->kind = JOURNAL_PUBLISH,
          "row 1 of the file has frames, counts or an epoch that do not fit its");
    WRONG(journal_memory_row(file, 1)->kind = JOURNAL_DISCARD,
          "row 1 of the file has frames, counts or an epoch that do not fit its");
    WRONG(journal_memory_row(file, 1)->kind = JOURNAL_END_FALLBACK,
          "row 1 of the file has frames, counts or an epoch that do not fit");
    WRONG(journal_memory_row(file, 1)->frames.bytes--, "row 1 of the file has a bad report");
    WRONG(journal_memory_row(file, 2)->late = 1,
          "row 2 of the file has frames, counts or an epoch that do not fit its kind");
    WRONG(journal_memory_row(file, 2)->kind = JOURNAL_REPORTS,
          "row 2 of the file has frames, counts or an epoch that do not fit its");
#undef WRONG
    export_it(true);
    import_it();
}

/* Puts a snapshot from before all rows, so that the rows after it are learnt. */
static void put_first_snapshot(void)
{
    *journal_memory_snapshot(file, 1) =
        (journal_snapshot){.experiment = 1, .learner = journal_memory_experiment(file, 1)->start};
}

TEST_WITH(rows_after_the_snapshot_are_applied_or_refused, start, end)
{
    export_it(true);
    put_first_snapshot();
    import_it();
    assert_true(desk_same(from.experiment, to.experiment));
    desk_free(&to);
    to = desk_of(2);
    export_it(true);
    put_first_snapshot();
    journal_memory_row(file, 2)->kind = JOURNAL_END_FALLBACK; /* none is served */
    refused("row 2 of the journal");
    export_it(true);
    put_first_snapshot();
    journal_memory_row(file, 1)->frames.bytes--;
    refused("row 1 of the journal");
}

TEST_WITH(reports_that_are_not_in_order_or_come_twice_are_refused, start, end)
{
    size_t frame = sotto_report_bytes(experiment_terms(from.experiment));
    export_it(true);
    journal_row *row = journal_memory_row(file, 3);
    uint8_t *frames = malloc(row->frames.bytes);
    memcpy(frames, row->frames.at, row->frames.bytes);
    memcpy(frames, frames + frame, frame); /* the second one twice */
    row->frames.at = frames;
    refused("row 3 of the file has a bad report: its frames are not sorted by nonce");
    free(frames);
    export_it(true); /* the last row twice: each is in order */
    journal_row again = *journal_memory_row(file, 3);
    assert_true(journal_begin(file));
    assert_true(journal_append(file, &again));
    assert_true(journal_commit(file));
    journal_memory_snapshot(file, 1)->seq = again.seq;
    refused("the file has the same report twice");
}

TEST_WITH(an_experiment_that_is_there_is_refused, start, end)
{
    sottod_refusal why;
    export_it(true);
    import_it();
    assert_status(archive_read(file, to.journal, id, &fault), SOTTO_E_FAULT);
    assert_non_null(strstr(fault.sentence, "exists already, or was deleted"));
    assert_true(experiment_set_state(to.all, to.experiment, JOURNAL_DELETED, &why));
    assert_status(archive_read(file, to.journal, id, &fault), SOTTO_E_FAULT);
    assert_non_null(strstr(fault.sentence, "exists already, or was deleted"));
}

TEST_WITH(a_journal_that_fails_has_nothing_of_it, start, end)
{
    export_it(true);
    for (uint32_t calls = 0; calls < 8; calls++) { /* begin, 1 experiment, 1 history, 3 rows, … */
        journal_memory_fail_after(to.journal, calls);
        assert_status(archive_read(file, to.journal, id, &fault), SOTTO_E_FAULT);
        assert_true(journal_memory_has_failed(to.journal));
        desk_restart(&to);
        assert_int_equal(experiments_count(to.all), 0);
    }
    import_it();
}

TEST_WITH(with_reports_it_goes_on_as_if_it_had_never_moved, start, end)
{
    uint8_t *again = desk_frames(&from, from.experiment, 1);
    desk_take_frames(&from, again, 1);
    export_it(true);
    import_it();
    assert_true(desk_same(from.experiment, to.experiment));
    assert_string_equal(experiment_labels(from.experiment), experiment_labels(to.experiment));
    desk_take_frames(&to, again, 1); /* it was there before */
    desk_assert_counts(to.experiment, 20, 0, 1, 0);
    free(again);
    /* The same frames lead both to the same model. */
    uint8_t *frames = desk_frames(&from, from.experiment, 10);
    desk_give(&from, frames, 10);
    desk_give(&to, frames, 10);
    desk_commit(&from);
    desk_commit(&to);
    free(frames);
    assert_true(desk_turn(&from, 5000));
    assert_true(desk_turn(&to, 5000));
    assert_int_equal(experiment_epoch(from.experiment), 2);
    size_t bytes, other_bytes;
    const uint8_t *model = experiment_model_bytes(from.experiment, &bytes);
    const uint8_t *other = experiment_model_bytes(to.experiment, &other_bytes);
    assert_int_equal(bytes, other_bytes);
    assert_memory_equal(model, other, bytes);
}

TEST_WITH(without_reports_all_that_is_on_its_way_is_late, start, end)
{
    FREED_BY(free_memory) uint8_t *on_its_way = desk_frames(&from, from.experiment, 3);
    export_it(false);
    import_it();
    uint32_t lag = experiment_terms(to.experiment)->spec.epoch_lag_max;
    assert_int_equal(experiment_epoch(to.experiment), experiment_epoch(from.experiment) + lag + 1);
    desk_take_frames(&to, on_its_way, 3);
    desk_assert_counts(to.experiment, 19, 3, 0, 0);
}

/* The first row of the newest part without a gap. */
static uint64_t oldest_row(void)
{
    uint64_t oldest;
    journal_memory_rows(to.journal, experiment_number(to.experiment), &oldest);
    return oldest;
}

TEST_WITH(rows_that_do_not_begin_at_the_start_stand_behind_one_that_was_removed, start, end)
{
    export_it(true); /* all of them */
    import_it();
    assert_int_equal(oldest_row(), 1);
    desk_free(&to);
    to = desk_of(2);
    for (uint32_t i = 0; i < 3; i++) {
        desk_take(&from, 12);
        assert_true(desk_turn(&from, 2000));
    }
    assert_true(epochs_keep(from.all)); /* removes the rows of the first epoch */
    export_it(true);
    import_it();
    assert_int_equal(oldest_row(), 2);
    assert_true(desk_same(from.experiment, to.experiment));
    desk_free(&to);
    to = desk_of(2);
    export_it(false);
    import_it();
    assert_int_equal(oldest_row(), 2);
}

TEST_WITH(a_closed_one_stays_as_it_is, start, end)
{
    sottod_refusal why;
    assert_true(experiment_set_state(from.all, from.experiment, JOURNAL_CLOSED, &why));
    export_it(false);
    import_it();
    assert_int_equal(experiment_state(to.experiment), JOURNAL_CLOSED);
    assert_true(desk_same(from.experiment, to.experiment));
}

static bool count_history(void *self, const journal_history *history)
{
    *(uint64_t *)self += history->learn + 1000 * (uint64_t)history->alarms;
    return true;
}

/* Fields that only a service sets. */
static void set_all(journal_experiment *e)
{
    e->epoch_reports_expected = 5000;
    e->quarantine = e->has_report_key = true;
    memset(e->report_key, 'k', sizeof e->report_key);
}

TEST_WITH(what_is_said_of_an_experiment_comes_along, start, end)
{
    set_all(journal_memory_experiment(from.journal, 1));
    export_it(true);
    import_it();
    const journal_experiment *e =
        journal_memory_experiment(to.journal, experiment_number(to.experiment));
    assert_int_equal(e->epoch_reports_expected, 5000);
    assert_true(e->quarantine);
    assert_true(e->has_report_key);
    assert_memory_equal(e->report_key, "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk", sizeof e->report_key);
}

TEST_WITH(history_comes_along, start, end)
{
    uint64_t learn = 0;
    export_it(false);
    import_it();
    assert_true(
        journal_read_history(to.journal, experiment_number(to.experiment), count_history, &learn));
    assert_int_equal(learn, 12);
}

/* The first row has none. */
TEST_WITH(alarms_come_along, start, end)
{
    uint64_t sum = 0;
    export_it(true);
    set_history((journal_history){.epoch = 1, .publishes = 1, .learn = 12, .alarms = 5});
    import_it();
    assert_true(
        journal_read_history(to.journal, experiment_number(to.experiment), count_history, &sum));
    assert_int_equal(sum, 5012);
}
