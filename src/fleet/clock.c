/* The time of a run. */
#include "clock.h"

#include <time.h>

double sotto__fleet_clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock */
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
