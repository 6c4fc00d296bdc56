/* Changes by other processes are read, and epochs never go back. */
#include "learners.h"
#include "service/system/system.h"
#include "shared_desk.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static desk d, other;

FIXTURE(start)
{
    experiment_request request = desk_request();
    request.spec.measure = 1u << 31;
    d = shared_desk_with(&request);
    other = shared_desk_beside(2, &d);
}

FIXTURE(end)
{
    shared_desk_free(&other);
    shared_desk_free(&d);
    shared_memory_end();
}

/* Uses up the readings of this second. */
static void too_often(desk *of)
{
    of->all->second_ms = clock_steady_ms();
    of->all->readings = 20;
}

static void publish(uint32_t count)
{
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&d, d.experiment, count);
    shared_desk_publish(&d, frames, count);
    assert_true(shared_desk_refresh(&d));
}

/* Nothing of the experiment changed: the same learner, model and counts. */
static void assert_unchanged_by(journal_bytes learner, journal_bytes results, uint32_t epoch)
{
    const journal_counts counts = {.folded = 77777};
    const sotto_learner *before = experiment_learner(other.experiment);
    shared_desk_put(other.experiment->number, epoch, &counts, learner, results);
    assert_true(shared_desk_refresh(&other)); /* the database can be reached */
    assert_ptr_equal(experiment_learner(other.experiment), before);
    assert_int_not_equal(experiment_counts(other.experiment).folded, 77777);
    shared.models--;
}

TEST_WITH(a_model_that_cannot_be_used_changes_nothing, start, end)
{
    publish(20);
    const shared_model good = shared.model[0];
    shared.models = 0;
    uint8_t bytes[4096];
    assert_true(good.learner.bytes <= sizeof bytes);
    memcpy(bytes, good.learner.at, good.learner.bytes);
    assert_unchanged_by((journal_bytes){bytes, good.learner.bytes - 1}, good.results, 1);
    assert_unchanged_by(good.learner, (journal_bytes){good.results.at, good.results.bytes - 1}, 1);
    assert_unchanged_by(good.learner, good.results, 2); /* not the epoch of the learner */
    assert_int_equal(experiment_epoch(other.experiment), 0);
    shared_desk_put(1, 1, &good.counts, good.learner, good.results);
    assert_true(shared_desk_refresh(&other));
    assert_int_equal(experiment_epoch(other.experiment), 1);
}

TEST_WITH(an_epoch_never_goes_back, start, end)
{
    publish(20);
    const shared_model first = shared.model[0];
    publish(20);
    assert_true(shared_desk_refresh(&other));
    assert_int_equal(experiment_epoch(other.experiment), 2);
    shared.models = 0;
    assert_unchanged_by(first.learner, first.results, 1);
    assert_int_equal(experiment_epoch(other.experiment), 2);
}

TEST_WITH(a_database_that_is_away_changes_nothing, start, end)
{
    publish(20);
    shared_memory_set_away(true);
    assert_false(shared_desk_refresh(&other));
    assert_int_equal(experiment_epoch(other.experiment), 0);
    assert_int_equal(epochs_timeout_ms(other.all, other.now_ms), 1000);
    shared_memory_set_away(false);
    assert_true(shared_desk_refresh(&other));
    assert_int_equal(experiment_epoch(other.experiment), 1);
}

TEST_WITH(both_have_the_same_of_a_publish, start, end)
{
    size_t bytes;
    publish(500);
    publish(500);
    d.experiment->waiting = other.experiment->waiting = 3;
    publish(500);
    assert_true(shared_desk_refresh(&other));
    assert_true(desk_same(d.experiment, other.experiment));
    desk_assert_counts(other.experiment, 1500, 0, 0, 0);
    assert_int_equal(other.experiment->waiting, 0);
    const uint8_t *model = experiment_model_bytes(other.experiment, &bytes);
    sotto_model *decoded;
    assert_ok(sotto_model_new(experiment_terms(other.experiment), &decoded));
    assert_ok(sotto_model_decode(experiment_terms(other.experiment), model, bytes, decoded));
    assert_int_equal(decoded->epoch, 3);
    sotto_model_free(decoded);
}

