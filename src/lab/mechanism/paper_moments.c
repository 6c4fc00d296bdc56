/*
 * The paper's constants, measured by the exact calibration.
 *
 * The whitened distance of the moments of (x, r) and (y, s), with C for C_B, has two parts: the
 * entries of x x' - y y' on and below the diagonal over 2 C sigma, and r x - s y over C c_r sigma.
 * It is largest for ||x|| = ||y|| = C, r = -s = c_r, in a basis where x x' - y y' is diagonal. With
 * t = cos(x, y):
 *
 *     (distance sigma)^2 = (C^2/2)(1 - t^2) + 2 + 2 t,
 *
 * which is largest at t = min(1, 2/C^2): 4 if C^2 <= 2, else C^2/2 + 2 + 2/C^2.
 */
#include "core/core.h"

#include <sotto/lab/mechanisms.h>

#include <math.h>

sotto_paper_moments sotto_paper_moments_calibrate(double epsilon, double delta,
                                                  double context_norm_max)
{
    double square = context_norm_max * context_norm_max;
    double sigma = 2 * sqrt(2 * log(1.25 / delta)) / epsilon;
    double whitened = sqrt(square <= 2 ? 4 : square / 2 + 2 + 2 / square) / sigma;
    return (sotto_paper_moments){
        .sigma = sigma,
        .whitened = whitened,
        .epsilon = sotto_gaussian_epsilon(delta, whitened),
        .delta = sotto_gaussian_delta(epsilon, whitened),
    };
}

sotto_paper_comparison sotto_paper_compare(double epsilon, double delta, double context_norm_max)
{
    sotto_paper_moments paper = sotto_paper_moments_calibrate(epsilon, delta, context_norm_max);
    double diameter = sotto__moments_diameter(context_norm_max, 1, 1);
    double exact = sotto_gaussian_sigma(epsilon, delta, diameter);
    return (sotto_paper_comparison){
        .epsilon = epsilon,
        .delta = delta,
        .context_norm_max = context_norm_max,
        .paper_square = 2 * context_norm_max * paper.sigma,
        .paper_product = context_norm_max * paper.sigma,
        .exact_square = exact / sqrt(2),
        .exact_product = exact,
        .true_epsilon = paper.epsilon,
        .true_delta = paper.delta,
        .holds = paper.epsilon <= epsilon,
    };
}

uint32_t sotto_paper_grid(const double *epsilon, const double *delta,
                          const double *context_norm_max,
                          sotto_paper_comparison out[SOTTO_PAPER_GRID_MAX])
{
    if (out == NULL) return 0;
    static const double epsilons[] = {0.5, 1, 2, 5, 8, 10};
    static const double deltas[] = {0.1, 1e-2, 1e-5, 1e-6}, bounds[] = {1, 2, 3, 5};
    const double *e = epsilon != NULL ? epsilon : epsilons;
    const double *d = delta != NULL ? delta : deltas;
    const double *c = context_norm_max != NULL ? context_norm_max : bounds;
    uint32_t e_count = epsilon != NULL ? 1 : 6, d_count = delta != NULL ? 1 : 4;
    uint32_t count = e_count * d_count * (context_norm_max != NULL ? 1 : 4);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = i / e_count;
        out[i] = sotto_paper_compare(e[i % e_count], d[row % d_count], c[row / d_count]);
    }
    return count;
}
