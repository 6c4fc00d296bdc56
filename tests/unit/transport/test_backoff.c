/* Waits double up to a day, are never shorter than the server asks, and have a random part of at most half. */
#include "test.h"
#include "transport/backoff.h"

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

static void test_waits_double_up_to_a_day(void **state)
{
    (void)state;
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

static void test_the_server_can_ask_for_longer_and_not_for_ever(void **state)
{
    (void)state;
    sotto__backoff backoff = {0};
    entropy = SOTTO_OK, byte = 0;
    assert_int_equal(sotto__backoff_next(&backoff, 1000, 30000, &rng), 30000);
    assert_int_equal(sotto__backoff_next(&backoff, 1000, 5, &rng), 60000);
    assert_int_equal(sotto__backoff_next(&backoff, 1000, UINT64_MAX, &rng), SOTTO__BACKOFF_MAX_MS);
}

static void test_the_random_part_is_at_most_half(void **state)
{
    (void)state;
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

static void test_without_randomness_it_waits_all_the_same(void **state)
{
    (void)state;
    sotto__backoff backoff = {0};
    entropy = SOTTO_E_ENTROPY;
    assert_int_equal(sotto__backoff_next(&backoff, 1000, 0, &rng), 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waits_double_up_to_a_day),
        cmocka_unit_test(test_the_server_can_ask_for_longer_and_not_for_ever),
        cmocka_unit_test(test_the_random_part_is_at_most_half),
        cmocka_unit_test(test_without_randomness_it_waits_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
