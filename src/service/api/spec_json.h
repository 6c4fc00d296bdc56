/* The settings of an experiment as JSON: {spec} and {learning}, with the names of core.h and server.h. The
 * two settings of epochs stand in {learning}. Numbers come back to the bit. */
#ifndef SERVICE_SPEC_JSON_H
#define SERVICE_SPEC_JSON_H

#include "json_read.h"
#include "service/experiment/experiment.h"

/* How many epochs late a report may be, unless the spec says. Reports come within SPEC_JSON_EPOCHS_AWAY of them by
 * default; the others are for machines that are busy. */
#define SPEC_JSON_EPOCH_LAG_MAX 8u
#define SPEC_JSON_EPOCHS_AWAY 2u

/* {spec} into request->spec. Fields that are absent are those of sotto_spec_default for the reward_kind,
 * which must be there; epoch_lag_max is SPEC_JSON_EPOCH_LAG_MAX. Also sets request->epoch_seconds_min: the least that
 * covers reward_window_s + send_spread_s in epoch_lag_max epochs, in SPEC_JSON_EPOCHS_AWAY if that is absent. */
bool spec_json_read(json_t *spec, experiment_request *request, sottod_refusal *why);
/* {learning} into the rest of the request; NULL: all of it is absent. Fields that are absent are those of
 * sotto_learning_default for the horizon, but epochs by the rule of the schedule; epoch_reports_min is
 * SOTTO__EPOCH_REPORTS_MIN, and epoch_seconds_min as spec_json_read has set it. */
bool spec_json_read_learning(json_t *learning, const sotto_terms *terms,
                             experiment_request *request, sottod_refusal *why);

/* All fields; NULL: no memory. */
json_t *spec_json_write(const experiment_request *request);
json_t *spec_json_write_learning(const experiment_request *request);

/* "epsilon = 9: allowed 0.01 to 8", as _fault functions say it, as a refusal of section.epsilon. */
void spec_json_fault(const char *section, const char *text, sottod_refusal *why);

/* sotto_learning.fallback as it is written: an arm, "random" or "none". */
json_t *spec_json_fallback(uint32_t fallback);

#endif
