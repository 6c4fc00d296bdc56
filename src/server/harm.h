/* Whether the policy does harm, and what is served instead. */
#ifndef SOTTO_HARM_H
#define SOTTO_HARM_H

#include "measure.h"

#define SOTTO__HARM_ALPHA 0.0005 /* of each of the two intervals: a false alarm, ever */
#define SOTTO__BELOW_ALPHA 0.05  /* of the notice below-best-arm */

/* All of it follows from published epochs and from what the owner did. */
typedef struct sotto__harm {
    sotto__measured all, recent; /* u, since the last restart, and since 2^j of them */
    uint32_t doublings;          /* j */
    uint32_t restarts;           /* k: fallbacks that the owner ended */
    uint32_t epoch;              /* opened by the publish at which the alarm fired; 0: it did not */
    uint32_t served_epoch;       /* the first with the fallback that is served; 0: none is */
    bool ends;                   /* the fallback does, at the next publish */
} sotto__harm;

/* Adds the measure rounds of one epoch, if its model decides. */
void sotto__harm_add(sotto__harm *harm, const sotto_tally *tally);
/* As it is if nothing was ever restarted: from the sums of all epochs. */
void sotto__harm_derive(const sotto__measures *measures, sotto__harm *out);
/* The upper ends of the uplift, at most hi - lo. */
void sotto__harm_upper(const sotto_terms *terms, const sotto__harm *harm, double *all,
                       double *recent);
/* Whether either of them is below 0. */
bool sotto__harm_shows(const sotto__harm *harm, const sotto_terms *terms);
/* The end of an epoch, with its reports in the sums: fires, begins to serve, or ends that. `unsure`: the
 * test of role counts alarms, and no fallback begins. `model` is of the epoch that ends. */
void sotto__harm_step(sotto__harm *harm, const sotto_terms *terms, uint32_t fallback, bool unsure,
                      sotto_model *model);
/* The arm that everybody should rather get, by the cumulative intervals; UINT32_MAX: none is certainly
 * better than the policy. */
uint32_t sotto__better_arm(const sotto_terms *terms, const sotto__measures *measures);

/* What a model serves by this setting. */
static inline uint32_t sotto__served_by(uint32_t fallback, uint32_t arms)
{
    return fallback == SOTTO_FALLBACK_RANDOM ? arms + 1 : fallback;
}

/* Whether a learner has bytes of it: otherwise all follows from the measures. */
bool sotto__harm_is_kept(const sotto__harm *harm, uint32_t fallback);
/* NULL, or what cannot be, in words. */
const char *sotto__harm_fault(const sotto_learner *learner, char text[SOTTO_FAULT_BYTES]);

/* Role counts of the reports since the last publish that honest devices do not cause (watch_verdict.c). */
bool sotto__roles_alarm(const sotto_learner *learner);

#endif
