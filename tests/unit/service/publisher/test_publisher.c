/* The thread of the publisher: only one at a time, even if the database goes away and comes
 * back. */
#include "publisher_scene.h"

#include <time.h>

static desk d;

FIXTURE(start)
{
    d = shared_desk_with(NULL);
}

FIXTURE(end)
{
    shared_desk_free(&d);
    shared_memory_end();
}

static sottod_publisher *begin(void)
{
    const publisher_settings settings = {.nonces_max = 100000, .totals = experiments_totals(d.all)};
    sottod_publisher *publisher = publisher_start(&settings, NULL);
    assert_non_null(publisher);
    return publisher;
}

/* Waits until the condition holds; fails after a minute. */
#define WAIT_FOR(condition)                                                                        \
    do {                                                                                           \
        uint32_t turns = 0;                                                                        \
        const struct timespec slice = {.tv_nsec = 5000000};                                        \
        while (!(condition)) {                                                                     \
            if (turns++ == 12000) fail_msg("never came: %s", #condition);                          \
            nanosleep(&slice, NULL);                                                               \
        }                                                                                          \
    } while (0)

TEST_WITH(nothing_is_stopped_by_stopping_nothing, start, end)
{
    publisher_stop(NULL);
}

TEST_WITH(one_keeps_house_and_the_other_takes_over, start, end)
{
    sottod_publisher *one = begin();
    WAIT_FOR(publisher_look(one).holds_lock);
    sottod_publisher *two = begin();
    desk_take(&d, 20);
    /* Either may hold the experiment; one is the housekeeper. */
    WAIT_FOR(publisher_look(one).publishes + publisher_look(two).publishes == 1);
    assert_false(publisher_look(two).holds_lock);
    const uint64_t published = publisher_look(two).publishes;
    publisher_stop(one);
    WAIT_FOR(publisher_look(two).holds_lock);
    assert_true(shared_desk_refresh(&d));
    assert_int_equal(experiment_epoch(d.experiment), 1);
    desk_take(&d, 20);
    WAIT_FOR(publisher_look(two).publishes == published + 1);
    assert_int_equal(publisher_look(two).fenced, 0);
    publisher_stop(two);
    assert_true(shared_desk_refresh(&d));
    assert_int_equal(experiment_epoch(d.experiment), 2);
}

TEST_WITH(it_comes_back_with_the_database, start, end)
{
    shared_memory_set_away(true);
    sottod_publisher *publisher = begin();
    assert_false(publisher_look(publisher).holds_lock);
    shared_memory_set_away(false);
    WAIT_FOR(publisher_look(publisher).holds_lock);
    shared_memory_set_away(true);
    WAIT_FOR(!publisher_look(publisher).holds_lock);
    shared_memory_set_away(false);
    desk_take(&d, 20);
    WAIT_FOR(publisher_look(publisher).publishes == 1);
    assert_true(publisher_look(publisher).holds_lock);
    publisher_stop(publisher);
}

TEST_WITH(it_says_how_many_reports_wait, start, end)
{
    desk_take(&d, 7);
    sottod_publisher *publisher = begin();
    WAIT_FOR(publisher_look(publisher).waiting == 7);
    desk_take(&d, 20);
    WAIT_FOR(publisher_look(publisher).publishes == 1);
    assert_int_equal(publisher_look(publisher).waiting, 0);
    publisher_stop(publisher);
}

static uint64_t alarms(void)
{
    const uint32_t number = experiment_number(d.experiment);
    return totals_look(experiments_totals(d.all), number).epochs[SOTTO__WATCH_COUNT];
}

TEST_WITH(alarms_are_counted_since_the_start, start, end)
{
    experiment_request request = desk_request();
    request.spec.series = 10;
    request.epoch_reports_expected = 10;
    desk_create(&d, &request);
    sottod_publisher *publisher = begin();
    assert_int_equal(alarms(), 0);
    desk_take(&d, 30);
    WAIT_FOR(publisher_look(publisher).publishes == 1);
    assert_int_equal(alarms(), 1);
    shared_memory_set_away(true);
    WAIT_FOR(!publisher_look(publisher).holds_lock);
    assert_int_equal(alarms(), 1);
    shared_memory_set_away(false);
    publisher_stop(publisher);
}

TEST_WITH(what_is_stopped_is_told, start, end)
{
    char id[2][SPEC_ID_TEXT_BYTES];
    sottod_publisher *publisher = begin();
    WAIT_FOR(publisher_look(publisher).holds_lock);
    assert_int_equal(publisher_stopped(publisher, id, 2), 0);
    pthread_mutex_lock(&shared.mutex);
    shared.experiment[0].damaged = true;
    shared.changes++;
    pthread_mutex_unlock(&shared.mutex);
    WAIT_FOR(publisher_stopped(publisher, id, 2) == 1);
    assert_string_equal(id[0], experiment_id_text(d.experiment));
    assert_int_equal(publisher_stopped(publisher, id, 0), 0);
    publisher_stop(publisher);
}
