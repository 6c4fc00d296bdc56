/* The time of day, for times that must outlive the process, and a steady clock, for waiting. */
#include "transport.h"

#include <time.h>

static uint64_t read_ms(clockid_t id)
{
    struct timespec now;
    if (clock_gettime(id, &now) != 0 || now.tv_sec < 0) return 1;
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static uint64_t day_ms(void *state)
{
    (void)state;
    return read_ms(CLOCK_REALTIME);
}

static uint64_t steady_ms(void *state)
{
    (void)state;
    return read_ms(CLOCK_BOOTTIME);
}

sotto__clock sotto__clock_system(void)
{
    return (sotto__clock){day_ms, steady_ms, NULL};
}
