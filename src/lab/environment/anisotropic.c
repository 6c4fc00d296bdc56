/* Contexts with a power-law spectrum: x_j = (j+1)^(-1/2) u_j, j from 0, u uniform on the unit
 * sphere. Then E[x x'] = diag(1/(j+1))/d. */
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
        double *x = context + i;
        sotto__draw_sphere(&world->ziggurat, &world->contexts, dim, 1, x);
        for (uint32_t j = 0; j < dim; j++) {
            x[j] /= sqrt(j + 1.0);
        }
    }
}

const sotto__environment sotto__environment_anisotropic = {
    .shared = true,
    .per_arm = true,
    .context_norm_max = context_norm_max,
    .draw = draw,
};
