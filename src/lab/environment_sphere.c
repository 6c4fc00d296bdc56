/* Contexts uniform on the unit sphere: the arms' vectors are independent. */
#include "environment.h"

static double context_norm_max(const sotto_spec *spec)
{
    (void)spec;
    return 1;
}

static void draw(sotto__world *world)
{
    uint32_t dim = world->match->spec.dim;
    for (uint32_t i = 0; i < world->context_count; i += dim) {
        sotto__draw_sphere(&world->ziggurat, &world->contexts, dim, 1, world->context + i);
    }
}

const sotto__environment sotto__environment_sphere = {
    .shared = true,
    .per_arm = true,
    .context_norm_max = context_norm_max,
    .draw = draw,
};
