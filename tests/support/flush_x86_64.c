/* Flush to zero is two bits of MXCSR: FTZ for results, DAZ for operands. */
#include "flush.h"

#include <stdint.h>

#define FTZ UINT32_C(0x8000)
#define DAZ UINT32_C(0x0040)

static uint32_t get(void)
{
    uint32_t mxcsr;
    __asm__ __volatile__("stmxcsr %0" : "=m"(mxcsr));
    return mxcsr;
}

void flush_to_zero(bool on)
{
    uint32_t mxcsr = on ? get() | (FTZ | DAZ) : get() & ~(FTZ | DAZ);
    __asm__ __volatile__("ldmxcsr %0" : : "m"(mxcsr));
}

bool flushes_to_zero(void)
{
    return (get() & (FTZ | DAZ)) == (FTZ | DAZ);
}
