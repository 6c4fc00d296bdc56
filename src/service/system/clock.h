/* Time. What decides is time that cannot jump; the hour of the day is for people to read. */
#ifndef SERVICE_CLOCK_H
#define SERVICE_CLOCK_H

#include <stdint.h>

/* Milliseconds since some moment before the start; never goes back. */
uint64_t clock_steady_ms(void);
uint64_t clock_steady_us(void); /* the same in microseconds, for how long something took */
/* Minutes since 1970, by the wall clock: it may jump. Nothing finer is ever kept. */
uint64_t clock_minute(void);

#endif
