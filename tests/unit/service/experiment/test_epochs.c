/* An epoch ends when the schedule allows it, enough people are in it, it has lasted long enough and
 * the backlog is drained; or when it has waited too long for the backlog. */
#include "desk.h"
#include "directory.h"
#include "test.h"

#include "core/core.h"
#include "server/server.h"

#include <stdlib.h>

/* 10 reports wanted, at least 3, 60 s. */
static desk desk_of_minutes(void)
{
    experiment_request request = desk_request();
    request.epoch_seconds_min = 60;
    return desk_with(1, &request);
}

static void assert_turned(desk *d, uint64_t later_ms, bool drained, uint32_t epoch)
{
    d->now_ms += later_ms;
    assert_true(epochs_turn(d->all, d->now_ms, DESK_MINUTE, drained));
    assert_int_equal(experiment_epoch(d->experiment), epoch);
}

TEST(an_epoch_waits_for_its_minimum_time)
{
    HELD(desk) d = desk_of_minutes();
    desk_take(&d, 50);
    assert_turned(&d, 0, true, 0);
    assert_int_equal(epochs_timeout_ms(d.all, d.now_ms), 60000);
    assert_turned(&d, 59999, true, 0);
    assert_int_equal(epochs_timeout_ms(d.all, d.now_ms), 1);
    assert_turned(&d, 1, true, 1);
    desk_take(&d, 50);
    assert_turned(&d, 59999, true, 1);
    assert_turned(&d, 1, true, 2);
    assert_ints(epochs_published(d.all), 2, epochs_published_in_backlog(d.all), 0);
}

/* Reports are accepted meanwhile, and the epoch ends as soon as the clock moves. */
TEST(while_the_clock_stands_still_no_epoch_ends)
{
    HELD(desk) d = desk_of_minutes();
    for (uint32_t i = 0; i < 100; i++) {
        desk_take(&d, 50);
        assert_turned(&d, 0, true, 0);
        assert_int_equal(epochs_timeout_ms(d.all, d.now_ms), 60000);
    }
    assert_turned(&d, 60000, true, 1);
    assert_int_equal(sotto_learner_model(experiment_learner(d.experiment))->reports, 5000);
}

TEST(an_epoch_waits_for_the_schedule)
{
    HELD(desk) d = desk_of_minutes();
    desk_take(&d, 9);
    assert_turned(&d, 3600000, true, 0);
    desk_take(&d, 1);
    assert_int_equal(epochs_timeout_ms(d.all, d.now_ms), 0);
    assert_turned(&d, 0, true, 1);
}

TEST(an_epoch_of_too_few_people_is_not_published)
{
    experiment_request request = desk_request();
    request.epoch_reports_min = SOTTO__EPOCH_REPORTS_MIN;
    request.learning.epoch = 1;
    HELD(desk) d = desk_with(1, &request);
    desk_take(&d, 19);
    assert_turned(&d, 3600000, true, 0);
    desk_take(&d, 1);
    assert_turned(&d, 0, true, 1);
}

/* A port that is always busy with other requests does not delay the epoch. */
TEST(other_requests_do_not_delay_an_epoch)
{
    HELD(desk) d = desk_of_minutes();
    for (uint32_t epoch = 0; epoch < 15; epoch++) {
        desk_take(&d, 50);
        assert_turned(&d, 59999, false, epoch);
        for (uint32_t turn = 0; turn < 2; turn++) { /* looks again, at once */
            assert_turned(&d, turn == 0, false, epoch);
            assert_int_equal(epochs_timeout_ms(d.all, d.now_ms), 0);
        }
        assert_turned(&d, 0, false, epoch + 1);
    }
    assert_int_equal(epochs_published_in_backlog(d.all), 0);
}

TEST(copies_and_late_reports_do_not_delay_an_epoch)
{
    HELD(desk) d = desk_of_minutes();
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&d, d.experiment, 50);
    desk_take_frames(&d, frames, 50);
    assert_turned(&d, 60000, false, 0);
    for (uint32_t i = 0; i < 2; i++) {
        desk_take_frames(&d, frames, 50);
        assert_turned(&d, 0, false, i);
    }
    desk_assert_counts(d.experiment, 50, 0, 100, 0);
}

