/* The default floating-point environment inside, the caller's afterwards: by what is computed, and by the registers. */
#include "core/core.h"
#include "float_modes.h"
#include "test.h"

#include <fenv.h>

#define NUMBERS 3

/* Numbers that any other rounding or flushing changes; raises flags on the way. */
static void compute(double *numbers)
{
    volatile double one = 1, three = 3, least = 0x1p-1030, large = 1e300;
    volatile double none = large * large - large * large;
    numbers[0] = one / three;                    /* rounded down */
    numbers[1] = (one + one) / three;            /* rounded up */
    numbers[2] = none == none ? 0 : least * one; /* flushed */
}

static void compute_nested(bool again, double *numbers)
{
    SOTTO__DEFAULT_FLOATS;
    SOTTO__UNSEEN(compute)(numbers);
    if (!again) return;
    compute_nested(false, numbers);
    SOTTO__UNSEEN(compute)(numbers);
}

TEST(the_default_environment_is_set_and_the_caller_s_comes_back)
{
    double wanted[NUMBERS], got[NUMBERS];
    compute(wanted);
    fesetenv(FE_DFL_ENV);
    for (size_t m = 0; m < float_modes_count; m++) {
        const float_mode *mode = &float_modes[m];
        if (!float_mode_exists(mode)) continue;
        UNDER(mode, compute_nested(false, got));
        assert_memory_equal(got, wanted, sizeof got);
        UNDER(mode, compute_nested(true, got));
        assert_memory_equal(got, wanted, sizeof got);
        if (m == 0 || mode->traps) continue;
        float_mode_enter(mode); /* without this module */
        compute(got);
        fesetenv(FE_DFL_ENV);
        assert_memory_not_equal(got, wanted, sizeof got);
    }
}

#ifdef __x86_64__
/* Every control and flag of MXCSR, and every control of x87: fegetround and fegetexcept look at x87 only. */
TEST(every_bit_of_both_units_is_the_default_inside_and_comes_back)
{
    const uint32_t default_sse = 0x1f80;
    const uint16_t default_x87 = 0x037f;
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        uint32_t sse = bits, sse_inside, sse_after;
        uint16_t x87 = (uint16_t)((bits & 0x0f3f) | 0x40), x87_inside, x87_after;
        __asm__ volatile("fnclex; fldcw %0; ldmxcsr %1" : : "m"(x87), "m"(sse) : "memory");
        fenv_t callers = sotto__floats_enter();
        __asm__ volatile("fnstcw %0; stmxcsr %1" : "=m"(x87_inside), "=m"(sse_inside) : : "memory");
        sotto__floats_leave(&callers);
        __asm__ volatile("fnstcw %0; stmxcsr %1" : "=m"(x87_after), "=m"(sse_after) : : "memory");
        __asm__ volatile("fldcw %0; ldmxcsr %1" : : "m"(default_x87), "m"(default_sse) : "memory");
        assert_ints(sse_inside & ~0x3fu, default_sse, x87_inside, default_x87, sse_after, sse,
                    x87_after, x87);
    }
}
#endif

/* A ledger's store belongs to the application: whatever it sets is gone afterwards. */
TEST(what_is_set_inside_does_not_stay)
{
    fenv_t callers = sotto__floats_enter();
    fesetround(FE_UPWARD);
    sotto__floats_leave(&callers);
    int rounding = fegetround();
    fesetenv(FE_DFL_ENV);
    assert_int_equal(rounding, FE_TONEAREST);
}
