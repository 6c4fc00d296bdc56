/* Every call of the lab that computes gives the same answer in every floating-point environment of
 * the caller, and gives that environment back. tests/boundary sees that no function is missing. */
#include "checked.h"
#include "float_modes.h"
#include "folder.h"
#include "test.h"

#include <sotto/lab.h>

#include <fenv.h>
#include <stdio.h>
#include <string.h>

#define DIM 3
#define ARMS 3
#define HORIZON 200

/* All that calls have said, in order. */
typedef struct transcript {
    uint8_t bytes[1 << 16];
    size_t count;
} transcript;

static void note(transcript *t, const void *bytes, size_t count)
{
    assert_true(count <= sizeof t->bytes - t->count);
    memcpy(t->bytes + t->count, bytes, count);
    t->count += count;
}
#define NOTE(t, value) note(t, &(value), sizeof(value))

static void note_text(transcript *t, const char *text)
{
    note(t, text == NULL ? "none" : text, text == NULL ? 4 : strlen(text));
}

typedef void play_function(const float_mode *mode, transcript *t);

/* A sanitizer sees the same loads in all of them. */
#define MODES_MAX (LOADS_ARE_CHECKED ? 2 : float_modes_count)

static void assert_same_everywhere(play_function *play)
{
    static transcript wanted, got;
    wanted.count = 0;
    play(&float_modes[0], &wanted);
    assert_true(wanted.count > 0);
    for (size_t m = 1; m < MODES_MAX; m++) {
        if (!float_mode_exists(&float_modes[m])) continue;
        got.count = 0;
        play(&float_modes[m], &got);
        assert_int_equal(got.count, wanted.count);
        for (size_t i = 0; i < got.count; i++) {
            if (got.bytes[i] == wanted.bytes[i]) continue;
            fail_msg("%s: byte %zu of %zu differs", float_modes[m].name, i, got.count);
        }
    }
}

/* ---- matches, sweeps, comparisons --------------------------------------------------------- */

static const sotto_scene scene = {.dim = DIM, .arms = ARMS, .horizon = HORIZON};

static bool take(void *state, uint64_t run, const sotto_point *point,
                 const sotto_run_result *result)
{
    (void)run, (void)result;
    assert_int_equal(fegetround(), FE_TONEAREST); /* listeners hear in the default one, too */
    NOTE((transcript *)state, *point);
    return true;
}

static void play_match(const float_mode *mode, transcript *t)
{
    sotto_match match;
    sotto_status status;
    const char *fault;
    char text[SOTTO_FAULT_BYTES];
    sotto_point point[] = {{.t = HORIZON}};
    sotto_run_result result;
    sotto_assumptions assumptions;
    bool finished;
    UNDER(mode, match = sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &scene,
                                            1.1, 1e-6));
    UNDER(mode, status = sotto_match_set_learning(&match));
    assert_ok(status);
    NOTE(t, match.spec.reward_hi);
    NOTE(t, match.learning.eta0);
    UNDER(mode, status = sotto_match_play(&match, 3, point, 1, NULL, &result, &finished));
    assert_ok(status);
    NOTE(t, point[0]);
    const uint64_t at[] = {HORIZON};
    const sotto_sweep sweep = {.match = &match,
                               .matches_count = 1,
                               .first_seed = 1,
                               .seeds_count = 2,
                               .at = at,
                               .at_count = 1,
                               .threads = 1};
    const sotto_sweep_listener listener = {.finished = take, .state = t};
    UNDER(mode, status = sotto_sweep_run(&sweep, &listener));
    assert_ok(status);
    UNDER(mode, status = sotto_assumptions_estimate(&match, 1, 200, &assumptions));
    assert_ok(status);
    NOTE(t, assumptions.kappa_u);
    NOTE(t, assumptions.random_regret);
    match.environment.noise = -0.1;
    UNDER(mode, fault = sotto_match_fault(&match, text));
    note_text(t, fault);
}

