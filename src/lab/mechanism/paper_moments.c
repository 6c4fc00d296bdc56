/*
 * The paper's constants, measured by the exact calibration.
 *
 * Whitened distance of the moments of (x, r) and (y, s), with C for C_B: the entries of x x' - y y'
 * on and below the diagonal over 2 C sigma, and r x - s y over C c_r sigma. It is largest for
 * ||x|| = ||y|| = C, r = -s = c_r, in a basis where x x' - y y' is diagonal. With t = cos(x, y):
 *
 *     (distance sigma)^2 = (C^2/2)(1 - t^2) + 2 + 2 t,
 *
 * which is largest at t = min(1, 2/C^2): 4 if C^2 <= 2, else C^2/2 + 2 + 2/C^2.
 */
#include <sotto/lab.h>

#include <math.h>

sotto_paper_moments sotto_paper_calibration(double epsilon, double delta, double context_norm_max)
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
