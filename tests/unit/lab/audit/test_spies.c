/* Spies behave like what they stand for, and remember. */
#include "client/client.h"
#include "lab/audit/spies.h"
#include "test.h"

#include <math.h>
#include <string.h>

static void the_generator_counts_and_is_the_seed_s(void **state)
{
    (void)state;
    sotto__spy_rng spy;
    sotto__seeded seeded;
    uint8_t ours[24], theirs[24];
    sotto__spy_rng_begin(&spy, 7);
    sotto__seeded_begin(&seeded, 7);
    assert_ok(spy.rng.fill(&spy.rng, ours, 24));
    assert_ok(seeded.rng.fill(&seeded.rng, theirs, 24));
    assert_memory_equal(ours, theirs, 24);
    assert_int_equal(spy.drawn_bytes, 24);
}

/* Through a real round, so that the ledger's interface is the client's. */
static void the_ledger_remembers_a_round(void **state)
{
    (void)state;
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = 2;
    spec.arms = 2;
    sotto_terms terms;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    sotto__spy_ledger spy;
    sotto__spy_ledger_begin(&spy);
    sotto_policy policy = sotto_policy_default();
    sotto_client *client;
    sotto_round *round;
    sotto_model *model;
    assert_ok(sotto_client_new(&policy, &spy.ledger, &client));
    assert_ok(sotto_round_new(client, &terms, &round));
    assert_ok(sotto_model_new(&terms, &model));
    model->phase = SOTTO_PHASE_MAIN;
    const double context[4] = {1, 0, 0, 1};
    uint8_t frame[64];
    uint32_t arm;

    spy.refuses_debit = true;
    assert_status(sotto_round_begin(round, model), SOTTO_E_BUDGET);
    spy.refuses_debit = false;
    assert_ok(sotto_round_begin(round, model));
    assert_int_equal(spy.debits, 2);
    assert_ok(sotto_round_decide(round, context, 4, &arm));
    assert_ok(sotto_round_finish(round, 1, frame, sizeof frame));
    assert_int_equal(spy.records, 1);
    assert_int_equal(spy.frame_bytes, sotto_report_bytes(&terms));
    assert_memory_equal(spy.frame, frame, spy.frame_bytes);
    assert_memory_equal(spy.nonce, frame + 24, SOTTO_NONCE_BYTES);

    spy.refuses_record = true;
    assert_ok(sotto_round_begin(round, model));
    assert_ok(sotto_round_decide(round, context, 4, &arm));
    assert_status(sotto_round_finish(round, 1, frame, sizeof frame), SOTTO_E_BUDGET);
    sotto_round_free(round);
    sotto_model_free(model);
    sotto_client_free(client);
    sotto_ledger_free(&spy.ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_generator_counts_and_is_the_seed_s),
        cmocka_unit_test(the_ledger_remembers_a_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
