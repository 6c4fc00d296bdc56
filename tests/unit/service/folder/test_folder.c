/* The thread of the folder: one at a time, also when the database comes and goes. */
#include "folder_scene.h"

#include <time.h>

static desk d;

static int start(void **state)
{
    (void)state;
    experiment_request request = desk_request();
    shared_memory_start();
    d = shared_desk_of(1);
    desk_create(&d, &request);
    return 0;
}

static int end(void **state)
{
    (void)state;
    shared_desk_free(&d);
    shared_memory_end();
    return 0;
}

static sottod_folder *begin(void)
{
    const folder_settings settings = {.nonces_max = 100000};
    sottod_folder *folder = folder_start(&settings, NULL);
    assert_non_null(folder);
    return folder;
}

/* Waits until it holds; a minute is for ever. */
#define WAIT_FOR(condition)                                                                        \
    do {                                                                                           \
        uint32_t turns = 0;                                                                        \
        const struct timespec slice = {.tv_nsec = 5000000};                                        \
        while (!(condition)) {                                                                     \
            if (turns++ == 12000) fail_msg("never came: %s", #condition);                          \
            nanosleep(&slice, NULL);                                                               \
        }                                                                                          \
    } while (0)

static void nothing_is_stopped_by_stopping_nothing(void **state)
{
    (void)state;
    folder_stop(NULL);
}

static void one_folds_and_the_other_waits_its_turn(void **state)
{
    (void)state;
    sottod_folder *one = begin();
    WAIT_FOR(folder_look(one).holds_lock);
    sottod_folder *two = begin();
    desk_take(&d, 20);
    WAIT_FOR(folder_look(one).publishes == 1);
    assert_false(folder_look(two).holds_lock);
    folder_stop(one);
    WAIT_FOR(folder_look(two).holds_lock);
    assert_true(shared_desk_refresh(&d));
    assert_int_equal(experiment_epoch(d.experiment), 1);
    desk_take(&d, 20);
    WAIT_FOR(folder_look(two).publishes == 1);
    assert_int_equal(folder_look(two).fenced, 0);
    folder_stop(two);
    assert_true(shared_desk_refresh(&d));
    assert_int_equal(experiment_epoch(d.experiment), 2);
}

static void it_comes_back_with_the_database(void **state)
{
    (void)state;
    shared_memory_set_away(true);
    sottod_folder *folder = begin();
    assert_false(folder_look(folder).holds_lock);
    shared_memory_set_away(false);
    WAIT_FOR(folder_look(folder).holds_lock);
    shared_memory_set_away(true);
    WAIT_FOR(!folder_look(folder).holds_lock);
    shared_memory_set_away(false);
    desk_take(&d, 20);
    WAIT_FOR(folder_look(folder).publishes == 1);
    assert_true(folder_look(folder).holds_lock);
    folder_stop(folder);
}

static void it_says_how_many_reports_wait(void **state)
{
    (void)state;
    desk_take(&d, 7);
    sottod_folder *folder = begin();
    WAIT_FOR(folder_look(folder).waiting == 7);
    desk_take(&d, 20);
    WAIT_FOR(folder_look(folder).publishes == 1);
    assert_int_equal(folder_look(folder).waiting, 0);
    folder_stop(folder);
}

static void alarms_are_counted_since_the_start(void **state)
{
    (void)state;
    uint64_t epochs[SOTTO__WATCH_TESTS];
    experiment_request request = desk_request();
    request.spec.series = 10;
    request.epoch_reports_expected = 10;
    desk_create(&d, &request);
    sottod_folder *folder = begin();
    folder_watched(folder, experiment_number(d.experiment), epochs);
    assert_int_equal(epochs[SOTTO__WATCH_COUNT], 0);
    desk_take(&d, 30);
    WAIT_FOR(folder_look(folder).publishes == 1);
    folder_watched(folder, experiment_number(d.experiment), epochs);
    assert_int_equal(epochs[SOTTO__WATCH_COUNT], 1);
    shared_memory_set_away(true);
    WAIT_FOR(!folder_look(folder).holds_lock);
    folder_watched(folder, experiment_number(d.experiment), epochs);
    assert_int_equal(epochs[SOTTO__WATCH_COUNT], 1);
    shared_memory_set_away(false);
    folder_stop(folder);
}

static void what_is_stopped_is_told(void **state)
{
    (void)state;
    char id[2][SPEC_ID_TEXT_BYTES];
    sottod_folder *folder = begin();
    WAIT_FOR(folder_look(folder).holds_lock);
    assert_int_equal(folder_stopped(folder, id, 2), 0);
    pthread_mutex_lock(&shared.mutex);
    shared.experiment[0].damaged = true;
    shared.changes++;
    pthread_mutex_unlock(&shared.mutex);
    WAIT_FOR(folder_stopped(folder, id, 2) == 1);
    assert_string_equal(id[0], experiment_id_text(d.experiment));
    assert_int_equal(folder_stopped(folder, id, 0), 0);
    folder_stop(folder);
}

int main(void)
{
#define EACH(test) cmocka_unit_test_setup_teardown(test, start, end)
    const struct CMUnitTest tests[] = {
        EACH(nothing_is_stopped_by_stopping_nothing), EACH(one_folds_and_the_other_waits_its_turn),
        EACH(it_comes_back_with_the_database),        EACH(it_says_how_many_reports_wait),
        EACH(alarms_are_counted_since_the_start),     EACH(what_is_stopped_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
