/*
 * The default floating-point environment on x86-64 under Linux.
 *
 * MXCSR has all control bits of doubles, rounding, flushing and traps, and the flags. Of the x87 unit,
 * which has no part in doubles (core.h refuses builds where it has), the control word counts: the C
 * library asks it how to round when it prints and reads numbers. Writing these takes longer than reading
 * them, and most callers have the default environment and raised the flag of inexact results long ago:
 * for them nothing is written. fegetenv and fesetenv save and load all of x87, which takes longer still.
 */
#include "core.h"

#include <stdbool.h>
#include <stdint.h>

#define FLAGS 0x3fu
#define DEFAULT_CONTROL 0x1f80u /* all traps masked, to nearest, nothing flushed */
#define DEFAULT_X87 0x037fu     /* the same, and long doubles keep all their bits */

static uint32_t read_state(void)
{
    uint32_t state;
    __asm__ volatile("stmxcsr %0" : "=m"(state) : : "memory");
    return state;
}

static void write_state(uint32_t state)
{
    __asm__ volatile("ldmxcsr %0" : : "m"(state) : "memory");
}

static bool x87_is_default(void)
{
    uint16_t control;
    __asm__ volatile("fnstcw %0" : "=m"(control) : : "memory");
    return control == DEFAULT_X87;
}

fenv_t sotto__floats_enter(void)
{
    fenv_t callers = {.__control_word = DEFAULT_X87, .__mxcsr = read_state()};
    if (!x87_is_default()) { /* by the C library: fldcw would stop at an exception that waits */
        fegetenv(&callers);
        fesetenv(FE_DFL_ENV);
    }
    if ((callers.__mxcsr & ~FLAGS) != DEFAULT_CONTROL) write_state(DEFAULT_CONTROL);
    return callers;
}

void sotto__floats_leave(const fenv_t *callers)
{
    if (callers->__control_word != DEFAULT_X87) {
        fesetenv(callers);
        return;
    }
    if (!x87_is_default()) fesetenv(FE_DFL_ENV); /* a function of the caller's set it in between */
    if (read_state() != callers->__mxcsr) write_state(callers->__mxcsr);
}
