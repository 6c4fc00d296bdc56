/* The history of publishes. */
#include "journals.h"

static journals test;

FIXTURE(start)
{
    test = journals_new();
    journals_open(&test);
    journals_experiment(&test, "one");
    journals_experiment(&test, "two");
}

FIXTURE(end)
{
    journals_free(&test);
}

/* A publish; a take function below expects these counts and sums of each. */
static journal_history publish_of(uint32_t experiment, uint32_t epoch, uint64_t minute,
                                  uint32_t alarms)
{
    return (journal_history){.experiment = experiment,
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
                             .alarms = alarms};
}

static void add(uint32_t experiment, uint32_t epoch, uint64_t minute)
{
    const journal_history history = publish_of(experiment, epoch, minute, 1u << epoch);
    assert_committed(&test, journal_add_history(test.journal, &history));
}

/* Thins in slices, and returns how many there were. */
static uint32_t thin(uint64_t before)
{
    uint32_t slices = 0;
    for (bool more = true; more; slices++) {
        assert_committed(&test, journal_tidy(test.journal, before, &more));
    }
    return slices;
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

TEST_WITH(history_is_not_changed_outside_of_a_transaction, start, end)
{
    const journal_history history = {.experiment = 1};
    bool more;
    assert_refused(&test, journal_add_history(test.journal, &history), "outside of a transaction");
    assert_refused(&test, journal_tidy(test.journal, 60, &more), "outside of a transaction");
}

TEST_WITH(history_of_no_experiment_is_refused, start, end)
{
    const journal_history history = {.experiment = 3};
    assert_refused_within(&test, journal_add_history(test.journal, &history), "no experiment 3");
}

TEST_WITH(history_comes_back_by_epoch, start, end)
{
    add(1, 2, 70);
    add(2, 1, 71);
    add(1, 1, 65);
    journals_reopen(&test);
    assert_strings(history_of(1).text, "1@65:1 2@70:1 ", history_of(2).text, "1@71:1 ");
}

static journals_text span_of(const journal_span span)
{
    journals_text out = {.text = ""};
    assert_done(&test, journal_read_span(test.journal, &span, take, &out));
    return out;
}

TEST_WITH(a_part_has_epochs_minutes_and_a_limit, start, end)
{
    for (uint32_t i = 1; i <= 6; i++) {
        add(1, i, i == 3 ? 500 : 60 + i); /* the clock jumps, and jumps back */
        add(2, i, 60);
    }
    assert_string_equal(span_of((journal_span){1, 7, 9, 0, 1000, 10}).text, "");
    assert_string_equal(span_of((journal_span){1, 5, 4, 0, 1000, 10}).text, "");
    assert_string_equal(span_of((journal_span){1, 1, 6, 0, 1000, 0}).text, "");
    assert_string_equal(span_of((journal_span){3, 1, 6, 0, 1000, 10}).text, "");
    assert_string_equal(span_of((journal_span){1, 2, 4, 0, 1000, 10}).text,
                        "2@62:1 3@500:1 4@64:1 ");
    assert_string_equal(span_of((journal_span){1, 1, 6, 62, 65, 10}).text, "2@62:1 4@64:1 ");
    assert_string_equal(span_of((journal_span){1, 1, 6, 0, 1000, 2}).text, "1@61:1 2@62:1 ");
    assert_string_equal(span_of((journal_span){1, 4, UINT32_MAX, 0, INT64_MAX, 2}).text,
                        "4@64:1 5@65:1 ");
}

TEST_WITH(an_epoch_that_is_published_again_takes_the_place_of_the_first, start, end)
{
    add(1, 1, 65);
    add(1, 1, 90);
    assert_string_equal(history_of(1).text, "1@90:1 ");
}

TEST_WITH(old_hours_become_one_row_each_and_sums_stay, start, end)
{
    for (uint32_t i = 1; i <= 8; i++) {
        add(1, i, 40 + 10 * i); /* 50 | 60 … 110 | 120 */
    }
    add(2, 1, 61);
    add(2, 2, 62);
    thin(135);
    assert_strings(history_of(1).text, "1@50:1 7@110:6 8@120:1 ", history_of(2).text, "2@62:2 ");
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

TEST_WITH(alarms_of_an_hour_are_all_in_its_row, start, end)
{
    journals_text out = {.text = ""};
    for (uint32_t i = 1; i <= 8; i++) {
        add(1, i, 40 + 10 * i);
    }
    thin(135);
    journals_reopen(&test);
    assert_done(&test, journal_read_history(test.journal, 1, take_alarms, &out));
    assert_string_equal(out.text, "1:2 7:fc 8:100 ");
}

TEST_WITH(an_hour_that_is_not_over_is_left, start, end)
{
    add(1, 1, 60);
    add(1, 2, 61);
    thin(119);
    assert_string_equal(history_of(1).text, "1@60:1 2@61:1 ");
    thin(120);
    assert_string_equal(history_of(1).text, "2@61:2 ");
}

TEST_WITH(a_clock_that_jumps_loses_no_row, start, end)
{
    add(1, 1, 60);
    add(1, 2, 500);
    add(1, 3, 61);
    add(1, 4, 10);
    add(1, 5, 62);
    thin(120);
    assert_string_equal(history_of(1).text, "2@500:1 3@61:2 4@10:1 5@62:1 ");
}

/* So many epochs from this one on, so many in each minute. */
static void add_many(uint32_t experiment, uint32_t epoch, uint32_t count, uint64_t minute,
                     uint32_t per_minute)
{
    assert_done(&test, journal_begin(test.journal));
    for (uint32_t i = 0; i < count; i++) {
        const journal_history history =
            publish_of(experiment, epoch + i, minute + i / per_minute, i == 0);
        assert_done(&test, journal_add_history(test.journal, &history));
    }
    assert_done(&test, journal_commit(test.journal));
}

TEST_WITH(many_hours_are_thinned_in_slices, start, end)
{
    add_many(1, 1, 12000, 60, 50); /* four hours of 3,000 */
    add_many(2, 1, 3, 70, 1);
    assert_true(thin(300) >= 3);
    assert_string_equal(history_of(1).text,
                        "3000@119:3000 6000@179:3000 9000@239:3000 12000@299:3000 ");
    assert_string_equal(history_of(2).text, "3@72:3 ");
    journals_reopen(&test);
    thin(300);
    assert_string_equal(history_of(2).text, "3@72:3 ");
}

/* An hour, and a minute, with more rows than a slice: one row all the same. */
TEST_WITH(an_hour_that_is_longer_than_a_slice_becomes_one_row, start, end)
{
    journals_text out = {.text = ""};
    add_many(1, 1, 9000, 60, 150);
    add_many(1, 9001, 5000, 130, 5000);
    add_many(2, 1, 60, 60, 1);
    assert_true(thin(180) >= 4);
    assert_string_equal(history_of(1).text, "9000@119:9000 14000@130:5000 ");
    assert_string_equal(history_of(2).text, "60@119:60 ");
    assert_done(&test, journal_read_history(test.journal, 1, take_alarms, &out));
    assert_string_equal(out.text, "9000:1 14000:1 ");
}

static bool add_publishes(void *self, const journal_history *h)
{
    *(uint32_t *)self += h->publishes;
    return h->learn == 100 * h->publishes;
}

TEST_WITH(a_clock_that_jumps_loses_no_row_between_slices, start, end)
{
    add_many(1, 1, 3000, 90, 100);
    add_many(1, 3001, 3000, 60, 100);
    add_many(1, 6001, 1, 500, 1);
    add_many(1, 6002, 3000, 75, 100);
    for (int i = 0; i < 2; i++) {
        uint32_t publishes = 0;
        thin(120);
        assert_done(&test, journal_read_history(test.journal, 1, add_publishes, &publishes));
        assert_int_equal(publishes, 9001);
        journals_reopen(&test);
    }
    assert_string_equal(history_of(1).text, "6001@500:1 9001@119:9000 ");
}

TEST_WITH(what_is_abandoned_is_thinned_later, start, end)
{
    bool more;
    add(1, 1, 60);
    add(1, 2, 61);
    assert_done(&test, journal_begin(test.journal));
    assert_done(&test, journal_tidy(test.journal, 120, &more));
    journal_abandon(test.journal);
    assert_string_equal(history_of(1).text, "1@60:1 2@61:1 ");
    thin(120);
    assert_string_equal(history_of(1).text, "2@61:2 ");
}
