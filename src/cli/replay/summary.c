/* A summary: a table with words around it, CSV, or JSON lines. */
#include "print.h"

#include <math.h>
#include <string.h>

static const print_column label_columns[] = {
    {"method", "method", -12, 0, 0},
    {"epsilon", "epsilon", 7, 4, 0},
    {"seeds", "seeds", 5, 0, 0},
    {.key = "t"},
    {"reward_mean", "reward", 10, 4, 0},
    {"reward_se", "se", 10, 2, 0},
    {"last_mean", "last tenth", 10, 4, 0},
    {"last_se", "se", 10, 2, 0},
    {"share", "share", 7, 2, 0},
    {.key = "share_lo"},
    {.key = "share_hi"},
};

/* The estimates follow. */
static const print_column log_columns[] = {
    {"method", "method", -12, 0, 0},
    {"epsilon", "epsilon", 7, 4, 0},
    {"seeds", "seeds", 5, 0, 0},
    {.key = "t"},
    {"learnt", "learnt", 10, 7, 0},
    {"replay", "replay", 10, 4, 0},
    {"replay_lo", "lo", 10, 4, 0},
    {"replay_hi", "hi", 10, 4, 0},
    {"ips", "ips", 10, 4, 0},
    {"ips_lo", "lo", 10, 4, 0},
    {"ips_hi", "hi", 10, 4, 0},
    {"self_normalised", "self-norm.", 10, 4, 0},
    {"effective_size", "effective", 10, 5, 0},
};

/* The last column is the verdict at the end of a table, where it has no head. */
static const print_column end_columns[] = {
    {.key = "reason"},
    {.key = "people_needed"},
    {.key = "lead_lo"},
    {.key = "lead_hi"},
    {.key = "best_arm_lead_lo"},
    {.key = "best_arm_lead_hi"},
    {.key = "devices"},
    {.key = "verdict"},
    {.key = "passes"},
    {.key = "ranges"},
    {.title = ""},
};

#define REFUSED "; devices refuse this epsilon"
#define VERDICT_WORDS_BYTES (1 + SOTTO_VERDICT_BYTES + sizeof REFUSED)
#define COUNT(columns) (sizeof(columns) / sizeof(columns)[0])
#define COLUMNS_MAX (COUNT(log_columns) + REPLAY_ESTIMATE_COLUMNS + COUNT(end_columns))

static uint32_t set_columns(bool log, print_column out[COLUMNS_MAX])
{
    uint32_t count = log ? COUNT(log_columns) : COUNT(label_columns);
    memcpy(out, log ? log_columns : label_columns, count * sizeof *out);
    if (log) {
        memcpy(out + count, replay_estimate_columns, sizeof replay_estimate_columns);
        count += REPLAY_ESTIMATE_COLUMNS;
    }
    memcpy(out + count, end_columns, sizeof end_columns);
    return count + COUNT(end_columns);
}

/* Of the best private method at the epsilon of the line, and so the same for all methods there. */
static print_value *set_reason(const sotto_replay_summary *summary, const sotto_replay_line *line,
                               print_value *value)
{
    const sotto_replay_finding *finding = NULL;
    for (uint32_t i = 0; i < summary->findings.findings_count; i++) {
        if (summary->findings.finding[i].epsilon != line->epsilon) continue;
        finding = &summary->findings.finding[i];
    }
    bool needed = finding != NULL && finding->people_needed > 0;
    *value++ = print_text(finding != NULL ? sotto_replay_reason_name(finding->reason) : "");
    *value++ = needed ? print_natural(finding->people_needed) : print_none();
    return value;
}

/* The numbers of a line; where they end. */
static print_value *set_numbers(const sotto_replay_summary *summary, const sotto_replay_line *line,
                                print_value *value)
{
    if (summary->log) {
        *value++ = print_real(line->learnt);
        *value++ = print_real(line->replayed.value);
        *value++ = print_real(line->replayed.lo);
        *value++ = print_real(line->replayed.hi);
        *value++ = print_real(line->weighted.value);
        *value++ = print_real(line->weighted.lo);
        *value++ = print_real(line->weighted.hi);
        *value++ = print_real(line->self_normalised);
        *value++ = print_real(line->effective_size);
    } else {
        *value++ = print_real(line->reward_mean);
        *value++ = print_real(line->reward_se);
        *value++ = print_real(line->last_mean);
        *value++ = print_real(line->last_se);
        *value++ = print_real(line->share.value);
        *value++ = print_real(line->share.lo);
        *value++ = print_real(line->share.hi);
    }
    return value;
}

static void print_line(FILE *file, print_format format, const replay_outcome *outcome,
                       const sotto_replay_summary *summary, const sotto_replay_line *line,
                       const sotto_replay_estimates *estimates, const print_column *column,
                       uint32_t count)
{
    char untold[REPLAY_UNTOLD_BYTES], verdict[SOTTO_VERDICT_BYTES], words[VERDICT_WORDS_BYTES];
    uint32_t seeds = summary->log ? 0 : summary->seeds;
    sotto_replay_verdict_text(line->verdict, seeds, verdict);
    snprintf(words, sizeof words, " %s%s", verdict, line->refused ? REFUSED : ""); /* two blanks */
    print_value value[COLUMNS_MAX] = {
        print_text(line->name),
        print_real(line->epsilon),
        print_natural(summary->seeds),
        print_natural(line->people),
    };
    print_value *next = set_numbers(summary, line, value + 4);
    if (summary->log) next = replay_set_estimates(estimates, untold, next);
    next = set_reason(summary, line, next);
    *next++ = print_real(line->ahead.lo);
    *next++ = print_real(line->ahead.hi);
    *next++ = print_real(line->ahead_best_arm.lo);
    *next++ = print_real(line->ahead_best_arm.hi);
    *next++ = print_text(isinf(line->epsilon) ? "" : line->refused ? "refuse" : "accept");
    *next++ = print_text(verdict);
    *next++ = print_natural(summary->passes);
    *next++ = print_text(sotto__ranges_name(outcome->schema));
    *next++ = print_text(words);
    print_row(file, format, column, value, verdict[0] != '\0' ? count : count - 1);
}

void replay_print_summary(FILE *file, print_format format, const replay_outcome *outcome,
                          const sotto_replay_summary *summary,
                          const sotto_replay_estimates *estimates)
{
    print_column column[COLUMNS_MAX];
    uint32_t count = set_columns(summary->log, column);
    if (format == PRINT_TABLE) {
        replay_print_sentences(file, summary);
        replay_print_title(file, outcome, summary);
    }
    print_head(file, format, column, count - 1);
    for (uint32_t i = 0; i < summary->lines_count; i++) {
        const sotto_replay_line *line = &summary->line[i];
        print_line(file, format, outcome, summary, line, line->yardstick ? NULL : &estimates[i],
                   column, count);
    }
    if (format != PRINT_TABLE) return;
    if (summary->log) replay_print_estimates(file, summary, estimates);
    replay_print_words(file, outcome, summary);
}
