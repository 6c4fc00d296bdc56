/* Flushing denormal numbers to zero, on 32-bit ARM. */
#include "flush.h"

#include <stdint.h>

#define FZ (UINT32_C(1) << 24)

static uint32_t read_control(void)
{
    uint32_t control;
    __asm__ volatile("vmrs %0, fpscr" : "=r"(control) : : "memory");
    return control;
}

void flush_to_zero(bool flush)
{
    uint32_t control = flush ? read_control() | FZ : read_control() & ~FZ;
    __asm__ volatile("vmsr fpscr, %0" : : "r"(control) : "memory");
}

bool flushes_to_zero(void)
{
    return (read_control() & FZ) != 0;
}
