/* The clocks of the host program. */
#include "transport.h"

#include <sotto/host.h>

/* A time of 0 means that the time is unknown. */
static uint64_t whole_ms(double ms)
{
    return ms >= 1 && ms < 0x1p53 ? (uint64_t)ms : 1;
}

static uint64_t day_ms(void *state)
{
    (void)state;
    return whole_ms(sotto_host_day_ms());
}

static uint64_t steady_ms(void *state)
{
    (void)state;
    return whole_ms(sotto_host_steady_ms());
}

sotto__clock sotto__clock_system(void)
{
    return (sotto__clock){day_ms, steady_ms, NULL};
}
