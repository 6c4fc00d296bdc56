/* An experiment from a journal to a file. */
#include "core/bytes.h"
#include "desk.h"
#include "service/archive/archive.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static desk from;
static char fault[JOURNAL_FAULT_BYTES];

static int start(void **state)
{
    (void)state;
    from = desk_of(1);
    const experiment_request request = desk_request();
    desk_create(&from, &request);
    return 0;
}

static int end(void **state)
{
    (void)state;
    desk_free(&from);
    return 0;
}

static bool write_to(FILE *file, bool with_reports)
{
    return archive_write(from.journal, experiment_id(from.experiment), with_reports, file, fault);
}

/* The records of a file, a letter each. */
static const char *kinds_of(FILE *file, char out[256])
{
    static const char letter[] = "?elhr.";
    uint8_t head[12];
    size_t count = 0;
    fseek(file, 8, SEEK_SET);
    while (fread(head, 1, sizeof head, file) == sizeof head && count < 255) {
        out[count++] = letter[sotto__get_u32(head)];
        fseek(file, (long)sotto__get_u64(head + 4), SEEK_CUR);
    }
    out[count] = '\0';
    return out;
}

static void an_experiment_that_is_not_there_is_refused(void **state)
{
    (void)state;
    const uint8_t other[SOTTO_SPEC_ID_BYTES] = {1};
    FILE *file = tmpfile();
    assert_false(archive_write(from.journal, other, true, file, fault));
    assert_string_equal(fault, "there is no such experiment");
    fclose(file);
}

static void a_deleted_experiment_is_refused(void **state)
{
    (void)state;
    sottod_refusal why;
    FILE *file = tmpfile();
    assert_true(experiment_set_state(from.all, from.experiment, JOURNAL_DELETED, &why));
    assert_false(write_to(file, true));
    assert_string_equal(fault, "the experiment was deleted");
    fclose(file);
}

static void a_file_that_cannot_be_written_is_told(void **state)
{
    (void)state;
    FILE *file = fopen("/dev/full", "wb");
    if (file == NULL) skip();
    assert_false(write_to(file, true));
    assert_non_null(strstr(fault, "cannot be written"));
    fclose(file);
}

static void too_few_reports_of_an_open_epoch_are_not_published_by_the_way(void **state)
{
    (void)state;
    FILE *file = tmpfile();
    sottod_refusal why;
    desk_take(&from, 2); /* epoch_reports_min is 3 */
    assert_false(write_to(file, false));
    assert_non_null(strstr(fault, "have 2 reports, fewer than epoch_reports_min 3"));
    assert_true(write_to(file, true));
    assert_true(experiment_set_state(from.all, from.experiment, JOURNAL_CLOSED, &why));
    assert_true(write_to(file, false));
    fclose(file);
}

static void reports_leave_only_if_that_was_said(void **state)
{
    (void)state;
    char kinds[256];
    desk_take(&from, 12);
    assert_true(desk_turn(&from, 2000));
    desk_take(&from, 5);
    FILE *without = tmpfile(), *with = tmpfile();
    assert_true(write_to(without, false));
    assert_string_equal(kinds_of(without, kinds), "elh.");
    assert_true(write_to(with, true));
    assert_string_equal(kinds_of(with, kinds), "elhrrr.");
    fclose(without);
    fclose(with);
}

static void the_learner_is_that_after_all_rows(void **state)
{
    (void)state;
    desk_take(&from, 12);
    assert_true(desk_turn(&from, 2000));
    assert_true(epochs_keep(from.all));
    desk_take(&from, 5); /* after the snapshot */
    FILE *file = tmpfile();
    assert_true(write_to(file, false));
    const sotto_learner *learner = experiment_learner(from.experiment);
    size_t wanted_bytes = sotto_learner_bytes(learner), terms_bytes;
    uint8_t *wanted = malloc(wanted_bytes), *got = malloc(wanted_bytes), head[12];
    assert_ok(sotto_learner_encode(learner, wanted, wanted_bytes));
    experiment_terms_bytes(from.experiment, &terms_bytes);
    fseek(file, 8, SEEK_SET);
    assert_int_equal(fread(head, 1, 12, file), 12);
    fseek(file, (long)sotto__get_u64(head + 4), SEEK_CUR);
    assert_int_equal(fread(head, 1, 12, file), 12);
    assert_int_equal(sotto__get_u32(head), ARCHIVE_LEARNER);
    assert_int_equal(sotto__get_u64(head + 4), ARCHIVE_LEARNER_BYTES + wanted_bytes);
    uint8_t counts[ARCHIVE_LEARNER_BYTES];
    assert_int_equal(fread(counts, 1, sizeof counts, file), sizeof counts);
    assert_int_equal(sotto__get_u64(counts), 17);
    assert_int_equal(fread(got, 1, wanted_bytes, file), wanted_bytes);
    assert_memory_equal(got, wanted, wanted_bytes);
    free(wanted);
    free(got);
    fclose(file);
}

int main(void)
{
#define EACH(test) cmocka_unit_test_setup_teardown(test, start, end)
    const struct CMUnitTest tests[] = {
        EACH(an_experiment_that_is_not_there_is_refused),
        EACH(a_deleted_experiment_is_refused),
        EACH(a_file_that_cannot_be_written_is_told),
        EACH(too_few_reports_of_an_open_epoch_are_not_published_by_the_way),
        EACH(reports_leave_only_if_that_was_said),
        EACH(the_learner_is_that_after_all_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
