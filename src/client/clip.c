/* Bounds, enforced here whatever the caller promised. */
#include "clip.h"
#include "linalg.h"

#include <math.h>

double sotto__finite_or_zero(double v)
{
    return isfinite(v) ? v : 0;
}

void sotto__clip_vector(const double *x, uint32_t dim, double norm_max, double *out)
{
    double largest = 0;
    for (uint32_t i = 0; i < dim; i++) {
        out[i] = sotto__finite_or_zero(x[i]);
        largest = fmax(largest, fabs(out[i]));
    }
    /* The norm of numbers near 1e308 overflows: bring them into range first. */
    if (largest > 1e150) {
        for (uint32_t i = 0; i < dim; i++) {
            out[i] *= 1e-160;
        }
    }
    double norm = sotto__norm(out, dim);
    double scale = largest > 1e150 || norm > norm_max ? norm_max / norm : 1;
    for (uint32_t i = 0; i < dim; i++) {
        out[i] *= scale;
    }
}

double sotto__clip_reward(const sotto_spec *spec, double reward)
{
    if (!isfinite(reward)) return spec->reward_default;
    return fmax(spec->reward_lo, fmin(spec->reward_hi, reward));
}
