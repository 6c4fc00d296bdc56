/*
 * Five estimates from one run's evidence:
 *
 *   replay           sum of rewards learnt from/number of these events
 *   ips              sum w r/n
 *   self_normalised  sum w r/sum w
 *   direct           sum q/n, where q = q(x, b): and pull, by which the model follows its rows
 *   doubly_robust    sum (q + w (r - q))/n      (Dudik, Langford and Li 2011)
 */
#include "inner.h"
#include "lab/math/math.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define SQUARED_MAX 1e150 /* and sums of squares stay finite */

const char *sotto_replay_estimator_name(uint32_t estimator)
{
    static const char *const name[SOTTO_REPLAY_ESTIMATORS] = {"replay", "ips", "self_normalised",
                                                              "direct", "doubly_robust"};
    return estimator < SOTTO_REPLAY_ESTIMATORS ? name[estimator] : NULL;
}

const char *sotto_replay_unavailable_text(sotto_replay_unavailable unavailable)
{
    switch (unavailable) {
    case SOTTO_UNAVAILABLE_NONE: return "";
    case SOTTO_UNAVAILABLE_NO_MATCH:
        return "cannot tell: the log agrees with no choice of the method";
    case SOTTO_UNAVAILABLE_FEW_MATCHES:
        return "cannot tell: the log agrees with too few choices of the method";
    case SOTTO_UNAVAILABLE_SAME:
        return "cannot tell: all events give the same value, which makes no interval";
    case SOTTO_UNAVAILABLE_HUGE: return "cannot tell: rewards are too large to be squared";
    case SOTTO_UNAVAILABLE_PIPE:
        return "cannot tell: the reward model reads the log first, and a pipe is read once";
    case SOTTO_UNAVAILABLE_FEW_EVENTS:
        return "cannot tell: the reward model needs at least 10 events";
    case SOTTO_UNAVAILABLE_LARGE:
        return "cannot tell: the reward model would need more than 256 MiB of memory";
    case SOTTO_UNAVAILABLE_WIDE:
        return "nothing is known yet: the interval holds the whole range of rewards";
    }
    return "";
}

/* ---- ratios ------------------------------------------------------------------------------- */

static void set_group(sotto__ratio ratio[SOTTO_REPLAY_ESTIMATORS], uint32_t j,
                      const sotto__evidence_group *group, double pull)
{
    const double num[SOTTO_REPLAY_ESTIMATORS] = {
        group->learnt_reward, group->product, group->product, group->predicted, group->corrected};
    const double den[SOTTO_REPLAY_ESTIMATORS] = {group->learnt, group->events, group->weight,
                                                 group->events, group->events};
    for (uint32_t i = 0; i < SOTTO_REPLAY_ESTIMATORS; i++) {
        ratio[i].num[j] = num[i];
        ratio[i].den[j] = den[i];
        ratio[i].pull[j] = i == SOTTO_REPLAY_DIRECT ? pull : 0;
    }
}

/* Makes the pulls sum to 0, because the model is fitted to all rows together. */
static void centre(double *pull, uint32_t count)
{
    double mean = sotto__mean_of(pull, count);
    for (uint32_t j = 0; j < count; j++) {
        pull[j] -= mean;
    }
}

/* Returns the number of groups. A group without events of the run can still have rows that the
 * model was fitted to. */
static uint32_t set_ratios(sotto__ratio *ratio, const sotto__evidence *evidence,
                           const double pull[SOTTO__GROUPS])
{
    uint32_t groups = 0;
    for (uint32_t j = 0; j < SOTTO__GROUPS; j++) {
        if (evidence->group[j].events == 0 && pull[j] == 0) continue;
        set_group(ratio, groups++, &evidence->group[j], pull[j]);
    }
    centre(ratio[SOTTO_REPLAY_DIRECT].pull, groups);
    return groups;
}

/* ---- what can be told --------------------------------------------------------------------- */

/* Whether an estimator needs a match: without any, the correction is 0 for all events, which says
 * nothing about its true size. */
static bool needs_match(uint32_t estimator)
{
    return estimator != SOTTO_REPLAY_DIRECT;
}

static bool needs_model(uint32_t estimator)
{
    return estimator == SOTTO_REPLAY_DIRECT || estimator == SOTTO_REPLAY_DOUBLY_ROBUST;
}

