/*
 * On a line contexts are +-1 and parameters +-D. Estimates are z standard deviations on the right side of 0 in the
 * mean. With one parameter the person loses by the wrong sign; of what a random arm loses that is
 *
 *     2 Phi(-z).
 *
 * With a parameter for each of K arms half of them are good for a person, and the person loses if the largest
 * estimate is that of a bad arm while there is a good one. In standard deviations, bad arms have mean 0 and good
 * ones 2 z; an arm is either with chance 1/2:
 *
 *     K int phi(t) (((Phi(t) + Phi(t - 2 z))/2)^(K-1) - (Phi(t)/2)^(K-1)) dt / (1 - 2^(1-K)),
 *
 * which is 2 Phi(-z sqrt 2) for K = 2.
 */
#include "line.h"
#include "core/quadrature.h"
#include "lab/math/statistics.h"

#include <math.h>

#define PANELS 16u
#define NODES (PANELS * SOTTO__PANEL_NODES)
#define KNOWN 8.0 /* z from which on less than 1e-15 is left */

double sotto__line_part(double z)
{
    return 2 * sotto__normal_tail(z);
}

double sotto__line_part_of_arms(double z, uint32_t arms)
{
    const double root_two_pi = 2.50662827463100050242, others = arms - 1.0;
    if (z >= KNOWN) return 0;
    double sum = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        sotto__node node = sotto__quadrature_node(-6, 8, PANELS, i);
        double t = node.at, bad = sotto__normal_tail(-t), good = sotto__normal_tail(2 * z - t);
        double wrong = pow((bad + good) / 2, others) - pow(bad / 2, others);
        sum += node.weight * exp(-0.5 * t * t) / root_two_pi * wrong;
    }
    return fmin(1, arms * sum / (1 - ldexp(1, 1 - (int)arms)));
}
