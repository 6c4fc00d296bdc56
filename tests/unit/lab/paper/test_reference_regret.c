/* What the authors' code gave. */
#include "lab/paper/experiment.h"
#include "lab/paper/reference_regret.h"
#include "test.h"

static sotto_match published(double epsilon, double delta, uint64_t rounds)
{
    const sotto_scene scene = {
        .dim = 2, .arms = 10, .environment = SOTTO_ENVIRONMENT_PUBLISHED, .horizon = rounds};
    return sotto_match_default(SOTTO_PLAYER_LDP_SGD, SOTTO_CALIBRATION_PUBLISHED, &scene, epsilon,
                               delta);
}

static void another_setting_has_none(void **state)
{
    (void)state;
    sotto_match match = published(1, 0.01, 100001);
    assert_non_null(sotto__reference_of(&match));
    match.calibration = SOTTO_CALIBRATION_EXACT;
    assert_null(sotto__reference_of(&match));
    const sotto_match others[] = {published(2, 0.01, 100001), published(1, 0.1, 100001),
                                  published(1, 0.01, 100000)};
    for (uint32_t i = 0; i < 3; i++) {
        assert_null(sotto__reference_of(&others[i]));
    }
    match = published(1, 0.01, 100001);
    match.spec.dim = 3;
    assert_null(sotto__reference_of(&match));
    match = published(1, 0.01, 100001);
    match.spec.link = SOTTO_LINK_PROBIT;
    assert_null(sotto__reference_of(&match));
}

/* Their ten seeds have a median of 1136 there. */
static void values_are_those_of_the_setting(void **state)
{
    (void)state;
    sotto_match match = published(1, 0.01, 100001);
    const sotto__reference *theirs = sotto__reference_of(&match);
    uint32_t below = 0;
    assert_int_equal(theirs->seeds, 10);
    for (uint32_t i = 0; i < 10; i++) {
        below += theirs->regret[i] < 1136;
    }
    assert_int_equal(below, 5);
}

static void every_cell_is_whole_and_belongs_to_an_experiment(void **state)
{
    (void)state;
    uint32_t found = 0;
    for (uint32_t i = 0; i < sotto__references_count; i++) {
        assert_true(sotto__references[i].seeds >= 3);
        for (uint32_t s = 0; s < SOTTO__REFERENCE_SEEDS; s++) {
            bool there = s < sotto__references[i].seeds;
            assert_true(there == (sotto__references[i].regret[s] > 0));
        }
    }
    for (uint32_t e = 0; e < sotto__experiments_count; e++) {
        const sotto__experiment *experiment = &sotto__experiments[e];
        if (experiment->kind != SOTTO__EXPERIMENT_AGREEMENT) continue;
        for (uint32_t s = 0; s < experiment->stages_count; s++) {
            const sotto__stage *stage = &experiment->stage[s];
            uint64_t rounds = stage->size[SOTTO__SCALE_FULL].horizon[0];
            for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
                for (uint32_t i = 0; i < sotto__stage_epsilons(stage); i++) {
                    sotto_match match;
                    if ((stage->players >> p & 1) == 0) continue;
                    assert_int_equal(sotto__stage_match(stage, NULL, (sotto_player)p,
                                                        stage->epsilon[i], rounds, &match),
                                     SOTTO_OK);
                    assert_non_null(sotto__reference_of(&match));
                    found++;
                }
            }
        }
    }
    assert_int_equal(found, sotto__references_count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_setting_has_none),
        cmocka_unit_test(values_are_those_of_the_setting),
        cmocka_unit_test(every_cell_is_whole_and_belongs_to_an_experiment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
