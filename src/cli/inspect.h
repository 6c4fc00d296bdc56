/* What there is to say about a spec, a report, a model. */
#ifndef SOTTO_INSPECT_H
#define SOTTO_INSPECT_H

#include "facts.h"

#include <sotto/core.h>

void inspect_spec_facts(facts *list, const sotto_resolved *resolved);
void inspect_report_facts(facts *list, const sotto_resolved *resolved, const sotto_report *report);
void inspect_model_facts(facts *list, const sotto_resolved *resolved, const sotto_model *model);

/* A table over every combination. */
typedef struct calibration_grid {
    const double *epsilons, *deltas, *bounds;
    uint32_t epsilons_count, deltas_count, bounds_count;
} calibration_grid;

void inspect_calibration(const calibration_grid *grid, bool json);

#endif
