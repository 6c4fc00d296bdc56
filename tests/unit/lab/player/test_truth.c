/* The true values beside measure rounds: sums by hand, and whole runs compared with the same people
 * kept in a list. */
#include "client/client.h"
#include "core/core.h"
#include "lab/environment/environment.h"
#include "lab/player/inner.h"
#include "lab/player/player.h"
#include "lab/random/random.h"
#include "scenes.h"
#include "server/server.h"
#include "test.h"

OWNED(sotto__player, sotto__player_free)
OWNED(sotto__truth, sotto__truth_free)
OWNED(sotto_learner, sotto_learner_free)

static sotto_match measured_match(sotto_parameters parameters, uint32_t lag)
{
    sotto_match match = small_match(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, parameters,
                                    SOTTO_LINK_IDENTITY, 1000);
    match.spec.measure = 1u << 31;
    match.spec.epoch_lag_max = lag;
    match.learning.epoch = 5;
    if (match.learning.warm_up > 40) match.learning.warm_up = 40;
    return match;
}

static sotto_learner *learner_of(const sotto_match *match)
{
    sotto_terms terms;
    sotto_learner *learner;
    assert_ok(sotto_spec_resolve(&match->spec, &terms));
    assert_ok(sotto_learner_new(&terms, &match->learning, &learner));
    return learner;
}

TEST(before_the_first_report_nothing_is_true)
{
    sotto_match match = measured_match(SOTTO_PARAMETERS_SHARED, 0);
    OWN(sotto_learner) learner = learner_of(&match);
    OWN(sotto__truth) truth;
    sotto_run_measurement m;
    assert_ok(sotto__truth_new(4, 0, &truth));
    assert_ok(sotto__truth_measure(truth, learner, &m));
    assert_true(m.there && m.arms_count == 4);
    assert_true(isnan(m.follow) && isnan(m.control) && isnan(m.uplift) && isnan(m.recent_uplift));
    assert_true(isnan(m.arm[3].mean) && isnan(m.arm[3].uplift));
    sotto__truth_free(NULL);
}

TEST(sums_by_hand)
{
    sotto_match match = measured_match(SOTTO_PARAMETERS_SHARED, 0);
    OWN(sotto_learner) learner = learner_of(&match);
    OWN(sotto__truth) truth;
    sotto_run_measurement m;
    assert_ok(sotto__truth_new(4, 1, &truth));
    for (int i = 0; i < 2; i++) {
        sotto__truth_add(truth, 0, SOTTO_ROLE_FOLLOW, 2, 1);
        sotto__truth_add(truth, 0, SOTTO_ROLE_CONTROL, 0, 0.5);
    }
    sotto__truth_add(truth, 1, SOTTO_ROLE_CONTROL, 3, -1); /* still on its way */
    sotto__truth_arrive(truth, 0);
    assert_ok(sotto__truth_measure(truth, learner, &m));
    assert_true(m.follow == 1 && m.control == 0.5 && m.uplift == 0.5);
    assert_true(isnan(m.recent_uplift));                 /* it restarted, at 4 */
    sotto__truth_add(truth, 2, SOTTO_ROLE_FOLLOW, 2, 0); /* in the place of epoch 0 */
    sotto__truth_arrive(truth, 1);
    sotto__truth_arrive(truth, 2);
    assert_ok(sotto__truth_measure(truth, learner, &m));
    assert_true(m.follow == 2. / 3 && m.control == 0 && m.recent_uplift == 1);
    assert_true(m.arm[0].mean == 0.5 && m.arm[3].mean == -1 && m.arm[3].uplift == 2. / 3 + 1);
    assert_true(isnan(m.arm[1].mean));
}

