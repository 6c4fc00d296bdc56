/* Mechanisms that draw from randomness of the lab's choice. */
#ifndef SOTTO_LAB_MECHANISM_MECHANISM_H
#define SOTTO_LAB_MECHANISM_MECHANISM_H

#include "client/entropy.h"

#include <sotto/lab/mechanisms.h>

/* Draws from `rng`, which must outlive the mechanism or the next such call. */
void sotto__mechanism_borrow(sotto_mechanism *mechanism, sotto_rng *rng);

#endif
