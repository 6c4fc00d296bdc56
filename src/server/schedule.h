/* When the server publishes: the number of reports an epoch waits for. */
#ifndef SOTTO_SCHEDULE_H
#define SOTTO_SCHEDULE_H

#include "side.h"

#include <sotto/server.h>

/* Reports of the epoch that begins after t reports; at least 1, at most epoch_reports_max, and no
 * more than are left of a phase that ends after phase_end reports (0: it does not end). */
uint64_t sotto__epoch_reports(const sotto_terms *terms, const sotto_learning *learning, uint64_t t,
                              uint64_t phase_end);

/* What a service asks of an epoch beside its size, unless its owner says otherwise. An epoch of one report would
 * publish that person's codeword. */
#define SOTTO__EPOCH_REPORTS_MIN 20u
/* max(1, ceil((reward_window_s + send_spread_s)/epoch_lag_max)): no report that leaves in time is late. */
uint32_t sotto__epoch_seconds_min(const sotto_spec *spec);

#endif
