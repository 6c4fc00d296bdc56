/* An experiment whose reports take their time, as the plan takes it to go. */
#ifndef SOTTO_LAB_PLAN_DELAYED_H
#define SOTTO_LAB_PLAN_DELAYED_H

#include "course.h"

typedef struct sotto__delayed {
    sotto__course course; /* as far as its reports are in the model */
    sotto_learning learning;
    double window, spread, pause; /* in people who come meanwhile; pause: epoch_seconds_min */
    double people;                /* who came */
    double epoch;                 /* people of the current epoch */
    double next;                  /* people until what the model knows is looked at again */
    double regret;                /* so far */
    bool clocked;                 /* false: a report is in the next person's model */
} sotto__delayed;

/* As sotto__course_begin, with the clock of the plan's match. */
sotto__delayed sotto__delayed_begin(const sotto_plan *plan, uint64_t horizon, bool private);

/* Goes on to person `to`. */
void sotto__delayed_advance(sotto__delayed *delayed, uint64_t to);

/* The regret of the next person. */
double sotto__delayed_next(const sotto__delayed *delayed);

/* People whose reports are not in the model of the next person, in the mean: on their way, or of half an epoch.
 * 0 without a clock. */
uint64_t sotto__delayed_behind(const sotto__delayed *delayed);

/* Reports of the epoch that begins now. */
uint64_t sotto__delayed_epoch(const sotto__delayed *delayed);

#endif
