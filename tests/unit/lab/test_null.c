/* Every public function of lab.h with each of its pointers missing in turn. tests/boundary sees
 * that none is forgotten. */
#include "directory.h"
#include "missing.h"

#include <sotto/lab.h>

#define POINTS 2

typedef struct fixture {
    sotto_scene scene;
    sotto_match match;
    sotto_mechanism_settings settings;
    sotto_mechanism *mechanism;
    sotto_plan plan;
    sotto_plan_question question;
    sotto_plan_point curve[POINTS];
    sotto_point point[1];
    sotto_run_result result;
    bool finished;
    sotto_audit_settings audit;
    sotto_comparison_request request;
    sotto_comparison *comparison;
    directory directory;
    sotto_schema *schema;
    char text[SOTTO_FAULT_BYTES];
    sotto_fault fault;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f.scene = (sotto_scene){.dim = 3, .arms = 3, .horizon = 100};
    f.match = sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &f.scene, 1, 1e-6);
    assert_ok(sotto_match_set_learning(&f.match));
    assert_ok(sotto_plan_make(&f.match, &f.plan));
    f.question = sotto_plan_question_default(&f.match);
    f.settings = sotto_mechanism_default(SOTTO_MECHANISM_CODEBOOK, 3, 1);
    assert_ok(sotto_mechanism_new(&f.settings, &f.mechanism));
    f.audit = sotto_audit_default(&f.settings);
    f.audit.trials = 100;
    f.point[0] = (sotto_point){.t = 100};
    f.request = sotto_comparison_request_default(&f.scene);
    f.request.seeds = 1;
    assert_ok(sotto_comparison_new(&f.request, &f.comparison));
    assert_ok(sotto_comparison_play(f.comparison, NULL));
    static const char rows[] = "x,y\n1,a\n2,b\n3,a\n";
    sotto_draft draft = sotto_draft_default();
    draft.label = "y";
    f.directory = directory_new();
    file_write(f.directory.file, (const uint8_t *)rows, sizeof rows - 1);
    assert_ok(sotto_schema_draft(&draft, f.directory.file, &f.schema, &f.fault));
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    sotto_mechanism_free(((fixture *)*state)->mechanism);
    sotto_comparison_free(((fixture *)*state)->comparison);
    sotto_schema_free(((fixture *)*state)->schema);
    directory_free(&((fixture *)*state)->directory);
    return 0;
}

TEST_WITH(a_status_says_that_a_pointer_is_missing, set_up, tear_down)
{
    fixture *f = *state;
    static sotto_plan_answers answers;
    static sotto_audit_result audited;
    sotto_mechanism *made;
    sotto_assumptions assumptions;
    double x[3] = {0}, estimate[3];
    assert_not_made(sotto_mechanism_new(NULL, &made), made);
    assert_refused(sotto_mechanism_new(&f->settings, NULL));
    assert_refused(sotto_mechanism_draw(NULL, x, estimate));
    assert_refused(sotto_mechanism_draw(f->mechanism, NULL, estimate));
    assert_refused(sotto_mechanism_draw(f->mechanism, x, NULL));
    assert_refused(sotto_match_set_learning(NULL));
    sotto_match_set_clock(NULL, 1, 1, 1);
    assert_refused(sotto_assumptions_estimate(NULL, 1, 100, &assumptions));
    assert_refused(sotto_assumptions_estimate(&f->match, 1, 100, NULL));
    assert_refused(sotto_plan_make(NULL, &f->plan));
    assert_refused(sotto_plan_make(&f->match, NULL));
    sotto_floor floor;
    assert_refused(sotto_floor_of(NULL, &floor));
    assert_refused(sotto_floor_of(&f->match, NULL));
    assert_refused(sotto_plan_question_answer(NULL, &answers));
    assert_refused(sotto_plan_question_answer(&f->question, NULL));
    const sotto_audit_progress progress = {0};
    assert_refused(sotto_audit_run(NULL, &progress, &audited));
    assert_refused(sotto_audit_run(&f->audit, &progress, NULL));
    sotto_mechanism_free(NULL);
}

TEST_WITH(a_match_without_points_or_a_place_for_its_result_is_not_played, set_up, tear_down)
{
    fixture *f = *state;
    const sotto_run_watch watch = {0};
    assert_refused(sotto_match_play(NULL, 1, f->point, 1, &watch, &f->result, &f->finished));
    assert_refused(sotto_match_play(&f->match, 1, NULL, 1, &watch, &f->result, &f->finished));
    assert_refused(sotto_match_play(&f->match, 1, f->point, 1, &watch, NULL, &f->finished));
    assert_refused(sotto_match_play(&f->match, 1, f->point, 1, &watch, &f->result, NULL));
    const sotto_sweep sweep = {0};
    const sotto_sweep_listener listener = {0};
    assert_refused(sotto_sweep_run(NULL, &listener));
    assert_refused(sotto_sweep_run(&sweep, NULL));
}

