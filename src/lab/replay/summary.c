/* The results of a replay. */
#include "inner.h"
#include "lab/math/math.h"

#include <sotto/client.h>

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* The seeds of a match, and room for numbers of each. */
typedef struct team {
    const sotto__replay *replay;
    const sotto__replay_run *run; /* of the first seed; the others follow */
    uint32_t seeds;
    double *number; /* of one thing after the other */
    double *
        ahead; /* how far the last people's reward lies above that of the majority arm, each, as a part
                     * of the range of rewards */
} team;

/* `room` is for a number of each run, and of each seed. */
static team team_of(const sotto__replay *replay, uint32_t match, double *room)
{
    uint32_t seeds = replay->settings.seeds_count;
    uint64_t first = (uint64_t)match * seeds;
    return (team){replay, &replay->run[first], seeds, room + replay->runs_count, room + first};
}

/* ---- classifications ---------------------------------------------------------------------- */

/* How many people the tail of the first pass has; 0 if fewer came than announced. */
static double tail_people(const sotto__replay *replay)
{
    const sotto__replay_rules *rules = &replay->settings.rules;
    uint64_t t = replay->run[0].now.t;
    uint64_t until = t < rules->tail_until ? t : rules->tail_until;
    return until > rules->tail_from ? (double)(until - rules->tail_from) : 0;
}

/* The majority arm or, with a table of rewards, the arm that earns most if everybody gets it. */
static uint32_t reference_arm(const sotto__replay *replay)
{
    const sotto__yardstick *yardstick = replay->yardstick;
    return sotto__best_constant_arm(&replay->settings.rules, yardstick->arms, yardstick->arm_count);
}

/* What the last people of a run would have earned from the reference arm, and from random ones. */
static double reference_reward(const sotto__replay *replay, const sotto__replay_run *run)
{
    return sotto__constant_arm_reward(&replay->settings.rules, replay->yardstick->arms,
                                      run->tail_arm_count, reference_arm(replay));
}

static double chance_reward(const sotto__replay *replay, const sotto__replay_run *run)
{
    return sotto__random_arm_reward(&replay->settings.rules, replay->yardstick->arms,
                                    run->tail_arm_count);
}

/* The methods of a seed meet the same last people, so differences are taken seed by seed. */
static void set_ahead(const team *t, sotto_replay_line *line)
{
    double range = sotto__reward_range(&t->replay->settings.rules);
    double unit = tail_people(t->replay) * range;
    for (uint32_t i = 0; i < t->seeds; i++) {
        const sotto__replay_run *run = &t->run[i];
        t->ahead[i] = (run->tail_reward - reference_reward(t->replay, run)) / unit;
    }
    sotto_span over = sotto__span_of(t->ahead, t->seeds);
    line->ahead = (sotto_span){over.lo * range, over.hi * range};
}

/* The match that plays best-arm at the epsilon of a line; the number of matches: none. */
static uint32_t best_arm_of(const sotto_replay_summary *summary, uint32_t matches,
                            const sotto_replay_line *line)
{
    uint32_t m = 0;
    while (m < matches && !(sotto__replay_is_one_arm(summary->line[m].player) &&
                            summary->line[m].epsilon == line->epsilon)) {
        m++;
    }
    return m;
}

/* `other` is best-arm at the same epsilon. */
static void set_ahead_best_arm(const team *t, const team *other, sotto_replay_line *line)
{
    double range = sotto__reward_range(&t->replay->settings.rules);
    for (uint32_t i = 0; i < t->seeds; i++) {
        t->number[i] = t->ahead[i] - other->ahead[i];
    }
    sotto_span over = sotto__span_of(t->number, t->seeds);
    line->ahead_best_arm = (sotto_span){over.lo * range, over.hi * range};
}

