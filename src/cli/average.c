/* Averages over seeds. */
#include "average.h"

#include <math.h>

double average_mean(const double *x, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += x[i];
    }
    return count > 0 ? sum / count : NAN;
}

double average_error(const double *x, uint32_t count)
{
    double m = average_mean(x, count), squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        squares += (x[i] - m) * (x[i] - m);
    }
    return count > 1 ? sqrt(squares / (count - 1) / count) : NAN;
}
