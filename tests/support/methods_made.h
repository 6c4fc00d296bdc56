/* Made-up regrets for every method, as published and exact: a mean over two seeds, whose regrets
 * are one less and one more. */
#ifndef SOTTO_METHODS_MADE_H
#define SOTTO_METHODS_MADE_H

#include "reproductions.h"

static inline double regret_by_method(const sotto__part *part, uint32_t match, uint32_t seed,
                                      uint64_t t)
{
    static const double published[SOTTO_PLAYERS] = {
        [SOTTO_PLAYER_LDP_SGD] = 50,  [SOTTO_PLAYER_LDP_OLS] = 40, [SOTTO_PLAYER_LDP_UCB] = 100,
        [SOTTO_PLAYER_LDP_GLOC] = 10, [SOTTO_PLAYER_RANDOM] = 95,
    };
    static const double exact[SOTTO_PLAYERS] = {
        [SOTTO_PLAYER_SOTTO] = 6,    [SOTTO_PLAYER_LDP_SGD] = 35,  [SOTTO_PLAYER_LDP_OLS] = 30,
        [SOTTO_PLAYER_LDP_UCB] = 60, [SOTTO_PLAYER_LDP_GLOC] = 70, [SOTTO_PLAYER_OLS] = 3,
        [SOTTO_PLAYER_RANDOM] = 90,
    };
    const double *mean =
        part->stage->calibration == SOTTO_CALIBRATION_PUBLISHED ? published : exact;
    (void)t;
    return mean[part->comparison.match[match].player] + (seed == 0 ? -1 : 1);
}

#endif
