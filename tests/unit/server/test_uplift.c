/* What the policy is worth: bad questions, numbers by hand, and through devices. */
#include "client/client.h"
#include "made.h"
#include "server/server.h"
#include "tape.h"
#include "test.h"

#include <math.h>
#include <string.h>

#define ARMS 3

static sotto_terms terms_of(uint32_t measure)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = 2, spec.arms = ARMS, spec.measure = measure, spec.reward_lo = 0, spec.reward_hi = 4;
    sotto_terms terms = resolved(&spec);
    return terms;
}

static sotto_learner *learner_of(uint32_t measure)
{
    const sotto_terms terms = terms_of(measure);
    const sotto_learning learning = sotto_learning_default(&terms, 1000);
    return made_learner(&terms, &learning);
}

TEST(bad_questions_are_refused)
{
    sotto_learner *learner = learner_of(1u << 31), *without = learner_of(0);
    sotto_measurement m;
    sotto_arm_measurement a;
    const double bad[] = {0, 1, -0.1, 2, NAN, INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_status(sotto_learner_measure(learner, bad[i], &m), SOTTO_E_FAULT);
        assert_status(sotto_learner_measure_arm(learner, bad[i], 0, &a), SOTTO_E_FAULT);
    }
    assert_status(sotto_learner_measure(without, 0.05, &m), SOTTO_E_SPEC);
    assert_status(sotto_learner_measure_arm(without, 0.05, 0, &a), SOTTO_E_SPEC);
    assert_status(sotto_learner_measure_arm(learner, 0.05, ARMS, &a), SOTTO_E_INDEX);
}

TEST(before_the_first_report_all_is_possible)
{
    sotto_learner *learner = learner_of(1u << 31);
    sotto_measurement m;
    assert_ok(sotto_learner_measure(learner, 0.05, &m));
    assert_int_equal(m.follow_count + m.control_count, 0);
    assert_true(isnan(m.follow.value) && m.follow.lo == 0 && m.follow.hi == 4);
    assert_true(isnan(m.uplift.value) && m.uplift.lo == -4 && m.uplift.hi == 4);
    assert_true(isnan(m.recent_uplift.value) && m.recent_uplift.hi == 4);
}

static sotto_tally *tally_with(const sotto_learner *learner, bool decides, uint64_t follow,
                               uint64_t control)
{
    sotto_tally *tally = made_tally(&learner->terms, 0, SOTTO_PHASE_MAIN, decides);
    tally->follow = (sotto__measured){follow, (int64_t)follow / 2};
    tally->control[1] = (sotto__measured){control, 0};
    tally->measured = follow + control;
    return tally;
}

TEST(numbers_by_hand)
{
    sotto_learner *learner = learner_of(1u << 31);
    sotto_tally *idle = tally_with(learner, false, 0, 900),
                *busy = tally_with(learner, true, 1000, 600);
    sotto_measurement m;
    sotto_arm_measurement a;
    sotto__measures_add(&learner->measures, idle); /* nobody follows: not compared */
    sotto__measures_add(&learner->measures, busy);
    assert_ok(sotto_learner_measure(learner, 0.05, &m));
    assert_ints(m.follow_count, 1000, m.control_count, 600);
    assert_int_equal(m.recent_follow_count, 0); /* 1600 passes 2^10 */
    double scale = 1 / tanh(0.5), width = sotto__measure_width(1000, 0.025);
    assert_near(m.control.value, 2, 1e-12);
    assert_near(m.follow.value, 2 + 2 * scale * 0.5, 1e-6); /* w_top is an integer */
    assert_near(m.follow.hi, fmin(4, m.follow.value + 2 * scale * width), 1e-6);
    assert_near(m.uplift.value, m.follow.value - 2, 1e-12);
    sotto__measures_add(&learner->measures, busy);
    assert_ok(sotto_learner_measure(learner, 0.05, &m));
    assert_int_equal(m.recent_follow_count, 0); /* 3200 passes 2^11 */
    sotto__measures_add(&learner->measures, idle);
    sotto_tally *more = tally_with(learner, true, 10, 20);
    sotto__measures_add(&learner->measures, more);
    assert_ok(sotto_learner_measure(learner, 0.05, &m));
    assert_ints(m.recent_follow_count, 10, m.recent_control_count, 20);
    assert_ok(sotto_learner_measure_arm(learner, 0.05, 1, &a));
    assert_int_equal(a.count, 1220);
    assert_near(a.uplift.value, m.uplift.value, 1e-12);
    assert_ok(sotto_learner_measure_arm(learner, 0.05, 0, &a));
    assert_int_equal(a.count, 0);
    assert_true(isnan(a.mean.value));
}

static void assert_half(const sotto_interval *interval, double half)
{
    assert_true(interval->lo > -4 && interval->hi < 4); /* not cut off */
    assert_nears(1e-5, interval->hi - interval->value, half, interval->value - interval->lo, half);
}

