/* What files of this room share. */
#ifndef SOTTO_TRANSPORT_INNER_H
#define SOTTO_TRANSPORT_INNER_H

#include "transport.h"

/* ---- places --------------------------------------------------------------------------------- */

/* The rounds of a device: each has a place until its time has come. */

/* Says in words why a call on the ledger failed, and gives the status back. */
sotto_status sotto__device_refuse(sotto_device *device, sotto_status status);
/* The round of this number; NULL if there is none, or its report left. */
sotto__device_round *sotto__device_find(const sotto_device *device, uint64_t entry);
/* The handle is free for another round. */
void sotto__device_forget(sotto__device_round *round);

/* ---- queue ---------------------------------------------------------------------------------- */

/* The reports of a device that wait. */

/* All that a report needs to leave, in its place by number, made before the ledger keeps it under this number: without memory
 * none is kept. */
SOTTO_CHECK sotto_status sotto__device_prepare(sotto_device *device, uint64_t entry,
                                               sotto__device_report **out);
/* None was kept. */
void sotto__device_unprepare(sotto__device_report *report);
/* It was kept: it leaves in wait_ms, or should have left late_ms ago. */
void sotto__device_queue(sotto__device_report *report, uint64_t wait_ms, uint64_t late_ms);
/* Takes over what the ledger has of this experiment, and forgets what it has no more. */
SOTTO_CHECK sotto_status sotto__device_adopt(sotto_device *device);
void sotto__device_leave(sotto_device *device);

/* ---- request -------------------------------------------------------------------------------- */

/* One request at a time, and its answer. */

#define SOTTO__ANSWER_BYTES_MAX 4096u /* of an answer to reports */

void sotto__request_make(sotto__request *request, sotto_wire *wire,
                         void (*done)(sotto__request *, const sotto_answer *));
/* Ends what is under way, without a call of `done`. */
void sotto__request_stop(sotto__request *request);

/* GET url/leaf, and no more than body_max bytes of its body; if epoch is not NULL, only if the server
 * has another one. `done` is called within a later turn, or between turns. */
SOTTO_CHECK sotto_status sotto__request_get(sotto__request *request, const sotto__url *url,
                                            const char *leaf, size_t body_max,
                                            const uint32_t *epoch);
/* POST url/reports, with a key unless it is NULL. The key and the frames must stay until `done`. */
SOTTO_CHECK sotto_status sotto__request_post(sotto__request *request, const sotto__url *url,
                                             const char *report_key, const uint8_t *frames,
                                             size_t bytes);

/* ---- requests_system ------------------------------------------------------------------------ */

/* What the system has to make requests, chosen by the build. */

/* NULL if there is something; otherwise the sentence that there is nothing. */
const char *sotto__requests_missing(void);
/* Borrows the options, whose requests are NULL. */
SOTTO_CHECK sotto_status sotto__requests_new(const sotto_wire_options *options,
                                             sotto_requests *out);
void sotto__requests_free(void *state);

#endif
