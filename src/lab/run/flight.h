/*
 * Reports on their way, of a match with a clock.
 *
 * A report leaves its device when a service's device sends it (client/round.c) and arrives at once:
 *
 *     arrival = decision + reward_window_s + U,    U uniform over 0 to send_spread_s, in milliseconds.
 *
 * So no more people have one on its way than come within both together, and that is all the memory there is.
 */
#ifndef SOTTO_LAB_RUN_FLIGHT_H
#define SOTTO_LAB_RUN_FLIGHT_H

#include "lab/random/stream.h"

#include <sotto/lab/matches.h>

typedef struct sotto__flight sotto__flight;

/* Of a match with a clock and without a fault. Each report has sent_bytes. */
SOTTO_CHECK sotto_status sotto__flight_new(const sotto_match *match, uint64_t seed,
                                           size_t sent_bytes, sotto__flight **out);
void sotto__flight_free(sotto__flight *flight); /* accepts NULL */

/* A report of a decision at this time, which is not before the last one: where it goes, aligned as a double.
 * SOTTO_E_FULL: reports that are due were not taken out. */
SOTTO_CHECK sotto_status sotto__flight_add(sotto__flight *flight, double now_ms, void **sent);

/* The report that arrives first, if it does until now: of several at the same time, the one decided first.
 * NULL: none does. It is good until the next call of the flight. */
const void *sotto__flight_take(sotto__flight *flight, double until_ms, double *arrival_ms);

uint64_t sotto__flight_count(const sotto__flight *flight);

#endif
