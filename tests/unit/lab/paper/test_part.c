/* A part: the matches of a stage as one comparison. */
#include "lab/paper/part.h"
#include "reproductions.h"
#include "texts.h"

#define TWO (1u << SOTTO_PLAYER_SOTTO | 1u << SOTTO_PLAYER_RANDOM)

static const sotto__part_runs runs = {.first_seed = 7, .seeds_count = 3, .threads = 2};

/* Two methods at two epsilons, on the sphere. */
static sotto__stage two_by_two(void)
{
    sotto__stage stage = experiment_named("shared-d2")->stage[1];
    stage.players = TWO;
    stage.epsilon[1] = 5;
    stage.epsilon[2] = 0;
    return stage;
}

static void a_match_that_cannot_be_played_is_a_fault(void **state)
{
    (void)state;
    char fault[SOTTO_FAULT_BYTES];
    sotto__stage stage = two_by_two();
    const sotto__experiment e = {.name = "broken", .kind = SOTTO__EXPERIMENT_CURVES};
    sotto__part part = {.experiment = &e, .stage = &stage, .horizon = 100};
    stage.scene.dim = 0;
    assert_says(sotto__part_fill(&part, &runs, fault), fault,
                "broken, exact: a match of the table cannot be played");
    assert_null(part.comparison.match);
    assert_null(part.results.run);
    sotto__part_free(&part);
}

static void customers_that_are_missing_are_a_fault(void **state)
{
    (void)state;
    char fault[SOTTO_FAULT_BYTES];
    const sotto__experiment *e = experiment_named("loan-revenue");
    sotto__part part = {.experiment = e, .stage = &e->stage[0], .horizon = 100};
    assert_says(sotto__part_fill(&part, &runs, fault), fault, "loan-revenue, exact: a match");
}

static void matches_are_all_methods_at_all_epsilons(void **state)
{
    (void)state;
    char fault[SOTTO_FAULT_BYTES];
    const sotto__stage stage = two_by_two();
    const sotto__experiment e = {.name = "small", .kind = SOTTO__EXPERIMENT_HORIZONS};
    sotto__part part = {.experiment = &e, .stage = &stage, .horizon = 100};
    assert_silent(sotto__part_fill(&part, &runs, fault));
    static const sotto_player player[] = {SOTTO_PLAYER_SOTTO, SOTTO_PLAYER_SOTTO,
                                          SOTTO_PLAYER_RANDOM, SOTTO_PLAYER_RANDOM};
    static const double epsilon[] = {0.5, 5, 0.5, 5};
    const sotto_sweep *sweep = &part.comparison.sweep;
    assert_int_equal(sweep->matches_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(sweep->match[i].player, player[i]);
        assert_near(part.comparison.epsilon[i], epsilon[i], 0);
        assert_int_equal(sweep->match[i].environment.kind, SOTTO_ENVIRONMENT_SPHERE);
    }
    assert_int_equal(sweep->first_seed, 7);
    assert_int_equal(sweep->seeds_count, 3);
    assert_int_equal(sweep->threads, 2);
    assert_int_equal(part.results.done_count, 0);
    sotto__part_free(&part);
    assert_null(part.comparison.match);
}

static void only_curves_have_all_usual_points(void **state)
{
    (void)state;
    char fault[SOTTO_FAULT_BYTES];
    static const uint64_t at[] = {1, 2, 5, 10, 20, 50, 100};
    const sotto__stage stage = two_by_two();
    const sotto__experiment along = {.name = "along", .kind = SOTTO__EXPERIMENT_CURVES},
                            end = {.name = "end", .kind = SOTTO__EXPERIMENT_BOUND};
    sotto__part part = {.experiment = &along, .stage = &stage, .horizon = 100};
    assert_silent(sotto__part_fill(&part, &runs, fault));
    assert_int_equal(part.comparison.sweep.at_count, 7);
    assert_memory_equal(part.comparison.sweep.at, at, sizeof at);
    sotto__part_free(&part);
    part.experiment = &end;
    assert_silent(sotto__part_fill(&part, &runs, fault));
    assert_int_equal(part.comparison.sweep.at_count, 1);
    assert_int_equal(part.comparison.sweep.at[0], 100);
    sotto__part_free(&part);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_match_that_cannot_be_played_is_a_fault),
        cmocka_unit_test(customers_that_are_missing_are_a_fault),
        cmocka_unit_test(matches_are_all_methods_at_all_epsilons),
        cmocka_unit_test(only_curves_have_all_usual_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
