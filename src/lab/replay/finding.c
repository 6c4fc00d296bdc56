/* What privacy leaves to learn. */
#include "finding.h"

#include <math.h>
#include <stdlib.h>

sotto_replay_finding sotto__finding_of(const sotto__lead *lead, uint32_t count,
                                       const double *epsilon)
{
    sotto_replay_finding found = SOTTO_FINDING_NOTHING;
    for (uint32_t i = 0; i < count; i++) {
        if (epsilon != NULL && lead[i].epsilon != *epsilon) continue;
        if (lead[i].ahead.lo > 0) return SOTTO_FINDING_BEATEN;
        if (lead[i].ahead.hi >= SOTTO__LEAD_MIN) found = SOTTO_FINDING_UNKNOWN;
    }
    return found;
}

static bool is_listed(const sotto_replay_findings *findings, double epsilon)
{
    for (uint32_t i = 0; i < findings->epsilons_count; i++) {
        if (findings->epsilon[i] == epsilon) return true;
    }
    return false;
}

sotto_status sotto__findings_of(const sotto__lead *lead, uint32_t count, sotto_replay_findings *out)
{
    const double open = INFINITY;
    *out = (sotto_replay_findings){
        .all = sotto__finding_of(lead, count, NULL),
        .open = sotto__finding_of(lead, count, &open),
        .epsilon = calloc(count + 1, sizeof *out->epsilon),
        .finding = calloc(count + 1, sizeof *out->finding),
    };
    if (out->epsilon == NULL || out->finding == NULL) {
        sotto__findings_free(out);
        return SOTTO_E_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        double epsilon = lead[i].epsilon;
        if (isinf(epsilon) || is_listed(out, epsilon)) continue;
        out->epsilon[out->epsilons_count] = epsilon;
        out->finding[out->epsilons_count++] = sotto__finding_of(lead, count, &epsilon);
    }
    return SOTTO_OK;
}

void sotto__findings_free(sotto_replay_findings *findings)
{
    free(findings->epsilon);
    free(findings->finding);
    *findings = (sotto_replay_findings){0};
}
