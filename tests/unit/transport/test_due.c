/* The time of a wire is that of its steady clock, and room for alarms is there before they are set. */
#include "test.h"
#include "transport/due.h"

static bool memory_is_short;

void *__real_realloc(void *old, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes)
{
    return memory_is_short ? NULL : __real_realloc(old, bytes);
}

static uint64_t steady(void *state)
{
    return *(uint64_t *)state;
}

static uint64_t day(void *state)
{
    (void)state;
    return 7;
}

static void test_now_is_by_the_steady_clock(void **state)
{
    (void)state;
    uint64_t now_ms = 5;
    const sotto_wire wire = {.clock = {day, steady, &now_ms}};
    assert_int_equal(sotto__wire_now_ms(&wire), 5);
    now_ms = 6;
    assert_int_equal(sotto__wire_now_ms(&wire), 6);
}

static void test_as_many_alarms_can_be_set_as_there_was_asked_for(void **state)
{
    (void)state;
    enum { MANY = 100 };
    sotto_wire wire = {0};
    sotto__alarm alarm[MANY];
    for (unsigned i = 0; i < MANY; i++) {
        assert_ok(sotto__wire_add_alarms(&wire, 1));
        alarm[i] = (sotto__alarm){.place = SOTTO__ALARM_OFF};
        sotto__alarm_set(&wire.alarms, &alarm[i], i);
        assert_true(wire.alarms.capacity >= wire.alarms_wanted && wire.alarms_wanted == i + 1);
    }
    sotto__wire_remove_alarms(&wire, MANY);
    assert_int_equal(wire.alarms_wanted, 0);
    sotto__alarms_free(&wire.alarms);
}

static void test_what_cannot_be_had_is_not_counted(void **state)
{
    (void)state;
    sotto_wire wire = {.alarms_wanted = 3};
    memory_is_short = true;
    assert_status(sotto__wire_add_alarms(&wire, 1), SOTTO_E_MEMORY);
    memory_is_short = false;
    assert_int_equal(wire.alarms_wanted, 3);
    sotto__alarms_free(&wire.alarms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_now_is_by_the_steady_clock),
        cmocka_unit_test(test_as_many_alarms_can_be_set_as_there_was_asked_for),
        cmocka_unit_test(test_what_cannot_be_had_is_not_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
