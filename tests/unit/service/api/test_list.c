/* The list of all experiments, in pieces. */
#include "house.h"
#include "service/api/inner.h"
#include "test.h"

#include <jansson.h>

#include <math.h>
#include <string.h>

OWNED(json_t, json_decref)

static house made;
static char text[1 << 16];
static size_t bytes;

FIXTURE(start)
{
    house_open(&made);
    bytes = 0;
}

FIXTURE(end)
{
    house_close(&made);
}

/* True unless it has ended. */
static bool more(sottod_list *list, size_t room)
{
    ptrdiff_t got = list_more(list, text + bytes, room);
    assert_true(got >= -1 && got != 0);
    bytes += got > 0 ? (size_t)got : 0;
    return got > 0;
}

TEST_WITH(all_come_in_pieces_of_any_size, start, end)
{
    for (uint32_t count = 0; count <= 3; count++) {
        if (count > 0) house_experiment(&made, count - 1);
        for (size_t room = 1; room < 400; room += 7) {
            sottod_list *list = list_open(made.experiments);
            assert_non_null(list);
            bytes = 0;
            while (more(list, room)) {
            }
            list_free(list);
            json_t *read = json_loadb(text, bytes, 0, NULL);
            assert_non_null(read);
            assert_int_equal(json_array_size(json_object_get(read, "experiments")), count);
            json_decref(read);
        }
    }
}

TEST_WITH(no_experiment_is_left_out_when_another_is_deleted, start, end)
{
    static sottod_experiment *all[6];
    sottod_refusal why;
    for (uint32_t s = 0; s < 6; s++) {
        all[s] = house_experiment(&made, s);
    }
    memset(text, 0, sizeof text);
    sottod_list *list = list_open(made.experiments);
    while (strstr(text, experiment_id_text(all[2])) == NULL) {
        assert_true(more(list, 10));
    }
    assert_true(experiment_set_state(made.experiments, all[0], JOURNAL_DELETED, &why));
    assert_true(experiment_set_state(made.experiments, all[4], JOURNAL_DELETED, &why));
    while (more(list, 10)) {
    }
    list_free(list);
    OWN(json_t) read = json_loadb(text, bytes, 0, NULL);
    assert_non_null(read);
    const json_t *rows = json_object_get(read, "experiments");
    static const uint32_t wanted[] = {0, 1, 2, 3, 5};
    assert_int_equal(json_array_size(rows), 5);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(json_string_value(json_object_get(json_array_get(rows, i), "id")),
                            experiment_id_text(all[wanted[i]]));
    }
}

/* An experiment as JSON. */

static house made;
static sottod_experiment *experiment;

FIXTURE(start_with_one)
{
    house_open(&made);
    experiment = house_experiment(&made, 9);
}

TEST(numbers_that_json_has_not_are_null)
{
    json_t *none = results_number(NAN), *most = results_number(-INFINITY);
    OWN(json_t) number = results_number(0.1);
    assert_true(json_is_null(none));
    assert_true(json_is_null(most));
    assert_true(json_real_value(number) == 0.1);
    json_decref(none);
    json_decref(most);
}

static json_int_t whole(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

TEST_WITH(a_row_has_counts_and_nothing_of_a_report, start_with_one, end)
{
    house_epoch(&made, experiment, 1, 30);
    OWN(json_t) row = describe_row(experiment);
    assert_string_equal(json_string_value(json_object_get(row, "id")),
                        experiment_id_text(experiment));
    assert_string_equal(json_string_value(json_object_get(row, "state")), "open");
    assert_int_equal(whole(row, "epoch"), 1);
    const json_t *reports = json_object_get(row, "reports");
    assert_ints(whole(reports, "acknowledged"), 30, whole(reports, "folded"), 30);
    assert_string_equal(json_string_value(json_object_get(json_object_get(row, "labels"), "name")),
                        "a \"b\"");
    static const char *const keys[] = {"id",         "state",   "created_minute",      "labels",
                                       "epoch",      "reports", "taken_since_publish", "wanted",
                                       "quarantine", "held"};
    assert_int_equal(json_object_size(row), sizeof keys / sizeof keys[0]);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        assert_non_null(json_object_get(row, keys[i]));
    }
}

TEST_WITH(all_of_an_experiment_has_its_settings_terms_and_card, start_with_one, end)
{
    OWN(json_t) one = describe_experiment(experiment, true);
    assert_non_null(one);
    const json_t *spec = json_object_get(one, "spec");
    assert_ints(whole(spec, "series"), 9, whole(spec, "dim"), 3);
    const json_t *learning = json_object_get(one, "learning");
    assert_ints(whole(learning, "epoch_seconds_min"), 1, whole(learning, "epoch_reports_min"), 2);
    assert_true(json_number_value(json_object_get(learning, "alpha")) == 0.1);
    const char *hex = json_string_value(json_object_get(one, "terms"));
    size_t size;
    const uint8_t *terms = experiment_terms_bytes(experiment, &size);
    assert_int_equal(strlen(hex), 2 * size);
    for (size_t i = 0; i < size; i++) {
        char pair[3];
        snprintf(pair, sizeof pair, "%02x", terms[i]);
        assert_memory_equal(hex + 2 * i, pair, 2);
    }
    const json_t *kept = json_object_get(json_object_get(one, "privacy"), "kept_by_the_server");
    assert_true(json_is_true(json_object_get(kept, "keep_reports")));
    assert_true(whole(one, "memory_bytes") > 0);
}

TEST_WITH(the_privacy_of_an_experiment_has_no_labels, start_with_one, end)
{
    OWN(json_t) privacy = describe_privacy(experiment, false);
    assert_string_equal(json_string_value(json_object_get(privacy, "id")),
                        experiment_id_text(experiment));
    assert_null(json_object_get(privacy, "labels"));
    assert_true(json_number_value(json_object_get(privacy, "epsilon")) == 1);
}
