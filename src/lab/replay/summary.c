/* What a replay found at its end. */
#include "summary.h"
#include "constant_arm.h"
#include "lab/math/moments.h"
#include "needed.h"
#include "to_play.h"

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

/* The last people of the first pass; 0 where fewer came than were promised. */
static double tail_people(const sotto__replay *replay)
{
    const sotto__replay_rules *rules = &replay->settings.rules;
    uint64_t t = replay->run[0].now.t;
    uint64_t until = t < rules->tail_until ? t : rules->tail_until;
    return until > rules->tail_from ? (double)(until - rules->tail_from) : 0;
}

/* The majority arm, or by a table of rewards the one that earns most if everybody gets it. */
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
static sotto_replay_verdict judge(const team *t, sotto_span *ahead)
{
    double range = sotto__reward_range(&t->replay->settings.rules);
    double unit = tail_people(t->replay) * range;
    for (uint32_t i = 0; i < t->seeds; i++) {
        const sotto__replay_run *run = &t->run[i];
        t->ahead[i] = (run->tail_reward - reference_reward(t->replay, run)) / unit;
        t->number[i] = (run->tail_reward - chance_reward(t->replay, run)) / unit;
    }
    sotto_span over = sotto__span_of(t->ahead, t->seeds);
    *ahead = (sotto_span){over.lo * range, over.hi * range};
    return sotto__verdict_on_labels(over, sotto__span_of(t->number, t->seeds));
}

/* Why nothing can be judged; SOTTO_VERDICT_NONE: it can. */
static sotto_replay_verdict obstacle_of(const sotto__replay *replay, bool sorted)
{
    if (tail_people(replay) == 0) return SOTTO_VERDICT_FEW_PEOPLE;
    if (sorted) return SOTTO_VERDICT_SORTED;
    bool few = replay->settings.seeds_count < SOTTO__SEEDS_TELL;
    return few ? SOTTO_VERDICT_FEW_SEEDS : SOTTO_VERDICT_NONE;
}

static void set_labels(const team *t, sotto_replay_verdict obstacle, sotto_replay_line *line)
{
    double people = tail_people(t->replay);
    line->ahead = (sotto_span){NAN, NAN};
    line->share = (sotto_replay_share){NAN, NAN, NAN};
    line->verdict = obstacle == SOTTO_VERDICT_NONE ? judge(t, &line->ahead) : obstacle;
    for (uint32_t i = 0; i < t->seeds; i++) {
        t->number[i] = t->run[i].now.reward / (double)t->run[i].now.t;
    }
    line->reward_mean = sotto__mean(t->number, t->seeds);
    line->reward_se = sotto__standard_error(t->number, t->seeds);
    for (uint32_t i = 0; i < t->seeds; i++) {
        t->number[i] = t->run[i].tail_reward / people;
    }
    line->last_mean = sotto__mean(t->number, t->seeds);
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
    line[0].name = rules->rewards == NULL ? "majority-arm" : "best-arm";
    line[0].reward_mean = sotto__constant_arm_reward(rules, yardstick->arms, yardstick->arm_count,
                                                     reference_arm(t->replay)) /
                          rows;
    line[0].last_mean = sotto__mean(t->number, t->seeds);
    line[0].last_se = sotto__standard_error(t->number, t->seeds);
    for (uint32_t i = 0; i < t->seeds; i++) {
        t->number[i] = chance_reward(t->replay, &t->run[i]) / people;
    }
    line[1].name = "random-arm";
    line[1].reward_mean =
        sotto__random_arm_reward(rules, yardstick->arms, yardstick->arm_count) / rows;
    line[1].last_mean = sotto__mean(t->number, t->seeds);
    line[1].last_se = rules->rewards == NULL ? 0 : sotto__standard_error(t->number, t->seeds);
    line[0].ahead = line[1].ahead = (sotto_span){NAN, NAN};
    line[0].share = line[1].share = (sotto_replay_share){NAN, NAN, NAN};
}

/* ---- logs --------------------------------------------------------------------------------- */

/* An interval as long as that of one of `seeds` logs, from all of them together. */
static sotto_estimate of_one(const sotto__off_policy *sums, uint64_t events, uint32_t seeds)
{
    sotto_estimate all = sotto__off_policy_value(sums, events);
    double reach = (all.hi - all.value) * sqrt(seeds);
    return (sotto_estimate){all.value, all.value - reach, all.value + reach};
}

