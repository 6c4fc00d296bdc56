/* The Huber score, for continuous rewards with skewed noise: psi = clip((x . theta - r)/tau, -1,
 * 1). */
#include "core/secret.h"
#include "score_rows.h"

void sotto__score_huber(const sotto__scored *scored, double *v)
{
    double residual = sotto__score_prediction(scored) - scored->reward;
    double psi = sotto__within(residual / scored->spec->huber_tau, -1, 1);
    sotto__score_along(scored, psi, v);
}
