#include "core/core.h"
#include "fleet/fleet.h"
#include "stages.h"
#include "test.h"

#include <sotto/client.h>

#define PEOPLE 3000

/* What the learner of a server and what a fleet makes of the same reports. */
typedef struct pair {
    sotto_terms terms;
    sotto_learner *learner;
    sotto__policy_value *value;
    sotto_ledger *ledger;
    sotto_client *client;
    sotto_round *round;
    double sum[SOTTO_ROLE_FOLLOW + 1];
    uint64_t count[SOTTO_ROLE_FOLLOW + 1];
} pair;

static void pair_open(pair *p, double measure)
{
    sotto_policy policy = sotto_policy_default();
    *p = (pair){.terms = stage_terms(measure)};
    sotto_learning learning = sotto_learning_default(&p->terms, 0);
    policy.epsilon_lifetime = INFINITY;
    policy.measure_share_max = 0.5;
    assert_ok(sotto_learner_new(&p->terms, &learning, &p->learner));
    assert_ok(sotto__policy_value_new(&p->terms, &p->value));
    assert_ok(sotto_ledger_memory_new(&p->ledger));
    assert_ok(sotto_client_new(&policy, p->ledger, &p->client));
    assert_ok(sotto_round_new(p->client, &p->terms, &p->round));
}

static void pair_close(pair *p)
{
    sotto_round_free(p->round);
    sotto_client_free(p->client);
    sotto_ledger_free(p->ledger);
    sotto__policy_value_free(p->value);
    sotto_learner_free(p->learner);
}

/* A person whose first arm is always right. */
static void pair_play(pair *p)
{
    static const double context[6] = {1, 0, 0, 1, -1, 0};
    uint8_t frame[SOTTO_NONCE_BYTES + 64];
    size_t bytes = sotto_report_bytes(&p->terms);
    const sotto_model *model = sotto_learner_model(p->learner);
    bool followed = sotto__model_is_followed(&p->terms.spec, model);
    uint32_t arm;
    assert_true(bytes <= sizeof frame);
    assert_ok(sotto_round_begin(p->round, model));
    assert_ok(sotto_round_decide(p->round, context, 6, &arm));
    double reward = arm == 0;
    assert_ok(sotto_round_finish(p->round, reward, frame, bytes));
    assert_ok(sotto_learner_take_frames(p->learner, frame, bytes, NULL));
    assert_ok(sotto__policy_value_take(p->value, frame, bytes, followed, reward));
    sotto_role role = sotto__role_of(&p->terms, frame + 24, followed);
    p->sum[role] += followed ? reward : 0;
    p->count[role] += followed;
}

TEST(bytes_that_are_no_report_are_refused)
{
    FREED_BY(pair_close) pair p;
    uint8_t frame[100] = {0};
    pair_open(&p, 0.5);
    assert_true(sotto__policy_value_take(p.value, frame, 42, true, 1) != SOTTO_OK);
    assert_true(sotto__policy_value_take(p.value, frame, 3, true, 1) != SOTTO_OK);
    assert_int_equal(sotto__policy_value_look(p.value).follow_count, 0);
}

TEST(terms_without_measure_rounds_have_no_uplift)
{
    FREED_BY(pair_close) pair p;
    pair_open(&p, 0);
    for (uint32_t i = 0; i < 100; i++) {
        pair_play(&p);
    }
    assert_false(sotto__policy_value_look(p.value).there);
}

TEST(nothing_is_seen_before_a_model_decides)
{
    FREED_BY(pair_close) pair p;
    pair_open(&p, 0.5);
    for (uint32_t i = 0; i < 100; i++) {
        pair_play(&p);
    }
    sotto__policy_value_seen seen = sotto__policy_value_look(p.value);
    assert_true(seen.there);
    assert_int_equal(seen.follow_count + seen.control_count, 0);
    assert_true(isnan(seen.uplift.value) && isnan(seen.truth));
}

TEST(it_is_what_the_server_sees_to_the_bit_beside_the_truth)
{
    FREED_BY(pair_close) pair p;
    sotto_measurement server;
    pair_open(&p, 0.5);
    for (uint32_t i = 0; i < PEOPLE; i++) {
        pair_play(&p);
        if (i % 500 == 499) assert_ok(sotto_learner_publish(p.learner));
    }
    assert_ok(sotto_learner_measure(p.learner, SOTTO__POLICY_VALUE_ALPHA, &server));
    sotto__policy_value_seen seen = sotto__policy_value_look(p.value);
    assert_true(server.follow_count > 100 && server.control_count > 100);
    assert_ints(seen.follow_count, server.follow_count, seen.control_count, server.control_count);
    assert_memory_equal(&seen.uplift, &server.uplift, sizeof seen.uplift);
    assert_int_equal(seen.follow_count, p.count[SOTTO_ROLE_FOLLOW]);
    assert_int_equal(seen.control_count, p.count[SOTTO_ROLE_CONTROL]);
    double truth = p.sum[SOTTO_ROLE_FOLLOW] / (double)p.count[SOTTO_ROLE_FOLLOW] -
                   p.sum[SOTTO_ROLE_CONTROL] / (double)p.count[SOTTO_ROLE_CONTROL];
    assert_near(seen.truth, truth, 1e-12);
    /* Looking changes nothing. */
    sotto__policy_value_seen again = sotto__policy_value_look(p.value);
    assert_memory_equal(&seen.uplift, &again.uplift, sizeof seen.uplift);
}
