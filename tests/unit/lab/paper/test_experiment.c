/* The table of experiments. */
#include "lab/paper/experiment.h"
#include "test.h"

#include <string.h>

typedef void visitor(const sotto__experiment *experiment, const sotto__stage *stage);

static void visit(visitor *look)
{
    for (uint32_t e = 0; e < sotto__experiments_count; e++) {
        for (uint32_t s = 0; s < sotto__experiments[e].stages_count; s++) {
            look(&sotto__experiments[e], &sotto__experiments[e].stage[s]);
        }
    }
}

static void names_end(void **state)
{
    (void)state;
    assert_null(sotto__experiment_name(sotto__experiments_count));
    assert_null(sotto__scale_name(SOTTO__SCALES));
    assert_string_equal(sotto__scale_name(SOTTO__SCALE_QUICK), "quick");
    assert_string_equal(sotto__scale_name(SOTTO__SCALE_FULL), "full");
    assert_string_equal(sotto__experiment_name(0), "shared-d2");
}

static void a_match_of_a_stage_that_cannot_be_is_refused(void **state)
{
    (void)state;
    sotto__stage stage = sotto__experiments[0].stage[0];
    sotto_match match;
    stage.scene.dim = 0;
    assert_int_equal(sotto__stage_match(&stage, NULL, SOTTO_PLAYER_LDP_SGD, 1, 100, &match),
                     SOTTO_E_FAULT);
}

static void look_whole(const sotto__experiment *experiment, const sotto__stage *stage)
{
    assert_true(strlen(experiment->about) > 0 && strlen(experiment->where) > 0);
    assert_true(sotto__stage_epsilons(stage) > 0 && stage->players != 0 && stage->delta > 0);
    assert_true(sotto__stage_horizons(stage, SOTTO__SCALE_FULL) > 0);
    for (uint32_t scale = 0; scale < SOTTO__SCALES; scale++) {
        const sotto__stage_size *size = &stage->size[scale];
        for (uint32_t h = 1; h < sotto__stage_horizons(stage, (sotto__scale)scale); h++) {
            assert_true(size->horizon[h] > size->horizon[h - 1]);
        }
    }
}

/* Full has at least ten seeds, and the paper's million rounds but for those of the agreement. */
static void look_full(const sotto__experiment *experiment, const sotto__stage *stage)
{
    const sotto__stage_size *size = &stage->size[SOTTO__SCALE_FULL];
    uint32_t last = sotto__stage_horizons(stage, SOTTO__SCALE_FULL) - 1;
    assert_true(size->seeds >= 10);
    if (experiment->kind == SOTTO__EXPERIMENT_CURVES) assert_true(size->horizon[last] >= 100000);
}

static void look_playable(const sotto__experiment *experiment, const sotto__stage *stage)
{
    (void)experiment;
    /* Customers whose demand is known. */
    const double theta[18] = {1}, worth[25] = {1};
    const sotto_population people = {.rows = 1,
                                     .dim = 18,
                                     .arms = 25,
                                     .link = SOTTO_LINK_LOGIT,
                                     .theta = theta,
                                     .theta_norm_max = 40,
                                     .worth = worth};
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        for (uint32_t i = 0; i < sotto__stage_epsilons(stage); i++) {
            char text[SOTTO_FAULT_BYTES];
            sotto_match match;
            if ((stage->players >> p & 1) == 0) continue;
            assert_int_equal(sotto__stage_match(stage, &people, (sotto_player)p, stage->epsilon[i],
                                                1000, &match),
                             SOTTO_OK);
            assert_null(sotto_match_fault(&match, text));
            assert_near(match.spec.epsilon, stage->epsilon[i], 0);
            assert_int_equal(match.calibration, stage->calibration);
            assert_int_equal(match.learning.epoch, 1);
            assert_true((match.environment.population == &people) == sotto__stage_is_loan(stage));
            assert_true((match.worth == worth) == stage->revenue);
        }
    }
}

static void every_stage_is_whole_and_can_be_played(void **state)
{
    (void)state;
    visit(look_whole);
    visit(look_full);
    visit(look_playable);
}

/* The two panels of a figure make the same claim. */
static void panels_have_the_same_claims(void **state)
{
    (void)state;
    for (uint32_t e = 0; e < sotto__experiments_count; e++) {
        const sotto__experiment *experiment = &sotto__experiments[e];
        if (experiment->kind != SOTTO__EXPERIMENT_CURVES) continue;
        const sotto__stage *one = &experiment->stage[0];
        const sotto__stage *other = &experiment->stage[experiment->stages_count - 1];
        assert_memory_equal(one->epsilon, other->epsilon, sizeof one->epsilon);
        assert_near(one->delta, other->delta, 0);
        assert_memory_equal(one->size, other->size, sizeof one->size);
        assert_int_equal(one->scene.dim, other->scene.dim);
        assert_int_equal(one->players & other->players, one->players);
    }
}

static void names_are_unique(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sotto__experiments_count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            assert_string_not_equal(sotto__experiments[i].name, sotto__experiments[j].name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_end),
        cmocka_unit_test(a_match_of_a_stage_that_cannot_be_is_refused),
        cmocka_unit_test(every_stage_is_whole_and_can_be_played),
        cmocka_unit_test(panels_have_the_same_claims),
        cmocka_unit_test(names_are_unique),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
