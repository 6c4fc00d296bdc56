/* The watch and the quarantine: an epoch with an alarm is published with its alarms, or held until
 * the owner decides; after a restart it is held again. */
#include "desk.h"
#include "service/experiment/inner.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define INDEX_BIT (1u << SOTTO__WATCH_INDEX)
#define COUNT_BIT (1u << SOTTO__WATCH_COUNT)

static experiment_request request_of(bool quarantine)
{
    experiment_request request = desk_request();
    request.quarantine = quarantine;
    return request;
}

/* Reports of `count` liars, who all send index 5. */
static void lie(desk *d, uint32_t count)
{
    size_t each = sotto_report_bytes(experiment_terms(d->experiment));
    FREED_BY(free_memory)
    uint8_t *frames = desk_frames_of(d, d->experiment, experiment_epoch(d->experiment), count);
    for (uint32_t i = 0; i < count; i++) {
        frames[i * each + each - 2] = 5, frames[i * each + each - 1] = 0;
    }
    desk_take_frames(d, frames, count);
}

typedef struct found {
    uint32_t rows, alarms;
    uint64_t learn;
} found;

static bool take(void *self, const journal_history *history)
{
    found *f = self;
    f->rows++;
    f->alarms = history->alarms & 0xffff; /* alarms without the age bits */
    f->learn += history->learn;
    return true;
}

/* All bits of the last row. */
static bool take_alarms(void *self, const journal_history *history)
{
    *(uint32_t *)self = history->alarms;
    return true;
}

static found history_of(const desk *d)
{
    found f = {0};
    assert_true(journal_read_history(d->journal, experiment_number(d->experiment), take, &f));
    return f;
}

TEST(nothing_is_released_or_discarded_that_is_not_held)
{
    const experiment_request request = request_of(true);
    HELD(desk) d = desk_with(1, &request);
    sottod_refusal why;
    assert_false(experiment_release(d.all, d.experiment, &why));
    assert_int_equal(why.status, 409);
    assert_false(experiment_discard(d.all, d.experiment, &why));
    assert_int_equal(why.status, 409);
    desk_epoch(&d, 50);
    assert_false(experiment_watched(d.experiment).held);
    assert_int_equal(experiment_epoch(d.experiment), 1);
}

TEST(too_many_expected_reports_are_refused)
{
    experiment_request request = request_of(false);
    request.epoch_reports_expected = SOTTO_REPORTS_MAX + 1;
    HELD(desk) d = desk_of(1);
    sottod_refusal why;
    sottod_experiment *made;
    assert_false(experiments_create(d.all, &request, d.now_ms, &made, &why));
    assert_string_equal(why.fault.field, "epoch_reports_expected");
}

TEST(there_are_names_for_tests_alone)
{
    assert_string_equal(experiment_watch_test(SOTTO__WATCH_TAIL), "tail");
    assert_null(experiment_watch_test(EXPERIMENT_WATCH_TESTS));
}

TEST(without_quarantine_an_epoch_with_an_alarm_is_published)
{
    const experiment_request request = request_of(false);
    HELD(desk) d = desk_with(2, &request);
    lie(&d, 100);
    assert_int_equal(desk_turned(&d, 1000), 1);
    experiment_watch watch = experiment_watched(d.experiment);
    assert_false(watch.held);
    assert_ints(watch.alarms, INDEX_BIT, watch.epoch, 0);
    assert_int_equal(totals_look(&d.all->totals, 1).epochs[SOTTO__WATCH_INDEX], 1);
    assert_int_equal(totals_look(&d.all->totals, 1).epochs[SOTTO__WATCH_TAIL], 0);
    assert_int_equal(history_of(&d).alarms, INDEX_BIT);
    desk_epoch(&d, 50);
    assert_int_equal(history_of(&d).alarms, 0); /* of the second epoch */
    assert_int_equal(history_of(&d).rows, 2);
}

