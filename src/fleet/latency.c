/* Cell i has times from 2^(i/16 - 17) to 2^((i+1)/16 - 17) seconds, and is told as its middle. */
#include "latency.h"

#include <math.h>

#define CELLS_PER_DOUBLING 16
#define FIRST_LOG2 (-17)

void sotto__latency_add(sotto__latency *latency, double seconds)
{
    double at = seconds > 0 ? floor((log2(seconds) - FIRST_LOG2) * CELLS_PER_DOUBLING) : 0;
    at = fmin(fmax(at, 0), SOTTO__LATENCY_CELLS - 1);
    latency->cell[(uint32_t)at]++;
    latency->count++;
}

sotto__latency sotto__latency_between(const sotto__latency *before, const sotto__latency *after)
{
    sotto__latency between = {.count = after->count - before->count};
    for (uint32_t i = 0; i < SOTTO__LATENCY_CELLS; i++) {
        between.cell[i] = after->cell[i] - before->cell[i];
    }
    return between;
}

double sotto__latency_at(const sotto__latency *latency, double part)
{
    if (latency->count == 0) return NAN;
    double rank = ceil(part * (double)latency->count);
    uint64_t wanted = rank < 1 ? 1 : (uint64_t)rank, seen = latency->cell[0];
    uint32_t i = 0;
    while (seen < wanted && i + 1 < SOTTO__LATENCY_CELLS) {
        seen += latency->cell[++i];
    }
    return exp2((i + 0.5) / CELLS_PER_DOUBLING + FIRST_LOG2);
}
