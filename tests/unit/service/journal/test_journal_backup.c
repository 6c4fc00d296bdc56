/* A copy of a journal that is in use. */
#include "golden.h"
#include "journals.h"

#include <sys/stat.h>
#include <unistd.h>

static journals test, copy;
static journals_all then, now;
static uint8_t bytes[1 << 20];

static int start(void **state)
{
    (void)state;
    test = journals_new();
    copy = journals_new();
    journals_open(&test);
    journals_fill(&test);
    return 0;
}

static int end(void **state)
{
    (void)state;
    journals_free(&test);
    journals_free(&copy);
    return 0;
}

static void backed_up(void)
{
    if (!journal_backup(test.path, copy.path, copy.fault)) fail_msg("%s", copy.fault);
}

static void refused(const char *from, const char *words)
{
    if (journal_backup(from, copy.path, copy.fault)) fail_msg("was not refused");
    assert_words(copy.fault, words);
}

static void a_folder_that_is_there_is_refused_and_left(void **state)
{
    (void)state;
    char other[FOLDER_PATH_BYTES + 32];
    assert_int_equal(mkdir(copy.path, 0755), 0);
    snprintf(other, sizeof other, "%s/mine", copy.path);
    file_write(other, (const uint8_t *)"x", 1);
    refused(test.path, "name a folder that is not there yet");
    assert_int_equal(file_read(other, bytes, sizeof bytes), 1);
}

static void a_folder_in_no_folder_is_refused(void **state)
{
    (void)state;
    char path[FOLDER_PATH_BYTES + 32];
    snprintf(path, sizeof path, "%s/not/there", copy.home.path);
    assert_false(journal_backup(test.path, path, copy.fault));
    assert_words(copy.fault, "not/there cannot be made");
}

static void a_folder_without_a_journal_has_no_copy(void **state)
{
    (void)state;
    refused(copy.home.path, "journal.sqlite is not there: nothing to read");
    assert_int_equal(folder_count(&copy.home), 0);
    refused("/dev/null", "is not a folder");
    assert_int_equal(folder_count(&copy.home), 0);
}

static void a_damaged_journal_has_no_copy(void **state)
{
    (void)state;
    journals_close(&test);
    journals_change(&test, "UPDATE journal SET late = 77 WHERE seq = 6");
    refused(test.path, "row 6 of experiment 1");
    assert_int_equal(folder_count(&copy.home), 0); /* nothing is left of it */
}

static void the_copy_has_all_and_nobody_else_reads_it(void **state)
{
    (void)state;
    struct stat about;
    journals_read_all(&test, 3, &then);
    backed_up();
    assert_int_equal(stat(copy.path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0700);
    assert_int_equal(stat(copy.file, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    folder inside = copy.home;
    snprintf(inside.path, sizeof inside.path, "%.100s/data", copy.home.path);
    assert_int_equal(folder_count(&inside), 2); /* the journal and the lock */
    journals_open(&copy);
    journals_read_all(&copy, 3, &now);
    assert_string_equal(then.text, now.text);
    assert_int_equal(journals_append(&copy, 1, "next"), 14);
}

static void the_journal_goes_on_and_the_copy_does_not(void **state)
{
    (void)state;
    journals_append(&test, 1, "before");
    backed_up();
    journals_append(&test, 1, "after");
    journals_open(&copy);
    assert_words(journals_rows(&copy, 1, 13).text, "14:1:before ");
    assert_null(strstr(journals_rows(&copy, 1, 13).text, "after"));
    assert_words(journals_rows(&test, 1, 13).text, "15:1:after ");
    assert_done(&test, journal_scrub(test.journal)); /* nobody reads any more */
}

static void what_is_in_a_transaction_is_not_in_the_copy(void **state)
{
    (void)state;
    journals_read_all(&test, 3, &then);
    assert_done(&test, journal_begin(test.journal));
    journals_row(&test, 1, "half", 4);
    backed_up();
    assert_done(&test, journal_commit(test.journal));
    journals_open(&copy);
    journals_read_all(&copy, 3, &now);
    assert_string_equal(then.text, now.text);
}

static void a_copy_of_an_older_format_keeps_it(void **state)
{
    (void)state;
    static uint8_t sql[20000];
    sql[golden_read("journal.sql", sql, sizeof sql - 1)] = '\0';
    journals_close(&test);
    unlink(test.file);
    journals_change(&test, (const char *)sql);
    assert_int_equal(chmod(test.file, 0600), 0);
    backed_up();
    assert_true(file_read(copy.file, bytes, sizeof bytes) > 100);
    assert_int_equal(bytes[63], 1); /* user_version */
    journals_open(&copy);
    journals_read_all(&copy, 3, &now);
    assert_words(now.text, "row 6 1 0 1 0 0 0 0 ");
}

int main(void)
{
#define EACH(test) cmocka_unit_test_setup_teardown(test, start, end)
    const struct CMUnitTest tests[] = {
        EACH(a_folder_that_is_there_is_refused_and_left),
        EACH(a_folder_in_no_folder_is_refused),
        EACH(a_folder_without_a_journal_has_no_copy),
        EACH(a_damaged_journal_has_no_copy),
        EACH(the_copy_has_all_and_nobody_else_reads_it),
        EACH(the_journal_goes_on_and_the_copy_does_not),
        EACH(what_is_in_a_transaction_is_not_in_the_copy),
        EACH(a_copy_of_an_older_format_keeps_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
