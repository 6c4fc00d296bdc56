/* What is known of a run at a moment. */
#include "sight.h"

#include <math.h>

sotto__pace sotto__pace_between(const sotto__sight *before, const sotto__sight *after)
{
    sotto__latency latency = sotto__latency_between(&before->latency, &after->latency);
    double people = (double)(after->people - before->people);
    double reports = (double)(after->sent.acknowledged - before->sent.acknowledged);
    double seconds = after->seconds - before->seconds;
    return (sotto__pace){
        .seconds = seconds,
        .people_per_s = seconds > 0 ? people / seconds : 0,
        .reports_per_s = seconds > 0 ? reports / seconds : 0,
        .regret = people > 0 ? (after->regret - before->regret) / people : NAN,
        .regret_random = people > 0 ? (after->regret_random - before->regret_random) / people : NAN,
        .p50_ms = 1e3 * sotto__latency_at(&latency, 0.5),
        .p90_ms = 1e3 * sotto__latency_at(&latency, 0.9),
        .p99_ms = 1e3 * sotto__latency_at(&latency, 0.99),
    };
}
