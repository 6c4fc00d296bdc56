/* How long to wait before a server is asked again. */
#ifndef SOTTO_TRANSPORT_BACKOFF_H
#define SOTTO_TRANSPORT_BACKOFF_H

#include "client/entropy.h"

#define SOTTO__BACKOFF_FIRST_MS 1000u
#define SOTTO__BACKOFF_PAUSED_MS 60000u
#define SOTTO__BACKOFF_MAX_MS (24u * 60u * 60u * 1000u)

typedef struct sotto__backoff {
    uint64_t wait_ms; /* the last wait, without its random part; 0: the last answer was good */
} sotto__backoff;

/*     wait = max(least, 2 x the last wait), from `first` to a day,    plus U(0, wait / 2)
 *
 * so that devices do not come back all at once. Without randomness there is no such part. */
uint64_t sotto__backoff_next(sotto__backoff *backoff, uint64_t first_ms, uint64_t least_ms,
                             sotto_rng *rng);
void sotto__backoff_reset(sotto__backoff *backoff);

#endif
