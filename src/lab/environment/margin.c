/*
 * Two arms with a chosen margin exponent beta (the paper's Assumption 4): along the direction of
 * theta* one stands at a, the other at -a, a fair coin says which,
 *
 *     a = U^(1/beta), U uniform;   beta = 0: a = 1/(2 sqrt T)
 *
 * so that P(2a <= h) = (h/2)^beta, or the gap is 1/sqrt T. The rest of each vector is uniform on
 * the sphere of radius sqrt(1 - a^2) around theta*, independently.
 */
#include "core/fault.h"
#include "environment_rows.h"

#include <math.h>

static const char *fault(const sotto_match *match, char *text)
{
    if (match->spec.arms != 2) {
        return sotto__fault(text, "arms = %u: environment margin has 2 arms; sphere has any number",
                            match->spec.arms);
    }
    if (!(match->environment.margin >= 0 && match->environment.margin <= 1)) {
        return sotto__fault(text, "margin = %.15g: allowed 0 to 1", match->environment.margin);
    }
    return NULL;
}

static double context_norm_max(const sotto_spec *spec)
{
    (void)spec;
    return 1;
}

/* The axis is theta*'s direction. */
static void begin(sotto__world *world)
{
    for (uint32_t i = 0; i < world->theta_count; i++) {
        world->axis[i] = world->theta[i] / world->match->environment.theta_norm;
    }
}

/* x = along the axis, and the rest around it; one number has no rest. */
static void draw_around(sotto__world *world, double along, double *x)
{
    uint32_t dim = world->match->spec.dim;
    x[0] = 0;
    if (dim > 1) {
        sotto__draw_orthogonal(&world->ziggurat, &world->contexts, world->axis, dim,
                               sqrt(1 - along * along), x);
    }
    for (uint32_t i = 0; i < dim; i++) {
        x[i] += along * world->axis[i];
    }
}

static void draw_person(sotto__world *world, double *context)
{
    double beta = world->match->environment.margin;
    double u = sotto__uniform(sotto__seeded_next(&world->contexts));
    double a = beta > 0 ? pow(u, 1 / beta) : 0.5 / sqrt((double)world->match->horizon);
    bool first_is_best = sotto__seeded_next(&world->contexts) >> 63 == 0;
    double along = first_is_best ? a : -a;
    draw_around(world, along, context);
    draw_around(world, -along, context + world->match->spec.dim);
}

static void draw(sotto__world *world, uint32_t people, double *context)
{
    for (uint32_t p = 0; p < people; p++) {
        draw_person(world, context + (size_t)p * world->context_count);
    }
}

const sotto__environment sotto__environment_margin = {
    .shared = true,
    .fault = fault,
    .context_norm_max = context_norm_max,
    .begin = begin,
    .draw = draw,
};
