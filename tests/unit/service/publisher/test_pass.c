/* A pass publishes what is due and skips what is at fault. */
#include "publisher_scene.h"
#include "server/server.h"
#include "service/publisher/inner.h"

#include <stdio.h>

static publisher_scene s;

FIXTURE(start)
{
    s = publisher_scene_new(false);
}

FIXTURE(end)
{
    publisher_scene_free(&s);
}

static uint32_t epoch(void)
{
    return experiment_epoch(s.one.experiment);
}

static uint32_t epoch_after(uint64_t later_ms)
{
    assert_true(publisher_scene_turn(&s, later_ms));
    return epoch();
}

TEST_WITH(a_database_that_is_away_is_said_to_be, start, end)
{
    assert_true(publisher_scene_turn(&s, 0));
    shared_memory_set_away(true);
    assert_false(publisher_scene_turn(&s, 1000));
}

TEST_WITH(an_epoch_lasts_as_long_as_it_must, start, end)
{
    assert_true(publisher_scene_turn(&s, 0));
    assert_int_equal(publisher_pass_ms(&s.pass, s.now_ms), 100); /* what came is asked for */
    desk_take(&s.one, 20);
    assert_true(publisher_scene_turn(&s, 999));
    assert_ints(publisher_pass_ms(&s.pass, s.now_ms), 100, epoch(), 0);
    assert_ints(epoch_after(1), 1, s.pass.publishes, 1);
    desk_take(&s.one, 20);
    assert_int_equal(epoch_after(999), 1);
    assert_int_equal(epoch_after(1), 2);
}

TEST_WITH(too_few_reports_are_waited_for, start, end)
{
    assert_true(publisher_scene_turn(&s, 0));
    desk_take(&s.one, 9);
    assert_true(publisher_scene_turn(&s, 1000));
    assert_int_equal(s.pass.waiting, 9);
    assert_int_equal(folding_memory_look().rows_read, 0); /* no rows are read */
    uint32_t waiting = folding_memory_look().waiting;
    assert_true(publisher_scene_turn(&s, 100000));
    assert_int_equal(publisher_pass_ms(&s.pass, s.now_ms), 400); /* nothing has come for a while */
    assert_int_equal(folding_memory_look().waiting, waiting);    /* nobody asks for it */
    desk_take(&s.two, 1);
    assert_ints(epoch_after(2000), 1, s.pass.waiting, 0);
}

/* Waiting copies do not delay the end of an epoch. */
TEST_WITH(an_attempt_goes_on_when_enough_could_have_come, start, end)
{
    assert_true(publisher_scene_turn(&s, 0));
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&s.one, s.one.experiment, 6);
    desk_give(&s.one, frames, 6);
    desk_give(&s.two, frames, 6);
    desk_commit(&s.one);
    desk_commit(&s.two);
    assert_true(publisher_scene_turn(&s, 1000)); /* 12 wait, 6 count */
    assert_int_equal(epoch(), 0);
    uint32_t read = folding_memory_look().rows_read;
    assert_ints(read, 2, s.pass.waiting, 12, s.pass.distinct, 6);
    desk_take(&s.one, 3);
    assert_true(publisher_scene_turn(&s, 1000)); /* at most 9 count: not tried */
    assert_ints(folding_memory_look().rows_read, read, s.pass.waiting, 15);
    desk_take(&s.one, 1);
    assert_true(publisher_scene_turn(&s, 1000));
    assert_int_equal(folding_memory_look().rows_read, read + 2); /* only the new rows */
    assert_ints(epoch(), 1, s.pass.distinct, 0, experiment_counts(s.two.experiment).duplicate, 6);
    publisher_scene_assert_replayed(&s);
}

