/* Every public function of client.h with each of its pointers missing in turn. tests/boundary sees
 * that none is forgotten. */
#include "missing.h"

#include <sotto/client.h>

#include <math.h>
#include <string.h>

#define DIM 2
#define ARMS 2
#define CELLS 4
#define FRAME_BYTES 42

typedef struct fixture {
    sotto_policy policy;
    sotto_spec spec;
    sotto_terms terms;
    sotto_ledger *ledger;
    sotto_client *client;
    sotto_round *round;
    sotto_model *model;
    uint32_t arm;
    uint8_t frame[FRAME_BYTES];
    sotto_fault fault;
} fixture;

static const double context[CELLS] = {.1, .2, .3, .4};
static const double worth[ARMS] = {1, 2};

FIXTURE(set_up)
{
    static fixture f;
    f.policy = sotto_policy_default();
    f.spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    f.spec.dim = DIM;
    f.spec.arms = ARMS;
    assert_ok(sotto_spec_resolve(&f.spec, &f.terms));
    assert_ok(sotto_ledger_memory_new(&f.ledger));
    assert_ok(sotto_client_new(&f.policy, f.ledger, &f.client));
    assert_ok(sotto_round_new(f.client, &f.terms, &f.round));
    assert_ok(sotto_model_new(&f.terms, &f.model));
    *state = &f;
}

FIXTURE(tear_down)
{
    fixture *f = *state;
    sotto_model_free(f->model);
    sotto_round_free(f->round);
    sotto_client_free(f->client);
    sotto_ledger_free(f->ledger);
}

TEST_WITH(nothing_is_made, set_up, tear_down)
{
    fixture *f = *state;
    sotto_ledger *ledger;
    sotto_client *client;
    sotto_round *round;
    assert_refused(sotto_ledger_memory_new(NULL));
    assert_refused(sotto_ledger_file_create(NULL));
    assert_not_made(sotto_ledger_file_open(NULL, &ledger), ledger);
    assert_refused(sotto_ledger_file_open("", NULL));
    assert_not_made(sotto_client_new(NULL, f->ledger, &client), client);
    assert_not_made(sotto_client_new(&f->policy, NULL, &client), client);
    assert_refused(sotto_client_new(&f->policy, f->ledger, NULL));
    assert_not_made(sotto_round_new(NULL, &f->terms, &round), round);
    assert_not_made(sotto_round_new(f->client, NULL, &round), round);
    assert_refused(sotto_round_new(f->client, &f->terms, NULL));
    sotto_ledger_calls calls = {.version = SOTTO_LEDGER_CALLS_VERSION};
    assert_refused(sotto_ledger_calls_create(NULL));
    assert_refused(sotto_ledger_calls_create(&calls));
    assert_not_made(sotto_ledger_calls_open(NULL, &ledger), ledger);
    assert_not_made(sotto_ledger_calls_open(&calls, &ledger), ledger);
    assert_refused(sotto_ledger_calls_open(&calls, NULL));
    sotto_ledger_free(NULL);
    sotto_client_free(NULL);
    sotto_round_free(NULL);
}

TEST_WITH(a_held_round_and_its_report_are_where_they_were, set_up, tear_down)
{
    fixture *f = *state;
    sotto_unsent next;
    assert_ok(sotto_round_begin(f->round, f->model));
    assert_refused(sotto_round_hold(NULL));
    assert_ok(sotto_round_hold(f->round));
    assert_ok(sotto_round_decide(f->round, context, CELLS, &f->arm));
    assert_refused(sotto_ledger_unsent(NULL, 0, &next));
    assert_refused(sotto_ledger_unsent(f->ledger, 0, NULL));
    assert_refused(sotto_ledger_seal(NULL, 1, f->frame, FRAME_BYTES));
    assert_refused(sotto_ledger_seal(f->ledger, 1, NULL, FRAME_BYTES));
    assert_refused(sotto_round_seal(NULL, f->frame, FRAME_BYTES));
    assert_refused(sotto_round_seal(f->round, NULL, FRAME_BYTES));
    assert_ok(sotto_ledger_unsent(f->ledger, 0, &next));
    assert_true(next.entry == 1 && !next.sealed);
    assert_ok(sotto_round_seal(f->round, f->frame, FRAME_BYTES));
    assert_refused(sotto_round_acknowledge(NULL));
    assert_refused(sotto_ledger_acknowledge(NULL, 1));
    assert_ok(sotto_round_acknowledge(f->round));
}

TEST_WITH(a_round_with_a_time_and_its_report_are_where_they_were, set_up, tear_down)
{
    fixture *f = *state;
    uint64_t send_at_ms = 0;
    assert_ok(sotto_round_begin(f->round, f->model));
    assert_refused(sotto_round_hold_at(NULL, 1, &send_at_ms));
    assert_refused(sotto_round_hold_at(f->round, 1, NULL));
    assert_ok(sotto_round_hold_at(f->round, 1, &send_at_ms));
    assert_ok(sotto_round_decide(f->round, context, CELLS, &f->arm));
    assert_refused(sotto_ledger_drop(NULL, 1));
    assert_ok(sotto_ledger_drop(f->ledger, sotto_round_entry(f->round)));
    assert_int_equal(sotto_ledger_dropped(f->ledger), 1);
}

