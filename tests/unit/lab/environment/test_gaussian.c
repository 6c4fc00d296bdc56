/* The lower bound's instance: normal contexts, their bound, and the length of theta*. */
#include "core/linalg.h"
#include "lab/environment/environment_rows.h"
#include "lab/environment/gaussian.h"
#include "test.h"
#include "worlds.h"

#include <math.h>

#define PEOPLE 20000

static void moments_are_those_of_a_normal(void **state)
{
    (void)state;
    const double second[4] = {0.25, 0.25, 0.25, 0.25};
    sotto_match shared = match_of(SOTTO_ENVIRONMENT_GAUSSIAN, SOTTO_PARAMETERS_SHARED, 4, 3);
    sotto_match per_arm = match_of(SOTTO_ENVIRONMENT_GAUSSIAN, SOTTO_PARAMETERS_PER_ARM, 4, 5);
    assert_true(sotto__environment_gaussian.context_norm_max(&shared.spec) == 4);
    assert_moments(&shared, 1, second, 4);
    assert_moments(&per_arm, 2, second, 4);
}

static void coordinates_are_normal(void **state)
{
    (void)state;
    sotto_match match = match_of(SOTTO_ENVIRONMENT_GAUSSIAN, SOTTO_PARAMETERS_SHARED, 2, 2);
    sotto__world *world = world_of(&match, 4);
    static double u[4][PEOPLE];
    for (int t = 0; t < PEOPLE; t++) {
        sotto__world_next(world);
        for (int i = 0; i < 4; i++) {
            u[i][t] = erfc(-world->context[i]) / 2; /* Phi(sqrt 2 x) */
        }
    }
    sotto__world_free(world);
    for (int i = 0; i < 4; i++) {
        assert_uniform(u[i], PEOPLE);
    }
}

/* Nobody is that long by chance, so the normals of this world are made a hundred times wider. */
static void long_contexts_are_scaled_down_to_the_bound(void **state)
{
    (void)state;
    sotto_match match = match_of(SOTTO_ENVIRONMENT_GAUSSIAN, SOTTO_PARAMETERS_SHARED, 4, 2);
    sotto__world *world = world_of(&match, 5), *plain = world_of(&match, 5);
    for (int i = 0; i < SOTTO__LAYERS; i++) {
        world->ziggurat.x[i] *= 100;
        world->ziggurat.unit[i] *= 100;
    }
    sotto__world_next(world);
    sotto__world_next(plain);
    for (int i = 0; i < 8; i += 4) {
        const double *x = world->context + i, *y = plain->context + i;
        assert_near(sotto__norm(x, 4), 4, 1e-14);
        double cosine = sotto__dot(x, y, 4) / (4 * sotto__norm(y, 4));
        assert_near(cosine, 1, 1e-14);
    }
    sotto__world_free(world);
    sotto__world_free(plain);
}

static void theta_of_the_lower_bound_is_as_long_as_the_theorem_says(void **state)
{
    (void)state;
    assert_near(sotto__lower_bound_theta_norm(5, 1, 10000), 0.05 / (exp(1) - 1), 1e-15);
    assert_near(sotto__lower_bound_theta_norm(2, log(3), 100), 0.1, 1e-15);
    assert_true(sotto__lower_bound_theta_norm(50, 0.1, 100) == 1);
    assert_true(sotto__lower_bound_theta_norm(1, 1e-9, UINT64_C(1000000000000)) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_are_those_of_a_normal),
        cmocka_unit_test(coordinates_are_normal),
        cmocka_unit_test(long_contexts_are_scaled_down_to_the_bound),
        cmocka_unit_test(theta_of_the_lower_bound_is_as_long_as_the_theorem_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
