/* The default floating-point environment, by the C library: for every platform without a file of its
 * own. */
#include "core.h"

#include <assert.h>

fenv_t sotto__floats_enter(void)
{
    fenv_t callers;
    int got = fegetenv(&callers), set = fesetenv(FE_DFL_ENV);
    (void)got, (void)set;
    assert(got == 0);
    assert(set == 0);
    return callers;
}

void sotto__floats_leave(const fenv_t *callers)
{
    int set = fesetenv(callers);
    (void)set;
    assert(set == 0);
}
