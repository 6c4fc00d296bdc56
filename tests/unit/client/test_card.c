/* The card: its numbers are those of the terms, the policy and the ledger, and the number of rounds
 * that it promises is the number that a client books. */
#include "client/client.h"
#include "made.h"
#include "test.h"

#include <sotto/client.h>

#include <math.h>
#include <string.h>

static sotto_terms terms_of(double epsilon, double delta)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    spec.dim = 3, spec.arms = 2, spec.epsilon = epsilon;
    if (delta > 0) {
        spec.method = SOTTO_METHOD_LDP_OLS, spec.score = SOTTO_SCORE_MOMENTS;
        spec.link = SOTTO_LINK_IDENTITY, spec.delta = delta;
    }
    spec.measure = delta > 0 ? 0 : 1u << 28, spec.reward_window_s = 3600, spec.send_spread_s = 600;
    sotto_terms terms = resolved(&spec);
    return terms;
}

/* What each test begins with. */
static sotto_ledger *ledger;
static sotto_policy policy;
static sotto_card card;

FIXTURE(set_up)
{
    policy = sotto_policy_default();
    assert_ok(sotto_ledger_memory_new(&ledger));
}

FIXTURE(tear_down)
{
    sotto_ledger_free(ledger);
}

/* Books rounds until the policy refuses one; at most `most`. */
static uint32_t book(const sotto_terms *terms, uint32_t most)
{
    uint32_t booked = 0;
    sotto_client *client = made_client(&policy, ledger);
    sotto_round *round = made_round(client, terms);
    sotto_model *model = made_model(terms);
    for (sotto_status status = SOTTO_OK; booked < most; booked++) {
        status = sotto_round_begin(round, model);
        if (status == SOTTO_E_BUDGET) break;
        assert_ok(status);
    }
    return booked;
}

TEST_WITH(weak_terms_make_no_card, set_up, tear_down)
{
    sotto_terms terms = terms_of(1, 0);
    terms.codebook[SOTTO_PHASE_MAIN].weight_top *= 2;
    memset(&card, 1, sizeof card);
    assert_status(sotto_card_make(&terms, &policy, ledger, &card), SOTTO_E_WEAK);
    assert_true(card.epsilon == 0 && card.report_bytes == 0);
}

TEST_WITH(a_policy_that_cannot_be_used_makes_no_card, set_up, tear_down)
{
    sotto_terms terms = terms_of(1, 0);
    policy.epsilon_lifetime = NAN;
    assert_status(sotto_card_make(&terms, &policy, ledger, &card), SOTTO_E_FAULT);
}

TEST_WITH(terms_outside_the_policy_leave_no_round, set_up, tear_down)
{
    sotto_terms terms = terms_of(4, 0);
    assert_ok(sotto_card_make(&terms, &policy, ledger, &card));
    assert_true(card.refused);
    assert_int_equal(card.rounds_left, 0);
    policy.epsilon_per_report_max = 4;
    assert_ok(sotto_card_make(&terms, &policy, ledger, &card));
    assert_false(card.refused);
    assert_int_equal(card.rounds_left, 2);
}

TEST_WITH(numbers_are_those_of_terms_policy_and_ledger, set_up, tear_down)
{
    sotto_terms terms = terms_of(1, 0), other = terms_of(0.5, 0);
    assert_int_equal(book(&other, 3), 3);
    assert_ok(sotto_card_make(&terms, &policy, ledger, &card));
    assert_ints(card.report_bytes, 42, card.reward_window_s, 3600, card.send_spread_s, 600);
    assert_true(card.epsilon == 1 && card.delta == 0);
    assert_true(fabs(card.odds_factor - 2.718281828459045) < 1e-15);
    assert_true(card.measure_share == 1.0 / 16);
    assert_ints(card.rounds_before, 3, card.dropped_before, 0);
    assert_true(card.epsilon_before == 1.5 && card.delta_before == 0);
    assert_true(card.epsilon_before_optimal == sotto_ledger_epsilon_optimal(ledger, 1e-5));
    assert_true(card.epsilon_lifetime == 8 && card.delta_lifetime == 1e-5);
}

/* Under each policy, with a new ledger and one that another experiment has used: by the sum, by
 * optimal composition, by delta, and at a sum that is no binary fraction. */
TEST_WITH(as_many_rounds_are_left_as_can_be_booked, set_up, tear_down)
{
    const struct {
        double epsilon, delta, per_report, lifetime;
        uint32_t left; /* in a new ledger; 0: only what can be booked is compared */
    } rows[] = {
        {1, 0, 2, 8, 8},    {0.1, 0, 2, 8, 80},      {0.3, 0, 2, 8, 26}, {2, 0, 2, 8, 4},
        {0.5, 0, 1, 40, 0}, {0.5, 1e-6, 2, 1000, 5}, {1, 0, 2, 0.5, 0},  {0.01, 0, 2, 30, 3000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int used = 0; used < 2; used++) {
            sotto_terms terms = terms_of(rows[i].epsilon, rows[i].delta), other = terms_of(0.2, 0);
            policy.epsilon_per_report_max = rows[i].per_report;
            policy.epsilon_lifetime = rows[i].lifetime;
            if (used) assert_int_equal(book(&other, 2), 2);
            assert_ok(sotto_card_make(&terms, &policy, ledger, &card));
            uint32_t left = card.rounds_left;
            if (!used && rows[i].left > 0) assert_int_equal(left, rows[i].left);
            assert_int_equal(book(&terms, left + 1), left);
            assert_ok(sotto_card_make(&terms, &policy, ledger, &card));
            assert_int_equal(card.rounds_left, 0);
            tear_down(state);
            set_up(state);
        }
    }
}

/* The sum of 100 allows 100 rounds of epsilon 1; optimal composition allows more. */
TEST_WITH(composition_may_leave_more_than_the_sum, set_up, tear_down)
{
    sotto_terms terms = terms_of(1, 0);
    policy.epsilon_per_report_max = 1, policy.epsilon_lifetime = 100;
    assert_ok(sotto_card_make(&terms, &policy, ledger, &card));
    assert_true(card.rounds_left > 100);
    assert_true(sotto_compose_delta(card.rounds_left, 1, 0, 100) <= 5e-6);
    assert_true(sotto_compose_delta(card.rounds_left + 1, 1, 0, 100) > 5e-6);
}

TEST_WITH(a_card_counts_no_further_than_its_limit, set_up, tear_down)
{
    sotto_terms terms = terms_of(1, 0);
    policy.epsilon_lifetime = INFINITY;
    assert_ok(sotto_card_make(&terms, &policy, ledger, &card));
    assert_int_equal(card.rounds_left, SOTTO_CARD_ROUNDS_MAX);
    policy.epsilon_lifetime = SOTTO_CARD_ROUNDS_MAX - 1, policy.delta_lifetime = 0;
    assert_ok(sotto_card_make(&terms, &policy, ledger, &card));
    assert_int_equal(card.rounds_left, SOTTO_CARD_ROUNDS_MAX - 1);
}
