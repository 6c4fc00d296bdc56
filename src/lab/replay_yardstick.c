/* Yardsticks of a data set. */
#include "replay_yardstick.h"

#include <math.h>
#include <stdlib.h>

sotto_status sotto__yardstick_new(uint32_t arms, double clip, sotto__yardstick **out)
{
    *out = NULL;
    sotto__yardstick *yardstick = calloc(1, sizeof *yardstick);
    if (yardstick == NULL) return SOTTO_E_MEMORY;
    yardstick->arm_count = calloc(arms, sizeof yardstick->arm_count[0]);
    yardstick->constant = calloc(arms, sizeof yardstick->constant[0]);
    if (yardstick->arm_count == NULL || yardstick->constant == NULL) {
        sotto__yardstick_free(yardstick);
        return SOTTO_E_MEMORY;
    }
    yardstick->arms = arms;
    yardstick->clip = clip;
    yardstick->propensity_min = 1;
    *out = yardstick;
    return SOTTO_OK;
}

void sotto__yardstick_free(sotto__yardstick *yardstick)
{
    if (yardstick == NULL) return;
    free(yardstick->arm_count);
    free(yardstick->constant);
    free(yardstick);
}

void sotto__yardstick_add(sotto__yardstick *yardstick, const sotto__people *people)
{
    for (uint32_t i = 0; i < people->rows; i++) {
        uint32_t arm = people->arm[i];
        double reward = people->reward[i], propensity = people->propensity[i];
        yardstick->arm_count[arm]++;
        yardstick->propensity_min = fmin(yardstick->propensity_min, propensity);
        yardstick->inverse_sum += 1 / fmax(propensity, yardstick->clip);
        if (propensity < yardstick->clip) yardstick->clipped++;
        sotto__off_policy_add(&yardstick->logging, reward, 1, 0);
        sotto__off_policy_add(&yardstick->constant[arm], reward, propensity, yardstick->clip);
    }
    yardstick->rows += people->rows;
}

uint32_t sotto__yardstick_majority(const sotto__yardstick *yardstick)
{
    uint32_t best = 0;
    for (uint32_t a = 1; a < yardstick->arms; a++) {
        if (yardstick->arm_count[a] > yardstick->arm_count[best]) best = a;
    }
    return best;
}

uint32_t sotto__yardstick_best_arm(const sotto__yardstick *yardstick)
{
    const sotto__off_policy *constant = yardstick->constant;
    uint32_t best = sotto__yardstick_majority(yardstick); /* an arm that was given to somebody */
    for (uint32_t a = 0; a < yardstick->arms; a++) {
        if (constant[a].matched > 0 && constant[a].product > constant[best].product) best = a;
    }
    return best;
}

double sotto__yardstick_floor(const sotto__yardstick *yardstick)
{
    return fmax(yardstick->propensity_min, yardstick->clip);
}

uint64_t sotto__yardstick_matches(const sotto__yardstick *yardstick)
{
    double kept = sotto__yardstick_floor(yardstick) * yardstick->inverse_sum;
    return (uint64_t)fmax(1, kept / yardstick->arms);
}
