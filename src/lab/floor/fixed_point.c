/* The false position between two ends, halved at the end that stays (Illinois). */
#include "fixed_point.h"

#include <math.h>
#include <stdbool.h>

#define STEPS_MAX 200

double sotto__fixed_point(sotto__falling *f, void *state, double low, double high, double tolerance)
{
    double above = f(low, state) - low;
    double near = fmin(high, 1.3 * low); /* a good guess of `low` is worth a look beside it */
    double under = f(near, state) - near;
    if (under <= 0) {
        high = near;
    } else {
        low = near, above = under;
        under = f(high, state) - high;
    }
    double rho = low;
    for (int i = 0, side = 0; i < STEPS_MAX && high - low > tolerance * high; i++) {
        bool apart = above > 0 && under < 0;
        rho = apart ? (low * under - high * above) / (under - above) : (low + high) / 2;
        double rest = f(rho, state) - rho;
        if (fabs(rest) <= tolerance * rho) break; /* f falls: the root is nearer than that */
        if (rest > 0) {
            low = rho, above = rest;
            under = side > 0 ? under / 2 : under;
            side = 1;
        } else {
            high = rho, under = rest;
            above = side < 0 ? above / 2 : above;
            side = -1;
        }
    }
    return rho;
}
