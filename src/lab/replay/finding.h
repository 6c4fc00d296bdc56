/* What can be learnt from a file at an epsilon, and the reason where it cannot. */
#ifndef SOTTO_LAB_REPLAY_FINDING_H
#define SOTTO_LAB_REPLAY_FINDING_H

#include "verdict.h"

#include <sotto/core.h>

/* How far methods are ahead of the majority arm. */
typedef struct sotto__leads {
    uint32_t count;        /* of methods, each at every epsilon */
    uint32_t seeds;        /* at least 1 */
    uint32_t explorer;     /* which of them explores without privacy */
    uint32_t greedy;       /* and which is greedy without privacy */
    const double *epsilon; /* count; INFINITY: not private */
    const double *ahead;   /* count x seeds */
    double lead;           /* who cannot be ahead by it is not ahead */
} sotto__leads;

/* ---- the parts of it ---------------------------------------------------------------------- */

/* The part r = mean(ahead)/mean(gain) that is won, with 3 standard errors of ahead - r gain, over
 * mean(gain), to both sides. `gain` is above 0 in the mean; `scratch` has room for `seeds`. */
sotto_replay_share sotto__share_of(const double *ahead, const double *gain, uint32_t seeds,
                                   double *scratch);
/* Against SOTTO_REPLAY_SHARE. */
sotto_replay_standing sotto__standing_of_share(sotto_replay_share share);
/* Where there is no gain: ahead, or not by `lead`. */
sotto_replay_standing sotto__standing_of_lead(sotto_span ahead, double lead);
sotto_replay_reason sotto__reason_of(sotto_replay_standing explorer, sotto_replay_standing greedy,
                                     sotto_replay_standing best);

/* ---- all of them -------------------------------------------------------------------------- */

/* Everything but people_needed; gain and lead as those of `leads` are. `share` has room for one per method. */
SOTTO_CHECK sotto_status sotto__findings_of(const sotto__leads *leads, sotto_replay_share *share,
                                            sotto_replay_findings *out);
void sotto__findings_free(sotto_replay_findings *findings);

#endif