static void play_comparison(const float_mode *mode, transcript *t)
{
    static const sotto_player players[] = {SOTTO_PLAYER_LDP_OLS, SOTTO_PLAYER_OLS};
    sotto_comparison *comparison, *again;
    sotto_comparison_line line[2];
    sotto_comparison_row row;
    sotto_status status;
    const char *fault;
    char text[SOTTO_FAULT_BYTES];
    sotto_comparison_request request = sotto_comparison_request_default(&scene);
    request.player = players;
    request.players_count = 2;
    request.seeds = 2;
    UNDER(mode, fault = sotto_comparison_request_fault(&request, text));
    note_text(t, fault);
    UNDER(mode, status = sotto_comparison_new(&request, &comparison));
    assert_ok(status);
    const sotto_sweep *sweep = sotto_comparison_sweep(comparison);
    UNDER(mode, status = sotto_comparison_of_sweep(sweep, &again));
    assert_ok(status);
    sotto_comparison_free(again);
    UNDER(mode, status = sotto_comparison_play(comparison, NULL));
    assert_ok(status);
    for (uint64_t i = 0; sotto_comparison_row_at(comparison, i, &row); i++) {
        UNDER(mode, sotto_comparison_row_csv(&row, text));
        note_text(t, text);
    }
    folder where = folder_new();
    static char shard[1 << 16];
    UNDER(mode, fault = sotto_comparison_write_shard(comparison, 1, 2, where.file, text));
    assert_null(fault);
    shard[file_read(where.file, (uint8_t *)shard, sizeof shard - 1)] = '\0';
    note_text(t, shard);
    folder_free(&where);
    UNDER(mode, status = sotto_comparison_summarise(comparison, line, 2));
    assert_ok(status);
    for (int i = 0; i < 2; i++) {
        NOTE(t, line[i].regret_mean);
        NOTE(t, line[i].regret_se);
        NOTE(t, line[i].regret_p90);
        NOTE(t, line[i].cost);
    }
    sotto_comparison_free(comparison);
}

/* ---- mechanisms and audits ---------------------------------------------------------------- */

static void play_mechanism(const float_mode *mode, transcript *t)
{
    const double x[DIM] = {.1, .2, -.7};
    double estimate[DIM];
    char text[SOTTO_FAULT_BYTES];
    const char *fault;
    static sotto_audit_result audited;
    for (uint32_t k = 0; sotto_mechanism_kind_name(k) != NULL; k++) {
        sotto_mechanism_settings settings;
        sotto_mechanism *mechanism;
        sotto_status status;
        UNDER(mode, settings = sotto_mechanism_default((sotto_mechanism_kind)k, DIM, 1.3));
        settings.seeded = true;
        UNDER(mode, fault = sotto_mechanism_fault(&settings, text));
        note_text(t, fault);
        UNDER(mode, status = sotto_mechanism_new(&settings, &mechanism));
        assert_ok(status);
        for (int i = 0; i < 5; i++) {
            UNDER(mode, status = sotto_mechanism_draw(mechanism, x, estimate));
            assert_ok(status);
            NOTE(t, estimate);
        }
        sotto_mechanism_free(mechanism);
        sotto_audit_settings audit = sotto_audit_default(&settings);
        audit.trials = 500;
        UNDER(mode, status = sotto_audit_run(&audit, NULL, &audited));
        assert_ok(status);
        NOTE(t, audited.epsilon_lower);
        for (uint32_t i = 0; i < audited.rows_count; i++) {
            NOTE(t, audited.row[i].statistic);
            NOTE(t, audited.row[i].p_value);
        }
        audit.alpha = 0.7;
        UNDER(mode, fault = sotto_audit_fault(&audit, text));
        note_text(t, fault);
    }
}

static void play_loan(const float_mode *mode, transcript *t)
{
    sotto_loan *loan;
    const char *wrong;
    char text[SOTTO_FAULT_BYTES];
    UNDER(mode, wrong = sotto_loan_open(NULL, &loan, text));
    assert_null(wrong);
    const sotto_population *population = sotto_loan_population(loan);
    note(t, population->theta, population->dim * sizeof population->theta[0]);
    sotto_loan_free(loan);
}

