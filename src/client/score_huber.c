/* The Huber score, for continuous rewards with skewed noise: psi = clip((x . theta - r)/tau, -1,
 * 1). */
#include "score_rows.h"

#include <math.h>

void sotto__score_huber(const sotto__scored *scored, double *v)
{
    double residual = sotto__score_prediction(scored) - scored->reward;
    double psi = fmax(-1, fmin(1, residual / scored->spec->huber_tau));
    sotto__score_along(scored, psi, v);
}