/* A change of one experiment does not cause reading the others. */
TEST_WITH(only_what_is_newer_is_read, start, end)
{
    experiment_request request = desk_request();
    for (uint32_t i = 0; i < 5; i++) {
        request.spec.series = 20 + i;
        desk_create(&other, &request);
    }
    shared_desk_find(&other, d.experiment);
    assert_true(shared_desk_refresh(&d) && shared_desk_refresh(&other));
    uint32_t read = shared.snapshots_read;
    publish(50);
    assert_true(shared_desk_refresh(&other) && shared_desk_refresh(&other));
    assert_int_equal(shared.snapshots_read, read + 2); /* one for each service */
    assert_true(desk_same(d.experiment, other.experiment));
}

TEST_WITH(one_that_starts_later_has_the_same, start, end)
{
    publish(100);
    publish(100);
    FREED_BY(shared_desk_free) desk third = shared_desk_beside(3, &d);
    assert_true(desk_same(d.experiment, third.experiment));
    assert_null(third.experiment->engine->nonces);
}

TEST_WITH(one_that_cannot_read_the_database_does_not_start, start, end)
{
    publish(100);
    sottod_journal *journal = shared_memory_gateway();
    sottod_experiments *all;
    sotto_fault fault;
    shared_memory_set_away(true);
    assert_status(experiments_open(journal, &d.settings, NULL, 0, &all, &fault), SOTTO_E_FAULT);
    assert_null(all);
    assert_non_null(strstr(fault.sentence, "away"));
    journal_close(journal);
}

/* It has no older model that it could serve. The other one, which comes after it, is as it is elsewhere. */
TEST_WITH(one_that_starts_does_not_use_what_has_a_damaged_model, start, end)
{
    const uint8_t *id = shared.experiment[0].id;
    experiment_request request = desk_request();
    request.spec.series = 10;
    publish(100);
    shared.model[0].learner.bytes--;
    desk_create(&d, &request);
    publish(100);
    desk third = shared_desk_of(3);
    assert_true(experiments_is_damaged(third.all, id));
    assert_int_equal(experiment_epoch(shared_desk_find(&third, d.experiment)), 1);
    assert_true(shared_desk_refresh(&third)); /* the other experiments are read */
    assert_string_equal(experiments_damaged(third.all, 0),
                        experiment_id_text(experiments_find(d.all, id)));
    assert_null(experiments_damaged(third.all, 1));
    assert_int_equal(epochs_timeout_ms(third.all, third.all->refreshed_ms), 10000);
    const uint32_t read = shared.snapshots_read;
    assert_true(shared_desk_refresh(&third)); /* it is not read again at once */
    assert_int_equal(shared.snapshots_read, read);
    assert_false(
        third.all->kind->catch_up(third.all, NULL, NULL)); /* reports made under its model wait */
    shared.model[0].learner.bytes++;
    experiments_find(third.all, id)->unusable_ms = third.now_ms - 9000; /* and a second passes */
    assert_true(shared_desk_refresh(&third));
    assert_false(experiments_is_damaged(third.all, id));
    assert_null(experiments_damaged(third.all, 0));
    assert_int_equal(experiment_epoch(experiments_find(third.all, id)), 1);
    assert_true(third.all->kind->catch_up(third.all, NULL, NULL));
    shared_desk_free(&third);
}

TEST_WITH(published_results_are_those_of_the_model, start, end)
{
    sotto_measurement m;
    publish(2000); /* the learner has measure rounds; published results are stored with the model */
    publish(2000);
    assert_true(shared_desk_refresh(&other));
    assert_ok(sotto_learner_measure(experiment_learner(other.experiment), 0.05, &m));
    assert_true(m.follow_count > 0);
    assert_ok(experiment_measure(other.experiment, 0.05, &m));
    assert_int_equal(m.follow_count, 0);
}

TEST_WITH(an_experiment_that_another_made_is_there, start, end)
{
    experiment_request request = desk_request();
    request.spec.series = 7;
    const sottod_experiment *made = desk_create(&d, &request);
    assert_null(experiments_find(other.all, experiment_id(made)));
    too_often(&other);
    assert_null(experiments_seek(other.all, experiment_id(made)));
    other.all->readings = 0;
    const sottod_experiment *found = experiments_seek(other.all, experiment_id(made));
    assert_non_null(found);
    assert_int_equal(experiment_number(found), experiment_number(made));
    assert_true(desk_same(made, found));
    assert_int_equal(experiments_count(other.all), 2);
}