/* The round goes on as if the call had not been made. */
TEST_WITH(a_round_is_where_it_was, set_up, tear_down)
{
    fixture *f = *state;
    assert_refused(sotto_round_begin(NULL, f->model));
    assert_refused(sotto_round_begin(f->round, NULL));
    assert_int_equal(sotto_ledger_rounds(f->ledger), 0);
    assert_ok(sotto_round_begin(f->round, f->model));
    assert_refused(sotto_round_begin(f->round, NULL)); /* begun, and not abandoned */
    assert_refused(sotto_round_decide(NULL, context, CELLS, &f->arm));
    assert_refused(sotto_round_decide(f->round, NULL, CELLS, &f->arm));
    assert_refused(sotto_round_decide(f->round, context, CELLS, NULL));
    assert_refused(sotto_round_decide_worth(NULL, context, CELLS, worth, &f->arm));
    assert_refused(sotto_round_decide_worth(f->round, NULL, CELLS, worth, &f->arm));
    assert_refused(sotto_round_decide_worth(f->round, context, CELLS, NULL, &f->arm));
    assert_refused(sotto_round_decide_worth(f->round, context, CELLS, worth, NULL));
    assert_ok(sotto_round_decide(f->round, context, CELLS, &f->arm));
    assert_refused(sotto_round_finish(NULL, .5, f->frame, FRAME_BYTES));
    assert_refused(sotto_round_finish(f->round, .5, NULL, FRAME_BYTES));
    assert_ok(sotto_round_finish(f->round, .5, f->frame, FRAME_BYTES));
    assert_refused(sotto_round_resend(NULL, f->frame, FRAME_BYTES));
    assert_refused(sotto_round_resend(f->round, NULL, FRAME_BYTES));
    assert_int_equal(sotto_ledger_rounds(f->ledger), 1);
}

TEST_WITH(rounds_of_many_are_where_they_were, set_up, tear_down)
{
    fixture *f = *state;
    const double reward = .5;
    sotto_status status;
    sotto_round *const *many = &f->round;
    assert_refused(sotto_rounds_begin(NULL, 1, f->model, &status));
    assert_refused(sotto_rounds_begin(many, 1, NULL, &status));
    assert_ok(sotto_rounds_begin(many, 1, f->model, NULL));
    assert_refused(sotto_rounds_decide(NULL, 1, context, CELLS, &f->arm, &status));
    assert_refused(sotto_rounds_decide(many, 1, NULL, CELLS, &f->arm, &status));
    assert_refused(sotto_rounds_decide(many, 1, context, CELLS, NULL, &status));
    assert_ok(sotto_rounds_decide(many, 1, context, CELLS, &f->arm, NULL));
    assert_refused(sotto_rounds_finish(NULL, 1, &reward, f->frame, FRAME_BYTES, &status));
    assert_refused(sotto_rounds_finish(many, 1, NULL, f->frame, FRAME_BYTES, &status));
    assert_refused(sotto_rounds_finish(many, 1, &reward, NULL, FRAME_BYTES, &status));
    assert_ok(sotto_rounds_finish(many, 1, &reward, f->frame, FRAME_BYTES, NULL));
}

TEST_WITH(no_round_begins_under_a_model_without_an_array, set_up, tear_down)
{
    fixture *f = *state;
    sotto_model partial = *f->model;
    partial.theta = NULL;
    assert_refused(sotto_round_begin(f->round, &partial));
    assert_int_equal(sotto_ledger_rounds(f->ledger), 0);
}

TEST_WITH(a_fault_function_never_finds_a_missing_pointer_good, set_up, tear_down)
{
    fixture *f = *state;
    assert_ok(sotto_policy_fault(&f->policy, &f->fault));
    assert_ok(sotto_policy_fault(&f->policy, NULL));
    assert_ok(sotto_policy_refusal(&f->policy, &f->spec, &f->fault));
    assert_ok(sotto_policy_refusal(&f->policy, &f->spec, NULL));
    assert_ok(sotto_ledger_fault(f->ledger, &f->fault));
    assert_ok(sotto_ledger_fault(f->ledger, NULL));
    assert_refused(sotto_policy_fault(NULL, &f->fault));
    assert_refused(sotto_policy_refusal(NULL, &f->spec, &f->fault));
    assert_refused(sotto_policy_refusal(&f->policy, NULL, &f->fault));
    assert_status(sotto_ledger_file_fault("", NULL), SOTTO_E_LEDGER);
    assert_refused(sotto_ledger_file_fault(NULL, &f->fault));
    sotto_ledger_calls calls = {.version = SOTTO_LEDGER_CALLS_VERSION};
    assert_refused(sotto_ledger_calls_fault(NULL, &f->fault));
    assert_refused(sotto_ledger_calls_fault(&calls, &f->fault));
    assert_refused(sotto_ledger_calls_fault(&calls, NULL));
    assert_refused(sotto_ledger_fault(NULL, &f->fault));
}

TEST_WITH(no_card_is_made, set_up, tear_down)
{
    fixture *f = *state;
    sotto_card card;
    assert_refused(sotto_card_make(NULL, &f->policy, f->ledger, &card));
    assert_refused(sotto_card_make(&f->terms, NULL, f->ledger, &card));
    assert_refused(sotto_card_make(&f->terms, &f->policy, NULL, &card));
    assert_refused(sotto_card_make(&f->terms, &f->policy, f->ledger, NULL));
}

TEST(counts_are_zero_and_amounts_infinite)
{
    assert_int_equal(sotto_round_entry(NULL), 0);
    assert_false(sotto_round_reports(NULL));
    assert_ints(sotto_ledger_dropped(NULL), 0, sotto_ledger_rounds(NULL), 0,
                sotto_ledger_reports(NULL), 0);
    assert_true(sotto_ledger_epsilon(NULL) == INFINITY);
    assert_true(sotto_ledger_delta(NULL) == INFINITY);
    assert_true(sotto_ledger_epsilon_optimal(NULL, 1e-6) == INFINITY);
}
