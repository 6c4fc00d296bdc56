/* The clock of the benchmarks. */
#ifndef SOTTO_TIMING_H
#define SOTTO_TIMING_H

double bench_wall_ns(void);

/* Nanoseconds of processor time of one call of step(self): the best of seven stretches of at least
 * 10 ms, so other programs may run at the same time. */
double bench_time_ns(void (*step)(void *self), void *self);

#endif
