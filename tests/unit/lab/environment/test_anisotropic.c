/* Contexts of a power-law spectrum: their moments and law. */
#include "lab/environment/environment_rows.h"
#include "test.h"
#include "worlds.h"

#include <math.h>

#define PEOPLE 20000

/* E[x x'] = diag(1, 1/2, 1/3, ...)/d. */
static void moments_fall_as_a_power(void **state)
{
    (void)state;
    const double second[4] = {1.0 / 4, 1.0 / 8, 1.0 / 12, 1.0 / 16};
    sotto_match shared = match_of(SOTTO_ENVIRONMENT_ANISOTROPIC, SOTTO_PARAMETERS_SHARED, 4, 3);
    sotto_match per_arm = match_of(SOTTO_ENVIRONMENT_ANISOTROPIC, SOTTO_PARAMETERS_PER_ARM, 4, 5);
    assert_moments(&shared, 1, second, 1);
    assert_moments(&per_arm, 2, second, 1);
    assert_true(sotto__environment_anisotropic.context_norm_max(&shared.spec) == 1);
}

/* Of three numbers, each is uniform between its ends. */
static void coordinates_are_uniform_in_three_dimensions(void **state)
{
    (void)state;
    sotto_match match = match_of(SOTTO_ENVIRONMENT_ANISOTROPIC, SOTTO_PARAMETERS_PER_ARM, 3, 2);
    sotto__world *world = world_of(&match, 4);
    static double u[3][PEOPLE];
    for (int t = 0; t < PEOPLE; t++) {
        sotto__world_next(world);
        for (int i = 0; i < 3; i++) {
            u[i][t] = (world->context[i] * sqrt(i + 1) + 1) / 2;
        }
    }
    sotto__world_free(world);
    for (int i = 0; i < 3; i++) {
        assert_uniform(u[i], PEOPLE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_fall_as_a_power),
        cmocka_unit_test(coordinates_are_uniform_in_three_dimensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
