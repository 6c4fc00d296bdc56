/* Time of day for what must outlive the process, a steady clock for all waiting. */
#include "clock.h"

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

uint64_t sotto__clock_left_ms(uint64_t now_ms, uint64_t begun_ms, uint64_t send_at_ms)
{
    if (begun_ms == 0 || send_at_ms <= now_ms) return 0;
    return send_at_ms - (now_ms < begun_ms ? begun_ms : now_ms);
}
