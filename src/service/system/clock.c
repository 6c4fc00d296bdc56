#include "clock.h"

#include <time.h>

uint64_t clock_steady_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

uint64_t clock_steady_ms(void)
{
    return clock_steady_us() / 1000;
}

uint64_t clock_minute(void)
{
    time_t now = time(NULL);
    return now > 0 ? (uint64_t)now / 60 : 0;
}