/* While the journal fails, publishing is retried; a look at every attempt would make false alarms more likely. */
TEST(an_epoch_that_cannot_be_published_is_looked_at_once)
{
    const experiment_request request = request_of(false);
    HELD(desk) d = desk_with(2, &request);
    lie(&d, 100);
    for (uint32_t i = 0; i < 3; i++) {
        journal_memory_fail_after(d.journal, 0);
        assert_false(desk_turn(&d, 1000));
        desk_take(&d, 10);
    }
    assert_ints(desk_turned(&d, 1000), 1, experiment_watched(d.experiment).reports, 100);
    assert_int_equal(totals_look(&d.all->totals, 1).epochs[SOTTO__WATCH_INDEX], 1);
    assert_int_equal(history_of(&d).alarms, INDEX_BIT);
    lie(&d, 100);
    assert_true(desk_turn(&d, 1000));
    assert_int_equal(totals_look(&d.all->totals, 1).epochs[SOTTO__WATCH_INDEX], 2);
}

TEST(more_reports_than_twice_the_expected_are_an_alarm)
{
    experiment_request request = request_of(true);
    request.epoch_reports_expected = 20;
    HELD(desk) d = desk_with(2, &request);
    desk_epoch(&d, 40);
    assert_false(experiment_watched(d.experiment).held);
    desk_epoch(&d, 41);
    assert_true(experiment_watched(d.experiment).held);
    assert_int_equal(experiment_watched(d.experiment).alarms, COUNT_BIT);
}

static desk held(uint64_t seed)
{
    const experiment_request request = request_of(true);
    desk d = desk_with(seed, &request);
    desk_epoch(&d, 30); /* an honest epoch first */
    lie(&d, 100);
    assert_int_equal(desk_turned(&d, 1000), 1);
    assert_true(experiment_watched(d.experiment).held);
    return d;
}

TEST(a_held_epoch_takes_reports_and_is_not_published)
{
    HELD(desk) d = held(3);
    uint64_t folded = experiment_counts(d.experiment).folded;
    for (int i = 0; i < 3; i++) {
        desk_take(&d, 50);
        assert_true(desk_turn(&d, 100000));
    }
    assert_int_equal(experiment_epoch(d.experiment), 1);
    assert_int_equal(experiment_counts(d.experiment).folded, folded + 150);
    assert_int_equal(totals_look(&d.all->totals, 1).epochs[SOTTO__WATCH_INDEX], 1);
}

TEST(released_it_is_published_as_it_is)
{
    HELD(desk) d = held(4), free_one = desk_of(4);
    const experiment_request request = request_of(false);
    sottod_refusal why;
    desk_create(&free_one, &request);
    desk_epoch(&free_one, 30);
    lie(&free_one, 100);
    assert_true(desk_turn(&free_one, 1000));

    assert_true(experiment_release(d.all, d.experiment, &why));
    assert_true(experiment_watched(d.experiment).ends);
    assert_int_equal(epochs_timeout_ms(d.all, d.now_ms), 0);
    assert_int_equal(desk_turned(&d, 0), 2);
    assert_false(experiment_watched(d.experiment).held);
    assert_true(desk_same(d.experiment, free_one.experiment)); /* as if it had never been held */
    assert_ints(history_of(&d).alarms, INDEX_BIT, history_of(&d).learn, 130);
    lie(&d, 100);
    assert_int_equal(desk_turned(&d, 1000), 2); /* the next one is held for itself */
    assert_true(experiment_watched(d.experiment).held);
    assert_false(experiment_watched(d.experiment).ends);
    assert_int_equal(desk_turned(&d, 1000), 2);
}

static bool take_measured(void *self, const journal_history *history)
{
    bool *any = self;
    *any = *any || history->control > 0 || history->follow > 0 || history->control_sum != 0 ||
           history->follow_sum != 0;
    return true;
}

