/* How long answers took: counts by the logarithm of the time, so that any number of them needs the same
 * memory. */
#ifndef SOTTO_FLEET_LATENCY_H
#define SOTTO_FLEET_LATENCY_H

#include <stdint.h>

/* 16 cells for each doubling, from 2^-17 s (8 microseconds) to 2^12 s (an hour): what is said of a time is
 * off by at most 2.2 %. What is outside counts in the first or the last cell. */
#define SOTTO__LATENCY_CELLS 464u

typedef struct sotto__latency {
    uint64_t count;
    uint64_t cell[SOTTO__LATENCY_CELLS];
} sotto__latency;

void sotto__latency_add(sotto__latency *latency, double seconds);

/* What came between two looks at the same counts. */
sotto__latency sotto__latency_between(const sotto__latency *before, const sotto__latency *after);

/* The time, in seconds, that `part` of all (0 to 1) did not exceed. NAN if there are none. */
double sotto__latency_at(const sotto__latency *latency, double part);

#endif
