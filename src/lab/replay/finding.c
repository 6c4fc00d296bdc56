/* What can be learnt from a file at an epsilon, the reason where it cannot, and what to do. */
#include "finding.h"
#include "lab/math/moments.h"
#include "to_play.h"

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

/* A method that wins too little of the gain, or cannot be ahead by what counts. */
static bool fails(const sotto_replay_line *line, double worth)
{
    if (!isnan(line->share.value)) return line->share.hi < SOTTO_REPLAY_SHARE;
    return line->ahead.hi < worth;
}

sotto_replay_standing sotto__standing_open(const sotto_replay_line *line, double worth)
{
    bool shared = !isnan(line->share.value);
    bool wins = shared ? line->share.lo >= SOTTO_REPLAY_SHARE : line->ahead.lo > 0;
    if (wins) return SOTTO_STANDING_WINS;
    return fails(line, worth) ? SOTTO_STANDING_FAILS : SOTTO_STANDING_UNKNOWN;
}

sotto_replay_standing sotto__standing_private(const sotto_replay_line *line, double worth)
{
    if (sotto__is_above(line->ahead, line->ahead_best_arm)) return SOTTO_STANDING_WINS;
    return fails(line, worth) ? SOTTO_STANDING_FAILS : SOTTO_STANDING_UNKNOWN;
}

/* By the method that explores; but whoever is certainly ahead by what is worth it shows that there is something. */
bool sotto__is_without_signal(const sotto__leads *leads)
{
    if (!(leads->line[leads->explorer].ahead.hi < leads->lead)) return false;
    for (uint32_t m = 0; m < leads->count; m++) {
        if (leads->line[m].ahead.lo > leads->worth) return false;
    }
    return true;
}

/* Privacy is not blamed for what greedy does not win either. */
sotto_replay_reason sotto__reason_of(sotto_replay_standing explorer, sotto_replay_standing greedy,
                                     sotto_replay_standing best, bool worse)
{
    if (best == SOTTO_STANDING_WINS) return SOTTO_REASON_LEARNT;
    if (worse) return SOTTO_REASON_ONE_ARM;
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
    case SOTTO_REASON_ONE_ARM: return "one-arm";
    }
    return NULL;
}

/* ---- all of them -------------------------------------------------------------------------- */

/* NAN counts as far behind. */
static double mean_of(const sotto_replay_line *line)
{
    double mean = (line->ahead.lo + line->ahead.hi) / 2;
    return isnan(mean) ? -INFINITY : mean;
}

/* The finding of an epsilon; a new one where it was not met yet. */
static sotto_replay_finding *finding_at(sotto_replay_findings *findings,
                                        const sotto_replay_line *line, uint32_t method)
{
    for (uint32_t i = 0; i < findings->findings_count; i++) {
        if (findings->finding[i].epsilon == line->epsilon) return &findings->finding[i];
    }
    sotto_replay_finding *finding = &findings->finding[findings->findings_count++];
    *finding =
        (sotto_replay_finding){.epsilon = line->epsilon, .refused = line->refused, .best = method};
    return finding;
}

static void set_best(const sotto__leads *leads, sotto_replay_findings *out)
{
    for (uint32_t m = 0; m < leads->count; m++) {
        const sotto_replay_line *line = &leads->line[m];
        if (isinf(line->epsilon) || sotto__replay_is_one_arm(line->player)) continue;
        sotto_replay_finding *finding = finding_at(out, line, m);
        if (mean_of(line) > mean_of(&leads->line[finding->best])) finding->best = m;
    }
}

static void set_reason(const sotto__leads *leads, bool signal, const sotto_replay_findings *of,
                       sotto_replay_finding *out)
{
    const sotto_replay_line *best = &leads->line[out->best];
    bool worse = sotto__is_below_one_arm(best->ahead, best->ahead_best_arm);
    out->standing = sotto__standing_private(best, leads->worth);
    out->reason = !signal ? SOTTO_REASON_NO_SIGNAL
                          : sotto__reason_of(of->explorer_standing, of->greedy_standing,
                                             out->standing, worse);
}

/* Whether it is certain that the best method of an epsilon is not ahead by what counts. */
static bool is_surely_not_ahead(const sotto__leads *leads, const sotto_replay_finding *finding)
{
    const sotto_replay_line *best = &leads->line[finding->best];
    return best->ahead.hi < leads->worth || finding->reason == SOTTO_REASON_ONE_ARM;
}

static void set_advice(const sotto__leads *leads, bool signal, sotto_replay_findings *out)
{
    double least = INFINITY;
    out->advice = out->findings_count > 0 ? SOTTO_ADVICE_ONE_ARM : SOTTO_ADVICE_NONE;
    out->certain = true;
    for (uint32_t i = 0; i < out->findings_count; i++) {
        const sotto_replay_finding *finding = &out->finding[i];
        out->certain = out->certain && is_surely_not_ahead(leads, finding);
        if (finding->reason != SOTTO_REASON_LEARNT || finding->epsilon >= least) continue;
        least = finding->epsilon;
        out->advice = SOTTO_ADVICE_RUN;
        out->advised = i;
    }
    if (!signal) out->advice = SOTTO_ADVICE_NOTHING;
}

sotto_status sotto__findings_of(const sotto__leads *leads, sotto_replay_findings *out)
{
    const sotto_replay_line *explorer = &leads->line[leads->explorer];
    const sotto_replay_line *greedy = &leads->line[leads->greedy];
    const sotto_replay_line *ahead = explorer->ahead.lo > 0 ? explorer : greedy;
    bool signal = !sotto__is_without_signal(leads);
    *out = (sotto_replay_findings){
        .explorer = leads->explorer,
        .greedy = leads->greedy,
        .explorer_standing = sotto__standing_open(explorer, leads->worth),
        .greedy_standing = sotto__standing_open(greedy, leads->worth),
        .gains = ahead->ahead.lo > 0,
        .gain = ahead->ahead.lo > 0 ? mean_of(ahead) : NAN,
        .lead = leads->lead,
        .worth = leads->worth,
        .finding = calloc(leads->count, sizeof *out->finding),
    };
    if (out->finding == NULL) return SOTTO_E_MEMORY;
    set_best(leads, out);
    for (uint32_t i = 0; i < out->findings_count; i++) {
        set_reason(leads, signal, out, &out->finding[i]);
    }
    set_advice(leads, signal, out);
    return SOTTO_OK;
}

void sotto__findings_free(sotto_replay_findings *findings)
{
    free(findings->finding);
    *findings = (sotto_replay_findings){0};
}