/* After a restart, results agree with history. */
TEST(measure_rounds_of_a_discarded_epoch_are_not_published)
{
    experiment_request request = request_of(true);
    request.spec.measure = 1u << 31;
    request.epoch_reports_expected = 100;
    HELD(desk) d = desk_with(11, &request);
    sottod_refusal why;
    bool any = false;
    for (uint32_t i = 0; i < 2; i++) { /* nothing is measured in the first epoch */
        desk_epoch(&d, 301);
        assert_true(experiment_watched(d.experiment).held);
        assert_true(experiment_discard(d.all, d.experiment, &why));
        assert_int_equal(desk_turned(&d, 0), i + 1);
    }
    assert_true(journal_read_history(d.journal, 1, take_measured, &any));
    assert_false(any);
}

/* A discarded epoch adds neither harm nor age to history. */
TEST(a_discarded_epoch_has_no_harm_and_no_age)
{
    experiment_request request = request_of(false);
    request.spec.measure = 1u << 31;
    request.epoch_reports_expected = 100;
    HELD(desk) d = desk_with(12, &request);
    sottod_refusal why;
    uint32_t alarms = 0;
    assert_int_equal(desk_epoch(&d, 100), 1);
    assert_true(experiment_set_quarantine(d.all, d.experiment, true, &why));
    uint8_t *late = desk_frames_of(&d, d.experiment, 0, 301);
    desk_take_frames(&d, late, 301);
    free(late);
    assert_true(desk_turn(&d, 1000));
    assert_true(experiment_watched(d.experiment).held);
    sotto__measures *m = &d.experiment->engine->learner->measures;
    m->follow = (sotto__measured){40000, -20000};
    m->control = m->control_arm[0] = (sotto__measured){40000, 20000};
    m->recent_follow = m->recent_control = (sotto__measured){0};
    m->doublings = sotto__measures_doublings(m);
    sotto__harm_derive(m, &d.experiment->engine->learner->harm);
    assert_true(sotto__learner_will_harm(d.experiment->engine->learner));
    assert_true(experiment_discard(d.all, d.experiment, &why));
    assert_int_equal(desk_turned(&d, 0), 2);
    assert_true(journal_read_history(d.journal, 1, take_alarms, &alarms));
    assert_ints(alarms & JOURNAL_ALARM_HARM, 0, alarms >> 16, 0);
}

/* Shared journal: the row that ends a fallback neither holds an epoch nor releases one. */
TEST(the_end_of_a_fallback_holds_nothing)
{
    experiment_hold hold = {.epoch = 2};
    journal_held held = {
        .epoch = 3, .alarms = JOURNAL_ALARM_HARM, .reports = 1, .decision = JOURNAL_PUBLISH};
    hold_hear(&hold, &held);
    assert_true(hold.fallback_ends && !hold.held);
    assert_int_equal(hold.seen.alarms, 0);
    held.alarms = COUNT_BIT;
    hold_hear(&hold, &held);
    assert_true(hold.held && !hold.fallback_ends);
    assert_int_equal(hold.decision, JOURNAL_PUBLISH);
    held.reports = 0;
    hold_hear(&hold, &held);
    assert_true(!hold.held && !hold.fallback_ends && hold.decision == JOURNAL_REPORTS);
}

TEST(discarded_it_teaches_nothing)
{
    HELD(desk) d = held(5);
    sottod_refusal why;
    size_t bytes;
    const sotto_model *model = sotto_learner_model(experiment_learner(d.experiment));
    uint64_t reports = model->reports;
    double theta = model->theta[0];
    assert_true(experiment_discard(d.all, d.experiment, &why));
    assert_ints(desk_turned(&d, 0), 2, model->reports, reports);
    assert_true(model->theta[0] == theta);
    assert_int_equal(sotto_learner_taken(experiment_learner(d.experiment)), 0);
    assert_non_null(experiment_model_bytes(d.experiment, &bytes));
    assert_ints(history_of(&d).alarms, INDEX_BIT, history_of(&d).learn, 30);
    desk_assert_counts(d.experiment, 130, 0, 0, 0); /* they still count as taken */
    assert_int_equal(desk_epoch(&d, 50), 3);        /* the epochs continue */
}

