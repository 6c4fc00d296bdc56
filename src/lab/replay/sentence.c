/* The words of a summary for people who decide: what to do, then the result at each epsilon. */
#include "core/core.h"
#include "replay.h"

#include <sotto/client.h>

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define PEOPLE_MIN 100u /* below, the last tenth is fewer than 10 people */

/* The text so far, and what it is about. */
typedef struct story {
    const sotto_replay_summary *summary;
    const sotto_replay_findings *findings;
    const char *one_arm;           /* the best one in hindsight */
    const char *people, *each;     /* "people", "per person" */
    const char *explorer, *greedy; /* names */
    char *text;
    size_t length;
} story;

static story story_of(const sotto_replay_summary *summary, char *text)
{
    const sotto_replay_findings *findings = &summary->findings;
    bool fixed = summary->log || summary->by_table;
    text[0] = '\0';
    return (story){
        .summary = summary,
        .findings = findings,
        .one_arm = fixed ? "the best fixed arm" : "the majority arm",
        .people = summary->log ? "events" : "people",
        .each = summary->log ? "per event" : "per person",
        .explorer = summary->line[findings->explorer].name,
        .greedy = summary->line[findings->greedy].name,
        .text = text,
    };
}

__attribute__((format(printf, 2, 3))) static void say(story *s, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int bytes = vsnprintf(s->text + s->length, SOTTO_SENTENCE_BYTES - s->length, format, values);
    va_end(values);
    size_t left = SOTTO_SENTENCE_BYTES - 1 - s->length;
    s->length += bytes > 0 && (size_t)bytes < left ? (size_t)bytes : left;
}

/* Rounds a prediction to two digits. */
static uint64_t two_digits(uint64_t people)
{
    double unit = people < 100 ? 1 : pow(10, floor(log10((double)people)) - 1);
    return (uint64_t)(round((double)people / unit) * unit);
}

/* ---- parts -------------------------------------------------------------------------------- */

/* "is ahead of best-arm by 0.06 (0.02 to 0.1)", or where nobody knows who is ahead: "earns between 0.02
 * less and 0.01 more than best-arm"; where either could be ahead by what counts, that is said. */
static void say_span(story *s, sotto_span span, const char *other)
{
    double much = s->findings->gains ? SOTTO_REPLAY_SHARE * s->findings->gain : 0;
    double lead = s->findings->lead;
    const sotto_span either = {-lead, lead}, all = {-lead, fmax(much, lead)};
    double mean = fabs(span.lo + span.hi) / 2;
    if (span.lo > 0) {
        say(s, "is ahead of %s by %.2g (%.2g to %.2g)", other, mean, span.lo, span.hi);
    } else if (span.hi < 0) {
        say(s, "is behind %s by %.2g (%.2g to %.2g)", other, mean, -span.hi, -span.lo);
    } else if (span.lo == span.hi) {
        say(s, "earns the same as %s", other);
    } else {
        say(s, "earns between %.2g less and %.2g more than %s", fabs(span.lo), span.hi, other);
        if (sotto__says_nothing(span.lo, span.hi, all)) {
            say(s, ", so nothing is known yet");
        } else if (sotto__says_nothing(span.lo, span.hi, either)) {
            say(s, ", so it is not known yet which one is ahead");
        }
    }
}

/* "sotto is ahead of the majority arm by 0.06 (0.02 to 0.1)" */
static void say_lead(story *s, uint32_t line)
{
    const sotto_replay_line *l = &s->summary->line[line];
    say(s, "%s ", l->name);
    if (isnan(l->ahead.lo)) {
        say(s, "agrees with too few events to be compared with %s", s->one_arm);
    } else {
        say_span(s, l->ahead, s->one_arm);
    }
}

/* ", and is ahead of best-arm by 0.07 (0.05 to 0.09)" */
static void say_best_arm(story *s, uint32_t line)
{
    const sotto_replay_line *l = &s->summary->line[line];
    if (isnan(l->ahead_best_arm.lo)) return;
    say(s, ", and ");
    say_span(s, l->ahead_best_arm, "best-arm");
}

static const char *gainer_of(const story *s)
{
    bool explorer = s->summary->line[s->findings->explorer].ahead.lo > 0;
    return explorer ? s->explorer : s->greedy;
}

/* Whole per cent of a part; never -0. */
static double per_cent(double part)
{
    return round(100 * part) + 0.0;
}

/* "wins 13 % (3 to 22 %) of the lead of linucb" */
static void say_share(story *s, const sotto_replay_share *share)
{
    bool known = !sotto__says_nothing(share->lo, share->hi, (sotto_span){0, 1});
    say(s, "wins ");
    if (known)
        say(s, "%.0f %% (%.0f to %.0f %%)", per_cent(share->value), per_cent(share->lo),
            per_cent(share->hi));
    if (!known)
        say(s, "%.0f to %.0f %% (not known more precisely yet)", per_cent(share->lo),
            per_cent(share->hi));
    say(s, " of the lead of %s", gainer_of(s));
}

