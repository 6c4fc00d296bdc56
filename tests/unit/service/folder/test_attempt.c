/* An attempt publishes, or nothing happened. */
#include "core/public_stream.h"
#include "folder_scene.h"
#include "learners.h"
#include "server/learner.h"
#include "server/watch.h"
#include "service/folder/attempt.h"
#include "service/journal/hours.h"

static folder_scene s;
static folder_known *known;

static int start(void **state)
{
    (void)state;
    s = folder_scene_new(true);
    known = folder_scene_known(&s);
    assert_int_equal(folder_known_load(known, s.folding), FOLDER_DONE);
    return 0;
}

static int end(void **state)
{
    (void)state;
    folder_known_free(known);
    folder_scene_free(&s);
    return 0;
}

static folder_outcome try(void)
{
    const folding_cut *to;
    uint64_t reports;
    assert_true(folding_waiting(s.folding, 1, &known->cut, &to, &reports));
    return folder_attempt(known, s.folding, s.fold, to, DESK_MINUTE);
}

static void too_few_leave_nothing_behind(void **state)
{
    (void)state;
    folder_known *fresh = folder_scene_known(&s);
    desk_take(&s.one, 9);
    assert_int_equal(try(), FOLDER_TOO_FEW);
    assert_int_equal(try(), FOLDER_TOO_FEW);
    assert_int_equal(sotto_nonce_set_count(known->nonces), 0);
    assert_true(learners_have_same_bytes(known->learner, fresh->learner));
    assert_int_equal(known->counts.folded, 0);
    assert_int_equal(shared.models, 0);
    folder_known_free(fresh);
}

/* 9 reports that come 4 times are 9 reports. */
static void a_report_that_comes_often_counts_once(void **state)
{
    (void)state;
    sottod_refusal why;
    uint8_t *frames = desk_frames(&s.one, s.one.experiment, 9);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(desk_offer(&s.one, frames, 9, &why));
        assert_true(desk_offer(&s.two, frames, 9, &why));
        desk_commit(&s.one);
        desk_commit(&s.two);
    }
    assert_int_equal(try(), FOLDER_TOO_FEW);
    desk_take(&s.two, 60);
    assert_int_equal(try(), FOLDER_DONE);
    assert_int_equal(known->counts.folded, 69);
    assert_int_equal(known->counts.duplicate, 27);
    assert_int_equal(shared.history[0].duplicate, 27);
    folder_scene_assert_replayed(&s);
    free(frames);
}

static void a_frame_that_the_learner_refuses_publishes_nothing(void **state)
{
    (void)state;
    desk_take(&s.one, 60);
    uint8_t *frame = (uint8_t *)shared.row[0].row.frames.at;
    memset(frame + known->frame_bytes - 2, 0xff, 2); /* an index that no codebook has */
    assert_int_equal(try(), FOLDER_BROKEN);
    assert_non_null(strstr(known->fault, "the learner refuses a frame"));
    assert_int_equal(shared.models, 0);
}

/* Many times as many reports as the owner expects. */
static void an_epoch_with_an_alarm_is_held_in_quarantine(void **state)
{
    (void)state;
    desk_take(&s.one, 1000);
    known->reports_expected = 20;
    known->quarantine = true;
    assert_int_equal(try(), FOLDER_HELD);
    assert_int_equal(try(), FOLDER_HELD);
    assert_int_equal(sotto_nonce_set_count(known->nonces), 0);
    assert_int_equal(shared.models, 0);
    assert_int_equal(shared.held[0].reports, 1000);
    assert_int_not_equal(shared.held[0].alarms & 1u << SOTTO__WATCH_COUNT, 0);
    assert_true(folder_known_is_held(known));
    known->quarantine = false;
    assert_int_equal(try(), FOLDER_DONE);
    assert_false(folder_known_is_held(known));
    assert_int_equal(shared.held[0].reports, 0);
    assert_int_not_equal(shared.history[0].alarms, 0);
    folder_scene_assert_replayed(&s);
}