/* Two means, each known to (hi - lo) B W/2: at alpha/2, at alpha_j/2 since 2^j, at alpha/(arms + 1). */
TEST(widths_of_differences_add_up_at_their_part_of_alpha)
{
    sotto_learner *learner = learner_of(1u << 31);
    sotto_tally *first = tally_with(learner, true, 9000, 8000);
    sotto_tally *then = tally_with(learner, true, 7000, 6000);
    sotto_measurement m;
    sotto_arm_measurement a;
    first->follow.sum = then->follow.sum = 0;
    sotto__measures_add(&learner->measures, first); /* 17,000 passes 2^14 */
    sotto__measures_add(&learner->measures, then);  /* 30,000 does not pass 2^15 */
    assert_ok(sotto_learner_measure(learner, 0.05, &m));
    assert_ok(sotto_learner_measure_arm(learner, 0.05, 1, &a));
    double half = 2 / tanh(0.5), recent = 0.05 / (14 * 15) / 2, arm = 0.05 / (ARMS + 1);
    assert_int_equal(m.recent_follow_count, 7000);
    assert_half(&m.uplift,
                half * (sotto__measure_width(16000, 0.025) + sotto__measure_width(14000, 0.025)));
    assert_half(&m.recent_uplift,
                half * (sotto__measure_width(7000, recent) + sotto__measure_width(6000, recent)));
    assert_half(&a.mean, half * sotto__measure_width(14000, arm));
    assert_half(&a.uplift,
                half * (sotto__measure_width(16000, arm) + sotto__measure_width(14000, arm)));
}

/* ---- through devices ----------------------------------------------------------------------- */

/* One report of a person who gets `reward` at arm 2 and half of the range elsewhere. */
static void play(const sotto_terms *terms, sotto_learner *learner, uint64_t seed)
{
    sotto_policy policy = sotto_policy_default();
    policy.measure_share_max = 0.5;
    uint8_t frame[64];
    uint32_t arm;
    const double context[] = {0, 0.1, 0, 0.2, 0, 1};
    tape random = tape_seeded(seed);
    sotto_ledger *ledger = made_ledger();
    sotto_client *client = made_client(&policy, ledger);
    client->rng = &random.rng;
    sotto_round *round = made_round(client, terms);
    assert_ok(sotto_round_begin(round, sotto_learner_model(learner)));
    assert_ok(sotto_round_decide(round, context, 2 * ARMS, &arm));
    assert_ok(sotto_round_finish(round, arm == 2 ? 4 : 2, frame, sizeof frame));
    assert_ok(sotto_learner_take_frames(learner, frame, sotto_report_bytes(terms), NULL));
}

/* Followers get 4; of the others one in three gets 4 and two get 2: 2.667. */
TEST(devices_and_learner_agree_on_what_the_policy_is_worth)
{
    sotto_learner *learner = learner_of(1u << 31);
    const sotto_terms terms = learner->terms;
    sotto_measurement m;
    sotto_arm_measurement a[ARMS];
    for (uint64_t i = 0; i < 100; i++) {
        play(&terms, learner, i); /* nothing is learnt yet: nobody follows */
    }
    assert_true(learner->open[0].tally->follow.count == 0 && learner->open[0].tally->measured > 10);
    assert_true(sotto_learner_taken(learner) + learner->open[0].tally->measured == 100);
    assert_ok(sotto_learner_publish(learner));
    learner->model->theta[0] = learner->model->tbar[0] = 0; /* arm 2 is the best by far */
    learner->model->theta[1] = learner->model->tbar[1] = 1;
    for (uint64_t i = 0; i < 20000; i++) {
        play(&terms, learner, 1000 + i);
    }
    uint64_t measured = learner->open[0].tally->measured;
    assert_true(measured > 9600 && measured < 10400); /* half, by 5 standard deviations */
    assert_ok(sotto_learner_publish(learner));
    assert_ok(sotto_learner_measure(learner, 1e-6, &m));
    assert_true(m.follow_count + m.control_count == measured);
    assert_true(m.follow.lo <= 4 && m.follow.hi >= 4 && m.follow.lo > 3.4);
    assert_true(m.control.lo < 8.0 / 3 && m.control.hi > 8.0 / 3);
    assert_true(m.uplift.lo < 4.0 / 3 && m.uplift.hi > 4.0 / 3 && m.uplift.lo > 0);
    for (uint32_t arm = 0; arm < ARMS; arm++) {
        assert_ok(sotto_learner_measure_arm(learner, 1e-6, arm, &a[arm]));
        double truth = arm == 2 ? 4 : 2;
        assert_true(a[arm].mean.lo <= truth && a[arm].mean.hi >= truth);
        assert_true(a[arm].uplift.lo <= 4 - truth && a[arm].uplift.hi >= 4 - truth);
    }
}
