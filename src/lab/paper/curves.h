/* Regret as curves. */
#ifndef SOTTO_LAB_PAPER_CURVES_H
#define SOTTO_LAB_PAPER_CURVES_H

#include "lab/page/figure.h"
#include "lab/text/pool.h"
#include "part.h"

/* Each gives a curve its numbers, means with bands of half a standard deviation to each side, as in
 * the paper; they live as long as the pool. False if there is no memory. */

/* Against t, over the last three decades. */
bool sotto__curve_along(const sotto__part *part, uint32_t match, sotto__pool *pool,
                        sotto__curve *curve);

/* The same over the mean regret of random arms, the match `random`: 1 is as if nothing was learned. */
bool sotto__curve_of_shares(const sotto__part *part, uint32_t match, uint32_t random,
                            sotto__pool *pool, sotto__curve *curve);

/* At the last round against T: parts that follow each other, one per horizon. Over the bound where
 * the experiment is about it. */
bool sotto__curve_over_horizons(const sotto__part *part, uint32_t horizons, uint32_t match,
                                sotto__pool *pool, sotto__curve *curve);

/* At the last round against epsilon. */
bool sotto__curve_over_epsilons(const sotto__part *part, sotto_player player, sotto__pool *pool,
                                sotto__curve *curve);

#endif
