/* The privacy card: what an experiment promises its people, and what follows from its terms. */
#ifndef SERVICE_CARD_H
#define SERVICE_CARD_H

#include <sotto/core.h>

#include <jansson.h>

/* What devices accept unless their owner changed it: the numbers of sotto_policy_default, which this side
 * may not see. A test compares them. */
typedef struct card_limits {
    double epsilon_per_report_max;
    double epsilon_lifetime;
    double delta_max;
    double delta_lifetime;
    double measure_share_max;
} card_limits;
card_limits card_device_limits(void);

/* How many reports a new device with these limits sends to such an experiment in its life; 0: none. */
uint64_t card_reports_per_device(const sotto_spec *spec);

typedef struct card_retention {
    uint32_t epoch_seconds_min;
    uint64_t epoch_reports_min;
    bool keep_reports;
} card_retention;

/* NULL: no memory. */
json_t *card_json(const sotto_terms *terms, const card_retention *retention);
/* A list of {error, field, value, allowed}: why devices would refuse such a spec. Usually empty. */
json_t *card_warnings(const sotto_spec *spec);

#endif