/* A method learns only from events on which it agrees with the log, which may be few. */
static void say_learnt_from(story *s, const sotto_replay_finding *finding)
{
    bool matters =
        finding->reason == SOTTO_REASON_PRIVACY || finding->reason == SOTTO_REASON_UNKNOWN;
    if (!s->summary->log || !matters) return;
    say(s, " It learns only from events on which it agrees with the log: %.0f of %" PRIu64 ".",
        s->summary->line[finding->best].learnt, s->summary->people);
}

static void say_needed(story *s, const sotto_replay_finding *finding)
{
    if (finding->people_needed <= s->summary->people) return; /* also if it is 0: unknown */
    say(s,
        " To win %.0f %% takes about %" PRIu64 " people; there are %" PRIu64
        ". This estimate is %s.",
        100 * SOTTO_REPLAY_SHARE, two_digits(finding->people_needed), s->summary->people,
        finding->people_compared ? "from sotto plan and the gain here"
                                 : "from sotto plan only, and may be far off");
}

static void say_refused(story *s, double epsilon)
{
    sotto_policy policy = sotto_policy_default();
    uint32_t passes = s->summary->passes;
    say(s, " Devices refuse epsilon %g", epsilon);
    if (passes > 1) say(s, " times %" PRIu32 " passes", passes);
    say(s, " by default: they accept %g per report and %g over a life.",
        policy.epsilon_per_report_max, policy.epsilon_lifetime);
}

/* ---- what to do --------------------------------------------------------------------------- */

/* A method that is ahead at the end may have lost more while learning than it gains. */
static void say_price(story *s, const sotto_replay_line *best)
{
    const sotto_replay_line *line = s->summary->line;
    for (uint32_t i = 0; i < s->summary->lines_count && !s->summary->log; i++) {
        bool one_arm = !line[i].yardstick && sotto__replay_is_one_arm(line[i].player);
        if (!one_arm || line[i].epsilon != best->epsilon) continue;
        if (best->reward_mean >= line[i].reward_mean) return;
        say(s,
            " Learning costs reward: over all of them it earns %.4g per person, best-arm %.4g, so "
            "it pays only if more people come.",
            best->reward_mean, line[i].reward_mean);
    }
}

static void say_run(story *s)
{
    const sotto_replay_findings *f = s->findings;
    const sotto_replay_finding *finding = &f->finding[f->advised];
    bool smaller = false; /* an epsilon that devices accept was played */
    for (uint32_t i = 0; i < f->findings_count; i++) {
        smaller = smaller || !f->finding[i].refused;
    }
    const char *name = s->summary->line[finding->best].name;
    if (finding->refused && smaller) {
        say(s,
            "Recommendation: one arm for all (best-arm). From these %" PRIu64
            " %s, %s learns only at epsilon %g.",
            s->summary->people, s->people, name, finding->epsilon);
        say_refused(s, finding->epsilon);
        return;
    }
    say(s, "Recommendation: %s at epsilon %g", name, finding->epsilon);
    say(s,
        f->findings_count > 1 ? ", the smallest played that learns from these %" PRIu64 " %s."
                              : ". It learns from these %" PRIu64 " %s.",
        s->summary->people, s->people);
    if (s->summary->passes > 1) {
        say(s, " Each is met %" PRIu32 " times and spends %g.", s->summary->passes,
            s->summary->passes * finding->epsilon);
    }
    say_price(s, &s->summary->line[finding->best]);
    if (!finding->refused) return;
    say_refused(s, finding->epsilon);
    say(s, " Play smaller ones, too.");
}

static void say_one_arm(story *s)
{
    if (s->findings->certain) {
        say(s,
            "Recommendation: one arm for all (best-arm). With these %" PRIu64
            " %s no private method with a context beats both %s and best-arm.",
            s->summary->people, s->people, s->one_arm);
        return;
    }
    say(s,
        "Recommendation: one arm for all (best-arm), until more is known. With these "
        "%" PRIu64 " %s",
        s->summary->people, s->people);
    if (!s->summary->log) say(s, " and %" PRIu32 " seeds", s->summary->seeds);
    say(s, " no private method is certain to beat both %s and best-arm.", s->one_arm);
    if (!s->summary->log) say(s, " More seeds may decide it.");
}

static void say_nothing_to_learn(story *s)
{
    if (s->summary->same) {
        say(s,
            "Recommendation: nothing to learn; give everybody one arm. All rewards are the same.");
        return;
    }
    say(s, "Recommendation: nothing to learn from contexts; give everybody one arm (best-arm finds "
           "it).");
    double most = s->summary->line[s->findings->explorer].ahead.hi;
    say(s, " Even without privacy, %s is ", s->explorer);
    if (most > 0) say(s, "at most %.2g %s ", most, s->each);
    if (!(most > 0)) say(s, "not ");
    say(s, "ahead of %s on these %" PRIu64 " %s; a lead below %.2g counts as none.", s->one_arm,
        s->summary->people, s->people, s->findings->lead);
}

