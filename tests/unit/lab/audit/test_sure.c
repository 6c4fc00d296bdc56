/* Sure guesses: bounds against known answers (sums of binomial chances), levels, and how often a
 * mechanism that is just private is accused. */
#include "lab/audit/sure.h"
#include "lab/random/random.h"
#include "test.h"

#include <math.h>

static sotto__sure guessed(uint32_t level, uint64_t trials, uint64_t right, uint64_t wrong)
{
    sotto__sure sure = {.trials = trials};
    sure.right[level] = right;
    sure.wrong[level] = wrong;
    return sure;
}

static void nothing_is_shown_by_no_guesses(void **state)
{
    (void)state;
    sotto__sure none = guessed(0, 1000, 0, 0), even = guessed(0, 1000, 500, 500);
    assert_near(sotto__sure_lower(&none, 1, 0, 0.01), 0, 0);
    assert_near(sotto__sure_lower(&none, 1, 0.1, 0.01), 0, 0);
    assert_near(sotto__sure_p(&none, 1, 1, 0), 1, 0);
    assert_near(sotto__sure_lower(&even, 1, 0, 0.01), 0, 0);
    assert_near(sotto__sure_p(&even, 1, 1, 0), 1, 0);
}

/* BetaInv(0.01/13 - 1e-9; right - b, wrong + 1); b = 34 for 1,000 trials and delta 0.01. */
static void bounds_are_the_formula_s(void **state)
{
    (void)state;
    for (uint32_t level = 0; level < SOTTO__SURE_LEVELS; level++) {
        sotto__sure many = guessed(level, 2000, 900, 100), few = guessed(level, 2000, 40, 0);
        assert_near(sotto__sure_lower(&many, 1, 0, 0.01), 1.8712651919003078, 1e-8);
        assert_near(sotto__sure_lower(&few, 1, 0, 0.01), 1.627991974802527, 1e-8);
        assert_near(sotto__sure_p(&few, 1, 1, 0), 4.700570677630292e-05, 1e-10);
        sotto__sure excused = guessed(level, 1000, 200, 20);
        assert_near(sotto__sure_lower(&excused, 1, 0.01, 0.01), 1.4047671761947575, 1e-8);
    }
}

static void p_is_the_alpha_at_which_the_bound_meets_the_claim(void **state)
{
    (void)state;
    const double delta[] = {0, 0.001};
    for (int i = 0; i < 2; i++) {
        sotto__sure two[2] = {guessed(3, 5000, 420, 100), guessed(0, 5000, 2500, 2500)};
        double p = sotto__sure_p(two, 2, 1, delta[i]);
        assert_true(p > 1e-7 && p < 0.1);
        assert_near(sotto__sure_lower(two, 2, delta[i], p), 1, 1e-6);
        assert_true(sotto__sure_lower(two, 2, delta[i], 1.01 * p) > 1);
    }
}

static void what_delta_excuses_shows_nothing(void **state)
{
    (void)state;
    sotto__sure rare = guessed(12, 1000, 34, 0);
    assert_near(sotto__sure_lower(&rare, 1, 0.01, 0.5), 0, 0);
    assert_true(sotto__sure_lower(&rare, 1, 0, 0.5) > 1);
}

/* Levels add up from the surest down: 20 wrong ones below do not hide 40 right ones above. */
static void the_surest_guesses_count_for_themselves(void **state)
{
    (void)state;
    sotto__sure sure = guessed(5, 1000, 40, 0);
    sure.right[0] = sure.wrong[0] = 200;
    assert_near(sotto__sure_lower(&sure, 1, 0, 0.01), 1.627991974802527, 1e-8);
    sure.right[5] = 10;
    sure.right[9] = 30;
    assert_near(sotto__sure_lower(&sure, 1, 0, 0.01), 1.627991974802527, 1e-8);
    sotto__sure other[2] = {sure, guessed(0, 1000, 10, 10)};
    double shared = sotto__sure_lower(other, 2, 0, 0.01);
    assert_true(shared > 1 && shared < 1.627); /* two witnesses share alpha */
}