static void history_has_the_age_of_the_reports(void **state)
{
    (void)state;
    sottod_refusal why;
    desk_take(&s.one, 60);
    assert_int_equal(try(), FOLDER_DONE);
    assert_true(journal_age(shared.history[0].alarms) == 0);
    assert_true(shared_desk_refresh(&s.one));
    uint8_t *frames = desk_frames_of(&s.one, s.one.experiment, 0, 60); /* all are an epoch late */
    assert_true(desk_offer(&s.one, frames, 60, &why));
    desk_commit(&s.one);
    free(frames);
    assert_int_equal(try(), FOLDER_DONE);
    assert_true(known->age == 1 && journal_age(shared.history[1].alarms) == 1);
    folder_scene_assert_replayed(&s);
}

static void a_discarded_epoch_has_no_age(void **state)
{
    (void)state;
    sottod_refusal why;
    desk_take(&s.one, 60);
    assert_int_equal(try(), FOLDER_DONE);
    assert_true(shared_desk_refresh(&s.one));
    uint8_t *frames = desk_frames_of(&s.one, s.one.experiment, 0, 60); /* all are an epoch late */
    assert_true(desk_offer(&s.one, frames, 60, &why));
    desk_commit(&s.one);
    free(frames);
    known->held = shared.held[0] = (journal_held){.experiment = known->number,
                                                  .epoch = 1,
                                                  .alarms = 1,
                                                  .reports = 60,
                                                  .decision = JOURNAL_DISCARD};
    assert_int_equal(try(), FOLDER_DONE);
    assert_true(known->age == 0 && journal_age(shared.history[1].alarms) == 0);
}

/* Measure reports, so many of them, of the epoch that is open. */
static void take_measured(uint32_t count)
{
    sottod_refusal why;
    uint32_t kept = 0;
    uint8_t *frames = desk_frames(&s.one, s.one.experiment, 8 * count);
    for (uint32_t i = 0; i < 8 * count; i++) {
        const uint8_t *frame = frames + i * known->frame_bytes;
        if (sotto__role_of(&known->terms, frame + 24, true) == SOTTO_ROLE_LEARN) continue;
        memmove(frames + kept++ * known->frame_bytes, frame, known->frame_bytes);
    }
    assert_true(kept >= count && desk_offer(&s.one, frames, count, &why));
    desk_commit(&s.one);
    free(frames);
}

/* The owner's word makes no epoch of a few people: it ends with the publish that is due. */
static void a_fallback_that_ends_waits_for_enough_reports(void **state)
{
    (void)state;
    desk_take(&s.one, 60);
    assert_int_equal(try(), FOLDER_DONE);
    assert_true(shared_desk_refresh(&s.one));
    sotto_learner *learner = known->learner;
    learner->learning.fallback = learner->model->served = 1;
    learner->harm.epoch = learner->harm.served_epoch = 1;
    sotto__learner_epoch(learner, 1)->tally->served = true;
    known->held = shared.held[0] = (journal_held){.experiment = known->number,
                                                  .epoch = 1,
                                                  .alarms = JOURNAL_ALARM_HARM,
                                                  .reports = 1,
                                                  .decision = JOURNAL_PUBLISH};
    take_measured(2);
    assert_int_equal(try(), FOLDER_TOO_FEW);
    assert_int_equal(known->learner->model->served, 1);
    take_measured(20);
    assert_int_equal(try(), FOLDER_DONE);
    assert_int_equal(known->learner->model->served, 0);
    assert_int_equal(known->learner->harm.restarts, 1);
}

/* Random frames are of no honest population: their indices are not equally likely. */
static void history_has_the_alarms_of_the_watch(void **state)
{
    (void)state;
    desk_take(&s.one, 600);
    assert_int_equal(try(), FOLDER_DONE);
    assert_int_not_equal(shared.history[0].alarms & 1u << SOTTO__WATCH_INDEX, 0);
    assert_int_equal(shared.history[0].alarms & 1u << SOTTO__WATCH_COUNT, 0);
    known->reports_expected = 20;
    assert_true(shared_desk_refresh(&s.one));
    desk_take(&s.one, 600);
    assert_int_equal(try(), FOLDER_DONE);
    assert_int_not_equal(shared.history[1].alarms & 1u << SOTTO__WATCH_COUNT, 0);
    folder_scene_assert_replayed(&s);
}

