/* A summary as a table with a few words, as CSV, as JSON lines. */
#include "lab/dataset/fit.h"
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct heading {
    const char *key, *title;
    int digits; /* in the table */
} heading;

static const heading label_headings[REWARD_VALUES + 1] = {
    [REWARD_MEAN] = {"reward_mean", "reward", 4},
    [REWARD_SE] = {"reward_se", "se", 2},
    [LAST_MEAN] = {"last_mean", "last tenth", 4},
    [LAST_SE] = {"last_se", "se", 2},
};

static const heading log_headings[LOG_VALUES + 1] = {
    [LEARNT] = {"learnt", "learnt", 7},
    [REPLAY_VALUE] = {"replay", "replay", 4},
    [REPLAY_LO] = {"replay_lo", "lo", 4},
    [REPLAY_HI] = {"replay_hi", "hi", 4},
    [IPS_VALUE] = {"ips", "ips", 4},
    [IPS_LO] = {"ips_lo", "lo", 4},
    [IPS_HI] = {"ips_hi", "hi", 4},
    [SELF_NORMALISED] = {"self_normalised", "self-norm.", 4},
    [EFFECTIVE_SIZE] = {"effective_size", "effective", 5},
};

static const heading *headings_of(const replay_summary *summary)
{
    return summary->log ? log_headings : label_headings;
}

/* ---- for programs ------------------------------------------------------------------------- */

static void print_csv(FILE *file, const replay_report *report, const replay_summary *summary)
{
    fprintf(file, "method,epsilon,seeds,t");
    for (const heading *h = headings_of(summary); h->key != NULL; h++) {
        fprintf(file, ",%s", h->key);
    }
    fprintf(file, ",verdict,passes,ranges\n");
    for (uint32_t i = 0; i < summary->lines_count; i++) {
        const replay_line *line = &summary->line[i];
        fprintf(file, "%s,", line->method);
        replay_number(file, line->epsilon, REPLAY_CSV);
        fprintf(file, ",%" PRIu32 ",%" PRIu64, summary->seeds, line->people);
        for (uint32_t v = 0; headings_of(summary)[v].key != NULL; v++) {
            fprintf(file, ",");
            replay_number(file, line->value[v], REPLAY_CSV);
        }
        fprintf(file, ",%s,%" PRIu32 ",%s\n", line->verdict, report->options->passes,
                replay_ranges(report->schema));
    }
}

static void print_json(FILE *file, const replay_report *report, const replay_summary *summary)
{
    for (uint32_t i = 0; i < summary->lines_count; i++) {
        const replay_line *line = &summary->line[i];
        fprintf(file, "{\"method\": \"%s\", \"epsilon\": ", line->method);
        replay_number(file, line->epsilon, REPLAY_JSON);
        fprintf(file, ", \"seeds\": %" PRIu32 ", \"t\": %" PRIu64, summary->seeds, line->people);
        for (uint32_t v = 0; headings_of(summary)[v].key != NULL; v++) {
            fprintf(file, ", \"%s\": ", headings_of(summary)[v].key);
            replay_number(file, line->value[v], REPLAY_JSON);
        }
        fprintf(file, ", \"verdict\": \"%s\", \"passes\": %" PRIu32 ", \"ranges\": \"%s\"}\n",
                line->verdict, report->options->passes, replay_ranges(report->schema));
    }
}

/* ---- for people --------------------------------------------------------------------------- */

static void print_head(FILE *file, const replay_report *report, const replay_summary *summary)
{
    const sotto_spec *spec = &report->plan->match[0].spec;
    const replay_options *o = report->options;
    fprintf(file, "%s: %" PRIu64 " %s, contexts of %u numbers, %u arms, %s parameters, link %s",
            o->data, summary->people, summary->log ? "events" : "people",
            sotto__schema_dim(report->schema), spec->arms,
            sotto_parameters_name((uint32_t)spec->parameters),
            sotto_link_name((uint32_t)spec->link));
    if (o->passes > 1) {
        fprintf(file,
                "; %" PRIu32 " passes: a person met %" PRIu32 " times spends %" PRIu32
                " times epsilon and delta",
                o->passes, o->passes, o->passes);
    }
    fprintf(file, "\n\n%-12s %7s %5s", "method", "epsilon", "seeds");
    for (const heading *h = headings_of(summary); h->key != NULL; h++) {
        fprintf(file, " %10s", h->title);
    }
    fprintf(file, "\n");
}

