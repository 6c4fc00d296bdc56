/* An experiment from a file to a journal. */
#include "core/bytes.h"
#include "core/digest.h"
#include "desk.h"
#include "golden.h"
#include "service/archive/archive.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static desk from, to;
static FILE *file;
static char fault[JOURNAL_FAULT_BYTES];
static uint8_t id[SOTTO_SPEC_ID_BYTES];

/* One experiment with a closed epoch, and 7 reports of an open one. */
static int start(void **state)
{
    (void)state;
    from = desk_of(1);
    to = desk_of(2);
    file = tmpfile();
    const experiment_request request = desk_request();
    desk_create(&from, &request);
    desk_take(&from, 12);
    assert_true(desk_turn(&from, 2000));
    desk_take(&from, 7);
    return 0;
}

static int end(void **state)
{
    (void)state;
    fclose(file);
    desk_free(&from);
    desk_free(&to);
    return 0;
}

static void export_it(bool with_reports)
{
    assert_true(
        archive_write(from.journal, experiment_id(from.experiment), with_reports, file, fault));
}

/* Imports it, and starts the other service again. */
static void import_it(void)
{
    if (!archive_read(file, to.journal, id, fault)) fail_msg("%s", fault);
    assert_memory_equal(id, experiment_id(from.experiment), sizeof id);
    desk_restart(&to);
    to.experiment = experiments_find(to.all, id);
    assert_non_null(to.experiment);
}

static void refused(const char *words)
{
    assert_false(archive_read(file, to.journal, id, fault));
    if (strstr(fault, words) == NULL) fail_msg("\"%s\" lacks \"%s\"", fault, words);
    desk_restart(&to);
    assert_int_equal(experiments_count(to.all), 0);
}

static size_t file_bytes(uint8_t **out)
{
    fseek(file, 0, SEEK_END);
    size_t bytes = (size_t)ftell(file);
    *out = malloc(bytes);
    rewind(file);
    assert_int_equal(fread(*out, 1, bytes, file), bytes);
    return bytes;
}

static void replace_file(const uint8_t *bytes, size_t count)
{
    fclose(file);
    file = tmpfile();
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fflush(file);
}

static void what_is_no_export_is_refused(void **state)
{
    (void)state;
    refused("the file ends before its content does");
    replace_file((const uint8_t *)"STM1\1\0\0\0 and so on", 18);
    refused("the file is no exported experiment");
    replace_file((const uint8_t *)"STX1\3\0\0\0 and so on", 18);
    refused("version 3; allowed: 1 to 2");
    replace_file((const uint8_t *)"STX1\0\0\0\0 and so on", 18);
    refused("version 0; allowed: 1 to 2");
}

static void a_file_that_is_cut_anywhere_is_refused(void **state)
{
    (void)state;
    uint8_t *bytes;
    export_it(true);
    size_t count = file_bytes(&bytes);
    for (size_t cut = 0; cut < count; cut += cut < 64 || cut + 64 > count ? 1 : 97) {
        replace_file(bytes, cut);
        assert_false(archive_read(file, to.journal, id, fault));
    }
    replace_file(bytes, count);
    free(bytes);
    import_it();
}

static void a_changed_byte_is_refused_wherever_it_is(void **state)
{
    (void)state;
    uint8_t *bytes;
    export_it(true);
    size_t count = file_bytes(&bytes);
    for (size_t at = 0; at < count; at += at < 128 ? 1 : 61) {
        bytes[at] ^= 0x10;
        replace_file(bytes, count);
        assert_false(archive_read(file, to.journal, id, fault));
        bytes[at] ^= 0x10;
    }
    free(bytes);
    desk_restart(&to);
    assert_int_equal(experiments_count(to.all), 0);
}

static void bytes_after_the_end_are_refused(void **state)
{
    (void)state;
    export_it(true);
    fseek(file, 0, SEEK_END);
    fputc('x', file);
    fflush(file);
    refused("goes on after its end");
}

/* Whoever can compute a SHA-256 can write a file that is whole and wrong. */
static void sign_again(uint8_t *bytes, size_t count)
{
    sotto__digest digest;
    sotto__digest_begin(&digest);
    sotto__digest_add(&digest, bytes, count - 12 - SOTTO__DIGEST_BYTES);
    sotto__digest_end(&digest, bytes + count - SOTTO__DIGEST_BYTES);
}

