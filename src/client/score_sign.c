/* The sign score, for continuous rewards: psi = +1 if x . theta > r, else -1, always from the true
 * x. Among scores bounded by 1 it has the steepest slope for unimodal noise. */
#include "score_rows.h"

void sotto__score_sign(const sotto__scored *scored, double *v)
{
    bool above = sotto__score_prediction(scored) > scored->reward;
    double psi = 2 * (double)above - 1; /* a compiler may make a branch of `above ? 1 : -1` */
    sotto__score_along(scored, psi, v);
}
