/* The sentences for someone who has to decide, from summaries by hand. */
#include "lab/replay/replay.h"
#include "players.h"
#include "test.h"

OWNED(sotto__replay_figure, sotto__replay_figure_free)

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

TEST(there_are_no_more_sentences_than_findings)
{
    table t;
    char text[SOTTO_SENTENCE_BYTES];
    begin(&t);
    assert_null(sotto_replay_sentence(NULL, 0, text));
    assert_null(sotto_replay_sentence(&t.summary, 0, NULL));
    assert_null(sotto_replay_sentence(&t.summary, 3, text));
    assert_null(sotto_replay_sentence(&t.summary, UINT32_MAX, text));
    assert_non_null(sotto_replay_sentence(&t.summary, 2, text));
}

TEST(what_is_not_judged_has_no_recommendation)
{
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

TEST(the_first_sentence_says_what_to_do)
{
    table t;
    begin(&t);
    sotto_replay_findings *f = &t.summary.findings;
    f->advice = SOTTO_ADVICE_ONE_ARM;
    f->certain = true;
    assert_string_equal(
        said(&t, 0),
        "Recommendation: one arm for all (best-arm). With these 6435 "
        "people no private method with a context beats both the majority arm and best-arm.");
    f->certain = false;
    assert_string_equal(
        said(&t, 0),
        "Recommendation: one arm for all (best-arm), until more is known. With these 6435 people "
        "and 10 seeds no private method is certain to beat both the majority arm and best-arm. "
        "More seeds may decide it.");
    f->advice = SOTTO_ADVICE_NOTHING;
    t.line[4].ahead = (sotto_span){-0.0021, 0.0004};
    assert_string_equal(
        said(&t, 0),
        "Recommendation: nothing to learn from contexts; give everybody one arm (best-arm finds "
        "it). Even without privacy, linucb is at most 0.0004 per person ahead of the majority arm "
        "on these 6435 people; a lead below 0.02 counts as none.");
    t.line[4].ahead = (sotto_span){-0.01, 0};
    assert_said(&t, 0, "linucb is not ahead of the majority arm on");
    t.summary.log = t.summary.same = true;
    assert_said(&t, 0, "All rewards are the same.");
}

TEST(few_people_get_no_recommendation)
{
    table t;
    begin(&t);
    t.summary.people = 99;
    assert_non_null(strstr(said(&t, 0), "No recommendation: 99 people are too few to compare"));
    t.summary.people = 100;
    assert_null(strstr(said(&t, 0), "too few to compare"));
}

TEST(the_smallest_epsilon_is_recommended)
{
    table t;
    begin(&t);
    sotto_replay_findings *f = &t.summary.findings;
    f->advice = SOTTO_ADVICE_RUN;
    assert_string_equal(said(&t, 0), "Recommendation: sotto at epsilon 1, the smallest played that "
                                     "learns from these 6435 people.");
    t.line[1].player = SOTTO_PLAYER_BEST_ARM;
    t.line[0].epsilon = t.line[1].epsilon = 1;
    t.line[0].reward_mean = 0.5097, t.line[1].reward_mean = 0.5112;
    assert_said(&t, 0,
                " Learning costs reward: over all of them it earns 0.5097 per person, best-arm "
                "0.5112, so it pays only if more people come.");
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

/* A sentence never says that 4,300 are needed where 6,435 people could not tell. */
TEST(people_needed_are_more_than_there_are)
{
    table t;
    begin(&t);
    t.finding[0].people_needed = 4300;
    assert_unsaid(&t, 1, "takes about");
    t.finding[0].people_needed = 11234;
    assert_said(
        &t, 1,
        " To win 25 % takes about 11000 people; there are 6435. This estimate is from sotto plan "
        "only, and may be far off.");
    t.finding[0].people_compared = true;
    assert_said(&t, 1, "This estimate is from sotto plan and the gain here.");
}

TEST(intervals_that_say_nothing_are_labelled)
{
    table t;
    begin(&t);
    t.line[0].share = (sotto_replay_share){0.65, -0.7, 2};
    assert_said(&t, 1,
                "; it wins -70 to 200 % (not known more precisely yet) of the lead of linucb.");
    t.line[0].ahead = (sotto_span){-0.02, 0.02};
    assert_said(&t, 1,
                "sotto earns between 0.02 less and 0.02 more than the majority arm, so nothing is "
                "known yet");
    t.summary.findings.gain = 0.1; /* of which a quarter counts */
    assert_unsaid(&t, 1, "so nothing is known yet");
    assert_said(&t, 1, "more than the majority arm, so it is not known yet which one is ahead");
    t.line[0].ahead = (sotto_span){-0.02, 0.019};
    assert_unsaid(&t, 1, "which one is ahead");
    t.line[0].ahead = (sotto_span){-0.02, 0.025};
    assert_said(&t, 1, "so nothing is known yet");
    t.line[0].ahead = (sotto_span){-0.019, 0.025};
    assert_unsaid(&t, 1, "so nothing is known yet");
    t.line[0].ahead = (sotto_span){0, 0};
    assert_said(&t, 1, "sotto earns the same as the majority arm");
    t.line[0].ahead = (sotto_span){NAN, NAN};
    assert_said(&t, 1, "sotto agrees with too few events to be compared with the majority arm");
}

TEST(each_reason_has_its_words)
{
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
        t.summary.findings.lead_min = 0.04; /* more than can be won */
        assert_unsaid(&t, 1, "little or nothing");
        t.summary.passes = 9;
        t.finding[0].refused = true;
        assert_said(&t, 1, " Devices refuse epsilon 1 times 9 passes by default: they accept 2");
    }
}

TEST(a_log_says_from_how_many_events_is_learnt)
{
    table t;
    begin(&t);
    static const char wanted[] =
        " It learns only from events on which it agrees with the log: 2981 of 6435.";
    t.finding[0].reason = SOTTO_REASON_PRIVACY;
    t.line[0].learnt = 2980.8;
    assert_unsaid(&t, 1, wanted);
    t.summary.log = true;
    assert_said(&t, 1, wanted);
    t.finding[0].reason = SOTTO_REASON_LEARNT;
    assert_unsaid(&t, 1, wanted);
}

/* At an epsilon best-arm may earn less than the best arm in hindsight, and a method may lie between
 * them. */
TEST(a_method_ahead_of_best_arm_only_does_not_contradict_the_advice)
{
    table t;
    begin(&t);
    t.summary.log = true;
    t.summary.findings.advice = SOTTO_ADVICE_ONE_ARM;
    t.summary.findings.certain = true;
    t.line[0].ahead = (sotto_span){-0.047, -0.018};
    t.line[0].ahead_best_arm = (sotto_span){0.0033, 0.013};
    assert_said(&t, 1, "is ahead of best-arm by");
    assert_said(&t, 0,
                "no private method with a context beats both the best fixed arm and best-arm.");
    t.line[0].share = (sotto_replay_share){-0.003, -0.06, 0.06};
    assert_said(&t, 1, "; it wins 0 % (-6 to 6 %) of the lead of linucb");
}

/* The longest sentence is not cut. */
TEST(sentences_fit)
{
    table t;
    begin(&t);
    t.summary.passes = t.summary.seeds = UINT32_MAX;
    t.summary.people = UINT64_MAX / 2;
    for (uint32_t i = 0; i < LINES; i++) {
        t.line[i].ahead = t.line[i].ahead_best_arm = (sotto_span){-1.23e-100, 1.23e-100};
        t.line[i].share = (sotto_replay_share){-12345.6, -23456.7, 12345.6};
    }
    t.summary.findings.lead = 1e-200;
    t.line[2].learnt = 1e19;
    for (int row = 0; row < 12; row++) {
        const int reason = row % 6;
        t.summary.log = row >= 6;
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

/* The curves of a replay, from a summary by hand. */

static sotto_replay_line private_line(sotto_player player, double epsilon, double mean)
{
    return (sotto_replay_line){.player = player,
                               .epsilon = epsilon,
                               .reward_mean = mean,
                               .reward_se = 0.01,
                               .weighted = {mean + 1, mean + 0.5, mean + 2}};
}

/* sotto at three epsilons in no order, linucb, ldp-sgd at the same, then the yardsticks. */
static void set_lines(sotto_replay_line line[9])
{
    const double epsilon[] = {2, 0.5, 8};
    for (uint32_t i = 0; i < 3; i++) {
        line[i] = private_line(SOTTO_PLAYER_SOTTO, epsilon[i], 0.1 * epsilon[i]);
        line[4 + i] = private_line(SOTTO_PLAYER_LDP_SGD, epsilon[i], 0.05 * epsilon[i]);
    }
    line[3] = private_line(SOTTO_PLAYER_LINUCB, INFINITY, 0.9);
    line[7] = private_line(SOTTO_PLAYER_SOTTO, INFINITY, 0.6);
    line[8] = private_line(SOTTO_PLAYER_SOTTO, INFINITY, 0.5);
    line[7].yardstick = line[8].yardstick = true;
}

static void assert_points(const sotto__curve *curve, const double *x, const double *y, double below,
                          double above, uint32_t count)
{
    assert_int_equal(curve->count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_nears(1e-12, curve->x[i], x[i], curve->y[i], y[i], curve->lo[i], y[i] - below);
        assert_near(curve->hi[i], y[i] + above, 1e-12);
    }
}

TEST(a_replay_without_privacy_has_points_without_a_place)
{
    sotto_replay_line line[9];
    set_lines(line);
    sotto_replay_line open[] = {line[3], line[7], line[8]};
    const sotto_replay_summary summary = {.lines_count = 3, .line = open};
    OWN(sotto__replay_figure) f;
    sotto__replay_figure_free(NULL);
    assert_ok(sotto__replay_figure_new(&summary, "drawn", "people.csv", false, &f));
    assert_int_equal(f->figure.panel[0].curves_count, 2);
    for (uint32_t c = 0; c < 2; c++) {
        assert_int_equal(f->curve[c].count, 1);
        assert_true(isinf(f->curve[c].x[0])); /* which a figure omits */
    }
}

TEST(a_method_is_a_curve_and_what_has_no_epsilon_a_level)
{
    sotto_replay_line line[9];
    set_lines(line);
    const sotto_replay_summary summary = {.lines_count = 9, .line = line, .passes = 1};
    const double x[] = {0.5, 2, 8}, ends[] = {0.5, 8};
    OWN(sotto__replay_figure) f;
    assert_ok(sotto__replay_figure_new(&summary, "drawn", "people.csv", false, &f));
    assert_ints(f->figure.panels_count, 1, f->figure.panel[0].curves_count, 4);
    const sotto__curve *curve = f->figure.panel[0].curve;
    assert_points(&curve[0], x, (double[]){0.05, 0.2, 0.8}, 0.01, 0.01, 3);
    assert_points(&curve[1], ends, (double[]){0.9, 0.9}, 0.01, 0.01, 2);
    assert_points(&curve[2], x, (double[]){0.025, 0.1, 0.4}, 0.01, 0.01, 3);
    assert_points(&curve[3], ends, (double[]){0.6, 0.6}, 0.01, 0.01, 2);
    assert_ints(curve[0].player, SOTTO_PLAYER_SOTTO, curve[2].player, SOTTO_PLAYER_LDP_SGD);
    assert_int_equal(curve[3].player, SOTTO_PLAYER_ORACLE);
    assert_null(curve[1].label);
    assert_string_equal(curve[3].label, "the majority arm");
    assert_string_equal(f->figure.panel[0].y_label, "reward per person");
}

TEST(a_table_of_rewards_has_a_best_arm)
{
    sotto_replay_line line[9];
    set_lines(line);
    const sotto_replay_summary summary = {.by_table = true, .lines_count = 9, .line = line};
    OWN(sotto__replay_figure) f;
    assert_ok(sotto__replay_figure_new(&summary, "drawn", "people.csv", false, &f));
    assert_string_equal(f->curve[3].label, "the best fixed arm");
}

/* The estimate and its interval instead of the mean and its standard error. */
TEST(a_log_is_drawn_by_its_value)
{
    sotto_replay_line line[9];
    set_lines(line);
    const sotto_replay_summary summary = {.log = true, .lines_count = 9, .line = line};
    OWN(sotto__replay_figure) f;
    assert_ok(sotto__replay_figure_new(&summary, "drawn", "log.csv", false, &f));
    assert_points(&f->curve[0], (double[]){0.5, 2, 8}, (double[]){1.05, 1.2, 1.8}, 0.5, 1, 3);
    assert_strings(f->curve[3].label, "the best fixed arm", f->figure.band, "95 % interval");
}

TEST(the_prefix_is_a_directory_and_a_name)
{
    static const struct {
        const char *prefix, *directory, *name;
    } wanted[] = {{"drawn", ".", "drawn"}, {"/drawn", "/", "drawn"}, {"a/b/drawn", "a/b", "drawn"}};
    sotto_replay_line line[9];
    set_lines(line);
    const sotto_replay_summary summary = {.lines_count = 9, .line = line, .passes = 2};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        OWN(sotto__replay_figure) f;
        assert_ok(sotto__replay_figure_new(&summary, wanted[i].prefix, "x/people.csv", i > 0, &f));
        assert_strings(f->directory, wanted[i].directory, f->figure.name, wanted[i].name);
        assert_string_equal(f->figure.title,
                            i > 0 ? "people.csv (ranges from people's rows)" : "people.csv");
        assert_string_equal(f->figure.panel[0].y_label, "reward per person, over all passes");
    }
}

/* The checkpoints of a run, from sums by hand. */

typedef struct game {
    sotto_match match[2];
    sotto__replay_run run[4]; /* two matches with two seeds */
    sotto__replay_point point[2];
    sotto__replay replay;
} game;

static void begin_rows(game *g)
{
    *g = (game){.match = {match_of(SOTTO_PLAYER_SOTTO, SOTTO_PARAMETERS_PER_ARM, 2, 2),
                          match_of(SOTTO_PLAYER_OLS, SOTTO_PARAMETERS_PER_ARM, 2, 2)}};
    g->match[0].spec.epsilon = 0.5;
    for (uint32_t r = 0; r < 4; r++) {
        g->run[r] =
            (sotto__replay_run){.match = &g->match[r / 2], .point = g->point, .points_count = 2};
    }
    g->replay =
        (sotto__replay){.settings = {.match = g->match, .matches_count = 2, .seeds_count = 2},
                        .runs_count = 4,
                        .run = g->run};
}

TEST(a_log_that_agreed_with_nobody_has_no_value)
{
    game g;
    begin_rows(&g);
    g.point[0].t = 5;
    sotto_replay_row row = sotto__replay_row_of(&g.replay, 0, 0);
    assert_int_equal(row.learnt, 0);
    assert_true(isnan(row.replayed.value) && isnan(row.replayed.lo) && isnan(row.self_normalised));
    assert_true(row.effective_size == 0);
}

TEST(a_row_names_its_run)
{
    game g;
    begin_rows(&g);
    g.point[1] = (sotto__replay_point){.t = 100, .reward = 61, .best = 100};
    sotto_replay_row first = sotto__replay_row_of(&g.replay, 0, 1);
    sotto_replay_row last = sotto__replay_row_of(&g.replay, 3, 1);
    assert_string_equal(first.method, "sotto");
    assert_true(first.epsilon == 0.5);
    assert_int_equal(first.seed, 1);
    assert_string_equal(last.method, "ols");
    assert_true(isinf(last.epsilon)); /* whatever its spec says */
    assert_ints(last.seed, 2, last.t, 100);
    assert_true(last.reward == 61 && last.regret == 39);
    assert_int_equal(sotto__replay_row_of(&g.replay, 2, 0).seed, 1);
    assert_int_equal(sotto__replay_row_of(&g.replay, 2, 0).t, 0);
}

/* Learnt from: rewards 1 and 0. Agreed: the same and another 1, at propensities 0.5, 0.5, 0.25, of
 * 10 events: w = 2, 2, 4, so that value (2 + 0 + 4)/10, self-normalised 6/8, effective 64/24. */
TEST(a_log_is_valued_by_all_its_events)
{
    game g;
    begin_rows(&g);
    sotto__replay_point *p = &g.point[0];
    p->t = 10;
    sotto__off_policy_add(&p->replayed, 1, 1, 0);
    sotto__off_policy_add(&p->replayed, 0, 1, 0);
    sotto__off_policy_add(&p->weighted, 1, 0.5, 0.01);
    sotto__off_policy_add(&p->weighted, 0, 0.5, 0.01);
    sotto__off_policy_add(&p->weighted, 1, 0.25, 0.01);
    sotto_replay_row row = sotto__replay_row_of(&g.replay, 0, 0);
    assert_int_equal(row.learnt, 2);
    assert_nears(1e-12, row.replayed.value, 0.5, row.weighted.value, 0.6);
    assert_nears(1e-12, row.self_normalised, 0.75, row.effective_size, 64.0 / 24);
    assert_true(row.weighted.lo < 0.6 && row.weighted.hi > 0.6);
}
