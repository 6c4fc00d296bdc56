/* Contexts uniform in the unit ball: U^(1/d) times a uniform direction, U uniform. */
#include "environment_rows.h"

#include <math.h>

static double context_norm_max(const sotto_spec *spec)
{
    (void)spec;
    return 1;
}

static void draw(sotto__world *world, uint32_t people, double *context)
{
    uint32_t dim = world->match->spec.dim;
    for (uint32_t i = 0; i < people * world->context_count; i += dim) {
        double radius = pow(sotto__uniform(sotto__seeded_next(&world->contexts)), 1.0 / dim);
        sotto__draw_sphere(&world->ziggurat, &world->contexts, dim, radius, context + i);
    }
}

const sotto__environment sotto__environment_ball = {
    .shared = true,
    .per_arm = true,
    .context_norm_max = context_norm_max,
    .draw = draw,
};
