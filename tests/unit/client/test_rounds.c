/* Rounds of many people at once are their single rounds, bit by bit; one that fails stops none. */
#include "client/client.h"
#include "kinds.h"
#include "tape.h"
#include "test.h"

#include <string.h>

#define PEOPLE 5
#define FRAME_BYTES_MAX 256

typedef struct crowd {
    sotto_terms terms;
    sotto_model *model;
    sotto_ledger *ledger[PEOPLE];
    sotto_client *client[PEOPLE];
    tape random[PEOPLE];
    sotto_round *round[PEOPLE];
    double context[PEOPLE * ARMS * DIM];
    uint32_t context_count;
    size_t frame_bytes;
} crowd;

static const double reward[PEOPLE] = {0.5, 1, 0, 0.25, 0.75};

static crowd *crowd_new(kind k)
{
    crowd *c = test_calloc(1, sizeof *c);
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_lifetime = policy.epsilon_per_report_max = 50;
    policy.delta_max = policy.delta_lifetime = 0.5;
    c->terms = resolved_of(k);
    c->frame_bytes = sotto_report_bytes(&c->terms);
    assert_true(c->frame_bytes <= FRAME_BYTES_MAX);
    c->context_count = c->terms.spec.parameters == SOTTO_PARAMETERS_SHARED ? ARMS * DIM : DIM;
    assert_ok(sotto_model_new(&c->terms, &c->model));
    c->model->phase = SOTTO_PHASE_MAIN;
    c->model->theta[1] = 0.5;
    for (uint64_t i = 0; i < PEOPLE; i++) {
        assert_ok(sotto_ledger_memory_new(&c->ledger[i]));
        assert_ok(sotto_client_new(&policy, c->ledger[i], &c->client[i]));
        c->random[i] = tape_seeded(i + 1);
        c->client[i]->rng = &c->random[i].rng;
        assert_ok(sotto_round_new(c->client[i], &c->terms, &c->round[i]));
    }
    for (int i = 0; i < PEOPLE * ARMS * DIM; i++) {
        c->context[i] = (i * 7 % 11 - 5) / 10.0;
    }
    return c;
}

static void crowd_free(crowd *c)
{
    for (int i = 0; i < PEOPLE; i++) {
        sotto_round_free(c->round[i]);
        sotto_client_free(c->client[i]);
        sotto_ledger_free(c->ledger[i]);
    }
    sotto_model_free(c->model);
    test_free(c);
}

OWNED(crowd, crowd_free)

TEST(a_round_that_fails_stops_no_other)
{
    OWN(crowd) c = crowd_new(SHARED);
    uint32_t arm[PEOPLE];
    uint8_t frames[PEOPLE * FRAME_BYTES_MAX], zeros[FRAME_BYTES_MAX] = {0};
    sotto_status status[PEOPLE];
    c->random[1].fails_after_bytes = 0;
    assert_status(sotto_rounds_begin(c->round, PEOPLE, c->model, status), SOTTO_E_ENTROPY);
    for (int i = 0; i < PEOPLE; i++) {
        assert_status(status[i], i == 1 ? SOTTO_E_ENTROPY : SOTTO_OK);
    }
    sotto_round *kept = c->round[3];
    c->round[3] = NULL;
    assert_status(sotto_rounds_decide(c->round, PEOPLE, c->context, c->context_count, arm, status),
                  SOTTO_E_ORDER); /* the first that fails */
    c->round[3] = kept;
    assert_status(status[1], SOTTO_E_ORDER);
    assert_status(status[3], SOTTO_E_ARGUMENT);
    assert_ints(arm[1], UINT32_MAX, arm[3], UINT32_MAX);
    assert_true(arm[0] < ARMS && arm[2] < ARMS && arm[4] < ARMS);
    memset(frames, 0xab, sizeof frames);
    assert_status(sotto_rounds_finish(c->round, PEOPLE, reward, frames, c->frame_bytes, status),
                  SOTTO_E_ORDER);
    for (size_t i = 0; i < PEOPLE; i++) {
        bool failed = i == 1 || i == 3;
        const uint8_t *frame = frames + i * c->frame_bytes;
        assert_status(status[i], failed ? SOTTO_E_ORDER : SOTTO_OK);
        assert_int_equal(memcmp(frame, zeros, c->frame_bytes) == 0, failed);
        assert_int_equal(sotto_ledger_rounds(c->ledger[i]), i != 1);
    }
}

TEST(frames_that_have_no_room_are_refused)
{
    OWN(crowd) c = crowd_new(SHARED);
    uint32_t arm[PEOPLE];
    uint8_t frames[PEOPLE * FRAME_BYTES_MAX];
    assert_ok(sotto_rounds_begin(c->round, PEOPLE, c->model, NULL));
    assert_status(sotto_rounds_decide(c->round, PEOPLE, c->context, 1, arm, NULL), SOTTO_E_LENGTH);
    assert_ok(sotto_rounds_decide(c->round, PEOPLE, c->context, c->context_count, arm, NULL));
    assert_status(sotto_rounds_finish(c->round, PEOPLE, reward, frames, c->frame_bytes - 1, NULL),
                  SOTTO_E_LENGTH);
    assert_ok(sotto_rounds_finish(c->round, PEOPLE, reward, frames, c->frame_bytes, NULL));
    assert_ok(sotto_rounds_begin(c->round, 0, c->model, NULL)); /* nobody */
    assert_int_equal(sotto_ledger_rounds(c->ledger[0]), 1);
}

TEST(many_rounds_are_their_single_rounds)
{
    for (kind k = 0; k < KINDS; k++) {
        OWN(crowd) many = crowd_new(k), *single = crowd_new(k);
        uint32_t arm[PEOPLE], one;
        uint8_t frames[PEOPLE * FRAME_BYTES_MAX], frame[FRAME_BYTES_MAX];
        uint32_t n = many->context_count;
        assert_ok(sotto_rounds_begin(many->round, PEOPLE, many->model, NULL));
        assert_ok(sotto_rounds_decide(many->round, PEOPLE, many->context, n, arm, NULL));
        assert_ok(
            sotto_rounds_finish(many->round, PEOPLE, reward, frames, many->frame_bytes, NULL));
        for (size_t i = 0; i < PEOPLE; i++) {
            assert_ok(sotto_round_begin(single->round[i], single->model));
            assert_ok(sotto_round_decide(single->round[i], single->context + i * n, n, &one));
            assert_ok(sotto_round_finish(single->round[i], reward[i], frame, sizeof frame));
            assert_int_equal(arm[i], one);
            assert_memory_equal(frames + i * many->frame_bytes, frame, many->frame_bytes);
        }
    }
}
