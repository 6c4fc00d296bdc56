/* Uniform integers from random bytes. */
#include "client.h"

sotto_status sotto__draw_u64(sotto_rng *rng, uint64_t *out)
{
    return rng->fill(rng, out, sizeof *out);
}

/* Keeps the words below the largest multiple of the bound that fits in 2^64. */
sotto_status sotto__draw_below(sotto_rng *rng, uint64_t bound, uint64_t *out)
{
    uint64_t excess = (UINT64_MAX % bound + 1) % bound; /* 2^64 mod bound */
    uint64_t word;
    do {
        sotto_status status = sotto__draw_u64(rng, &word);
        if (status != SOTTO_OK) return status;
    } while (word > UINT64_MAX - excess);
    *out = word % bound;
    return SOTTO_OK;
}
