/* Contexts uniform on the unit sphere: the arms' vectors are independent. */
#include "core/linalg.h"
#include "environment_rows.h"

#include <math.h>

static double context_norm_max(const sotto_spec *spec)
{
    (void)spec;
    return 1;
}

/* x/||x||; a zero has no direction, and is drawn again. */
static void normalise(sotto__world *world, double *x, uint32_t dim)
{
    double squares = sotto__dot(x, x, dim);
    if (squares < 1e-200) {
        sotto__draw_sphere(&world->ziggurat, &world->contexts, dim, 1, x);
        return;
    }
    double scale = 1 / sqrt(squares);
    for (uint32_t i = 0; i < dim; i++) {
        x[i] *= scale;
    }
}

/* The same for all rows of two numbers, where the loops of a row would cost more than its numbers.
 */
static void normalise_plane(sotto__world *world, double *x, uint32_t count)
{
    bool zeros = false;
    for (uint32_t i = 0; i < count; i += 2) {
        double squares = x[i] * x[i] + x[i + 1] * x[i + 1];
        zeros |= squares < 1e-200;
        double scale = 1 / sqrt(squares < 1e-200 ? 1 : squares);
        x[i] *= scale;
        x[i + 1] *= scale;
    }
    for (uint32_t i = 0; zeros && i < count; i += 2) { /* zeros are not of length 1 now */
        if (sotto__dot(x + i, x + i, 2) < 0.5) normalise(world, x + i, 2);
    }
}

static void draw(sotto__world *world, uint32_t people, double *context)
{
    uint32_t dim = world->match->spec.dim, count = people * world->context_count;
    sotto__normals(&world->ziggurat, &world->contexts, context, count);
    if (dim == 2) {
        normalise_plane(world, context, count);
        return;
    }
    for (uint32_t at = 0; at < count; at += dim) {
        normalise(world, context + at, dim);
    }
}

const sotto__environment sotto__environment_sphere = {
    .shared = true,
    .per_arm = true,
    .context_norm_max = context_norm_max,
    .draw = draw,
};
