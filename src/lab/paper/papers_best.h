/* The best of the methods that the paper compares. */
#ifndef SOTTO_LAB_PAPER_PAPERS_BEST_H
#define SOTTO_LAB_PAPER_PAPERS_BEST_H

#include "reproduction.h"

/* True for the methods that the paper compares. */
bool sotto__player_is_papers(sotto_player player);

/* The smallest mean regret at the last round; `player` is SOTTO_PLAYERS and `mean` NAN if there is
 * none. */
typedef struct sotto__papers_best {
    double mean;
    sotto_player player;
    const sotto__stage *stage;
} sotto__papers_best;

/* At an epsilon, of the paper's methods that keep their claim, in any part of an experiment: as
 * published or exact. */
sotto__papers_best sotto__papers_best_of(const sotto__reproduction *reproduction,
                                         const sotto__experiment *experiment, double epsilon);

#endif
