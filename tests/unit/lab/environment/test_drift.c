/* A truth that turns: refusals, its angle, its plane, and sphere contexts. */
#include "core/linalg.h"
#include "lab/environment/environment_rows.h"
#include "test.h"
#include "worlds.h"

#include <math.h>
#include <string.h>

static void lines_and_wild_turns_are_refused(void **state)
{
    (void)state;
    char text[SOTTO_FAULT_BYTES];
    sotto_match match = match_of(SOTTO_ENVIRONMENT_DRIFT, SOTTO_PARAMETERS_SHARED, 1, 2);
    assert_string_equal(sotto__environment_fault(&match, text),
                        "dim = 1: environment drift turns in a plane, at least 2");
    match.spec.dim = 2;
    assert_null(sotto__environment_fault(&match, text));
    const double bad[] = {-1e-9, 1.0000001, NAN, INFINITY};
    for (size_t i = 0; i < 4; i++) {
        match.environment.drift = bad[i];
        assert_non_null(sotto__environment_fault(&match, text));
        assert_non_null(strstr(text, "drift = "));
    }
    match.environment.drift = 0;
    assert_null(sotto__environment_fault(&match, text));
    match.environment.drift = 1;
    assert_null(sotto__environment_fault(&match, text));
}

/* cos of the angle between where a parameter started and where it is, and its length. */
static void assert_turned(const double *start, const double *now, uint32_t dim, double angle)
{
    assert_near(sotto__norm(now, dim), 0.8, 1e-12);
    assert_near(sotto__dot(start, now, dim) / 0.64, cos(angle), 1e-9);
}

static void theta_turns_by_the_drift_every_round(void **state)
{
    (void)state;
    const sotto_parameters both[] = {SOTTO_PARAMETERS_SHARED, SOTTO_PARAMETERS_PER_ARM};
    for (int p = 0; p < 2; p++) {
        sotto_match match = match_of(SOTTO_ENVIRONMENT_DRIFT, both[p], 5, 3);
        match.environment.drift = 0.3;
        sotto__world *world = world_of(&match, 8);
        double start[15], before[15];
        memcpy(start, world->theta, world->theta_count * sizeof *start);
        for (uint64_t t = 1; t <= 1000; t++) {
            memcpy(before, world->theta, world->theta_count * sizeof *before);
            sotto__world_next(world);
            for (uint32_t i = 0; i < world->theta_count; i += 5) {
                assert_turned(start + i, world->theta + i, 5, 0.3 * (double)t);
                assert_turned(before + i, world->theta + i, 5, 0.3);
            }
        }
        sotto__world_free(world);
    }
}

/* A quarter turn apart, two positions span the plane; all others lie in it. Each arm has its own.
 */
static void every_parameter_turns_in_a_plane_of_its_own(void **state)
{
    (void)state;
    sotto_match match = match_of(SOTTO_ENVIRONMENT_DRIFT, SOTTO_PARAMETERS_PER_ARM, 6, 2);
    match.environment.drift = 0.5;
    sotto__world *world = world_of(&match, 9);
    const double *e1 = world->axis, *e2 = world->axis + 12;
    for (int a = 0; a < 2; a++) {
        assert_near(sotto__dot(e1 + 6 * a, e2 + 6 * a, 6), 0, 1e-12);
        assert_near(sotto__norm(e1 + 6 * a, 6), 1, 1e-12);
        assert_near(sotto__norm(e2 + 6 * a, 6), 1, 1e-12);
    }
    assert_true(fabs(sotto__dot(e1, e1 + 6, 6)) < 0.99);
    assert_true(fabs(sotto__dot(e2, e2 + 6, 6)) < 0.99);
    for (int t = 0; t < 20; t++) {
        sotto__world_next(world);
        for (int a = 0; a < 2; a++) {
            const double *theta = world->theta + 6 * a;
            double inside =
                hypot(sotto__dot(theta, e1 + 6 * a, 6), sotto__dot(theta, e2 + 6 * a, 6));
            assert_near(inside, 0.8, 1e-12);
        }
    }
    sotto__world_free(world);
}

/* Means are those of the theta* that the person meets. */
static void means_follow_theta(void **state)
{
    (void)state;
    sotto_match match = match_of(SOTTO_ENVIRONMENT_DRIFT, SOTTO_PARAMETERS_SHARED, 3, 2);
    match.environment.drift = 1;
    sotto__world *world = world_of(&match, 9);
    for (int t = 0; t < 5; t++) {
        sotto__world_next(world);
        assert_near(world->mean[1], sotto__dot(world->context + 3, world->theta, 3), 1e-15);
    }
    sotto__world_free(world);
}

static void contexts_are_those_of_the_sphere(void **state)
{
    (void)state;
    const double second[3] = {1.0 / 3, 1.0 / 3, 1.0 / 3};
    sotto_match match = match_of(SOTTO_ENVIRONMENT_DRIFT, SOTTO_PARAMETERS_SHARED, 3, 3);
    assert_moments(&match, 10, second, 1);
    assert_true(sotto__environment_drift.context_norm_max(&match.spec) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_and_wild_turns_are_refused),
        cmocka_unit_test(theta_turns_by_the_drift_every_round),
        cmocka_unit_test(every_parameter_turns_in_a_plane_of_its_own),
        cmocka_unit_test(means_follow_theta),
        cmocka_unit_test(contexts_are_those_of_the_sphere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
