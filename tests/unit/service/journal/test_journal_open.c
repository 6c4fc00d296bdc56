/* Opening a journal to read, also beside a service. Damage is in test_journal_check.c and
 * test_journal_recover.c. */
#include "golden.h"
#include "journals.h"

#include <sys/stat.h>
#include <unistd.h>

static journals test;

static int start(void **state)
{
    (void)state;
    test = journals_new();
    journals_open(&test);
    journals_experiment(&test, "one");
    return 0;
}

static int end(void **state)
{
    (void)state;
    journals_free(&test);
    return 0;
}

static void who_reads_recovers_nothing(void **state)
{
    (void)state;
    journals reader = test;
    const journal_settings settings = {.folder = test.path, .read_only = true, .recover_to = 3};
    assert_false(journal_open(&settings, &reader.journal, reader.fault));
    assert_null(reader.journal);
    assert_words(reader.fault, "--recover-to 3: who only reads can give up nothing");
}

static void a_second_service_is_refused(void **state)
{
    (void)state;
    journals second = test;
    assert_false(journals_try(&second, 0));
    assert_null(second.journal);
    assert_words(second.fault, test.path);
}

static bool open_to_read(journals *reader)
{
    *reader = test;
    const journal_settings settings = {.folder = test.path, .read_only = true};
    return journal_open(&settings, &reader->journal, reader->fault);
}

static void a_reader_changes_nothing(void **state)
{
    (void)state;
    journals reader;
    assert_true(open_to_read(&reader));
    assert_refused(&reader, journal_begin(reader.journal), "for reading alone");
    assert_refused(&reader, journal_scrub(reader.journal), "for reading alone");
    journal_close(reader.journal);
}

static void a_reader_sees_the_moment_when_it_opened(void **state)
{
    (void)state;
    journals reader;
    journals_append(&test, 1, "a");
    assert_true(open_to_read(&reader));
    journals_append(&test, 1, "b");
    journals_snapshot(&test, 1, 2, "learner");
    journals_remove(&test, 1, 2);
    assert_string_equal(journals_rows(&reader, 0, 0).text, "1:1:a ");
    assert_int_equal(journal_last(reader.journal), 1);
    assert_refused(&test, journal_scrub(test.journal), "another program");
    journal_close(reader.journal);
    assert_done(&test, journal_scrub(test.journal));
    assert_true(open_to_read(&reader));
    assert_string_equal(journals_rows(&reader, 0, 0).text, "");
    journal_close(reader.journal);
}

static void a_reader_needs_no_service(void **state)
{
    (void)state;
    journals reader;
    journals_append(&test, 1, "a");
    journals_close(&test);
    assert_true(open_to_read(&reader));
    assert_string_equal(journals_rows(&reader, 0, 0).text, "1:1:a ");
    journal_close(reader.journal);
    journals_open(&test);
}

/* ---- a journal of an older format */

static uint8_t file_before[1 << 18], file_after[1 << 18];
static journals_all before, after;

