/* Two arms of a chosen margin: refusals, the law of the gap, and what is around theta*. */
#include "core/linalg.h"
#include "stats.h"
#include "test.h"
#include "worlds.h"

#include <math.h>
#include <string.h>

#define PEOPLE 20000

static void other_shapes_are_refused(void **state)
{
    (void)state;
    char text[SOTTO_FAULT_BYTES];
    sotto_match match = match_of(SOTTO_ENVIRONMENT_MARGIN, SOTTO_PARAMETERS_SHARED, 3, 3);
    assert_string_equal(sotto__environment_fault(&match, text),
                        "arms = 3: environment margin has 2 arms; sphere has any number");
    match.spec.arms = 2;
    assert_null(sotto__environment_fault(&match, text));
    match.spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    assert_string_equal(sotto__environment_fault(&match, text),
                        "parameters = per-arm: environment margin has shared parameters only; "
                        "sphere has both");
    match.spec.parameters = SOTTO_PARAMETERS_SHARED;
    const double bad[] = {-1e-9, 1.0000001, NAN, INFINITY};
    for (size_t i = 0; i < 4; i++) {
        match.environment.margin = bad[i];
        assert_non_null(sotto__environment_fault(&match, text));
        assert_non_null(strstr(text, "margin = "));
    }
}

/* The arms' places along theta*; they must be opposite, and the vectors of length 1. */
static double height_of(const sotto__world *world, uint32_t dim)
{
    const double *x = world->context;
    double height = sotto__dot(x, world->theta, dim) / 0.8;
    assert_near(sotto__dot(x + dim, world->theta, dim) / 0.8, -height, 1e-12);
    if (dim > 1) {
        assert_near(sotto__norm(x, dim), 1, 1e-12);
        assert_near(sotto__norm(x + dim, dim), 1, 1e-12);
    }
    assert_near(fabs(world->mean[0] - world->mean[1]), 1.6 * fabs(height), 1e-12);
    return height;
}

/* P(a <= h) = h^beta: a^beta is uniform, and the sign is a fair coin. */
static void gaps_follow_the_power_law(void **state)
{
    (void)state;
    const double betas[] = {1, 0.5, 0.2};
    static double u[PEOPLE], twin[PEOPLE];
    for (size_t b = 0; b < 3; b++) {
        for (uint32_t dim = 1; dim <= 4; dim++) {
            sotto_match match = match_of(SOTTO_ENVIRONMENT_MARGIN, SOTTO_PARAMETERS_SHARED, dim, 2);
            match.environment.margin = betas[b];
            sotto__world *world = world_of(&match, 20 + b);
            running sign = {0, 0, 0};
            for (int t = 0; t < PEOPLE; t++) {
                sotto__world_next(world);
                double height = height_of(world, dim);
                u[t] = pow(fabs(height), betas[b]);
                twin[t] = pow(fabs(height), 0.9 * betas[b]);
                running_add(&sign, height > 0 ? 1 : -1);
            }
            sotto__world_free(world);
            assert_uniform(u, PEOPLE);
            assert_false(looks_uniform(twin, PEOPLE)); /* beta 10 % off would be noticed */
            assert_near(sign.mean, 0, Z_FALSE_ALARM * running_standard_error(&sign));
        }
    }
}

static void margin_0_has_one_gap_that_shrinks_with_the_horizon(void **state)
{
    (void)state;
    sotto_match match = match_of(SOTTO_ENVIRONMENT_MARGIN, SOTTO_PARAMETERS_SHARED, 3, 2);
    match.environment.margin = 0;
    match.horizon = 400;
    sotto__world *world = world_of(&match, 30);
    for (int t = 0; t < 100; t++) {
        sotto__world_next(world);
        assert_near(2 * fabs(height_of(world, 3)), 1 / sqrt(400), 1e-12);
    }
    sotto__world_free(world);
    match.horizon = 1; /* the widest: a = 1/2 */
    world = world_of(&match, 30);
    sotto__world_next(world);
    assert_near(fabs(height_of(world, 3)), 0.5, 1e-12);
    sotto__world_free(world);
}

/* In the coordinates (theta*, e, f): on a circle around theta*, uniformly and independently for the
 * two arms, so that the angle of each and their difference are uniform. */
static void the_rest_is_uniform_around_theta(void **state)
{
    (void)state;
    sotto_match match = match_of(SOTTO_ENVIRONMENT_MARGIN, SOTTO_PARAMETERS_SHARED, 3, 2);
    sotto__world *world = world_of(&match, 40);
    const double *v = world->theta;
    double e[3] = {-v[1], v[0], 0}, e_norm = sotto__norm(e, 3);
    double f[3] = {-v[2] * v[0], -v[2] * v[1], v[0] * v[0] + v[1] * v[1]};
    double f_norm = sotto__norm(f, 3);
    static double angle[3][PEOPLE];
    for (int t = 0; t < PEOPLE; t++) {
        sotto__world_next(world);
        for (int a = 0; a < 2; a++) {
            const double *x = world->context + 3 * a;
            double turn = atan2(sotto__dot(x, f, 3) / f_norm, sotto__dot(x, e, 3) / e_norm);
            angle[a][t] = turn / (2 * M_PI) + 0.5;
        }
        double apart = angle[0][t] - angle[1][t];
        angle[2][t] = apart - floor(apart);
    }
    sotto__world_free(world);
    for (int i = 0; i < 3; i++) {
        assert_uniform(angle[i], PEOPLE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_shapes_are_refused),
        cmocka_unit_test(gaps_follow_the_power_law),
        cmocka_unit_test(margin_0_has_one_gap_that_shrinks_with_the_horizon),
        cmocka_unit_test(the_rest_is_uniform_around_theta),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
