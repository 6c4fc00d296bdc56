/* Moments, for least squares: (svec(x x'), lambda r x), one vector of d(d+1)/2 + d numbers. */
#include "score_rows.h"

void sotto__score_moments(const sotto__scored *scored, double *v)
{
    sotto__score_svec(scored, scored->reward, v);
}
