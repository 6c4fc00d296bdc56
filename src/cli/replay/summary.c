#include "cli/print/print.h"
#include "inner.h"
#include "lab/dataset/dataset.h"
#include "text/text.h"

#include <math.h>
#include <string.h>

/* ==== describe =============================================================================== */

/* The description of a file: facts in words, or one JSON object. */

static void print_columns(facts *list, const sotto_schema *schema, const sotto__description *d)
{
    fact_natural(list, "columns", d->columns, "that the schema names, of them");
    fact_natural(list, "numbers", d->numbers, "");
    fact_natural(list, "categories", d->categories, "");
    fact_natural(list, "ignored", d->ignored, "");
    if (d->buckets > 0) fact_natural(list, "buckets", d->buckets, "shared by other names");
    fact_natural(list, "context", d->dim,
                 d->dim == 1 ? "number, the constant" : "numbers, the constant among them");
    uint32_t arm_dim = sotto__schema_arm_dim(schema);
    if (arm_dim > 0) {
        fact_natural(list, "arm_features", arm_dim,
                     "numbers of each arm, which shared parameters use");
    }
    fact_text(list, "ranges", sotto__ranges_name(schema),
              schema->from_data ? "taken from people's rows: epsilon does not cover that"
                                : "fixed by the schema");
}

static void print_arms(facts *list, const sotto_schema *schema, const sotto__description *d)
{
    fact_natural(list, "arms", d->arms, "and which share of rows each has");
    if (list->json) fact_vector(list, "shares", d->share, d->arms, "");
    for (uint32_t a = 0; !list->json && a < d->arms; a++) {
        const char *name = sotto_schema_arm_name(schema, a);
        char shown[SOTTO__SHOWN_BYTES];
        printf("  %-20s %.4f\n", sotto__shown(name, strlen(name), shown), d->share[a]);
    }
    if (!d->log) return;
    fact_real(list, "logging_reward", d->logging_reward, "mean reward of the log");
    fact_real(list, "propensity_min", d->propensity_min, "");
    fact_real(list, "clipped_share", d->clipped_share,
              "of events with a propensity below the clip");
}

void replay_print_description(const sotto_schema *schema, const sotto__description *description,
                              double elapsed_s, bool json)
{
    const sotto_dataset_counts *counted = &description->counted;
    facts list = facts_begin(json);
    fact_natural(&list, "rows", counted->rows, "people");
    fact_natural(&list, "bytes", counted->bytes, "");
    print_columns(&list, schema, description);
    fact_natural(&list, "missing", counted->missing, "fields without a value");
    fact_natural(&list, "clipped", counted->clipped, "numbers outside of their range");
    fact_natural(&list, "unknown", counted->unknown,
                 "fields that are not a level of their category");
    fact_natural(&list, "unlabelled", counted->unlabelled, "rows without a label, skipped");
    print_arms(&list, schema, description);
    fact_real(&list, "seconds", elapsed_s, "to read it");
    fact_real(&list, "mb_per_second", (double)counted->bytes / 1e6 / elapsed_s, "");
    facts_end(&list);
}

/* ==== summary ================================================================================ */

/* A summary: a table with text above and below, CSV, or JSON lines. */

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

/* replay_estimate_columns follow these. */
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

/* The last column is the verdict in words; it is only in tables and has no heading. */
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

/* The reason is that of the best private method at the line's epsilon, so all lines at this epsilon
 * have the same. */
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

/* Fills the numbers of a line. Returns their end. */
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
    char unavailable[REPLAY_UNAVAILABLE_BYTES], verdict[SOTTO_VERDICT_BYTES],
        words[VERDICT_WORDS_BYTES];
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
    if (summary->log) next = replay_set_estimates(estimates, unavailable, next);
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