static void say_none(story *s)
{
    char why[SOTTO_VERDICT_BYTES];
    if (s->summary->judged) {
        say(s, "No recommendation: no private method with a context was played.");
        return;
    }
    sotto_replay_verdict verdict = s->summary->line[0].verdict;
    say(s, "No recommendation: %s", sotto_replay_verdict_text(verdict, 0, why));
    if (verdict == SOTTO_VERDICT_FEW_SEEDS) say(s, "; play at least %u", SOTTO__SEEDS_TELL);
    say(s, ".");
}

static void say_advice(story *s)
{
    if (!s->summary->log && s->summary->people < PEOPLE_MIN) {
        say(s,
            "No recommendation: %" PRIu64
            " people are too few to compare methods, because verdicts "
            "rest on the last tenth of them. Use at least %u; with a few thousand, most "
            "differences show.",
            s->summary->people, PEOPLE_MIN);
        return;
    }
    switch (s->findings->advice) {
    case SOTTO_ADVICE_NONE: say_none(s); break;
    case SOTTO_ADVICE_RUN: say_run(s); break;
    case SOTTO_ADVICE_ONE_ARM: say_one_arm(s); break;
    case SOTTO_ADVICE_NOTHING: say_nothing_to_learn(s); break;
    }
}

/* ---- what came of an epsilon -------------------------------------------------------------- */

/* "not learnt, because of privacy" */
static void say_reason(story *s, const sotto_replay_finding *finding)
{
    bool none = s->summary->line[finding->best].ahead.hi < s->findings->lead_min;
    const char *how = none ? "not learnt" : "little or nothing learnt";
    bool fails = finding->standing == SOTTO_STANDING_FAILS;
    switch (finding->reason) {
    case SOTTO_REASON_LEARNT: say(s, "learnt"); break;
    case SOTTO_REASON_NO_SIGNAL: say(s, "nothing to learn"); break;
    case SOTTO_REASON_EXPLORATION: say(s, "%s, for lack of exploration", how); break;
    case SOTTO_REASON_PRIVACY: say(s, "%s, because of privacy", how); break;
    case SOTTO_REASON_ONE_ARM: say(s, "worse than one arm for all"); break;
    case SOTTO_REASON_UNKNOWN:
        say(s, "cannot tell");
        if (!s->summary->log) say(s, " with %" PRIu32 " seeds", s->summary->seeds);
        if (!s->findings->gains) say(s, " whether there is anything to learn");
        if (s->findings->gains && fails) say(s, " why it is not learnt");
        break;
    }
    say(s, ". ");
}

/* Adds the result without privacy, unless something was learnt or there is nothing to learn. */
static void say_without_privacy(story *s, const sotto_replay_finding *finding)
{
    const sotto_replay_share *share = &s->summary->line[s->findings->greedy].share;
    bool needless =
        finding->reason == SOTTO_REASON_LEARNT || finding->reason == SOTTO_REASON_NO_SIGNAL;
    if (needless) return;
    say(s, " Without privacy, ");
    if (s->findings->gains && !isnan(share->value)) {
        say(s, "greedy %s ", s->greedy);
        say_share(s, share);
    } else {
        say_lead(s, s->findings->gains ? s->findings->greedy : s->findings->explorer);
    }
    say(s, ".");
    if (finding->reason != SOTTO_REASON_EXPLORATION) return;
    say(s,
        " Only %s, which explores, learns it: nothing here shows that privacy is the "
        "reason.",
        s->explorer);
}

static void say_finding(story *s, const sotto_replay_finding *finding)
{
    const sotto_replay_share *share = &s->summary->line[finding->best].share;
    say(s, "Epsilon %g: ", finding->epsilon);
    say_reason(s, finding);
    say_lead(s, finding->best);
    say_best_arm(s, finding->best);
    if (finding->reason != SOTTO_REASON_NO_SIGNAL && share->hi > 0) {
        say(s, "; it ");
        say_share(s, share);
    }
    say(s, ".");
    say_learnt_from(s, finding);
    say_without_privacy(s, finding);
    say_needed(s, finding);
    if (finding->refused) say_refused(s, finding->epsilon);
}

const char *sotto_replay_sentence(const sotto_replay_summary *summary, uint32_t sentence,
                                  char text[SOTTO_SENTENCE_BYTES])
{
    if (summary == NULL || text == NULL || sentence > summary->findings.findings_count) return NULL;
    story s = story_of(summary, text);
    if (sentence == 0) {
        say_advice(&s);
    } else {
        say_finding(&s, &summary->findings.finding[sentence - 1]);
    }
    return text;
}
