/* The score of the mean phase: v = x/||x||, the direction of the context, and nothing of the reward. */
#include "score_rows.h"

void sotto__score_mean(const sotto__scored *scored, double *v)
{
    sotto__score_along(scored, 1, v);
}