static void each_level_is_half_of_the_one_before(void **state)
{
    (void)state;
    enum { COUNT = 8192 };
    static sotto__witnessed_trial sample[2 * COUNT];
    sotto__sure sure = {.trials = 0};
    for (uint32_t i = 0; i < 2 * COUNT; i++) { /* half of them say nothing */
        double witness = i < COUNT ? (double)(i + 1) * (i % 2 == 0 ? 1 : -1) : 0;
        sample[i] = (sotto__witnessed_trial){witness, 0};
    }
    sotto__sure_aim(&sure, sample, 2 * COUNT);
    for (uint32_t i = 1; i <= COUNT; i++) {
        sotto__sure_take(&sure, 0, i);
        sotto__sure_take(&sure, 1, i);
        sotto__sure_take(&sure, 1, -(double)i);
        sotto__sure_take(&sure, 0, 0);
    }
    assert_int_equal(sure.trials, 4 * COUNT);
    for (uint32_t k = 0; k < SOTTO__SURE_LEVELS; k++) {
        uint64_t count = COUNT, share = count >> (k + 1 < SOTTO__SURE_LEVELS ? k + 1 : k);
        assert_int_equal(sure.right[k], 2 * share);
        assert_int_equal(sure.wrong[k], share);
    }
}

static void with_nothing_to_aim_by_every_guess_counts(void **state)
{
    (void)state;
    sotto__witnessed_trial sample[3] = {{0, 0}, {0, 1}, {NAN, 0}};
    sotto__sure sure = {.trials = 5, .right = {1}};
    sotto__sure_aim(&sure, sample, 3);
    sotto__sure_take(&sure, 0, 1e-300);
    sotto__sure_take(&sure, 0, -2);
    sotto__sure_take(&sure, 0, NAN);
    uint64_t right = 0, wrong = 0;
    for (uint32_t k = 0; k < SOTTO__SURE_LEVELS; k++) {
        right += sure.right[k];
        wrong += sure.wrong[k];
    }
    assert_int_equal(right, 2); /* what was counted before stays */
    assert_int_equal(wrong, 1);
    assert_int_equal(sure.trials, 8);
}

/* Randomised response of epsilon 1 that publishes its secret with chance delta: as much as the claim
 * allows. 2,000 audits of 1,000 trials at alpha 0.05: at most 100 alarms are expected, and more than
 * 150 have a chance below 1e-6. The twin publishes ten times as often. */
static uint32_t alarms(double published, double delta)
{
    sotto__seeded random;
    uint32_t found = 0;
    sotto__seeded_begin(&random, 21);
    for (uint32_t audit = 0; audit < 2000; audit++) {
        sotto__sure sure = {.trials = 0};
        for (uint32_t i = 0; i < 1000; i++) {
            uint32_t secret = sotto__seeded_next(&random) & 1;
            bool open = sotto__uniform(sotto__seeded_next(&random)) < published;
            bool honest = sotto__uniform(sotto__seeded_next(&random)) < 1 / (1 + exp(-1));
            double side = (secret == 0) == (open || honest) ? 1 : -1;
            sure.threshold[1] = 2; /* level 1: published, which is told openly */
            for (uint32_t k = 2; k < SOTTO__SURE_LEVELS; k++) {
                sure.threshold[k] = INFINITY;
            }
            sotto__sure_take(&sure, secret, open ? 2 * side : side);
        }
        found += sotto__sure_lower(&sure, 1, delta, 0.05) > 1;
    }
    return found;
}

static void a_mechanism_that_is_just_private_is_hardly_ever_accused(void **state)
{
    (void)state;
    assert_true(alarms(0, 0) <= 150);
    assert_true(alarms(0.01, 0.01) <= 150);
    assert_int_equal(alarms(0.1, 0.01), 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_shown_by_no_guesses),
        cmocka_unit_test(with_nothing_to_aim_by_every_guess_counts),
        cmocka_unit_test(what_delta_excuses_shows_nothing),
        cmocka_unit_test(bounds_are_the_formula_s),
        cmocka_unit_test(p_is_the_alpha_at_which_the_bound_meets_the_claim),
        cmocka_unit_test(the_surest_guesses_count_for_themselves),
        cmocka_unit_test(each_level_is_half_of_the_one_before),
        cmocka_unit_test(a_mechanism_that_is_just_private_is_hardly_ever_accused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