TEST(a_discard_that_is_not_durable_does_not_happen)
{
    HELD(desk) d = held(6);
    sottod_refusal why;
    assert_true(experiment_discard(d.all, d.experiment, &why));
    for (uint32_t calls = 0; calls < 4; calls++) { /* begin, append, history, commit */
        journal_memory_fail_after(d.journal, calls);
        assert_false(desk_turn(&d, 0));
        assert_true(journal_memory_has_failed(d.journal));
        assert_int_equal(experiment_epoch(d.experiment), 1);
        assert_true(experiment_watched(d.experiment).held);
    }
    assert_true(desk_turn(&d, 2000)); /* it is tried again */
    assert_int_equal(experiment_epoch(d.experiment), 2);
}

TEST(a_paused_one_is_not_released)
{
    HELD(desk) d = held(7);
    sottod_refusal why;
    assert_true(experiment_set_state(d.all, d.experiment, JOURNAL_PAUSED, &why));
    assert_false(experiment_release(d.all, d.experiment, &why));
    assert_int_equal(why.status, 409);
    assert_string_equal(why.fault.value, "paused");
    assert_true(experiment_set_state(d.all, d.experiment, JOURNAL_OPEN, &why));
    assert_true(experiment_release(d.all, d.experiment, &why));
}

TEST(quarantine_is_kept_and_can_be_changed)
{
    const experiment_request request = request_of(false);
    HELD(desk) d = desk_with(8, &request);
    sottod_refusal why;
    journal_memory_fail_after(d.journal, 0);
    assert_false(experiment_set_quarantine(d.all, d.experiment, true, &why));
    assert_int_equal(why.status, 503);
    assert_true(journal_memory_has_failed(d.journal));
    assert_false(experiment_watched(d.experiment).quarantine);
    assert_true(experiment_set_quarantine(d.all, d.experiment, true, &why));
    assert_true(experiment_set_quarantine(d.all, d.experiment, true, &why)); /* not an error */
    desk_restart(&d);
    assert_true(experiment_watched(d.experiment).quarantine);
    lie(&d, 100);
    assert_true(desk_turn(&d, 1000));
    assert_true(experiment_watched(d.experiment).held);
    /* Of epochs to come: this one stays held. */
    assert_true(experiment_set_quarantine(d.all, d.experiment, false, &why));
    assert_true(desk_turn(&d, 1000));
    assert_true(experiment_watched(d.experiment).held);
}

/* With a snapshot in the middle of the epoch, and without one. */
TEST(after_a_restart_it_is_held_again)
{
    for (int keeps = 0; keeps < 2; keeps++) {
        desk d = held(9);
        double chance = experiment_watched(d.experiment).chance[SOTTO__WATCH_INDEX];
        if (keeps == 1) assert_true(epochs_keep(d.all));
        desk_restart(&d);
        assert_int_equal(desk_turned(&d, 2000), 1);
        assert_true(experiment_watched(d.experiment).held);
        assert_true(experiment_watched(d.experiment).chance[SOTTO__WATCH_INDEX] == chance);
        desk_free(&d);
    }
}

TEST(a_discard_is_replayed)
{
    for (int keeps = 0; keeps < 3; keeps++) {
        desk d = held(10), again = held(10);
        sottod_refusal why;
        if (keeps == 1) assert_true(epochs_keep(d.all));
        assert_true(experiment_discard(d.all, d.experiment, &why));
        assert_true(experiment_discard(again.all, again.experiment, &why));
        assert_true(desk_turn(&d, 0));
        assert_true(desk_turn(&again, 0));
        desk_take(&d, 5);
        desk_take(&again, 5);
        if (keeps == 2) assert_true(epochs_keep(d.all));
        desk_restart(&d);
        assert_true(desk_same(d.experiment, again.experiment));
        desk_free(&d);
        desk_free(&again);
    }
}
