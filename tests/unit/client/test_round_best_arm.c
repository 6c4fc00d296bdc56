/* A round of one arm for all: hostile shares, a context that is not read, and the report of the reward. */
#include "client/client.h"
#include "core/core.h"
#include "person.h"
#include "test.h"

#include <math.h>
#include <string.h>

#define DIM 3
#define ARMS 4
#define CELLS 12
#define FRAME_BYTES 42

static void join(person *p, uint64_t seed)
{
    sotto_policy policy = sotto_policy_default();
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    policy.epsilon_lifetime = INFINITY;
    spec.dim = DIM, spec.arms = ARMS, spec.method = SOTTO_METHOD_BEST_ARM;
    spec.score = SOTTO_SCORE_REWARD;
    person_join(p, &spec, &policy, seed);
}

TEST(shares_of_another_sum_begin_no_round)
{
    person someone, *p = &someone;
    join(p, 1);
    for (uint32_t k = 0; k < ARMS; k++) {
        p->model->shares[k]--;
        assert_status(sotto_round_begin(p->round, p->model), SOTTO_E_FAULT);
        p->model->shares[k] += 2;
        assert_status(sotto_round_begin(p->round, p->model), SOTTO_E_FAULT);
        p->model->shares[k]--;
    }
    assert_ok(sotto_round_begin(p->round, p->model));
}

TEST(other_lengths_and_worths_are_refused)
{
    person someone, *p = &someone;
    const double context[CELLS] = {0}, worth[ARMS] = {1, 1, 1, 1};
    join(p, 1);
    assert_ok(sotto_round_begin(p->round, p->model));
    assert_status(sotto_round_decide(p->round, context, CELLS - 1, &p->arm), SOTTO_E_LENGTH);
    assert_status(sotto_round_decide(p->round, NULL, 1, &p->arm), SOTTO_E_LENGTH);
    assert_status(sotto_round_decide_worth(p->round, context, CELLS, worth, &p->arm),
                  SOTTO_E_FAULT);
    assert_ok(sotto_round_decide(p->round, NULL, 0, &p->arm));
}

/* The same seed, another context: the same arm and the same bytes. */
TEST(the_context_is_not_read)
{
    const double hostile[CELLS] = {NAN, INFINITY, 1e308, -1e308, 5e-324};
    uint8_t first[FRAME_BYTES];
    for (uint64_t seed = 0; seed < 50; seed++) {
        uint32_t arm = 0;
        for (int way = 0; way < 2; way++) {
            person someone, *p = &someone;
            join(p, seed);
            assert_ok(sotto_round_begin(p->round, p->model));
            assert_ok(sotto_round_decide(p->round, way == 0 ? hostile : NULL, way == 0 ? CELLS : 0,
                                         &p->arm));
            assert_ok(sotto_round_finish(p->round, 1, p->frame, FRAME_BYTES));
            if (way == 0) arm = p->arm, memcpy(first, p->frame, FRAME_BYTES);
            assert_int_equal(p->arm, arm);
            assert_memory_equal(p->frame, first, FRAME_BYTES);
            assert_int_equal(p->arm, sotto__shared_arm(&p->terms, p->model->shares, first + 24));
        }
    }
}

/* E z = y/B: 2,000 reports of reward 1 (y = 1), 0 (y = -1) and none (the default, 0) within 5 sd, 5/sqrt 2000. */
TEST(the_report_is_the_reward)
{
    const double reward[] = {1, 0, NAN, 0.5, 7}, wanted[] = {1, -1, -1, 0, 1};
    person someone, *p = &someone;
    join(p, 3);
    const sotto_codebook *codebook = &p->terms.codebook[SOTTO_PHASE_MAIN];
    for (int i = 0; i < 5; i++) {
        int64_t sum = 0;
        for (int n = 0; n < 2000; n++) {
            int32_t z;
            assert_ok(sotto_round_begin(p->round, p->model));
            assert_ok(sotto_round_decide(p->round, NULL, 0, &p->arm));
            assert_ok(sotto_round_finish(p->round, reward[i], p->frame, FRAME_BYTES));
            assert_true(p->frame[40] < 2 && p->frame[41] == 0);
            assert_ok(sotto_codebook_expand(codebook, p->terms.stream_key, p->frame + 24,
                                            p->frame[40], 0, &z));
            sum += z > 0 ? 1 : -1;
        }
        assert_near((double)sum / 2000, wanted[i] / codebook->scale, 0.112);
    }
}
