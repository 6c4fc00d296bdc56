/* Means, deviations, quantiles, slopes. */
#include "moments.h"

#include <math.h>
#include <stdlib.h>

double sotto__mean(const double *x, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += x[i];
    }
    return count > 0 ? sum / count : NAN;
}

double sotto__deviation(const double *x, uint32_t count)
{
    double mean = sotto__mean(x, count), squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        squares += (x[i] - mean) * (x[i] - mean);
    }
    return count > 1 ? sqrt(squares / (count - 1)) : NAN;
}

double sotto__standard_error(const double *x, uint32_t count)
{
    return sotto__deviation(x, count) / sqrt(count);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

void sotto__sort(double *x, uint32_t count)
{
    if (count > 0) qsort(x, count, sizeof *x, compare);
}

double sotto__quantile(const double *sorted, uint32_t count, double p)
{
    if (count == 0) return NAN;
    double place = p * (count - 1);
    uint32_t below = (uint32_t)place;
    uint32_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

double sotto__slope(const double *x, const double *y, uint32_t count)
{
    double middle_x = sotto__mean(x, count), middle_y = sotto__mean(y, count);
    double products = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        products += (x[i] - middle_x) * (y[i] - middle_y);
        squares += (x[i] - middle_x) * (x[i] - middle_x);
    }
    return squares > 0 ? products / squares : NAN;
}