static void a_whole_file_with_a_bad_report_is_refused(void **state)
{
    (void)state;
    uint8_t *bytes;
    export_it(true);
    size_t count = file_bytes(&bytes);
    size_t frame = sotto_report_bytes(experiment_terms(from.experiment));
    bytes[count - 12 - SOTTO__DIGEST_BYTES - frame + 4] ^= 1; /* the spec id of the last frame */
    sign_again(bytes, count);
    replace_file(bytes, count);
    free(bytes);
    refused("has a bad report: the message belongs to another spec");
}

/* Where the content of the nth record of a kind begins; the records are those that archive.h tells. */
static uint8_t *record_of(uint8_t *bytes, size_t count, archive_kind kind, uint32_t nth)
{
    size_t at = 8;
    while (at < count) {
        uint8_t *head = bytes + at;
        at += 12 + (size_t)sotto__get_u64(head + 4);
        if (sotto__get_u32(head) == kind && nth-- == 0) return head + 12;
    }
    fail_msg("no record of kind %d", (int)kind);
    return NULL;
}

static void what_the_service_could_not_start_with_is_refused(void **state)
{
    (void)state;
    static const struct {
        archive_kind kind;
        uint32_t nth, at;
        uint8_t byte;
        const char *words;
    } wrong[] = {
        {ARCHIVE_EXPERIMENT, 0, 0, 9, "the state is none of"},
        {ARCHIVE_EXPERIMENT, 0, 12, 0, "epoch_seconds_min or epoch_reports_min cannot be used"},
        {ARCHIVE_EXPERIMENT, 0, 15, 9, "epoch_seconds_min or epoch_reports_min cannot be used"},
        {ARCHIVE_EXPERIMENT, 0, 20, 9, "epoch_seconds_min or epoch_reports_min cannot be used"},
        {ARCHIVE_EXPERIMENT, 0, 44, 1, "epoch_reports_expected is over 2147483648"},
        {ARCHIVE_EXPERIMENT, 0, 48, 2, "quarantine is neither 0 nor 1"},
        {ARCHIVE_EXPERIMENT, 0, 52, 31, "the record of the experiment has wrong lengths"},
        {ARCHIVE_EXPERIMENT, 0, 52, 32, "the record of the experiment has wrong lengths"},
        {ARCHIVE_HISTORY, 0, 0, 7, "the history of epoch 7 is out of order, or counts more"},
        {ARCHIVE_HISTORY, 0, 63, 0x80, "counts more than there was"}, /* late */
        {ARCHIVE_HISTORY, 0, 64, 1, "counts more than there was"},    /* duplicate */
        {ARCHIVE_HISTORY, 0, 72, 1, "counts more than there was"},    /* conflicting */
        {ARCHIVE_ROW, 0, 0, 3, "of no known kind"},
        {ARCHIVE_ROW, 0, 4, 9, "of an epoch that has not begun"},
        {ARCHIVE_ROW, 0, 4, 1, "row 1 of the file has what its kind cannot have"}, /* epoch */
        {ARCHIVE_ROW, 0, 8, 1, "row 1 of the file has what its kind cannot have"}, /* minute */
        {ARCHIVE_ROW, 0, 0, 1, "row 1 of the file has what its kind cannot have"}, /* a publish */
        {ARCHIVE_ROW, 0, 0, 2, "row 1 of the file has what its kind cannot have"}, /* a discard */
        {ARCHIVE_ROW, 1, 16, 1, "row 2 of the file has what its kind cannot have"},
        {ARCHIVE_ROW, 1, 0, 0, "row 2 of the file has what its kind cannot have"},
    };
    uint8_t *bytes;
    export_it(true);
    size_t count = file_bytes(&bytes);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uint8_t *at = record_of(bytes, count, wrong[i].kind, wrong[i].nth) + wrong[i].at;
        uint8_t right = *at;
        *at = wrong[i].byte;
        sign_again(bytes, count);
        replace_file(bytes, count);
        refused(wrong[i].words);
        *at = right;
    }
    sign_again(bytes, count);
    replace_file(bytes, count);
    free(bytes);
    import_it();
}

