#include "inner.h"
#include "lab/math/math.h"
#include "replay.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ==== needed ================================================================================= */

/*
 * How many people a private method would need, by the plan.
 *
 * In the plan's world a random arm earns 0 on average and the best arm M D, where M follows from
 * dimension and arms, and D is the parameter's length. So a world with gain g has D = g/M. Rewards
 * of a file lie in [0, 1], and sotto reports their score by that range. The plan centres rewards,
 * so we give it [-1, 1], or [-D, D] if D is above 1. That is somewhat too wide and predicts too
 * many people; half of it predicts too few (1,900 where 50,000 were not enough).
 *
 * Contexts of a file are seldom spread evenly, so the plan may be wrong by a factor of a hundred.
 * But the shape of its curve is about right. If 20,000 people won 13 % where the plan needs 2,700
 * for that, one person of the plan counts as 7.4 people.
 */

#define NEAR 1.01 /* the number of people is found up to this factor */
#define LEAST_SHARE 0.05
#define MOST_SHARE 0.5

/* A plan for SOTTO_HORIZON_MAX people. */
static sotto_status plan_of(const sotto__need *need, double theta_norm, sotto_plan *out)
{
    const sotto_scene scene = {
        .dim = need->dim,
        .arms = need->arms,
        .parameters = need->parameters,
        .link = SOTTO_LINK_IDENTITY,
        .reward_kind = SOTTO_REWARD_CONTINUOUS,
        .environment = SOTTO_ENVIRONMENT_SPHERE,
        .horizon = SOTTO_HORIZON_MAX,
    };
    sotto_match match =
        sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &scene, need->epsilon, 0);
    match.spec.score = SOTTO_SCORE_SELF;
    match.spec.theta_norm_max = match.environment.theta_norm = theta_norm;
    match.spec.reward_hi = fmax(1, theta_norm);
    match.spec.reward_lo = -match.spec.reward_hi;
    sotto_status status = sotto_match_set_learning(&match);
    match.learning.epoch = 0; /* by the rule, as a server does */
    return status == SOTTO_OK ? sotto_plan_make(&match, out) : status;
}

/* Whether the last person of an experiment planned for `people` wins the share. */
static bool is_enough(sotto_plan *plan, double share, uint64_t people)
{
    sotto_plan_point last = {.people = people};
    plan->match.horizon = people;
    sotto_plan_predict(plan, &last, 1);
    return last.regret_next <= (1 - share) * plan->best_reward;
}

uint64_t sotto__people_needed(const sotto__need *need)
{
    sotto_plan plan;
    if (!(need->gain > 0) || plan_of(need, 1, &plan) != SOTTO_OK) return 0;
    if (plan_of(need, need->gain / plan.reach, &plan) != SOTTO_OK) return 0;
    double few = 1, enough = (double)SOTTO_HORIZON_MAX;
    if (!is_enough(&plan, need->share, SOTTO_HORIZON_MAX)) return 0;
    while (enough > few * NEAR) {
        double middle = sqrt(few * enough);
        bool more = !is_enough(&plan, need->share, (uint64_t)middle);
        *(more ? &few : &enough) = middle;
    }
    return (uint64_t)enough;
}

double sotto__people_per_planned(const sotto__need *won, uint64_t people)
{
    if (!(won->share >= LEAST_SHARE)) return NAN;
    sotto__need need = *won;
    need.share = fmin(need.share, MOST_SHARE);
    uint64_t planned = sotto__people_needed(&need);
    return planned == 0 ? NAN : (double)people / (double)planned;
}

/* ==== finding ================================================================================ */

/* What can be learnt from a file at an epsilon, the reason where it cannot, and what to do. */

/* ---- the parts of it ---------------------------------------------------------------------- */

/* Compare a method with one arm for all: the best one in hindsight, and best-arm. The span of the
 * latter is NAN if best-arm did not play, and is then ignored. */
static bool is_above(sotto_span ahead, sotto_span ahead_best_arm)
{
    return ahead.lo > 0 && !(ahead_best_arm.lo <= 0);
}

static bool is_below_one_arm(sotto_span ahead, sotto_span ahead_best_arm)
{
    return isnan(ahead_best_arm.hi) ? ahead.hi < 0 : ahead_best_arm.hi < 0;
}

sotto_replay_share sotto__share_of(const double *ahead, const double *gain, uint32_t seeds,
                                   double *scratch)
{
    double whole = sotto__mean_of(gain, seeds), part = sotto__mean_of(ahead, seeds) / whole;
    for (uint32_t i = 0; i < seeds; i++) {
        scratch[i] = (ahead[i] - part * gain[i]) / whole;
    }
    sotto_span around = sotto__span_of(scratch, seeds);
    return (sotto_replay_share){part, part + around.lo, part + around.hi};
}

/* Whether a method wins too little of the gain or, without a share, cannot be ahead by lead_min. */
static bool fails(const sotto_replay_line *line, double lead_min)
{
    if (!isnan(line->share.value)) return line->share.hi < SOTTO_REPLAY_SHARE;
    return line->ahead.hi < lead_min;
}