static void print_line(FILE *file, const replay_summary *summary, const replay_line *line)
{
    const heading *headings = headings_of(summary);
    fprintf(file, "%-12s", line->method);
    if (isfinite(line->epsilon)) {
        fprintf(file, " %7.4g", line->epsilon);
    } else {
        fprintf(file, " %7s", "-");
    }
    fprintf(file, " %5" PRIu32, summary->seeds);
    for (uint32_t v = 0; headings[v].key != NULL; v++) {
        if (isfinite(line->value[v])) {
            fprintf(file, " %10.*g", headings[v].digits, line->value[v]);
        } else {
            fprintf(file, " %10s", "-");
        }
    }
    fprintf(file, "%s%s\n", line->verdict[0] != '\0' ? "  " : "", line->verdict);
}

/* ---- words under the table ---------------------------------------------------------------- */

#define NOTHING 0.02 /* a lead that cannot be this large is none */

static bool is_better(const replay_line *line)
{
    return line->ahead_lo > 0;
}

/* What is known of the private methods of one epsilon, or of all methods. */
typedef enum finding { BEATEN, NOTHING_LEARNT, NOT_TOLD } finding;

static finding finding_of(const replay_summary *summary, const double *epsilon)
{
    finding found = NOTHING_LEARNT;
    for (uint32_t i = 0; i < summary->lines_count; i++) {
        const replay_line *line = &summary->line[i];
        if (epsilon != NULL && line->epsilon != *epsilon) continue;
        if (is_better(line)) return BEATEN;
        if (line->ahead_hi >= NOTHING) found = NOT_TOLD;
    }
    return found;
}

/* The epsilons of a finding, each once, after `words`. False if there are none. */
static bool print_epsilons(FILE *file, const replay_summary *summary, finding wanted,
                           const char *words)
{
    const replay_line *line = summary->line;
    bool any = false;
    for (uint32_t i = 0; i < summary->lines_count; i++) {
        bool before = isinf(line[i].epsilon);
        for (uint32_t j = 0; j < i; j++) {
            before = before || line[j].epsilon == line[i].epsilon;
        }
        if (before || finding_of(summary, &line[i].epsilon) != wanted) continue;
        fprintf(file, "%s%g", any ? ", " : words, line[i].epsilon);
        any = true;
    }
    return any;
}

/* The epsilons at which no private method beats the majority arm, where one without privacy does. */
static void print_findings(FILE *file, const replay_report *report, const replay_summary *summary)
{
    double open = INFINITY;
    bool judged = !isnan(summary->line[0].ahead_hi);
    finding all = finding_of(summary, NULL);
    if (judged && all == NOTHING_LEARNT) {
        fprintf(file, "Nothing beats the majority arm here, with or without privacy.\n");
    }
    if (judged && all == NOT_TOLD) {
        fprintf(file,
                "%" PRIu32 " seeds do not tell whether anything beats the majority arm here, with "
                "or without privacy.\n",
                summary->seeds);
    }
    if (!judged || finding_of(summary, &open) != BEATEN) return;
    if (print_epsilons(file, summary, NOTHING_LEARNT,
                       "Privacy leaves nothing to learn at epsilon ")) {
        fprintf(file,
                ": with %" PRIu64 " people no private method played here beats giving everybody "
                "the majority arm by %g.\n",
                report->replay->yardstick->rows < summary->people ? report->replay->yardstick->rows
                                                                  : summary->people,
                NOTHING);
    }
    if (print_epsilons(file, summary, NOT_TOLD, "At epsilon ")) {
        fprintf(file,
                ": %" PRIu32 " seeds do not tell whether a private method played here beats the "
                "majority arm.\n",
                summary->seeds);
    }
}

static const char *arm_shown(const replay_report *report, uint32_t arm,
                             char shown[SOTTO__SHOWN_BYTES])
{
    const char *name = sotto__schema_arm_name(report->schema, arm);
    return sotto__shown(name, strlen(name), shown);
}

static void print_label_words(FILE *file, const replay_report *report,
                              const replay_summary *summary)
{
    char shown[SOTTO__SHOWN_BYTES];
    const sotto__yardstick *yardstick = report->replay->yardstick;
    fprintf(file,
            "\nreward: mean a person, 1 for the right label. The majority arm is %s, as one knows "
            "in hindsight.\nVerdicts are on the last tenth of people%s: 3 standard errors of the "
            "difference over seeds.\n",
            arm_shown(report, sotto__yardstick_majority(yardstick), shown),
            !report->plan->told           ? " (here on all: nobody knew how many would come)"
            : report->options->passes > 1 ? " of the first pass"
                                          : "");
    if (report->options->passes > 1) {
        fprintf(file, "Later passes meet people who were learnt from; their rewards are in the "
                      "mean all the same.\n");
    }
    if (summary->sorted) {
        fprintf(file, "The file seems sorted: labels have other shares in the last tenth than in "
                      "all rows; shuffle it first. There are no verdicts.\n");
    }
    print_findings(file, report, summary);
}

