/* The score of one arm for all: v = 2 (r - lo)/(hi - lo) - 1, the reward on the scale -1 to 1. */
#include "score_rows.h"

void sotto__score_reward(const sotto__scored *scored, double *v)
{
    const sotto_spec *spec = scored->spec;
    v[0] = 2 * (scored->reward - spec->reward_lo) / (spec->reward_hi - spec->reward_lo) - 1;
}
