/* Waits that double, with a random part. */
#include "backoff.h"

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

uint64_t sotto__backoff_next(sotto__backoff *backoff, uint64_t first_ms, uint64_t least_ms,
                             sotto_rng *rng)
{
    uint64_t part = 0, wait = larger(larger(first_ms, least_ms), 2 * backoff->wait_ms);
    if (wait > SOTTO__BACKOFF_MAX_MS) wait = SOTTO__BACKOFF_MAX_MS;
    backoff->wait_ms = wait;
    if (sotto__draw_below(rng, wait / 2 + 1, &part) != SOTTO_OK) part = 0;
    return wait + part;
}

void sotto__backoff_reset(sotto__backoff *backoff)
{
    backoff->wait_ms = 0;
}
