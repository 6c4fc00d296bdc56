/* Moments and stretches of time in words. */
#ifndef SOTTO_CLI_JOIN_CLOCK_TEXT_H
#define SOTTO_CLI_JOIN_CLOCK_TEXT_H

#include <stdint.h>

#define CLOCK_TEXT_BYTES 64u

/* Milliseconds since 1970. */
uint64_t clock_now_ms(void);

/* "14:03:22", with the date before it if that is not today's; in local time. */
const char *clock_text(uint64_t at_ms, char text[CLOCK_TEXT_BYTES]);

/* "1 hour", "90 seconds", "2 days": exact, in the largest unit that divides it. */
const char *clock_exact(uint64_t seconds, char text[CLOCK_TEXT_BYTES]);

/* "2 h 5 min", "3 min 10 s", "4 s": rounded up, for people who wait. */
const char *clock_left(uint64_t ms, char text[CLOCK_TEXT_BYTES]);

#endif