static sotto_replay_verdict judge(const team *t, const sotto_replay_line *line)
{
    double unit = tail_people(t->replay) * sotto__reward_range(&t->replay->settings.rules);
    if (sotto__replay_is_one_arm(line->player)) return SOTTO_VERDICT_BEST_ARM;
    for (uint32_t i = 0; i < t->seeds; i++) {
        const sotto__replay_run *run = &t->run[i];
        t->number[i] = (run->tail_reward - chance_reward(t->replay, run)) / unit;
    }
    return sotto__verdict_on_labels(line->ahead, line->ahead_best_arm,
                                    sotto__span_of(t->number, t->seeds));
}

/* Why the lines cannot be judged; SOTTO_VERDICT_NONE: they can. */
static sotto_replay_verdict obstacle_of(const sotto__replay *replay, bool sorted)
{
    if (tail_people(replay) == 0) return SOTTO_VERDICT_FEW_PEOPLE;
    if (sorted) return SOTTO_VERDICT_SORTED;
    bool few = replay->settings.seeds_count < SOTTO__SEEDS_TELL;
    return few ? SOTTO_VERDICT_FEW_SEEDS : SOTTO_VERDICT_NONE;
}

static void set_labels(const team *t, sotto_replay_line *line)
{
    double people = tail_people(t->replay);
    for (uint32_t i = 0; i < t->seeds; i++) {
        t->number[i] = t->run[i].now.reward / (double)t->run[i].now.t;
    }
    line->reward_mean = sotto__mean_of(t->number, t->seeds);
    line->reward_se = sotto__standard_error(t->number, t->seeds);
    for (uint32_t i = 0; i < t->seeds; i++) {
        t->number[i] = t->run[i].tail_reward / people;
    }
    line->last_mean = sotto__mean_of(t->number, t->seeds);
    line->last_se = sotto__standard_error(t->number, t->seeds);
}

/* The reference arm, found in hindsight, and a random one. */
static void label_yardsticks(const team *t, sotto_replay_line *line)
{
    const sotto__yardstick *yardstick = t->replay->yardstick;
    const sotto__replay_rules *rules = &t->replay->settings.rules;
    double people = tail_people(t->replay), rows = (double)yardstick->rows;
    for (uint32_t i = 0; i < t->seeds; i++) {
        t->number[i] = reference_reward(t->replay, &t->run[i]) / people;
    }
    line[0].name = rules->rewards == NULL ? "majority-arm" : "fixed-arm";
    line[0].reward_mean = sotto__constant_arm_reward(rules, yardstick->arms, yardstick->arm_count,
                                                     reference_arm(t->replay)) /
                          rows;
    line[0].last_mean = sotto__mean_of(t->number, t->seeds);
    line[0].last_se = sotto__standard_error(t->number, t->seeds);
    for (uint32_t i = 0; i < t->seeds; i++) {
        t->number[i] = chance_reward(t->replay, &t->run[i]) / people;
    }
    line[1].name = "random-arm";
    line[1].reward_mean =
        sotto__random_arm_reward(rules, yardstick->arms, yardstick->arm_count) / rows;
    line[1].last_mean = sotto__mean_of(t->number, t->seeds);
    line[1].last_se = rules->rewards == NULL ? 0 : sotto__standard_error(t->number, t->seeds);
}

/* ---- logs --------------------------------------------------------------------------------- */

/* The estimate from all seeds together, with an interval as long as that of one seed. */
static sotto_estimate of_one(const sotto__off_policy *sums, uint64_t events, uint32_t seeds)
{
    sotto_estimate all = sotto__off_policy_value(sums, events);
    double reach = (all.hi - all.value) * sqrt(seeds);
    return (sotto_estimate){all.value, all.value - reach, all.value + reach};
}

/* All seeds replay the same log and share its randomness, so more seeds must not shorten the
 * interval. The estimate is that of all seeds. */
static void set_log(const team *t, sotto_replay_line *line)
{
    sotto__off_policy replayed = {0}, weighted = {0};
    uint64_t events = 0;
    for (uint32_t i = 0; i < t->seeds; i++) {
        const sotto__replay_point *now = &t->run[i].now;
        sotto__off_policy_join(&replayed, &now->replayed);
        sotto__off_policy_join(&weighted, &now->weighted);
        events += now->t;
    }
    line->learnt = (double)replayed.matched / t->seeds;
    line->replayed = of_one(&replayed, replayed.matched, t->seeds);
    line->weighted = of_one(&weighted, events, t->seeds);
    line->self_normalised = sotto__off_policy_self_normalised(&weighted);
    line->effective_size = sotto__off_policy_effective_size(&weighted) / t->seeds;
}