/* Publishes a model of the present rows, as another publisher would just before ours. */
static void publish_before_us(void)
{
    const uint32_t models = shared.models, histories = shared.histories;
    publisher_known *rival = publisher_scene_known(&s);
    const folding_cut *to;
    assert_int_equal(publisher_known_load(rival, s.folding), EPOCH_DONE);
    assert_true(folding_waiting(s.folding, rival->number, &rival->cut, &to, &rival->fresh));
    assert_int_equal(publisher_attempt(rival, s.folding, s.fold, to, DESK_MINUTE), EPOCH_DONE);
    publisher_known_free(rival);
    const shared_model by = shared.model[models];
    shared.models = models;
    shared.histories = histories;
    folding_memory_fence(&by);
}

static uint32_t lines_of(FILE *log, const char *event)
{
    char line[500];
    uint32_t count = 0;
    rewind(log);
    while (fgets(line, sizeof line, log) != NULL) {
        count += strstr(line, event) != NULL;
    }
    return count;
}

/* A publish between two log lines, ours or another's, does not make the second come sooner. */
TEST_WITH(that_too_few_count_is_said_once_a_minute, start, end)
{
    FILE *log = tmpfile();
    s.pass.log = log_new(fileno(log), LOG_INFO);
    assert_true(publisher_scene_turn(&s, 0));
    for (uint32_t i = 0; i < 4; i++) {
        uint8_t *frames = desk_frames(&s.one, s.one.experiment, 6);
        desk_give(&s.one, frames, 6);
        desk_give(&s.two, frames, 6);
        desk_commit(&s.one);
        desk_commit(&s.two);
        free(frames);
        assert_true(publisher_scene_turn(&s, i < 3 ? 1000 : 60000)); /* 12 wait, 6 count */
        assert_ints(epoch(), i, s.pass.distinct, 6, lines_of(log, "not_due"), i < 3 ? 1 : 2);
        desk_take(&s.one, 4);
        if (i == 1) publish_before_us();
        assert_true(publisher_scene_turn(&s, 10000));
        assert_int_equal(s.pass.fenced, i >= 1);
        assert_true(
            publisher_scene_turn(&s, 2000)); /* after being fenced, the experiment is read again */
        assert_int_equal(epoch(), i + 1);
    }
    log_free(s.pass.log);
    fclose(log);
}

TEST_WITH(a_crowd_does_not_wait_for_the_schedule, start, end)
{
    s.pass.nonces_max = 20; /* 5 of each of 4 epochs */
    assert_true(publisher_scene_turn(&s, 0));
    desk_take(&s.one, 4);
    assert_int_equal(epoch_after(1000), 0);
    desk_take(&s.one, 1);
    assert_int_equal(epoch_after(1000), 1);
}

TEST_WITH(a_paused_experiment_does_not_go_on, start, end)
{
    sottod_refusal why;
    desk_take(&s.one, 20);
    assert_true(experiment_set_state(s.one.all, s.one.experiment, JOURNAL_PAUSED, &why));
    assert_true(publisher_scene_turn(&s, 0));
    assert_int_equal(epoch_after(5000), 0);
    assert_true(experiment_set_state(s.two.all, s.two.experiment, JOURNAL_OPEN, &why));
    s.pass.stale = true;
    assert_int_equal(epoch_after(1000), 1);
    assert_true(experiment_set_state(s.two.all, s.two.experiment, JOURNAL_CLOSED, &why));
    s.pass.stale = true;
    assert_true(publisher_scene_turn(&s, 1000));
    assert_int_equal(s.pass.known_count, 0);
}

/* Epochs of the current experiment with an alarm of the test `count`; other tests have none. */
static uint64_t alarms(void)
{
    const watch_total total = totals_look(s.totals, experiment_number(s.two.experiment));
    for (uint32_t t = 0; t < SOTTO__WATCH_TESTS; t++) {
        if (t != SOTTO__WATCH_COUNT) assert_int_equal(total.epochs[t], 0);
    }
    return total.epochs[SOTTO__WATCH_COUNT];
}

/* The owner expects 10 reports; 30 come. What another gateway sets is noticed at the next reading. Without quarantine
 * what is held stays so until somebody decides. */