static void set_estimate(uint32_t estimator, const sotto__evidence *evidence,
                         sotto_replay_unavailable model_unavailable, sotto_estimate normal,
                         sotto_estimate bootstrap, sotto_replay_estimate *out)
{
    *out = (sotto_replay_estimate){normal.value, NAN, NAN, NAN, NAN, SOTTO_UNAVAILABLE_NONE};
    if (needs_model(estimator) && model_unavailable != SOTTO_UNAVAILABLE_NONE) {
        out->value = NAN;
        out->unavailable = model_unavailable;
        return;
    }
    if (needs_match(estimator) && (evidence->agreed == 0 || isnan(normal.value))) {
        out->unavailable = SOTTO_UNAVAILABLE_NO_MATCH;
        return;
    }
    out->lo = normal.lo;
    out->hi = normal.hi;
    out->bootstrap_lo = bootstrap.lo;
    out->bootstrap_hi = bootstrap.hi;
    if (isnan(bootstrap.lo)) out->unavailable = SOTTO_UNAVAILABLE_FEW_MATCHES;
    if (!isnan(normal.lo)) return;
    out->unavailable =
        fabs(normal.value) < SQUARED_MAX ? SOTTO_UNAVAILABLE_SAME : SOTTO_UNAVAILABLE_HUGE;
}

sotto_status sotto__estimates_of(const sotto__evidence *evidence, const sotto__reward_model *model,
                                 sotto_replay_unavailable model_unavailable,
                                 sotto_replay_estimates *out)
{
    assert(model != NULL || model_unavailable != SOTTO_UNAVAILABLE_NONE);
    double pull[SOTTO__GROUPS] = {0};
    sotto_estimate bootstrap[SOTTO_REPLAY_ESTIMATORS];
    sotto__ratio *ratio = calloc(SOTTO_REPLAY_ESTIMATORS, sizeof *ratio);
    sotto_status status = ratio == NULL ? SOTTO_E_MEMORY : SOTTO_OK;
    if (status == SOTTO_OK && model != NULL) {
        status = sotto__reward_model_pull(model, evidence->given, pull);
    }
    uint32_t groups = status == SOTTO_OK ? set_ratios(ratio, evidence, pull) : 0;
    if (status == SOTTO_OK) {
        status = sotto__bootstrap(ratio, SOTTO_REPLAY_ESTIMATORS, groups, bootstrap);
    }
    for (uint32_t i = 0; status == SOTTO_OK && i < SOTTO_REPLAY_ESTIMATORS; i++) {
        set_estimate(i, evidence, model == NULL ? model_unavailable : SOTTO_UNAVAILABLE_NONE,
                     sotto__ratio_estimate(&ratio[i], groups), bootstrap[i], &out->by[i]);
    }
    free(ratio);
    return status;
}

/* ---- of a replay -------------------------------------------------------------------------- */

static double unseen_share(const sotto__evidence *evidence, const sotto__yardstick *yardstick)
{
    double unseen = 0, events = 0;
    for (uint32_t a = 0; a < evidence->arms; a++) {
        events += (double)evidence->given_count[a];
        if (yardstick->arm_count[a] == 0) unseen += (double)evidence->given_count[a];
    }
    return unseen / events;
}

static void take_interval(sotto_replay_estimate *estimate, sotto_estimate known)
{
    estimate->lo = known.lo;
    estimate->hi = known.hi;
}

static void set_wide(const sotto__replay_rules *rules, sotto_replay_estimates *out)
{
    const sotto_span range = {rules->reward_lo, rules->reward_hi};
    for (uint32_t i = 0; i < SOTTO_REPLAY_ESTIMATORS; i++) {
        sotto_replay_estimate *by = &out->by[i];
        bool wide = sotto__says_nothing(by->lo, by->hi, range);
        if (wide && by->unavailable == SOTTO_UNAVAILABLE_NONE)
            by->unavailable = SOTTO_UNAVAILABLE_WIDE;
    }
}

sotto_status sotto__replay_estimates_of(const sotto__replay *replay, uint32_t match,
                                        const sotto_replay_line *line, sotto_replay_estimates *out)
{
    uint32_t seeds = replay->settings.seeds_count;
    const sotto__replay_run *run = &replay->run[(uint64_t)match * seeds];
    const sotto__replay_rules *rules = &replay->settings.rules;
    sotto__evidence *all;
    sotto_status status = sotto__evidence_new(run->evidence->arms, run->evidence->dim, &all);
    if (status != SOTTO_OK) return status;
    for (uint32_t i = 0; i < seeds; i++) {
        sotto__evidence_join(all, run[i].evidence);
    }
    status = sotto__estimates_of(all, rules->model, rules->model_unavailable, out);
    out->unseen_share = unseen_share(all, replay->yardstick);
    sotto__evidence_free(all);
    if (status != SOTTO_OK) return status;
    take_interval(&out->by[SOTTO_REPLAY_BY_REPLAY], line->replayed);
    take_interval(&out->by[SOTTO_REPLAY_BY_WEIGHTS], line->weighted);
    set_wide(rules, out);
    return SOTTO_OK;
}
