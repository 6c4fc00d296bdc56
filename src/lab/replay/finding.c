/* What can be learnt from a file at an epsilon, and the reason where it cannot. */
#include "finding.h"
#include "lab/math/moments.h"

#include <math.h>
#include <stdlib.h>

/* ---- the parts of it ---------------------------------------------------------------------- */

sotto_replay_share sotto__share_of(const double *ahead, const double *gain, uint32_t seeds,
                                   double *scratch)
{
    double whole = sotto__mean(gain, seeds), part = sotto__mean(ahead, seeds) / whole;
    for (uint32_t i = 0; i < seeds; i++) {
        scratch[i] = (ahead[i] - part * gain[i]) / whole;
    }
    sotto_span around = sotto__span_of(scratch, seeds);
    return (sotto_replay_share){part, part + around.lo, part + around.hi};
}

sotto_replay_standing sotto__standing_of_share(sotto_replay_share share)
{
    if (share.lo >= SOTTO_REPLAY_SHARE) return SOTTO_STANDING_WINS;
    return share.hi < SOTTO_REPLAY_SHARE ? SOTTO_STANDING_FAILS : SOTTO_STANDING_UNKNOWN;
}

sotto_replay_standing sotto__standing_of_lead(sotto_span ahead, double lead)
{
    if (ahead.lo > 0) return SOTTO_STANDING_WINS;
    return ahead.hi < lead ? SOTTO_STANDING_FAILS : SOTTO_STANDING_UNKNOWN;
}

/* A private method may be too noisy to be judged; where there is nothing to win, that is no
 * question. */
sotto_replay_reason sotto__reason_of(sotto_replay_standing explorer, sotto_replay_standing greedy,
                                     sotto_replay_standing best)
{
    bool open_fails = explorer == SOTTO_STANDING_FAILS && greedy == SOTTO_STANDING_FAILS;
    if (best == SOTTO_STANDING_WINS) return SOTTO_REASON_LEARNT;
    if (open_fails) return SOTTO_REASON_NO_SIGNAL;
    if (best == SOTTO_STANDING_UNKNOWN) return SOTTO_REASON_UNKNOWN;
    if (greedy == SOTTO_STANDING_WINS) return SOTTO_REASON_PRIVACY;
    bool explored = greedy == SOTTO_STANDING_FAILS && explorer == SOTTO_STANDING_WINS;
    return explored ? SOTTO_REASON_EXPLORATION : SOTTO_REASON_UNKNOWN;
}

const char *sotto_replay_reason_name(sotto_replay_reason reason)
{
    switch (reason) {
    case SOTTO_REASON_UNKNOWN: return "unknown";
    case SOTTO_REASON_LEARNT: return "learnt";
    case SOTTO_REASON_NO_SIGNAL: return "no-signal";
    case SOTTO_REASON_EXPLORATION: return "exploration";
    case SOTTO_REASON_PRIVACY: return "privacy";
    }
    return NULL;
}

/* ---- all of them -------------------------------------------------------------------------- */

static const double *ahead_of(const sotto__leads *leads, uint32_t method)
{
    return leads->ahead + (size_t)method * leads->seeds;
}

static bool is_ahead(const sotto__leads *leads, uint32_t method)
{
    return sotto__span_of(ahead_of(leads, method), leads->seeds).lo > 0;
}

/* The numbers of the method whose lead is the gain; NULL: there is no gain. */
static const double *gain_of(const sotto__leads *leads)
{
    if (is_ahead(leads, leads->explorer)) return ahead_of(leads, leads->explorer);
    return is_ahead(leads, leads->greedy) ? ahead_of(leads, leads->greedy) : NULL;
}

static void set_shares(const sotto__leads *leads, const double *gain, double *scratch,
                       sotto_replay_share *share)
{
    for (uint32_t m = 0; m < leads->count; m++) {
        share[m] = (sotto_replay_share){NAN, NAN, NAN};
        if (gain == NULL) continue;
        share[m] = sotto__share_of(ahead_of(leads, m), gain, leads->seeds, scratch);
    }
}

static sotto_replay_standing standing_of(const sotto__leads *leads, uint32_t method, bool gains,
                                         const sotto_replay_share *share)
{
    if (gains) return sotto__standing_of_share(share[method]);
    return sotto__standing_of_lead(sotto__span_of(ahead_of(leads, method), leads->seeds),
                                   leads->lead);
}

/* The finding of an epsilon; a new one where it was not met yet. */
static sotto_replay_finding *finding_at(sotto_replay_findings *findings, double epsilon,
                                        uint32_t method)
{
    for (uint32_t i = 0; i < findings->findings_count; i++) {
        if (findings->finding[i].epsilon == epsilon) return &findings->finding[i];
    }
    sotto_replay_finding *finding = &findings->finding[findings->findings_count++];
    *finding = (sotto_replay_finding){.epsilon = epsilon, .best = method};
    return finding;
}

static void set_best(const sotto__leads *leads, sotto_replay_findings *out)
{
    for (uint32_t m = 0; m < leads->count; m++) {
        if (isinf(leads->epsilon[m])) continue;
        sotto_replay_finding *finding = finding_at(out, leads->epsilon[m], m);
        double mean = sotto__mean(ahead_of(leads, m), leads->seeds);
        if (mean > sotto__mean(ahead_of(leads, finding->best), leads->seeds)) finding->best = m;
    }
}

sotto_status sotto__findings_of(const sotto__leads *leads, sotto_replay_share *share,
                                sotto_replay_findings *out)
{
    double *scratch = calloc(leads->seeds, sizeof *scratch);
    *out = (sotto_replay_findings){
        .explorer = leads->explorer,
        .greedy = leads->greedy,
        .gain = NAN,
        .lead = leads->lead,
        .finding = calloc(leads->count, sizeof *out->finding),
    };
    if (scratch == NULL || out->finding == NULL) {
        free(scratch);
        sotto__findings_free(out);
        return SOTTO_E_MEMORY;
    }
    const double *gain = gain_of(leads);
    out->gains = gain != NULL;
    if (out->gains) out->gain = sotto__mean(gain, leads->seeds);
    set_shares(leads, gain, scratch, share);
    free(scratch);
    out->explorer_standing = standing_of(leads, leads->explorer, out->gains, share);
    out->greedy_standing = standing_of(leads, leads->greedy, out->gains, share);
    set_best(leads, out);
    for (uint32_t i = 0; i < out->findings_count; i++) {
        sotto_replay_finding *finding = &out->finding[i];
        finding->standing = standing_of(leads, finding->best, out->gains, share);
        finding->reason =
            sotto__reason_of(out->explorer_standing, out->greedy_standing, finding->standing);
    }
    return SOTTO_OK;
}

void sotto__findings_free(sotto_replay_findings *findings)
{
    free(findings->finding);
    *findings = (sotto_replay_findings){0};
}
