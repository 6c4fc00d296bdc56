/* Held rounds on a ledger behind calls: in every floating-point environment the same bytes. What
 * other rounds and ledgers do: test_float_rounds.c. */
#include "client/client.h"
#include "made.h"
#include "store.h"
#include "tape.h"
#include "test.h"
#include "transcript.h"
#include "why.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

#define DIM 3
#define ARMS 3
#define CELLS 9
#define FRAME_BYTES_MAX 4096

static const double context[CELLS] = {3, -4, 5e10, 1e-3, .7, .9, -1e200, 1e199, 3e-310};

/* One round; its report leaves before or after the reward comes. */
static void play_held(const float_mode *mode, sotto_ledger *ledger, sotto_round *round,
                      const sotto_model *model, bool finishes, transcript *t)
{
    uint8_t frame[FRAME_BYTES_MAX];
    uint32_t arm;
    sotto_status status;
    sotto_unsent next;
    assert_ok(sotto_round_begin(round, model));
    UNDER(mode, status = sotto_round_hold(round));
    assert_ok(status);
    UNDER(mode, status = sotto_round_decide(round, context, CELLS, &arm));
    assert_ok(status);
    if (finishes) assert_ok(sotto_round_finish(round, .7, frame, sizeof frame));
    UNDER(mode, status = sotto_ledger_unsent(ledger, 0, &next));
    assert_ok(status);
    NOTE(t, next.entry);
    UNDER(mode, status = sotto_ledger_seal(ledger, next.entry, frame, sizeof frame));
    assert_ok(status);
    note(t, frame, next.frame_bytes);
    UNDER(mode, status = sotto_round_seal(round, frame, sizeof frame));
    assert_ok(status);
    note(t, frame, next.frame_bytes);
    if (finishes) {
        UNDER(mode, status = sotto_round_acknowledge(round));
    } else {
        UNDER(mode, status = sotto_ledger_acknowledge(ledger, next.entry));
    }
    assert_ok(status);
}

/* A round whose report is given up. */
static void play_dropped(const float_mode *mode, sotto_ledger *ledger, sotto_round *round,
                         const sotto_model *model, transcript *t)
{
    uint64_t send_at_ms = 0, entry, dropped;
    uint32_t arm;
    sotto_status status;
    assert_ok(sotto_round_begin(round, model));
    bool reports;
    UNDER(mode, reports = sotto_round_reports(round));
    assert_true(reports);
    UNDER(mode, status = sotto_round_hold_at(round, 1000, &send_at_ms));
    assert_ok(status);
    NOTE(t, send_at_ms);
    assert_ok(sotto_round_decide(round, context, CELLS, &arm));
    UNDER(mode, entry = sotto_round_entry(round));
    UNDER(mode, status = sotto_ledger_drop(ledger, entry));
    assert_ok(status);
    UNDER(mode, dropped = sotto_ledger_dropped(ledger));
    assert_int_equal(dropped, 1);
}

static void play_calls(const float_mode *mode, const void *what, transcript *t)
{
    static store s;
    memset(&s, 0, sizeof s);
    sotto_ledger_calls calls = store_calls(&s);
    sotto_policy policy = sotto_policy_default();
    OWN(sotto_ledger) ledger = NULL;
    sotto_status status;
    const char *fault;
    tape random = tape_seeded(7);
    UNDER(mode, status = sotto_ledger_calls_create(&calls));
    assert_ok(status);
    UNDER(mode, status = sotto_ledger_calls_open(&calls, &ledger));
    assert_ok(status);
    sotto_client *client = made_client(&policy, ledger);
    client->rng = &random.rng;
    sotto_round *round = made_round(client, what);
    sotto_model *model = made_model(what);
    model->phase = SOTTO_PHASE_MAIN;
    model->theta[0] = .1;
    play_held(mode, ledger, round, model, false, t);
    play_held(mode, ledger, round, model, true, t);
    play_dropped(mode, ledger, round, model, t);
    double epsilon = sotto_ledger_epsilon(ledger), delta = sotto_ledger_delta(ledger);
    NOTE(t, epsilon);
    NOTE(t, delta);
    sotto_card card;
    UNDER(mode, status = sotto_card_make(what, &policy, ledger, &card));
    assert_ok(status);
    NOTE(t, card.odds_factor);
    NOTE(t, card.epsilon_before_optimal);
    NOTE(t, card.rounds_left);
    UNDER(mode, fault = why_of(sotto_ledger_calls_fault(&calls, &why_fault)));
    note_text(t, fault);
}

