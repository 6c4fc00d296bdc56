/* What the policy is worth, as JSON. */
#include "house.h"
#include "service/api/results.h"
#include "test.h"

#include <math.h>
#include <string.h>

static house made;
static sottod_refusal why;

static int start(void **state)
{
    (void)state;
    house_open(&made);
    return 0;
}

static int end(void **state)
{
    (void)state;
    house_close(&made);
    return 0;
}

static void an_alpha_that_is_no_chance_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",     "0",    "1",      "-0.1", "1.5",    "nan", "inf",
                                      "0.1x", " 0.1", "0x1p-2", "0,1",  "1e-999", ".",   "-"};
    double alpha;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (results_read_alpha(bad[i], &alpha, &why)) fail_msg("\"%s\" passed", bad[i]);
        assert_int_equal(why.status, 400);
        assert_string_equal(why.field, "alpha");
        assert_string_equal(why.value, bad[i]);
    }
    assert_true(results_read_alpha(NULL, &alpha, &why));
    assert_true(alpha == 0.05);
    assert_true(results_read_alpha("1e-3", &alpha, &why));
    assert_true(alpha == 0.001);
}

static void assert_interval(const json_t *json, sotto_interval wanted)
{
    const json_t *value = json_object_get(json, "value");
    assert_int_equal(json_is_null(value), isnan(wanted.value));
    if (json_is_real(value)) assert_true(json_real_value(value) == wanted.value);
    const json_t *lo = json_object_get(json, "lo"), *hi = json_object_get(json, "hi");
    assert_int_equal(json_is_null(lo), !isfinite(wanted.lo));
    if (json_is_real(lo)) assert_true(json_real_value(lo) == wanted.lo);
    assert_int_equal(json_is_null(hi), !isfinite(wanted.hi));
    if (json_is_real(hi)) assert_true(json_real_value(hi) == wanted.hi);
}

static void before_any_report_values_are_null(void **state)
{
    (void)state;
    json_t *results = results_json(house_experiment(&made, 0), 0.05);
    const json_t *measured = json_object_get(results, "measurement");
    assert_true(json_is_object(measured));
    assert_true(json_is_null(
        json_object_get(json_object_get(json_object_get(measured, "follow"), "mean"), "value")));
    assert_int_equal(json_array_size(json_object_get(measured, "arms")), 2);
    assert_true(json_is_false(json_object_get(results, "decides")));
    json_decref(results);
}

static void results_are_those_of_the_learner(void **state)
{
    (void)state;
    sottod_experiment *experiment = house_experiment(&made, 0);
    for (uint64_t i = 0; i < 3; i++) {
        house_epoch(&made, experiment, i + 1, 400);
    }
    sotto_measurement m;
    sotto_arm_measurement arm;
    const sotto_learner *learner = experiment_learner(experiment);
    assert_ok(sotto_learner_measure(learner, 0.1, &m));
    assert_ok(sotto_learner_measure_arm(learner, 0.1, 1, &arm));
    assert_true(m.follow_count > 50 && m.control_count > 50);
    json_t *results = results_json(experiment, 0.1);
    const json_t *measured = json_object_get(results, "measurement");
    const json_t *follow = json_object_get(measured, "follow");
    const json_t *control = json_object_get(measured, "control");
    const json_t *recent = json_object_get(measured, "recent");
    assert_int_equal(json_integer_value(json_object_get(follow, "reports")), m.follow_count);
    assert_int_equal(json_integer_value(json_object_get(control, "reports")), m.control_count);
    assert_interval(json_object_get(follow, "mean"), m.follow);
    assert_interval(json_object_get(control, "mean"), m.control);
    assert_interval(json_object_get(measured, "uplift"), m.uplift);
    assert_interval(json_object_get(recent, "uplift"), m.recent_uplift);
    assert_int_equal(json_integer_value(json_object_get(recent, "follow_reports")),
                     m.recent_follow_count);
    assert_true(json_is_boolean(json_object_get(measured, "fallen")));
    const json_t *second = json_array_get(json_object_get(measured, "arms"), 1);
    assert_int_equal(json_integer_value(json_object_get(second, "reports")), arm.count);
    assert_interval(json_object_get(second, "mean"), arm.mean);
    assert_interval(json_object_get(second, "uplift"), arm.uplift);
    assert_int_equal(json_integer_value(json_object_get(results, "epoch")), 3);
    json_decref(results);
}

static void what_has_fallen_again_is_certain(void **state)
{
    (void)state;
    static const struct {
        double lo, recent_hi;
        bool fallen;
    } cases[] = {
        {NAN, NAN, false}, {0.1, NAN, false},  {NAN, 0.1, false},  {0.1, 0.3, false},
        {0.1, 0.1, false}, {0.1, 0.099, true}, {-0.1, -0.2, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const sotto_measurement m = {.uplift = {.lo = cases[i].lo, .hi = 0.5},
                                     .recent_uplift = {.lo = -1, .hi = cases[i].recent_hi}};
        assert_int_equal(results_fallen(&m), cases[i].fallen);
    }
}

static void without_measure_rounds_there_is_no_measurement(void **state)
{
    (void)state;
    experiment_request request = {.spec = sotto_spec_default(SOTTO_REWARD_BINARY),
                                  .epoch_seconds_min = 1,
                                  .epoch_reports_min = 20,
                                  .labels = "{}"};
    request.spec.epoch_lag_max = 1;
    sotto_terms terms;
    sottod_experiment *experiment = NULL;
    assert_ok(sotto_spec_resolve(&request.spec, &terms));
    request.learning = sotto_learning_default(&terms, 0);
    assert_true(experiments_create(made.experiments, &request, 0, &experiment, &why));
    json_t *results = results_json(experiment, 0.05);
    assert_true(json_is_null(json_object_get(results, "measurement")));
    json_decref(results);
}

#define IN_HOUSE(test) cmocka_unit_test_setup_teardown(test, start, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_alpha_that_is_no_chance_is_refused),
        IN_HOUSE(before_any_report_values_are_null),
        IN_HOUSE(results_are_those_of_the_learner),
        cmocka_unit_test(what_has_fallen_again_is_certain),
        IN_HOUSE(without_measure_rounds_there_is_no_measurement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
