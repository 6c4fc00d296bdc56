/* The default floating-point environment, by the C library: for every platform without a file of its
 * own. */
#include "float_environment.h"

#include <assert.h>

fenv_t sotto__floats_enter(void)
{
    fenv_t callers;
    int got = fegetenv(&callers), set = fesetenv(FE_DFL_ENV);
    assert(got == 0);
    assert(set == 0);
    return callers;
}

void sotto__floats_leave(const fenv_t *callers)
{
    int set = fesetenv(callers);
    assert(set == 0);
}