/* With more arms than are listed, the others still count in the sums. */
TEST(many_arms_are_not_all_listed)
{
    sotto_match match = measured_match(SOTTO_PARAMETERS_SHARED, 0);
    match.spec.arms = SOTTO_RUN_ARMS_MAX + 1;
    OWN(sotto_learner) learner = learner_of(&match);
    OWN(sotto__truth) truth;
    sotto_run_measurement m;
    assert_ok(sotto__truth_new(match.spec.arms, 0, &truth));
    sotto__truth_add(truth, 0, SOTTO_ROLE_CONTROL, SOTTO_RUN_ARMS_MAX, 0.25);
    sotto__truth_arrive(truth, 0);
    assert_ok(sotto__truth_measure(truth, learner, &m));
    assert_int_equal(m.arms_count, SOTTO_RUN_ARMS_MAX);
    assert_true(m.control == 0.25);
}

/* ---- whole runs --------------------------------------------------------------------------- */

enum { ROUNDS = 2000, ARMS = 4, FRAME_BYTES = 64 };

/* The result of one person's round. */
typedef struct person {
    uint8_t frame[FRAME_BYTES];
    uint32_t epoch, arm;
    sotto_role role;
    bool compared; /* the model of the epoch decides */
    double reward;
} person;

/* The shipped code without the lab's player, person by person. */
typedef struct crowd {
    sotto_terms terms;
    sotto__fast_rng random;
    sotto_ledger *ledger;
    sotto_client *client;
    sotto_round *round;
    sotto_learner *learner;
    sotto_report *report;
    person person[ROUNDS];
    uint32_t arrived[ROUNDS], arrived_count; /* in their order, epoch by epoch */
    uint32_t since;                          /* the first recent one */
} crowd;

static void crowd_begin(crowd *c, const sotto_match *match, uint64_t seed)
{
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_lifetime = INFINITY;
    policy.measure_share_max = 0.5;
    assert_ok(sotto_spec_resolve(&match->spec, &c->terms));
    sotto__stream_begin(&c->random.seeded, seed, SOTTO__PURPOSE_PRIVACY);
    assert_ok(sotto_ledger_memory_new(&c->ledger));
    assert_ok(sotto_client_new(&policy, c->ledger, &c->client));
    c->client->rng = &c->random.seeded.rng;
    assert_ok(sotto_round_new(c->client, &c->terms, &c->round));
    assert_ok(sotto_learner_new(&c->terms, &match->learning, &c->learner));
    assert_ok(sotto_report_new(&c->terms, &c->report));
}

static void crowd_end(crowd *c)
{
    sotto_report_free(c->report);
    sotto_learner_free(c->learner);
    sotto_round_free(c->round);
    sotto_client_free(c->client);
    sotto_ledger_free(c->ledger);
}

static void play_person(crowd *c, uint32_t t, const sotto__world *world)
{
    const sotto_model *model = sotto_learner_model(c->learner);
    person *p = &c->person[t];
    assert_ok(sotto_round_begin(c->round, model));
    assert_ok(sotto_round_decide(c->round, world->context, world->context_count, &p->arm));
    double reward = sotto__world_reward(world, p->arm);
    assert_ok(sotto_round_finish(c->round, reward, p->frame, FRAME_BYTES));
    size_t bytes = sotto_report_bytes(&c->terms);
    assert_ok(sotto_report_decode(&c->terms, p->frame, bytes, c->report));
    p->epoch = model->epoch;
    p->compared = sotto__model_is_followed(&c->terms.spec, model);
    p->role = sotto__role_of(&c->terms, c->report->nonce, p->compared);
    p->reward = sotto__clip_reward(&c->terms.spec, reward);
}

/* The reports of epoch e arrive, and the current epoch ends. */
static void end_epoch(crowd *c, uint32_t epoch, uint32_t count)
{
    uint32_t lag = c->terms.spec.epoch_lag_max, before = c->learner->measures.doublings;
    for (uint32_t t = 0; t < count && epoch >= lag; t++) {
        const person *p = &c->person[t];
        if (p->epoch != epoch - lag) continue;
        assert_ok(
            sotto_report_decode(&c->terms, p->frame, sotto_report_bytes(&c->terms), c->report));
        assert_ok(sotto_learner_take(c->learner, c->report));
        if (p->compared && p->role != SOTTO_ROLE_LEARN) c->arrived[c->arrived_count++] = t;
    }
    assert_ok(sotto_learner_publish(c->learner));
    if (c->learner->measures.doublings > before) c->since = c->arrived_count;
}