static void reports_that_are_not_in_order_or_come_twice_are_refused(void **state)
{
    (void)state;
    uint8_t *bytes, held[256];
    export_it(true);
    size_t count = file_bytes(&bytes),
           frame = sotto_report_bytes(experiment_terms(from.experiment));
    uint8_t *first = record_of(bytes, count, ARCHIVE_ROW, 2) + ARCHIVE_ROW_BYTES;
    assert_in_range(frame, 1, sizeof held);
    memcpy(held, first, frame);
    memcpy(first, first + frame, frame); /* the second one twice */
    sign_again(bytes, count);
    replace_file(bytes, count);
    refused("row 3 of the file has a bad report: it is not in the order of nonces");
    memcpy(first, held, frame);

    /* The last row twice: each is in order. */
    size_t end = 12 + SOTTO__DIGEST_BYTES;
    const uint8_t *row = first - ARCHIVE_ROW_BYTES - 12;
    size_t row_bytes = count - end - (size_t)(row - bytes);
    uint8_t *twice = malloc(count + row_bytes);
    assert_non_null(twice);
    memcpy(twice, bytes, count - end);
    memcpy(twice + count - end, row, row_bytes);
    memcpy(twice + count - end + row_bytes, bytes + count - end, end);
    sign_again(twice, count + row_bytes);
    replace_file(twice, count + row_bytes);
    free(twice);
    free(bytes);
    refused("the file has a report twice");
}

static void labels_that_go_on_after_their_end_are_refused(void **state)
{
    (void)state;
    uint8_t *bytes;
    export_it(true);
    size_t count = file_bytes(&bytes);
    uint8_t *experiment = record_of(bytes, count, ARCHIVE_EXPERIMENT, 0);
    uint32_t labels = sotto__get_u32(experiment + 36);
    uint8_t *last = experiment + sotto__get_u64(experiment - 8) - 1;
    assert_int_equal(labels, strlen(experiment_labels(from.experiment)));
    *last = '\0';
    sign_again(bytes, count);
    replace_file(bytes, count);
    free(bytes);
    refused("the labels are no JSON object of at most 16384 bytes");
}

static void an_experiment_that_is_there_is_refused(void **state)
{
    (void)state;
    sottod_refusal why;
    export_it(true);
    import_it();
    assert_false(archive_read(file, to.journal, id, fault));
    assert_non_null(strstr(fault, "is there already, or was deleted"));
    assert_true(experiment_set_state(to.all, to.experiment, JOURNAL_DELETED, &why));
    assert_false(archive_read(file, to.journal, id, fault));
    assert_non_null(strstr(fault, "is there already, or was deleted"));
}

static void a_journal_that_fails_has_nothing_of_it(void **state)
{
    (void)state;
    export_it(true);
    for (uint32_t calls = 0; calls < 8; calls++) { /* begin, 1 experiment, 1 history, 3 rows, … */
        journal_memory_fail_after(to.journal, calls);
        assert_false(archive_read(file, to.journal, id, fault));
        assert_true(journal_memory_has_failed(to.journal));
        desk_restart(&to);
        assert_int_equal(experiments_count(to.all), 0);
    }
    import_it();
}

