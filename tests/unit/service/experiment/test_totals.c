/* Alarms are counted by experiment and test. */
#include "service/experiment/experiment.h"
#include "test.h"

#include <math.h>

static void assert_counted(watch_totals *totals, uint32_t experiment, uint64_t first, uint64_t last)
{
    const watch_total total = totals_look(totals, experiment);
    for (uint32_t t = 0; t < SOTTO__WATCH_TESTS; t++) {
        assert_int_equal(total.epochs[t], t == 0 ? first : t == SOTTO__WATCH_TESTS - 1 ? last : 0);
    }
}

TEST(who_had_none_has_none)
{
    watch_totals totals;
    totals_init(&totals);
    assert_counted(&totals, 1, 0, 0);
    totals_count(&totals, 1, 1);
    assert_counted(&totals, 0, 0, 0);
    assert_counted(&totals, 2, 0, 0);
    totals_free(&totals);
}

TEST(each_test_is_counted_by_itself)
{
    watch_totals totals;
    totals_init(&totals);
    totals_count(&totals, 7, 1);
    totals_count(&totals, 7, 1u << (SOTTO__WATCH_TESTS - 1));
    totals_count(&totals, 7, 1u << (SOTTO__WATCH_TESTS - 1) | 1);
    assert_counted(&totals, 7, 2, 2);
    totals_count(&totals, 7, 1u << SOTTO__WATCH_TESTS); /* not a test of the watch */
    assert_counted(&totals, 7, 2, 2);
    totals_free(&totals);
}

TEST(there_is_room_for_many_experiments)
{
    watch_totals totals;
    totals_init(&totals);
    for (uint32_t turn = 1; turn <= 2; turn++) {
        for (uint32_t i = 0; i < 100; i++) {
            totals_count(&totals, 1000 - i, 1);
        }
        for (uint32_t i = 0; i < 100; i++) {
            assert_counted(&totals, 1000 - i, turn, 0);
        }
    }
    totals_free(&totals);
}

TEST(the_last_age_of_each_stays)
{
    watch_totals totals;
    totals_init(&totals);
    assert_true(isnan(totals_look(&totals, 7).age));
    totals_count(&totals, 7, 1);
    assert_true(isnan(totals_look(&totals, 7).age));
    totals_note_age(&totals, 7, 5.5);
    totals_note_age(&totals, 7, 0.5);
    totals_note_age(&totals, 8, 3);
    assert_true(totals_look(&totals, 7).age == 0.5 && totals_look(&totals, 8).age == 3);
    assert_counted(&totals, 7, 1, 0);
    totals_count(&totals, 9, 1); /* has no age */
    assert_true(totals_look(&totals, TOTALS_ALL).age == 3);
    assert_counted(&totals, TOTALS_ALL, 2, 0);
    totals_free(&totals);
}

TEST(that_too_few_count_is_said_seldom)
{
    watch_totals totals;
    totals_init(&totals);
    assert_true(totals_say(&totals, 7, 5000, 1000));
    assert_false(totals_say(&totals, 7, 5999, 1000));
    assert_true(totals_say(&totals, 8, 5999, 1000));
    assert_true(totals_say(&totals, 7, 6000, 1000));
    assert_false(totals_say(&totals, 7, 6001, 1000));
    assert_true(isnan(totals_look(&totals, TOTALS_ALL).age));
    assert_counted(&totals, TOTALS_ALL, 0, 0);
    totals_free(&totals);
}
