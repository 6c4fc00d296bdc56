/*
 * PrivUnit (Bhowmick et al. 2018): v = x/||x||, its sign flipped with probability (1 - ||x||)/2;
 * then V uniform on the cap <V, v> >= g with probability p, on its complement otherwise; B V.
 *
 * The component T = <V, v> comes by its inverse distribution function: P(T >= t) = I_{(1-t)/2}(a,
 * a), a = (d-1)/2. The rest of V is uniform on the sphere around v.
 */
#include "core/core.h"
#include "inner.h"
#include "lab/random/random.h"

#include <math.h>

size_t sotto__privunit_words(uint32_t dim)
{
    return 3 + 2 * ((dim + 1) / 2);
}

/* y in [0, 1] with I_y(a, a) = target: Newton steps, held in a shrinking bracket. */
static double inverse_beta(double target, double a)
{
    double lo = 0, hi = 1, y = 0.5;
    double log_norm = sotto__log_beta(a, a);
    for (int i = 0; i < 60 && hi - lo > 1e-15; i++) {
        double error = sotto__incomplete_beta(y, a, a) - target;
        if (error > 0) {
            hi = y;
        } else {
            lo = y;
        }
        double slope = exp((a - 1) * (log(y) + sotto__log1p(-y)) - log_norm);
        double next = y - error / slope;
        if (fabs(next - y) < 1e-15) break;
        y = next > lo && next < hi ? next : (lo + hi) / 2;
    }
    return y;
}

/* T of a random point of the cap (in_cap) or of its complement. */
static double draw_component(const sotto_privunit *constants, double a, bool in_cap, double u)
{
    double cap = sotto__incomplete_beta((1 - constants->cap_height) / 2, a, a);
    return 1 - 2 * inverse_beta(in_cap ? u * cap : cap + u * (1 - cap), a);
}

void sotto__privunit_draw(const sotto_privunit *constants, const double *x, uint32_t dim,
                          const uint64_t *words, double *estimate)
{
    double norm = sotto__norm(x, dim);
    if (norm < 1e-300) norm = 0; /* a norm this small has no finite reciprocal */
    double flip = sotto__uniform(words[0]) < (1 - norm) / 2 ? -1 : 1;
    bool in_cap = sotto__uniform(words[1]) < constants->cap_chance;
    double v_scale = norm > 0 ? flip / norm : 0; /* x = 0: v = (flip, 0, ..., 0) */
    double v_first = norm > 0 ? 0 : flip;
    if (dim == 1) {
        estimate[0] = constants->scale * (v_scale * x[0] + v_first) * (in_cap ? 1 : -1);
        return;
    }

    for (uint32_t i = 0; i < dim; i += 2) {
        double pair[2];
        sotto__normal_pair(words[3 + i], words[4 + i], pair);
        estimate[i] = pair[0];
        if (i + 1 < dim) estimate[i + 1] = pair[1];
    }
    double along = v_first * estimate[0] + v_scale * sotto__dot(estimate, x, dim);
    for (uint32_t i = 0; i < dim; i++) {
        estimate[i] -= along * (v_scale * x[i] + (i == 0 ? v_first : 0));
    }
    double t = draw_component(constants, (dim - 1) / 2.0, in_cap, sotto__uniform(words[2]));
    double around = sqrt(1 - t * t) / sotto__norm(estimate, dim);
    for (uint32_t i = 0; i < dim; i++) {
        double v = v_scale * x[i] + (i == 0 ? v_first : 0);
        estimate[i] = constants->scale * (t * v + around * estimate[i]);
    }
}
