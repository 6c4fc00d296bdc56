/* Environments: lengths, moments and laws of contexts, margins, and parameters that turn. */
#include "core/core.h"
#include "lab/environment/environment.h"
#include "lab/environment/inner.h"
#include "stats.h"
#include "test.h"
#include "worlds.h"

OWNED(sotto__world, sotto__world_free)

#define PEOPLE 20000

/* E[x x'] is diagonal: on the sphere I/d, in the ball I/(d + 2), for a power-law spectrum
 * diag(1, 1/2, 1/3, ...)/d, for the normals of the lower bound I/d, for those of the authors I. */
TEST(moments_and_bounds_are_those_of_the_law)
{
    static const struct {
        sotto_environment_kind kind;
        sotto_parameters parameters;
        uint32_t dim, arms;
        uint64_t seed;
        double second[4], longest, context_norm_max;
    } rows[] = {
#define ROW(kind, parameters, ...)                                                                 \
    {SOTTO_ENVIRONMENT_##kind, SOTTO_PARAMETERS_##parameters, __VA_ARGS__}
        ROW(SPHERE, SHARED, 3, 3, 1, {1.0 / 3, 1.0 / 3, 1.0 / 3}, 1, 1),
        ROW(SPHERE, PER_ARM, 3, 5, 2, {1.0 / 3, 1.0 / 3, 1.0 / 3}, 1, 1),
        ROW(SPHERE, SHARED, 1, 2, 3, {1}, 1, 1),
        ROW(SPHERE, SHARED, 2, 3, 5, {0.5, 0.5}, 1, 1),
        ROW(BALL, SHARED, 3, 3, 1, {0.2, 0.2, 0.2}, 1, 1),
        ROW(BALL, PER_ARM, 3, 5, 2, {0.2, 0.2, 0.2}, 1, 1),
        ROW(BALL, SHARED, 1, 2, 3, {1.0 / 3}, 1, 1),
        ROW(ANISOTROPIC, SHARED, 4, 3, 1, {1.0 / 4, 1.0 / 8, 1.0 / 12, 1.0 / 16}, 1, 1),
        ROW(ANISOTROPIC, PER_ARM, 4, 5, 2, {1.0 / 4, 1.0 / 8, 1.0 / 12, 1.0 / 16}, 1, 1),
        ROW(GAUSSIAN, SHARED, 4, 3, 1, {0.25, 0.25, 0.25, 0.25}, 4, 4),
        ROW(GAUSSIAN, PER_ARM, 4, 5, 2, {0.25, 0.25, 0.25, 0.25}, 4, 4),
        ROW(PUBLISHED, PER_ARM, 4, 3, 2, {1, 1, 1, 1}, INFINITY, 6),
        ROW(DRIFT, SHARED, 3, 3, 10, {1.0 / 3, 1.0 / 3, 1.0 / 3}, 1, 1),
#undef ROW
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sotto_match match = match_of(rows[i].kind, rows[i].parameters, rows[i].dim, rows[i].arms);
        assert_moments(&match, rows[i].seed, rows[i].second, rows[i].longest);
        assert_near(sotto__environment_of(rows[i].kind)->context_norm_max(&match.spec),
                    rows[i].context_norm_max, 0);
    }
}

static double from_minus_one_to_one(double x, uint32_t i)
{
    (void)i;
    return (x + 1) / 2;
}

static double between_its_ends(double x, uint32_t i)
{
    return (x * sqrt(i + 1) + 1) / 2;
}

static double normal_of_half_variance(double x, uint32_t i)
{
    (void)i;
    return erfc(-x) / 2; /* Phi(sqrt 2 x) */
}

static double normal(double x, uint32_t i)
{
    (void)i;
    return erfc(-x / sqrt(2)) / 2;
}

/* The distribution function of a coordinate is uniform. Archimedes: on the sphere of three numbers
 * each is uniform on (-1, 1). */
TEST(coordinates_have_their_law)
{
    static const struct {
        sotto_environment_kind kind;
        sotto_parameters parameters;
        uint32_t dim, arms;
        uint64_t seed;
        double (*uniform)(double x, uint32_t i);
    } rows[] = {
        {SOTTO_ENVIRONMENT_SPHERE, SOTTO_PARAMETERS_SHARED, 3, 2, 4, from_minus_one_to_one},
        {SOTTO_ENVIRONMENT_ANISOTROPIC, SOTTO_PARAMETERS_PER_ARM, 3, 2, 4, between_its_ends},
        {SOTTO_ENVIRONMENT_GAUSSIAN, SOTTO_PARAMETERS_SHARED, 2, 2, 4, normal_of_half_variance},
        {SOTTO_ENVIRONMENT_PUBLISHED, SOTTO_PARAMETERS_PER_ARM, 4, 3, 3, normal},
    };
    static double u[6][PEOPLE];
    for (size_t n = 0; n < sizeof rows / sizeof rows[0]; n++) {
        sotto_match match = match_of(rows[n].kind, rows[n].parameters, rows[n].dim, rows[n].arms);
        OWN(sotto__world) world = world_of(&match, rows[n].seed);
        for (int t = 0; t < PEOPLE; t++) {
            sotto__world_next(world);
            for (uint32_t i = 0; i < world->context_count; i++) {
                u[i][t] = rows[n].uniform(world->context[i], i);
            }
            for (uint32_t i = 0; i < world->context_count && n == 0; i += 3) {
                assert_near(sotto__norm(world->context + i, 3), 1, 1e-14);
            }
        }
        for (uint32_t i = 0; i < world->context_count; i++) {
            assert_uniform(u[i], PEOPLE);
        }
    }
}

/* From state words 0, 0, c, 0 the first two draws are zeros: a line's first two contexts, a plane's
 * first. They have no direction, and are drawn again. */
TEST(contexts_of_zeros_are_drawn_again)
{
    for (uint32_t dim = 1; dim <= 2; dim++) {
        sotto_match match = match_of(SOTTO_ENVIRONMENT_SPHERE, SOTTO_PARAMETERS_SHARED, dim, 4);
        OWN(sotto__world) world = world_of(&match, 6);
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
    }
}

/* The distance test finds a law that is 5 % off. */
TEST(a_law_that_is_off_is_noticed)
{
    static double u[PEOPLE];
    for (int i = 0; i < PEOPLE; i++) {
        u[i] = pow((i + 0.5) / PEOPLE, 1.06);
    }
    assert_false(looks_uniform(u, PEOPLE));
}

/* In the ball ||x||^d is uniform, and for three numbers so is each of x/||x||. */
TEST(length_and_direction_are_uniform)
{
    sotto_match match = match_of(SOTTO_ENVIRONMENT_BALL, SOTTO_PARAMETERS_SHARED, 3, 2);
    OWN(sotto__world) world = world_of(&match, 4);
    static double volume[PEOPLE], height[PEOPLE];
    for (int t = 0; t < PEOPLE; t++) {
        sotto__world_next(world);
        double norm = sotto__norm(world->context + 3, 3);
        volume[t] = pow(norm, 3);
        height[t] = (world->context[5] / norm + 1) / 2;
    }
    assert_uniform(volume, PEOPLE);
    assert_uniform(height, PEOPLE);
}

/* No context is that long by chance, so this world's normals are scaled up a hundredfold. */
TEST(long_contexts_are_scaled_down_to_the_bound)
{
    sotto_match match = match_of(SOTTO_ENVIRONMENT_GAUSSIAN, SOTTO_PARAMETERS_SHARED, 4, 2);
    OWN(sotto__world) world = world_of(&match, 5), *plain = world_of(&match, 5);
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
}

TEST(theta_of_the_lower_bound_is_as_long_as_the_theorem_says)
{
    assert_near(sotto__lower_bound_theta_norm(5, 1, 10000), 0.05 / (exp(1) - 1), 1e-15);
    assert_near(sotto__lower_bound_theta_norm(2, log(3), 100), 0.1, 1e-15);
    assert_true(sotto__lower_bound_theta_norm(50, 0.1, 100) == 1);
    assert_true(sotto__lower_bound_theta_norm(1, 1e-9, UINT64_C(1000000000000)) == 1);
}

TEST(shared_contexts_of_the_authors_are_those_of_the_sphere)
{
    sotto_match published = match_of(SOTTO_ENVIRONMENT_PUBLISHED, SOTTO_PARAMETERS_SHARED, 3, 4);
    sotto_match sphere = match_of(SOTTO_ENVIRONMENT_SPHERE, SOTTO_PARAMETERS_SHARED, 3, 4);
    OWN(sotto__world) world = world_of(&published, 1), *twin = world_of(&sphere, 1);
    for (int t = 0; t < 10; t++) {
        sotto__world_next(world);
        sotto__world_next(twin);
        assert_memory_equal(world->context, twin->context, 12 * sizeof(double));
    }
    assert_true(sotto__environment_published.context_norm_max(&published.spec) == 1);
}

/* With normals a hundred times wider every context exceeds the bound, and is not scaled down. */
TEST(per_arm_contexts_of_the_authors_are_not_scaled_down)
{
    sotto_match match = match_of(SOTTO_ENVIRONMENT_PUBLISHED, SOTTO_PARAMETERS_PER_ARM, 4, 3);
    OWN(sotto__world) world = world_of(&match, 5);
    for (int i = 0; i < SOTTO__LAYERS; i++) {
        world->ziggurat.x[i] *= 100;
        world->ziggurat.unit[i] *= 100;
    }
    sotto__world_next(world);
    assert_true(sotto__norm(world->context, 4) > 7);
}

/* Two arms with a given margin: refusals, the law of the gap, and the rest around theta*. */

TEST(other_shapes_are_refused)
{
    sotto_fault fault;
    sotto_match match = match_of(SOTTO_ENVIRONMENT_MARGIN, SOTTO_PARAMETERS_SHARED, 3, 3);
    assert_fault_says(sotto__environment_fault(&match, &fault), fault,
                      "arms = 3: environment margin has 2 arms; sphere has any number");
    match.spec.arms = 2;
    assert_ok(sotto__environment_fault(&match, &fault));
    match.spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    assert_fault_says(sotto__environment_fault(&match, &fault), fault,
                      "parameters = per-arm: environment margin has shared parameters only; "
                      "sphere has both");
    match.spec.parameters = SOTTO_PARAMETERS_SHARED;
    const double bad[] = {-1e-9, 1.0000001, NAN, INFINITY};
    for (size_t i = 0; i < 4; i++) {
        match.environment.margin = bad[i];
        assert_status(sotto__environment_fault(&match, &fault), SOTTO_E_FAULT);
        assert_non_null(strstr(fault.sentence, "margin = "));
    }
}

/* The arms' places along theta*; they must be opposite, and the vectors of length 1. */
static double height_of(const sotto__world *world, uint32_t dim)
{
    const double *x = world->context;
    double height = sotto__dot(x, world->theta, dim) / 0.8;
    assert_near(sotto__dot(x + dim, world->theta, dim) / 0.8, -height, 1e-12);
    if (dim > 1) {
        assert_nears(1e-12, sotto__norm(x, dim), 1, sotto__norm(x + dim, dim), 1);
    }
    assert_near(fabs(world->mean[0] - world->mean[1]), 1.6 * fabs(height), 1e-12);
    return height;
}

/* P(a <= h) = h^beta: a^beta is uniform, and the sign is a fair coin. */
TEST(gaps_follow_the_power_law)
{
    const double betas[] = {1, 0.5, 0.2};
    static double u[PEOPLE], twin[PEOPLE];
    for (size_t b = 0; b < 3; b++) {
        for (uint32_t dim = 1; dim <= 4; dim++) {
            sotto_match match = match_of(SOTTO_ENVIRONMENT_MARGIN, SOTTO_PARAMETERS_SHARED, dim, 2);
            match.environment.margin = betas[b];
            OWN(sotto__world) world = world_of(&match, 20 + b);
            running sign = {0, 0, 0};
            for (int t = 0; t < PEOPLE; t++) {
                sotto__world_next(world);
                double height = height_of(world, dim);
                u[t] = pow(fabs(height), betas[b]);
                twin[t] = pow(fabs(height), 0.9 * betas[b]);
                running_add(&sign, height > 0 ? 1 : -1);
            }
            assert_uniform(u, PEOPLE);
            assert_false(looks_uniform(twin, PEOPLE)); /* beta 10 % off would be noticed */
            assert_near(sign.mean, 0, Z_FALSE_ALARM * running_standard_error(&sign));
        }
    }
}

TEST(margin_0_has_one_gap_that_shrinks_with_the_horizon)
{
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
TEST(the_rest_is_uniform_around_theta)
{
    sotto_match match = match_of(SOTTO_ENVIRONMENT_MARGIN, SOTTO_PARAMETERS_SHARED, 3, 2);
    OWN(sotto__world) world = world_of(&match, 40);
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
    for (int i = 0; i < 3; i++) {
        assert_uniform(angle[i], PEOPLE);
    }
}

/* A parameter that turns: refusals, its angle, its plane, and sphere contexts. */

TEST(lines_and_wild_turns_are_refused)
{
    sotto_fault fault;
    sotto_match match = match_of(SOTTO_ENVIRONMENT_DRIFT, SOTTO_PARAMETERS_SHARED, 1, 2);
    assert_fault_says(sotto__environment_fault(&match, &fault), fault,
                      "dim = 1: environment drift turns in a plane, at least 2");
    match.spec.dim = 2;
    assert_ok(sotto__environment_fault(&match, &fault));
    const double bad[] = {-1e-9, 1.0000001, NAN, INFINITY};
    for (size_t i = 0; i < 4; i++) {
        match.environment.drift = bad[i];
        assert_status(sotto__environment_fault(&match, &fault), SOTTO_E_FAULT);
        assert_non_null(strstr(fault.sentence, "drift = "));
    }
    match.environment.drift = 0;
    assert_ok(sotto__environment_fault(&match, &fault));
    match.environment.drift = 1;
    assert_ok(sotto__environment_fault(&match, &fault));
}

/* cos of the angle between where a parameter started and where it is, and its length. */
static void assert_turned(const double *start, const double *now, uint32_t dim, double angle)
{
    assert_near(sotto__norm(now, dim), 0.8, 1e-12);
    assert_near(sotto__dot(start, now, dim) / 0.64, cos(angle), 1e-9);
}

TEST(theta_turns_by_the_drift_every_round)
{
    const sotto_parameters both[] = {SOTTO_PARAMETERS_SHARED, SOTTO_PARAMETERS_PER_ARM};
    for (int p = 0; p < 2; p++) {
        sotto_match match = match_of(SOTTO_ENVIRONMENT_DRIFT, both[p], 5, 3);
        match.environment.drift = 0.3;
        OWN(sotto__world) world = world_of(&match, 8);
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
    }
}

/* A quarter turn apart, two positions span the plane; all others lie in it. Each arm has its own.
 */
TEST(every_parameter_turns_in_a_plane_of_its_own)
{
    sotto_match match = match_of(SOTTO_ENVIRONMENT_DRIFT, SOTTO_PARAMETERS_PER_ARM, 6, 2);
    match.environment.drift = 0.5;
    OWN(sotto__world) world = world_of(&match, 9);
    const double *e1 = world->axis, *e2 = world->axis + 12;
    for (int a = 0; a < 2; a++) {
        assert_near(sotto__dot(e1 + 6 * a, e2 + 6 * a, 6), 0, 1e-12);
        assert_nears(1e-12, sotto__norm(e1 + 6 * a, 6), 1, sotto__norm(e2 + 6 * a, 6), 1);
    }
    assert_true(fabs(sotto__dot(e1, e1 + 6, 6)) < 0.99 && fabs(sotto__dot(e2, e2 + 6, 6)) < 0.99);
    for (int t = 0; t < 20; t++) {
        sotto__world_next(world);
        for (int a = 0; a < 2; a++) {
            const double *theta = world->theta + 6 * a;
            double inside =
                hypot(sotto__dot(theta, e1 + 6 * a, 6), sotto__dot(theta, e2 + 6 * a, 6));
            assert_near(inside, 0.8, 1e-12);
        }
    }
}

/* Means are those of the theta* that the person meets. */
TEST(means_follow_theta)
{
    sotto_match match = match_of(SOTTO_ENVIRONMENT_DRIFT, SOTTO_PARAMETERS_SHARED, 3, 2);
    match.environment.drift = 1;
    OWN(sotto__world) world = world_of(&match, 9);
    for (int t = 0; t < 5; t++) {
        sotto__world_next(world);
        assert_near(world->mean[1], sotto__dot(world->context + 3, world->theta, 3), 1e-15);
    }
}