/* Seeds replay one log and share its luck: the estimate is that of all, its interval not shorter
 * than that of one. */
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
    line[1].name = "best-arm";
    for (uint32_t i = 0; i < SOTTO__REPLAY_YARDSTICKS; i++) {
        const sotto__off_policy *sums = i == 0 ? &yardstick->logging : best;
        line[i].learnt = NAN;
        line[i].replayed = (sotto_estimate){NAN, NAN, NAN};
        line[i].weighted = sotto__off_policy_value(sums, yardstick->rows);
        line[i].self_normalised = sotto__off_policy_self_normalised(sums);
        line[i].effective_size = sotto__off_policy_effective_size(sums);
    }
}

/* ---- the summary -------------------------------------------------------------------------- */

static void begin_lines(const sotto__replay *replay, sotto_replay_summary *out)
{
    const sotto__replay_settings *settings = &replay->settings;
    for (uint32_t m = 0; m < settings->matches_count; m++) {
        sotto_player player = settings->match[m].player;
        out->line[m] = (sotto_replay_line){
            .name = sotto_player_name(player),
            .player = player,
            .epsilon = sotto__replay_epsilon(&settings->match[m]),
            .people = replay->run[(uint64_t)m * settings->seeds_count].now.t,
        };
    }
    for (uint32_t i = settings->matches_count; i < out->lines_count; i++) {
        out->line[i] = (sotto_replay_line){
            .yardstick = true, .epsilon = INFINITY, .people = replay->yardstick->rows};
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
        .gain = findings->gain,
        .share = share,
    };
}

/* That of sotto; NULL: it did not play. */
static const sotto_replay_line *line_at(const sotto_replay_summary *summary, double epsilon)
{
    for (uint32_t i = 0; i < summary->lines_count; i++) {
        const sotto_replay_line *line = &summary->line[i];
        bool sotto = !line->yardstick && line->player == SOTTO_PLAYER_SOTTO;
        if (sotto && line->epsilon == epsilon) return line;
    }
    return NULL;
}

/* What one of the plan's people counts as here, by what sotto won at an epsilon. NAN: too little. */
static double per_planned(const sotto__replay *replay, const sotto_replay_summary *summary,
                          const sotto_replay_finding *finding)
{
    const sotto_replay_line *line = line_at(summary, finding->epsilon);
    if (line == NULL) return NAN;
    uint64_t until = replay->settings.rules.tail_until;
    sotto__need won = need_of(replay, &summary->findings, finding->epsilon, line->share.value);
    return sotto__people_per_planned(&won, line->people < until ? line->people : until);
}

#define LIKELY_SHARE 0.1

/* Of this epsilon, if something was probably won, or of the nearest one at which that is certain; NAN: of none. */
static double nearest_of(const double *counts_as, const sotto_replay_summary *summary,
                         double epsilon)
{
    double nearest = NAN, least = INFINITY;
    for (uint32_t i = 0; i < summary->findings.findings_count; i++) {
        const sotto_replay_finding *finding = &summary->findings.finding[i];
        double far = fabs(log(finding->epsilon / epsilon));
        if (isnan(counts_as[i])) continue;
        const sotto_replay_share *share = &line_at(summary, finding->epsilon)->share;
        bool counts = share->lo > 0 || (far == 0 && share->value >= LIKELY_SHARE);
        if (!counts || far >= least) continue;
        nearest = counts_as[i];
        least = far;
    }
    return nearest;
}

