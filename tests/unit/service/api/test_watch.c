/* The watch as JSON, and the quarantine that an owner asks for. */
#include "house.h"
#include "service/api/watch.h"
#include "test.h"

#include <stdlib.h>
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

static bool read_body(const char *body, bool *quarantine)
{
    return watch_read_quarantine(body, strlen(body), quarantine, &why);
}

static void a_body_that_says_neither_on_nor_off_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "", "true", "[]", "{\"quarantine\":1}", "{\"quarantine\":null}", "{\"quarantine\":\"on\"}"};
    bool quarantine;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (read_body(bad[i], &quarantine)) fail_msg("%s passed", bad[i]);
        assert_int_equal(why.status, 400);
    }
    assert_false(read_body("{}", &quarantine));
    assert_string_equal(why.field, "quarantine");
    assert_string_equal(why.allowed, "true or false");
    assert_false(read_body("{\"quarantine\":true,\"until\":3}", &quarantine));
    assert_string_equal(why.field, "until");
}

static void on_and_off_are_read(void **state)
{
    (void)state;
    bool quarantine = false;
    assert_true(read_body("{\"quarantine\":true}", &quarantine));
    assert_true(quarantine);
    assert_true(read_body("{\"quarantine\":false}", &quarantine));
    assert_false(quarantine);
    quarantine = true;
    assert_true(watch_read_flag(NULL, &quarantine, &why)); /* not there: off */
    assert_false(quarantine);
}

static void alarms_are_names_in_the_order_of_bits(void **state)
{
    (void)state;
    json_t *alarms = watch_alarms(0x16);
    char *text = json_dumps(alarms, JSON_COMPACT);
    assert_string_equal(text, "[\"tail\",\"roles\",\"count\"]");
    free(text);
    json_decref(alarms);
    alarms = watch_alarms(UINT32_MAX); /* bits of tests that there are not yet */
    assert_int_equal(json_array_size(alarms), EXPERIMENT_WATCH_TESTS + 1);
    assert_string_equal(json_string_value(json_array_get(alarms, EXPERIMENT_WATCH_TESTS)), "harm");
    json_decref(alarms);
}

static void before_the_first_epoch_there_is_nothing_to_say(void **state)
{
    (void)state;
    sottod_experiment *experiment = house_experiment(&made, 1);
    json_t *held = watch_held(experiment), *watch = watch_json(experiment);
    assert_true(json_is_null(held));
    assert_true(json_is_null(watch));
}

static void the_last_look_has_a_chance_for_each_test_but_the_count(void **state)
{
    (void)state;
    sottod_experiment *experiment = house_experiment(&made, 1);
    house_epoch(&made, experiment, 5, 40);
    json_t *watch = watch_json(experiment);
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
    json_decref(watch);
}

#define IN_HOUSE(test) cmocka_unit_test_setup_teardown(test, start, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_that_says_neither_on_nor_off_is_refused),
        cmocka_unit_test(on_and_off_are_read),
        cmocka_unit_test(alarms_are_names_in_the_order_of_bits),
        IN_HOUSE(before_the_first_epoch_there_is_nothing_to_say),
        IN_HOUSE(the_last_look_has_a_chance_for_each_test_but_the_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
