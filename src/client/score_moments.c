/*
 * Moments, for least squares: (svec(x x'), lambda r x), one vector of d(d+1)/2 + d numbers.
 *
 * svec is the lower triangle, row by row. Gaussian noise is scaled to the L2 norm, and off-diagonal
 * entries are multiplied by sqrt 2 so that the L2 norm of svec is that of the matrix; laplace noise
 * is scaled to the L1 norm, and the entries stay as they are.
 */
#include "core/method.h"
#include "score.h"

#include <math.h>

void sotto__score_svec(const sotto__scored *scored, double last, double *v)
{
    const sotto_spec *spec = scored->spec;
    const double *x = scored->x;
    double off_diagonal = spec->noise_law == SOTTO_NOISE_LAPLACE ? 1 : sqrt(2);
    double weight = sotto__method_of(spec)->moment_weight * last;
    uint32_t at = 0;
    for (uint32_t i = 0; i < spec->dim; i++) {
        for (uint32_t j = 0; j < i; j++) {
            v[at++] = off_diagonal * x[i] * x[j];
        }
        v[at++] = x[i] * x[i];
    }
    for (uint32_t i = 0; i < spec->dim; i++) {
        v[at++] = weight * x[i];
    }
}

void sotto__score_moments(const sotto__scored *scored, double *v)
{
    sotto__score_svec(scored, scored->reward, v);
}
