/* What was learnt at each epsilon, and the reason where it was not, in words. */
#include "lab/dataset/words.h"
#include "lab/replay/constant_arm.h"
#include "lab/replay/needed.h"
#include "lab/text/printable.h"
#include "print.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* What the sentences are about. */
typedef struct story {
    FILE *file;
    const sotto_replay_summary *summary;
    const sotto_replay_findings *findings;
    const char *explorer, *greedy; /* names */
    uint64_t people;
} story;

static story story_of(FILE *file, const sotto_replay_summary *summary)
{
    const sotto_replay_findings *findings = &summary->findings;
    return (story){
        .file = file,
        .summary = summary,
        .findings = findings,
        .explorer = summary->line[findings->explorer].name,
        .greedy = summary->line[findings->greedy].name,
        .people = summary->rows < summary->people ? summary->rows : summary->people,
    };
}

/* A prediction has no more than two digits. */
static uint64_t two_digits(uint64_t people)
{
    double unit = people < 100 ? 1 : pow(10, floor(log10((double)people)) - 1);
    return (uint64_t)(round((double)people / unit) * unit);
}

/* ---- sentences ---------------------------------------------------------------------------- */

/* "sotto wins 12 % (3 to 21 %)" */
static void print_share(const story *s, uint32_t line)
{
    const sotto_replay_line *l = &s->summary->line[line];
    fprintf(s->file, "%s wins %.0f %% (%.0f to %.0f %%)", l->name, 100 * l->share.value,
            100 * l->share.lo, 100 * l->share.hi);
}

/* "linucb is ahead by -0.01 to 0.03" */
static void print_lead(const story *s, uint32_t line)
{
    const sotto_replay_line *l = &s->summary->line[line];
    fprintf(s->file, "%s is ahead by %.2g to %.2g", l->name, l->ahead.lo, l->ahead.hi);
}

static void print_people_needed(const story *s, const sotto_replay_finding *finding)
{
    if (finding->people_needed == 0) return;
    fprintf(s->file, " People needed, by sotto plan%s: about %" PRIu64 "; there are %" PRIu64 ".",
            finding->people_compared ? " and what was won here" : "",
            two_digits(finding->people_needed), s->people);
    if (finding->people_compared) return;
    fprintf(s->file, " That is rough: sotto won too little here to compare the plan with.");
}

static void print_no_signal(const story *s)
{
    fprintf(s->file,
            "nothing to learn from %" PRIu64
            " people. Neither %s nor %s, both without privacy, can "
            "be ahead of the majority arm by %.2g: the columns tell such a method no more than the "
            "commonest label does. Privacy is not the reason.\n",
            s->people, s->explorer, s->greedy, s->findings->lead);
}

static void print_learnt(const story *s, const sotto_replay_finding *finding)
{
    fprintf(s->file, "learnt: ");
    if (s->findings->gains) {
        print_share(s, finding->best);
    } else {
        print_lead(s, finding->best);
    }
    fprintf(s->file, ".\n");
}

static void print_privacy(const story *s, const sotto_replay_finding *finding)
{
    fprintf(s->file, "not learnt, because of privacy: ");
    print_share(s, finding->best);
    fprintf(s->file, "; greedy without privacy, ");
    print_share(s, s->findings->greedy);
    fprintf(s->file, ".");
    print_people_needed(s, finding);
    fprintf(s->file, "\n");
}

static void print_exploration(const story *s, const sotto_replay_finding *finding)
{
    fprintf(s->file, "not learnt, for want of exploration: ");
    print_share(s, finding->best);
    fprintf(s->file, "; greedy without privacy, ");
    print_share(s, s->findings->greedy);
    fprintf(s->file,
            ". Only %s, which explores, learns it: nothing here shows that privacy is the "
            "reason.\n",
            s->explorer);
}

/* What cannot be told: whether there is anything to win, whether the private method wins it, or why
 * it does not. */
static void print_unknown(const story *s, const sotto_replay_finding *finding)
{
    const sotto_replay_findings *f = s->findings;
    bool fails = finding->standing == SOTTO_STANDING_FAILS;
    fprintf(s->file, "cannot tell with %" PRIu32 " seeds", s->summary->seeds);
    if (!f->gains) {
        fprintf(s->file, " whether there is anything to learn: without privacy ");
        print_lead(s, f->explorer);
        fprintf(s->file, ", ");
        print_lead(s, f->greedy);
        fprintf(s->file, ".\n");
        return;
    }
    fprintf(s->file, fails ? " why it is not learnt: " : ": ");
    print_share(s, finding->best);
    if (fails) {
        fprintf(s->file, "; greedy without privacy, ");
        print_share(s, f->greedy);
    }
    fprintf(s->file, ".");
    print_people_needed(s, finding);
    fprintf(s->file, "\n");
}

