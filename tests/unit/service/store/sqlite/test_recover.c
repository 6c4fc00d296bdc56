/* Giving up rows after damage: only on request, with a copy, and never more rows than announced. */
#include "journals.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static journals test;
static journals_all before, after;
static uint8_t damaged[1 << 20], content[1 << 20];

FIXTURE(start)
{
    test = journals_new();
    journals_open(&test);
    journals_fill(&test);
    journals_read_all(&test, 3, &before);
    journals_close(&test);
}

FIXTURE(end)
{
    journals_free(&test);
}

/* Numbers of the rows of an experiment. */
static bool take_number(void *self, const journal_row *row)
{
    journals_text *out = self;
    size_t at = strlen(out->text);
    snprintf(out->text + at, sizeof out->text - at, "%llu ", (unsigned long long)row->seq);
    return true;
}

static journals_text numbers(uint32_t experiment)
{
    journals_text out = {.text = ""};
    assert_done(&test, journal_read_rows(test.journal, experiment, 0, take_number, &out));
    return out;
}

static bool take_epoch(void *self, const journal_history *history)
{
    journals_text *out = self;
    size_t at = strlen(out->text);
    snprintf(out->text + at, sizeof out->text - at, "%u ", history->epoch);
    return true;
}

static journals_text epochs(uint32_t experiment)
{
    journals_text out = {.text = ""};
    assert_done(&test, journal_read_history(test.journal, experiment, take_epoch, &out));
    return out;
}

static void recover(uint64_t to)
{
    if (!journals_try(&test, to)) fail_msg("%s", test.fault.sentence);
}

static void assert_copy(const char *name, size_t bytes)
{
    char path[sizeof test.path + 64];
    struct stat about;
    snprintf(path, sizeof path, "%s/%s", test.path, name);
    assert_int_equal(file_read(path, content, sizeof content), bytes);
    assert_memory_equal(content, damaged, bytes);
    assert_ints(stat(path, &about), 0, about.st_mode & 0777, 0600);
}

/* ---- refused */

TEST_WITH(nothing_is_given_up_of_a_sound_journal, start, end)
{
    assert_false(journals_try(&test, 5));
    assert_words(test.fault.sentence, "--recover-to 5");
    assert_words(test.fault.sentence, "is not damaged");
    journals_open(&test);
    journals_read_all(&test, 3, &after);
    assert_string_equal(before.text, after.text);
}

TEST_WITH(rows_that_are_damaged_cannot_be_kept, start, end)
{
    journals_change(&test, "UPDATE journal SET late = 9 WHERE seq = 9");
    assert_false(journals_try(&test, 9));
    assert_words(test.fault.sentence, "--recover-to 9");
    assert_words(test.fault.sentence, "allowed 1 to 8");
    assert_false(journals_try(&test, 0));
}

TEST_WITH(what_rows_cannot_bring_back_is_not_recovered, start, end)
{
    journals_change(&test, "UPDATE snapshot SET learner = x'00'");
    assert_false(journals_try(&test, 3));
    assert_words(test.fault.sentence, "there is no other repair");
}

TEST_WITH(a_reader_gives_up_nothing, start, end)
{
    const journal_settings settings = {.directory = test.path, .read_only = true, .recover_to = 3};
    assert_status(journal_open(&settings, &test.journal, &test.fault), SOTTO_E_FAULT);
    assert_words(test.fault.sentence, "not allowed for a command that only reads");
}

