/* An experiment as JSON, for its owner. */
#ifndef SERVICE_DESCRIBE_H
#define SERVICE_DESCRIBE_H

#include "service/experiment/experiment.h"

#include <jansson.h>

/* A row of the list: id, state, labels, counts, epoch. NULL: no memory. */
json_t *describe_row(const sottod_experiment *experiment);
/* All of it: also spec, learning, terms, privacy card and warnings. Not for a deleted one. */
json_t *describe_experiment(const sottod_experiment *experiment, bool keep_reports);
/* The privacy card alone, with the id. */
json_t *describe_privacy(const sottod_experiment *experiment, bool keep_reports);
/* A number; null if it is infinite or none. */
json_t *describe_number(double value);

#endif
