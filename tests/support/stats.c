/* The statistics of statistical tests. */
#include "stats.h"

#include <math.h>

void running_add(running *r, double x)
{
    r->count++;
    double step = x - r->mean;
    r->mean += step / (double)r->count;
    r->squares += step * (x - r->mean);
}

double running_standard_error(const running *r)
{
    double n = (double)r->count;
    return sqrt(r->squares / (n - 1) / n);
}
