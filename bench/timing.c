/* The clock of the benchmarks. */
#include "timing.h"

#include <math.h>
#include <stdint.h>
#include <time.h>

static double clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

double bench_wall_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

double bench_time_ns(void (*step)(void *self), void *self)
{
    double best = INFINITY;
    uint64_t calls = 1;
    for (int stretch = 0; stretch < 7;) {
        double start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        for (uint64_t i = 0; i < calls; i++) {
            step(self);
        }
        double elapsed = clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
        if (elapsed < 1e7) {
            calls *= 2;
            continue;
        }
        best = fmin(best, elapsed / (double)calls);
        stretch++;
    }
    return best;
}
