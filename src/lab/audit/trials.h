/* Layers 2 and 3: the trials of every pair of inputs. */
#ifndef SOTTO_LAB_AUDIT_TRIALS_H
#define SOTTO_LAB_AUDIT_TRIALS_H

#include "script.h"

/* What each row may spend on false alarms, and how the trials of a pair are shared out. */
typedef struct sotto__trial_shares {
    uint64_t trials;
    double alpha_event;    /* layer 3, one pair */
    double alpha_gaussian; /* layer 2, one pair; 0: not a Gaussian claim */
    double alpha_sure;     /* layer 3, sure guesses over several pairs */
} sotto__trial_shares;

sotto__trial_shares sotto__trial_shares_of(const sotto__claim *claim, uint64_t trials,
                                           double alpha);

/* The first trials of a pair choose what the others are judged by: twice so many. */
uint64_t sotto__trials_learning(uint64_t trials, uint32_t width);

/* True if some mechanism, for example one that publishes its input, could break this claim in so
 * many trials and be caught. */
bool sotto__trials_suffice(const sotto__claim *claim, const sotto__trial_shares *shares);

/* Asks, adds the rows of layers 2 and 3 (and layer 1 of an outside program), and sets
 * result->epsilon_lower. */
SOTTO_CHECK sotto_status sotto__audit_trials(sotto__subject *subject, const sotto__script *script,
                                             const sotto__trial_shares *shares, sotto_rng *rng,
                                             sotto_audit_result *result);

#endif
