/*
 * The largest of K draws. With F their distribution and f their density the largest has density
 * K F^(K-1) f.
 *
 * The first coordinate U of a uniform unit vector of R^d: a = (d - 1)/2, U = cos(phi),
 *
 *     F = I_((1 + U)/2)(a, a),    f(U) dU = sin^(d-2)(phi) dphi/Beta(1/2, a),
 *
 * smooth in phi; all but 1e-30 of it lies within 12/sqrt(d) of 0. On a line U = +-1.
 */
#include "core/core.h"
#include "math.h"

#include <math.h>

#define PANELS 256u
#define NODES (PANELS * SOTTO__PANEL_NODES)

/* K F^(K-1), formed in logarithms. */
static double largest_density(double log_cdf, uint32_t arms)
{
    return arms == 1 ? 1 : arms * exp((arms - 1.0) * log_cdf);
}

static double on_a_line(uint32_t arms, sotto__sphere_function *of, const void *state)
{
    double none = ldexp(1, -(int)arms); /* the chance that every arm has -1 */
    return (1 - none) * of(1, state) + none * of(-1, state);
}

double sotto__sphere_max(uint32_t dim, uint32_t arms, sotto__sphere_function *of, const void *state)
{
    if (dim == 1) return on_a_line(arms, of, state);
    double a = (dim - 1) / 2.0;
    double log_norm = sotto__log_beta(0.5, a);
    double start = acos(fmin(1, 12 / sqrt(dim)));
    double sum = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        sotto__node node = sotto__quadrature_node(start, 2 * acos(0) - start, PANELS, i);
        double u = cos(node.at);
        double log_cdf = log(sotto__incomplete_beta((1 + u) / 2, a, a));
        double density = exp((dim - 2.0) * log(sin(node.at)) - log_norm);
        sum += node.weight * largest_density(log_cdf, arms) * density * of(u, state);
    }
    return sum;
}

static double itself(double c, const void *state)
{
    (void)state;
    return c;
}

double sotto__sphere_max_mean(uint32_t dim, uint32_t arms)
{
    return sotto__sphere_max(dim, arms, itself, 0);
}

double sotto__normal_max_mean(uint32_t arms)
{
    const double end = 12, root_two_pi = 2.50662827463100050242;
    double sum = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        sotto__node node = sotto__quadrature_node(-end, end, PANELS, i);
        double density = exp(-0.5 * node.at * node.at) / root_two_pi;
        double largest = largest_density(sotto__log_normal_cdf(node.at), arms);
        sum += node.weight * largest * density * node.at;
    }
    return sum;
}