TEST_WITH(a_quarantine_holds_what_comes_from_then_on, start, end)
{
    sottod_refusal why;
    experiment_request request = desk_request();
    request.spec.series = 10;
    request.epoch_reports_expected = 10;
    desk_create(&s.two, &request);
    assert_true(shared_desk_refresh(&s.one));
    assert_non_null(shared_desk_find(&s.one, s.two.experiment));
    assert_true(publisher_scene_turn(&s, 0));
    desk_take(&s.two, 30);
    assert_ints(epoch_after(1000), 1, shared.history[0].alarms, 1u << SOTTO__WATCH_COUNT, alarms(),
                1);
    assert_true(totals_look(s.totals, experiment_number(s.two.experiment)).age == 0);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(experiment_set_quarantine(s.two.all, s.two.experiment, i == 0, &why));
        s.pass.stale = true;
        if (i == 0) desk_take(&s.two, 30);
        assert_true(publisher_scene_turn(&s, 1000));
        assert_ints(epoch_after(1000), 1, alarms(), 2);
    }
    assert_true(experiment_release(s.one.all, s.one.experiment, &why));
    s.pass.stale = true;
    assert_ints(epoch_after(1000), 2, alarms(), 2);
}

/* Of three experiments, the second has an impossible row. */
TEST_WITH(what_is_at_fault_is_left_alone_and_the_others_go_on, start, end)
{
    experiment_request request = desk_request();
    sottod_experiment *made[3] = {s.one.experiment};
    for (uint32_t i = 1; i < 3; i++) {
        request.spec.series = 10 + i;
        made[i] = desk_create(&s.one, &request);
    }
    assert_true(publisher_scene_turn(&s, 0));
    for (uint32_t i = 0; i < 3; i++) {
        s.one.experiment = made[i];
        desk_take(&s.one, 20);
    }
    shared.row[1].row.frames.bytes--;
    assert_true(publisher_scene_turn(&s, 1000));
    assert_ints(experiment_epoch(made[0]), 1, experiment_epoch(made[1]), 0);
    assert_int_equal(experiment_epoch(made[2]), 1);
    assert_true(s.pass.known[1]->broken);
    assert_string_equal(publisher_pass_stopped(&s.pass, 0), experiment_id_text(made[1]));
    assert_null(publisher_pass_stopped(&s.pass, 1));
    uint32_t waiting = folding_memory_look().waiting;
    assert_true(publisher_scene_turn(&s, 1000));
    assert_int_equal(folding_memory_look().waiting, waiting); /* no rows came */
    /* It is retried at growing intervals; the age of its epoch is kept. */
    assert_true(publisher_scene_turn(&s, 10000));
    assert_true(s.pass.known[1]->broken);
    shared.row[1].row.frames.bytes++;
    assert_true(publisher_scene_turn(&s, 10000));
    assert_true(s.pass.known[1]->broken);
    assert_true(publisher_scene_turn(&s, 10000));
    assert_false(s.pass.known[1]->broken);
    assert_null(publisher_pass_stopped(&s.pass, 0));
    assert_int_equal(experiment_epoch(made[1]), 1);
    s.one.experiment = made[0];
}

/* Another publisher's model of the same rows is the one that counts. */
TEST_WITH(a_fenced_publisher_reads_the_models_again, start, end)
{
    assert_true(publisher_scene_turn(&s, 0));
    desk_take(&s.one, 20);
    desk_take(&s.two, 10);
    publish_before_us();
    assert_true(publisher_scene_turn(&s, 1000));
    assert_ints(s.pass.fenced, 1, s.pass.publishes, 0, epoch(), 1);
    desk_take(&s.one, 20);
    assert_true(publisher_scene_turn(&s, 1000));
    assert_true(publisher_scene_turn(&s, 1000));
    assert_ints(s.pass.publishes, 1, epoch(), 2);
    publisher_scene_assert_replayed(&s);
}

