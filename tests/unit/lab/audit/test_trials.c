/* Layers 2 and 3: how alpha and trials are shared out, and what the rows say. */
#include "lab/audit/trials.h"
#include "lab/random/random.h"
#include "subjects.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

static void alpha_is_shared_out(void **state)
{
    (void)state;
    sotto__claim pure = {.epsilon = 1}, gaussian = {.epsilon = 1, .delta = 1e-6};
    sotto__trial_shares shares = sotto__trial_shares_of(&pure, 1000, 0.01);
    assert_near(5 * shares.alpha_event + 2 * shares.alpha_sure, 0.01 - 1e-6, 1e-12);
    assert_near(shares.alpha_gaussian, 0, 0);
    shares = sotto__trial_shares_of(&gaussian, 1000, 0.01);
    assert_near(5 * (shares.alpha_event + shares.alpha_gaussian) + 2 * shares.alpha_sure,
                0.01 - 1e-6, 1e-12);
    assert_true(shares.alpha_gaussian > 0 && shares.alpha_event > 0 && shares.alpha_sure > 0);
}

static void learning_is_a_tenth_and_bounded(void **state)
{
    (void)state;
    assert_int_equal(sotto__trials_learning(1000, 3), 100);
    assert_int_equal(sotto__trials_learning(100000000, 3), 100000);
    assert_int_equal(sotto__trials_learning(1000000, 65535), (1 << 22) / 65535);
}

static void too_few_trials_are_known(void **state)
{
    (void)state;
    sotto__claim small = {.epsilon = 0.1}, large = {.epsilon = 8};
    const struct {
        const sotto__claim *claim;
        uint64_t trials;
        bool enough;
    } cases[] = {
        {&small, 100, true}, {&large, 100, false}, {&large, 10000, false}, {&large, 100000, true}};
    for (int i = 0; i < 4; i++) {
        sotto__trial_shares shares = sotto__trial_shares_of(cases[i].claim, cases[i].trials, 0.01);
        assert_int_equal(sotto__trials_suffice(cases[i].claim, &shares), cases[i].enough);
    }
    /* By accuracy a Gaussian claim can be contradicted where its chances cannot. */
    sotto__claim gaussian = {.epsilon = 8, .delta = 1e-6};
    sotto__trial_shares shares = sotto__trial_shares_of(&gaussian, 1000, 0.01);
    assert_true(sotto__trials_suffice(&gaussian, &shares));
}

static void rows_of_subject(sotto__subject *subject, sotto_audit_result *result)
{
    enum { TRIALS = 4000 };
    double input[SOTTO__AUDIT_PAIRS * 2 * 2];
    uint8_t coins[SOTTO__AUDIT_PAIRS * TRIALS / 8 + 1];
    sotto__seeded random;
    sotto__seeded_begin(&random, 11);
    assert_ok(sotto__audit_pairs(2, 1, &random.rng, input));
    assert_ok(random.rng.fill(&random.rng, coins, sizeof coins));
    sotto__script script = {
        .dim = 2, .pairs = SOTTO__AUDIT_PAIRS, .trials = TRIALS, .input = input, .coins = coins};
    sotto__trial_shares shares = sotto__trial_shares_of(&subject->claim, TRIALS, 0.01);
    *result = (sotto_audit_result){.rows_count = 0};
    assert_ok(sotto__audit_trials(subject, &script, &shares, &random.rng, result));
}

static void rows_of(sotto_mechanism_kind kind, double claimed, sotto_audit_result *result)
{
    sotto__subject subject = subject_of(kind, 2, 1);
    subject.claim.epsilon = claimed;
    rows_of_subject(&subject, result);
    sotto__subject_free(&subject);
}

static void rows_compare_with_the_claim(void **state)
{
    (void)state;
    sotto_audit_result result;
    rows_of(SOTTO_MECHANISM_L2BALL, 1, &result);
    assert_int_equal(result.rows_count, SOTTO__AUDIT_PAIRS + 2);
    assert_int_equal(failed_rows(&result), 0);
    assert_true(result.epsilon_lower > 0.7 && result.epsilon_lower < 1);
    rows_of(SOTTO_MECHANISM_L2BALL, 0.5, &result); /* half of what it gives away */
    assert_true(failed_rows(&result) >= 4);
    rows_of(SOTTO_MECHANISM_GAUSSIAN, 1, &result);
    assert_int_equal(result.rows_count, 2 * SOTTO__AUDIT_PAIRS + 2);
    assert_int_equal(failed_rows(&result), 0);
    rows_of(SOTTO_MECHANISM_GAUSSIAN, 0.1, &result);
    assert_true(failed_rows(&result) >= 4);
    for (uint32_t i = 0; i < result.rows_count; i++) {
        const uint32_t layer[] = {2, 3, 2, 3, 2, 3, 2, 3, 3, 2, 3, 3}; /* a pool ends with a row */
        assert_int_equal(result.row[i].layer, layer[i]);
        assert_true(result.row[i].p_value >= 0 && result.row[i].p_value <= 1);
    }
}

/* A program that answers at random, and with its input once in 64 answers, if that is not within
 * the ball. */
static sotto_status draw_release(sotto__subject *subject, const double *x, sotto_rng *rng,
                                 sotto__answer *out)
{
    uint64_t word[3];
    (void)subject;
    sotto_status status = rng->fill(rng, word, sizeof word);
    bool released = x[0] * x[0] + x[1] * x[1] > 0.9 && word[2] % 64 == 0;
    out->count = 2;
    for (uint32_t i = 0; i < 2; i++) {
        out->value[i] = released ? x[i] : 10 * sotto__uniform(word[i]);
    }
    return status;
}

static void sure_guesses_are_added_up_over_the_pairs_of_a_pool(void **state)
{
    (void)state;
    sotto__subject subject = {
        .claim = {.family = SOTTO__OUTSIDE, .dim = 2, .answer_count = 2, .epsilon = 1, .radius = 1},
        .draw = draw_release};
    sotto_audit_result result;
    rows_of_subject(&subject, &result);
    const sotto_audit_row *apart =
        row_named(&result, "epsilon, at least (sure guesses, pairs a diameter apart)");
    const sotto_audit_row *inside =
        row_named(&result, "epsilon, at least (sure guesses, R e_d/2 and 0)");
    assert_false(apart->passed);
    assert_true(apart->statistic > 2);
    assert_true(apart->p_value < 1e-6);
    assert_near(result.epsilon_lower, apart->statistic, 0); /* no pair alone shows as much */
    assert_true(inside->passed); /* what the other pairs showed is not its fault */
    assert_near(inside->statistic, 0, 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_few_trials_are_known),
        cmocka_unit_test(alpha_is_shared_out),
        cmocka_unit_test(learning_is_a_tenth_and_bounded),
        cmocka_unit_test(rows_compare_with_the_claim),
        cmocka_unit_test(sure_guesses_are_added_up_over_the_pairs_of_a_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
