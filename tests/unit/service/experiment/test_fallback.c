/* Harm and the fallback of an experiment: what is refused, what the log of epochs says, restarts, its end. */
#include "desk.h"
#include "service/experiment/experiment.h"
#include "service/experiment/inner.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static experiment_request request_with(uint32_t fallback)
{
    experiment_request request = desk_request();
    request.spec.measure = 1u << 31;
    request.learning.fallback = fallback;
    return request;
}

/* Makes the policy look bad by enough measure rounds, with the role counts of honest devices. */
static void show_harm(desk *d)
{
    sotto_learner *learner = d->experiment->engine->learner;
    const sotto_terms *terms = experiment_terms(d->experiment);
    for (uint32_t i = 0; i < 2 && !sotto_model_decides(terms, learner->model); i++) {
        desk_epoch(d, 50);
    }
    sotto__measures *m = &learner->measures;
    m->follow.count += 40000, m->follow.sum -= 20000;
    m->control_arm[0].count += 40000, m->control_arm[0].sum += 20000;
    m->control.count += 40000, m->control.sum += 20000;
    m->recent_follow = m->recent_control = (sotto__measured){0};
    m->doublings = sotto__measures_doublings(m);
    sotto__harm_derive(m, &learner->harm);
    desk_epoch(d, 200);
}

TEST(an_arm_that_there_is_not_is_refused)
{
    HELD(desk) d = desk_of(1);
    sottod_refusal why;
    sottod_experiment *made;
    experiment_request request = request_with(4);
    assert_false(experiments_create(d.all, &request, d.now_ms, &made, &why));
    assert_int_equal(why.status, 400);
    assert_strings(why.fault.field, "learning.fallback", why.fault.value, "3");
    assert_non_null(strstr(why.fault.allowed, "arms 0 to 2, random, none"));
    request = request_with(1);
    request.spec.measure = 0;
    assert_false(experiments_create(d.all, &request, d.now_ms, &made, &why));
    assert_string_equal(why.fault.field, "learning.fallback");
}

TEST(nothing_ends_that_is_not_served)
{
    HELD(desk) d = desk_of(2);
    sottod_refusal why;
    const experiment_request request = request_with(0);
    desk_create(&d, &request);
    assert_false(experiment_end_fallback(d.all, d.experiment, &why));
    assert_int_equal(why.status, 409);
    show_harm(&d); /* and without a fallback nothing is */
    assert_int_equal(experiment_harm(d.experiment).verdict, SOTTO_HARM_YES);
    assert_int_equal(d.experiment->engine->learner->model->served, 0);
    assert_false(experiment_end_fallback(d.all, d.experiment, &why));
}

TEST(without_measure_rounds_nothing_is_known)
{
    HELD(desk) d = desk_with(3, NULL);
    desk_epoch(&d, 50);
    assert_int_equal(experiment_harm(d.experiment).verdict, SOTTO_HARM_UNKNOWN);
}

static bool last_alarms(void *self, const journal_history *history)
{
    *(uint32_t *)self = history->alarms;
    return true;
}

static uint32_t alarms_of(const desk *d)
{
    uint32_t alarms = 0;
    assert_true(
        journal_read_history(d->journal, experiment_number(d->experiment), last_alarms, &alarms));
    return alarms;
}

/* Served, then ended by the owner, over restarts. */
TEST(a_fallback_lasts_until_the_owner_ends_it)
{
    HELD(desk) d = desk_of(4);
    sottod_refusal why;
    size_t bytes;
    const experiment_request request = request_with(2);
    desk_create(&d, &request);
    show_harm(&d);
    assert_int_equal(experiment_harm(d.experiment).verdict, SOTTO_HARM_YES);
    assert_true(alarms_of(&d) & JOURNAL_ALARM_HARM);
    assert_memory_equal(experiment_model_bytes(d.experiment, &bytes), "STF1", 4);
    assert_true(epochs_keep(d.all)); /* the sums above are in no row */
    desk_restart(&d);
    uint32_t since = experiment_harm(d.experiment).served_epoch;
    assert_true(since > 0);
    desk_epoch(&d, 100); /* measure reports, which close it */
    assert_true(experiment_epoch(d.experiment) > since);
    assert_int_equal(experiment_harm(d.experiment).served_epoch, since);

    journal_memory_fail_after(d.journal, 0);
    assert_false(experiment_end_fallback(d.all, d.experiment, &why));
    assert_int_equal(why.status, 503);
    assert_false(experiment_harm(d.experiment).ends);
    assert_true(experiment_end_fallback(d.all, d.experiment, &why));
    assert_true(experiment_end_fallback(d.all, d.experiment, &why)); /* again: not an error */
    desk_restart(&d);
    assert_true(experiment_harm(d.experiment).ends);
    assert_int_equal(experiment_harm(d.experiment).served_epoch, since);
    desk_epoch(&d, 100);
    const sotto_harm harm = experiment_harm(d.experiment);
    assert_ints(harm.served_epoch, 0, harm.verdict, SOTTO_HARM_NO, harm.restarts, 1);
    assert_true(isnan(harm.uplift_hi));
    assert_memory_equal(experiment_model_bytes(d.experiment, &bytes), "STM1", 4);
}

