/* A mathematics library with a wrong `exp`, 0.01 % too large, to be loaded before the system's (LD_PRELOAD). */
#include <math.h>

__attribute__((visibility("default"))) double exp(double x)
{
    return exp2(x * 1.4426950408889634) * 1.0001;
}