static void play_paper(const float_mode *mode, transcript *t)
{
    sotto_paper_moments moments;
    sotto_paper_comparison comparison;
    static sotto_paper_comparison grid[SOTTO_PAPER_GRID_MAX];
    UNDER(mode, moments = sotto_paper_moments_calibrate(1.1, 1e-5, 2));
    NOTE(t, moments);
    UNDER(mode, comparison = sotto_paper_compare(1.1, 1e-5, 2));
    NOTE(t, comparison.paper_square);
    NOTE(t, comparison.exact_square);
    UNDER(mode, sotto_paper_grid(NULL, NULL, NULL, grid));
    NOTE(t, grid[17].exact_product);
}

/* ---- plans -------------------------------------------------------------------------------- */

static void play_plan(const float_mode *mode, transcript *t)
{
    static sotto_plan_answers answers;
    sotto_plan_question question;
    sotto_plan_point point[2] = {{.people = 50}, {.people = 5000}}, curve[3];
    sotto_plan plan;
    sotto_floor floor;
    sotto_status status;
    uint64_t people, within;
    const char *fault;
    char text[SOTTO_FAULT_BYTES];
    sotto_match match =
        sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &scene, 1.1, 1e-6);
    assert_ok(sotto_match_set_learning(&match));
    UNDER(mode, fault = sotto_plan_fault(&match, text));
    note_text(t, fault);
    UNDER(mode, status = sotto_floor_of(&match, &floor));
    assert_ok(status);
    NOTE(t, floor.proved);
    UNDER(mode, status = sotto_plan_make(&match, &plan));
    assert_ok(status);
    NOTE(t, plan.reach);
    UNDER(mode, sotto_plan_predict(&plan, point, 2));
    NOTE(t, point[1].regret);
    UNDER(mode, sotto_plan_curve(&plan, curve, 3));
    NOTE(t, curve[1].regret);
    UNDER(mode, people = sotto_plan_people(&plan, 0.01));
    NOTE(t, people);
    UNDER(mode, within = sotto_plan_within(&plan, 0.05));
    NOTE(t, within);
    sotto_plan_measuring measuring;
    UNDER(mode, sotto_plan_measure(&plan, 0.1, 0, &measuring));
    NOTE(t, measuring.price);
    NOTE(t, measuring.people);
    UNDER(mode, question = sotto_plan_question_default(&match));
    UNDER(mode, fault = sotto_plan_question_fault(&question, text));
    note_text(t, fault);
    UNDER(mode, status = sotto_plan_question_answer(&question, &answers));
    assert_ok(status);
    NOTE(t, answers.of[0].share);
    NOTE(t, answers.half[0].regret_ratio);
}

/* ---- files -------------------------------------------------------------------------------- */

static void play_dataset(const float_mode *mode, const sotto_schema *schema, const char *path,
                         transcript *t)
{
    sotto_dataset *dataset;
    sotto_people *people;
    const char *wrong;
    char text[SOTTO_FAULT_BYTES];
    UNDER(mode, wrong = sotto_dataset_open(schema, path, &dataset, text));
    assert_null(wrong);
    assert_ok(sotto_people_new(sotto_schema_dim(schema), &people));
    UNDER(mode, wrong = sotto_dataset_next(dataset, people, text));
    assert_null(wrong);
    note(t, people->context, people->rows * people->dim * sizeof *people->context);
    sotto_people_free(people);
    sotto_dataset_close(dataset);
}

