/* A machine whose instructions for SHA-256 we do not know. */
#include "inner.h"

bool sotto__digest_rounds_by_cpu(uint32_t state[8], const uint8_t *blocks, size_t count)
{
    (void)state, (void)blocks, (void)count;
    return false;
}