/* A snapshot of before the order, and the rows after it. */
TEST(the_row_of_a_publish_says_that_the_fallback_ends)
{
    HELD(desk) d = desk_of(5);
    sottod_refusal why;
    uint64_t oldest;
    const experiment_request request = request_with(2);
    desk_create(&d, &request);
    d.all->settings.keep_reports = true;
    show_harm(&d);
    assert_true(epochs_keep(d.all));
    const uint32_t number = experiment_number(d.experiment);
    const journal_snapshot *now = journal_memory_snapshot(d.journal, number);
    journal_snapshot before = *now;
    FREED_BY(free_memory) uint8_t *learner = malloc(before.learner.bytes);
    memcpy(learner, before.learner.at, before.learner.bytes);

    assert_true(experiment_end_fallback(d.all, d.experiment, &why));
    desk_epoch(&d, 100);
    assert_int_equal(experiment_harm(d.experiment).restarts, 1);
    const uint32_t rows = journal_memory_rows(d.journal, number, &oldest);
    assert_int_equal(journal_memory_row(d.journal, oldest + rows - 1)->kind, JOURNAL_END_FALLBACK);
    assert_true(before.seq < oldest + rows - 1);
    assert_int_equal(now->learner.bytes, before.learner.bytes);
    memcpy((uint8_t *)now->learner.at, learner, before.learner.bytes);
    before.learner.at = now->learner.at;
    *journal_memory_snapshot(d.journal, number) = before;
    desk_restart(&d);
    assert_int_equal(experiment_harm(d.experiment).restarts, 1);
    assert_int_equal(experiment_harm(d.experiment).served_epoch, 0);
}

/* Measure rounds are published in batches: until then nothing about arms is visible. */
TEST(what_was_not_published_is_not_seen)
{
    HELD(desk) d = desk_of(6);
    const experiment_request request = request_with(0);
    desk_create(&d, &request);
    sotto_learner *learner = d.experiment->engine->learner;
    sotto_harm known;
    learner->measures.follow = (sotto__measured){40000, -20000};
    learner->measures.control = (sotto__measured){40000, 20000};
    learner->measures.control_arm[0] = learner->measures.control;
    sotto__harm_derive(&learner->measures, &learner->harm);
    assert_ok(sotto_learner_harm(learner, &known));
    assert_true(known.better_arm == 0 && known.uplift_hi < 0);
    const sotto_harm seen = experiment_harm(d.experiment);
    assert_true(seen.better_arm == UINT32_MAX && seen.uplift_hi > 0);
}

TEST(a_paused_experiment_ends_no_epoch)
{
    HELD(desk) d = desk_of(5);
    sottod_refusal why;
    const experiment_request request = request_with(SOTTO_FALLBACK_RANDOM);
    desk_create(&d, &request);
    show_harm(&d);
    assert_int_equal(d.experiment->engine->learner->model->served, 4);
    assert_true(experiment_set_state(d.all, d.experiment, JOURNAL_PAUSED, &why));
    assert_false(experiment_end_fallback(d.all, d.experiment, &why));
    assert_int_equal(why.status, 409);
    assert_true(experiment_set_state(d.all, d.experiment, JOURNAL_OPEN, &why));
    d.experiment->engine->hold.held = true;
    assert_false(experiment_end_fallback(d.all, d.experiment, &why));
    assert_non_null(strstr(why.fault.sentence, "holds"));
}
