/* The inputs of an audit: lengths, opposites, coins, and hard cases that are there. */
#include "core/linalg.h"
#include "lab/audit/script.h"
#include "lab/random/random.h"
#include "tape.h"
#include "test.h"

#include <math.h>

static void pairs_have_their_lengths(void **state)
{
    (void)state;
    for (uint32_t dim = 1; dim <= 7; dim++) {
        double input[SOTTO__AUDIT_PAIRS * 2 * 7];
        const double length[] = {3, 3, 3, 3, 3, 3, 30, 3.6, 1.5, 0};
        sotto__seeded random;
        sotto__seeded_begin(&random, dim);
        assert_ok(sotto__audit_pairs(dim, 3, &random.rng, input));
        for (uint32_t i = 0; i < 2 * SOTTO__AUDIT_PAIRS; i++) {
            assert_near(sotto__norm(input + i * dim, dim), length[i], 1e-12 * length[i]);
        }
        for (uint32_t pair = 0; pair < 4; pair++) {
            for (uint32_t j = 0; j < dim; j++) {
                const double *x = input + pair * 2 * dim;
                assert_near(x[j] * (pair == 3 ? 0.12 : 1) + x[dim + j], 0, 1e-12);
            }
        }
        assert_near(input[0], 3, 0);
        assert_near(input[9 * dim - 1], 1.5, 0);
    }
}

static void no_randomness_no_pairs(void **state)
{
    (void)state;
    double input[SOTTO__AUDIT_PAIRS * 2 * 2];
    tape empty = tape_of("", 0);
    assert_status(sotto__audit_pairs(2, 1, &empty.rng, input), SOTTO_E_ENTROPY);
}

static void coins_choose_the_input(void **state)
{
    (void)state;
    const double input[] = {1, 2, 3, 4};
    const uint8_t coins[] = {0x04};
    sotto__script script = {.dim = 1, .pairs = 2, .trials = 3, .input = input, .coins = coins};
    const double wanted[] = {1, 1, 2, 3, 3, 3};
    for (uint64_t t = 0; t < 6; t++) {
        assert_near(sotto__script_input(&script, t)[0], wanted[t], 0);
        assert_int_equal(sotto__script_coin(&script, t), t == 2);
    }
}

static bool hear(void *heard, uint64_t done, uint64_t total)
{
    *(uint64_t *)heard += done;
    assert_int_equal(total, 2000);
    return done < 522;
}

static void progress_is_told_now_and_then(void **state)
{
    (void)state;
    uint64_t heard = 0;
    sotto_audit_progress progress = {hear, &heard};
    sotto__script script = {.progress = &progress, .progress_start = 10, .progress_total = 2000};
    for (uint64_t t = 0; t < 600; t++) {
        assert_true(sotto__script_progress(&script, t) == (t != 512));
    }
    assert_int_equal(heard, 10 + 266 + 522);
    assert_true(sotto__script_tell(&script, 3));
    assert_int_equal(heard, 10 + 266 + 522 + 13);
    script.progress = NULL;
    assert_true(sotto__script_progress(&script, 0));
}

static void hard_inputs_are_of_every_kind(void **state)
{
    (void)state;
    bool nan = false, infinite = false, huge = false, tiny = false, outside = false, zero = false;
    for (uint32_t i = 0; i < sotto__hard_inputs(); i++) {
        double x[3];
        sotto__hard_input(i, 3, 2, x);
        nan = nan || isnan(x[0]);
        infinite = infinite || isinf(x[2]);
        huge = huge || x[0] == 1e308;
        tiny = tiny || x[0] == 5e-324;
        outside = outside || x[0] == 4;
        zero = zero || (x[0] == 0 && x[1] == 0 && x[2] == 0);
    }
    assert_true(nan && infinite && huge && tiny && outside && zero);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_randomness_no_pairs),
        cmocka_unit_test(pairs_have_their_lengths),
        cmocka_unit_test(coins_choose_the_input),
        cmocka_unit_test(progress_is_told_now_and_then),
        cmocka_unit_test(hard_inputs_are_of_every_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
