/* What files of this room share. */
#ifndef SOTTO_TRANSPORT_INNER_H
#define SOTTO_TRANSPORT_INNER_H

#include "transport.h"

/* ---- places --------------------------------------------------------------------------------- */

/* The rounds of a device. Each has a place until its report is due. */

/* Sets the device's fault to why a call on the ledger failed. Returns `status`. */
sotto_status sotto__device_refuse(sotto_device *device, sotto_status status);
/* The round with this number; NULL if there is none or its report left. */
sotto__device_round *sotto__device_find(const sotto_device *device, uint64_t entry);
/* Frees the place for another round. */
void sotto__device_forget(sotto__device_round *round);

/* ---- queue ---------------------------------------------------------------------------------- */

/* The waiting reports of a device. */

/* Allocates all that the report of this entry needs to leave, and queues it by number. Called
 * before the ledger keeps the report, so that none is kept that memory is missing for. */
SOTTO_CHECK sotto_status sotto__device_prepare(sotto_device *device, uint64_t entry,
                                               sotto__device_report **out);
/* Undoes sotto__device_prepare if the ledger did not keep the report. Accepts NULL. */
void sotto__device_unprepare(sotto__device_report *report);
/* The ledger has kept the report: it leaves in wait_ms, or should have left late_ms ago. */
void sotto__device_queue(sotto__device_report *report, uint64_t wait_ms, uint64_t late_ms);
/* Queues the reports that the ledger has for this experiment, and forgets those it no longer
 * has. */
SOTTO_CHECK sotto_status sotto__device_adopt(sotto_device *device);
void sotto__device_leave(sotto_device *device);

/* ---- request -------------------------------------------------------------------------------- */

/* A request and its answer, one at a time. */

#define SOTTO__ANSWER_BYTES_MAX 4096u /* of an answer to reports */

void sotto__request_make(sotto__request *request, sotto_wire *wire,
                         void (*done)(sotto__request *, const sotto_answer *));
/* Ends a request that is under way, without calling `done`. */
void sotto__request_stop(sotto__request *request);

/* GET url/leaf, reading at most body_max bytes of the body. If epoch is not NULL, the server sends
 * a body only if it has another epoch. `done` is called within a later turn, or between turns. */
SOTTO_CHECK sotto_status sotto__request_get(sotto__request *request, const sotto__url *url,
                                            const char *leaf, size_t body_max,
                                            const uint32_t *epoch);
/* POST url/reports, with a key unless it is NULL. The key and the frames must stay valid until
 * `done`. */
SOTTO_CHECK sotto_status sotto__request_post(sotto__request *request, const sotto__url *url,
                                             const char *report_key, const uint8_t *frames,
                                             size_t bytes);

/* ---- requests_system ------------------------------------------------------------------------ */

/* The system's way to make requests, chosen by the build. */

/* NULL if the system can make requests; otherwise a sentence that it cannot. */
const char *sotto__requests_missing(void);
/* Borrows the options, whose `requests` must be NULL. */
SOTTO_CHECK sotto_status sotto__requests_new(const sotto_wire_options *options,
                                             sotto_requests *out);
void sotto__requests_free(void *state);

#endif