TEST_WITH(the_same_experiment_is_made_once, start, end)
{
    experiment_request request = desk_request();
    sottod_experiment *made;
    sottod_refusal why;
    request.spec.series = 7;
    desk_create(&d, &request);
    assert_false(experiments_create(other.all, &request, 0, &made, &why));
    assert_int_equal(why.status, 409);
    shared_memory_set_away(true);
    request.spec.series = 8;
    assert_false(experiments_create(other.all, &request, 0, &made, &why));
    assert_int_equal(why.status, 503);
}

TEST_WITH(states_that_another_set_are_taken_over, start, end)
{
    sottod_refusal why;
    static const journal_state states[] = {JOURNAL_PAUSED, JOURNAL_OPEN, JOURNAL_CLOSED,
                                           JOURNAL_DELETED};
    for (size_t i = 0; i < 4; i++) {
        assert_true(experiment_set_state(d.all, d.experiment, states[i], &why));
        assert_true(shared_desk_refresh(&other));
        assert_int_equal(experiment_state(other.experiment), states[i]);
    }
    assert_int_equal(experiments_count(other.all), 0);
    assert_null(experiment_model_bytes(other.experiment, &(size_t){0}));
    assert_true(shared_desk_refresh(&other));
    assert_int_equal(experiment_state(other.experiment), JOURNAL_DELETED);
}

TEST_WITH(a_quarantine_that_another_set_is_taken_over, start, end)
{
    sottod_refusal why;
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(experiment_set_quarantine(d.all, d.experiment, i == 0, &why));
        assert_true(shared_desk_refresh(&other));
        assert_true(experiment_watched(other.experiment).quarantine == (i == 0));
    }
}

TEST_WITH(who_may_send_reports_is_taken_over, start, end)
{
    static const char *const origins[] = {"https://a", "*", "", "https://b https://c"};
    sottod_refusal why;
    for (uint32_t i = 0; i < 4; i++) {
        experiment_access access = {.origins = origins[i], .keys = i % 3};
        memset(access.key, 7, sizeof access.key[0] * access.keys);
        assert_true(experiment_set_access(d.all, d.experiment, &access, &why));
        assert_true(shared_desk_refresh(&other));
        assert_string_equal(experiment_access_of(other.experiment).origins, origins[i]);
        assert_int_equal(experiment_access_of(other.experiment).keys, i % 3);
    }
}

/* This service does not yet know the other's change, and its own change applies nevertheless. */
TEST_WITH(what_is_set_is_so_whatever_was_known, start, end)
{
    sottod_refusal why = {0};
    assert_true(experiment_set_state(d.all, d.experiment, JOURNAL_PAUSED, &why));
    assert_int_equal(experiment_state(other.experiment), JOURNAL_OPEN);
    assert_true(experiment_set_state(other.all, other.experiment, JOURNAL_OPEN, &why));
    assert_int_equal(shared.experiment[0].state, JOURNAL_OPEN);
    assert_true(experiment_set_quarantine(d.all, d.experiment, true, &why));
    assert_true(experiment_set_quarantine(other.all, other.experiment, false, &why));
    assert_false(shared.experiment[0].quarantine);
    assert_true(experiment_set_state(d.all, d.experiment, JOURNAL_CLOSED, &why));
    assert_false(experiment_set_state(other.all, other.experiment, JOURNAL_OPEN, &why));
    assert_int_equal(why.status, 503); /* it must read first */
    assert_int_equal(shared.experiment[0].state, JOURNAL_CLOSED);
}

TEST_WITH(it_is_read_again_when_something_changed, start, end)
{
    epochs_notice(other.all);
    assert_true(shared_desk_refresh(&other));
    uint64_t now_ms = other.now_ms;
    epochs_notice(other.all);
    assert_int_equal(epochs_timeout_ms(other.all, now_ms), 60000);
    publish(20);
    epochs_notice(other.all);
    assert_int_equal(epochs_timeout_ms(other.all, now_ms), 0);
    other.all->readings = 20; /* in this second */
    assert_int_equal(epochs_timeout_ms(other.all, now_ms + 1), 999);
    assert_int_equal(epochs_timeout_ms(other.all, now_ms + 1000), 0);
    assert_true(shared_desk_refresh(&other));
    epochs_notice(other.all);
    assert_int_equal(epochs_timeout_ms(other.all, other.now_ms), 60000);
    shared_memory_set_away(true); /* no connection: nothing would wake us */
    assert_int_equal(epochs_timeout_ms(other.all, other.now_ms), 1000);
}