sotto_replay_standing sotto__standing_open(const sotto_replay_line *line, double lead_min)
{
    bool shared = !isnan(line->share.value);
    bool wins = shared ? line->share.lo >= SOTTO_REPLAY_SHARE : line->ahead.lo > 0;
    if (wins) return SOTTO_STANDING_WINS;
    return fails(line, lead_min) ? SOTTO_STANDING_FAILS : SOTTO_STANDING_UNKNOWN;
}

sotto_replay_standing sotto__standing_private(const sotto_replay_line *line, double lead_min)
{
    if (is_above(line->ahead, line->ahead_best_arm)) return SOTTO_STANDING_WINS;
    return fails(line, lead_min) ? SOTTO_STANDING_FAILS : SOTTO_STANDING_UNKNOWN;
}

/* Judges by the method that explores. But any method that is certainly ahead by
 * lead_min shows a signal. */
bool sotto__is_without_signal(const sotto__leads *leads)
{
    if (!(leads->line[leads->explorer].ahead.hi < leads->lead)) return false;
    for (uint32_t m = 0; m < leads->count; m++) {
        if (leads->line[m].ahead.lo > leads->lead_min) return false;
    }
    return true;
}

/* If the greedy method without privacy also fails, privacy is not reported as the cause. */
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

/* The finding for an epsilon; a new one if there is none yet. */
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

/* Sets the best method of each epsilon. Rivals are left out because they do not ship. A custom
 * method counts at the epsilon that it claims. */
static void set_best(const sotto__leads *leads, sotto_replay_findings *out)
{
    for (uint32_t m = 0; m < leads->count; m++) {
        const sotto_replay_line *line = &leads->line[m];
        bool offered = !isinf(line->epsilon) && !sotto_player_is_rival(line->player);
        if (!offered || sotto__replay_is_one_arm(line->player)) continue;
        sotto_replay_finding *finding = finding_at(out, line, m);
        if (mean_of(line) > mean_of(&leads->line[finding->best])) finding->best = m;
    }
}

static void set_reason(const sotto__leads *leads, bool signal, const sotto_replay_findings *of,
                       sotto_replay_finding *out)
{
    const sotto_replay_line *best = &leads->line[out->best];
    bool worse = is_below_one_arm(best->ahead, best->ahead_best_arm);
    out->standing = sotto__standing_private(best, leads->lead_min);
    out->reason = !signal ? SOTTO_REASON_NO_SIGNAL
                          : sotto__reason_of(of->explorer_standing, of->greedy_standing,
                                             out->standing, worse);
}

