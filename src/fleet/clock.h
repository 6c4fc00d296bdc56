/* The time of a run. */
#ifndef SOTTO_FLEET_CLOCK_H
#define SOTTO_FLEET_CLOCK_H

/* Seconds since some moment, by a clock that does not jump. */
double sotto__fleet_clock_s(void);

#endif
