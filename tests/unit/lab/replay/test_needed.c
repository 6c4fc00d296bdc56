/* How many people a private method would need. */
#include "lab/replay/needed.h"
#include "test.h"

#include <math.h>

static const sotto__need usual = {
    .dim = 10,
    .arms = 3,
    .parameters = SOTTO_PARAMETERS_PER_ARM,
    .epsilon = 1,
    .gain = 0.1,
    .share = 0.25,
};

static void what_cannot_be_planned_needs_nobody(void **state)
{
    (void)state;
    const double gains[] = {0, -0.1, NAN};
    for (size_t i = 0; i < 3; i++) {
        sotto__need need = usual;
        need.gain = gains[i];
        assert_int_equal(sotto__people_needed(&need), 0);
    }
    sotto__need none = usual, large = usual, far = usual;
    none.epsilon = 0;
    large.epsilon = 20;
    far.gain = 1e-7; /* more than SOTTO_HORIZON_MAX */
    assert_int_equal(sotto__people_needed(&none), 0);
    assert_int_equal(sotto__people_needed(&large), 0);
    assert_int_equal(sotto__people_needed(&far), 0);
}

/* As many as the plan's own curve says, in a world whose best arm earns the gain: with two arms one
 * of two normals is larger by 1/sqrt(pi), so D = gain sqrt(pi d). */
static void it_is_what_the_plan_says(void **state)
{
    (void)state;
    sotto__need need = usual;
    need.arms = 2;
    uint64_t people = sotto__people_needed(&need);
    for (int more = 0; more < 2; more++) {
        const sotto_scene scene = {
            .dim = 10,
            .arms = 2,
            .parameters = SOTTO_PARAMETERS_PER_ARM,
            .link = SOTTO_LINK_IDENTITY,
            .reward_kind = SOTTO_REWARD_CONTINUOUS,
            .environment = SOTTO_ENVIRONMENT_SPHERE,
            .horizon = more != 0 ? people : people * 98 / 100,
        };
        sotto_plan plan;
        sotto_plan_point point = {.people = scene.horizon};
        sotto_match match =
            sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &scene, 1, 0);
        match.spec.score = SOTTO_SCORE_SELF;
        match.spec.theta_norm_max = match.environment.theta_norm = 0.1 * sqrt(M_PI * 10);
        assert_true(match.spec.reward_lo == -1 && match.spec.reward_hi == 1);
        assert_ok(sotto_match_set_learning(&match));
        assert_ok(sotto_plan_make(&match, &plan));
        assert_near(plan.reach * match.spec.theta_norm_max, 0.1, 1e-6);
        sotto_plan_predict(&plan, &point, 1);
        double won = 1 - point.regret_next / plan.best_reward;
        if (more != 0 ? won < 0.249 : won >= 0.25) fail_msg("%d: %g", more, won);
    }
}

static void assert_more(sotto__need more)
{
    uint64_t few = sotto__people_needed(&usual), many = sotto__people_needed(&more);
    if (few == 0 || many <= few) fail_msg("%g and %g", (double)few, (double)many);
}

static void what_is_harder_needs_more_people(void **state)
{
    (void)state;
    sotto__need more = usual;
    more.dim = 20;
    assert_more(more);
    more = usual;
    more.epsilon = 0.5;
    assert_more(more);
    more = usual;
    more.gain = 0.05;
    assert_more(more);
    more = usual;
    more.share = 0.5;
    assert_more(more);
    more = usual;
    more.arms = 6;
    assert_more(more);
}

/* A gain that no parameter of length 1 has: the range of rewards grows with D. */
static void large_gains_and_shared_parameters_can_be_planned(void **state)
{
    (void)state;
    sotto__need need = usual;
    need.gain = 0.9;
    need.dim = 40;
    assert_true(sotto__people_needed(&need) > 0);
    need = usual;
    need.parameters = SOTTO_PARAMETERS_SHARED;
    assert_true(sotto__people_needed(&need) > 0);
}

/* As many people as the plan needs for a share count as many as they are; above a half all shares are the same. */
static void people_count_as_what_they_won(void **state)
{
    (void)state;
    sotto__need won = usual;
    const double shares[] = {0.05, 0.2, 0.5};
    for (size_t i = 0; i < 3; i++) {
        won.share = shares[i];
        uint64_t planned = sotto__people_needed(&won);
        assert_near(sotto__people_per_planned(&won, planned), 1, 1e-12);
        assert_near(sotto__people_per_planned(&won, 7 * planned), 7, 1e-12);
    }
    double half = sotto__people_per_planned(&won, 1000);
    won.share = 0.9;
    assert_true(sotto__people_per_planned(&won, 1000) == half);
    won.share = 0.049;
    assert_true(isnan(sotto__people_per_planned(&won, 1000)));
    won.share = NAN;
    assert_true(isnan(sotto__people_per_planned(&won, 1000)));
    won.share = 0.2;
    won.epsilon = 0;
    assert_true(isnan(sotto__people_per_planned(&won, 1000)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_planned_needs_nobody),
        cmocka_unit_test(people_count_as_what_they_won),
        cmocka_unit_test(it_is_what_the_plan_says),
        cmocka_unit_test(what_is_harder_needs_more_people),
        cmocka_unit_test(large_gains_and_shared_parameters_can_be_planned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
