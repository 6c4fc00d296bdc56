/* What the measure rounds of a match say, over its runs. */
#include "measured.h"

#include <sotto/client.h>

#include <math.h>

double sotto__measure_share_usual(void)
{
    return sotto_policy_default().measure_share_max;
}

static void take(sotto__measured_line *line, uint64_t run, const sotto_run_measurement *measured)
{
    const sotto_interval *uplift = &measured->seen.uplift;
    if (!measured->there || isnan(uplift->value)) return;
    if (line->runs == 0) line->first = run;
    line->runs++;
    line->held += uplift->lo <= measured->uplift && measured->uplift <= uplift->hi;
    line->told += uplift->lo > 0;
    line->harm += measured->harm_at > 0;
    line->served += measured->served_at > 0;
    line->uplift += uplift->value;
    line->truth += measured->uplift;
}

sotto__measured_line sotto__measured_of(const sotto__comparison *comparison,
                                        const sotto__results *results, uint32_t match)
{
    uint32_t seeds = comparison->sweep.seeds_count;
    sotto__measured_line line = {0};
    for (uint32_t i = 0; i < seeds && results->measured != NULL; i++) {
        uint64_t run = (uint64_t)match * seeds + i;
        take(&line, run, &results->measured[run]);
    }
    line.uplift = line.runs == 0 ? NAN : line.uplift / line.runs;
    line.truth = line.runs == 0 ? NAN : line.truth / line.runs;
    return line;
}
