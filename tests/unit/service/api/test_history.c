/* An experiment over time, as JSON. */
#include "house.h"
#include "service/api/history.h"
#include "test.h"

static house made;
static bool broken;

bool __real_journal_read_history(sottod_journal *journal, uint32_t experiment,
                                 bool (*take)(void *self, const journal_history *), void *self);
bool __wrap_journal_read_history(sottod_journal *journal, uint32_t experiment,
                                 bool (*take)(void *self, const journal_history *), void *self);
bool __wrap_journal_read_history(sottod_journal *journal, uint32_t experiment,
                                 bool (*take)(void *self, const journal_history *), void *self)
{
    return !broken && __real_journal_read_history(journal, experiment, take, self);
}

static int start(void **state)
{
    (void)state;
    house_open(&made);
    broken = false;
    return 0;
}

static int end(void **state)
{
    (void)state;
    house_close(&made);
    return 0;
}

static void a_journal_that_cannot_be_read_gives_none(void **state)
{
    (void)state;
    const sottod_experiment *experiment = house_experiment(&made, 0);
    broken = true;
    assert_null(history_json(made.journal, experiment));
}

static json_int_t whole(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static void there_is_one_row_per_publish_of_this_experiment(void **state)
{
    (void)state;
    sottod_experiment *experiment = house_experiment(&made, 0), *other = house_experiment(&made, 1);
    json_t *history = history_json(made.journal, experiment);
    assert_int_equal(json_array_size(json_object_get(history, "rows")), 0);
    json_decref(history);
    house_epoch(&made, experiment, 1, 40);
    house_epoch(&made, other, 2, 30);
    house_epoch(&made, experiment, 3, 50);
    house_epoch(&made, experiment, 4, 900);
    history = history_json(made.journal, experiment);
    const json_t *rows = json_object_get(history, "rows");
    assert_int_equal(json_array_size(rows), 3);
    for (size_t i = 0; i < 3; i++) {
        const json_t *row = json_array_get(rows, i);
        assert_int_equal(whole(row, "epoch"), i + 1);
        assert_int_equal(whole(row, "minute"), 29000000);
        assert_int_equal(whole(row, "publishes"), 1);
        assert_true(whole(row, "learn") > 0 && whole(row, "learn") < (i == 0   ? 40
                                                                      : i == 1 ? 50
                                                                               : 900));
        json_int_t control = whole(row, "control"), sum = whole(row, "control_sum");
        assert_true(sum >= -control && sum <= control && (control - sum) % 2 == 0);
        if (i == 0) assert_int_equal(control + whole(row, "follow"), 0); /* no model decided */
        if (i == 2) assert_true(control > 0 && whole(row, "follow") > 0);
        assert_int_equal(whole(row, "late") + whole(row, "duplicate") + whole(row, "conflicting"),
                         0);
        assert_int_equal(json_object_size(row), 13);
        assert_true(json_real_value(json_object_get(row, "age")) == 0); /* none was late */
        assert_true(json_is_array(json_object_get(row, "alarms")));
        whole(row, "follow_sum");
    }
    json_decref(history);
}

#define IN_HOUSE(test) cmocka_unit_test_setup_teardown(test, start, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_HOUSE(a_journal_that_cannot_be_read_gives_none),
        IN_HOUSE(there_is_one_row_per_publish_of_this_experiment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
