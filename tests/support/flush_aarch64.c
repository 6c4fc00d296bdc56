/* Flush to zero is bit 24 of FPCR; it holds for operands and results. */
#include "flush.h"

#include <stdint.h>

#define FZ (UINT64_C(1) << 24)

static uint64_t get(void)
{
    uint64_t fpcr;
    __asm__ __volatile__("mrs %0, fpcr" : "=r"(fpcr));
    return fpcr;
}

void flush_to_zero(bool on)
{
    uint64_t fpcr = on ? get() | FZ : get() & ~FZ;
    __asm__ __volatile__("msr fpcr, %0" : : "r"(fpcr));
}

bool flushes_to_zero(void)
{
    return (get() & FZ) != 0;
}
