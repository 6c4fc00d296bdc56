/* Time: alarms, waits between tries, and how long a report still waits. */
#include "test.h"
#include "transport/transport.h"

#include <stdlib.h>

/* Alarms ring in order, once, and those that were stopped do not: compared with a plain list over random histories. */

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

TEST(no_alarm_is_first_of_none)
{
    sotto__alarms alarms = {0};
    assert_null(sotto__alarms_first(&alarms));
    sotto__alarms_ring(&alarms, UINT64_MAX);
    sotto__alarm off = {.place = SOTTO__ALARM_OFF};
    sotto__alarm_stop(&alarms, &off);
    sotto__alarms_free(&alarms);
}

TEST(random_histories_ring_in_order)
{
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

TEST(an_alarm_that_sets_itself_for_now_does_not_ring_for_ever)
{
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

/* Waits double up to a day, are never shorter than the server asks, and have a random part of at most half. */

static uint8_t byte; /* what the rng gives next */
static sotto_status entropy;

static sotto_status fill(sotto_rng *rng, void *out, size_t bytes)
{
    (void)rng;
    for (size_t i = 0; i < bytes; i++) {
        ((uint8_t *)out)[i] = byte;
    }
    byte = (uint8_t)(7 * byte); /* what is drawn again is another number */
    return entropy;
}

static sotto_rng rng = {fill};

TEST(waits_double_up_to_a_day)
{
    sotto__backoff backoff = {0};
    entropy = SOTTO_OK, byte = 0;
    uint64_t expected = 1000;
    for (int i = 0; i < 40; i++) {
        assert_int_equal(sotto__backoff_next(&backoff, 1000, 0, &rng), expected);
        expected = 2 * expected < SOTTO__BACKOFF_MAX_MS ? 2 * expected : SOTTO__BACKOFF_MAX_MS;
    }
    sotto__backoff_reset(&backoff);
    assert_int_equal(sotto__backoff_next(&backoff, 60000, 0, &rng), 60000);
}

TEST(the_server_can_ask_for_longer_and_not_for_ever)
{
    sotto__backoff backoff = {0};
    entropy = SOTTO_OK, byte = 0;
    assert_int_equal(sotto__backoff_next(&backoff, 1000, 30000, &rng), 30000);
    assert_int_equal(sotto__backoff_next(&backoff, 1000, 5, &rng), 60000);
    assert_int_equal(sotto__backoff_next(&backoff, 1000, UINT64_MAX, &rng), SOTTO__BACKOFF_MAX_MS);
}

TEST(the_random_part_is_at_most_half)
{
    uint64_t least = UINT64_MAX, most = 0;
    entropy = SOTTO_OK;
    for (unsigned i = 0; i < 256; i++) {
        sotto__backoff backoff = {0};
        byte = (uint8_t)i;
        uint64_t wait = sotto__backoff_next(&backoff, 1000, 0, &rng);
        if (wait < least) least = wait;
        if (wait > most) most = wait;
    }
    assert_true(least < 1050 && least >= 1000);
    assert_true(most > 1450 && most <= 1500);
}

TEST(without_randomness_it_waits_all_the_same)
{
    sotto__backoff backoff = {0};
    entropy = SOTTO_E_ENTROPY;
    assert_int_equal(sotto__backoff_next(&backoff, 1000, 0, &rng), 1000);
}

/* How long a report still waits, whatever people do to the time of day. */

TEST(a_time_that_is_not_known_is_now)
{
    assert_ints(sotto__clock_left_ms(1000, 0, 0), 0, sotto__clock_left_ms(1000, 0, 5000), 0);
}

TEST(a_time_that_is_over_is_now)
{
    assert_int_equal(sotto__clock_left_ms(5000, 1000, 5000), 0);
    assert_int_equal(sotto__clock_left_ms(UINT64_MAX, 1000, 5000), 0);
}

TEST(a_time_to_come_is_waited_for)
{
    assert_int_equal(sotto__clock_left_ms(1000, 1000, 5000), 4000);
    assert_int_equal(sotto__clock_left_ms(4999, 1000, 5000), 1);
}

TEST(a_clock_that_went_back_costs_the_whole_wait_and_no_more)
{
    assert_int_equal(sotto__clock_left_ms(999, 1000, 5000), 4000);
    assert_int_equal(sotto__clock_left_ms(0, 1000, 5000), 4000);
}

TEST(the_clocks_of_the_system_go)
{
    sotto__clock clock = sotto__clock_system();
    assert_true(clock.day_ms(clock.state) > UINT64_C(1600000000000));
    uint64_t before = clock.steady_ms(clock.state);
    assert_true(clock.steady_ms(clock.state) >= before);
}

/* The time of a wire is that of its steady clock, and room for alarms is there before they are set. */

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

TEST(now_is_by_the_steady_clock)
{
    uint64_t now_ms = 5;
    const sotto_wire wire = {.clock = {day, steady, &now_ms}};
    assert_int_equal(sotto__wire_now_ms(&wire), 5);
    now_ms = 6;
    assert_int_equal(sotto__wire_now_ms(&wire), 6);
}

TEST(as_many_alarms_can_be_set_as_there_was_asked_for)
{
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

TEST(what_cannot_be_had_is_not_counted)
{
    sotto_wire wire = {.alarms_wanted = 3};
    memory_is_short = true;
    assert_status(sotto__wire_add_alarms(&wire, 1), SOTTO_E_MEMORY);
    memory_is_short = false;
    assert_int_equal(wire.alarms_wanted, 3);
    sotto__alarms_free(&wire.alarms);
}