TEST_WITH(a_comparison_needs_a_request_and_a_place, set_up, tear_down)
{
    fixture *f = *state;
    sotto_comparison *made;
    sotto_comparison_line line;
    const sotto_sweep_listener listener = {0};
    assert_not_made(sotto_comparison_new(NULL, &made), made);
    assert_refused(sotto_comparison_new(&f->request, NULL));
    assert_refused(sotto_comparison_play(NULL, &listener));
    assert_refused(sotto_comparison_take(NULL, 0, f->point, 1));
    assert_refused(sotto_comparison_take(f->comparison, 0, NULL, 1));
    assert_refused(sotto_comparison_summarise(NULL, &line, 1));
    assert_refused(sotto_comparison_summarise(f->comparison, NULL, 1));
    sotto_comparison_free(NULL);
}

TEST_WITH(a_comparison_that_is_missing_has_no_rows, set_up, tear_down)
{
    fixture *f = *state;
    sotto_comparison_row row;
    assert_true(sotto_comparison_row_at(f->comparison, 0, &row));
    assert_false(sotto_comparison_row_at(NULL, 0, &row));
    assert_false(sotto_comparison_row_at(f->comparison, 0, NULL));
    sotto_run_measurement measured = {.there = true};
    assert_false(sotto_comparison_measured(NULL, 0, &measured));
    assert_false(sotto_comparison_measured(f->comparison, 0, NULL));
    assert_true(measured.there); /* untouched */
    assert_ints(sotto_comparison_rows(NULL), 0, sotto_comparison_done(NULL), 0);
    assert_null(sotto_comparison_sweep(NULL));
    assert_int_equal(sotto_comparison_row_csv(NULL, f->text), 0);
    assert_int_equal(sotto_comparison_row_csv(&row, NULL), 0);
    assert_false(sotto_comparison_request_change(NULL, 0, 4));
}

TEST_WITH(shards_need_a_comparison_files_and_a_place, set_up, tear_down)
{
    fixture *f = *state;
    const char *const path[] = {"/", NULL};
    sotto_fault fault;
    assert_ok(sotto_shard_fault(1, 1, NULL));
    assert_false(sotto_shard_holds(0, 0, 0));
    assert_int_equal(sotto_shard_runs(1, 0, 0), 0);
    assert_refused(sotto_comparison_write_shard(NULL, 1, 1, "/", &fault));
    assert_refused(sotto_comparison_write_shard(f->comparison, 1, 1, NULL, &fault));
    assert_status(sotto_comparison_write_shard(f->comparison, 1, 1, "/", NULL), SOTTO_E_FAULT);
    assert_refused(sotto_shards_merge(NULL, 1, "/", &fault));
    assert_refused(sotto_shards_merge(path, 2, "/", &fault));
    assert_refused(sotto_shards_merge(path, 1, NULL, &fault));
    assert_status(sotto_shards_merge(path, 1, "/", NULL), SOTTO_E_FAULT);
}

TEST_WITH(a_schema_needs_a_file_and_a_place, set_up, tear_down)
{
    fixture *f = *state;
    sotto_schema *schema;
    const sotto_draft draft = sotto_draft_default();
    assert_not_made(sotto_schema_read(NULL, &schema, &f->fault), schema);
    assert_refused(sotto_schema_read("/", NULL, &f->fault));
    assert_status(sotto_schema_read("/", &schema, NULL), SOTTO_E_FAULT);
    assert_not_made(sotto_schema_draft(NULL, "/", &schema, &f->fault), schema);
    assert_not_made(sotto_schema_draft(&draft, NULL, &schema, &f->fault), schema);
    assert_refused(sotto_schema_draft(&draft, "/", NULL, &f->fault));
    assert_status(sotto_schema_draft(&draft, "/", &schema, NULL), SOTTO_E_FAULT);
    assert_refused(sotto_schema_write(NULL, "/", &f->fault));
    assert_refused(sotto_schema_write(f->schema, NULL, &f->fault));
    assert_status(sotto_schema_write(f->schema, "/", NULL), SOTTO_E_FAULT);
    sotto_schema_free(NULL);
    assert_false(sotto_schema_is_log(NULL));
    assert_ints(sotto_schema_arms(NULL), 0, sotto_schema_dim(NULL), 0);
    assert_null(sotto_schema_arm_name(NULL, 0));
}

