/* An experiment as JSON. */
#include "house.h"
#include "service/api/describe.h"
#include "test.h"

#include <math.h>
#include <string.h>

static house made;
static sottod_experiment *experiment;

static int start(void **state)
{
    (void)state;
    house_open(&made);
    experiment = house_experiment(&made, 9);
    return 0;
}

static int end(void **state)
{
    (void)state;
    house_close(&made);
    return 0;
}

static void numbers_that_json_has_not_are_null(void **state)
{
    (void)state;
    json_t *none = describe_number(NAN), *most = describe_number(-INFINITY);
    json_t *number = describe_number(0.1);
    assert_true(json_is_null(none));
    assert_true(json_is_null(most));
    assert_true(json_real_value(number) == 0.1);
    json_decref(none);
    json_decref(most);
    json_decref(number);
}

static json_int_t whole(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static void a_row_has_counts_and_nothing_of_a_report(void **state)
{
    (void)state;
    house_epoch(&made, experiment, 1, 30);
    json_t *row = describe_row(experiment);
    assert_string_equal(json_string_value(json_object_get(row, "id")),
                        experiment_id_text(experiment));
    assert_string_equal(json_string_value(json_object_get(row, "state")), "open");
    assert_int_equal(whole(row, "epoch"), 1);
    const json_t *reports = json_object_get(row, "reports");
    assert_int_equal(whole(reports, "acknowledged"), 30);
    assert_int_equal(whole(reports, "folded"), 30);
    assert_string_equal(json_string_value(json_object_get(json_object_get(row, "labels"), "name")),
                        "a \"b\"");
    static const char *const keys[] = {"id",         "state",   "created_minute",      "labels",
                                       "epoch",      "reports", "taken_since_publish", "wanted",
                                       "quarantine", "held"};
    assert_int_equal(json_object_size(row), sizeof keys / sizeof keys[0]);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        assert_non_null(json_object_get(row, keys[i]));
    }
    json_decref(row);
}

static void all_of_an_experiment_has_its_settings_terms_and_card(void **state)
{
    (void)state;
    json_t *one = describe_experiment(experiment, true);
    assert_non_null(one);
    const json_t *spec = json_object_get(one, "spec");
    assert_int_equal(whole(spec, "series"), 9);
    assert_int_equal(whole(spec, "dim"), 3);
    const json_t *learning = json_object_get(one, "learning");
    assert_int_equal(whole(learning, "epoch_seconds_min"), 1);
    assert_int_equal(whole(learning, "epoch_reports_min"), 2);
    assert_true(json_number_value(json_object_get(learning, "alpha")) == 0.1);
    const char *hex = json_string_value(json_object_get(one, "terms"));
    size_t bytes;
    const uint8_t *terms = experiment_terms_bytes(experiment, &bytes);
    assert_int_equal(strlen(hex), 2 * bytes);
    for (size_t i = 0; i < bytes; i++) {
        char pair[3];
        snprintf(pair, sizeof pair, "%02x", terms[i]);
        assert_memory_equal(hex + 2 * i, pair, 2);
    }
    const json_t *kept = json_object_get(json_object_get(one, "privacy"), "kept_by_the_server");
    assert_true(json_is_true(json_object_get(kept, "keep_reports")));
    assert_true(whole(one, "memory_bytes") > 0);
    json_decref(one);
}

static void the_privacy_of_an_experiment_has_no_labels(void **state)
{
    (void)state;
    json_t *privacy = describe_privacy(experiment, false);
    assert_string_equal(json_string_value(json_object_get(privacy, "id")),
                        experiment_id_text(experiment));
    assert_null(json_object_get(privacy, "labels"));
    assert_true(json_number_value(json_object_get(privacy, "epsilon")) == 1);
    json_decref(privacy);
}

#define IN_HOUSE(test) cmocka_unit_test_setup_teardown(test, start, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_that_json_has_not_are_null),
        IN_HOUSE(a_row_has_counts_and_nothing_of_a_report),
        IN_HOUSE(all_of_an_experiment_has_its_settings_terms_and_card),
        IN_HOUSE(the_privacy_of_an_experiment_has_no_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