/* Another process has just published it: the age of its epoch continues here. */
TEST_WITH(who_takes_over_does_not_end_an_epoch_too_early, start, end)
{
    sottod_folding *rival = folding_new(NULL);
    publisher_pass other = publisher_scene_pass(rival, s.fold, s.totals);
    assert_true(publisher_scene_turn(&s, 0));
    assert_true(publisher_pass_run(&other, s.now_ms, DESK_MINUTE));
    desk_take(&s.one, 20);
    assert_int_equal(epoch_after(1000), 1);
    desk_take(&s.one, 20);
    folding_hang_up(s.folding); /* its publisher dies */
    shared.elapsed_ms[0] = 200; /* since its publish */
    shared.paces = true;
    assert_true(publisher_pass_run(&other, s.now_ms + 200, DESK_MINUTE));
    assert_true(publisher_pass_run(&other, s.now_ms + 999, DESK_MINUTE));
    assert_int_equal(other.publishes, 0);
    assert_true(publisher_pass_run(&other, s.now_ms + 1000, DESK_MINUTE));
    assert_int_equal(other.publishes, 1);
    publisher_pass_forget(&other);
    folding_free(rival);
    publisher_scene_forget(&s);
}

/* Publishers come and go; reports come at two gateways, some of them twice; all models equal those
 * of a replay. */
TEST_WITH(whoever_folds_makes_the_same_models, start, end)
{
    for (uint32_t i = 0; i < 12; i++) {
        uint8_t *frames = desk_frames(&s.one, s.one.experiment, 4);
        desk_give(&s.one, frames, 4);
        desk_give(&s.two, frames, 4);
        free(frames);
        publisher_scene_epoch(&s, 20, 7 + i);
        if (i % 3 == 1) publisher_scene_forget(&s); /* another publisher takes over */
    }
    assert_true(desk_same(s.one.experiment, s.two.experiment));
    assert_true(experiment_counts(s.one.experiment).duplicate >= 48);
    publisher_scene_assert_replayed(&s);
}

TEST_WITH(what_no_open_epoch_needs_may_go, start, end)
{
    s.pass.retention.keep_reports = true;
    for (uint32_t i = 0; i < 5; i++) {
        publisher_scene_epoch(&s, 20, 1);
    }
    assert_int_equal(folding_memory_look().retained, 1); /* not after each of such short epochs */
    s.now_ms += 5000;
    assert_true(publisher_pass_run(&s.pass, s.now_ms, DESK_MINUTE));
    folding_memory_calls calls = folding_memory_look();
    assert_ints(calls.retained, 2, calls.oldest_open, 3, calls.keep_models_from, 3);
    assert_true(calls.keep_reports);
}

TEST_WITH(what_a_deleted_experiment_held_goes_once, start, end)
{
    sottod_refusal why;
    assert_true(publisher_scene_turn(&s, 0));
    assert_true(experiment_set_state(s.two.all, s.two.experiment, JOURNAL_DELETED, &why));
    for (uint32_t i = 0; i < 3; i++) {
        s.pass.stale = true;
        s.now_ms += 1000;
        assert_true(publisher_pass_run(&s.pass, s.now_ms, DESK_MINUTE));
        assert_ints(folding_memory_look().retained, 1, s.pass.known_count, 0);
    }
    assert_true(shared_desk_refresh(&s.one) && shared_desk_refresh(&s.two));
}

/* It has no open epoch. Later it may be deleted. */
TEST_WITH(what_a_closed_experiment_held_goes_once, start, end)
{
    sottod_refusal why;
    publisher_scene_epoch(&s, 20, 1);
    uint32_t retained = folding_memory_look().retained;
    static const journal_state states[] = {JOURNAL_CLOSED, JOURNAL_DELETED};
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(experiment_set_state(s.two.all, s.two.experiment, states[i], &why));
        for (uint32_t k = 0; k < 3; k++) {
            s.pass.stale = true;
            s.now_ms += 1000;
            assert_true(publisher_pass_run(&s.pass, s.now_ms, DESK_MINUTE));
            assert_int_equal(folding_memory_look().retained, retained + i + 1);
        }
        assert_int_equal(folding_memory_look().oldest_open, i == 0 ? UINT32_MAX : 0);
        assert_int_equal(folding_memory_look().cut_places, i == 0 ? 2 : 0);
    }
    assert_true(shared_desk_refresh(&s.one) && shared_desk_refresh(&s.two));
}