static void a_fenced_attempt_writes_nothing(void **state)
{
    (void)state;
    const shared_model first = {.experiment = 1, .epoch = 1};
    desk_take(&s.one, 60);
    folding_memory_fence(&first);
    assert_int_equal(try(), FOLDER_FENCED);
    assert_int_equal(shared.models, 1);
    assert_int_equal(shared.model[0].learner.bytes, 0);
    assert_int_equal(shared.histories, 0);
}

static void a_database_that_is_away_publishes_nothing(void **state)
{
    (void)state;
    const folding_cut *to;
    uint64_t reports;
    desk_take(&s.one, 60);
    assert_true(folding_waiting(s.folding, 1, &known->cut, &to, &reports));
    assert_int_equal(reports, 60);
    shared_memory_set_away(true);
    assert_int_equal(folder_attempt(known, s.folding, s.fold, to, DESK_MINUTE), FOLDER_AWAY);
    assert_int_equal(shared.models, 0);
}

static void without_an_epoch_left_it_is_closed(void **state)
{
    (void)state;
    desk_take(&s.one, 60);
    known->learner->model->epoch = UINT32_MAX;
    assert_int_equal(try(), FOLDER_ENDED);
    assert_int_equal(shared.experiment[0].state, JOURNAL_CLOSED);
    assert_int_equal(shared.models, 0);
}

static void a_model_is_what_a_learner_makes_of_the_rows(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        desk_take(&s.two, 40);
        desk_take(&s.one, 40 + i);
        desk_take(&s.two, 5);
        assert_int_equal(try(), FOLDER_DONE);
        assert_true(shared_desk_refresh(&s.one) && shared_desk_refresh(&s.two));
        assert_true(desk_same(s.one.experiment, s.two.experiment));
        assert_int_equal(experiment_epoch(s.one.experiment), i + 1);
    }
    const journal_history *last = &shared.history[5];
    assert_int_equal(last->epoch, 6);
    assert_int_equal(last->minute, DESK_MINUTE);
    assert_int_equal(last->publishes, 1);
    assert_true(last->learn >= 10 && last->learn < 90);
    folder_scene_assert_replayed(&s);
}

/* About 30 follow, which are fewer than 40: a sum of few people is not told. */
static void what_too_few_people_measured_is_not_told(void **state)
{
    (void)state;
    sotto_measurement m;
    known->rule.reports_min = 40;
    for (uint32_t i = 0; i < 2; i++) { /* nothing is measured in the first epoch */
        desk_take(&s.one, 120);
        assert_int_equal(try(), FOLDER_DONE);
        assert_int_equal(shared.history[i].follow, 0);
        assert_int_equal(shared.history[i].control, 0);
        assert_true(shared_desk_refresh(&s.one));
    }
    assert_ok(experiment_measure(s.one.experiment, 0.05, &m));
    assert_int_equal(m.follow_count + m.control_count, 0);
}

/* Of measure rounds each part is told when it has enough reports: the same at both gateways. */
static void what_is_told_grows_with_the_models(void **state)
{
    (void)state;
    sotto_measurement one, two;
    uint64_t told = 0;
    for (uint32_t i = 0; i < 8; i++) {
        desk_take(&s.two, 200);
        assert_int_equal(try(), FOLDER_DONE);
        assert_true(shared_desk_refresh(&s.one) && shared_desk_refresh(&s.two));
        told += shared.history[i].follow;
    }
    assert_ok(experiment_measure(s.one.experiment, 0.05, &one));
    assert_ok(experiment_measure(s.two.experiment, 0.05, &two));
    assert_true(one.follow_count > 100);
    assert_int_equal(one.follow_count, told);
    assert_int_equal(one.follow_count, two.follow_count);
    assert_int_equal(one.control_count, two.control_count);
}

/* The known as it is read from the database after somebody decided. */
static void hold_and_decide(journal_kind decision)
{
    known->reports_expected = 20;
    known->quarantine = true;
    assert_int_equal(try(), FOLDER_HELD);
    shared.held[0].decision = decision;
    known->held = shared.held[0];
}

