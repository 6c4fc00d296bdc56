/* Every public function of lab.h with each of its pointers missing in turn. tests/boundary sees
 * that none is forgotten. */
#include "missing.h"

#include <sotto/lab.h>

#include <math.h>

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
    char text[SOTTO_FAULT_BYTES];
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
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    sotto_mechanism_free(((fixture *)*state)->mechanism);
    return 0;
}

static void a_status_says_that_a_pointer_is_missing(void **state)
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
    assert_refused(sotto_assumptions_estimate(NULL, 1, 100, &assumptions));
    assert_refused(sotto_assumptions_estimate(&f->match, 1, 100, NULL));
    assert_refused(sotto_plan_make(NULL, &f->plan));
    assert_refused(sotto_plan_make(&f->match, NULL));
    assert_refused(sotto_plan_question_answer(NULL, &answers));
    assert_refused(sotto_plan_question_answer(&f->question, NULL));
    const sotto_audit_progress progress = {0};
    assert_refused(sotto_audit_run(NULL, &progress, &audited));
    assert_refused(sotto_audit_run(&f->audit, &progress, NULL));
    sotto_mechanism_free(NULL);
}

static void a_match_without_points_or_a_place_for_its_result_is_not_played(void **state)
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

/* Those who only listen, and numbers that a grid has of its own. */
static void what_may_be_missing_may_be_missing(void **state)
{
    fixture *f = *state;
    static sotto_audit_result audited;
    static sotto_paper_comparison grid[SOTTO_PAPER_GRID_MAX];
    const double one = 1, delta = 1e-6;
    assert_ok(sotto_match_play(&f->match, 1, f->point, 1, NULL, &f->result, &f->finished));
    assert_true(f->finished);
    assert_ok(sotto_audit_run(&f->audit, NULL, &audited));
    assert_int_equal(sotto_paper_grid(NULL, &delta, &one, grid), 6);
    assert_int_equal(sotto_paper_grid(&one, NULL, &one, grid), 4);
    assert_int_equal(sotto_paper_grid(&one, &delta, NULL, grid), 4);
    assert_int_equal(sotto_paper_grid(&one, &delta, &one, NULL), 0);
}

static void a_fault_function_never_finds_a_missing_pointer_good(void **state)
{
    fixture *f = *state;
    assert_null(sotto_mechanism_fault(&f->settings, f->text));
    assert_null(sotto_match_fault(&f->match, f->text));
    assert_null(sotto_plan_fault(&f->match, f->text));
    assert_null(sotto_plan_question_fault(&f->question, f->text));
    assert_null(sotto_audit_fault(&f->audit, f->text));
    assert_says_missing(sotto_mechanism_fault(NULL, f->text));
    assert_says_missing(sotto_mechanism_fault(&f->settings, NULL));
    assert_says_missing(sotto_match_fault(NULL, f->text));
    assert_says_missing(sotto_match_fault(&f->match, NULL));
    assert_says_missing(sotto_plan_fault(NULL, f->text));
    assert_says_missing(sotto_plan_fault(&f->match, NULL));
    assert_says_missing(sotto_plan_question_fault(NULL, f->text));
    assert_says_missing(sotto_plan_question_fault(&f->question, NULL));
    assert_says_missing(sotto_audit_fault(NULL, f->text));
    assert_says_missing(sotto_audit_fault(&f->audit, NULL));
}

static void defaults_of_nothing_cannot_be_used(void **state)
{
    fixture *f = *state;
    sotto_match match =
        sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, NULL, 1, 1e-6);
    sotto_plan_question question = sotto_plan_question_default(NULL);
    sotto_audit_settings audit = sotto_audit_default(NULL);
    assert_non_null(sotto_match_fault(&match, f->text));
    assert_non_null(sotto_plan_question_fault(&question, f->text));
    assert_non_null(sotto_audit_fault(&audit, f->text));
}

static void counts_are_zero_amounts_infinite_and_pointers_null(void **state)
{
    fixture *f = *state;
    assert_null(sotto_mechanism_report(NULL));
    assert_null(sotto_mechanism_terms(NULL));
    assert_null(sotto_mechanism_lattice(NULL));
    assert_true(sotto_mechanism_scale(NULL) == INFINITY);
    assert_int_equal(sotto_plan_people(NULL, 1), 0);
    assert_int_equal(sotto_plan_within(NULL, .5), 0);
    assert_int_equal(sotto_sweep_runs(NULL), 0);
    assert_int_equal(sotto_stream_bits(NULL), 0);
    assert_near(sotto_stream_uniform(NULL), 0, 0);
    assert_near(sotto_stream_normal(NULL), 0, 0);
    f->curve[0].people = 7;
    sotto_plan_predict(NULL, f->curve, POINTS);
    sotto_plan_predict(&f->plan, NULL, POINTS);
    sotto_plan_curve(NULL, f->curve, POINTS);
    sotto_plan_curve(&f->plan, NULL, POINTS);
    assert_int_equal(f->curve[0].people, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_status_says_that_a_pointer_is_missing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            a_match_without_points_or_a_place_for_its_result_is_not_played, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_may_be_missing_may_be_missing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_fault_function_never_finds_a_missing_pointer_good, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(defaults_of_nothing_cannot_be_used, set_up, tear_down),
        cmocka_unit_test_setup_teardown(counts_are_zero_amounts_infinite_and_pointers_null, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
