/* Whole replays as others use them: faults, rows, a summary, files and pipes. */
#include "texts.h"
#include "why.h"

#include <sotto/lab/replays.h>

#include <unistd.h>

OWNED(sotto_replay, sotto_replay_free)
OWNED(sotto_replay_summary, sotto_replay_summary_free)

enum { ROWS = 400, SEEDS = 6 };

typedef struct bench {
    directory directory;
    char text[16 * ROWS];
    sotto_schema *schema;
    sotto_replay_request request;
} bench;

static const double epsilons[] = {2, 8};
static const sotto_player players[] = {SOTTO_PLAYER_SOTTO, SOTTO_PLAYER_LINUCB};

/* The label is whether x is above 0.5. */
FIXTURE(set_up)
{
    static bench b;
    size_t at = (size_t)sprintf(b.text, "x,y\n");
    for (uint32_t i = 0; i < ROWS; i++) {
        double x = (i * 37 % 100) / 100.0;
        at += (size_t)sprintf(b.text + at, "%.2f,%c\n", x, x > 0.5 ? 'b' : 'a');
    }
    b.directory = directory_new();
    static const char schema[] = "number x 0 1\nlabel y a b\n";
    file_write(b.directory.other, (const uint8_t *)schema, sizeof schema - 1);
    assert_silent(WHY(sotto_schema_read, b.directory.other, &b.schema));
    text_file(&b.directory, b.text);
    b.request = sotto_replay_request_default();
    b.request.player = players;
    b.request.players_count = 2;
    b.request.epsilon = epsilons;
    b.request.epsilons_count = 2;
    b.request.seeds_count = SEEDS;
    b.request.threads = 2;
    *state = &b;
}

FIXTURE(tear_down)
{
    bench *b = *state;
    sotto_schema_free(b->schema);
    directory_free(&b->directory);
}

static const char *run(bench *b, sotto_replay **out)
{
    return WHY(sotto_replay_run, &b->request, b->schema, b->directory.file, NULL, out);
}

#define assert_faulty(statement, words)                                                            \
    do {                                                                                           \
        sotto_replay_request r = b->request;                                                       \
        statement;                                                                                 \
        sotto_replay *made_ = (void *)&made_;                                                      \
        assert_says(WHY(sotto_replay_run, &r, b->schema, b->directory.file, NULL, &made_),         \
                    why_fault.sentence, words);                                                    \
        assert_null(made_);                                                                        \
    } while (0)

TEST_WITH(what_cannot_be_played_is_named, set_up, tear_down)
{
    bench *b = *state;
    const sotto_player oracle[] = {SOTTO_PLAYER_ORACLE}, stranger[] = {SOTTO_PLAYERS};
    const sotto_player twice[] = {SOTTO_PLAYER_SOTTO, SOTTO_PLAYER_SOTTO};
    const double same[] = {1, 1}, none[] = {NAN, 2};
    const uint64_t falling[] = {3, 3}, far[] = {3, ROWS + 1};
    assert_faulty(r.players_count = 0, "players_count = 0: allowed 1 to 256");
    assert_faulty(r.epsilons_count = 0, "epsilons_count = 0: allowed 1 to 1024");
    assert_faulty(r.seeds_count = 0, "seeds_count = 0");
    assert_faulty(r.passes = 0, "passes = 0");
    assert_faulty(r.threads = 0, "threads = 0: allowed 1 to 1024");
    assert_faulty(r.at_count = SOTTO_POINTS_MAX, "at_count = 4096: allowed 0 to 4095");
    assert_faulty(r.people_max = 0, "people_max = 0");
    assert_faulty(r.clip = NAN, "clip = nan: allowed 1e-06 to 1");
    assert_faulty((r.player = oracle, r.players_count = 1), "method = oracle");
    assert_faulty((r.player = stranger, r.players_count = 1),
                  "player[0] = 17: not one of the known ones (sotto, ...)");
    assert_faulty(r.player = twice, "player[1] = sotto: each method may be given only once");
    assert_faulty(r.epsilon = same, "epsilon = 1: each value may be given only once");
    assert_faulty(r.epsilon = none, "sotto: epsilon = nan");
    assert_faulty((r.at = falling, r.at_count = 2), "at = 3: they must increase");
    assert_faulty((r.at = far, r.at_count = 2), "checkpoint = 401: 400 people are played");
    assert_faulty(r.link = 99, "sotto: link = 99");
}

TEST_WITH(a_file_that_is_broken_makes_no_replay, set_up, tear_down)
{
    bench *b = *state;
    sotto_replay *made = (void *)&made;
    text_file(&b->directory, "x,y\n0.5,a\n0.5,z\n");
    assert_says(run(b, &made), why_fault.sentence, "line 3");
    assert_null(made);
    assert_says(WHY(sotto_replay_run, &b->request, b->schema, "/nowhere", NULL, &made),
                why_fault.sentence, "/nowhere");
}

