/* An experiment over time: one row per publish, one per hour after a week. */
#ifndef SERVICE_HISTORY_H
#define SERVICE_HISTORY_H

#include "service/experiment/experiment.h"

#include <jansson.h>

/* NULL: no memory, or the journal could not be read, as its fault says. */
json_t *history_json(sottod_journal *journal, const sottod_experiment *experiment);

#endif