static void play_replay(const float_mode *mode, transcript *t)
{
    static const char rows[] = "x,z,y\n.1,3e-3,a\n.77,2e-310,b\n.3,.7,a\n.9,.1,b\n.55,.2,b\n";
    folder f = folder_new();
    sotto_draft draft = sotto_draft_default();
    sotto_schema *drafted, *schema;
    sotto_replay *replay;
    sotto_replay_row row;
    sotto_replay_summary *summary;
    const char *wrong;
    bool there;
    sotto_status status;
    char text[SOTTO_FAULT_BYTES], sentence[SOTTO_SENTENCE_BYTES];
    draft.label = "y";
    file_write(f.file, (const uint8_t *)rows, sizeof rows - 1);
    UNDER(mode, wrong = sotto_schema_draft(&draft, f.file, &drafted, text));
    assert_null(wrong);
    UNDER(mode, wrong = sotto_schema_write(drafted, f.other, text));
    assert_null(wrong);
    UNDER(mode, wrong = sotto_schema_read(f.other, &schema, text));
    assert_null(wrong);
    play_dataset(mode, schema, f.file, t);
    sotto_replay_request request = sotto_replay_request_default();
    request.passes = 20;
    UNDER(mode, wrong = sotto_replay_request_fault(&request, false, text));
    assert_null(wrong);
    UNDER(mode, wrong = sotto_replay_run(&request, schema, f.file, NULL, &replay, text));
    assert_null(wrong);
    for (uint64_t i = 0; i < sotto_replay_rows(replay); i++) {
        UNDER(mode, there = sotto_replay_row_at(replay, i, &row));
        assert_true(there);
        NOTE(t, row.reward);
    }
    UNDER(mode, status = sotto_replay_summarise(replay, &summary));
    assert_ok(status);
    NOTE(t, summary->line[0].reward_mean);
    NOTE(t, summary->line[0].reward_se);
    UNDER(mode, wrong = sotto_replay_sentence(summary, 0, sentence));
    assert_ptr_equal(wrong, sentence);
    sotto_replay_summary_free(summary);
    sotto_replay_free(replay);
    sotto_schema_free(schema);
    sotto_schema_free(drafted);
    folder_free(&f);
}

static void play_log(const float_mode *mode, transcript *t)
{
    static const char rules[] =
        "number x 0 1\naction a p q\nreward r 0 1\npropensity constant .5\n";
    char rows[2048];
    folder f = folder_new();
    sotto_schema *schema;
    sotto_replay *replay;
    sotto_replay_summary *summary;
    sotto_replay_estimates e;
    const char *wrong;
    sotto_status status;
    char text[SOTTO_FAULT_BYTES];
    size_t at = (size_t)sprintf(rows, "x,a,r\n");
    for (int i = 0; i < 60; i++) {
        at += (size_t)sprintf(rows + at, "%.2e,%c,.%d\n", i % 7 == 0 ? 2e-310 : i / 61.0,
                              i % 3 ? 'p' : 'q', i * 13 % 97);
    }
    file_write(f.file, (const uint8_t *)rows, at);
    file_write(f.other, (const uint8_t *)rules, sizeof rules - 1);
    UNDER(mode, wrong = sotto_schema_read(f.other, &schema, text));
    assert_null(wrong);
    const sotto_replay_request request = sotto_replay_request_default();
    UNDER(mode, wrong = sotto_replay_run(&request, schema, f.file, NULL, &replay, text));
    assert_null(wrong);
    UNDER(mode, status = sotto_replay_summarise(replay, &summary));
    assert_ok(status);
    UNDER(mode, status = sotto_replay_estimate_line(replay, summary, 0, &e));
    assert_ok(status);
    for (uint32_t i = 0; i < SOTTO_REPLAY_ESTIMATORS; i++) {
        NOTE(t, e.by[i].value);
        NOTE(t, e.by[i].hi);
        NOTE(t, e.by[i].bootstrap_lo);
    }
    sotto_replay_summary_free(summary);
    sotto_replay_free(replay);
    sotto_schema_free(schema);
    folder_free(&f);
}

static void runs_are_the_same(void **state)
{
    (void)state;
    assert_same_everywhere(play_match);
    assert_same_everywhere(play_comparison);
    assert_same_everywhere(play_loan);
}

static void mechanisms_and_audits_are_the_same(void **state)
{
    (void)state;
    assert_same_everywhere(play_mechanism);
    assert_same_everywhere(play_paper);
}

static void plans_are_the_same(void **state)
{
    (void)state;
    assert_same_everywhere(play_plan);
}

static void replays_are_the_same(void **state)
{
    (void)state;
    assert_same_everywhere(play_replay);
    assert_same_everywhere(play_log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_the_same),
        cmocka_unit_test(mechanisms_and_audits_are_the_same),
        cmocka_unit_test(plans_are_the_same),
        cmocka_unit_test(replays_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
