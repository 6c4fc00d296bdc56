/* Regret as `plan` predicts it, with every report by itself. */
#ifndef SOTTO_PLAN_TWIN_H
#define SOTTO_PLAN_TWIN_H

#include <sotto/lab/plans.h>

/* Of so many people, with privacy or without. */
double plan_twin_regret(const sotto_plan *plan, bool private, uint64_t people);

#endif
