/* Opening a journal to read, also beside a service. Damage is in test_check.c and
 * test_recover.c. */
#include "golden.h"
#include "journals.h"

#include <sys/stat.h>
#include <unistd.h>

static journals test;

FIXTURE(start)
{
    test = journals_new();
    journals_open(&test);
    journals_experiment(&test, "one");
}

FIXTURE(end)
{
    journals_free(&test);
}

TEST_WITH(who_reads_recovers_nothing, start, end)
{
    journals reader = test;
    const journal_settings settings = {.directory = test.path, .read_only = true, .recover_to = 3};
    assert_status(journal_open(&settings, &reader.journal, &reader.fault), SOTTO_E_FAULT);
    assert_null(reader.journal);
    assert_words(reader.fault.sentence,
                 "--recover-to 3: not allowed for a command that only reads");
}

TEST_WITH(a_second_service_is_refused, start, end)
{
    journals second = test;
    assert_false(journals_try(&second, 0));
    assert_null(second.journal);
    assert_words(second.fault.sentence, test.path);
}

static bool open_to_read(journals *reader)
{
    *reader = test;
    const journal_settings settings = {.directory = test.path, .read_only = true};
    return journal_open(&settings, &reader->journal, &reader->fault) == SOTTO_OK;
}

TEST_WITH(a_reader_changes_nothing, start, end)
{
    journals reader;
    assert_true(open_to_read(&reader));
    assert_refused(&reader, journal_begin(reader.journal), "only for reading");
    assert_refused(&reader, journal_scrub(reader.journal), "only for reading");
    journal_close(reader.journal);
}

TEST_WITH(a_reader_sees_the_moment_when_it_opened, start, end)
{
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

TEST_WITH(a_reader_needs_no_service, start, end)
{
    journals reader;
    journals_append(&test, 1, "a");
    journals_close(&test);
    assert_true(open_to_read(&reader));
    assert_string_equal(journals_rows(&reader, 0, 0).text, "1:1:a ");
    journal_close(reader.journal);
    journals_open(&test);
}