TEST(an_epoch_waits_for_its_backlog_but_not_for_ever)
{
    HELD(desk) d = desk_of_minutes();
    desk_take(&d, 50);
    assert_turned(&d, 60000, false, 0);
    for (uint32_t s = 0; s < 60; s++) { /* reports in every turn */
        desk_take(&d, 1);
        assert_turned(&d, s == 0 ? 0 : 1000, false, 0);
    }
    desk_take(&d, 1);
    assert_turned(&d, 1000, false, 1);
    assert_int_equal(epochs_published_in_backlog(d.all), 1);
    desk_take(&d, 50);
    assert_turned(&d, 60000, false, 1);
    desk_take(&d, 1);
    assert_turned(&d, 0, true, 2); /* no port has anything */
    assert_int_equal(epochs_published_in_backlog(d.all), 1);
}

TEST(a_body_that_is_half_read_is_waited_for)
{
    HELD(desk) d = desk_of_minutes();
    desk_take(&d, 50);
    assert_turned(&d, 60000, false, 0);
    for (uint32_t i = 0; i < 50; i++) {
        epochs_arrives(d.experiment);
        assert_turned(&d, 1, false, 0);
    }
    assert_turned(&d, 0, false, 0);
    assert_turned(&d, 0, false, 1);
}

/* The wait for the backlog begins when nothing else delays the publish. */
TEST(the_wait_for_the_backlog_begins_when_there_is_enough)
{
    HELD(desk) d = desk_of_minutes();
    desk_take(&d, 5);
    assert_turned(&d, 10000000, false, 0);
    desk_take(&d, 5);
    assert_turned(&d, 0, false, 0);
    desk_take(&d, 1);
    assert_turned(&d, 59999, false, 0);
    desk_take(&d, 1);
    assert_turned(&d, 1, false, 1);
}

/* Each publish waits for the disk. */
TEST(a_turn_publishes_a_few_and_the_next_the_rest)
{
    HELD(desk) d = desk_of(1);
    uint32_t turns = 0;
    for (uint32_t i = 0; i < 40; i++) {
        experiment_request request = desk_request();
        request.spec.series = i;
        desk_create(&d, &request);
        desk_take(&d, 50);
    }
    d.now_ms += 1000;
    for (; turns < 20 && epochs_published(d.all) < 40; turns++) {
        uint64_t before = epochs_published(d.all);
        assert_int_equal(epochs_timeout_ms(d.all, d.now_ms), 0);
        assert_true(epochs_turn(d.all, d.now_ms, DESK_MINUTE, true));
        assert_in_range(epochs_published(d.all) - before, 1, 4);
    }
    assert_int_equal(turns, 10);
}

TEST(without_a_file_a_restart_begins_the_minimum_time_anew)
{
    HELD(desk) d = desk_of_minutes();
    desk_take(&d, 50);
    assert_turned(&d, 59000, true, 0);
    d.now_ms = 17; /* the steady clock after the machine restarted */
    desk_restart(&d);
    assert_turned(&d, 59999, true, 0);
    assert_turned(&d, 1, true, 1);
}

TEST(restarts_keep_the_time_that_an_epoch_has_lasted)
{
    HELD(directory) here = directory_new();
    experiment_request request = desk_request();
    request.epoch_seconds_min = 10;
    HELD(desk) d = desk_of(1);
    d.settings.pace_file = here.file;
    desk_restart(&d);
    desk_create(&d, &request);
    for (uint32_t epoch = 0; epoch < 2; epoch++) {
        desk_take(&d, 50);
        for (uint32_t i = 0; i < 2; i++) {
            assert_turned(&d, 4000, true, epoch);
            desk_restart(&d);
        }
        assert_turned(&d, 1999, true, epoch);
        assert_turned(&d, 1, true, epoch + 1);
    }
}

TEST(the_hour_of_the_day_decides_nothing)
{
    HELD(desk) d = desk_of_minutes();
    static const uint64_t minutes[] = {0, 1, UINT64_MAX, 30000000, 5};
    for (uint32_t i = 0; i < 5; i++) {
        desk_take(&d, 20);
        d.now_ms += 59999;
        assert_true(epochs_turn(d.all, d.now_ms, minutes[i], true));
        assert_int_equal(experiment_epoch(d.experiment), i);
        d.now_ms++;
        assert_true(epochs_turn(d.all, d.now_ms, minutes[4 - i], true));
        assert_int_equal(experiment_epoch(d.experiment), i + 1);
    }
}

