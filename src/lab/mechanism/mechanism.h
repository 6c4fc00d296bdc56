/* What other rooms may use of this one. */
#ifndef SOTTO_LAB_MECHANISM_ROOM_H
#define SOTTO_LAB_MECHANISM_ROOM_H

#include "client/client.h"

#include <sotto/lab/mechanisms.h>

/* Mechanisms that draw from a generator that the caller chooses. */

/* Makes the mechanism draw from `rng`, which must outlive the mechanism or the next such call. */
void sotto__mechanism_borrow(sotto_mechanism *mechanism, sotto_rng *rng);

#endif
