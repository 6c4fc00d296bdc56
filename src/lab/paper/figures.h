/* What an experiment gave, as figures. */
#ifndef SOTTO_LAB_PAPER_FIGURES_H
#define SOTTO_LAB_PAPER_FIGURES_H

#include "lab/page/figure.h"
#include "reproduction.h"

typedef struct sotto__figures {
    uint32_t count;
    sotto__figure *figure;
    const char **alt; /* of each: what it shows, in words */
} sotto__figures;

/* All figures of an experiment, none for one that has no curves. They live as long as the
 * reproduction. False if there is no memory. */
bool sotto__figures_of(sotto__reproduction *reproduction, const sotto__experiment *experiment,
                       sotto__figures *out);

/* The panel of a part at an epsilon: regret over that of random arms, which shows differences. Empty
 * if random arms were not played. `label`: of each player, NULL for its name; or NULL. False if there is no memory. */
bool sotto__panel_of_shares(sotto__pool *pool, const sotto__part *part, double epsilon,
                            const char *const *label, sotto__panel *panel);

#endif
