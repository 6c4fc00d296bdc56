#include "fleet/check.h"
#include "test.h"

#include <string.h>

static const sotto__check_counts before = {
    .folded = 1000, .late = 10, .duplicate = 5, .conflicting = 1};

static sotto__check after(sotto__check_sent sent, uint64_t folded, uint64_t late,
                          uint64_t duplicate, uint64_t conflicting)
{
    const sotto__check_counts counts = {before.folded + folded, before.late + late,
                                        before.duplicate + duplicate,
                                        before.conflicting + conflicting};
    return sotto__check_by_counts(&sent, &before, &counts);
}

static void assert_fails(sotto__check check, const char *word)
{
    assert_true(check.exact);
    assert_false(check.holds);
    if (strstr(check.text, word) == NULL) fail_msg("\"%s\" does not say \"%s\"", check.text, word);
}

static void a_report_that_was_acknowledged_and_is_not_there_is_lost(void **state)
{
    (void)state;
    assert_fails(after((sotto__check_sent){500, 500, 500}, 499, 0, 0, 0), "1 are lost");
    assert_fails(after((sotto__check_sent){500, 500, 500}, 0, 0, 0, 0), "500 are lost");
    /* A duplicate was there before: it does not stand in for one that is lost. */
    assert_fails(after((sotto__check_sent){500, 500, 520}, 499, 0, 20, 0), "1 are lost");
}

static void more_than_was_sent_comes_from_somewhere_else(void **state)
{
    (void)state;
    assert_fails(after((sotto__check_sent){500, 500, 500}, 501, 0, 0, 0), "somebody else");
    assert_fails(after((sotto__check_sent){500, 500, 500}, 500, 1, 0, 0), "somebody else");
    assert_fails(after((sotto__check_sent){500, 500, 500}, 500, 0, 1, 0), "somebody else");
    assert_fails(after((sotto__check_sent){500, 500, 520}, 501, 0, 0, 0), "somebody else");
    assert_fails(after((sotto__check_sent){500, 500, 520}, 500, 0, 0, 1), "nonce");
}

static void counts_that_went_back_fail(void **state)
{
    (void)state;
    const sotto__check_sent sent = {1, 1, 1};
    const sotto__check_counts fewer = {.folded = 999, .late = 10, .duplicate = 5, .conflicting = 1};
    assert_fails(sotto__check_by_counts(&sent, &before, &fewer), "fewer");
}

static void all_that_was_acknowledged_and_nothing_else_holds(void **state)
{
    (void)state;
    sotto__check check = after((sotto__check_sent){500, 500, 500}, 480, 20, 0, 0);
    assert_true(check.exact);
    assert_true(check.holds);
    assert_non_null(strstr(check.text, "500 acknowledged"));
    assert_non_null(strstr(check.text, "480 folded, 20 late"));
    assert_true(after((sotto__check_sent){0, 0, 0}, 0, 0, 0, 0).holds);
}

static void what_was_sent_again_may_count_as_duplicate_late_or_not_at_all(void **state)
{
    (void)state;
    const sotto__check_sent again = {500, 500, 530};
    assert_true(after(again, 500, 0, 30, 0).holds);
    assert_true(after(again, 500, 30, 0, 0).holds);
    assert_true(after(again, 500, 0, 0, 0).holds);
    assert_fails(after(again, 500, 10, 21, 0), "somebody else");
    /* 20 never got an answer; the server may have some of them. */
    const sotto__check_sent silent = {500, 520, 520};
    assert_true(after(silent, 500, 0, 0, 0).holds);
    assert_true(after(silent, 520, 0, 0, 0).holds);
    assert_fails(after(silent, 521, 0, 0, 0), "somebody else");
}

static void models_say_nothing_before_the_second_publish(void **state)
{
    (void)state;
    const sotto__check_sent sent = {500, 500, 500};
    for (uint64_t publishes = 0; publishes < 2; publishes++) {
        sotto__check check = sotto__check_by_model(&sent, publishes, 0, 100000);
        assert_false(check.exact);
        assert_true(check.holds);
        assert_non_null(strstr(check.text, "weak"));
    }
}

static void models_show_what_they_were_made_of_and_never_more_than_was_sent(void **state)
{
    (void)state;
    const sotto__check_sent sent = {500, 510, 600};
    sotto__check check = sotto__check_by_model(&sent, 2, 1000, 1400);
    assert_true(check.holds);
    assert_non_null(strstr(check.text, "400"));
    assert_true(sotto__check_by_model(&sent, 2, 1000, 1510).holds);
    check = sotto__check_by_model(&sent, 2, 1000, 1511);
    assert_false(check.holds);
    assert_false(check.exact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_report_that_was_acknowledged_and_is_not_there_is_lost),
        cmocka_unit_test(more_than_was_sent_comes_from_somewhere_else),
        cmocka_unit_test(counts_that_went_back_fail),
        cmocka_unit_test(all_that_was_acknowledged_and_nothing_else_holds),
        cmocka_unit_test(what_was_sent_again_may_count_as_duplicate_late_or_not_at_all),
        cmocka_unit_test(models_say_nothing_before_the_second_publish),
        cmocka_unit_test(models_show_what_they_were_made_of_and_never_more_than_was_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