static void print_log_words(FILE *file, const replay_report *report)
{
    char shown[SOTTO__SHOWN_BYTES];
    const sotto__yardstick *yardstick = report->replay->yardstick;
    fprintf(file,
            "\nreplay: mean reward of the events learnt from; ips: of all events by clipped "
            "inverse propensity; lo, hi: 95 %% intervals.\n"
            "The best arm is %s, the best of %u in hindsight, which its interval does not count. "
            "%.3g %% of events have a propensity below the clip, %g.\n",
            arm_shown(report, sotto__yardstick_best_arm(yardstick), shown), yardstick->arms,
            100 * (double)yardstick->clipped / (double)yardstick->rows, yardstick->clip);
}

/* Each seed plays the first people of its own order, so yardsticks are of all that were read. */
static void print_yardstick_rows(FILE *file, const replay_report *report,
                                 const replay_summary *summary)
{
    uint64_t rows = report->replay->yardstick->rows;
    if (rows <= summary->people) return;
    fprintf(file,
            "The last two lines of the table are of the %" PRIu64 " rows that were read, of which "
            "each seed plays %" PRIu64 " of its own.\n",
            rows, summary->people);
}

/* Where much was clipped or missing, the schema may not fit the file. */
static void print_counted(FILE *file, const replay_report *report)
{
    const sotto__dataset_counts *counted = report->counted;
    uint64_t numbers = 0, categories = 0, rewards = 0;
    for (uint32_t i = 0; i < report->schema->columns_count; i++) {
        sotto__column_kind kind = report->schema->column[i].kind;
        numbers += kind == SOTTO__COLUMN_NUMBER;
        categories += kind == SOTTO__COLUMN_CATEGORY;
        rewards += kind == SOTTO__COLUMN_REWARD; /* are clipped too */
    }
    const struct {
        uint64_t count, columns;
        const char *what;
    } part[] = {
        {counted->clipped, numbers + rewards, "of numbers were clipped to their range"},
        {counted->missing, numbers + categories, "of fields were missing"},
        {counted->unknown, categories, "of categories were none of their levels"},
    };
    bool any = false;
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
        double share = (double)part[i].count / (double)(part[i].columns * counted->rows);
        if (!(share > 0.01)) continue; /* nor where there is no such column */
        fprintf(file, "%s%.3g %% %s", any ? ", " : "", 100 * share, part[i].what);
        any = true;
    }
    if (any) fprintf(file, ".\n");
    if (counted->unlabelled == 0) return;
    fprintf(file, "%" PRIu64 " rows without a label were left out.\n", counted->unlabelled);
}

static void print_told(FILE *file, const replay_report *report, const replay_summary *summary)
{
    if (!report->plan->looked) return;
    if (summary->log) {
        fprintf(file,
                "Beyond reports, methods are told about how many events they will learn from, by "
                "the number of events and their propensities, of which the smallest is %.3g; "
                "epsilon does not cover these.\n",
                report->replay->yardstick->propensity_min);
    } else {
        fprintf(file, "Beyond reports, methods are told the number of people; epsilon does not "
                      "cover that.\n");
    }
}

static void print_table(FILE *file, const replay_report *report, const replay_summary *summary)
{
    print_head(file, report, summary);
    for (uint32_t i = 0; i < summary->lines_count; i++) {
        print_line(file, summary, &summary->line[i]);
    }
    if (summary->log) {
        print_log_words(file, report);
    } else {
        print_label_words(file, report, summary);
    }
    print_yardstick_rows(file, report, summary);
    print_counted(file, report);
    print_told(file, report, summary);
    if (!report->schema->from_data) return;
    fprintf(file, "Ranges or levels were taken from people's rows: epsilon does not cover that.\n");
}

void replay_summary_print(FILE *file, const replay_report *report, const replay_summary *summary,
                          replay_format format)
{
    switch (format) {
    case REPLAY_TABLE: print_table(file, report, summary); break;
    case REPLAY_CSV: print_csv(file, report, summary); break;
    case REPLAY_JSON: print_json(file, report, summary); break;
    }
}
