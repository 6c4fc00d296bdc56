/* What an experiment gave, as figures. */
#ifndef SOTTO_LAB_PAPER_FIGURES_H
#define SOTTO_LAB_PAPER_FIGURES_H

#include "lab/page/figure.h"
#include "reproduction.h"

typedef struct sotto__figures {
    uint32_t count;
    sotto__figure *figure;
    const char **name, **alt; /* of each: as a section wants them; alt: what it shows, in words */
} sotto__figures;

/* All figures of an experiment, none for one that has no curves. They live as long as the
 * reproduction. False if there is no memory. */
bool sotto__figures_of(sotto__reproduction *reproduction, const sotto__experiment *experiment,
                       sotto__figures *out);

#endif