static double mean_of(const crowd *c, sotto_role role, uint32_t arm, uint32_t from)
{
    double sum = 0, count = 0;
    for (uint32_t i = from; i < c->arrived_count; i++) {
        const person *p = &c->person[c->arrived[i]];
        if (p->role != role || (arm < ARMS && p->arm != arm)) continue;
        sum += p->reward;
        count++;
    }
    return sum / count;
}

static void assert_is_true_of(const crowd *c, const sotto_run_measurement *m)
{
    sotto_measurement seen;
    assert_ok(sotto_learner_measure(c->learner, SOTTO_RUN_MEASURE_ALPHA, &seen));
    assert_memory_equal(&m->seen, &seen, sizeof seen);
    assert_true(seen.follow_count > 200 && seen.control_count > 200);
    double follow = mean_of(c, SOTTO_ROLE_FOLLOW, ARMS, 0);
    assert_nears(1e-12, m->follow, follow, m->control, mean_of(c, SOTTO_ROLE_CONTROL, ARMS, 0));
    assert_near(m->uplift, m->follow - m->control, 1e-12);
    assert_near(m->recent_uplift,
                mean_of(c, SOTTO_ROLE_FOLLOW, ARMS, c->since) -
                    mean_of(c, SOTTO_ROLE_CONTROL, ARMS, c->since),
                1e-12);
    for (uint32_t a = 0; a < ARMS; a++) {
        sotto_arm_measurement arm;
        assert_ok(sotto_learner_measure_arm(c->learner, SOTTO_RUN_MEASURE_ALPHA, a, &arm));
        assert_memory_equal(&m->arm[a].seen, &arm, sizeof arm);
        assert_near(m->arm[a].mean, mean_of(c, SOTTO_ROLE_CONTROL, a, 0), 1e-12);
        assert_near(m->arm[a].uplift, follow - m->arm[a].mean, 1e-12);
    }
}

/* Only learn rounds count for epochs, with late reports too. */
TEST(the_player_keeps_what_is_true_of_the_people_that_the_server_sees)
{
    static crowd c;
    for (uint32_t at = 0; at < 4; at++) {
        sotto_match match = measured_match((sotto_parameters)(at % 2), at < 2 ? 0 : 2);
        sotto__world *world;
        OWN(sotto__player) player;
        sotto_run_measurement m;
        c = (crowd){.arrived_count = 0};
        assert_ok(sotto__world_new(&match, 31, &world));
        assert_ok(sotto__player_shipped_new(&match, 31, world, &player));
        crowd_begin(&c, &match, 31);
        for (uint32_t t = 0, learnt = 0; t < ROUNDS; t++) {
            uint32_t arm;
            sotto__world_next(world);
            assert_ok(player->decide(player, world->context, &arm));
            assert_ok(player->learn(player, sotto__world_reward(world, arm)));
            play_person(&c, t, world);
            assert_int_equal(arm, c.person[t].arm);
            learnt += c.person[t].role == SOTTO_ROLE_LEARN;
            if (learnt < sotto_learner_wanted(c.learner)) continue;
            end_epoch(&c, c.person[t].epoch, t + 1);
            learnt = 0;
        }
        assert_ok(player->measure(player, &m));
        assert_is_true_of(&c, &m);
        crowd_end(&c);
        sotto__world_free(world);
    }
}

TEST(without_measure_rounds_nothing_is_said)
{
    sotto_match match = measured_match(SOTTO_PARAMETERS_SHARED, 0);
    match.spec.measure = 0;
    OWN(sotto__player) player;
    sotto_run_measurement m = {.there = false};
    assert_ok(sotto__player_shipped_new(&match, 1, NULL, &player));
    assert_ok(player->measure(player, &m));
    assert_false(m.there);
}
