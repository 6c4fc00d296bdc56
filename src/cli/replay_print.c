/* A summary as a table with a few words, as CSV, as JSON lines. */
#include "replay_report.h"

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
    fprintf(file, ",verdict,ranges\n");
    for (uint32_t i = 0; i < summary->lines_count; i++) {
        const replay_line *line = &summary->line[i];
        fprintf(file, "%s,", line->method);
        replay_number(file, line->epsilon, REPLAY_CSV);
        fprintf(file, ",%" PRIu32 ",%" PRIu64, summary->seeds, summary->people);
        for (uint32_t v = 0; headings_of(summary)[v].key != NULL; v++) {
            fprintf(file, ",");
            replay_number(file, line->value[v], REPLAY_CSV);
        }
        fprintf(file, ",%s,%s\n", line->verdict, replay_ranges(report->schema));
    }
}

static void print_json(FILE *file, const replay_report *report, const replay_summary *summary)
{
    for (uint32_t i = 0; i < summary->lines_count; i++) {
        const replay_line *line = &summary->line[i];
        fprintf(file, "{\"method\": \"%s\", \"epsilon\": ", line->method);
        replay_number(file, line->epsilon, REPLAY_JSON);
        fprintf(file, ", \"seeds\": %" PRIu32 ", \"t\": %" PRIu64, summary->seeds, summary->people);
        for (uint32_t v = 0; headings_of(summary)[v].key != NULL; v++) {
            fprintf(file, ", \"%s\": ", headings_of(summary)[v].key);
            replay_number(file, line->value[v], REPLAY_JSON);
        }
        fprintf(file, ", \"verdict\": \"%s\", \"ranges\": \"%s\"}\n", line->verdict,
                replay_ranges(report->schema));
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
        fprintf(file, "; %" PRIu32 " passes: a person met %" PRIu32 " times spends as many epsilon",
                o->passes, o->passes);
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

static bool is_better(const replay_line *line)
{
    return strncmp(line->verdict, "better", 6) == 0;
}

/* The epsilons at which no private method beats the majority arm, where one without privacy does. */
static void print_nothing_learnt(FILE *file, const replay_summary *summary)
{
    const replay_line *line = summary->line;
    bool open = false, better = false, told = false, any = false;
    for (uint32_t i = 0; i < summary->lines_count; i++) {
        open = open || (isinf(line[i].epsilon) && is_better(&line[i]));
        better = better || is_better(&line[i]);
        told = told || strncmp(line[i].verdict, "no better", 9) == 0;
    }
    if (told && !better) {
        fprintf(file, "Nothing beats the majority arm here, with or without privacy.\n");
    }
    for (uint32_t i = 0; open && i < summary->lines_count; i++) {
        bool learnt = isinf(line[i].epsilon), before = false;
        for (uint32_t j = 0; j < summary->lines_count; j++) {
            bool same = line[j].epsilon == line[i].epsilon;
            learnt = learnt || (same && is_better(&line[j]));
            before = before || (same && j < i);
        }
        if (learnt || before) continue;
        fprintf(file, "%s%g", any ? ", " : "Privacy leaves nothing to learn at epsilon ",
                line[i].epsilon);
        any = true;
    }
    if (!any) return;
    fprintf(file,
            ": with %" PRIu64 " people no private method played here beats giving everybody the "
            "majority arm.\n",
            summary->people);
}

static void print_label_words(FILE *file, const replay_report *report,
                              const replay_summary *summary)
{
    const char *arm = sotto__schema_arm_name(report->schema,
                                             sotto__yardstick_majority(report->replay->yardstick));
    fprintf(file,
            "\nreward: mean a person, 1 for the right label. The majority arm is %s, as one knows "
            "in hindsight.\nVerdicts are on the last tenth of people%s: 3 standard errors of the "
            "difference over seeds.\n",
            arm, report->plan->told ? "" : " (here on all: nobody knew how many would come)");
    print_nothing_learnt(file, summary);
}

static void print_log_words(FILE *file, const replay_report *report)
{
    const sotto__yardstick *yardstick = report->replay->yardstick;
    fprintf(file,
            "\nreplay: mean reward of the events learnt from; ips: of all events by clipped "
            "inverse propensity; lo, hi: 95 %% intervals.\n"
            "The best arm is %s, the best of %u in hindsight, which its interval does not count. "
            "%.3g %% of events have a propensity below the clip, %g.\n",
            sotto__schema_arm_name(report->schema, sotto__yardstick_best_arm(yardstick)),
            yardstick->arms, 100 * (double)yardstick->clipped / (double)yardstick->rows,
            yardstick->clip);
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
