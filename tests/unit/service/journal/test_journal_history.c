/* The history of publishes. */
#include "journals.h"

static journals test;

static int start(void **state)
{
    (void)state;
    test = journals_new();
    journals_open(&test);
    journals_experiment(&test, "one");
    journals_experiment(&test, "two");
    return 0;
}

static int end(void **state)
{
    (void)state;
    journals_free(&test);
    return 0;
}

static void add(uint32_t experiment, uint32_t epoch, uint64_t minute)
{
    const journal_history history = {.experiment = experiment,
                                     .epoch = epoch,
                                     .minute = minute,
                                     .publishes = 1,
                                     .learn = 100,
                                     .control = 10,
                                     .follow = 20,
                                     .control_sum = -3,
                                     .follow_sum = 5,
                                     .late = 2,
                                     .duplicate = 3,
                                     .conflicting = 4,
                                     .alarms = 1u << epoch};
    assert_done(&test, journal_begin(test.journal));
    assert_done(&test, journal_add_history(test.journal, &history));
    assert_done(&test, journal_commit(test.journal));
}

static void thin(uint64_t before)
{
    assert_done(&test, journal_begin(test.journal));
    assert_done(&test, journal_thin_history(test.journal, before));
    assert_done(&test, journal_commit(test.journal));
}

static bool take(void *self, const journal_history *h)
{
    journals_text *out = self;
    size_t at = strlen(out->text);
    snprintf(out->text + at, sizeof out->text - at, "%u@%llu:%u ", h->epoch,
             (unsigned long long)h->minute, h->publishes);
    int64_t n = h->publishes;
    return h->learn == 100 * h->publishes && h->control == 10 * h->publishes &&
           h->follow == 20 * h->publishes && h->control_sum == -3 * n && h->follow_sum == 5 * n &&
           h->late == 2 * h->publishes && h->duplicate == 3 * h->publishes &&
           h->conflicting == 4 * h->publishes;
}

static journals_text history_of(uint32_t experiment)
{
    journals_text out = {.text = ""};
    assert_done(&test, journal_read_history(test.journal, experiment, take, &out));
    return out;
}

static void history_is_not_changed_outside_of_a_transaction(void **state)
{
    (void)state;
    const journal_history history = {.experiment = 1};
    assert_refused(&test, journal_add_history(test.journal, &history), "outside of a transaction");
    assert_refused(&test, journal_thin_history(test.journal, 60), "outside of a transaction");
}

static void history_of_no_experiment_is_refused(void **state)
{
    (void)state;
    const journal_history history = {.experiment = 3};
    assert_done(&test, journal_begin(test.journal));
    assert_refused(&test, journal_add_history(test.journal, &history), "no experiment 3");
}

static void history_comes_back_by_epoch(void **state)
{
    (void)state;
    add(1, 2, 70);
    add(2, 1, 71);
    add(1, 1, 65);
    journals_reopen(&test);
    assert_string_equal(history_of(1).text, "1@65:1 2@70:1 ");
    assert_string_equal(history_of(2).text, "1@71:1 ");
}

static void an_epoch_that_is_published_again_takes_the_place_of_the_first(void **state)
{
    (void)state;
    add(1, 1, 65);
    add(1, 1, 90);
    assert_string_equal(history_of(1).text, "1@90:1 ");
}

static void old_hours_become_one_row_each_and_sums_stay(void **state)
{
    (void)state;
    for (uint32_t i = 1; i <= 8; i++) {
        add(1, i, 40 + 10 * i); /* 50 | 60 … 110 | 120 */
    }
    add(2, 1, 61);
    add(2, 2, 62);
    thin(135);
    assert_string_equal(history_of(1).text, "1@50:1 7@110:6 8@120:1 ");
    assert_string_equal(history_of(2).text, "2@62:2 ");
    thin(135);
    journals_reopen(&test);
    thin(135);
    assert_string_equal(history_of(1).text, "1@50:1 7@110:6 8@120:1 ");
}

static bool take_alarms(void *self, const journal_history *h)
{
    journals_text *out = self;
    size_t at = strlen(out->text);
    snprintf(out->text + at, sizeof out->text - at, "%u:%x ", h->epoch, h->alarms);
    return true;
}

static void alarms_of_an_hour_are_all_in_its_row(void **state)
{
    (void)state;
    journals_text out = {.text = ""};
    for (uint32_t i = 1; i <= 8; i++) {
        add(1, i, 40 + 10 * i);
    }
    thin(135);
    journals_reopen(&test);
    assert_done(&test, journal_read_history(test.journal, 1, take_alarms, &out));
    assert_string_equal(out.text, "1:2 7:fc 8:100 ");
}

static void an_hour_that_is_not_over_is_left(void **state)
{
    (void)state;
    add(1, 1, 60);
    add(1, 2, 61);
    thin(119);
    assert_string_equal(history_of(1).text, "1@60:1 2@61:1 ");
    thin(120);
    assert_string_equal(history_of(1).text, "2@61:2 ");
}

static void a_clock_that_jumps_loses_no_row(void **state)
{
    (void)state;
    add(1, 1, 60);
    add(1, 2, 500);
    add(1, 3, 61);
    add(1, 4, 10);
    add(1, 5, 62);
    thin(120);
    assert_string_equal(history_of(1).text, "2@500:1 3@61:2 4@10:1 5@62:1 ");
}

static void what_is_abandoned_is_thinned_later(void **state)
{
    (void)state;
    add(1, 1, 60);
    add(1, 2, 61);
    assert_done(&test, journal_begin(test.journal));
    assert_done(&test, journal_thin_history(test.journal, 120));
    journal_abandon(test.journal);
    assert_string_equal(history_of(1).text, "1@60:1 2@61:1 ");
    thin(120);
    assert_string_equal(history_of(1).text, "2@61:2 ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(history_is_not_changed_outside_of_a_transaction, start,
                                        end),
        cmocka_unit_test_setup_teardown(history_of_no_experiment_is_refused, start, end),
        cmocka_unit_test_setup_teardown(history_comes_back_by_epoch, start, end),
        cmocka_unit_test_setup_teardown(
            an_epoch_that_is_published_again_takes_the_place_of_the_first, start, end),
        cmocka_unit_test_setup_teardown(old_hours_become_one_row_each_and_sums_stay, start, end),
        cmocka_unit_test_setup_teardown(alarms_of_an_hour_are_all_in_its_row, start, end),
        cmocka_unit_test_setup_teardown(an_hour_that_is_not_over_is_left, start, end),
        cmocka_unit_test_setup_teardown(a_clock_that_jumps_loses_no_row, start, end),
        cmocka_unit_test_setup_teardown(what_is_abandoned_is_thinned_later, start, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
