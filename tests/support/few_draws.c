/* Randomness that repeats, to be loaded before the C library's (LD_PRELOAD): `getrandom` returns
 * one of 64 sequences of bytes, in turn. */
#include <stdint.h>
#include <sys/random.h>

__attribute__((visibility("default"))) ssize_t getrandom(void *out, size_t bytes, unsigned flags)
{
    static uint32_t calls; /* only one thread draws */
    uint32_t state = (calls++ % 64 + 1) * UINT32_C(2654435761);
    uint8_t *at = out;
    (void)flags;
    for (size_t i = 0; i < bytes; i++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        at[i] = (uint8_t)(state >> 24);
    }
    return (ssize_t)bytes;
}
