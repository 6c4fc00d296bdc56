/*
 * The default floating-point environment on 64-bit ARM under glibc.
 *
 * FPCR has all control bits: rounding, flushing, traps, what a NaN becomes. All are 0 by default.
 * FPSR has the flags. Writing these registers takes longer than reading them, and most callers have
 * the default environment and raised the flag of inexact results long ago: for them nothing is
 * written.
 */
#include "core.h"

#include <stdint.h>

static uint64_t read_flags(void)
{
    uint64_t flags;
    __asm__ volatile("mrs %0, fpsr" : "=r"(flags) : : "memory");
    return flags;
}

static uint64_t read_control(void)
{
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control) : : "memory");
    return control;
}

static void write_control(uint64_t control)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(control) : "memory");
}

fenv_t sotto__floats_enter(void)
{
    uint64_t control = read_control();
    if (control != 0) write_control(0);
    return (fenv_t){.__fpcr = (unsigned)control, .__fpsr = (unsigned)read_flags()};
}

void sotto__floats_leave(const fenv_t *callers)
{
    uint64_t flags = callers->__fpsr, control = callers->__fpcr;
    if (read_flags() != flags) __asm__ volatile("msr fpsr, %0" : : "r"(flags) : "memory");
    if (read_control() != control)
        write_control(control); /* also what a caller's function set in between */
}
