/* What is said to somebody who has to decide, from summaries by hand. */
#include "lab/replay/finding.h"
#include "test.h"

#include <math.h>
#include <string.h>

#define LINES 5u

/* sotto and best-arm at epsilon 1, sotto at 4, ols, linucb. */
typedef struct table {
    sotto_replay_line line[LINES];
    sotto_replay_finding finding[2];
    sotto_replay_summary summary;
} table;

static void begin(table *t)
{
    static const char *const name[LINES] = {"sotto", "best-arm", "sotto", "ols", "linucb"};
    *t = (table){
        .finding = {{.epsilon = 1, .best = 0, .reason = SOTTO_REASON_UNKNOWN},
                    {.epsilon = 4, .best = 2, .reason = SOTTO_REASON_LEARNT, .refused = true}},
        .summary = {.judged = true,
                    .seeds = 10,
                    .passes = 1,
                    .people = 6435,
                    .lines_count = LINES,
                    .line = t->line,
                    .findings = {.explorer = 4,
                                 .greedy = 3,
                                 .gains = true,
                                 .lead = 0.02,
                                 .findings_count = 2,
                                 .finding = t->finding}},
    };
    for (uint32_t i = 0; i < LINES; i++) {
        t->line[i] = (sotto_replay_line){.name = name[i],
                                         .ahead = {0.01, 0.03},
                                         .ahead_best_arm = {NAN, NAN},
                                         .share = {0.65, 0.5, 0.8}};
    }
}

static const char *said(const table *t, uint32_t sentence)
{
    static char text[SOTTO_SENTENCE_BYTES];
    assert_ptr_equal(sotto_replay_sentence(&t->summary, sentence, text), text);
    return text;
}

static void assert_said(const table *t, uint32_t sentence, const char *wanted)
{
    if (strstr(said(t, sentence), wanted) == NULL) fail_msg("%s", said(t, sentence));
}

static void assert_unsaid(const table *t, uint32_t sentence, const char *unwanted)
{
    if (strstr(said(t, sentence), unwanted) != NULL) fail_msg("%s", said(t, sentence));
}

static void there_are_no_more_sentences_than_findings(void **state)
{
    (void)state;
    table t;
    char text[SOTTO_SENTENCE_BYTES];
    begin(&t);
    assert_null(sotto_replay_sentence(NULL, 0, text));
    assert_null(sotto_replay_sentence(&t.summary, 0, NULL));
    assert_null(sotto_replay_sentence(&t.summary, 3, text));
    assert_null(sotto_replay_sentence(&t.summary, UINT32_MAX, text));
    assert_non_null(sotto_replay_sentence(&t.summary, 2, text));
}

static void what_is_not_judged_has_no_recommendation(void **state)
{
    (void)state;
    table t;
    begin(&t);
    t.summary.judged = false;
    t.summary.findings = (sotto_replay_findings){0};
    t.line[0].verdict = SOTTO_VERDICT_FEW_SEEDS;
    assert_string_equal(said(&t, 0), "No recommendation: too few seeds to tell; play at least 5.");
    t.line[0].verdict = SOTTO_VERDICT_ONE_LOGGED;
    assert_string_equal(said(&t, 0), "No recommendation: the log gave one arm only.");
    t.summary.judged = true;
    assert_string_equal(said(&t, 0),
                        "No recommendation: no private method with a context was played.");
}

static void the_first_sentence_says_what_to_do(void **state)
{
    (void)state;
    table t;
    begin(&t);
    sotto_replay_findings *f = &t.summary.findings;
    f->advice = SOTTO_ADVICE_ONE_ARM;
    f->certain = true;
    assert_string_equal(said(&t, 0), "Recommendation: one arm for all (best-arm). With these 6435 "
                                     "people no private method with a context beats it.");
    f->certain = false;
    assert_string_equal(said(&t, 0),
                        "Recommendation: one arm for all (best-arm), until more is known. With "
                        "these 6435 people and 10 seeds no private method is certain to beat it. "
                        "More seeds may tell more.");
    f->advice = SOTTO_ADVICE_NOTHING;
    t.line[4].ahead = (sotto_span){-0.0021, 0.0004};
    assert_string_equal(said(&t, 0),
                        "Recommendation: nothing to learn from contexts; give everybody one arm "
                        "(best-arm finds it). Even without privacy, linucb is at most 0.0004 per "
                        "person ahead of the majority arm on "
                        "these 6435 people; below 0.02 counts as nothing.");
    t.line[4].ahead = (sotto_span){-0.01, 0};
    assert_said(&t, 0, "linucb is not ahead of the majority arm on");
    t.summary.log = t.summary.same = true;
    assert_said(&t, 0, "All rewards are the same.");
}

static void the_smallest_epsilon_is_recommended(void **state)
{
    (void)state;
    table t;
    begin(&t);
    sotto_replay_findings *f = &t.summary.findings;
    f->advice = SOTTO_ADVICE_RUN;
    assert_string_equal(said(&t, 0), "Recommendation: sotto at epsilon 1, the smallest played that "
                                     "learns from these 6435 people.");
    t.line[1].player = SOTTO_PLAYER_BEST_ARM;
    t.line[0].epsilon = t.line[1].epsilon = 1;
    t.line[0].reward_mean = 0.5097, t.line[1].reward_mean = 0.5112;
    assert_said(
        &t, 0,
        " Learning costs: over all of them it earns 0.5097 per person, best-arm 0.5112, so it "
        "pays only if more people come.");
    t.line[0].reward_mean = 0.5112;
    assert_unsaid(&t, 0, "Learning costs");
    t.line[0].reward_mean = 0.5, t.line[1].epsilon = 4; /* what another epsilon buys is no price */
    assert_unsaid(&t, 0, "Learning costs");
    t.line[1].epsilon = 1;
    t.summary.passes = 3;
    assert_said(&t, 0, " Each is met 3 times and spends 3.");
    t.summary.passes = 1;
    f->advised = 1;
    assert_said(&t, 0,
                "Recommendation: one arm for all (best-arm). From these 6435 people, sotto learns "
                "only at epsilon 4.");
    assert_said(&t, 0,
                " Devices refuse epsilon 4 by default: they accept 2 per report and 8 over a "
                "life.");
    t.finding[0] = t.finding[1];
    f->findings_count = 1;
    f->advised = 0;
    assert_said(&t, 0, "Recommendation: sotto at epsilon 4. It learns from these 6435 people.");
    assert_said(&t, 0, "8 over a life. Play smaller ones, too.");
}

