/* What a replay found at its end, a line for each method and epsilon, and yardsticks. */
#include "lab/math/moments.h"
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define ERRORS 3         /* standard errors that make a difference */
#define NEAR_CHANCE 0.05 /* further above it nobody is called no better than chance */

static const sotto__replay_run *run_of(const replay_report *report, uint32_t match, uint32_t seed)
{
    return &report->replay->run[(uint64_t)match * report->plan->settings.seeds_count + seed];
}

/* ---- classifications ---------------------------------------------------------------------- */

/* The last people of the first pass; 0 where fewer came than were promised. */
static double tail_people(const replay_report *report)
{
    const sotto__replay_rules *rules = &report->plan->settings.rules;
    uint64_t t = run_of(report, 0, 0)->now.t;
    uint64_t until = t < rules->tail_until ? t : rules->tail_until;
    return until > rules->tail_from ? (double)(until - rules->tail_from) : 0;
}

/* The mean of a number of each seed, and ERRORS standard errors to both sides. */
typedef struct span {
    double lo, hi;
} span;

static span span_of(const double *number, uint32_t seeds)
{
    double mean = sotto__mean(number, seeds);
    double reach = ERRORS * sotto__standard_error(number, seeds);
    return (span){mean - reach, mean + reach};
}

static void say(replay_line *line, const char *verdict)
{
    snprintf(line->verdict, sizeof line->verdict, "%s", verdict);
}

/* The methods of a seed meet the same last people, so the difference to the majority arm is taken
 * seed by seed. Chance is right once in K. */
static void judge(const replay_report *report, uint32_t match, double *difference,
                  replay_line *line)
{
    const sotto__yardstick *yardstick = report->replay->yardstick;
    uint32_t seeds = report->plan->settings.seeds_count;
    uint32_t majority = sotto__yardstick_majority(yardstick);
    double people = tail_people(report);
    for (uint32_t i = 0; i < seeds; i++) {
        const sotto__replay_run *run = run_of(report, match, i);
        difference[i] = (run->tail_reward - (double)run->tail_arm_count[majority]) / people;
    }
    span ahead = span_of(difference, seeds);
    for (uint32_t i = 0; i < seeds; i++) {
        difference[i] = run_of(report, match, i)->tail_reward / people - 1.0 / yardstick->arms;
    }
    span chance = span_of(difference, seeds);
    line->ahead_lo = ahead.lo;
    line->ahead_hi = ahead.hi;
    if (ahead.lo > 0) {
        say(line, "better than the majority arm");
    } else if (chance.lo <= 0 && chance.hi >= 0 && chance.hi < NEAR_CHANCE) {
        say(line, "no better than chance");
    } else if (ahead.hi < 0) {
        say(line, "worse than the majority arm");
    } else {
        snprintf(line->verdict, sizeof line->verdict,
                 "not told from the majority arm by %" PRIu32 " seeds", seeds);
    }
}

static void set_verdict(const replay_report *report, uint32_t match, bool sorted, double *number,
                        replay_line *line)
{
    line->ahead_lo = line->ahead_hi = NAN;
    if (tail_people(report) == 0) {
        say(line, "fewer people came than --horizon said");
    } else if (sorted) {
        say(line, "the file seems sorted");
    } else if (report->plan->settings.seeds_count < REPLAY_SEEDS_TELL) {
        say(line, "too few seeds to tell");
    } else {
        judge(report, match, number, line);
    }
}

/* `number` has room for one a seed. */
static replay_line label_line(const replay_report *report, uint32_t match, bool sorted,
                              double *number)
{
    uint32_t seeds = report->plan->settings.seeds_count;
    replay_line line = {.people = run_of(report, match, 0)->now.t};
    set_verdict(report, match, sorted, number, &line);
    for (uint32_t i = 0; i < seeds; i++) {
        const sotto__replay_run *run = run_of(report, match, i);
        number[i] = run->now.reward / (double)run->now.t;
    }
    line.value[REWARD_MEAN] = sotto__mean(number, seeds);
    line.value[REWARD_SE] = sotto__standard_error(number, seeds);
    for (uint32_t i = 0; i < seeds; i++) {
        number[i] = run_of(report, match, i)->tail_reward / tail_people(report);
    }
    line.value[LAST_MEAN] = sotto__mean(number, seeds);
    line.value[LAST_SE] = sotto__standard_error(number, seeds);
    return line;
}

/* The commonest arm, found in hindsight, and a random one. */
static void label_yardsticks(const replay_report *report, double *number, replay_line *line)
{
    const sotto__yardstick *yardstick = report->replay->yardstick;
    uint32_t seeds = report->plan->settings.seeds_count;
    uint32_t majority = sotto__yardstick_majority(yardstick);
    double share = (double)yardstick->arm_count[majority] / (double)yardstick->rows;
    for (uint32_t i = 0; i < seeds; i++) {
        number[i] = (double)run_of(report, 0, i)->tail_arm_count[majority] / tail_people(report);
    }
    line[0] = (replay_line){
        .method = "majority-arm",
        .epsilon = INFINITY,
        .people = yardstick->rows,
        .value = {share, 0, sotto__mean(number, seeds), sotto__standard_error(number, seeds)},
        .ahead_lo = NAN,
        .ahead_hi = NAN};
    double chance = 1.0 / yardstick->arms;
    line[1] = (replay_line){.method = "random-arm",
                            .epsilon = INFINITY,
                            .people = yardstick->rows,
                            .value = {chance, 0, chance, 0},
                            .ahead_lo = NAN,
                            .ahead_hi = NAN};
}

