/* Bounds, enforced here whatever the caller promised. */
#include "clip.h"
#include "core/linalg.h"
#include "core/secret.h"

#include <string.h>

/* Numbers that are not finite, too large to be squared, or simply too long. */
static void clip_carefully(double *x, uint32_t dim, double norm_max)
{
    double largest = 0;
    for (uint32_t i = 0; i < dim; i++) {
        x[i] = sotto__finite_or_zero(x[i]);
        largest = sotto__at_least(fabs(x[i]), largest);
    }
    /* The norm of numbers near 1e308 overflows: bring them into range first. */
    if (largest > 1e150) {
        for (uint32_t i = 0; i < dim; i++) {
            x[i] *= 1e-160;
        }
    }
    double norm = sotto__norm(x, dim);
    double scale = largest > 1e150 || norm > norm_max ? norm_max / norm : 1;
    for (uint32_t i = 0; i < dim; i++) {
        x[i] *= scale;
    }
}

/* Nearly every vector is within its bound, which one sum shows: a number that is not finite makes
 * it infinite or NaN. A length within rounding of the bound is not worth a division. */
static inline bool is_within(const double *x, uint32_t dim, double norm_max)
{
    double squares = sotto__dot(x, x, dim);
    return squares <= norm_max * norm_max * (1 + 0x1p-51);
}

static inline bool are_within(const double *rows, uint32_t count, uint32_t dim, double norm_max)
{
    bool within = true;
    for (uint32_t r = 0; r < count; r++) {
        within &= is_within(rows + (size_t)r * dim, dim, norm_max);
    }
    return within;
}

void sotto__clip_rows(const double *rows, uint32_t count, uint32_t dim, double norm_max,
                      double *out)
{
    memmove(out, rows, (size_t)count * dim * sizeof out[0]);
    /* A loop over a row of two numbers costs more than its two products: it is unrolled. */
    if (dim == 2 && are_within(out, count, 2, norm_max)) return;
    for (uint32_t r = 0; r < count; r++) {
        double *x = out + (size_t)r * dim;
        if (!is_within(x, dim, norm_max)) clip_carefully(x, dim, norm_max);
    }
}

void sotto__clip_vector(const double *x, uint32_t dim, double norm_max, double *out)
{
    sotto__clip_rows(x, 1, dim, norm_max, out);
}

double sotto__clip_reward(const sotto_spec *spec, double reward)
{
    if (!isfinite(reward)) return spec->reward_default;
    return sotto__within(reward, spec->reward_lo, spec->reward_hi);
}