/* What the log itself earned, and the arm that would have earned most. */
static void log_yardsticks(const sotto__yardstick *yardstick, sotto_replay_line *line)
{
    const sotto__off_policy *best = &yardstick->constant[sotto__yardstick_best_arm(yardstick)];
    line[0].name = "logging";
    line[1].name = "fixed-arm";
    for (uint32_t i = 0; i < SOTTO__REPLAY_YARDSTICKS; i++) {
        const sotto__off_policy *sums = i == 0 ? &yardstick->logging : best;
        line[i].learnt = NAN;
        line[i].replayed = (sotto_estimate){NAN, NAN, NAN};
        line[i].weighted = sotto__off_policy_value(sums, yardstick->rows);
        line[i].self_normalised = sotto__off_policy_self_normalised(sums);
        line[i].effective_size = sotto__off_policy_effective_size(sums);
    }
}

/* ---- lines -------------------------------------------------------------------------------- */

/* Whether the default policy of a device refuses an epsilon. People spend it
 * again in every pass. */
static bool is_refused(double epsilon, uint32_t passes)
{
    sotto_policy policy = sotto_policy_default();
    bool large = epsilon > policy.epsilon_per_report_max;
    return isfinite(epsilon) && (large || epsilon * passes > policy.epsilon_lifetime);
}

static void begin_lines(const sotto__replay *replay, sotto_replay_summary *out)
{
    const sotto__replay_settings *settings = &replay->settings;
    for (uint32_t m = 0; m < settings->matches_count; m++) {
        sotto_player player = settings->match[m].player;
        out->line[m] = (sotto_replay_line){
            .name = sotto__match_method(&settings->match[m]),
            .player = player,
            .epsilon = sotto__replay_epsilon(&settings->match[m]),
            .people = replay->run[(uint64_t)m * settings->seeds_count].now.t,
        };
    }
    for (uint32_t i = settings->matches_count; i < out->lines_count; i++) {
        out->line[i] = (sotto_replay_line){
            .yardstick = true, .epsilon = INFINITY, .people = replay->yardstick->rows};
    }
    for (uint32_t i = 0; i < out->lines_count; i++) {
        sotto_replay_line *line = &out->line[i];
        line->refused = is_refused(line->epsilon, settings->passes);
        line->ahead = line->ahead_best_arm = (sotto_span){NAN, NAN};
        line->share = (sotto_replay_share){NAN, NAN, NAN};
    }
}

/* The line of a method that is always played. */
static uint32_t line_of(const sotto_replay_summary *summary, sotto_player player)
{
    uint32_t line = 0;
    while (summary->line[line].player != player) {
        line++;
        assert(line + SOTTO__REPLAY_YARDSTICKS < summary->lines_count);
    }
    return line;
}

/* ---- people needed ------------------------------------------------------------------------ */

static sotto__need need_of(const sotto__replay *replay, const sotto_replay_findings *findings,
                           double epsilon, double share)
{
    const sotto_spec *spec = &replay->settings.match[0].spec;
    return (sotto__need){
        .dim = spec->dim,
        .arms = spec->arms,
        .parameters = spec->parameters,
        .epsilon = epsilon,
        .gain = findings->gain / sotto__reward_range(&replay->settings.rules),
        .share = share,
    };
}

/* The line of sotto at this epsilon; NULL: it did not play. */
static const sotto_replay_line *line_at(const sotto_replay_summary *summary, double epsilon)
{
    for (uint32_t i = 0; i < summary->lines_count; i++) {
        const sotto_replay_line *line = &summary->line[i];
        bool sotto = !line->yardstick && line->player == SOTTO_PLAYER_SOTTO;
        if (sotto && line->epsilon == epsilon) return line;
    }
    return NULL;
}