/* ---- logs --------------------------------------------------------------------------------- */

static void set_interval(double *value, sotto__estimate estimate)
{
    value[0] = estimate.value;
    value[1] = estimate.lo;
    value[2] = estimate.hi;
}

/* An interval as long as that of one of `seeds` logs, from all of them together. */
static sotto__estimate of_one(const sotto__off_policy *sums, uint64_t events, uint32_t seeds)
{
    sotto__estimate all = sotto__off_policy_value(sums, events);
    double reach = (all.hi - all.value) * sqrt(seeds);
    return (sotto__estimate){all.value, all.value - reach, all.value + reach};
}

/* Seeds replay one log and share its luck: the estimate is that of all, its interval not shorter
 * than that of one. */
static replay_line log_line(const replay_report *report, uint32_t match)
{
    uint32_t seeds = report->plan->settings.seeds_count;
    replay_line line = {.people = run_of(report, match, 0)->now.t};
    sotto__off_policy replayed = {0}, weighted = {0};
    uint64_t events = 0;
    for (uint32_t i = 0; i < seeds; i++) {
        const sotto__replay_point *now = &run_of(report, match, i)->now;
        sotto__off_policy_join(&replayed, &now->replayed);
        sotto__off_policy_join(&weighted, &now->weighted);
        events += now->t;
    }
    line.value[LEARNT] = (double)replayed.matched / seeds;
    set_interval(line.value + REPLAY_VALUE, of_one(&replayed, replayed.matched, seeds));
    set_interval(line.value + IPS_VALUE, of_one(&weighted, events, seeds));
    line.value[SELF_NORMALISED] = sotto__off_policy_self_normalised(&weighted);
    line.value[EFFECTIVE_SIZE] = sotto__off_policy_effective_size(&weighted) / seeds;
    return line;
}

/* What the log itself earned, and the arm that would have earned most. */
static void log_yardsticks(const replay_report *report, replay_line *line)
{
    const sotto__yardstick *yardstick = report->replay->yardstick;
    const sotto__off_policy *best = &yardstick->constant[sotto__yardstick_best_arm(yardstick)];
    line[0] = (replay_line){.method = "logging", .epsilon = INFINITY};
    line[1] = (replay_line){.method = "best-arm", .epsilon = INFINITY};
    for (uint32_t i = 0; i < 2; i++) {
        const sotto__off_policy *sums = i == 0 ? &yardstick->logging : best;
        line[i].people = yardstick->rows;
        line[i].value[LEARNT] = line[i].value[REPLAY_VALUE] = NAN;
        line[i].value[REPLAY_LO] = line[i].value[REPLAY_HI] = NAN;
        set_interval(line[i].value + IPS_VALUE, sotto__off_policy_value(sums, yardstick->rows));
        line[i].value[SELF_NORMALISED] = sotto__off_policy_self_normalised(sums);
        line[i].value[EFFECTIVE_SIZE] = sotto__off_policy_effective_size(sums);
    }
}

/* Intervals that do not meet make a difference. */
static const char *log_verdict(const replay_line *line, const replay_line *logging)
{
    if (line->value[IPS_LO] > logging->value[IPS_HI]) return "better than the logging policy";
    if (line->value[IPS_HI] < logging->value[IPS_LO]) return "worse than the logging policy";
    return "not told from the logging policy";
}

/* ---- the summary -------------------------------------------------------------------------- */

bool replay_summary_of(const replay_report *report, replay_summary *out)
{
    const sotto__replay_settings *settings = &report->plan->settings;
    uint32_t matches = settings->matches_count;
    *out = (replay_summary){
        .log = settings->rules.log,
        .seeds = settings->seeds_count,
        .people = run_of(report, 0, 0)->now.t,
        .lines_count = matches + 2,
        .line = calloc(matches + 2, sizeof *out->line),
    };
    out->sorted = !out->log && sotto__yardstick_is_sorted(report->replay->yardstick,
                                                          run_of(report, 0, 0)->tail_arm_count);
    double *number = calloc(settings->seeds_count, sizeof *number);
    bool good = out->line != NULL && number != NULL;
    for (uint32_t m = 0; good && m < matches; m++) {
        out->line[m] = out->log ? log_line(report, m) : label_line(report, m, out->sorted, number);
        out->line[m].method = sotto_player_name((uint32_t)settings->match[m].player);
        out->line[m].epsilon = report->plan->epsilon[m];
    }
    if (good && out->log) log_yardsticks(report, out->line + matches);
    if (good && !out->log) label_yardsticks(report, number, out->line + matches);
    for (uint32_t m = 0; good && out->log && m < matches; m++) {
        say(&out->line[m], log_verdict(&out->line[m], &out->line[matches]));
    }
    free(number);
    if (!good) replay_summary_free(out);
    return good;
}

void replay_summary_free(replay_summary *summary)
{
    free(summary->line);
    *summary = (replay_summary){0};
}
