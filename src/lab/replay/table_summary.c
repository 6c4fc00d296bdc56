/* Yardsticks and verdicts where a table says what each arm earns. */
#include "table_summary.h"
#include "finding.h"
#include "lab/math/moments.h"
#include "verdict.h"

#include <math.h>
#include <stdlib.h>

double sotto__table_reward(const double *rewards, uint32_t arms, const uint64_t *label_count,
                           uint32_t arm)
{
    double sum = 0;
    for (uint32_t label = 0; label < arms; label++) {
        sum += (double)label_count[label] * rewards[(size_t)label * arms + arm];
    }
    return sum;
}

double sotto__table_random_reward(const double *rewards, uint32_t arms, const uint64_t *label_count)
{
    double sum = 0;
    for (uint32_t arm = 0; arm < arms; arm++) {
        sum += sotto__table_reward(rewards, arms, label_count, arm);
    }
    return sum / arms;
}

uint32_t sotto__table_best_arm(const double *rewards, uint32_t arms, const uint64_t *label_count)
{
    uint32_t best = 0;
    double most = sotto__table_reward(rewards, arms, label_count, 0);
    for (uint32_t arm = 1; arm < arms; arm++) {
        double sum = sotto__table_reward(rewards, arms, label_count, arm);
        if (sum > most) best = arm;
        most = fmax(most, sum);
    }
    return best;
}

/* What is compared: the runs of a match, and for each seed the reward of its last people under the
 * yardsticks, which is that of the first match's runs: the runs of a seed meet the same people. */
typedef struct table {
    const sotto__replay *replay;
    const double *rewards;
    uint32_t arms, best, seeds;
    double range;
    double *number; /* one per seed */
} table;

static double last_people(const table *t, const sotto__replay_run *run)
{
    double people = 0;
    for (uint32_t label = 0; label < t->arms; label++) {
        people += (double)run->tail_arm_count[label];
    }
    return people;
}

/* How far the reward of the last people lies above that of the best arm, or of a random one, per person
 * and in units of the range. */
static sotto_span ahead_of(const table *t, const sotto__replay_run *run, bool random)
{
    for (uint32_t i = 0; i < t->seeds; i++) {
        const uint64_t *count = run[i].tail_arm_count;
        double other = random ? sotto__table_random_reward(t->rewards, t->arms, count)
                              : sotto__table_reward(t->rewards, t->arms, count, t->best);
        t->number[i] = (run[i].tail_reward - other) / last_people(t, &run[i]) / t->range;
    }
    return sotto__span_of(t->number, t->seeds);
}

/* Verdicts of the methods, and their leads over the best arm. */
static void judge(const table *t, sotto_replay_summary *summary, sotto__lead *lead)
{
    for (uint32_t m = 0; m < t->replay->settings.matches_count; m++) {
        const sotto__replay_run *run = &t->replay->run[(uint64_t)m * t->seeds];
        sotto_replay_line *line = &summary->line[m];
        sotto_span ahead = ahead_of(t, run, false);
        line->verdict = sotto__verdict_on_labels(ahead, ahead_of(t, run, true));
        line->ahead = (sotto_span){ahead.lo * t->range, ahead.hi * t->range};
        lead[m] = (sotto__lead){line->epsilon, ahead};
    }
}

static void set_yardsticks(const table *t, sotto_replay_line *line)
{
    const sotto__yardstick *yardstick = t->replay->yardstick;
    for (uint32_t i = 0; i < t->seeds; i++) {
        const sotto__replay_run *run = &t->replay->run[i];
        t->number[i] = sotto__table_reward(t->rewards, t->arms, run->tail_arm_count, t->best) /
                       last_people(t, run);
    }
    double rows = (double)yardstick->rows;
    line[0].name = "best-arm";
    line[0].reward_mean =
        sotto__table_reward(t->rewards, t->arms, yardstick->arm_count, t->best) / rows;
    line[0].last_mean = sotto__mean(t->number, t->seeds);
    line[0].last_se = sotto__standard_error(t->number, t->seeds);
    for (uint32_t i = 0; i < t->seeds; i++) {
        const sotto__replay_run *run = &t->replay->run[i];
        t->number[i] = sotto__table_random_reward(t->rewards, t->arms, run->tail_arm_count) /
                       last_people(t, run);
    }
    line[1].reward_mean =
        sotto__table_random_reward(t->rewards, t->arms, yardstick->arm_count) / rows;
    line[1].last_mean = sotto__mean(t->number, t->seeds);
    line[1].last_se = sotto__standard_error(t->number, t->seeds);
}

sotto_status sotto__replay_summary_by_table(const sotto__replay *replay,
                                            sotto_replay_summary *summary)
{
    const sotto__replay_settings *settings = &replay->settings;
    if (settings->rules.rewards == NULL) return SOTTO_OK;
    table t = {
        .replay = replay,
        .rewards = settings->rules.rewards,
        .arms = replay->yardstick->arms,
        .seeds = settings->seeds_count,
        .range = settings->rules.reward_hi - settings->rules.reward_lo,
        .number = calloc(settings->seeds_count, sizeof *t.number),
    };
    t.best = sotto__table_best_arm(t.rewards, t.arms, replay->yardstick->arm_count);
    sotto__lead *lead = calloc(settings->matches_count, sizeof *lead);
    sotto_replay_findings findings = {0};
    sotto_status status = t.number == NULL || lead == NULL ? SOTTO_E_MEMORY : SOTTO_OK;
    if (status == SOTTO_OK && summary->judged) {
        judge(&t, summary, lead);
        status = sotto__findings_of(lead, settings->matches_count, &findings);
    }
    if (status == SOTTO_OK) {
        sotto__findings_free(&summary->findings);
        summary->findings = findings;
        summary->best_arm = t.best;
        summary->by_table = true;
        set_yardsticks(&t, summary->line + settings->matches_count);
    }
    free(lead);
    free(t.number);
    return status;
}
