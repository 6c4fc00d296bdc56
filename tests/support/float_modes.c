/* Floating-point environments of an application's thread. */
#define _GNU_SOURCE /* feenableexcept */
#include "float_modes.h"
#include "flush.h"
#include "test.h"

#include <fenv.h>

const float_mode float_modes[] = {
    {.name = "to nearest", .rounding = FE_TONEAREST},
    {.name = "upward", .rounding = FE_UPWARD},
    {.name = "downward", .rounding = FE_DOWNWARD},
    {.name = "toward zero", .rounding = FE_TOWARDZERO},
    {.name = "flush to zero", .rounding = FE_TONEAREST, .flush = true},
    {.name = "upward, flush to zero", .rounding = FE_UPWARD, .flush = true},
    {.name = "traps", .rounding = FE_TONEAREST, .traps = true},
};
const size_t float_modes_count = sizeof float_modes / sizeof float_modes[0];

static const int traps = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW;

/* Only a flag that arithmetic seldom raises, none that it raises all the time. */
static int flags_of(const float_mode *mode)
{
    return mode->traps ? 0 : FE_DIVBYZERO;
}

bool float_mode_exists(const float_mode *mode)
{
    bool exists = !mode->traps || feenableexcept(traps) != -1;
    fesetenv(FE_DFL_ENV);
    return exists;
}

void float_mode_enter(const float_mode *mode)
{
    fesetround(mode->rounding);
    flush_to_zero(mode->flush);
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(flags_of(mode));
    if (mode->traps) feenableexcept(traps);
}

void float_mode_leave(const float_mode *mode, const char *what)
{
    int rounding = fegetround(), flags = fetestexcept(FE_ALL_EXCEPT), trapped = fegetexcept();
    bool flush = flushes_to_zero();
    fesetenv(FE_DFL_ENV);
    if (rounding != mode->rounding) fail_msg("%s: %s changed the rounding", mode->name, what);
    if (flush != mode->flush) fail_msg("%s: %s changed the flushing", mode->name, what);
    if (flags != flags_of(mode)) fail_msg("%s: %s left flags %x", mode->name, what, flags);
    if (trapped != (mode->traps ? traps : 0)) {
        fail_msg("%s: %s changed the traps", mode->name, what);
    }
}