static void print_finding(const story *s, const sotto_replay_finding *finding)
{
    fprintf(s->file, "Epsilon %g: ", finding->epsilon);
    switch (finding->reason) {
    case SOTTO_REASON_UNKNOWN: print_unknown(s, finding); break;
    case SOTTO_REASON_LEARNT: print_learnt(s, finding); break;
    case SOTTO_REASON_NO_SIGNAL: print_no_signal(s); break;
    case SOTTO_REASON_EXPLORATION: print_exploration(s, finding); break;
    case SOTTO_REASON_PRIVACY: print_privacy(s, finding); break;
    }
}

/* ---- too many columns --------------------------------------------------------------------- */

static bool may_be_too_wide(sotto_replay_reason reason)
{
    return reason == SOTTO_REASON_PRIVACY || reason == SOTTO_REASON_UNKNOWN;
}

/* The first epsilon at which there are too few people for so many numbers, or NULL. */
static const sotto_replay_finding *first_too_wide(const story *s)
{
    for (uint32_t i = 0; i < s->findings->findings_count; i++) {
        const sotto_replay_finding *finding = &s->findings->finding[i];
        if (may_be_too_wide(finding->reason) && finding->people_needed > s->people) return finding;
    }
    return NULL;
}

/* What the people needed would be without a category, if it says nothing of the label. 0: the plan
 * cannot say. */
static uint64_t needed_without(const story *s, const sotto__replay *replay,
                               const sotto__column *column, double epsilon)
{
    const sotto_spec *spec = &replay->settings.match[0].spec;
    bool shared = spec->parameters == SOTTO_PARAMETERS_SHARED;
    return sotto__people_needed(&(sotto__need){
        .dim = spec->dim - column->levels_count * (shared ? spec->arms : 1),
        .arms = spec->arms,
        .parameters = spec->parameters,
        .epsilon = epsilon,
        .gain = s->findings->gain / sotto__reward_range(&replay->settings.rules),
        .share = SOTTO_REPLAY_SHARE,
    });
}

/* Where the plan was compared with these rows it was off, most of all by wide categories: so it does not say what one
 * of them costs. */
static void print_categories(const story *s, const replay_outcome *outcome,
                             const sotto_replay_finding *finding)
{
    double epsilon = finding->epsilon;
    const sotto__column *wide[SOTTO__WIDE_MAX];
    char shown[SOTTO__SHOWN_BYTES];
    uint32_t count = sotto__wide_categories(outcome->schema, wide);
    if (count == 0) return;
    for (uint32_t i = 0; i < count; i++) {
        fprintf(s->file, "%s %s (%" PRIu32 "%s)",
                i > 0 ? "," : "- categories with many levels, or merge levels:",
                sotto__shown(wide[i]->name, strlen(wide[i]->name), shown), wide[i]->levels_count,
                i > 0 ? "" : " levels");
    }
    uint64_t needed =
        finding->people_compared ? 0 : needed_without(s, outcome->replay, wide[0], epsilon);
    if (needed > 0) {
        fprintf(
            s->file,
            ". Without %s, if there is as much to win, epsilon %g needs about %" PRIu64 " people",
            sotto__shown(wide[0]->name, strlen(wide[0]->name), shown), epsilon, two_digits(needed));
    }
    fprintf(s->file, "\n");
}

/* Which columns matter may be read from what is publicly known of them, never from these rows: a
 * choice that follows from people's rows says something about them. */
static void print_columns(const story *s, const replay_outcome *outcome)
{
    const sotto_replay_finding *finding = first_too_wide(s);
    if (finding == NULL) return;
    fprintf(s->file,
            "Contexts of %" PRIu32 " numbers are many for %" PRIu64
            " people at epsilon %g. Fewer columns need fewer people. Consider leaving out:\n",
            sotto_schema_dim(outcome->schema), s->people, finding->epsilon);
    print_categories(s, outcome, finding);
    fprintf(s->file,
            "- columns that repeat another one, and columns that cannot matter to the decision\n"
            "Decide by what is publicly known of a column, not by these rows: epsilon does not "
            "cover a choice that was made by looking at them.\n");
}

/* ---- all of it ---------------------------------------------------------------------------- */

void replay_print_reasons(FILE *file, const replay_outcome *outcome,
                          const sotto_replay_summary *summary)
{
    const story s = story_of(file, summary);
    const sotto_replay_findings *findings = s.findings;
    if (findings->gains) {
        bool explorer = summary->line[findings->explorer].ahead.lo > 0;
        fprintf(file,
                "share: the part that a method wins of the lead of %s over the majority arm, %.2g. "
                "Learnt is at least %g %%, by the best private method of an epsilon.\n",
                explorer ? s.explorer : s.greedy, findings->gain, 100 * SOTTO_REPLAY_SHARE);
    }
    for (uint32_t i = 0; i < findings->findings_count; i++) {
        print_finding(&s, &findings->finding[i]);
    }
    bool fails = findings->explorer_standing == SOTTO_STANDING_FAILS &&
                 findings->greedy_standing == SOTTO_STANDING_FAILS;
    if (findings->findings_count == 0 && fails) {
        fprintf(file, "Without privacy: ");
        print_no_signal(&s);
    }
    print_columns(&s, outcome);
}
