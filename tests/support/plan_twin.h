/* Regret as `plan` predicts it, computed report by report. */
#ifndef SOTTO_PLAN_TWIN_H
#define SOTTO_PLAN_TWIN_H

#include <sotto/lab/plans.h>

/* Regret of this many people, with privacy or without. */
double plan_twin_regret(const sotto_plan *plan, bool private, uint64_t people);

#endif
