/* Opening a journal to read, also beside a service. Damage is in test_journal_check.c and
 * test_journal_recover.c. */
#include "journals.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(who_reads_recovers_nothing, start, end),
        cmocka_unit_test_setup_teardown(a_second_service_is_refused, start, end),
        cmocka_unit_test_setup_teardown(a_reader_changes_nothing, start, end),
        cmocka_unit_test_setup_teardown(a_reader_sees_the_moment_when_it_opened, start, end),
        cmocka_unit_test_setup_teardown(a_reader_needs_no_service, start, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
