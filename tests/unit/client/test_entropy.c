/* Uniform integers are exactly uniform, and no randomness means no number. */
#include "client/entropy.h"
#include "tape.h"
#include "test.h"

static const uint64_t bounds[] = {
    1,
    2,
    3,
    10,
    64,
    258,
    (UINT64_C(1) << 49) + 12345,
    UINT64_C(1) << 63,
    (UINT64_C(1) << 63) + 1,
    UINT64_MAX,
};

/* 2^64 mod bound by doubling 1 sixty-four times. */
static uint64_t two_to_64_mod(uint64_t bound)
{
    uint64_t r = 1 % bound;
    for (int i = 0; i < 64; i++) {
        r = r >= bound - r ? r - (bound - r) : r + r;
    }
    return r;
}

static void without_bytes_there_is_no_word(void **state)
{
    (void)state;
    uint64_t out = 7;
    for (size_t count = 0; count < sizeof out; count++) {
        tape t = tape_of("seven..", count);
        assert_status(sotto__draw_u64(&t.rng, &out), SOTTO_E_ENTROPY);
        assert_status(sotto__draw_below(&t.rng, 10, &out), SOTTO_E_ENTROPY);
        assert_int_equal(t.drawn_bytes, 0);
    }
    assert_int_equal(out, 7);
}

static void running_dry_while_drawing_again_is_a_failure(void **state)
{
    (void)state;
    const uint64_t rejected[] = {UINT64_MAX, UINT64_MAX};
    tape t = tape_of(rejected, sizeof rejected);
    uint64_t out = 7;
    assert_status(sotto__draw_below(&t.rng, 3, &out), SOTTO_E_ENTROPY);
    assert_int_equal(t.drawn_bytes, sizeof rejected);
    assert_int_equal(out, 7);
}

static void a_word_is_the_eight_bytes_that_were_drawn(void **state)
{
    (void)state;
    const uint64_t script[] = {UINT64_C(0x0123456789abcdef), UINT64_MAX, 0};
    tape t = tape_of(script, sizeof script);
    for (size_t i = 0; i < 3; i++) {
        uint64_t out = 1;
        assert_ok(sotto__draw_u64(&t.rng, &out));
        assert_int_equal(out, script[i]);
    }
}

/* The words below the largest multiple of the bound are kept: every remainder equally often. */
static void the_largest_kept_word_gives_the_largest_number(void **state)
{
    (void)state;
    for (size_t b = 0; b < sizeof bounds / sizeof bounds[0]; b++) {
        uint64_t last = UINT64_MAX - two_to_64_mod(bounds[b]);
        const uint64_t script[] = {last, 0, bounds[b] - 1};
        tape t = tape_of(script, sizeof script);
        uint64_t out = 1;
        assert_ok(sotto__draw_below(&t.rng, bounds[b], &out));
        assert_int_equal(out, bounds[b] - 1);
        assert_int_equal(t.drawn_bytes, 8);
        assert_ok(sotto__draw_below(&t.rng, bounds[b], &out));
        assert_int_equal(out, 0);
        assert_ok(sotto__draw_below(&t.rng, bounds[b], &out));
        assert_int_equal(out, bounds[b] - 1);
        assert_int_equal(t.drawn_bytes, 24);
    }
}

static void every_word_above_it_is_drawn_again(void **state)
{
    (void)state;
    for (size_t b = 0; b < sizeof bounds / sizeof bounds[0]; b++) {
        uint64_t excess = two_to_64_mod(bounds[b]);
        if (excess == 0) continue; /* powers of two reject nothing */
        const uint64_t script[] = {UINT64_MAX, UINT64_MAX - excess + 1, 1};
        tape t = tape_of(script, sizeof script);
        uint64_t out = 0;
        assert_ok(sotto__draw_below(&t.rng, bounds[b], &out));
        assert_int_equal(out, 1);
        assert_int_equal(t.drawn_bytes, 24);
    }
}

static void bound_one_takes_one_word_of_any_value(void **state)
{
    (void)state;
    const uint64_t script[] = {UINT64_MAX, 0, 12345};
    tape t = tape_of(script, sizeof script);
    for (size_t i = 1; i <= 3; i++) {
        uint64_t out = 9;
        assert_ok(sotto__draw_below(&t.rng, 1, &out));
        assert_int_equal(out, 0);
        assert_int_equal(t.drawn_bytes, 8 * i);
    }
}

static void powers_of_two_never_draw_again(void **state)
{
    (void)state;
    for (int log2 = 0; log2 < 64; log2++) {
        const uint64_t all_ones = UINT64_MAX;
        tape t = tape_of(&all_ones, sizeof all_ones);
        uint64_t out = 0, bound = UINT64_C(1) << log2;
        assert_ok(sotto__draw_below(&t.rng, bound, &out));
        assert_int_equal(out, bound - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_bytes_there_is_no_word),
        cmocka_unit_test(running_dry_while_drawing_again_is_a_failure),
        cmocka_unit_test(a_word_is_the_eight_bytes_that_were_drawn),
        cmocka_unit_test(the_largest_kept_word_gives_the_largest_number),
        cmocka_unit_test(every_word_above_it_is_drawn_again),
        cmocka_unit_test(bound_one_takes_one_word_of_any_value),
        cmocka_unit_test(powers_of_two_never_draw_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
