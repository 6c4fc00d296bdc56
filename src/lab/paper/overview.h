/* The paper's own figure, two by two, with sotto in it. */
#ifndef SOTTO_LAB_PAPER_OVERVIEW_H
#define SOTTO_LAB_PAPER_OVERVIEW_H

#include "lab/page/figure.h"
#include "reproduction.h"

/* Columns: shared and per-arm parameters; rows: epsilon 1 and 5. */
#define SOTTO__OVERVIEW_PANELS 4u

/* The part and the epsilon of a panel, exact; NULL: it was not played. */
const sotto__part *sotto__overview_part(const sotto__reproduction *reproduction, uint32_t panel,
                                        double *epsilon);

/* The figure, "paper-figure"; `alt` says what it shows. It lives as long as the reproduction. False
 * if there is no memory. With panels_count 0 nothing of it was played. */
bool sotto__overview_figure(sotto__reproduction *reproduction, sotto__figure *out,
                            const char **alt);

#endif
