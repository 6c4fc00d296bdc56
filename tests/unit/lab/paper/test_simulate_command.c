/* A part as a command: what is not a default is said. */
#include "lab/paper/simulate_command.h"
#include "reproductions.h"
#include "test.h"

/* Of a stage of the table, 4 seeds from 9. */
static void is_said(const char *experiment, uint32_t stage, const char *wanted)
{
    sotto__pool pool = {0};
    const sotto__experiment *e = experiment_named(experiment);
    const sotto__part part = {
        .experiment = e,
        .stage = &e->stage[stage],
        .horizon = 123,
        .comparison = {.sweep = {.seeds_count = 4, .first_seed = 9}},
    };
    assert_string_equal(sotto__simulate_command(&part, &pool), wanted);
    sotto__pool_free(&pool);
}

static void the_authors_code_names_its_calibration_and_step(void **state)
{
    (void)state;
    is_said("shared-d20", 0,
            "sotto simulate --method ldp-sgd,ldp-ols,ldp-ucb,ldp-gloc,random --parameters shared "
            "--link identity --dim 20 --arms 20 --horizon 123 --epsilon 0.5,1,5 --delta 0.01 "
            "--allow-weak-delta --seeds 4 --first-seed 9 --calibration published --step 1/sqrt");
}

static void rewards_that_are_cut_have_a_range(void **state)
{
    (void)state;
    is_said("poisson", 1,
            "sotto simulate --method sotto,ldp-sgd,ldp-gloc,best-arm,glm-ucb,random --parameters shared "
            "--link log --dim 2 --arms 10 --horizon 123 --epsilon 0.5,1,5 --delta 0.01 "
            "--allow-weak-delta --seeds 4 --first-seed 9 --reward-range 0,5");
}

static void other_environments_have_their_options(void **state)
{
    (void)state;
    is_said("rates-horizon", 2,
            "sotto simulate --method sotto,ldp-sgd,ols --parameters shared --link identity --dim 2 "
            "--arms 2 --horizon 123 --epsilon 5 --delta 1e-06 --seeds 4 --first-seed 9 "
            "--environment margin --margin 0.5");
    is_said("loan-revenue", 0,
            "sotto simulate --method sotto,ldp-sgd,ldp-gloc,glm,glm-ucb,random --parameters shared "
            "--link logit --dim 18 --arms 25 --horizon 123 --epsilon 1,4,8 --delta 0.01 "
            "--allow-weak-delta --seeds 4 --first-seed 9 --environment loan --revenue");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_authors_code_names_its_calibration_and_step),
        cmocka_unit_test(rewards_that_are_cut_have_a_range),
        cmocka_unit_test(other_environments_have_their_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
