/* Alarms ring in order, once, and those that were stopped do not: compared with a plain list over random histories. */
#include "test.h"
#include "transport/alarm.h"

#include <stdlib.h>

#define ALARMS 60u

typedef struct bell {
    sotto__alarm alarm; /* first */
    uint64_t expected;  /* 0: it is not set */
} bell;

static uint64_t last_ms;
static unsigned rung;

static void ring(sotto__alarm *alarm)
{
    bell *one = (bell *)alarm;
    assert_true(one->expected == alarm->at_ms && alarm->at_ms >= last_ms);
    assert_true(alarm->place == SOTTO__ALARM_OFF);
    last_ms = alarm->at_ms;
    one->expected = 0;
    rung++;
}

static uint64_t earliest(const bell *all)
{
    uint64_t first = UINT64_MAX;
    for (unsigned i = 0; i < ALARMS; i++) {
        if (all[i].expected != 0 && all[i].expected < first) first = all[i].expected;
    }
    return first;
}

static void test_no_alarm_is_first_of_none(void **state)
{
    (void)state;
    sotto__alarms alarms = {0};
    assert_null(sotto__alarms_first(&alarms));
    sotto__alarms_ring(&alarms, UINT64_MAX);
    sotto__alarm off = {.place = SOTTO__ALARM_OFF};
    sotto__alarm_stop(&alarms, &off);
    sotto__alarms_free(&alarms);
}

static void test_random_histories_ring_in_order(void **state)
{
    (void)state;
    sotto__alarms alarms = {0};
    bell all[ALARMS];
    unsigned set = 0;
    srand(7);
    assert_ok(sotto__alarms_reserve(&alarms, ALARMS));
    for (unsigned i = 0; i < ALARMS; i++) {
        all[i] = (bell){.alarm = {.place = SOTTO__ALARM_OFF, .ring = ring}};
    }
    rung = 0;
    for (uint64_t now = 1; now < 20000; now++) {
        bell *one = &all[(unsigned)rand() % ALARMS];
        if (rand() % 4 == 0) {
            sotto__alarm_stop(&alarms, &one->alarm);
            one->expected = 0;
        } else {
            one->expected = now + (uint64_t)(rand() % 50);
            sotto__alarm_set(&alarms, &one->alarm, one->expected);
            set++;
        }
        const sotto__alarm *first = sotto__alarms_first(&alarms);
        assert_true((first == NULL ? UINT64_MAX : first->at_ms) == earliest(all));
        last_ms = 0;
        sotto__alarms_ring(&alarms, now);
        assert_true(earliest(all) > now);
    }
    assert_true(rung > 1000 && rung < set);
    sotto__alarms_free(&alarms);
}

static sotto__alarms *again_in;
static void ring_again(sotto__alarm *alarm)
{
    rung++;
    sotto__alarm_set(again_in, alarm, 0);
}

static void test_an_alarm_that_sets_itself_for_now_does_not_ring_for_ever(void **state)
{
    (void)state;
    sotto__alarms alarms = {0};
    sotto__alarm one = {.place = SOTTO__ALARM_OFF, .ring = ring_again};
    again_in = &alarms;
    rung = 0;
    assert_ok(sotto__alarms_reserve(&alarms, 1));
    sotto__alarm_set(&alarms, &one, 5);
    sotto__alarms_ring(&alarms, 4);
    assert_int_equal(rung, 0);
    sotto__alarms_ring(&alarms, 5);
    assert_int_equal(rung, 1);
    sotto__alarms_free(&alarms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_alarm_is_first_of_none),
        cmocka_unit_test(test_random_histories_ring_in_order),
        cmocka_unit_test(test_an_alarm_that_sets_itself_for_now_does_not_ring_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
