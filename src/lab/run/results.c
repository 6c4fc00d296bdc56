/* What the runs of a comparison gave. */
#include "results.h"

#include <stdlib.h>
#include <string.h>

static bool has_measure_rounds(const sotto__comparison *comparison)
{
    bool some = false;
    for (uint32_t i = 0; i < comparison->sweep.matches_count; i++) {
        some |= comparison->match[i].spec.measure > 0;
    }
    return some;
}

sotto_status sotto__results_new(const sotto__comparison *comparison, sotto__results *out)
{
    uint64_t runs = sotto_sweep_runs(&comparison->sweep);
    uint32_t at_count = comparison->sweep.at_count;
    *out = (sotto__results){
        .at_count = at_count,
        .run = calloc(runs, sizeof *out->run),
        .point = calloc(runs * at_count, sizeof *out->point),
    };
    bool measured = has_measure_rounds(comparison);
    if (measured) out->measured = calloc(runs, sizeof *out->measured);
    bool whole = out->run != NULL && out->point != NULL && (!measured || out->measured != NULL);
    if (whole) return SOTTO_OK;
    sotto__results_free(out);
    return SOTTO_E_MEMORY;
}

void sotto__results_free(sotto__results *results)
{
    free(results->run);
    free(results->point);
    free(results->measured);
    *results = (sotto__results){0};
}

void sotto__results_take(sotto__results *results, uint64_t run, const sotto_point *point,
                         const sotto_run_result *result)
{
    memcpy(sotto__results_points(results, run), point, results->at_count * sizeof *point);
    results->run[run] = (sotto__run_record){.done = true,
                                            .played = true,
                                            .learn_reports = result->learn_reports,
                                            .null_reports = result->null_reports,
                                            .seconds = result->seconds,
                                            .repairs = result->repairs,
                                            .delay = result->delay};
    if (results->measured != NULL) results->measured[run] = result->measured;
    results->done_count++;
}