/* Whether it is certain that the best method of an epsilon is not ahead by what counts. */
static bool is_surely_not_ahead(const sotto__leads *leads, const sotto_replay_finding *finding)
{
    const sotto_replay_line *best = &leads->line[finding->best];
    return best->ahead.hi < leads->lead_min || finding->reason == SOTTO_REASON_ONE_ARM;
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
        .explorer_standing = sotto__standing_open(explorer, leads->lead_min),
        .greedy_standing = sotto__standing_open(greedy, leads->lead_min),
        .gains = ahead->ahead.lo > 0,
        .gain = ahead->ahead.lo > 0 ? mean_of(ahead) : NAN,
        .lead = leads->lead,
        .lead_min = leads->lead_min,
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

/* ==== verdict ================================================================================ */

/* How a method compares with one arm for all. */

#define ERRORS 3         /* standard errors that make a difference */
#define NEAR_CHANCE 0.05 /* further above it nobody is called no better than chance */

static const char *sentence_of(sotto_replay_verdict verdict)
{
    switch (verdict) {
    case SOTTO_VERDICT_NONE: return "";
    case SOTTO_VERDICT_FEW_PEOPLE: return "fewer people came than were announced";
    case SOTTO_VERDICT_SORTED: return "the file seems sorted";
    case SOTTO_VERDICT_FEW_SEEDS: return "too few seeds to tell";
    case SOTTO_VERDICT_ONE_LOGGED: return "the log gave one arm only";
    case SOTTO_VERDICT_NOTHING_YET: return "nothing is known yet: the interval holds all rewards";
    case SOTTO_VERDICT_BEST_ARM: return "one arm for all: what this epsilon buys without context";
    case SOTTO_VERDICT_ABOVE_ONE_ARM: return "better than one arm for all";
    case SOTTO_VERDICT_BELOW_ONE_ARM: return "worse than one arm for all";
    case SOTTO_VERDICT_BELOW_HINDSIGHT: return "worse than the best arm in hindsight";
    case SOTTO_VERDICT_CHANCE: return "no better than chance";
    case SOTTO_VERDICT_ABOVE_LOGGING:
        return "better than the logging policy, not known to beat one arm for all";
    case SOTTO_VERDICT_LIKE_ONE_ARM: return "cannot be told apart from one arm for all";
    }
    return "";
}

const char *sotto_replay_verdict_text(sotto_replay_verdict verdict, uint32_t seeds,
                                      char text[SOTTO_VERDICT_BYTES])
{
    if (text == NULL) return NULL;
    int length = snprintf(text, SOTTO_VERDICT_BYTES, "%s", sentence_of(verdict));
    if (verdict != SOTTO_VERDICT_LIKE_ONE_ARM || seeds == 0) return text;
    snprintf(text + length, SOTTO_VERDICT_BYTES - (size_t)length, " with %" PRIu32 " seed%s", seeds,
             seeds == 1 ? "" : "s");
    return text;
}

sotto_span sotto__span_of(const double *number, uint32_t count)
{
    double mean = sotto__mean_of(number, count);
    double reach = ERRORS * sotto__standard_error(number, count);
    return (sotto_span){mean - reach, mean + reach};
}

sotto_replay_verdict sotto__verdict_on_labels(sotto_span ahead, sotto_span ahead_best_arm,
                                              sotto_span chance)
{
    if (is_above(ahead, ahead_best_arm)) return SOTTO_VERDICT_ABOVE_ONE_ARM;
    if (is_below_one_arm(ahead, ahead_best_arm)) return SOTTO_VERDICT_BELOW_ONE_ARM;
    if (chance.lo <= 0 && chance.hi >= 0 && chance.hi < NEAR_CHANCE) return SOTTO_VERDICT_CHANCE;
    return ahead.hi < 0 ? SOTTO_VERDICT_BELOW_HINDSIGHT : SOTTO_VERDICT_LIKE_ONE_ARM;
}

sotto_replay_verdict sotto__verdict_on_log(sotto_span ahead, sotto_span ahead_best_arm,
                                           sotto_estimate method, sotto_estimate logging)
{
    if (is_above(ahead, ahead_best_arm)) return SOTTO_VERDICT_ABOVE_ONE_ARM;
    if (is_below_one_arm(ahead, ahead_best_arm)) return SOTTO_VERDICT_BELOW_ONE_ARM;
    if (ahead.hi < 0) return SOTTO_VERDICT_BELOW_HINDSIGHT;
    return method.lo > logging.hi ? SOTTO_VERDICT_ABOVE_LOGGING : SOTTO_VERDICT_LIKE_ONE_ARM;
}

bool sotto__says_nothing(double lo, double hi, sotto_span range)
{
    return lo <= range.lo && hi >= range.hi;
}

/* ==== log lead =============================================================================== */

/* How far a policy is ahead of another one on the same log. */

void sotto__log_policy_add(sotto__log_policy *policy, const sotto__evidence *evidence)
{
    for (uint32_t j = 0; j < SOTTO__GROUPS; j++) {
        policy->group[j].weight += evidence->group[j].weight;
        policy->group[j].product += evidence->group[j].product;
    }
}

void sotto__log_policy_of_arm(const sotto__yardstick *yardstick, uint32_t arm,
                              sotto__log_policy *out)
{
    for (uint32_t j = 0; j < SOTTO__GROUPS; j++) {
        out->group[j] = yardstick->agreed[(size_t)arm * SOTTO__GROUPS + j];
    }
    out->effective_size = sotto__off_policy_effective_size(&yardstick->constant[arm]);
}

static sotto__agreed sums_of(const sotto__log_policy *policy)
{
    sotto__agreed all = {0};
    for (uint32_t j = 0; j < SOTTO__GROUPS; j++) {
        all.weight += policy->group[j].weight;
        all.product += policy->group[j].product;
    }
    return all;
}

double sotto__log_value(const sotto__log_policy *policy)
{
    sotto__agreed all = sums_of(policy);
    return all.weight > 0 ? all.product / all.weight : NAN;
}

/* psi_j = (sum w r of j - V sum w of j)/sum w */
static double influence(sotto__agreed group, sotto__agreed all)
{
    return (group.product - all.product / all.weight * group.weight) / all.weight;
}

sotto_span sotto__log_lead(const sotto__log_policy *policy, const sotto__log_policy *other,
                           uint64_t rows, uint32_t comparisons)
{
    bool few = !(policy->effective_size >= SOTTO__AGREED_TELL) ||
               !(other->effective_size >= SOTTO__AGREED_TELL);
    if (few) return (sotto_span){NAN, NAN};
    sotto__agreed all = sums_of(policy), others = sums_of(other);
    double groups = rows < SOTTO__GROUPS ? (double)rows : SOTTO__GROUPS, squares = 0;
    for (uint32_t j = 0; j < SOTTO__GROUPS; j++) {
        double psi = influence(policy->group[j], all) - influence(other->group[j], others);
        squares += psi * psi;
    }
    double lead = all.product / all.weight - others.product / others.weight;
    double z = -sotto__normal_quantile(0.025 / comparisons);
    double reach = z * sqrt(groups / (groups - 1) * squares);
    return (sotto_span){lead - reach, lead + reach};
}
