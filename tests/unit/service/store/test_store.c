/* What store.c implements itself. The tests of both stores call its other functions. */
#include "service/store/store.h"
#include "test.h"

TEST(a_journal_that_was_never_opened_can_be_closed)
{
    journal_close(NULL);
}

TEST(an_unknown_state_has_no_name)
{
    assert_string_equal(journal_state_name(JOURNAL_OPEN), "open");
    assert_string_equal(journal_state_name(JOURNAL_DELETED), "deleted");
    assert_null(journal_state_name((journal_state)(JOURNAL_DELETED + 1)));
}

TEST(a_store_of_one_process_has_no_news_of_others)
{
    static const journal_table alone = {.publishes_here = true};
    sottod_journal journal = {&alone};
    const uint32_t number = 3;
    uint32_t changed = 4;
    uint64_t reports = 5;
    bool held = false;
    assert_true(journal_read_waiting(&journal, &number, 1, &reports));
    assert_int_equal(reports, 0);
    assert_true(journal_decide(&journal, 3, 1, JOURNAL_PUBLISH, &held));
    assert_true(held);
    assert_int_equal(journal_fd(&journal), -1);
    assert_false(journal_changed(&journal));
    assert_false(journal_changed_one(&journal, &changed));
    assert_int_equal(journal_session(&journal), 0);
}
