/* A curve whose length need not be known when it begins. */
#include "curve.h"

/* Two and two become one. The number of steps is even, and all are full. */
static void halve(sotto__curve *curve)
{
    for (uint32_t i = 0; i < SOTTO__CURVE_STEPS; i++) {
        uint32_t first = 2 * i;
        bool full = first < SOTTO__CURVE_STEPS;
        curve->regret[i] = full ? curve->regret[first] + curve->regret[first + 1] : 0;
        curve->random[i] = full ? curve->random[first] + curve->random[first + 1] : 0;
    }
    curve->width *= 2;
}

void sotto__curve_add(sotto__curve *curve, double regret, double random)
{
    if (curve->width == 0) curve->width = 1;
    if (curve->people == SOTTO__CURVE_STEPS * curve->width) halve(curve);
    uint64_t step = curve->people / curve->width;
    curve->regret[step] += regret;
    curve->random[step] += random;
    curve->people++;
}

uint32_t sotto__curve_steps(const sotto__curve *curve)
{
    if (curve->people == 0) return 0;
    return (uint32_t)((curve->people - 1) / curve->width + 1);
}

uint64_t sotto__curve_people(const sotto__curve *curve, uint32_t step)
{
    uint64_t before = step * curve->width;
    if (before >= curve->people) return 0;
    uint64_t left = curve->people - before;
    return left < curve->width ? left : curve->width;
}
