/* The rounds of a device: each has a place until its time has come. */
#ifndef SOTTO_TRANSPORT_PLACES_H
#define SOTTO_TRANSPORT_PLACES_H

#include "parts.h"

/* Says in words why a call on the ledger failed, and gives the status back. */
sotto_status sotto__device_refuse(sotto_device *device, sotto_status status);
/* The round of this number; NULL if there is none, or its report left. */
sotto__device_round *sotto__device_find(const sotto_device *device, uint64_t entry);
/* The handle is free for another round. */
void sotto__device_forget(sotto__device_round *round);

#endif
