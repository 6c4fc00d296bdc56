/* Contexts on the sphere: their length, moments and law. */
#include "core/linalg.h"
#include "lab/environment/environment_rows.h"
#include "test.h"
#include "worlds.h"

#include <math.h>

#define PEOPLE 20000

/* From state words 0, 0, c, 0 the first two draws are zeros: a line's first two contexts, a plane's
 * first. They have no direction, and are drawn again. */
static void contexts_of_zeros_are_drawn_again(void **state)
{
    (void)state;
    for (uint32_t dim = 1; dim <= 2; dim++) {
        sotto_match match = match_of(SOTTO_ENVIRONMENT_SPHERE, SOTTO_PARAMETERS_SHARED, dim, 4);
        sotto__world *world = world_of(&match, 6);
        world->contexts.state[0] = world->contexts.state[1] = world->contexts.state[3] = 0;
        sotto__seeded twin = world->contexts;
        assert_true(sotto__normal(&world->ziggurat, &twin) == 0);
        assert_true(sotto__normal(&world->ziggurat, &twin) == 0);
        for (int t = 0; t < 100; t++) {
            sotto__world_next(world);
            for (uint32_t a = 0; a < 4; a++) {
                assert_near(sotto__norm(world->context + a * dim, dim), 1, 1e-14);
            }
        }
        sotto__world_free(world);
    }
}

static void moments_are_those_of_the_sphere(void **state)
{
    (void)state;
    const double second[3] = {1.0 / 3, 1.0 / 3, 1.0 / 3}, half[2] = {0.5, 0.5}, one[1] = {1};
    sotto_match shared = match_of(SOTTO_ENVIRONMENT_SPHERE, SOTTO_PARAMETERS_SHARED, 3, 3);
    sotto_match per_arm = match_of(SOTTO_ENVIRONMENT_SPHERE, SOTTO_PARAMETERS_PER_ARM, 3, 5);
    sotto_match line = match_of(SOTTO_ENVIRONMENT_SPHERE, SOTTO_PARAMETERS_SHARED, 1, 2);
    sotto_match plane = match_of(SOTTO_ENVIRONMENT_SPHERE, SOTTO_PARAMETERS_SHARED, 2, 3);
    assert_moments(&shared, 1, second, 1);
    assert_moments(&per_arm, 2, second, 1);
    assert_moments(&line, 3, one, 1);
    assert_moments(&plane, 5, half, 1);
    assert_true(sotto__environment_sphere.context_norm_max(&shared.spec) == 1);
}

/* Archimedes: on the sphere of three numbers each is uniform on (-1, 1). */
static void coordinates_are_uniform_in_three_dimensions(void **state)
{
    (void)state;
    sotto_match match = match_of(SOTTO_ENVIRONMENT_SPHERE, SOTTO_PARAMETERS_SHARED, 3, 2);
    sotto__world *world = world_of(&match, 4);
    static double u[6][PEOPLE];
    for (int t = 0; t < PEOPLE; t++) {
        sotto__world_next(world);
        assert_near(sotto__norm(world->context, 3), 1, 1e-14);
        assert_near(sotto__norm(world->context + 3, 3), 1, 1e-14);
        for (int i = 0; i < 6; i++) {
            u[i][t] = (world->context[i] + 1) / 2;
        }
    }
    sotto__world_free(world);
    for (int i = 0; i < 6; i++) {
        assert_uniform(u[i], PEOPLE);
    }
}

/* The distance test finds a law that is 5 % off. */
static void a_law_that_is_off_is_noticed(void **state)
{
    (void)state;
    static double u[PEOPLE];
    for (int i = 0; i < PEOPLE; i++) {
        u[i] = pow((i + 0.5) / PEOPLE, 1.06);
    }
    assert_false(looks_uniform(u, PEOPLE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_of_zeros_are_drawn_again),
        cmocka_unit_test(moments_are_those_of_the_sphere),
        cmocka_unit_test(coordinates_are_uniform_in_three_dimensions),
        cmocka_unit_test(a_law_that_is_off_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