/* Nobody reads that 4,300 are needed and 6,435 could not tell. */
static void people_needed_are_more_than_there_are(void **state)
{
    (void)state;
    table t;
    begin(&t);
    t.finding[0].people_needed = 4300;
    assert_unsaid(&t, 1, "takes about");
    t.finding[0].people_needed = 11234;
    assert_said(&t, 1,
                " To win 25 % takes about 11000 people; there are 6435. That is by sotto "
                "plan alone, which may be far off.");
    t.finding[0].people_compared = true;
    assert_said(&t, 1, "That is by sotto plan and what was won here.");
}

static void intervals_that_say_nothing_are_labelled(void **state)
{
    (void)state;
    table t;
    begin(&t);
    t.line[0].share = (sotto_replay_share){0.65, -0.7, 2};
    assert_said(&t, 1,
                "; it wins -70 to 200 %, so nobody knows yet how much, of the lead of linucb.");
    t.line[0].ahead = (sotto_span){-0.02, 0.02};
    assert_said(
        &t, 1,
        "sotto has a lead over the majority arm between -0.02 and 0.02, which says nothing yet");
    t.summary.findings.gain = 0.1; /* of which a quarter counts */
    assert_unsaid(&t, 1, "says nothing yet");
    t.line[0].ahead = (sotto_span){-0.02, 0.025};
    assert_said(&t, 1, "says nothing yet");
    t.line[0].ahead = (sotto_span){-0.019, 0.025};
    assert_unsaid(&t, 1, "says nothing yet");
    t.line[0].ahead = (sotto_span){0, 0};
    assert_said(&t, 1, "sotto earns the same as the majority arm");
    t.line[0].ahead = (sotto_span){NAN, NAN};
    assert_said(&t, 1, "sotto agrees with too few events to be compared with the majority arm");
}

static void each_reason_has_its_words(void **state)
{
    (void)state;
    const struct {
        sotto_replay_reason reason;
        const char *words;
    } wanted[] = {
        {SOTTO_REASON_UNKNOWN, "Epsilon 1: cannot tell with 10 seeds. sotto is ahead of"},
        {SOTTO_REASON_LEARNT,
         "Epsilon 1: learnt. sotto is ahead of the majority arm by 0.02 (0.01 to 0.03), and is "
         "behind "
         "best-arm by 0.1 (0.05 to 0.15); it wins 65 % (50 to 80 %) of the lead of linucb."},
        {SOTTO_REASON_NO_SIGNAL, "Epsilon 1: nothing to learn. sotto is"},
        {SOTTO_REASON_EXPLORATION, "linucb, which explores, learns it: nothing here shows that"},
        {SOTTO_REASON_PRIVACY, "Epsilon 1: little or nothing learnt, because of privacy. sotto"},
        {SOTTO_REASON_ONE_ARM, "Epsilon 1: worse than one arm for all. sotto"},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        table t;
        begin(&t);
        t.line[0].ahead_best_arm = (sotto_span){-0.15, -0.05};
        t.finding[0].reason = wanted[i].reason;
        assert_said(&t, 1, wanted[i].words);
        assert_unsaid(&t, 1, "Devices refuse");
        t.summary.findings.worth = 0.04; /* which cannot be won */
        assert_unsaid(&t, 1, "little or nothing");
        t.summary.passes = 9;
        t.finding[0].refused = true;
        assert_said(&t, 1, " Devices refuse epsilon 1 times 9 passes by default: they accept 2");
    }
}

/* The longest is not cut. */
static void sentences_fit(void **state)
{
    (void)state;
    table t;
    begin(&t);
    t.summary.passes = t.summary.seeds = UINT32_MAX;
    t.summary.people = UINT64_MAX / 2;
    for (uint32_t i = 0; i < LINES; i++) {
        t.line[i].ahead = t.line[i].ahead_best_arm = (sotto_span){-1.23e-100, 1.23e-100};
        t.line[i].share = (sotto_replay_share){-12345.6, -23456.7, 12345.6};
    }
    t.summary.findings.lead = 1e-200;
    for (int reason = 0; reason < 6; reason++) {
        t.finding[1] = (sotto_replay_finding){.epsilon = 1.23456e-7,
                                              .refused = true,
                                              .reason = (sotto_replay_reason)reason,
                                              .standing = SOTTO_STANDING_FAILS,
                                              .people_needed = UINT64_MAX};
        const char *text = said(&t, 2);
        assert_true(text[strlen(text) - 1] == '.');
        assert_non_null(strstr(text, "over a life."));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_are_no_more_sentences_than_findings),
        cmocka_unit_test(what_is_not_judged_has_no_recommendation),
        cmocka_unit_test(the_first_sentence_says_what_to_do),
        cmocka_unit_test(the_smallest_epsilon_is_recommended),
        cmocka_unit_test(people_needed_are_more_than_there_are),
        cmocka_unit_test(intervals_that_say_nothing_are_labelled),
        cmocka_unit_test(each_reason_has_its_words),
        cmocka_unit_test(sentences_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
