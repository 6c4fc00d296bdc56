/* Reports on their way: when they arrive, in which order, and how many there is room for. */
#include "lab/run/flight.h"
#include "scenes.h"
#include "test.h"

#include <string.h>

static sotto_match delayed_match(uint32_t window_s, uint32_t spread_s, double rate)
{
    sotto_match match = small_match(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT,
                                    SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 100000);
    match.spec.reward_window_s = window_s;
    match.spec.send_spread_s = spread_s;
    match.people_per_second = rate;
    return match;
}

static sotto__flight *flight_of(const sotto_match *match, size_t sent_bytes)
{
    sotto__flight *flight;
    assert_ok(sotto__flight_new(match, 5, sent_bytes, &flight));
    return flight;
}

static void reports_that_nobody_takes_out_fill_it(void **state)
{
    (void)state;
    sotto_match match = delayed_match(1, 0, 10);
    sotto__flight *flight = flight_of(&match, 8);
    void *sent;
    for (int i = 0; i < 12; i++) {
        assert_ok(sotto__flight_add(flight, 0, &sent));
    }
    assert_status(sotto__flight_add(flight, 0, &sent), SOTTO_E_FULL);
    assert_int_equal(sotto__flight_count(flight), 12);
    sotto__flight_free(flight);
    sotto__flight_free(NULL);
}

static void without_a_delay_a_report_is_there_at_once(void **state)
{
    (void)state;
    sotto_match match = delayed_match(0, 0, 1e-6);
    sotto__flight *flight = flight_of(&match, 0);
    double arrival;
    void *sent;
    assert_null(sotto__flight_take(flight, 1e300, &arrival));
    for (int i = 0; i < 10; i++) {
        assert_ok(sotto__flight_add(flight, 7 * i, &sent));
        assert_null(sotto__flight_take(flight, 7 * i - 0.5, &arrival));
        assert_ptr_equal(sotto__flight_take(flight, 7 * i, &arrival), sent);
        assert_true(arrival == 7 * i);
        assert_null(sotto__flight_take(flight, 1e300, &arrival));
    }
    sotto__flight_free(flight);
}

/* What goes in comes out, once, in order of arrival; among those of one time, of decision. */
static void all_arrive_in_order_between_window_and_spread(void **state)
{
    (void)state;
    enum { PEOPLE = 20000 };
    static bool seen[PEOPLE];
    sotto_match match = delayed_match(3, 2, 1000);
    sotto__flight *flight = flight_of(&match, 5);
    double sum = 0, last = 0, arrival, least = 1e9, most = 0;
    uint32_t arrived = 0, before = 0;
    for (uint32_t i = 0; i < PEOPLE + 6000; i++) {
        for (const uint32_t *sent; (sent = sotto__flight_take(flight, i, &arrival)) != NULL;) {
            assert_true(arrival >= last && arrival <= i);
            if (arrival == last) assert_true(*sent > before);
            assert_false(seen[*sent]);
            seen[*sent] = true;
            double away = arrival - *sent;
            least = away < least ? away : least;
            most = away > most ? away : most;
            sum += away;
            last = arrival, before = *sent;
            arrived++;
        }
        void *to;
        if (i >= PEOPLE) continue;
        assert_ok(sotto__flight_add(flight, i, &to));
        memcpy(to, &i, sizeof i);
        assert_true(sotto__flight_count(flight) <= 5002);
    }
    assert_int_equal(arrived, PEOPLE);
    /* U is uniform over 0 to 2000: mean 1000, sd 577/sqrt(20000) = 4.1; both ends within 5 of 20,000 draws but for
     * chances of 1e-21. */
    assert_true(least >= 3000 && least <= 3005 && most >= 4995 && most <= 5000);
    assert_true(sum / PEOPLE > 4000 - 25 && sum / PEOPLE < 4000 + 25);
    sotto__flight_free(flight);
}

/* Among four there is one child that is the last. */
static void a_few_arrive_in_order(void **state)
{
    (void)state;
    sotto_match match = delayed_match(0, 1, 10);
    sotto__flight *flight = flight_of(&match, 0);
    void *sent;
    for (int round = 0; round < 100; round++) {
        double last = 0, arrival;
        for (int i = 0; i < 4; i++) {
            assert_ok(sotto__flight_add(flight, 0, &sent));
        }
        for (; sotto__flight_take(flight, 1000, &arrival) != NULL; last = arrival) {
            assert_true(arrival >= last);
        }
        assert_int_equal(sotto__flight_count(flight), 0);
    }
    sotto__flight_free(flight);
}

/* There is never room for more people than the horizon has. */
static void a_short_horizon_takes_little_memory(void **state)
{
    (void)state;
    sotto_match match = delayed_match(31536000, 31536000, 1e9);
    match.horizon = 3;
    sotto__flight *flight = flight_of(&match, 100);
    void *sent;
    for (int i = 0; i < 3; i++) {
        assert_ok(sotto__flight_add(flight, i, &sent));
    }
    assert_status(sotto__flight_add(flight, 3, &sent), SOTTO_E_FULL);
    sotto__flight_free(flight);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_that_nobody_takes_out_fill_it),
        cmocka_unit_test(without_a_delay_a_report_is_there_at_once),
        cmocka_unit_test(all_arrive_in_order_between_window_and_spread),
        cmocka_unit_test(a_few_arrive_in_order),
        cmocka_unit_test(a_short_horizon_takes_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