/* Reading consumes pending notifications, so nothing would wake us later. */
TEST_WITH(what_changes_while_it_is_read_is_read_at_once, start, end)
{
    epochs_notice(other.all);
    shared.changes_meanwhile = true;
    assert_true(shared_desk_refresh(&other));
    assert_int_equal(epochs_timeout_ms(other.all, other.now_ms), 0);
    assert_true(shared_desk_refresh(&other));
    assert_int_equal(epochs_timeout_ms(other.all, other.now_ms), 60000);
}

/* The publisher found that few of the waiting reports count: reported once per look, for the open epoch. */
TEST_WITH(a_look_of_the_publisher_makes_place, start, end)
{
    other.experiment->waiting = 500;
    shared.looks[0] = 1;
    shared.distinct[0] = 7;
    assert_true(shared_desk_refresh(&other));
    assert_int_equal(other.experiment->waiting, 7);
    other.experiment->waiting = 100; /* newer reports may or may not count */
    assert_true(shared_desk_refresh(&other));
    assert_int_equal(other.experiment->waiting, 100);
    shared.looks[0] = 2;
    shared.distinct[0] = 101;
    assert_true(shared_desk_refresh(&other));
    assert_int_equal(other.experiment->waiting, 100);
}

/* Another process announces a new model of one experiment: only that one is read. */
TEST_WITH(what_is_named_is_read_alone, start, end)
{
    epochs_notice(other.all);
    assert_true(shared_desk_refresh(&other));
    publish(20);
    shared.changes--; /* nothing else changed */
    const uint32_t read = shared.snapshots_read;
    other.all->named[0] = 1;
    other.all->named_count = 1;
    assert_int_equal(epochs_timeout_ms(other.all, other.now_ms), 0);
    assert_true(shared_desk_refresh(&other));
    assert_ints(shared.snapshots_read, read + 1, experiment_epoch(other.experiment), 1);
    other.all->named[0] = 9; /* not known here: all experiments are read */
    other.all->named_count = 1;
    assert_true(shared_desk_refresh(&other));
    assert_true(other.all->stale);
    assert_true(shared_desk_refresh(&other));
    assert_false(other.all->stale);
}

TEST_WITH(nothing_is_published_or_kept_here, start, end)
{
    desk_take(&d, 50);
    for (uint32_t i = 0; i < 30; i++) {
        assert_true(shared_desk_refresh(&d));
    }
    assert_true(epochs_keep(d.all));
    assert_ints(experiment_epoch(d.experiment), 0, epochs_published(d.all), 0, shared.models, 0);
}

/* The publisher held epoch 0, with 30 reports. */
static void hold(void)
{
    shared.held[0] = (journal_held){.experiment = 1, .alarms = 1, .reports = 30};
    shared.changes++;
}

/* Reading the others' changes shows that it was deleted. */
TEST_WITH(nothing_is_decided_of_what_another_deleted, start, end)
{
    sottod_refusal why = {0};
    assert_true(experiment_set_state(d.all, d.experiment, JOURNAL_DELETED, &why));
    assert_int_equal(experiment_state(other.experiment), JOURNAL_OPEN);
    assert_false(experiment_release(other.all, other.experiment, &why));
    assert_ints(why.status, 409, experiment_state(other.experiment), JOURNAL_DELETED);
}

TEST_WITH(nothing_is_decided_of_what_is_not_held, start, end)
{
    sottod_refusal why = {0};
    assert_false(experiment_release(d.all, d.experiment, &why));
    assert_int_equal(why.status, 409);
    hold();
    assert_true(shared_desk_refresh(&other));
    publish(20); /* the hold is over, and the other service does not know yet */
    assert_true(experiment_watched(other.experiment).held);
    assert_false(experiment_discard(other.all, other.experiment, &why));
    assert_ints(why.status, 409, shared.held[0].decision, JOURNAL_REPORTS);
    assert_true(shared_desk_refresh(&other));
    assert_false(experiment_watched(other.experiment).held);
}