TEST_WITH(a_data_set_needs_a_schema_a_file_and_a_place, set_up, tear_down)
{
    fixture *f = *state;
    sotto_dataset *dataset;
    sotto_people *people;
    assert_not_made(sotto_dataset_open(NULL, "/", &dataset, &f->fault), dataset);
    assert_not_made(sotto_dataset_open(f->schema, NULL, &dataset, &f->fault), dataset);
    assert_refused(sotto_dataset_open(f->schema, "/", NULL, &f->fault));
    assert_status(sotto_dataset_open(f->schema, "/", &dataset, NULL), SOTTO_E_FAULT);
    assert_ok(sotto_dataset_open(f->schema, f->directory.file, &dataset, &f->fault));
    assert_refused(sotto_people_new(2, NULL));
    assert_ok(sotto_people_new(2, &people));
    assert_refused(sotto_dataset_next(NULL, people, &f->fault));
    assert_refused(sotto_dataset_next(dataset, NULL, &f->fault));
    assert_ok(sotto_dataset_next(dataset, people, NULL));
    assert_refused(sotto_dataset_rewind(NULL, &f->fault));
    assert_ok(sotto_dataset_rewind(dataset, NULL));
    assert_null(sotto_dataset_counted(NULL));
    sotto_people_free(people);
    sotto_people_free(NULL);
    sotto_dataset_close(dataset);
    sotto_dataset_close(NULL);
}

TEST_WITH(a_replay_needs_a_request_a_schema_a_file_and_a_place, set_up, tear_down)
{
    fixture *f = *state;
    sotto_replay *made, *replay;
    sotto_replay_row row;
    sotto_replay_summary *summary;
    sotto_replay_estimates estimates;
    const sotto_replay_listener *no_listener = NULL;
    const char *path = f->directory.file;
    char sentence[SOTTO_SENTENCE_BYTES];
    sotto_replay_request request = sotto_replay_request_default();
    request.seeds_count = 1;
    assert_not_made(sotto_replay_run(NULL, f->schema, path, no_listener, &made, &f->fault), made);
    assert_not_made(sotto_replay_run(&request, NULL, path, no_listener, &made, &f->fault), made);
    assert_not_made(sotto_replay_run(&request, f->schema, NULL, no_listener, &made, &f->fault),
                    made);
    assert_refused(sotto_replay_run(&request, f->schema, path, no_listener, NULL, &f->fault));
    assert_status(sotto_replay_run(&request, f->schema, "/", no_listener, &made, NULL),
                  SOTTO_E_FAULT);
    assert_ok(sotto_replay_run(&request, f->schema, path, NULL, &replay, &f->fault));
    assert_true(sotto_replay_row_at(replay, 0, &row));
    assert_false(sotto_replay_row_at(NULL, 0, &row) || sotto_replay_row_at(replay, 0, NULL));
    assert_int_equal(sotto_replay_rows(NULL), 0);
    assert_not_made(sotto_replay_summarise(NULL, &summary), summary);
    assert_refused(sotto_replay_summarise(replay, NULL));
    assert_ok(sotto_replay_summarise(replay, &summary));
    assert_refused(sotto_replay_estimate_line(NULL, summary, 0, &estimates));
    assert_refused(sotto_replay_estimate_line(replay, NULL, 0, &estimates));
    assert_refused(sotto_replay_estimate_line(replay, summary, 0, NULL));
    assert_null(sotto_replay_sentence(NULL, 0, sentence));
    assert_null(sotto_replay_sentence(summary, 0, NULL));
    sotto_replay_summary_free(summary);
    assert_ok(sotto_replay_request_fault(&request, false, NULL));
    sotto_fault fault;
    assert_refused(sotto_replay_request_fault(NULL, false, &fault));
    request.player = NULL;
    assert_not_made(sotto_replay_run(&request, f->schema, path, NULL, &made, &f->fault), made);
    assert_null(sotto_replay_verdict_text(SOTTO_VERDICT_CHANCE, 1, NULL));
    sotto_replay_summary_free(NULL);
    sotto_replay_free(NULL);
    sotto_replay_free(replay);
}

TEST_WITH(a_study_needs_a_place, set_up, tear_down)
{
    fixture *f = *state;
    sotto_loan *loan;
    assert_refused(sotto_loan_open("/", NULL, &f->fault));
    assert_status(sotto_loan_open("/", &loan, NULL), SOTTO_E_FAULT);
    assert_ok(sotto_loan_open(NULL, &loan, &f->fault)); /* the stand-in */
    assert_null(sotto_loan_population(NULL));
    sotto_loan_free(loan);
    sotto_loan_free(NULL);
}

