/*
 * Contexts of the authors' own code. Shared: uniform on the unit sphere. Per-arm: N(0, I_d), not
 * normalised and not scaled down. sqrt d + 4 is then no bound of the world, but one that a device
 * clips to: it touches fewer than one in 10^6, whatever d.
 */
#include "environment_rows.h"

#include <math.h>

static double context_norm_max(const sotto_spec *spec)
{
    return spec->parameters == SOTTO_PARAMETERS_PER_ARM ? sqrt(spec->dim) + 4 : 1;
}

static void draw(sotto__world *world, uint32_t people, double *context)
{
    if (world->match->spec.parameters == SOTTO_PARAMETERS_SHARED) {
        sotto__environment_sphere.draw(world, people, context);
        return;
    }
    sotto__normals(&world->ziggurat, &world->contexts, context, people * world->context_count);
}

const sotto__environment sotto__environment_published = {
    .shared = true,
    .per_arm = true,
    .context_norm_max = context_norm_max,
    .draw = draw,
};
