/* Rounds under a fallback: learn rounds play what is served and release nothing, measure rounds go on. */
#include "client/client.h"
#include "core/core.h"
#include "person.h"
#include "test.h"

#include <math.h>

#define DIM 3
#define ARMS 4
#define CELLS 12
#define FRAME_BYTES 42
#define TRIALS 120

static const double context[CELLS] = {.1, .2, .3, .3, .6, .1, .2, .1, .7, -.5, .2, .5};

static void served_person(person *p, uint64_t seed, uint32_t served)
{
    sotto_policy policy = sotto_policy_default();
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = DIM, spec.arms = ARMS;
    spec.measure = 1u << 31; /* half of all rounds */
    policy.measure_share_max = 0.5;
    person_join(p, &spec, &policy, seed);
    p->model->tbar[1] = 0.5;
    p->model->served = served;
}

/* The nonce that this person draws first. */
static void nonce_of(uint64_t seed, uint8_t nonce[SOTTO_NONCE_BYTES])
{
    tape same = tape_seeded(seed);
    assert_ok(same.rng.fill(&same.rng, nonce, SOTTO_NONCE_BYTES));
}

TEST(a_served_arm_that_there_is_not_begins_no_round)
{
    person p;
    served_person(&p, 1, ARMS + 2);
    assert_status(sotto_round_begin(p.round, p.model), SOTTO_E_FAULT);
    assert_false(sotto_round_reports(p.round));
    assert_false(sotto_round_reports(NULL));
}

/* Learn: the arm that is served, no debit, no frame. Others: as ever. */
TEST(learn_rounds_play_what_is_served_and_cost_nothing)
{
    int seen[3] = {0};
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        person p;
        uint8_t nonce[SOTTO_NONCE_BYTES];
        double scratch[64];
        const uint32_t all[] = {1, ARMS, ARMS + 1}; /* the first arm, the last, random ones */
        uint32_t served = all[trial % 3], arm = ARMS;
        served_person(&p, trial, served);
        nonce_of(trial, nonce);
        sotto_role role = sotto__role_of(&p.terms, nonce, true);
        bool learns = role == SOTTO_ROLE_LEARN;
        seen[role]++;
        assert_ok(sotto_round_begin(p.round, p.model));
        assert_true(sotto_round_reports(p.round) == !learns);
        assert_int_equal(sotto_ledger_rounds(p.ledger), !learns);
        if (learns) {
            uint64_t at;
            assert_ints(p.t.drawn_bytes, SOTTO_NONCE_BYTES, sotto_round_entry(p.round), 0);
            assert_status(sotto_round_hold(p.round), SOTTO_E_SERVED);
            assert_status(sotto_round_hold_at(p.round, 1, &at), SOTTO_E_SERVED);
            assert_status(sotto_round_finish(p.round, 1, p.frame, FRAME_BYTES), SOTTO_E_ORDER);
            assert_status(sotto_round_decide(p.round, context, 1, &arm), SOTTO_E_LENGTH);
        }
        assert_ok(sotto_round_decide(p.round, context, CELLS, &arm));
        uint32_t assigned = sotto__assigned_arm(&p.terms, nonce);
        uint32_t decided = sotto__decide(&p.terms, p.model, nonce, context, scratch);
        uint32_t given = served <= ARMS ? served - 1 : assigned;
        assert_int_equal(arm, learns ? given : role == SOTTO_ROLE_CONTROL ? assigned : decided);
        assert_status(sotto_round_finish(p.round, 0.5, p.frame, FRAME_BYTES),
                      learns ? SOTTO_E_SERVED : SOTTO_OK);
        if (learns) {
            assert_status(sotto_round_finish(p.round, 0.5, p.frame, FRAME_BYTES), SOTTO_E_ORDER);
            assert_status(sotto_round_resend(p.round, p.frame, FRAME_BYTES), SOTTO_E_ORDER);
            assert_status(sotto_round_seal(p.round, p.frame, FRAME_BYTES), SOTTO_E_ORDER);
        }
        assert_int_equal(sotto_ledger_reports(p.ledger), !learns);
    }
    assert_true(seen[SOTTO_ROLE_LEARN] > 30 && seen[SOTTO_ROLE_CONTROL] > 10);
    assert_true(seen[SOTTO_ROLE_FOLLOW] > 10);
}

/* Neither the draws nor the ledger nor the arm depend on the secret: two people with the same tape. */
TEST(a_served_learn_round_is_the_same_for_every_secret)
{
    static const double other[CELLS] = {NAN, 1e308, -5, 0, 0, 0, 9, 9, 9, -1, 0, INFINITY};
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        person a, b;
        uint8_t nonce[SOTTO_NONCE_BYTES];
        uint32_t arms[2] = {ARMS, ARMS};
        nonce_of(trial, nonce);
        served_person(&a, trial, ARMS + 1);
        served_person(&b, trial, ARMS + 1);
        assert_ok(sotto_round_begin(a.round, a.model));
        assert_ok(sotto_round_begin(b.round, b.model));
        assert_ok(sotto_round_decide(a.round, context, CELLS, &arms[0]));
        assert_ok(sotto_round_decide(b.round, other, CELLS, &arms[1]));
        if (sotto__role_of(&a.terms, nonce, true) == SOTTO_ROLE_LEARN) {
            assert_int_equal(arms[0], arms[1]);
            assert_status(sotto_round_finish(a.round, -1, a.frame, FRAME_BYTES), SOTTO_E_SERVED);
            assert_status(sotto_round_finish(b.round, NAN, b.frame, FRAME_BYTES), SOTTO_E_SERVED);
            assert_int_equal(a.t.drawn_bytes, b.t.drawn_bytes);
        }
    }
}
