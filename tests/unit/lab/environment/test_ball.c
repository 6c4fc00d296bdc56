/* Contexts in the ball: their moments and the law of their length. */
#include "core/linalg.h"
#include "lab/environment/environment_rows.h"
#include "test.h"
#include "worlds.h"

#include <math.h>

#define PEOPLE 20000

/* E[x x'] = I/(d + 2). */
static void moments_are_those_of_the_ball(void **state)
{
    (void)state;
    const double second[3] = {0.2, 0.2, 0.2}, line_second[1] = {1.0 / 3};
    sotto_match shared = match_of(SOTTO_ENVIRONMENT_BALL, SOTTO_PARAMETERS_SHARED, 3, 3);
    sotto_match per_arm = match_of(SOTTO_ENVIRONMENT_BALL, SOTTO_PARAMETERS_PER_ARM, 3, 5);
    sotto_match line = match_of(SOTTO_ENVIRONMENT_BALL, SOTTO_PARAMETERS_SHARED, 1, 2);
    assert_moments(&shared, 1, second, 1);
    assert_moments(&per_arm, 2, second, 1);
    assert_moments(&line, 3, line_second, 1);
    assert_true(sotto__environment_ball.context_norm_max(&shared.spec) == 1);
}

/* ||x||^d is uniform, and for three numbers so is each of x/||x||. */
static void length_and_direction_are_uniform(void **state)
{
    (void)state;
    sotto_match match = match_of(SOTTO_ENVIRONMENT_BALL, SOTTO_PARAMETERS_SHARED, 3, 2);
    sotto__world *world = world_of(&match, 4);
    static double volume[PEOPLE], height[PEOPLE];
    for (int t = 0; t < PEOPLE; t++) {
        sotto__world_next(world);
        double norm = sotto__norm(world->context + 3, 3);
        volume[t] = pow(norm, 3);
        height[t] = (world->context[5] / norm + 1) / 2;
    }
    sotto__world_free(world);
    assert_uniform(volume, PEOPLE);
    assert_uniform(height, PEOPLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_are_those_of_the_ball),
        cmocka_unit_test(length_and_direction_are_uniform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