/* The schedule wants more than the set of nonces can ever hold. */
TEST(an_epoch_that_fills_the_nonces_ends)
{
    experiment_request request = desk_request();
    request.learning.epoch = 1000000;
    HELD(desk) d = desk_of(1);
    d.settings.nonces_max = 1000;
    desk_restart(&d);
    desk_create(&d, &request);
    desk_take(&d, 249); /* lag 2: a quarter */
    assert_turned(&d, 1000, true, 0);
    desk_take(&d, 1);
    assert_turned(&d, 0, true, 1);
    for (uint32_t i = 1; i < 20; i++) {
        desk_take(&d, 250); /* never refused */
        assert_turned(&d, 1000, true, i + 1);
    }
}

/* New frames of measure rounds only, which neither the schedule nor the floor counts. */
static void take_measured(desk *d, uint32_t count)
{
    const sotto_terms *terms = experiment_terms(d->experiment);
    const sotto_model *model = sotto_learner_model(experiment_learner(d->experiment));
    size_t each = sotto_report_bytes(terms);
    while (count > 0) {
        sottod_refusal why;
        uint8_t *frame = desk_frames_of(d, d->experiment, model->epoch, 1);
        bool decides = sotto_model_decides(terms, model);
        bool learns =
            sotto__role_of(terms, frame + SOTTO__REPORT_NONCE_AT, decides) == SOTTO_ROLE_LEARN;
        if (!learns) {
            assert_true(intake_offer(d->intake, d->experiment, frame, each, &why));
            count--;
        }
        free(frame);
    }
    desk_commit(d);
}

/* Otherwise one who sends nothing else could fill the nonces, and no epoch would ever end. */
TEST(measure_reports_alone_do_not_keep_a_crowded_epoch_open)
{
    experiment_request request = desk_request();
    request.spec.measure = 1u << 31;
    HELD(desk) d = desk_of(1);
    d.settings.nonces_max = 1000;
    desk_restart(&d);
    desk_create(&d, &request);
    uint32_t epoch = 0;
    while (!sotto_model_decides(experiment_terms(d.experiment),
                                sotto_learner_model(experiment_learner(d.experiment)))) {
        desk_take(&d, 30);
        assert_turned(&d, 1000, true, ++epoch);
    }
    take_measured(&d, 249);
    assert_turned(&d, 1000, true, epoch);
    take_measured(&d, 1);
    assert_turned(&d, 0, true, epoch + 1);
}

TEST(what_the_journal_refused_is_tried_again)
{
    HELD(desk) d = desk_of_minutes();
    desk_take(&d, 50);
    assert_turned(&d, 0, true, 0);
    for (uint32_t calls = 0; calls < 4; calls++) {
        journal_memory_fail_after(d.journal, calls);
        d.now_ms += 60000;
        assert_false(epochs_turn(d.all, d.now_ms, DESK_MINUTE, true));
        assert_int_equal(experiment_epoch(d.experiment), 0);
        int timeout_ms = epochs_timeout_ms(d.all, d.now_ms);
        assert_true(timeout_ms > 0 && timeout_ms <= 1000);
    }
    assert_turned(&d, 0, true, 1);
    assert_int_equal(epochs_published(d.all), 1);
}

TEST(only_what_is_due_is_published)
{
    enum { COUNT = 12 };
    HELD(desk) d = desk_of(1);
    experiment_request request = desk_request();
    sottod_experiment *experiment[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        request.spec.series = i;
        request.epoch_seconds_min = 10 * (i + 1);
        experiment[i] = desk_create(&d, &request);
        if (i % 3 != 0) desk_take(&d, 10);
    }
    uint64_t began_ms = d.now_ms;
    for (uint32_t s = 0; s <= 10 * COUNT; s += 5) {
        d.now_ms = began_ms + s * UINT64_C(1000);
        assert_true(epochs_turn(d.all, d.now_ms, DESK_MINUTE, true));
        for (uint32_t i = 0; i < COUNT; i++) {
            assert_int_equal(experiment_epoch(experiment[i]), i % 3 != 0 && s >= 10 * (i + 1));
        }
    }
}