/* `counts_as` has room for one number per epsilon. */
static void set_people_needed(const sotto__replay *replay, double *counts_as,
                              sotto_replay_summary *out)
{
    sotto_replay_findings *findings = &out->findings;
    uint32_t count = findings->gains ? findings->findings_count : 0;
    for (uint32_t i = 0; i < count; i++) {
        counts_as[i] = per_planned(replay, out, &findings->finding[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        sotto_replay_finding *finding = &findings->finding[i];
        sotto__need need = need_of(replay, findings, finding->epsilon, SOTTO_REPLAY_SHARE);
        double people = (double)sotto__people_needed(&need);
        double each = nearest_of(counts_as, out, finding->epsilon);
        finding->people_compared = !isnan(each);
        if (finding->people_compared) people *= each;
        finding->people_needed = people < (double)SOTTO_HORIZON_MAX ? (uint64_t)ceil(people) : 0;
    }
}

/* By the range of rewards: the lead that would be one. A table may have a range that nobody could ever win, as where a
 * rare mistake is dear; so it is not more than a part of what the right arms would win over the majority arm. */
static double lead_of(const team *t)
{
    const sotto__replay_rules *rules = &t->replay->settings.rules;
    double unit = tail_people(t->replay) * sotto__reward_range(rules);
    for (uint32_t i = 0; i < t->seeds; i++) {
        const sotto__replay_run *run = &t->run[i];
        double right =
            sotto__right_arm_reward(rules, t->replay->yardstick->arms, run->tail_arm_count);
        t->number[i] = (right - reference_reward(t->replay, run)) / unit;
    }
    double most = SOTTO_REPLAY_LEAD_PART * sotto__mean(t->number, t->seeds);
    return most > 0 && most < SOTTO_REPLAY_LEAD ? most : SOTTO_REPLAY_LEAD;
}

static sotto_status find(const sotto__replay *replay, double lead, const double *ahead,
                         double *epsilon, sotto_replay_share *share, sotto_replay_summary *out)
{
    const sotto_spec *spec = &replay->settings.match[0].spec;
    const sotto__leads leads = {
        .count = replay->settings.matches_count,
        .seeds = out->seeds,
        .explorer = line_of(out, sotto__replay_explorer(spec->link)),
        .greedy = line_of(out, sotto__replay_greedy(spec->link)),
        .epsilon = epsilon,
        .ahead = ahead,
        .lead = lead,
    };
    for (uint32_t m = 0; m < leads.count; m++) {
        epsilon[m] = out->line[m].epsilon;
    }
    sotto_status status = sotto__findings_of(&leads, share, &out->findings);
    if (status != SOTTO_OK) return status;
    for (uint32_t m = 0; m < leads.count; m++) {
        out->line[m].share = share[m];
    }
    set_people_needed(replay, epsilon, out);
    double range = sotto__reward_range(&replay->settings.rules);
    out->findings.gain *= range;
    out->findings.lead *= range;
    return SOTTO_OK;
}

static sotto_status find_reasons(const sotto__replay *replay, double lead, const double *ahead,
                                 sotto_replay_summary *out)
{
    uint32_t matches = replay->settings.matches_count;
    double *epsilon = calloc(matches, sizeof *epsilon);
    sotto_replay_share *share = calloc(matches, sizeof *share);
    sotto_status status = SOTTO_E_MEMORY;
    if (epsilon != NULL && share != NULL) status = find(replay, lead, ahead, epsilon, share, out);
    free(epsilon);
    free(share);
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
        set_labels(&t, obstacle, &out->line[m]);
    }
    label_yardsticks(&first, out->line + matches);
    return out->judged ? find_reasons(replay, lead_of(&first), first.ahead, out) : SOTTO_OK;
}

static void fill_log(const sotto__replay *replay, double *room, sotto_replay_summary *out)
{
    uint32_t matches = replay->settings.matches_count;
    out->best_arm = sotto__yardstick_best_arm(replay->yardstick);
    out->judged = true;
    log_yardsticks(replay->yardstick, out->line + matches);
    for (uint32_t m = 0; m < matches; m++) {
        team t = team_of(replay, m, room);
        set_log(&t, &out->line[m]);
        out->line[m].verdict =
            sotto__verdict_on_log(out->line[m].weighted, out->line[matches].weighted);
    }
}

sotto_status sotto__replay_summary_of(const sotto__replay *replay, sotto_replay_summary *out)
{
    const sotto__replay_settings *settings = &replay->settings;
    const sotto__yardstick *yardstick = replay->yardstick;
    uint32_t lines = settings->matches_count + SOTTO__REPLAY_YARDSTICKS;
    *out = (sotto_replay_summary){
        .log = settings->rules.log,
        .told = settings->told,
        .seeds = settings->seeds_count,
        .passes = settings->passes,
        .people = replay->run[0].now.t,
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
        status = SOTTO_OK;
        if (out->log) fill_log(replay, room, out);
        if (!out->log) status = fill_labels(replay, room, out);
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
