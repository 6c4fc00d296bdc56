/* A copy of a journal that is in use. */
#include "golden.h"
#include "journals.h"

#include <sys/stat.h>
#include <unistd.h>

static journals test, copy;
static journals_all then, now;
static uint8_t bytes[1 << 20];

FIXTURE(start)
{
    test = journals_new();
    copy = journals_new();
    journals_open(&test);
    journals_fill(&test);
}

FIXTURE(end)
{
    journals_free(&test);
    journals_free(&copy);
}

static void backed_up(void)
{
    if (journal_backup(test.path, copy.path, &copy.fault) != SOTTO_OK)
        fail_msg("%s", copy.fault.sentence);
}

static void refused(const char *from, const char *words)
{
    if (journal_backup(from, copy.path, &copy.fault) == SOTTO_OK) fail_msg("was not refused");
    assert_words(copy.fault.sentence, words);
}

TEST_WITH(a_directory_that_is_there_is_refused_and_left, start, end)
{
    char other[DIRECTORY_PATH_BYTES + 32];
    assert_int_equal(mkdir(copy.path, 0755), 0);
    snprintf(other, sizeof other, "%s/mine", copy.path);
    file_write(other, (const uint8_t *)"x", 1);
    refused(test.path, "name a directory that does not exist yet");
    assert_int_equal(file_read(other, bytes, sizeof bytes), 1);
}

TEST_WITH(a_directory_in_no_directory_is_refused, start, end)
{
    char path[DIRECTORY_PATH_BYTES + 32];
    snprintf(path, sizeof path, "%s/not/there", copy.home.path);
    assert_status(journal_backup(test.path, path, &copy.fault), SOTTO_E_FAULT);
    assert_words(copy.fault.sentence, "not/there cannot be made");
}

TEST_WITH(a_directory_without_a_journal_has_no_copy, start, end)
{
    refused(copy.home.path, "journal.sqlite does not exist");
    assert_int_equal(directory_count(&copy.home), 0);
    refused("/dev/null", "is not a directory");
    assert_int_equal(directory_count(&copy.home), 0);
}

TEST_WITH(a_damaged_journal_has_no_copy, start, end)
{
    journals_close(&test);
    journals_change(&test, "UPDATE journal SET late = 77 WHERE seq = 6");
    refused(test.path, "row 6 of experiment 1");
    assert_int_equal(directory_count(&copy.home), 0); /* no file of it is left */
}

TEST_WITH(the_copy_has_all_and_nobody_else_reads_it, start, end)
{
    struct stat about;
    journals_read_all(&test, 3, &then);
    backed_up();
    assert_ints(stat(copy.path, &about), 0, about.st_mode & 0777, 0700, stat(copy.file, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    directory inside = copy.home;
    snprintf(inside.path, sizeof inside.path, "%.100s/data", copy.home.path);
    assert_int_equal(directory_count(&inside), 2); /* the journal and the lock */
    journals_open(&copy);
    journals_read_all(&copy, 3, &now);
    assert_string_equal(then.text, now.text);
    assert_int_equal(journals_append(&copy, 1, "next"), 14);
}

TEST_WITH(the_journal_goes_on_and_the_copy_does_not, start, end)
{
    journals_append(&test, 1, "before");
    backed_up();
    journals_append(&test, 1, "after");
    journals_open(&copy);
    assert_words(journals_rows(&copy, 1, 13).text, "14:1:before ");
    assert_null(strstr(journals_rows(&copy, 1, 13).text, "after"));
    assert_words(journals_rows(&test, 1, 13).text, "15:1:after ");
    assert_done(&test, journal_scrub(test.journal)); /* no reader is left */
}

TEST_WITH(what_is_in_a_transaction_is_not_in_the_copy, start, end)
{
    journals_read_all(&test, 3, &then);
    assert_done(&test, journal_begin(test.journal));
    journals_row(&test, 1, "half", 4);
    backed_up();
    assert_done(&test, journal_commit(test.journal));
    journals_open(&copy);
    journals_read_all(&copy, 3, &now);
    assert_string_equal(then.text, now.text);
}
