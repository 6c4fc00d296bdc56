/* Held rounds on a ledger behind calls: in every floating-point environment the same bytes. What
 * other rounds and ledgers do: tests/unit/core/test_float_environment.c. */
#include "client/client.h"
#include "store.h"
#include "tape.h"
#include "test.h"
#include "transcript.h"

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
    sotto_ledger *ledger;
    sotto_client *client;
    sotto_round *round;
    sotto_model *model;
    sotto_status status;
    const char *fault;
    char text[SOTTO_FAULT_BYTES];
    tape random = tape_seeded(7);
    UNDER(mode, status = sotto_ledger_calls_create(&calls));
    assert_ok(status);
    UNDER(mode, status = sotto_ledger_calls_open(&calls, &ledger));
    assert_ok(status);
    assert_ok(sotto_client_new(&policy, ledger, &client));
    client->rng = &random.rng;
    assert_ok(sotto_round_new(client, what, &round));
    assert_ok(sotto_model_new(what, &model));
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
    UNDER(mode, fault = sotto_ledger_calls_fault(&calls, text));
    note_text(t, fault);
    sotto_model_free(model);
    sotto_round_free(round);
    sotto_client_free(client);
    sotto_ledger_free(ledger);
}

static void held_rounds_behind_calls_are_the_same_in_every_environment(void **state)
{
    (void)state;
    sotto_terms terms;
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = DIM;
    spec.arms = ARMS;
    spec.epsilon = .7;
    spec.send_spread_s = 60;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    assert_same_everywhere(play_calls, &terms);
    spec.method = SOTTO_METHOD_LDP_OLS;
    spec.score = SOTTO_SCORE_MOMENTS;
    spec.delta = 1e-6;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    assert_same_everywhere(play_calls, &terms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_rounds_behind_calls_are_the_same_in_every_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