/* Even if another process has become the publisher meanwhile. */
TEST_WITH(what_a_quiet_or_paused_experiment_does_not_need_goes_in_time, start, end)
{
    sottod_refusal why;
    publisher_scene_epoch(&s, 20, 1);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t retained = folding_memory_look().retained;
        assert_true(publisher_scene_turn(&s, 599000));
        assert_int_equal(folding_memory_look().retained, retained);
        assert_true(publisher_scene_turn(&s, 1000));
        assert_true(
            publisher_scene_turn(&s, 2000)); /* it was released: others could have taken it */
        assert_int_equal(folding_memory_look().retained, retained + 1);
        assert_int_equal(folding_memory_look().cut_places, 2);
        assert_true(experiment_set_state(s.two.all, s.two.experiment, JOURNAL_PAUSED, &why));
        publisher_scene_forget(&s);
        assert_true(publisher_scene_turn(&s, 1000));
    }
}

/* As while pg_dump runs: of two experiments, the first one is busy. */
TEST_WITH(what_is_busy_of_a_deleted_experiment_goes_at_a_later_reading, start, end)
{
    sottod_refusal why;
    experiment_request request = desk_request();
    request.spec.series = 10;
    sottod_experiment *made[] = {s.two.experiment, desk_create(&s.two, &request)};
    assert_true(publisher_scene_turn(&s, 0));
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(experiment_set_state(s.two.all, made[i], JOURNAL_DELETED, &why));
    }
    folding_memory_busy(1);
    static const uint32_t retained[] = {2, 3, 3};
    for (uint32_t i = 0; i < 3; i++) {
        s.pass.stale = true;
        s.now_ms += 1000;
        assert_true(publisher_pass_run(&s.pass, s.now_ms, DESK_MINUTE));
        assert_int_equal(folding_memory_look().retained, retained[i]);
    }
    assert_true(shared_desk_refresh(&s.one) && shared_desk_refresh(&s.two));
}

/* An experiment in quarantine whose epoch is held: 10 reports are expected, 30 come. */
static void hold_one(void)
{
    experiment_request request = desk_request();
    request.spec.series = 10;
    request.epoch_reports_expected = 10;
    request.quarantine = true;
    desk_create(&s.two, &request);
    assert_true(shared_desk_refresh(&s.one));
    assert_non_null(shared_desk_find(&s.one, s.two.experiment));
    assert_true(publisher_scene_turn(&s, 0));
    desk_take(&s.two, 30);
    assert_int_equal(epoch_after(1000), 0);
    assert_true(experiment_watched(s.one.experiment).held);
    assert_true(experiment_watched(s.two.experiment).held);
}

/* However many reports come: repeated looks would make false alarms more likely. */
TEST_WITH(a_held_epoch_is_not_looked_at_again, start, end)
{
    hold_one();
    uint32_t read = folding_memory_look().rows_read;
    for (uint32_t i = 0; i < 4; i++) {
        desk_take(&s.two, 200);
        assert_true(publisher_scene_turn(&s, 3000));
    }
    assert_ints(folding_memory_look().rows_read, read, epoch(), 0);
    assert_int_equal(s.pass.waiting, 830); /* the counts are still reported */
    assert_int_equal(alarms(), 1);
}

