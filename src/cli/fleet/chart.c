/* Bars of plain letters. */
#include "chart.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define BAR 50

static void print_step(const sotto__curve *curve, uint32_t step, uint64_t last)
{
    static const char full[BAR + 1] = "##################################################";
    double people = (double)sotto__curve_people(curve, step);
    double part = curve->random[step] > 0 ? curve->regret[step] / curve->random[step] : 0;
    int length = (int)lrint(BAR * fmin(part, 1));
    printf("%10" PRIu64 " |%-*.*s| %.4f\n", last, BAR, length, full, curve->regret[step] / people);
}

void fleet_chart_print(const sotto__curve *curve)
{
    uint64_t last = 0;
    uint32_t steps = sotto__curve_steps(curve);
    if (steps == 0) return;
    printf("\n%10s  %-*s  %s\n", "to person", BAR, "lost, of what random arms lose", "per person");
    for (uint32_t i = 0; i < steps; i++) {
        last += sotto__curve_people(curve, i);
        print_step(curve, i, last);
    }
}
