/* Sums by group: each event in its group, with and without a model. */
#include "lab/replay/evidence.h"
#include "test.h"

enum { ARMS = 2, DIM = 2 };
static const double x[DIM] = {0.6, -0.8};

/* A model that predicts 2 + 0.6 = 2.6 for arm 0 and 2 for arm 1. */
static sotto__reward_model *model_new(void)
{
    sotto__reward_model *model;
    assert_ok(sotto__reward_model_new(ARMS, DIM, &model));
    for (uint32_t k = 0; k < SOTTO__FOLDS; k++) {
        model->mean[k] = 2;
        model->theta[k * ARMS * DIM] = 1;
    }
    return model;
}

static const sotto__event agreed = {.row = SOTTO__GROUPS + 3,
                                    .x = x,
                                    .logged = 0,
                                    .given = 0,
                                    .reward = 4,
                                    .propensity = 0.25,
                                    .learnt = true};
static const sotto__event other = {
    .row = 3, .x = x, .logged = 0, .given = 1, .reward = 4, .propensity = 0.25};

static void events_by_hand(void **state)
{
    (void)state;
    sotto__evidence *evidence;
    sotto__reward_model *model = model_new();
    assert_ok(sotto__evidence_new(ARMS, DIM, &evidence));
    sotto__evidence_add(evidence, model, &agreed);
    sotto__evidence_add(evidence, model, &other);
    const sotto__evidence_group *group = &evidence->group[3];
    assert_int_equal(evidence->agreed, 1);
    assert_true(group->events == 2);
    assert_true(group->weight == 4 && group->product == 16);
    assert_near(group->predicted, 2.6 + 2, 1e-15);
    assert_near(group->corrected, 2.6 + 4 * (4 - 2.6) + 2, 1e-14);
    assert_true(group->learnt == 1 && group->learnt_reward == 4);
    for (uint32_t a = 0; a < ARMS; a++) {
        assert_int_equal(evidence->given_count[a], 1);
        assert_memory_equal(evidence->given + DIM * a, x, sizeof x);
    }
    for (uint32_t j = 0; j < SOTTO__GROUPS; j++) {
        if (j != 3) assert_true(evidence->group[j].events == 0);
    }
    sotto__evidence_free(evidence);
    sotto__reward_model_free(model);
    sotto__evidence_free(NULL);
}

static void without_a_model_there_are_no_predictions(void **state)
{
    (void)state;
    sotto__evidence *evidence;
    assert_ok(sotto__evidence_new(ARMS, DIM, &evidence));
    sotto__evidence_add(evidence, NULL, &agreed);
    assert_true(evidence->group[3].product == 16);
    assert_true(evidence->group[3].predicted == 0 && evidence->group[3].corrected == 0);
    assert_int_equal(evidence->given_count[0], 1);
    sotto__evidence_free(evidence);
}

static void joined_evidence_is_that_of_all_events(void **state)
{
    (void)state;
    sotto__evidence *whole, *part[2];
    sotto__reward_model *model = model_new();
    assert_ok(sotto__evidence_new(ARMS, DIM, &whole));
    for (uint32_t i = 0; i < 2; i++) {
        assert_ok(sotto__evidence_new(ARMS, DIM, &part[i]));
        sotto__evidence_add(part[i], model, i == 0 ? &agreed : &other);
        sotto__evidence_add(whole, model, i == 0 ? &agreed : &other);
    }
    sotto__evidence_join(part[0], part[1]);
    assert_int_equal(part[0]->agreed, whole->agreed);
    assert_memory_equal(part[0]->group, whole->group, SOTTO__GROUPS * sizeof whole->group[0]);
    assert_memory_equal(part[0]->given, whole->given, ARMS * DIM * sizeof whole->given[0]);
    assert_memory_equal(part[0]->given_count, whole->given_count, ARMS * sizeof(uint64_t));
    sotto__evidence_free(part[0]);
    sotto__evidence_free(part[1]);
    sotto__evidence_free(whole);
    sotto__reward_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_by_hand),
        cmocka_unit_test(without_a_model_there_are_no_predictions),
        cmocka_unit_test(joined_evidence_is_that_of_all_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
