/*
 * Sphere contexts, and a truth that turns: theta*(t) = theta_norm (cos(w t) e1 + sin(w t) e2), with
 * orthonormal e1, e2 drawn at the start, for each arm its own. The first person meets t = 1.
 */
#include "core/fault.h"
#include "environment_rows.h"

#include <math.h>

static const char *fault(const sotto_match *match, char *text)
{
    if (match->spec.dim < 2) {
        return sotto__fault(text, "dim = %u: environment drift turns in a plane, at least 2",
                            match->spec.dim);
    }
    if (!(match->environment.drift >= 0 && match->environment.drift <= 1)) {
        return sotto__fault(text, "drift = %.15g: allowed 0 to 1", match->environment.drift);
    }
    return NULL;
}

static double context_norm_max(const sotto_spec *spec)
{
    return sotto__environment_sphere.context_norm_max(spec);
}

/* The axis: e1 of every parameter, where theta* starts, then their e2. */
static void begin(sotto__world *world)
{
    uint32_t dim = world->match->spec.dim;
    double *e1 = world->axis, *e2 = world->axis + world->theta_count;
    for (uint32_t i = 0; i < world->theta_count; i++) {
        e1[i] = world->theta[i] / world->match->environment.theta_norm;
    }
    for (uint32_t i = 0; i < world->theta_count; i += dim) {
        sotto__draw_orthogonal(&world->ziggurat, &world->parameters, e1 + i, dim, 1, e2 + i);
    }
}

static void turn(sotto__world *world)
{
    const sotto_environment *environment = &world->match->environment;
    const double *e1 = world->axis, *e2 = world->axis + world->theta_count;
    double angle = environment->drift * (double)world->t;
    double first = environment->theta_norm * cos(angle);
    double second = environment->theta_norm * sin(angle);
    for (uint32_t i = 0; i < world->theta_count; i++) {
        world->theta[i] = first * e1[i] + second * e2[i];
    }
}

static void draw(sotto__world *world, uint32_t people, double *context)
{
    sotto__environment_sphere.draw(world, people, context);
}

const sotto__environment sotto__environment_drift = {
    .shared = true,
    .per_arm = true,
    .fault = fault,
    .context_norm_max = context_norm_max,
    .begin = begin,
    .draw = draw,
    .turn = turn,
};
