/* The text above and below the table of a summary. */
#include "inner.h"
#include "lab/dataset/dataset.h"
#include "text/text.h"

#include <inttypes.h>
#include <string.h>

void replay_print_sentences(FILE *file, const sotto_replay_summary *summary)
{
    char text[SOTTO_SENTENCE_BYTES];
    for (uint32_t i = 0; sotto_replay_sentence(summary, i, text) != NULL; i++) {
        fprintf(file, "%s\n", text);
    }
    fprintf(file, "\n");
}

verdict_tone replay_tone(const sotto_replay_summary *summary)
{
    const sotto_replay_findings *findings = &summary->findings;
    switch (findings->advice) {
    case SOTTO_ADVICE_RUN:
        return findings->finding[findings->advised].refused ? VERDICT_OPEN : VERDICT_GOOD;
    case SOTTO_ADVICE_ONE_ARM: return findings->certain ? VERDICT_BAD : VERDICT_OPEN;
    case SOTTO_ADVICE_NOTHING: return VERDICT_BAD;
    case SOTTO_ADVICE_NONE: break;
    }
    return VERDICT_OPEN;
}

void replay_print_title(FILE *file, const replay_outcome *outcome,
                        const sotto_replay_summary *summary)
{
    const sotto_spec *spec = &outcome->replay->settings.match[0].spec;
    char data[512];
    fprintf(file, "%s: %" PRIu64 " %s, contexts of %u numbers, %u arms, %s parameters, link %s",
            sotto__shown_in(outcome->data, strlen(outcome->data), data, sizeof data),
            summary->people, summary->log ? "events" : "people", sotto_schema_dim(outcome->schema),
            spec->arms, sotto_parameters_name(spec->parameters), sotto_link_name(spec->link));
    uint32_t arm_dim = sotto__schema_arm_dim(outcome->schema);
    if (arm_dim > 0 && spec->parameters == SOTTO_PARAMETERS_SHARED) {
        fprintf(file, ", %u features of arms, so vectors of %u numbers", arm_dim, spec->dim);
    }
    if (summary->passes > 1) {
        fprintf(file,
                "; %" PRIu32 " passes: a person met %" PRIu32 " times spends %" PRIu32
                " times epsilon and delta",
                summary->passes, summary->passes, summary->passes);
    }
    fprintf(file, "\n\n");
}

/* ---- labels ------------------------------------------------------------------------------- */

static const char *arm_shown(const replay_outcome *outcome, uint32_t arm,
                             char shown[SOTTO__SHOWN_BYTES])
{
    const char *name = sotto_schema_arm_name(outcome->schema, arm);
    return sotto__shown(name, strlen(name), shown);
}

/* The method whose lead is the gain. */
static const char *gainer_of(const sotto_replay_summary *summary)
{
    const sotto_replay_findings *findings = &summary->findings;
    bool explorer = summary->line[findings->explorer].ahead.lo > 0;
    return summary->line[explorer ? findings->explorer : findings->greedy].name;
}

static void print_label_words(FILE *file, const replay_outcome *outcome,
                              const sotto_replay_summary *summary)
{
    char shown[SOTTO__SHOWN_BYTES], table[SOTTO__SHOWN_BYTES];
    const char *rewards = outcome->schema->rewards_file;
    bool known = summary->known != SOTTO_KNOWN_NOTHING;
    fprintf(file, "\nreward: mean per person, ");
    if (rewards == NULL) {
        fprintf(file, "1 for the right label. The majority arm is %s, known only in hindsight.\n",
                arm_shown(outcome, summary->best_arm, shown));
    } else {
        fprintf(file,
                "by the table %s, from %.6g to %.6g. The best fixed arm is %s, which earns most if "
                "everybody gets it, known only in hindsight.\n",
                sotto__shown(rewards, strlen(rewards), table), outcome->schema->rewards_lo,
                outcome->schema->rewards_hi, arm_shown(outcome, summary->best_arm, shown));
    }
    fprintf(file,
            "Verdicts are on the last tenth of people%s: 3 standard errors of the "
            "difference over seeds, to the best arm in hindsight and to best-arm.\n",
            !known                ? " (here on all people, because their number was unknown)"
            : summary->passes > 1 ? " of the first pass"
                                  : "");
    if (summary->judged && summary->findings.gains) {
        fprintf(file, "share: the part that a method wins of the lead of %s over that arm, %.2g.\n",
                gainer_of(summary), summary->findings.gain);
    }
    if (summary->passes > 1) {
        fprintf(file, "Later passes meet people who were learnt from; their rewards are in the "
                      "mean nevertheless.\n");
    }
    if (summary->sorted) {
        fprintf(file, "There are no verdicts, because the file seems sorted: labels have other "
                      "shares in the last tenth than in all rows. Shuffle it first.\n");
    }
}

