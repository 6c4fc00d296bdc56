/* The watch as JSON, and what an owner asks of it. */
#ifndef SERVICE_API_WATCH_H
#define SERVICE_API_WATCH_H

#include "json_read.h"
#include "service/experiment/experiment.h"

/* The names of tests whose bits are set. */
json_t *watch_alarms(uint32_t alarms);
/* Why the current epoch is held; null if it is not. */
json_t *watch_held(const sottod_experiment *experiment);
/* The last look at an epoch; null if there was none since the start. */
json_t *watch_json(const sottod_experiment *experiment);

/* A body {"quarantine": true} or {"quarantine": false}. */
bool watch_read_quarantine(const void *body, size_t bytes, bool *quarantine, sottod_refusal *why);
/* The same of a part of a larger body; NULL: it is not there, and quarantine is off. */
bool watch_read_flag(const json_t *value, bool *quarantine, sottod_refusal *why);

#endif