static void a_released_epoch_is_published_as_it_is(void **state)
{
    (void)state;
    desk_take(&s.one, 1000);
    hold_and_decide(JOURNAL_PUBLISH);
    desk_take(&s.two, 100); /* it goes on taking reports */
    assert_int_equal(try(), FOLDER_DONE);
    assert_int_equal(shared.model[0].kind, JOURNAL_PUBLISH);
    assert_int_equal(known->counts.folded, 1100);
    assert_int_not_equal(shared.history[0].learn, 0);
    assert_int_not_equal(shared.history[0].alarms & 1u << SOTTO__WATCH_COUNT, 0);
    folder_scene_assert_replayed(&s);
}

static void a_discarded_epoch_teaches_and_tells_nothing(void **state)
{
    (void)state;
    desk_take(&s.one, 200);
    assert_int_equal(try(), FOLDER_DONE);
    assert_true(shared_desk_refresh(&s.one));
    desk_take(&s.one, 1000);
    hold_and_decide(JOURNAL_DISCARD);
    assert_int_equal(try(), FOLDER_DONE);
    assert_int_equal(shared.model[1].kind, JOURNAL_DISCARD);
    assert_int_equal(shared.model[1].told.bytes, shared.model[0].told.bytes);
    assert_memory_equal(shared.model[1].told.at, shared.model[0].told.at,
                        shared.model[0].told.bytes);
    assert_int_equal(known->counts.folded, 1200); /* they were acknowledged, and are known */
    const journal_history *last = &shared.history[1];
    assert_int_equal(last->learn + last->control + last->follow, 0);
    assert_int_not_equal(last->alarms, 0);
    known->quarantine = false;
    assert_true(shared_desk_refresh(&s.one));
    desk_take(&s.one, 200);
    assert_int_equal(try(), FOLDER_DONE);
    folder_scene_assert_replayed(&s);
}

/* The operator changes their mind while the folder is at it: what was decided last is done. */
static void a_decision_that_changed_meanwhile_is_not_carried_out(void **state)
{
    (void)state;
    desk_take(&s.one, 1000);
    hold_and_decide(JOURNAL_DISCARD);
    shared.held[0].decision = JOURNAL_PUBLISH;
    assert_int_equal(try(), FOLDER_FENCED);
    assert_int_equal(shared.models, 0);
    assert_int_equal(shared.held[0].decision, JOURNAL_PUBLISH);
}

static void what_cannot_be_held_is_not_published(void **state)
{
    (void)state;
    const shared_model first = {.experiment = 1, .epoch = 1};
    desk_take(&s.one, 1000);
    known->reports_expected = 20;
    known->quarantine = true;
    shared.model[shared.models++] = first; /* another folder was first */
    assert_int_equal(try(), FOLDER_FENCED);
    assert_int_equal(shared.held[0].reports, 0);
}

int main(void)
{
#define EACH(test) cmocka_unit_test_setup_teardown(test, start, end)
    const struct CMUnitTest tests[] = {
        EACH(too_few_leave_nothing_behind),
        EACH(a_report_that_comes_often_counts_once),
        EACH(a_frame_that_the_learner_refuses_publishes_nothing),
        EACH(an_epoch_with_an_alarm_is_held_in_quarantine),
        EACH(history_has_the_age_of_the_reports),
        EACH(a_discarded_epoch_has_no_age),
        EACH(a_fallback_that_ends_waits_for_enough_reports),
        EACH(history_has_the_alarms_of_the_watch),
        EACH(a_fenced_attempt_writes_nothing),
        EACH(a_database_that_is_away_publishes_nothing),
        EACH(without_an_epoch_left_it_is_closed),
        EACH(a_model_is_what_a_learner_makes_of_the_rows),
        EACH(what_too_few_people_measured_is_not_told),
        EACH(what_is_told_grows_with_the_models),
        EACH(a_released_epoch_is_published_as_it_is),
        EACH(a_discarded_epoch_teaches_and_tells_nothing),
        EACH(a_decision_that_changed_meanwhile_is_not_carried_out),
        EACH(what_cannot_be_held_is_not_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