#define LIKELY_SHARE 0.1

/* How many people here count as one of the plan's, by what sotto won at this epsilon. Other
 * requested methods and epsilons do not change it. NAN: sotto won too little. */
static double per_planned(const sotto__replay *replay, const sotto_replay_summary *summary,
                          double epsilon)
{
    const sotto_replay_line *line = line_at(summary, epsilon);
    if (line == NULL) return NAN;
    if (!(line->share.lo > 0 || line->share.value >= LIKELY_SHARE)) return NAN;
    sotto__need won = need_of(replay, &summary->findings, epsilon, line->share.value);
    return sotto__people_per_planned(&won, summary->people);
}

/* Drops a prediction of no more people than were played, unless something was
 * learnt: they were too few. */
static void set_people_needed(const sotto__replay *replay, sotto_replay_summary *out)
{
    sotto_replay_findings *findings = &out->findings;
    for (uint32_t i = 0; findings->gains && i < findings->findings_count; i++) {
        sotto_replay_finding *finding = &findings->finding[i];
        if (finding->reason == SOTTO_REASON_NO_SIGNAL) continue;
        sotto__need need = need_of(replay, findings, finding->epsilon, SOTTO_REPLAY_SHARE);
        double people = (double)sotto__people_needed(&need);
        double each = per_planned(replay, out, finding->epsilon);
        bool learnt = finding->reason == SOTTO_REASON_LEARNT;
        finding->people_compared = !isnan(each);
        if (finding->people_compared) people *= each;
        bool said = people < (double)SOTTO_HORIZON_MAX && (learnt || people > (double)out->people);
        finding->people_needed = said ? (uint64_t)ceil(people) : 0;
    }
}

/* ---- findings ----------------------------------------------------------------------------- */

/* The smallest lead that matters: a share of the range of rewards. If less can be won, it is a
 * share of what the right arms would win over the reference arm. That happens with a table in
 * which a rare mistake is expensive, and with rare labels. */
static double lead_min_of(const team *t)
{
    const sotto__replay_rules *rules = &t->replay->settings.rules;
    double range = sotto__reward_range(rules);
    for (uint32_t i = 0; i < t->seeds; i++) {
        const sotto__replay_run *run = &t->run[i];
        double right =
            sotto__right_arm_reward(rules, t->replay->yardstick->arms, run->tail_arm_count);
        t->number[i] = (right - reference_reward(t->replay, run)) / tail_people(t->replay);
    }
    double most = SOTTO_REPLAY_LEAD_PART * sotto__mean_of(t->number, t->seeds);
    return most > 0 && most < SOTTO_REPLAY_LEAD * range ? most : SOTTO_REPLAY_LEAD * range;
}

static sotto__leads leads_of(const sotto__replay *replay, const sotto_replay_summary *summary,
                             double lead, double lead_min)
{
    sotto_link link = replay->settings.match[0].spec.link;
    return (sotto__leads){
        .line = summary->line,
        .count = replay->settings.matches_count,
        .explorer = line_of(summary, sotto__replay_explorer(link)),
        .greedy = line_of(summary, sotto__replay_greedy(link)),
        .lead = lead,
        .lead_min = lead_min,
    };
}

/* The share of the gain that each method wins. The gain is the lead of the method that
 * explores or, if that one is not ahead, of the greedy one: with few people the first may
 * still be exploring. */
static void set_shares(const sotto__replay *replay, const sotto__leads *leads, double *room,
                       sotto_replay_line *line)
{
    bool explorer = line[leads->explorer].ahead.lo > 0, greedy = line[leads->greedy].ahead.lo > 0;
    if (!explorer && !greedy) return;
    team gain = team_of(replay, explorer ? leads->explorer : leads->greedy, room);
    for (uint32_t m = 0; m < leads->count; m++) {
        team t = team_of(replay, m, room);
        line[m].share = sotto__share_of(t.ahead, gain.ahead, t.seeds, t.number);
    }
}

