/* Which predictions count as checked: both sides of every bound of the grids of tests/measure/plan.py. */
#include "lab/plan/checked.h"
#include "test.h"

#include <sotto/lab/runs.h>

typedef struct world {
    sotto_parameters parameters;
    sotto_link link;
    sotto_reward_kind kind;
    double length;
    uint64_t horizon;
    uint32_t dim_max, arms_min;
} world;

/* The scenes of the script. */
static const world worlds[] = {
    {SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, SOTTO_REWARD_CONTINUOUS, 1, 100000, 50, 2},
    {SOTTO_PARAMETERS_SHARED, SOTTO_LINK_LOGIT, SOTTO_REWARD_BINARY, 1, 100000, 50, 2},
    {SOTTO_PARAMETERS_SHARED, SOTTO_LINK_LOG, SOTTO_REWARD_COUNT, 1, 100000, 50, 2},
    {SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_IDENTITY, SOTTO_REWARD_CONTINUOUS, 1, 100000, 50, 2},
    {SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_IDENTITY, SOTTO_REWARD_BINARY, 0.5, 100000, 50, 2},
    {SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, SOTTO_REWARD_BINARY, 1, 20000, 20, 3},
};
enum { WORLDS = sizeof worlds / sizeof worlds[0] };

static sotto_match match_of(const world *w)
{
    const sotto_scene scene = {
        .dim = 10,
        .arms = 5,
        .parameters = w->parameters,
        .link = w->link,
        .reward_kind = w->kind,
        .environment = SOTTO_ENVIRONMENT_SPHERE,
        .horizon = w->horizon,
    };
    sotto_match match =
        sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &scene, 1, 1e-6);
    match.spec.theta_norm_max = match.environment.theta_norm = w->length;
    return match;
}

/* `field` of a match that is checked otherwise. */
#define ASSERT_CHECKED(wanted, world, field, value)                                                \
    do {                                                                                           \
        sotto_match changed = match_of(world);                                                     \
        changed.field = (value);                                                                   \
        if (sotto__plan_was_checked(&changed) != (wanted)) {                                       \
            fail_msg("world %d, %s = %g", (int)((world)-worlds), #field, (double)(value));         \
        }                                                                                          \
    } while (0)

static void sizes_have_two_bounds(void **state)
{
    (void)state;
    for (const world *w = worlds; w < worlds + WORLDS; w++) {
        ASSERT_CHECKED(true, w, spec.epsilon, 1.0);
        ASSERT_CHECKED(false, w, spec.dim, 1u);
        ASSERT_CHECKED(false, w, spec.dim, 4u);
        ASSERT_CHECKED(true, w, spec.dim, 5u);
        ASSERT_CHECKED(true, w, spec.dim, w->dim_max);
        ASSERT_CHECKED(false, w, spec.dim, w->dim_max + 1);
        ASSERT_CHECKED(true, w, spec.arms, w->arms_min);
        ASSERT_CHECKED(false, w, spec.arms, w->arms_min - 1);
        ASSERT_CHECKED(true, w, spec.arms, 20u);
        ASSERT_CHECKED(false, w, spec.arms, 21u);
        ASSERT_CHECKED(false, w, spec.epsilon, 0.499);
        ASSERT_CHECKED(true, w, spec.epsilon, 0.5);
        ASSERT_CHECKED(true, w, spec.epsilon, 5.0);
        ASSERT_CHECKED(false, w, spec.epsilon, 5.001);
    }
}

/* Of these one value was played. */
static void what_was_played_once_is_checked_there(void **state)
{
    (void)state;
    for (const world *w = worlds; w < worlds + WORLDS; w++) {
        sotto_match plain = match_of(w);
        bool noisy = w->kind == SOTTO_REWARD_CONTINUOUS;
        ASSERT_CHECKED(false, w, horizon, w->horizon - 1);
        ASSERT_CHECKED(true, w, horizon, w->horizon);
        ASSERT_CHECKED(false, w, horizon, w->horizon + 1);
        ASSERT_CHECKED(false, w, horizon, w->horizon == 20000 ? 100000u : 20000u);
        ASSERT_CHECKED(true, w, environment.noise, 0.1);
        ASSERT_CHECKED(!noisy, w, environment.noise, 0.099); /* others have no noise of their own */
        ASSERT_CHECKED(!noisy, w, environment.noise, 0.101);
        ASSERT_CHECKED(false, w, spec.theta_norm_max, w->length * 0.99);
        ASSERT_CHECKED(false, w, spec.theta_norm_max, w->length * 1.01);
        ASSERT_CHECKED(false, w, spec.reward_lo, plain.spec.reward_lo - 0.1);
        ASSERT_CHECKED(false, w, spec.reward_hi, plain.spec.reward_hi + 0.1);
        ASSERT_CHECKED(false, w, spec.score, SOTTO_SCORE_HUBER);
        ASSERT_CHECKED(false, w, spec.measure, 1u << 30);
        ASSERT_CHECKED(false, w, spec.reward_rate, 0.1);
        ASSERT_CHECKED(false, w, spec.version, 1u);
    }
}

/* All of parameters, links and kinds of reward, and only the six that were played. */
static void rewards_of_other_kinds_were_not_played(void **state)
{
    (void)state;
    const sotto_reward_kind kinds[] = {SOTTO_REWARD_CONTINUOUS, SOTTO_REWARD_BINARY,
                                       SOTTO_REWARD_COUNT};
    int checked = 0;
    for (uint32_t i = 0; i < 2 * 4 * 3 * 2 * 2; i++) {
        world w = {.parameters = (sotto_parameters)(i % 2),
                   .link = (sotto_link)(i / 2 % 4),
                   .kind = kinds[i / 8 % 3],
                   .length = i / 24 % 2 ? 0.5 : 1,
                   .horizon = i / 48 ? 20000 : 100000};
        sotto_match match = match_of(&w);
        checked += sotto__plan_was_checked(&match);
    }
    assert_int_equal(checked, WORLDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_have_two_bounds),
        cmocka_unit_test(what_was_played_once_is_checked_there),
        cmocka_unit_test(rewards_of_other_kinds_were_not_played),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