TEST_WITH(rows_are_of_runs_and_check_points, set_up, tear_down)
{
    bench *b = *state;
    const uint64_t points[] = {10, 100};
    OWN(sotto_replay) made;
    sotto_replay_row row;
    b->request.at = points;
    b->request.at_count = 2;
    assert_silent(run(b, &made));
    assert_int_equal(sotto_replay_rows(made), 6 * SEEDS * 3);
    for (uint32_t i = 0; i < 6 * SEEDS * 3; i++) {
        static const char *const method[] = {"sotto",    "sotto",    "linucb",
                                             "best-arm", "best-arm", "ols"};
        const uint64_t t[] = {10, 100, ROWS};
        assert_true(sotto_replay_row_at(made, i, &row));
        assert_string_equal(row.method, method[i / (SEEDS * 3)]);
        assert_ints(row.seed, 1 + i / 3 % SEEDS, row.t, t[i % 3]);
        assert_true(row.reward + row.regret == (double)row.t);
    }
    assert_true(row.epsilon == INFINITY);
    assert_false(sotto_replay_row_at(made, 6 * SEEDS * 3, &row));
}

TEST_WITH(threads_change_no_row, set_up, tear_down)
{
    bench *b = *state;
    OWN(sotto_replay) one, *four;
    b->request.threads = 1;
    assert_silent(run(b, &one));
    b->request.threads = 4;
    assert_silent(run(b, &four));
    assert_int_equal(sotto_replay_rows(one), sotto_replay_rows(four));
    for (uint64_t i = 0; i < sotto_replay_rows(one); i++) {
        sotto_replay_row first, second;
        assert_true(sotto_replay_row_at(one, i, &first) && sotto_replay_row_at(four, i, &second));
        assert_true(first.reward == second.reward);
    }
}

TEST_WITH(a_summary_has_methods_and_yardsticks, set_up, tear_down)
{
    bench *b = *state;
    char text[SOTTO_VERDICT_BYTES], sentence[SOTTO_SENTENCE_BYTES];
    sotto_replay *made;
    OWN(sotto_replay_summary) summary;
    assert_silent(run(b, &made));
    assert_ok(sotto_replay_summarise(made, &summary));
    sotto_replay_free(made); /* a summary is independent of the replay */
    assert_ints(summary->lines_count, 8, summary->people, ROWS, summary->known, SOTTO_KNOWN_ROWS);
    assert_string_equal(summary->line[2].name, "linucb");
    assert_true(summary->line[2].reward_mean > 0.7);
    assert_strings(summary->line[3].name, "best-arm", summary->line[5].name, "ols");
    assert_true(summary->line[6].yardstick);
    assert_string_equal(sotto_replay_verdict_text(summary->line[2].verdict, SEEDS, text),
                        "better than one arm for all");
    assert_int_equal(summary->findings.explorer_standing, SOTTO_STANDING_WINS);
    assert_int_equal(summary->findings.findings_count, 2);
    assert_true(summary->findings.finding[1].epsilon == 8 && summary->findings.finding[1].refused);
    assert_non_null(sotto_replay_sentence(summary, 2, sentence));
    assert_null(sotto_replay_sentence(summary, 3, sentence));
}

/* A pipe is played once, without a look first. */
TEST_WITH(a_pipe_is_played_once, set_up, tear_down)
{
    bench *b = *state;
    char path[64];
    int ends[2];
    sotto_replay *made;
    sotto_replay_summary *summary;
    for (uint32_t passes = 1; passes <= 2; passes++) {
        assert_ints(pipe(ends), 0, write(ends[1], b->text, strlen(b->text)), strlen(b->text));
        close(ends[1]);
        snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
        b->request.passes = passes;
        const char *said = WHY(sotto_replay_run, &b->request, b->schema, path, NULL, &made);
        close(ends[0]);
        if (passes == 2) {
            assert_says(said, why_fault.sentence, "cannot be read a second time");
            continue;
        }
        assert_silent(said);
        assert_ok(sotto_replay_summarise(made, &summary));
        assert_ints(summary->known, SOTTO_KNOWN_NOTHING, summary->people, ROWS);
        sotto_replay_summary_free(summary);
        sotto_replay_free(made);
    }
}

/* ---- a log -------------------------------------------------------------------------------- */

/* Arms a and b with chances 3/4 and 1/4; a earns x, b earns 1 - x; c is never given. */
static void make_log(bench *b)
{
    static const char schema[] = "number x 0 1\naction a a b c\nreward r 0 1\npropensity p\n";
    size_t at = (size_t)sprintf(b->text, "x,a,r,p\n");
    for (uint32_t i = 0; i < ROWS; i++) {
        int x = (int)(i * 37 % 10);
        bool a = i / 10 % 4 != 0; /* with every x */
        at += (size_t)sprintf(b->text + at, ".%d,%c,.%d,%s\n", x, a ? 'a' : 'b', a ? x : 9 - x,
                              a ? ".75" : ".25");
    }
    sotto_schema_free(b->schema);
    b->schema = NULL;
    file_write(b->directory.other, (const uint8_t *)schema, sizeof schema - 1);
    assert_silent(WHY(sotto_schema_read, b->directory.other, &b->schema));
    text_file(&b->directory, b->text);
}

