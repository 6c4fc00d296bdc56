/* What can be learnt from a file at an epsilon, the reason where it cannot, and what to do. */
#ifndef SOTTO_LAB_REPLAY_FINDING_H
#define SOTTO_LAB_REPLAY_FINDING_H

#include "verdict.h"

#include <sotto/core.h>

/* Lines of methods with their leads and shares, and what leads are held against. */
typedef struct sotto__leads {
    const sotto_replay_line *line;
    uint32_t count;    /* of methods, each at every epsilon */
    uint32_t explorer; /* which of them explores without privacy */
    uint32_t greedy;   /* and which is greedy without privacy */
    double lead;       /* where the one that explores cannot be ahead by it there is no signal, */
    double worth;      /* unless somebody is certainly ahead by this, which is not more */
} sotto__leads;

/* ---- the parts of it ---------------------------------------------------------------------- */

/* The part r = mean(ahead)/mean(gain) that is won, with 3 standard errors of ahead - r gain, over
 * mean(gain), to both sides. `gain` is above 0 in the mean; `scratch` has room for `seeds`. */
sotto_replay_share sotto__share_of(const double *ahead, const double *gain, uint32_t seeds,
                                   double *scratch);
/* Of a method without privacy: by its share against SOTTO_REPLAY_SHARE; without one: ahead, or not by `worth`. */
sotto_replay_standing sotto__standing_open(const sotto_replay_line *line, double worth);
/* Of a private one: it wins if it beats one arm for all, in hindsight and by best-arm. */
sotto_replay_standing sotto__standing_private(const sotto_replay_line *line, double worth);
bool sotto__is_without_signal(const sotto__leads *leads);
/* `worse`: than best-arm. */
sotto_replay_reason sotto__reason_of(sotto_replay_standing explorer, sotto_replay_standing greedy,
                                     sotto_replay_standing best, bool worse);

/* ---- all of them -------------------------------------------------------------------------- */

/* Everything but people_needed. */
SOTTO_CHECK sotto_status sotto__findings_of(const sotto__leads *leads, sotto_replay_findings *out);
void sotto__findings_free(sotto_replay_findings *findings);

#endif
