/* The two clocks of a device. */
#ifndef SOTTO_TRANSPORT_CLOCK_H
#define SOTTO_TRANSPORT_CLOCK_H

#include "client/side.h"

#include <stdint.h>

typedef struct sotto__clock {
    uint64_t (*day_ms)(void *state);    /* since 1970; people set it, forwards and back */
    uint64_t (*steady_ms)(void *state); /* never goes back, and goes on while the machine sleeps */
    void *state;
} sotto__clock;

sotto__clock sotto__clock_system(void);

/* How long a report must still wait that was to leave at send_at, and whose round began at begun, by
 * the time of day; begun 0: nobody knows. A clock that went back to before the beginning tells nothing,
 * so the report waits as long as it would have from the beginning: never longer than its round said. */
uint64_t sotto__clock_left_ms(uint64_t day_ms, uint64_t begun_ms, uint64_t send_at_ms);

#endif