TEST_WITH(labels_and_yardsticks_have_no_estimates, set_up, tear_down)
{
    bench *b = *state;
    sotto_replay *made;
    sotto_replay_summary *summary;
    sotto_replay_estimates e;
    assert_silent(run(b, &made));
    assert_ok(sotto_replay_summarise(made, &summary));
    assert_status(sotto_replay_estimate_line(made, summary, 0, &e), SOTTO_E_FAULT);
    sotto_replay_summary_free(summary);
    sotto_replay_free(made);
    make_log(b);
    assert_silent(run(b, &made));
    assert_ok(sotto_replay_summarise(made, &summary));
    uint32_t methods = summary->lines_count - 2;
    assert_ok(sotto_replay_estimate_line(made, summary, methods - 1, &e));
    assert_status(sotto_replay_estimate_line(made, summary, methods, &e), SOTTO_E_FAULT);
    sotto_replay_summary_free(summary);
    sotto_replay_free(made);
}

/* Rewards are linear in x, so the model is right to its ridge. */
TEST_WITH(the_estimates_of_a_log_agree, set_up, tear_down)
{
    bench *b = *state;
    const sotto_player random[] = {SOTTO_PLAYER_RANDOM};
    OWN(sotto_replay) made;
    OWN(sotto_replay_summary) summary;
    sotto_replay_estimates e;
    make_log(b);
    b->request.player = random;
    b->request.players_count = 1;
    b->request.seeds_count = 20;
    assert_silent(run(b, &made));
    assert_ok(sotto_replay_summarise(made, &summary));
    assert_ok(sotto_replay_estimate_line(made, summary, 0, &e));
    const sotto_replay_line *line = &summary->line[0];
    assert_string_equal(line->name, "random");
    assert_near(e.by[SOTTO_REPLAY_BY_REPLAY].value, line->replayed.value, 1e-12);
    assert_near(e.by[SOTTO_REPLAY_BY_WEIGHTS].value, line->weighted.value, 1e-12);
    assert_near(e.by[SOTTO_REPLAY_SELF_NORMALISED].value, line->self_normalised, 1e-12);
    assert_true(e.by[SOTTO_REPLAY_BY_WEIGHTS].lo == line->weighted.lo);
    assert_true(e.by[SOTTO_REPLAY_BY_REPLAY].hi == line->replayed.hi);
    /* Arms a and b earn 0.45 in the mean; c is given to one in three, and valued at the log's mean. */
    assert_near(e.by[SOTTO_REPLAY_DIRECT].value, 0.45, 0.01);
    assert_near(e.by[SOTTO_REPLAY_DOUBLY_ROBUST].value, 0.45, 0.01);
    assert_nears(0.05, e.by[SOTTO_REPLAY_BY_WEIGHTS].value, 0.45 * 2 / 3, e.unseen_share, 1.0 / 3);
    for (uint32_t i = 0; i < SOTTO_REPLAY_ESTIMATORS; i++) {
        assert_int_equal(e.by[i].unavailable, SOTTO_UNAVAILABLE_NONE);
        assert_true(e.by[i].lo < e.by[i].value && e.by[i].value < e.by[i].hi);
        assert_true(e.by[i].bootstrap_lo < e.by[i].bootstrap_hi);
    }
}

TEST_WITH(a_log_from_a_pipe_has_no_model, set_up, tear_down)
{
    bench *b = *state;
    char path[64];
    int ends[2];
    OWN(sotto_replay) made;
    OWN(sotto_replay_summary) summary;
    sotto_replay_estimates e;
    make_log(b);
    assert_ints(pipe(ends), 0, write(ends[1], b->text, strlen(b->text)), strlen(b->text));
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    assert_silent(WHY(sotto_replay_run, &b->request, b->schema, path, NULL, &made));
    close(ends[0]);
    assert_ok(sotto_replay_summarise(made, &summary));
    assert_ok(sotto_replay_estimate_line(made, summary, 0, &e));
    assert_int_equal(e.by[SOTTO_REPLAY_BY_WEIGHTS].unavailable, SOTTO_UNAVAILABLE_NONE);
    assert_int_equal(e.by[SOTTO_REPLAY_DIRECT].unavailable, SOTTO_UNAVAILABLE_PIPE);
    assert_int_equal(e.by[SOTTO_REPLAY_DOUBLY_ROBUST].unavailable, SOTTO_UNAVAILABLE_PIPE);
}
