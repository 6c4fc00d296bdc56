/* Randomness from the host program: asked each time, no buffer between calls, no fallback. */
#include "client.h"

#include <sotto/host.h>

static sotto_status host_fill(sotto_rng *rng, void *out, size_t bytes)
{
    (void)rng;
    return sotto_host_random(out, bytes) ? SOTTO_OK : SOTTO_E_ENTROPY;
}

sotto_rng sotto__system_rng(void)
{
    return (sotto_rng){host_fill};
}