TEST_WITH(what_is_not_durable_is_not_decided, start, end)
{
    sottod_refusal why = {0};
    hold();
    assert_true(shared_desk_refresh(&other));
    shared_memory_set_away(true);
    assert_false(experiment_release(other.all, other.experiment, &why));
    assert_int_equal(why.status, 503);
    assert_false(experiment_watched(other.experiment).ends);
    shared_memory_set_away(false);
    assert_int_equal(shared.held[0].decision, JOURNAL_REPORTS);
    assert_true(experiment_set_state(d.all, d.experiment, JOURNAL_PAUSED, &why));
    assert_true(shared_desk_refresh(&other));
    assert_false(experiment_release(other.all, other.experiment, &why));
    assert_int_equal(why.status, 409);
}

/* Any gateway accepts the decision, even one that does not yet know of the hold, and all of them show it. */
TEST_WITH(what_is_held_can_be_decided_at_any_gateway, start, end)
{
    sottod_refusal why;
    hold();
    assert_false(experiment_watched(other.experiment).held);
    assert_true(experiment_release(other.all, other.experiment, &why));
    assert_int_equal(shared.held[0].decision, JOURNAL_PUBLISH);
    assert_true(shared_desk_refresh(&d));
    experiment_watch watch = experiment_watched(d.experiment);
    assert_true(watch.held && watch.ends && !watch.discards && !watch.has_chances);
    assert_int_equal(watch.reports, 30);
    assert_true(experiment_discard(d.all, d.experiment, &why)); /* the last decision counts */
    assert_int_equal(shared.held[0].decision, JOURNAL_DISCARD);
    assert_true(shared_desk_refresh(&other));
    assert_true(experiment_watched(other.experiment).discards);
    publish(20);
    assert_false(experiment_watched(d.experiment).held);
    assert_int_equal(experiment_watched(d.experiment).reports, 0);
}

/* Rows are read once a minute even if no change was announced. */
TEST_WITH(damage_is_found_in_time, start, end)
{
    shared.experiment[0].damaged = true;
    assert_true(shared_desk_refresh(&other));
    assert_null(experiments_damaged(other.all, 0));
    other.all->all_read_ms -= 60000;
    assert_true(shared_desk_refresh(&other));
    assert_non_null(experiments_damaged(other.all, 0));
}

/* A row with a damaged state: the last known state stays until the row is repaired. */
TEST_WITH(what_a_damaged_row_says_is_not_believed, start, end)
{
    shared.experiment[0].state = JOURNAL_CLOSED;
    shared.experiment[0].damaged = true;
    assert_true(shared_desk_refresh(&other));
    assert_int_equal(experiment_state(other.experiment), JOURNAL_OPEN);
    assert_string_equal(experiments_damaged(other.all, 0), experiment_id_text(other.experiment));
    assert_null(experiments_damaged(other.all, 1));
    assert_true(experiments_is_damaged(other.all, experiment_id(other.experiment)));
    assert_int_equal(epochs_timeout_ms(other.all, other.all->refreshed_ms), 10000);
    uint32_t calls = shared.calls;
    assert_true(shared_desk_refresh(&other));
    assert_int_equal(shared.calls, calls + 1); /* not read again at once */
    shared.experiment[0].damaged = false;
    other.all->all_read_ms -= 10000;
    assert_true(shared_desk_refresh(&other));
    assert_int_equal(experiment_state(other.experiment), JOURNAL_CLOSED);
    assert_null(experiments_damaged(other.all, 0));
}

/* A service that starts has no earlier state of it: it serves the others. */
TEST_WITH(one_that_starts_uses_the_others, start, end)
{
    experiment_request request = desk_request();
    request.spec.series = 10;
    desk_create(&d, &request);
    shared.experiment[0].damaged = true;
    desk third = shared_desk_of(3);
    assert_int_equal(experiments_count(third.all), 1);
    assert_true(experiments_is_damaged(third.all, shared.experiment[0].id));
    shared.experiment[0].damaged = false;
    third.all->all_read_ms -= 10000;
    assert_true(shared_desk_refresh(&third));
    assert_int_equal(experiments_count(third.all), 2);
    assert_false(experiments_is_damaged(third.all, shared.experiment[0].id));
    shared_desk_free(&third);
}