TEST(held_rounds_behind_calls_are_the_same_in_every_environment)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = DIM, spec.arms = ARMS, spec.epsilon = .7, spec.send_spread_s = 60;
    sotto_terms terms = resolved(&spec);
    assert_same_everywhere(play_calls, &terms);
    spec.method = SOTTO_METHOD_LDP_OLS, spec.score = SOTTO_SCORE_MOMENTS, spec.delta = 1e-6;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    assert_same_everywhere(play_calls, &terms);
}

/* ---- a store that leaves another environment behind ----------------------------------------- */

#define PEOPLE 3
#define ROUNDS 4

static const float_mode *left_behind;
static uint32_t entered_otherwise; /* calls that found what an earlier one left behind */

static void leave_mode(void)
{
    if (fegetround() != FE_TONEAREST) entered_otherwise++;
    float_mode_enter(left_behind);
}

/* People of one ledger, in one call each: between two of them the ledger is asked. */
static void play_together(const sotto_terms *terms, sotto_ledger *ledger, sotto_model *model,
                          transcript *t)
{
    sotto_policy policy = sotto_policy_default();
    sotto_client *client[PEOPLE];
    sotto_round *round[PEOPLE];
    tape random[PEOPLE];
    double contexts[PEOPLE * CELLS];
    const double reward[PEOPLE] = {.7, .1, 1. / 3};
    uint8_t frames[PEOPLE * FRAME_BYTES_MAX];
    uint32_t arm[PEOPLE];
    policy.epsilon_lifetime = 100;
    for (uint64_t i = 0; i < PEOPLE; i++) {
        assert_ok(sotto_client_new(&policy, ledger, &client[i]));
        random[i] = tape_seeded(i + 1);
        client[i]->rng = &random[i].rng;
        assert_ok(sotto_round_new(client[i], terms, &round[i]));
        memcpy(contexts + i * CELLS, context, sizeof context);
    }
    for (int r = 0; r < ROUNDS; r++) {
        assert_ok(sotto_rounds_begin(round, PEOPLE, model, NULL));
        assert_ok(sotto_rounds_decide(round, PEOPLE, contexts, CELLS, arm, NULL));
        assert_ok(sotto_rounds_finish(round, PEOPLE, reward, frames, FRAME_BYTES_MAX, NULL));
        NOTE(t, arm);
        NOTE(t, frames);
    }
    for (int i = 0; i < PEOPLE; i++) {
        sotto_round_free(round[i]);
        sotto_client_free(client[i]);
    }
}

static void play_leaving(const sotto_terms *terms, const float_mode *mode, transcript *t)
{
    static store s;
    sotto_ledger *ledger, *again;
    sotto_model *model;
    memset(&s, 0, sizeof s);
    t->count = 0;
    s.counts = true;
    sotto_ledger_calls calls = store_calls(&s);
    left_behind = mode;
    entered_otherwise = 0;
    s.beside = leave_mode;
    assert_ok(sotto_ledger_calls_create(&calls));
    assert_ok(sotto_ledger_calls_open(&calls, &ledger));
    assert_ok(sotto_model_new(terms, &model));
    model->phase = SOTTO_PHASE_MAIN;
    model->theta[0] = .1;
    play_together(terms, ledger, model, t);
    double epsilon = sotto_ledger_epsilon(ledger);
    NOTE(t, epsilon);
    assert_ok(sotto_ledger_calls_open(&calls, &again)); /* it reads every entry */
    assert_true(sotto_ledger_epsilon(again) == epsilon);
    sotto_ledger_free(again);
    sotto_ledger_free(ledger);
    sotto_model_free(model);
    assert_int_equal(fegetround(), FE_TONEAREST); /* the caller's own, whatever the store did */
    s.beside = NULL;
    const char *fault = WHY(sotto_ledger_calls_fault, &calls);
    if (fault != NULL) fail_msg("after %s the ledger is lost: %s", mode->name, fault);
    assert_int_equal(entered_otherwise, 0);
}

TEST(rounds_are_the_same_whatever_the_store_leaves_behind)
{
    static transcript usual, other;
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = DIM, spec.arms = ARMS;
    spec.epsilon = .7; /* its sums are not exact */
    sotto_terms terms = resolved(&spec);
    play_leaving(&terms, &float_modes[0], &usual);
    for (size_t m = 1; m < float_modes_count; m++) {
        if (!float_mode_exists(&float_modes[m])) continue;
        play_leaving(&terms, &float_modes[m], &other);
        assert_int_equal(other.count, usual.count);
        assert_memory_equal(other.bytes, usual.bytes, usual.count);
    }
}
