/* The reports of a device that wait. */
#ifndef SOTTO_TRANSPORT_QUEUE_H
#define SOTTO_TRANSPORT_QUEUE_H

#include "parts.h"

/* All that a report needs to leave, made before the ledger keeps it under this number: without memory
 * none is kept. */
SOTTO_CHECK sotto_status sotto__device_prepare(sotto_device *device, uint64_t entry,
                                               sotto__device_report **out);
/* None was kept. */
void sotto__device_unprepare(sotto__device_report *report);
/* It was kept: it leaves in wait_ms. */
void sotto__device_queue(sotto__device_report *report, uint64_t wait_ms);
/* Takes over what the ledger has of this experiment. */
SOTTO_CHECK sotto_status sotto__device_recover(sotto_device *device);
void sotto__device_leave(sotto_device *device);

#endif
