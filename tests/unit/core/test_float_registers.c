/* The registers behind the floating-point environment: the default inside, the caller's afterwards. */
#include "core/float_environment.h"
#include "test.h"

#include <fenv.h>

#ifdef __x86_64__
/* Every control and flag of MXCSR, and every control of x87: fegetround and fegetexcept look at x87 only. */
static void every_bit_of_both_units_is_the_default_inside_and_comes_back(void **state)
{
    (void)state;
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
        assert_int_equal(sse_inside & ~0x3fu, default_sse);
        assert_int_equal(x87_inside, default_x87);
        assert_int_equal(sse_after, sse);
        assert_int_equal(x87_after, x87);
    }
}
#endif

/* A ledger's store belongs to the application: whatever it sets is gone afterwards. */
static void what_is_set_inside_does_not_stay(void **state)
{
    (void)state;
    fenv_t callers = sotto__floats_enter();
    fesetround(FE_UPWARD);
    sotto__floats_leave(&callers);
    int rounding = fegetround();
    fesetenv(FE_DFL_ENV);
    assert_int_equal(rounding, FE_TONEAREST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_set_inside_does_not_stay),
#ifdef __x86_64__
        cmocka_unit_test(every_bit_of_both_units_is_the_default_inside_and_comes_back),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
