/* Alarms are counted by experiment and test. */
#include "service/folder/alarms.h"
#include "test.h"

#include <math.h>

static void assert_counted(folder_alarms *alarms, uint32_t experiment, uint64_t first,
                           uint64_t last)
{
    uint64_t epochs[SOTTO__WATCH_TESTS];
    folder_alarms_look(alarms, experiment, epochs);
    for (uint32_t t = 0; t < SOTTO__WATCH_TESTS; t++) {
        assert_int_equal(epochs[t], t == 0 ? first : t == SOTTO__WATCH_TESTS - 1 ? last : 0);
    }
}

static void who_had_none_has_none(void **state)
{
    (void)state;
    folder_alarms alarms;
    folder_alarms_init(&alarms);
    assert_counted(&alarms, 1, 0, 0);
    folder_alarms_count(&alarms, 1, 1);
    assert_counted(&alarms, 0, 0, 0);
    assert_counted(&alarms, 2, 0, 0);
    folder_alarms_free(&alarms);
}

static void each_test_is_counted_by_itself(void **state)
{
    (void)state;
    folder_alarms alarms;
    folder_alarms_init(&alarms);
    folder_alarms_count(&alarms, 7, 1);
    folder_alarms_count(&alarms, 7, 1u << (SOTTO__WATCH_TESTS - 1));
    folder_alarms_count(&alarms, 7, 1u << (SOTTO__WATCH_TESTS - 1) | 1);
    assert_counted(&alarms, 7, 2, 2);
    folder_alarms_count(&alarms, 7, 1u << SOTTO__WATCH_TESTS); /* no test of ours */
    assert_counted(&alarms, 7, 2, 2);
    folder_alarms_free(&alarms);
}

static void there_is_room_for_many_experiments(void **state)
{
    (void)state;
    folder_alarms alarms;
    folder_alarms_init(&alarms);
    for (uint32_t turn = 1; turn <= 2; turn++) {
        for (uint32_t i = 0; i < 100; i++) {
            folder_alarms_count(&alarms, 1000 - i, 1);
        }
        for (uint32_t i = 0; i < 100; i++) {
            assert_counted(&alarms, 1000 - i, turn, 0);
        }
    }
    assert_int_equal(alarms.count, 100);
    folder_alarms_free(&alarms);
}

static void the_last_age_of_each_stays(void **state)
{
    (void)state;
    folder_alarms alarms;
    folder_alarms_init(&alarms);
    assert_true(isnan(folder_alarms_age(&alarms, 7)));
    folder_alarms_count(&alarms, 7, 1);
    assert_true(isnan(folder_alarms_age(&alarms, 7)));
    folder_alarms_note_age(&alarms, 7, 5.5);
    folder_alarms_note_age(&alarms, 7, 0.5);
    folder_alarms_note_age(&alarms, 8, 3);
    assert_true(folder_alarms_age(&alarms, 7) == 0.5 && folder_alarms_age(&alarms, 8) == 3);
    assert_counted(&alarms, 7, 1, 0);
    folder_alarms_free(&alarms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_had_none_has_none),
        cmocka_unit_test(each_test_is_counted_by_itself),
        cmocka_unit_test(there_is_room_for_many_experiments),
        cmocka_unit_test(the_last_age_of_each_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
