/* A comparison. */
#include "comparison.h"

#include <stdlib.h>

sotto_status sotto__comparison_new(uint32_t matches_max, sotto__comparison *out)
{
    *out = (sotto__comparison){
        .match = calloc(matches_max, sizeof *out->match),
        .epsilon = calloc(matches_max, sizeof *out->epsilon),
        .at = calloc(SOTTO_POINTS_MAX, sizeof *out->at),
    };
    if (out->match == NULL || out->epsilon == NULL || out->at == NULL) {
        sotto__comparison_free(out);
        return SOTTO_E_MEMORY;
    }
    out->sweep.match = out->match;
    out->sweep.at = out->at;
    return SOTTO_OK;
}

void sotto__comparison_free(sotto__comparison *comparison)
{
    free(comparison->match);
    free(comparison->epsilon);
    free(comparison->at);
    *comparison = (sotto__comparison){0};
}

uint32_t sotto__usual_points(uint64_t horizon, uint64_t *at)
{
    uint32_t count = 0;
    for (uint64_t power = 1; power < horizon; power *= 10) {
        for (uint64_t digit = 1; digit <= 5; digit += digit == 1 ? 1 : 3) {
            if (digit * power < horizon) at[count++] = digit * power;
        }
    }
    return count;
}
