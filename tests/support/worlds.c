/* Worlds for tests. */
#include "worlds.h"
#include "core/core.h"
#include "stats.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

#define PEOPLE 20000
#define NUMBERS_MAX 12 /* of a person's context */

sotto_match match_of(sotto_environment_kind kind, sotto_parameters parameters, uint32_t dim,
                     uint32_t arms)
{
    sotto_match match = {
        .spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS),
        .environment = {.kind = kind,
                        .law = SOTTO_LAW_GAUSSIAN,
                        .noise = 0.1,
                        .theta_norm = 0.8,
                        .margin = 0.5,
                        .drift = 0.01},
        .horizon = 10000,
    };
    match.spec.dim = dim;
    match.spec.arms = arms;
    match.spec.parameters = parameters;
    return match;
}

sotto__world *world_of(const sotto_match *match, uint64_t seed)
{
    sotto__world *world;
    assert_ok(sotto__world_new(match, seed, &world));
    return world;
}

/* Adds the products of all pairs of a person's numbers, and the numbers. */
static void add_person(const sotto__world *world, running *mean, running product[][NUMBERS_MAX])
{
    for (uint32_t i = 0; i < world->context_count; i++) {
        running_add(&mean[i], world->context[i]);
        for (uint32_t j = 0; j <= i; j++) {
            running_add(&product[i][j], world->context[i] * world->context[j]);
        }
    }
}

void assert_moments(const sotto_match *match, uint64_t seed, const double *second, double longest)
{
    running mean[NUMBERS_MAX] = {{0, 0, 0}}, product[NUMBERS_MAX][NUMBERS_MAX] = {{{0, 0, 0}}};
    uint32_t dim = match->spec.dim;
    sotto__world *world = world_of(match, seed);
    uint32_t count = world->context_count;
    assert_true(count <= NUMBERS_MAX);
    for (int t = 0; t < PEOPLE; t++) {
        sotto__world_next(world);
        add_person(world, mean, product);
        for (uint32_t i = 0; i < count; i += dim) {
            assert_true(sotto__norm(world->context + i, dim) <= longest * (1 + 1e-14));
        }
    }
    sotto__world_free(world);
    for (uint32_t i = 0; i < count; i++) {
        assert_near(mean[i].mean, 0, Z_FALSE_ALARM * running_standard_error(&mean[i]));
        for (uint32_t j = 0; j <= i; j++) {
            const running *r = &product[i][j];
            double wanted = i == j ? second[i % dim] : 0;
            assert_near(r->mean, wanted, Z_FALSE_ALARM * running_standard_error(r) + 1e-12);
        }
    }
}

static int compare(const void *first, const void *second)
{
    double x = *(const double *)first, y = *(const double *)second;
    return (x > y) - (x < y);
}

int looks_uniform(double *u, size_t n)
{
    qsort(u, n, sizeof *u, compare);
    double distance = 0;
    for (size_t i = 0; i < n; i++) {
        double above = (double)(i + 1) / (double)n - u[i], below = u[i] - (double)i / (double)n;
        distance = fmax(distance, fmax(above, below));
    }
    return distance <= 2.7 / sqrt((double)n);
}

void assert_uniform(double *u, size_t n)
{
    assert_true(looks_uniform(u, n));
}
