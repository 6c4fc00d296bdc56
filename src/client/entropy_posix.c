/* The system's randomness by getrandom(2): no buffer between calls, no file, no fallback. */
#include "client.h"

#include <errno.h>
#include <sys/random.h>
#include <sys/types.h>

static sotto_status system_fill(sotto_rng *rng, void *out, size_t bytes)
{
    (void)rng;
    uint8_t *at = out;
    while (bytes > 0) {
        ssize_t got = getrandom(at, bytes, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return SOTTO_E_ENTROPY;
        at += got;
        bytes -= (size_t)got;
    }
    return SOTTO_OK;
}

sotto_rng sotto__system_rng(void)
{
    return (sotto_rng){system_fill};
}
