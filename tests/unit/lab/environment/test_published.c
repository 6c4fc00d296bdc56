/* The authors' contexts: on the sphere for shared parameters, normal and as long as they come for
 * per-arm ones. */
#include "core/linalg.h"
#include "lab/environment/environment_rows.h"
#include "test.h"
#include "worlds.h"

#include <math.h>

#define PEOPLE 20000

static void shared_contexts_are_those_of_the_sphere(void **state)
{
    (void)state;
    sotto_match published = match_of(SOTTO_ENVIRONMENT_PUBLISHED, SOTTO_PARAMETERS_SHARED, 3, 4);
    sotto_match sphere = match_of(SOTTO_ENVIRONMENT_SPHERE, SOTTO_PARAMETERS_SHARED, 3, 4);
    sotto__world *world = world_of(&published, 1), *twin = world_of(&sphere, 1);
    for (int t = 0; t < 10; t++) {
        sotto__world_next(world);
        sotto__world_next(twin);
        assert_memory_equal(world->context, twin->context, 12 * sizeof(double));
    }
    sotto__world_free(world);
    sotto__world_free(twin);
    assert_true(sotto__environment_published.context_norm_max(&published.spec) == 1);
}

static void per_arm_contexts_are_normal(void **state)
{
    (void)state;
    const double second[4] = {1, 1, 1, 1};
    sotto_match match = match_of(SOTTO_ENVIRONMENT_PUBLISHED, SOTTO_PARAMETERS_PER_ARM, 4, 3);
    assert_true(sotto__environment_published.context_norm_max(&match.spec) == 6);
    assert_moments(&match, 2, second, INFINITY);
    sotto__world *world = world_of(&match, 3);
    static double u[4][PEOPLE];
    for (int t = 0; t < PEOPLE; t++) {
        sotto__world_next(world);
        for (int i = 0; i < 4; i++) {
            u[i][t] = erfc(-world->context[i] / sqrt(2)) / 2;
        }
    }
    sotto__world_free(world);
    for (int i = 0; i < 4; i++) {
        assert_uniform(u[i], PEOPLE);
    }
}

/* With normals a hundred times wider everybody is longer than the bound, and stays so. */
static void per_arm_contexts_are_not_scaled_down(void **state)
{
    (void)state;
    sotto_match match = match_of(SOTTO_ENVIRONMENT_PUBLISHED, SOTTO_PARAMETERS_PER_ARM, 4, 3);
    sotto__world *world = world_of(&match, 5);
    for (int i = 0; i < SOTTO__LAYERS; i++) {
        world->ziggurat.x[i] *= 100;
        world->ziggurat.unit[i] *= 100;
    }
    sotto__world_next(world);
    assert_true(sotto__norm(world->context, 4) > 7);
    sotto__world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_contexts_are_those_of_the_sphere),
        cmocka_unit_test(per_arm_contexts_are_normal),
        cmocka_unit_test(per_arm_contexts_are_not_scaled_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