/* The rows stand in its log, as a crash leaves them, if `in_log`. */
static void make_format_1(bool in_log)
{
    static uint8_t sql[20000];
    sql[golden_read("journal.sql", sql, sizeof sql - 1)] = '\0';
    char *rows = strstr((char *)sql, "INSERT");
    assert_non_null(rows);
    sqlite3 *data;
    journals_close(&test);
    unlink(test.file);
    assert_int_equal(sqlite3_open(test.file, &data), SQLITE_OK);
    char first = *rows;
    *rows = '\0';
    assert_int_equal(sqlite3_exec(data, (const char *)sql, NULL, NULL, NULL), SQLITE_OK);
    *rows = first;
    sqlite3_db_config(data, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    assert_int_equal(sqlite3_exec(data, "PRAGMA journal_mode=WAL", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(data, rows, NULL, NULL, NULL), SQLITE_OK);
    if (!in_log) sqlite3_wal_checkpoint_v2(data, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    assert_int_equal(sqlite3_close(data), SQLITE_OK);
    assert_int_equal(chmod(test.file, 0600), 0);
}

static uint32_t format_of_file(void)
{
    assert_true(file_read(test.file, file_after, sizeof file_after) > 100);
    return file_after[63];
}

static void read_beside(journals_all *out)
{
    journals reader;
    if (!open_to_read(&reader)) fail_msg("%s", reader.fault);
    journals_read_all(&reader, 3, out);
    journal_close(reader.journal);
}

static void an_older_format_is_read_without_a_change(void **state)
{
    (void)state;
    make_format_1(false);
    size_t bytes = file_read(test.file, file_before, sizeof file_before);
    read_beside(&before);
    assert_words(before.text, "history 1 1 29388301 1 100 10 20 -3 5 2 3 4 0");
    assert_words(before.text, "last 9");
    assert_int_equal(file_read(test.file, file_after, sizeof file_after), bytes);
    assert_memory_equal(file_before, file_after, bytes);
    assert_int_equal(format_of_file(), 1);
}

static void a_service_gives_it_the_format_of_today_with_all_that_is_in_it(void **state)
{
    (void)state;
    for (int in_log = 0; in_log < 2; in_log++) {
        make_format_1(in_log != 0);
        read_beside(&before);
        assert_int_equal(format_of_file(), 1);
        journals_open(&test);
        assert_int_equal(format_of_file(), 2);
        journals_read_all(&test, 3, &after);
        assert_string_equal(before.text, after.text);
        assert_int_equal(journals_append(&test, 1, "next"), 10);
        assert_done(&test, journal_begin(test.journal));
        assert_done(&test, journal_set_quarantine(test.journal, 1, true));
        assert_done(&test, journal_commit(test.journal));
        journals_reopen(&test);
        journals_read_all(&test, 3, &after);
        assert_words(after.text, "experiment 1 one 0 29388299 60 20 0 1 0");
        assert_words(after.text, "last 10");
        journals_close(&test);
        char unborn[FOLDER_PATH_BYTES + 64];
        snprintf(unborn, sizeof unborn, "%s.new", test.file);
        assert_int_equal(access(unborn, F_OK), -1);
    }
}

static void damage_in_an_older_format_is_refused_and_left(void **state)
{
    (void)state;
    make_format_1(false);
    journals_change(&test, "UPDATE history SET learn = 7");
    size_t bytes = file_read(test.file, file_before, sizeof file_before);
    assert_false(journals_try(&test, 0));
    assert_words(test.fault, "the history of experiment 1 at epoch 1");
    assert_int_equal(file_read(test.file, file_after, sizeof file_after), bytes);
    assert_memory_equal(file_before, file_after, bytes);
    if (!journals_try(&test, 6)) fail_msg("%s", test.fault);
    journals_read_all(&test, 3, &after);
    assert_null(strstr(after.text, "history 1"));
    assert_words(after.text, "row 6 1 0 1 0 0 0 0 ");
    assert_int_equal(format_of_file(), 2);
}

static void an_upgrade_is_refused_while_another_program_reads(void **state)
{
    (void)state;
    journals reader;
    make_format_1(true);
    assert_true(open_to_read(&reader));
    assert_false(journals_try(&test, 0));
    assert_words(test.fault, "another program is using it");
    journals_all beside;
    journals_read_all(&reader, 3, &beside);
    journal_close(reader.journal);
    journals_open(&test);
    journals_read_all(&test, 3, &after);
    assert_string_equal(beside.text, after.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(who_reads_recovers_nothing, start, end),
        cmocka_unit_test_setup_teardown(a_second_service_is_refused, start, end),
        cmocka_unit_test_setup_teardown(a_reader_changes_nothing, start, end),
        cmocka_unit_test_setup_teardown(a_reader_sees_the_moment_when_it_opened, start, end),
        cmocka_unit_test_setup_teardown(a_reader_needs_no_service, start, end),
        cmocka_unit_test_setup_teardown(an_older_format_is_read_without_a_change, start, end),
        cmocka_unit_test_setup_teardown(
            a_service_gives_it_the_format_of_today_with_all_that_is_in_it, start, end),
        cmocka_unit_test_setup_teardown(damage_in_an_older_format_is_refused_and_left, start, end),
        cmocka_unit_test_setup_teardown(an_upgrade_is_refused_while_another_program_reads, start,
                                        end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
