/*
 * A report Z is a random map of the secret, P(Z = z | secret) = q(z, secret), and by epsilon-LDP
 * q lies between some b(z) and e^epsilon b(z) for all secrets. E[S] = 0, so for a unit u
 *
 *     <u, E[S | Z = z]> = E[<u, S> (q/b - 1)]/E[q/b] <= max over q/b in [1, e^epsilon].
 *
 * The largest has q/b = e^epsilon where <u, S> is above the value rho of the whole, and 1 elsewhere:
 * rho = (e^epsilon - 1) E[(<u, S> - rho)_+]. Hence |E[S | Z]| <= rho if no direction u has a larger one,
 * and the trace E|E[S | Z]|^2 is at most rho^2; it is at most E|S|^2 by Jensen.
 *
 * With K arms of which a report does not say which was pulled, u may be spread evenly over the
 * directions of m arms: <u, S>/sqrt(m) with chance m/K, otherwise 0.
 */
#include "information.h"
#include "core/elementary.h"
#include "fixed_point.h"

#include <math.h>

typedef struct spread {
    const sotto__cells *cells;
    const sotto__score *score;
    double factor; /* (e^epsilon - 1) m/K */
    double scale;  /* 1/sqrt(m) */
} spread;

static double told(double rho, void *state)
{
    const spread *of = state;
    double sum = 0;
    for (uint32_t i = 0; i < of->cells->count; i++) {
        const sotto__cell *at = &of->cells->cell[i];
        sum += at->weight * sotto__score_excess(of->score, at->c, at->y * of->scale, rho);
    }
    return of->factor * sum;
}

double sotto__information_root(const sotto__cells *cells, const sotto__score *score, double epsilon,
                               uint32_t m, uint32_t arms)
{
    spread of = {cells, score, sotto__expm1(epsilon) * m / arms, 1 / sqrt(m)};
    return sotto__fixed_point(told, &of, 0, told(0, &of), 1e-10);
}

double sotto__information_open(const sotto__cells *cells, const sotto__score *score)
{
    double sum = 0;
    for (uint32_t i = 0; i < cells->count; i++) {
        const sotto__cell *at = &cells->cell[i];
        sum += at->weight * (1 - at->c * at->c) * sotto__score_square(score, at->c);
    }
    return sum;
}
