/* Measure rounds: the reward is reported and nothing else, by the role that the nonce gives. */
#include "client/client.h"
#include "core/core.h"
#include "made.h"
#include "person.h"
#include "test.h"

#include <math.h>

#define DIM 3
#define ARMS 4
#define CELLS 12
#define FRAME_BYTES 42

static const double context[CELLS] = {.1, .2, .3, .3, .6, .1, .2, .1, .7, -.5, .2, .5};

static sotto_spec measured_spec(void)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = DIM, spec.arms = ARMS, spec.reward_default = 0.25;
    spec.measure = 1u << 31; /* half of all rounds */
    return spec;
}

/* Half of the rounds are more than a device allows by default. */
static void measured_person(person *p, uint64_t seed)
{
    sotto_policy policy = sotto_policy_default();
    sotto_spec spec = measured_spec();
    policy.measure_share_max = 0.5;
    person_join(p, &spec, &policy, seed);
    p->model->tbar[1] = 0.5;
}

/* The same bytes by hand, on the same tape; control plays the arm of the nonce. */
TEST(measure_rounds_report_the_reward_and_nothing_else)
{
    int seen[3] = {0};
    for (uint64_t trial = 0; trial < 120; trial++) {
        person p;
        measured_person(&p, trial);
        double reward = trial % 4 == 0 ? NAN : 0.6;
        assert_ok(sotto_round_begin(p.round, p.model));
        assert_ok(sotto_round_decide(p.round, context, CELLS, &p.arm));
        assert_ok(sotto_round_finish(p.round, reward, p.frame, FRAME_BYTES));

        tape same = tape_seeded(trial);
        sotto__door door = {&p.terms, SOTTO_PHASE_MAIN, 0, {0}};
        assert_ok(same.rng.fill(&same.rng, door.nonce, sizeof door.nonce));
        sotto_role role = sotto__role_of(&p.terms, door.nonce, true);
        seen[role]++;
        double scratch[64];
        bool control = role == SOTTO_ROLE_CONTROL;
        assert_int_equal(p.arm,
                         control ? sotto__assigned_arm(&p.terms, door.nonce)
                                 : sotto__decide(&p.terms, p.model, door.nonce, context, scratch));
        uint8_t frame[FRAME_BYTES];
        sotto__door_work *work = made_work(&p.terms);
        sotto_report *report = made_report(&p.terms);
        if (role != SOTTO_ROLE_LEARN) {
            double y = 2 * ((isnan(reward) ? 0.25 : 0.6) + 1) / 2 - 1;
            assert_ok(sotto__privatise_reward(&door, y, &same.rng, work, report));
            assert_true(report->value[0] == 0 || report->value[0] == 1);
            assert_ok(sotto_report_encode(&p.terms, report, frame, FRAME_BYTES));
            assert_memory_equal(p.frame, frame, FRAME_BYTES);
        }
    }
    assert_true(seen[SOTTO_ROLE_LEARN] > 30 && seen[SOTTO_ROLE_CONTROL] > 10);
    assert_true(seen[SOTTO_ROLE_FOLLOW] > 10);
}

TEST(measure_rounds_know_no_worths)
{
    person p;
    const double worth[ARMS] = {1, 1, 1, 1};
    measured_person(&p, 1);
    assert_ok(sotto_round_begin(p.round, p.model));
    assert_status(sotto_round_decide_worth(p.round, context, CELLS, worth, &p.arm), SOTTO_E_FAULT);
    assert_ok(sotto_round_decide(p.round, context, CELLS, &p.arm)); /* may be tried again */
}
