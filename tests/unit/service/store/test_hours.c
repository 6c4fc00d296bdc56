/* Rows of history grouped by hour. */
#include "service/store/store.h"
#include "test.h"

#include <math.h>

static journal_history row(uint32_t experiment, uint32_t epoch, uint64_t minute)
{
    return (journal_history){.experiment = experiment,
                             .epoch = epoch,
                             .minute = minute,
                             .publishes = 1,
                             .learn = 2,
                             .control = 3,
                             .follow = 4,
                             .control_sum = -5,
                             .follow_sum = 6,
                             .late = 7,
                             .duplicate = 8,
                             .conflicting = 9,
                             .alarms = 1u << epoch};
}

static void gather(journal_hours *hours, uint32_t experiment, uint32_t epoch, uint64_t minute)
{
    const journal_history one = row(experiment, epoch, minute);
    assert_true(journal_hours_gather(hours, &one));
}

TEST(an_hour_begins_at_its_first_minute)
{
    assert_ints(journal_hour_start(0), 0, journal_hour_start(59), 0, journal_hour_start(60), 60);
    assert_int_equal(journal_hour_start(179), 120);
}

TEST(an_age_stands_beside_the_tests)
{
    assert_ints(journal_alarms(5, NAN), 5, journal_alarms(5, -1), 5);
    assert_int_equal(journal_alarms(UINT32_MAX, 0), 0xffff);
    assert_true(journal_age(journal_alarms(5, INFINITY)) == 65535 / 256.0);
    assert_true(journal_age(31) == 0); /* a row of before */
    assert_int_equal(journal_alarms(5, 1), 1u << 24 | 5);
    for (double age = 0; age <= 16; age += 0.1) {
        assert_near(journal_age(journal_alarms(0xffff, age)), age, 1 / 512.0);
    }
}

TEST(the_largest_age_of_an_hour_stays)
{
    static const double ages[] = {1.5, 4.25, 0};
    HELD(journal_hours) hours = {.count = 0};
    for (uint32_t i = 0; i < 3; i++) {
        journal_history one = row(1, i + 1, 60);
        one.alarms = journal_alarms(one.alarms, ages[i]);
        assert_true(journal_hours_gather(&hours, &one));
    }
    assert_int_equal(hours.at[0].sum.alarms & 0xffff, 14);
    assert_true(journal_age(hours.at[0].sum.alarms) == 4.25);
}

TEST(rows_of_one_hour_add_up)
{
    HELD(journal_hours) hours = {.count = 0};
    gather(&hours, 1, 1, 119);
    gather(&hours, 1, 2, 60); /* the clock went back: the later minute is kept */
    gather(&hours, 1, 3, 61);
    assert_int_equal(hours.count, 1);
    const journal_hour *one = &hours.at[0];
    assert_ints(one->rows, 3, one->first_epoch, 1, one->sum.epoch, 3, one->sum.minute, 119);
    assert_ints(one->sum.publishes, 3, one->sum.learn, 6, one->sum.control, 9, one->sum.follow, 12);
    assert_ints(one->sum.control_sum, -15, one->sum.follow_sum, 18, one->sum.late, 21);
    assert_ints(one->sum.duplicate, 24, one->sum.conflicting, 27, one->sum.alarms, 14);
}

TEST(other_hours_and_other_experiments_stand_by_themselves)
{
    journal_hours hours = {.count = 0};
    gather(&hours, 1, 1, 60);
    gather(&hours, 1, 2, 120);
    gather(&hours, 1, 3, 61); /* of the first hour, but not next to its other rows */
    gather(&hours, 2, 4, 62);
    assert_int_equal(hours.count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_ints(hours.at[i].rows, 1, hours.at[i].first_epoch, i + 1);
    }
    for (uint32_t i = 0; i < 1000; i++) {
        gather(&hours, 3, i % 8, 60 * i);
    }
    assert_int_equal(hours.count, 1004);
    assert_false(hours.no_memory);
    journal_hours_free(&hours);
    assert_int_equal(hours.count, 0);
}