/* ---- logs --------------------------------------------------------------------------------- */

#define CHOICES_NEAR 0.05 /* tolerance: chances may be rounded to two digits, such as 0.14 */

static void print_log_words(FILE *file, const replay_outcome *outcome,
                            const sotto_replay_summary *summary)
{
    char shown[SOTTO__SHOWN_BYTES];
    fprintf(
        file,
        "\nreplay: mean reward of the events learnt from; ips: of all events by clipped "
        "inverse propensity; lo, hi: 95 %% intervals.\n"
        "The best fixed arm is %s, the best of %u in hindsight; its interval does not allow for "
        "that choice, verdicts do. They are on differences of self-normalised values, event by "
        "event, over the whole log: what it costs to learn counts.\n"
        "%.3g %% of events have a propensity below the clip, %g.\n",
        arm_shown(outcome, summary->best_arm, shown), summary->arms, 100 * summary->clipped_share,
        summary->clip);
    double choices = (summary->choices.lo + summary->choices.hi) / 2;
    bool all_the_same = summary->choices.hi - summary->choices.lo < 1e-6;
    if (summary->choices.lo > summary->arms * (1 + CHOICES_NEAR)) {
        fprintf(file,
                "The propensities are wrong: according to them an event had %.3g arms to choose "
                "from, but there are %u. So ips and all that follows from it is wrong, too.\n",
                choices, summary->arms);
    } else if (all_the_same && choices < summary->arms * (1 - CHOICES_NEAR)) {
        fprintf(file,
                "By the propensities an event had %.3g of %u arms to choose from. If it had all of "
                "them, propensities are too large, and ips is too small.\n",
                choices, summary->arms);
    }
}

/* ---- both --------------------------------------------------------------------------------- */

/* Each seed plays the first people of its own order. Yardsticks are therefore computed from all
 * rows that were read. */
static void print_rows_read(FILE *file, const sotto_replay_summary *summary)
{
    if (summary->rows <= summary->people) return;
    fprintf(file,
            "The last two lines of the table are for all %" PRIu64
            " rows that were read; each seed "
            "plays its own %" PRIu64 " of them.\n",
            summary->rows, summary->people);
}

static void print_misfit(FILE *file, const replay_outcome *outcome)
{
    sotto__misfit misfit = sotto__misfit_of(outcome->schema, outcome->counted);
    const struct {
        double share;
        const char *what;
    } part[] = {
        {misfit.clipped, "of numbers were clipped to their range"},
        {misfit.missing, "of fields were missing"},
        {misfit.unknown, "of categories had unknown levels"},
    };
    bool any = false;
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
        if (!(part[i].share > SOTTO__MISFIT_SHARE)) continue;
        fprintf(file, "%s%.3g %% %s", any ? ", " : "", 100 * part[i].share, part[i].what);
        any = true;
    }
    if (any) fprintf(file, ".\n");
    if (outcome->counted->unlabelled == 0) return;
    fprintf(file, "%" PRIu64 " rows without a label were left out.\n",
            outcome->counted->unlabelled);
}

static void print_known(FILE *file, const sotto_replay_summary *summary)
{
    if (summary->known != SOTTO_KNOWN_ROWS) return;
    if (summary->log) {
        fprintf(file,
                "Besides the reports, methods know roughly how many events they will learn from, "
                "by the number of events and their propensities, of which the smallest is %.3g; "
                "epsilon does not cover these.\n",
                summary->propensity_min);
    } else {
        fprintf(file, "Besides the reports, methods know the number of people; epsilon does not "
                      "cover that.\n");
    }
}

void replay_print_words(FILE *file, const replay_outcome *outcome,
                        const sotto_replay_summary *summary)
{
    if (summary->log) {
        print_log_words(file, outcome, summary);
    } else {
        print_label_words(file, outcome, summary);
    }
    print_rows_read(file, summary);
    print_misfit(file, outcome);
    print_known(file, summary);
    bool shared = outcome->replay->settings.match[0].spec.parameters == SOTTO_PARAMETERS_SHARED;
    if (outcome->schema->arms != NULL && !shared) {
        fprintf(file, "Per-arm parameters do not use the features of arms; --parameters shared "
                      "does.\n");
    }
    if (!outcome->schema->from_data) return;
    fprintf(file, "Ranges or levels were taken from people's rows: epsilon does not cover that.\n");
}
