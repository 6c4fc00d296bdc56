/* Layer 1: a fixed input, many answers, and the law that the claim implies. */
#include "law.h"
#include "lab/math/statistics.h"
#include "row.h"

#include <math.h>

void sotto__law_row(sotto_audit_result *result, const char *name, double measured, double expected,
                    double p)
{
    bool passed = p > SOTTO__LAW_ALPHA / SOTTO__LAW_ROWS_MAX;
    sotto__audit_row(result, 1, name, measured, expected, p, passed);
}

void sotto__lag_add(sotto__lag *lag, double y)
{
    if (lag->count > 0) lag->sum += lag->last * y;
    lag->last = y;
    lag->count++;
}

double sotto__lag_correlation(const sotto__lag *lag)
{
    return lag->count < 2 ? 0 : lag->sum / (double)(lag->count - 1);
}

double sotto__lag_p(const sotto__lag *lag)
{
    if (lag->count < 2) return 1;
    return sotto__two_sided(sotto__lag_correlation(lag) * sqrt((double)(lag->count - 1)));
}