TEST_WITH(when_the_new_file_cannot_be_made_the_old_one_stays, start, end)
{
    char path[sizeof test.path + 64];
    journals_change(&test, "UPDATE journal SET late = 9 WHERE seq = 9");
    snprintf(path, sizeof path, "%s/journal.sqlite.new", test.path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(journals_try(&test, 8));
    rmdir(path);
    assert_false(journals_try(&test, 0));
    assert_words(test.fault.sentence, "row 9 of experiment 1");
}

TEST_WITH(without_a_copy_nothing_is_given_up, start, end)
{
    struct rlimit limit, small;
    journals_open(&test);
    journals_append_bytes(&test, 2, content, 200000);
    journals_close(&test);
    journals_change(&test, "UPDATE journal SET late = 9 WHERE seq = 9");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = limit;
    small.rlim_cur = 100000; /* the disk is full there */
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    bool recovered = journals_try(&test, 8);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_false(recovered);
    assert_words(test.fault.sentence, "nothing without this copy");
    assert_false(journals_try(&test, 0));
    assert_words(test.fault.sentence, "row 9 of experiment 1");
}

/* ---- what is kept */

TEST_WITH(only_rows_of_the_damaged_experiment_go, start, end)
{
    journals_change(&test, "UPDATE journal SET late = 9 WHERE seq = 9");
    size_t bytes = file_read(test.file, damaged, sizeof damaged);
    recover(8);
    assert_strings(numbers(1).text, "4 6 ", numbers(2).text, "1 3 5 7 10 12 ");
    assert_copy("journal.before-recovery-1", bytes);
    journals_reopen(&test);
    assert_ints(journal_last(test.journal), 13, journals_append(&test, 1, "new"), 14);
    journals_reopen(&test);
    assert_string_equal(numbers(1).text, "4 6 14 ");
}

TEST_WITH(more_may_be_given_up_than_must, start, end)
{
    journals_change(&test, "UPDATE journal SET late = 9 WHERE seq = 9");
    recover(1);
    assert_string_equal(numbers(1).text, "");
    assert_string_equal(epochs(1).text, "1 "); /* row 4, which the snapshot has */
    assert_string_equal(numbers(2).text, "1 3 5 7 10 12 ");
    assert_int_equal(journals_append(&test, 1, "new"), 14);
    journals_reopen(&test);
}

/* Epochs 0 to 2 were published by experiment 1 at rows (none), 4, 9 and 13, by 2 at 1, 5 and 10. */
TEST_WITH(publishes_that_are_given_up_leave_the_history, start, end)
{
    journals_change(&test, "UPDATE journal SET late = 9 WHERE seq = 9");
    recover(8);
    assert_strings(epochs(1).text, "1 ", epochs(2).text, "0 1 2 ");
}

TEST_WITH(a_second_recovery_keeps_a_second_copy, start, end)
{
    journals_change(&test, "UPDATE journal SET late = 9 WHERE seq = 9");
    recover(8);
    journals_close(&test);
    journals_change(&test, "UPDATE journal SET late = 9 WHERE seq = 5");
    size_t bytes = file_read(test.file, damaged, sizeof damaged);
    recover(4);
    assert_copy("journal.before-recovery-2", bytes);
    assert_strings(numbers(1).text, "4 6 ", numbers(2).text, "1 3 ");
    journals_reopen(&test);
    assert_int_equal(journals_append(&test, 2, "new"), 14);
}

TEST_WITH(a_snapshot_that_rows_can_replace_is_left_out, start, end)
{
    bool found = true;
    journals_open(&test);
    journals_snapshot(&test, 2, 7, "learner of two");
    journals_close(&test);
    journals_change(&test, "UPDATE snapshot SET learner = x'00' WHERE experiment = 2");
    assert_false(journals_try(&test, 0));
    assert_words(test.fault.sentence, "experiment 2, its snapshot");
    recover(13);
    assert_string_equal(numbers(2).text, "1 3 5 7 10 12 ");
    assert_done(&test, journal_read_snapshot(test.journal, 2, NULL, NULL, &found));
    assert_false(found);
}

TEST_WITH(history_that_is_damaged_is_left_out, start, end)
{
    journals_change(&test, "UPDATE history SET late = 9 WHERE experiment = 2 AND epoch = 1");
    recover(13);
    assert_strings(epochs(2).text, "0 2 ", numbers(0).text, "1 3 4 5 6 7 9 10 11 12 13 ");
}

TEST_WITH(an_index_that_is_damaged_is_made_again, start, end)
{
    sqlite3 *data;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open(test.file, &data), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(data,
                                        "SELECT rootpage FROM sqlite_schema "
                                        "WHERE name = 'journal_by_experiment'",
                                        -1, &statement, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    size_t page = (size_t)sqlite3_column_int(statement, 0) - 1;
    sqlite3_finalize(statement);
    sqlite3_close(data);
    size_t bytes = file_read(test.file, damaged, sizeof damaged);
    damaged[page * 4096 + 4095] ^= 1; /* the number of a row, in the first entry */
    file_write(test.file, damaged, bytes);
    assert_false(journals_try(&test, 0));
    assert_words(test.fault.sentence, "its structure");
    recover(13);
    journals_read_all(&test, 3, &after);
    assert_string_equal(before.text, after.text);
    assert_copy("journal.before-recovery-1", bytes);
}

/* Many rows in many pages; one of the pages cannot be read. */
TEST_WITH(rows_before_a_page_that_cannot_be_read_are_kept, start, end)
{
    char frames[801];
    memset(frames, 'x', 800);
    frames[800] = '\0';
    journals_open(&test);
    for (int i = 0; i < 60; i++) {
        journals_append(&test, 2, frames);
    }
    journals_append(&test, 1, "late"); /* row 74 */
    journals_close(&test);
    size_t bytes = file_read(test.file, damaged, sizeof damaged), pages = 0;
    for (size_t at = 4096; at < bytes; at += 4096) {
        if (damaged[at] != 13 || memcmp(damaged + at + 4000, frames, 64) != 0) continue;
        if (++pages == 6) memset(damaged + at, 0, 4096);
    }
    assert_true(pages > 10);
    file_write(test.file, damaged, bytes);
    assert_false(journals_try(&test, 0));
    const char *hint = strstr(test.fault.sentence, "--recover-to ");
    assert_non_null(hint);
    uint64_t last = strtoull(hint + strlen("--recover-to "), NULL, 10);
    assert_in_range(last, 20, 60);
    recover(last);
    journals_reopen(&test);
    journals_text kept = numbers(2);
    assert_int_equal(strtoull(strrchr(kept.text, ' ') - 2, NULL, 10), last);
    assert_string_equal(numbers(1).text, "4 6 9 11 13 ");
    assert_int_equal(journals_append(&test, 1, "new"), 75);
}