static void with_reports_it_goes_on_as_if_it_had_never_moved(void **state)
{
    (void)state;
    sottod_refusal why;
    uint8_t *again = desk_frames(&from, from.experiment, 1);
    assert_true(desk_offer(&from, again, 1, &why));
    desk_commit(&from);
    export_it(true);
    import_it();
    assert_true(desk_same(from.experiment, to.experiment));
    assert_string_equal(experiment_labels(from.experiment), experiment_labels(to.experiment));
    assert_true(desk_offer(&to, again, 1, &why)); /* it was there before */
    desk_commit(&to);
    desk_assert_counts(to.experiment, 20, 0, 1, 0);
    free(again);
    /* The same frames lead both to the same model. */
    uint8_t *frames = desk_frames(&from, from.experiment, 10);
    assert_true(desk_offer(&from, frames, 10, &why));
    assert_true(desk_offer(&to, frames, 10, &why));
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

static void without_reports_all_that_is_on_its_way_is_late(void **state)
{
    (void)state;
    sottod_refusal why;
    uint8_t *on_its_way = desk_frames(&from, from.experiment, 3);
    export_it(false);
    import_it();
    uint32_t lag = experiment_terms(to.experiment)->spec.epoch_lag_max;
    assert_int_equal(experiment_epoch(to.experiment), experiment_epoch(from.experiment) + lag + 1);
    assert_true(desk_offer(&to, on_its_way, 3, &why));
    desk_commit(&to);
    desk_assert_counts(to.experiment, 19, 3, 0, 0);
    free(on_its_way);
}

/* The row from which on the journal has all. */
static uint64_t oldest_row(void)
{
    uint64_t oldest;
    journal_memory_rows(to.journal, experiment_number(to.experiment), &oldest);
    return oldest;
}

static void rows_that_do_not_begin_at_the_start_stand_behind_one_that_was_removed(void **state)
{
    (void)state;
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
    fclose(file);
    file = tmpfile();
    export_it(true);
    import_it();
    assert_int_equal(oldest_row(), 2);
    assert_true(desk_same(from.experiment, to.experiment));
    desk_free(&to);
    to = desk_of(2);
    fclose(file);
    file = tmpfile();
    export_it(false);
    import_it();
    assert_int_equal(oldest_row(), 2);
}

static void a_closed_one_stays_as_it_is(void **state)
{
    (void)state;
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

/* What the file does not need, and the service may set. */
static void set_all(journal_experiment *e)
{
    e->epoch_reports_expected = 5000;
    e->quarantine = e->has_report_key = true;
    memset(e->report_key, 'k', sizeof e->report_key);
}

static void what_is_said_of_an_experiment_comes_along(void **state)
{
    (void)state;
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

static void history_comes_along(void **state)
{
    (void)state;
    uint64_t learn = 0;
    export_it(false);
    import_it();
    assert_true(
        journal_read_history(to.journal, experiment_number(to.experiment), count_history, &learn));
    assert_int_equal(learn, 12);
}

/* The alarms of the first record, which has none. */
static void alarms_come_along(void **state)
{
    (void)state;
    uint8_t *bytes;
    uint64_t sum = 0;
    export_it(true);
    size_t count = file_bytes(&bytes);
    sotto__put_u32(record_of(bytes, count, ARCHIVE_HISTORY, 0) + 80, 5);
    sign_again(bytes, count);
    replace_file(bytes, count);
    free(bytes);
    import_it();
    assert_true(
        journal_read_history(to.journal, experiment_number(to.experiment), count_history, &sum));
    assert_int_equal(sum, 5012);
}

/* As the first program that exported wrote it: 40 people, a publish, 20 more. */
static void a_file_of_version_1_is_read(void **state)
{
    (void)state;
    static uint8_t bytes[100000];
    replace_file(bytes, golden_read("service_1.stx", bytes, sizeof bytes));
    if (!archive_read(file, to.journal, id, fault)) fail_msg("%s", fault);
    desk_restart(&to);
    to.experiment = experiments_find(to.all, id);
    assert_non_null(to.experiment);
    desk_assert_counts(to.experiment, 60, 0, 0, 0);
    assert_int_equal(experiment_epoch(to.experiment), 1);
    const journal_experiment *e = journal_memory_experiment(to.journal, 1);
    assert_false(e->quarantine);
    assert_false(e->has_report_key);
    assert_int_equal(e->epoch_reports_expected, 0);
}

int main(void)
{
#define EACH(test) cmocka_unit_test_setup_teardown(test, start, end)
    const struct CMUnitTest tests[] = {
        EACH(what_is_no_export_is_refused),
        EACH(a_file_that_is_cut_anywhere_is_refused),
        EACH(a_changed_byte_is_refused_wherever_it_is),
        EACH(bytes_after_the_end_are_refused),
        EACH(a_whole_file_with_a_bad_report_is_refused),
        EACH(what_the_service_could_not_start_with_is_refused),
        EACH(reports_that_are_not_in_order_or_come_twice_are_refused),
        EACH(labels_that_go_on_after_their_end_are_refused),
        EACH(an_experiment_that_is_there_is_refused),
        EACH(a_journal_that_fails_has_nothing_of_it),
        EACH(with_reports_it_goes_on_as_if_it_had_never_moved),
        EACH(without_reports_all_that_is_on_its_way_is_late),
        EACH(rows_that_do_not_begin_at_the_start_stand_behind_one_that_was_removed),
        EACH(a_closed_one_stays_as_it_is),
        EACH(history_comes_along),
        EACH(what_is_said_of_an_experiment_comes_along),
        EACH(alarms_come_along),
        EACH(a_file_of_version_1_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
