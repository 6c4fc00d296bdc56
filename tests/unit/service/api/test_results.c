/* The value of the policy, as JSON. */
#include "house.h"
#include "service/api/inner.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

OWNED(json_t, json_decref)

static house made;
static sottod_refusal why;

FIXTURE(start)
{
    house_open(&made);
}

FIXTURE(end)
{
    house_close(&made);
}

TEST(an_alpha_that_is_no_chance_is_refused)
{
    static const char *const bad[] = {"",     "0",    "1",      "-0.1", "1.5",    "nan", "inf",
                                      "0.1x", " 0.1", "0x1p-2", "0,1",  "1e-999", ".",   "-"};
    double alpha;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (results_read_alpha(bad[i], &alpha, &why)) fail_msg("\"%s\" passed", bad[i]);
        assert_int_equal(why.status, 400);
        assert_strings(why.fault.field, "alpha", why.fault.value, bad[i]);
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

TEST_WITH(before_any_report_values_are_null, start, end)
{
    OWN(json_t) results = results_json(house_experiment(&made, 0), 0.05);
    const json_t *measured = json_object_get(results, "measurement");
    assert_true(json_is_object(measured));
    assert_true(json_is_null(
        json_object_get(json_object_get(json_object_get(measured, "follow"), "mean"), "value")));
    assert_int_equal(json_array_size(json_object_get(measured, "arms")), 2);
    assert_true(json_is_false(json_object_get(results, "decides")));
}

TEST_WITH(results_are_those_of_the_learner, start, end)
{
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
    OWN(json_t) results = results_json(experiment, 0.1);
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
}

TEST(what_has_fallen_again_is_certain)
{
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

TEST_WITH(without_measure_rounds_there_is_no_measurement, start, end)
{
    experiment_request request = {.spec = sotto_spec_default(SOTTO_REWARD_BINARY),
                                  .epoch_seconds_min = 1,
                                  .epoch_reports_min = 20,
                                  .labels = "{}"};
    request.spec.epoch_lag_max = 1;
    sottod_experiment *experiment = NULL;
    sotto_terms terms = resolved(&request.spec);
    request.learning = sotto_learning_default(&terms, 0);
    assert_true(experiments_create(made.experiments, &request, 0, &experiment, &why));
    OWN(json_t) results = results_json(experiment, 0.05);
    assert_true(json_is_null(json_object_get(results, "measurement")));
}

/* The watch as JSON, and the quarantine that an owner sets. */

static bool read_body(const char *body, bool *quarantine)
{
    return watch_read_quarantine(body, strlen(body), quarantine, &why);
}

TEST(a_body_that_says_neither_on_nor_off_is_refused)
{
    static const char *const bad[] = {
        "", "true", "[]", "{\"quarantine\":1}", "{\"quarantine\":null}", "{\"quarantine\":\"on\"}"};
    bool quarantine;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (read_body(bad[i], &quarantine)) fail_msg("%s passed", bad[i]);
        assert_int_equal(why.status, 400);
    }
    assert_false(read_body("{}", &quarantine));
    assert_strings(why.fault.field, "quarantine", why.fault.allowed, "true or false");
    assert_false(read_body("{\"quarantine\":true,\"until\":3}", &quarantine));
    assert_string_equal(why.fault.field, "until");
}

TEST(on_and_off_are_read)
{
    bool quarantine = false;
    assert_true(read_body("{\"quarantine\":true}", &quarantine));
    assert_true(quarantine);
    assert_true(read_body("{\"quarantine\":false}", &quarantine));
    assert_false(quarantine);
    quarantine = true;
    assert_true(watch_read_flag(NULL, &quarantine, &why)); /* not there: off */
    assert_false(quarantine);
}

TEST(alarms_are_names_in_the_order_of_bits)
{
    json_t *alarms = watch_alarms(0x16);
    char *text = json_dumps(alarms, JSON_COMPACT);
    assert_string_equal(text, "[\"tail\",\"roles\",\"count\"]");
    free(text);
    json_decref(alarms);
    alarms = watch_alarms(UINT32_MAX); /* includes bits of tests that do not exist yet */
    assert_int_equal(json_array_size(alarms), EXPERIMENT_WATCH_TESTS + 1);
    assert_string_equal(json_string_value(json_array_get(alarms, EXPERIMENT_WATCH_TESTS)), "harm");
    json_decref(alarms);
}

TEST_WITH(before_the_first_epoch_there_is_nothing_to_say, start, end)
{
    sottod_experiment *experiment = house_experiment(&made, 1);
    json_t *held = watch_held(experiment), *watch = watch_json(experiment);
    assert_true(json_is_null(held));
    assert_true(json_is_null(watch));
}

TEST_WITH(the_last_look_has_a_chance_for_each_test_but_the_count, start, end)
{
    sottod_experiment *experiment = house_experiment(&made, 1);
    house_epoch(&made, experiment, 5, 40);
    OWN(json_t) watch = watch_json(experiment);
    assert_int_equal(json_integer_value(json_object_get(watch, "epoch")), 0);
    assert_int_equal(json_integer_value(json_object_get(watch, "reports")), 40);
    assert_true(json_real_value(json_object_get(watch, "alpha")) == 1e-6);
    assert_int_equal(json_array_size(json_object_get(watch, "alarms")), 0);
    json_t *chances = json_object_get(watch, "chances");
    assert_int_equal(json_object_size(chances), EXPERIMENT_WATCH_TESTS - 1);
    const char *name;
    json_t *chance;
    json_object_foreach(chances, name, chance)
    {
        assert_true(json_real_value(chance) > 1e-6 && json_real_value(chance) <= 1);
    }
}