static sotto_status judge_labels(const sotto__replay *replay, double *room,
                                 sotto_replay_summary *out)
{
    uint32_t matches = replay->settings.matches_count;
    for (uint32_t m = 0; m < matches; m++) {
        team t = team_of(replay, m, room);
        set_ahead(&t, &out->line[m]);
    }
    for (uint32_t m = 0; m < matches; m++) {
        sotto_replay_line *line = &out->line[m];
        team t = team_of(replay, m, room);
        uint32_t best_arm = best_arm_of(out, matches, line);
        if (best_arm < matches && best_arm != m) {
            team other = team_of(replay, best_arm, room);
            set_ahead_best_arm(&t, &other, line);
        }
        line->verdict = judge(&t, line);
    }
    team first = team_of(replay, 0, room);
    double lead_min = lead_min_of(&first), lead = out->by_table ? lead_min : SOTTO_REPLAY_LEAD;
    sotto__leads leads = leads_of(replay, out, lead, lead_min);
    set_shares(replay, &leads, room, out->line);
    sotto_status status = sotto__findings_of(&leads, &out->findings);
    if (status == SOTTO_OK) set_people_needed(replay, out);
    return status;
}

static sotto_status fill_labels(const sotto__replay *replay, double *room,
                                sotto_replay_summary *out)
{
    uint32_t matches = replay->settings.matches_count;
    team first = team_of(replay, 0, room);
    out->sorted = sotto__yardstick_is_sorted(replay->yardstick, first.run->tail_arm_count);
    out->best_arm = reference_arm(replay);
    out->by_table = replay->settings.rules.rewards != NULL;
    sotto_replay_verdict obstacle = obstacle_of(replay, out->sorted);
    out->judged = obstacle == SOTTO_VERDICT_NONE;
    for (uint32_t m = 0; m < matches; m++) {
        team t = team_of(replay, m, room);
        out->line[m].verdict = obstacle;
        set_labels(&t, &out->line[m]);
    }
    label_yardsticks(&first, out->line + matches);
    return out->judged ? judge_labels(replay, room, out) : SOTTO_OK;
}

/* ---- findings of a log -------------------------------------------------------------------- */

static void set_policy(const sotto__replay *replay, const sotto_replay_summary *summary,
                       uint32_t match, sotto__log_policy *out)
{
    uint32_t seeds = replay->settings.seeds_count;
    *out = (sotto__log_policy){.effective_size = summary->line[match].effective_size};
    for (uint32_t i = 0; i < seeds; i++) {
        sotto__log_policy_add(out, replay->run[(uint64_t)match * seeds + i].evidence);
    }
}

static sotto_replay_verdict judge_log(const sotto__replay *replay,
                                      const sotto_replay_summary *summary,
                                      const sotto_replay_line *line)
{
    const sotto__replay_rules *rules = &replay->settings.rules;
    const sotto_span range = {rules->reward_lo, rules->reward_hi};
    if (!summary->judged) return SOTTO_VERDICT_ONE_LOGGED;
    if (sotto__replay_is_one_arm(line->player)) return SOTTO_VERDICT_BEST_ARM;
    if (sotto__says_nothing(line->weighted.lo, line->weighted.hi, range)) {
        return SOTTO_VERDICT_NOTHING_YET;
    }
    return sotto__verdict_on_log(line->ahead, line->ahead_best_arm, line->weighted,
                                 summary->line[replay->settings.matches_count].weighted);
}

/* `policy` has room for three: of the fixed arm, of a method, and of best-arm. */
static void judge_logs(const sotto__replay *replay, sotto__log_policy *policy,
                       sotto_replay_summary *out)
{
    uint32_t matches = replay->settings.matches_count;
    for (uint32_t m = 0; m < matches; m++) {
        sotto_replay_line *line = &out->line[m];
        uint32_t best_arm = best_arm_of(out, matches, line);
        set_policy(replay, out, m, &policy[1]);
        line->ahead = sotto__log_lead(&policy[1], &policy[0], out->rows, out->arms);
        if (best_arm < matches && best_arm != m) {
            set_policy(replay, out, best_arm, &policy[2]);
            line->ahead_best_arm = sotto__log_lead(&policy[1], &policy[2], out->rows, 1);
        }
        line->verdict = judge_log(replay, out, line);
    }
}