TEST_WITH(a_name_that_is_missing_is_found_nowhere, set_up, tear_down)
{
    sotto_player player;
    sotto_calibration calibration;
    sotto_environment_kind environment;
    sotto_mechanism_kind mechanism;
    assert_false(sotto_player_from_name(NULL, &player) || sotto_player_from_name("sotto", NULL));
    assert_false(sotto_calibration_from_name(NULL, &calibration));
    assert_false(sotto_calibration_from_name("exact", NULL));
    assert_false(sotto_environment_kind_from_name(NULL, &environment));
    assert_false(sotto_environment_kind_from_name("sphere", NULL));
    assert_false(sotto_mechanism_kind_from_name(NULL, &mechanism));
    assert_false(sotto_mechanism_kind_from_name("l2ball", NULL));
}

/* Those who only listen, and numbers that a grid has of its own. */
TEST_WITH(what_may_be_missing_may_be_missing, set_up, tear_down)
{
    fixture *f = *state;
    static sotto_audit_result audited;
    static sotto_paper_comparison grid[SOTTO_PAPER_GRID_MAX];
    const double one = 1, delta = 1e-6;
    assert_ok(sotto_match_play(&f->match, 1, f->point, 1, NULL, &f->result, &f->finished));
    assert_true(f->finished);
    assert_ok(sotto_audit_run(&f->audit, NULL, &audited));
    assert_ok(sotto_comparison_play(f->comparison, NULL));
    assert_int_equal(sotto_paper_grid(NULL, &delta, &one, grid), 6);
    assert_int_equal(sotto_paper_grid(&one, NULL, &one, grid), 4);
    assert_int_equal(sotto_paper_grid(&one, &delta, NULL, grid), 4);
    assert_int_equal(sotto_paper_grid(&one, &delta, &one, NULL), 0);
}

TEST_WITH(a_fault_function_never_finds_a_missing_pointer_good, set_up, tear_down)
{
    fixture *f = *state;
    sotto_fault fault;
    assert_ok(sotto_mechanism_fault(&f->settings, NULL));
    assert_ok(sotto_match_fault(&f->match, NULL));
    assert_ok(sotto_plan_fault(&f->match, NULL));
    assert_ok(sotto_plan_question_fault(&f->question, NULL));
    assert_ok(sotto_audit_fault(&f->audit, NULL));
    assert_refused(sotto_mechanism_fault(NULL, &fault));
    assert_refused(sotto_match_fault(NULL, &fault));
    assert_refused(sotto_plan_fault(NULL, &fault));
    assert_refused(sotto_plan_question_fault(NULL, &fault));
    assert_refused(sotto_audit_fault(NULL, &fault));
    assert_ok(sotto_comparison_request_fault(&f->request, NULL));
    assert_refused(sotto_comparison_request_fault(NULL, &fault));
    sotto_comparison_request request = f->request;
    request.epsilon = NULL;
    assert_refused(sotto_comparison_request_fault(&request, NULL));
}

TEST(defaults_of_nothing_cannot_be_used)
{
    sotto_match match =
        sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, NULL, 1, 1e-6);
    sotto_plan_question question = sotto_plan_question_default(NULL);
    sotto_audit_settings audit = sotto_audit_default(NULL);
    assert_status(sotto_match_fault(&match, NULL), SOTTO_E_FAULT);
    assert_status(sotto_plan_question_fault(&question, NULL), SOTTO_E_FAULT);
    assert_status(sotto_audit_fault(&audit, NULL), SOTTO_E_FAULT);
    sotto_comparison_request request = sotto_comparison_request_default(NULL);
    assert_refused(sotto_comparison_request_fault(&request, NULL));
}

TEST_WITH(counts_are_zero_amounts_infinite_and_pointers_null, set_up, tear_down)
{
    fixture *f = *state;
    assert_null(sotto_mechanism_report(NULL));
    assert_null(sotto_mechanism_terms(NULL));
    assert_null(sotto_mechanism_lattice(NULL));
    assert_true(sotto_mechanism_scale(NULL) == INFINITY);
    assert_ints(sotto_plan_people(NULL, 1), 0, sotto_plan_within(NULL, .5), 0);
    assert_ints(sotto_sweep_runs(NULL), 0, sotto_stream_bits(NULL), 0);
    assert_nears(0, sotto_stream_uniform(NULL), 0, sotto_stream_normal(NULL), 0);
    f->curve[0].people = 7;
    sotto_plan_predict(NULL, f->curve, POINTS);
    sotto_plan_predict(&f->plan, NULL, POINTS);
    sotto_plan_curve(NULL, f->curve, POINTS);
    sotto_plan_curve(&f->plan, NULL, POINTS);
    assert_int_equal(f->curve[0].people, 7);
    sotto_plan_measuring measuring = {.people = 7};
    sotto_plan_measure(NULL, 0.1, 0, &measuring);
    sotto_plan_measure(&f->plan, 0.1, 0, NULL);
    assert_int_equal(measuring.people, 7);
}
