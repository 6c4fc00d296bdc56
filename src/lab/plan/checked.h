/* Where predictions were compared with played runs. */
#ifndef SOTTO_LAB_PLAN_CHECKED_H
#define SOTTO_LAB_PLAN_CHECKED_H

#include <sotto/lab/matches.h>

/* Whether the match lies within a grid of tests/measure/plan.py, in all that a prediction depends on. */
bool sotto__plan_was_checked(const sotto_match *match);

#endif
