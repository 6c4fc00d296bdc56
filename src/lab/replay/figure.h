/* The figure of a replay: reward against epsilon, one curve per private method, and a level line for
 * what has no epsilon. */
#ifndef SOTTO_LAB_REPLAY_FIGURE_H
#define SOTTO_LAB_REPLAY_FIGURE_H

#include "lab/page/figure.h"
#include "summary.h"

typedef struct sotto__replay_figure {
    sotto__figure figure; /* as sotto__figure_csv and sotto__figure_draw take it */
    char folder[4096];    /* where its files go */
    char title[512];
    /* What the figure borrows. */
    sotto__curve *curve;
    double *number;
} sotto__replay_figure;

/* Of a file `data`, to be written as PREFIX.csv and so on, PREFIX borrowed. `from_data`: ranges
 * came from people's rows, which the title says. */
SOTTO_CHECK sotto_status sotto__replay_figure_new(const sotto_replay_summary *summary,
                                                  const char *prefix, const char *data,
                                                  bool from_data, sotto__replay_figure **out);
void sotto__replay_figure_free(sotto__replay_figure *figure); /* accepts NULL */

#endif
