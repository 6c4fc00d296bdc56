#include "front.h"

static const struct {
    const char *text;
    uint64_t us;
} steps[LATENCY_STEPS] = {
#define LATENCY_ROW(text, us) {text, us},
    LATENCY_MAP(LATENCY_ROW)
#undef LATENCY_ROW
};

void latency_add(front_latency *latency, uint64_t us)
{
    uint32_t step = 0;
    while (step < LATENCY_STEPS && us > steps[step].us) {
        step++;
    }
    if (step < LATENCY_STEPS) latency->within[step]++;
    latency->count++;
    latency->sum_us += us;
}

const char *latency_step(uint32_t step)
{
    return steps[step].text;
}