/* The publisher is killed after the decision and before carrying it out: the next one does so, once. */
TEST_WITH(what_one_gateway_decides_any_publisher_carries_out_once, start, end)
{
    sottod_refusal why;
    for (uint32_t discards = 0; discards < 2; discards++) {
        if (discards == 0) hold_one();
        assert_true(discards == 0 ? experiment_release(s.one.all, s.one.experiment, &why)
                                  : experiment_discard(s.two.all, s.two.experiment, &why));
        publisher_scene_forget(&s);
        assert_true(publisher_scene_turn(&s, 1000));
        assert_ints(epoch_after(1000), 1 + discards, alarms(), 1 + discards);
        assert_int_equal(shared.model[discards].kind,
                         discards == 0 ? JOURNAL_PUBLISH : JOURNAL_DISCARD);
        assert_false(experiment_watched(s.one.experiment).held);
        assert_false(experiment_release(s.two.all, s.two.experiment, &why));
        assert_int_equal(why.status, 409);
        if (discards == 0) desk_take(&s.two, 30);
        assert_true(publisher_scene_turn(&s, 3000));
    }
    assert_int_equal(shared.models, 2);
}

/* Three experiments; the row of the second one is damaged, before it is known or after, and repaired. */
TEST_WITH(a_damaged_experiment_stops_alone_until_it_is_repaired, start, end)
{
    experiment_request request = desk_request();
    sottod_experiment *made[3] = {s.one.experiment};
    for (uint32_t i = 1; i < 3; i++) {
        request.spec.series = 10 + i;
        made[i] = desk_create(&s.one, &request);
    }
    for (uint32_t pass = 0; pass < 2; pass++) {
        if (pass == 0) shared.experiment[1].damaged = true;
        s.pass.stale = true;
        assert_true(publisher_scene_turn(&s, 1000));
        if (pass == 1) shared.experiment[1].damaged = s.pass.stale = true;
        for (uint32_t i = 0; i < 3; i++) {
            s.one.experiment = made[i];
            desk_take(&s.one, 20);
        }
        assert_true(publisher_scene_turn(&s, 1000));
        assert_int_equal(s.pass.known_count, 2);
        assert_string_equal(publisher_pass_stopped(&s.pass, 0), experiment_id_text(made[1]));
        assert_null(publisher_pass_stopped(&s.pass, 1));
        assert_ints(experiment_epoch(made[0]), pass + 1, experiment_epoch(made[1]), pass);
        assert_int_equal(experiment_epoch(made[2]), pass + 1);
        shared.experiment[1].damaged = false;
        s.pass.stale = true;
        assert_true(publisher_scene_turn(&s, 1000));
        assert_true(publisher_scene_turn(&s, 1000));
        assert_null(publisher_pass_stopped(&s.pass, 0));
        assert_int_equal(experiment_epoch(made[1]), pass + 1); /* reports taken meanwhile count */
    }
    s.one.experiment = made[0];
}

/* Its number may be damaged too: then no row has the known number. */
TEST_WITH(an_experiment_without_a_row_is_not_folded, start, end)
{
    experiment_request request = desk_request();
    for (uint32_t i = 1; i < 3; i++) {
        request.spec.series = 10 + i;
        desk_create(&s.two, &request);
    }
    assert_true(publisher_scene_turn(&s, 0));
    assert_int_equal(s.pass.known_count, 3);
    shared.experiment[1].number = 77;
    shared.experiment[1].damaged = s.pass.stale = true;
    const journal_experiment last = shared.experiment[2];
    shared.experiment[2] = shared.experiment[1]; /* rows come by number */
    shared.experiment[1] = last;
    s.now_ms += 1000;
    assert_true(publisher_pass_run(&s.pass, s.now_ms, DESK_MINUTE));
    assert_ints(s.pass.known_count, 2, s.pass.known[1]->number, 3);
    shared.experiments = 1;
    s.pass.stale = true;
    s.now_ms += 1000;
    assert_true(publisher_pass_run(&s.pass, s.now_ms, DESK_MINUTE));
    assert_int_equal(s.pass.known_count, 1);
}
