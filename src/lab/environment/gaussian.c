/*
 * The instance of the paper's lower bound (Theorem 3.2): contexts N(0, I/d). So that a bound C_B
 * holds, those longer than 1 + 6/sqrt d are scaled down to it: fewer than one in 10^11, whatever d.
 */
#include "gaussian.h"
#include "core/elementary.h"
#include "core/linalg.h"
#include "environment_rows.h"

#include <math.h>

static double context_norm_max(const sotto_spec *spec)
{
    return 1 + 6 / sqrt(spec->dim);
}

static void draw(sotto__world *world, uint32_t people, double *context)
{
    uint32_t dim = world->match->spec.dim;
    double longest = context_norm_max(&world->match->spec);
    for (uint32_t i = 0; i < people * world->context_count; i += dim) {
        double *x = context + i;
        sotto__normals(&world->ziggurat, &world->contexts, x, dim);
        for (uint32_t j = 0; j < dim; j++) {
            x[j] /= sqrt(dim);
        }
        double shrink = longest / sotto__norm(x, dim);
        for (uint32_t j = 0; j < dim && shrink < 1; j++) {
            x[j] *= shrink;
        }
    }
}

const sotto__environment sotto__environment_gaussian = {
    .shared = true,
    .per_arm = true,
    .context_norm_max = context_norm_max,
    .draw = draw,
};

/* min(1, d/((e^epsilon - 1) sqrt T)). */
double sotto__lower_bound_theta_norm(uint32_t dim, double epsilon, uint64_t horizon)
{
    return fmin(1, dim / (sotto__expm1(epsilon) * sqrt((double)horizon)));
}