/* The smallest lead that matters on a log: a share of the range of rewards or, if that is less, of
 * the distance from `value` to the nearer end of the range. Rewards may be rare, as clicks are. */
static double log_lead_min(const sotto__replay *replay, double value)
{
    const sotto__replay_rules *rules = &replay->settings.rules;
    double near = fmin(value - rules->reward_lo, rules->reward_hi - value);
    double most = SOTTO_REPLAY_LEAD_PART * near;
    double usual = SOTTO_REPLAY_LEAD * (rules->reward_hi - rules->reward_lo);
    return most > 0 && most < usual ? most : usual;
}

/* If all rewards are the same, there is nothing to learn, whatever the intervals. */
static void set_nothing(sotto_replay_findings *findings)
{
    findings->advice = SOTTO_ADVICE_NOTHING;
    for (uint32_t i = 0; i < findings->findings_count; i++) {
        findings->finding[i].reason = SOTTO_REASON_NO_SIGNAL;
    }
}

static sotto_status fill_log(const sotto__replay *replay, double *room, sotto_replay_summary *out)
{
    uint32_t matches = replay->settings.matches_count;
    out->best_arm = sotto__yardstick_best_arm(replay->yardstick);
    log_yardsticks(replay->yardstick, out->line + matches);
    out->same = isnan(out->line[matches].weighted.lo);
    out->judged = out->same || sotto__yardstick_arms_given(replay->yardstick) > 1;
    for (uint32_t m = 0; m < matches; m++) {
        team t = team_of(replay, m, room);
        set_log(&t, &out->line[m]);
    }
    sotto__log_policy *policy = calloc(3, sizeof *policy);
    if (policy == NULL) return SOTTO_E_MEMORY;
    sotto__log_policy_of_arm(replay->yardstick, out->best_arm, &policy[0]);
    judge_logs(replay, policy, out);
    double lead_min = log_lead_min(replay, sotto__log_value(&policy[0]));
    free(policy);
    if (!out->judged) return SOTTO_OK;
    sotto__leads leads = leads_of(replay, out, lead_min, lead_min);
    sotto_status status = sotto__findings_of(&leads, &out->findings);
    if (status == SOTTO_OK && out->same) set_nothing(&out->findings);
    return status;
}

/* ---- the summary -------------------------------------------------------------------------- */

sotto_status sotto__replay_summary_of(const sotto__replay *replay, sotto_replay_summary *out)
{
    const sotto__replay_settings *settings = &replay->settings;
    const sotto__yardstick *yardstick = replay->yardstick;
    uint32_t lines = settings->matches_count + SOTTO__REPLAY_YARDSTICKS;
    uint64_t played = replay->run[0].now.t;
    *out = (sotto_replay_summary){
        .log = settings->rules.log,
        .known = settings->known,
        .seeds = settings->seeds_count,
        .passes = settings->passes,
        .people = played < yardstick->rows ? played : yardstick->rows,
        .lines_count = lines,
        .line = calloc(lines, sizeof *out->line),
        .rows = yardstick->rows,
        .arms = yardstick->arms,
        .clip = yardstick->clip,
        .clipped_share = (double)yardstick->clipped / (double)yardstick->rows,
        .propensity_min = yardstick->propensity_min,
        .choices = sotto__yardstick_choices(yardstick),
    };
    sotto_status status = SOTTO_E_MEMORY;
    double *room = calloc(replay->runs_count + settings->seeds_count, sizeof *room);
    if (out->line != NULL && room != NULL) {
        begin_lines(replay, out);
        status = out->log ? fill_log(replay, room, out) : fill_labels(replay, room, out);
    }
    free(room);
    if (status != SOTTO_OK) sotto__replay_summary_free(out);
    return status;
}

void sotto__replay_summary_free(sotto_replay_summary *summary)
{
    sotto__findings_free(&summary->findings);
    free(summary->line);
    *summary = (sotto_replay_summary){0};
}
