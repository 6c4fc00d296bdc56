/* An attempt either publishes or changes nothing. */
#include "core/core.h"
#include "float_modes.h"
#include "learners.h"
#include "publisher_scene.h"
#include "server/server.h"
#include "service/publisher/inner.h"
#include "service/store/store.h"

static publisher_scene s;
static publisher_known *known;

FIXTURE(start)
{
    s = publisher_scene_new(true);
    known = publisher_scene_known(&s);
    assert_int_equal(publisher_known_load(known, s.folding), EPOCH_DONE);
}

FIXTURE(end)
{
    publisher_known_free(known);
    publisher_scene_free(&s);
}

static epoch_outcome try(void)
{
    const folding_cut *to;
    uint64_t reports;
    assert_true(folding_waiting(s.folding, 1, publisher_attempt_cut(known), &to, &reports));
    return publisher_attempt(known, s.folding, s.fold, to, DESK_MINUTE);
}

TEST_WITH(too_few_are_kept_and_not_read_again, start, end)
{
    publisher_known *fresh = publisher_scene_known(&s);
    desk_take(&s.one, 9);
    assert_int_equal(try(), EPOCH_TOO_FEW);
    uint32_t read = folding_memory_look().rows_read;
    assert_ints(try(), EPOCH_TOO_FEW, folding_memory_look().rows_read, read);
    assert_int_equal(sotto_nonce_set_count(known->engine->nonces), 9);
    assert_ints(publisher_attempt_distinct(known), 9, publisher_attempt_looked(known), 9);
    assert_ints(known->engine->published.folded, 0, shared.models, 0);
    publisher_known_unload(known);
    assert_true(learners_have_same_bytes(known->engine->learner, fresh->engine->learner));
    publisher_known_free(fresh);
}

/* A first attempt folds the second gateway's frame. Then the first gateway has another frame of
 * that nonce, which counts before it: everything is folded again, as by a publisher that starts
 * now, but only when the epoch ends. */
TEST_WITH(frames_of_one_nonce_count_in_their_order_whoever_tries, start, end)
{
    size_t each = known->engine->frame_bytes;
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&s.one, s.one.experiment, 3);
    desk_take_frames(&s.two, frames, 3);
    assert_int_equal(try(), EPOCH_TOO_FEW);
    for (uint32_t i = 0; i < 3; i++) {
        uint8_t *frame = frames + i * each;
        frame[each - 2] ^= 1;
        desk_take_frames(&s.one, frame, 1);
        assert_ints(try(), EPOCH_TOO_FEW, folding_memory_look().rows_read, 2 + i);
        assert_int_equal(publisher_attempt_distinct(known), 3);
    }
    desk_take(&s.two, 60);
    assert_ints(try(), EPOCH_DONE, known->engine->counts.folded, 63);
    assert_ints(known->engine->counts.conflicting, 3, folding_memory_look().rows_read, 5 + 5);
    assert_null(known->kept);
    publisher_scene_assert_replayed(&s);
}

/* 9 reports sent 4 times are 9 reports. */
TEST_WITH(a_report_that_comes_often_counts_once, start, end)
{
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&s.one, s.one.experiment, 9);
    for (uint32_t i = 0; i < 2; i++) {
        desk_give(&s.one, frames, 9);
        desk_give(&s.two, frames, 9);
        desk_commit(&s.one);
        desk_commit(&s.two);
    }
    assert_int_equal(try(), EPOCH_TOO_FEW);
    desk_take(&s.two, 60);
    assert_ints(try(), EPOCH_DONE, known->engine->counts.folded, 69);
    assert_ints(known->engine->counts.duplicate, 27, shared.history[0].duplicate, 27);
    publisher_scene_assert_replayed(&s);
}

/* This includes folding the frames. */
TEST_WITH(an_attempt_is_the_same_in_every_floating_point_environment, start, end)
{
    for (size_t m = 0; m < float_modes_count; m++) {
        const float_mode *mode = &float_modes[m];
        const folding_cut *to;
        uint64_t reports;
        epoch_outcome outcome;
        if (!float_mode_exists(mode)) continue;
        desk_take(&s.one, 60);
        assert_true(folding_waiting(s.folding, 1, publisher_attempt_cut(known), &to, &reports));
        UNDER(mode, outcome = publisher_attempt(known, s.folding, s.fold, to, DESK_MINUTE));
        assert_int_equal(outcome, EPOCH_DONE);
        assert_true(shared_desk_refresh(&s.one));
        publisher_scene_assert_replayed(&s);
    }
}

TEST_WITH(a_frame_that_the_learner_refuses_publishes_nothing, start, end)
{
    desk_take(&s.one, 60);
    uint8_t *frame = (uint8_t *)shared.row[0].row.frames.at;
    memset(frame + known->engine->frame_bytes - 2, 0xff, 2); /* an index outside every codebook */
    assert_int_equal(try(), EPOCH_BROKEN);
    assert_non_null(strstr(known->fault.sentence, "the learner refuses a frame"));
    assert_int_equal(shared.models, 0);
}

/* Many more reports than the owner expects. */
TEST_WITH(an_epoch_with_an_alarm_is_held_in_quarantine, start, end)
{
    desk_take(&s.one, 1000);
    known->engine->hold.reports_expected = 20;
    known->engine->hold.quarantine = true;
    assert_ints(try(), EPOCH_HELD, try(), EPOCH_HELD);
    assert_ints(sotto_nonce_set_count(known->engine->nonces), 1000, shared.models, 0);
    assert_int_equal(shared.held[0].reports, 1000);
    assert_int_not_equal(shared.held[0].alarms & 1u << SOTTO__WATCH_COUNT, 0);
    assert_true(engine_is_held(known->engine));
    known->engine->hold.quarantine = false; /* which does not release the held epoch */
    assert_int_equal(try(), EPOCH_HELD);
    shared.held[0].decision = JOURNAL_PUBLISH;
    hold_hear(&known->engine->hold, &shared.held[0]);
    assert_int_equal(try(), EPOCH_DONE);
    assert_false(engine_is_held(known->engine));
    assert_int_equal(shared.held[0].reports, 0);
    assert_int_not_equal(shared.history[0].alarms, 0);
    publisher_scene_assert_replayed(&s);
}

TEST_WITH(history_has_the_age_of_the_reports, start, end)
{
    desk_take(&s.one, 60);
    assert_int_equal(try(), EPOCH_DONE);
    assert_true(journal_age(shared.history[0].alarms) == 0);
    assert_true(shared_desk_refresh(&s.one));
    uint8_t *frames =
        desk_frames_of(&s.one, s.one.experiment, 0, 60); /* all reports are an epoch late */
    desk_take_frames(&s.one, frames, 60);
    free(frames);
    assert_int_equal(try(), EPOCH_DONE);
    assert_true(known->ending.age == 1 && journal_age(shared.history[1].alarms) == 1);
    publisher_scene_assert_replayed(&s);
}

TEST_WITH(a_discarded_epoch_has_no_age, start, end)
{
    desk_take(&s.one, 60);
    assert_int_equal(try(), EPOCH_DONE);
    assert_true(shared_desk_refresh(&s.one));
    uint8_t *frames =
        desk_frames_of(&s.one, s.one.experiment, 0, 60); /* all reports are an epoch late */
    desk_take_frames(&s.one, frames, 60);
    free(frames);
    shared.held[0] = (journal_held){.experiment = known->number,
                                    .epoch = 1,
                                    .alarms = 1,
                                    .reports = 60,
                                    .decision = JOURNAL_DISCARD};
    hold_hear(&known->engine->hold, &shared.held[0]);
    assert_int_equal(try(), EPOCH_DONE);
    assert_true(known->ending.age == 0 && journal_age(shared.history[1].alarms) == 0);
}

/* `count` measure reports of the open epoch. */
static void take_measured(uint32_t count)
{
    sottod_refusal why;
    uint32_t kept = 0;
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&s.one, s.one.experiment, 8 * count);
    for (uint32_t i = 0; i < 8 * count; i++) {
        const uint8_t *frame = frames + i * known->engine->frame_bytes;
        if (sotto__role_of(&known->engine->terms, frame + 24, true) == SOTTO_ROLE_LEARN) continue;
        memmove(frames + kept++ * known->engine->frame_bytes, frame, known->engine->frame_bytes);
    }
    assert_true(kept >= count && desk_offer(&s.one, frames, count, &why));
    desk_commit(&s.one);
}

/* The owner's order does not end a small epoch: the fallback ends with the next due publish. */
TEST_WITH(a_fallback_that_ends_waits_for_enough_reports, start, end)
{
    desk_take(&s.one, 60);
    assert_int_equal(try(), EPOCH_DONE);
    assert_true(shared_desk_refresh(&s.one));
    sotto_learner *learner = known->engine->learner;
    learner->learning.fallback = learner->model->served = 1;
    learner->harm.epoch = learner->harm.served_epoch = 1;
    sotto__learner_epoch(learner, 1)->tally->served = true;
    shared.held[0] = (journal_held){.experiment = known->number,
                                    .epoch = 1,
                                    .alarms = JOURNAL_ALARM_HARM,
                                    .reports = 1,
                                    .decision = JOURNAL_PUBLISH};
    hold_hear(&known->engine->hold, &shared.held[0]);
    take_measured(2);
    assert_ints(try(), EPOCH_TOO_FEW, known->engine->learner->model->served, 1);
    take_measured(20);
    assert_ints(try(), EPOCH_DONE, known->engine->learner->model->served, 0);
    assert_ints(known->engine->learner->harm.restarts, 1, shared.model[0].kind, JOURNAL_PUBLISH);
    assert_int_equal(shared.model[1].kind, JOURNAL_END_FALLBACK);
}

/* Random frames come from no honest population: their indices are not equally likely. */
TEST_WITH(history_has_the_alarms_of_the_watch, start, end)
{
    desk_take(&s.one, 600);
    assert_int_equal(try(), EPOCH_DONE);
    assert_int_not_equal(shared.history[0].alarms & 1u << SOTTO__WATCH_INDEX, 0);
    assert_int_equal(shared.history[0].alarms & 1u << SOTTO__WATCH_COUNT, 0);
    known->engine->hold.reports_expected = 20;
    assert_true(shared_desk_refresh(&s.one));
    desk_take(&s.one, 600);
    assert_int_equal(try(), EPOCH_DONE);
    assert_int_not_equal(shared.history[1].alarms & 1u << SOTTO__WATCH_COUNT, 0);
    publisher_scene_assert_replayed(&s);
}

TEST_WITH(a_fenced_attempt_writes_nothing, start, end)
{
    const shared_model first = {.experiment = 1, .epoch = 1};
    desk_take(&s.one, 60);
    folding_memory_fence(&first);
    assert_ints(try(), EPOCH_FENCED, shared.models, 1, shared.model[0].learner.bytes, 0);
    assert_int_equal(shared.histories, 0);
}

TEST_WITH(a_database_that_is_away_publishes_nothing, start, end)
{
    const folding_cut *to;
    uint64_t reports;
    desk_take(&s.one, 60);
    assert_true(folding_waiting(s.folding, 1, &known->cut, &to, &reports));
    assert_int_equal(reports, 60);
    shared_memory_set_away(true);
    assert_int_equal(publisher_attempt(known, s.folding, s.fold, to, DESK_MINUTE), EPOCH_AWAY);
    assert_int_equal(shared.models, 0);
}

TEST_WITH(without_an_epoch_left_it_is_closed, start, end)
{
    desk_take(&s.one, 60);
    known->engine->learner->model->epoch = UINT32_MAX;
    assert_ints(try(), EPOCH_CLOSED, shared.experiment[0].state, JOURNAL_CLOSED, shared.models, 0);
}

TEST_WITH(a_model_is_what_a_learner_makes_of_the_rows, start, end)
{
    for (uint32_t i = 0; i < 6; i++) {
        desk_take(&s.two, 40);
        desk_take(&s.one, 40 + i);
        desk_take(&s.two, 5);
        assert_int_equal(try(), EPOCH_DONE);
        assert_true(shared_desk_refresh(&s.one) && shared_desk_refresh(&s.two));
        assert_true(desk_same(s.one.experiment, s.two.experiment));
        assert_int_equal(experiment_epoch(s.one.experiment), i + 1);
    }
    const journal_history *last = &shared.history[5];
    assert_ints(last->epoch, 6, last->minute, DESK_MINUTE, last->publishes, 1);
    assert_true(last->learn >= 10 && last->learn < 90);
    publisher_scene_assert_replayed(&s);
}

/* About 30 follow rounds, fewer than the floor of 40: a sum over few people is not published. */
TEST_WITH(what_too_few_people_measured_is_not_published, start, end)
{
    sotto_measurement m;
    known->engine->rule.reports_min = 40;
    for (uint32_t i = 0; i < 2; i++) { /* nothing is measured in the first epoch */
        desk_take(&s.one, 120);
        assert_ints(try(), EPOCH_DONE, shared.history[i].follow, 0, shared.history[i].control, 0);
        assert_true(shared_desk_refresh(&s.one));
    }
    assert_ok(experiment_measure(s.one.experiment, 0.05, &m));
    assert_int_equal(m.follow_count + m.control_count, 0);
}

/* Each part of the measure rounds is published when it has enough reports, the same at both
 * gateways. */
TEST_WITH(published_results_grow_with_the_models, start, end)
{
    sotto_measurement one, two;
    uint64_t published = 0;
    for (uint32_t i = 0; i < 8; i++) {
        desk_take(&s.two, 200);
        assert_int_equal(try(), EPOCH_DONE);
        assert_true(shared_desk_refresh(&s.one) && shared_desk_refresh(&s.two));
        published += shared.history[i].follow;
    }
    assert_ok(experiment_measure(s.one.experiment, 0.05, &one));
    assert_ok(experiment_measure(s.two.experiment, 0.05, &two));
    assert_true(one.follow_count > 100);
    assert_ints(one.follow_count, published, one.follow_count, two.follow_count);
    assert_int_equal(one.control_count, two.control_count);
}

/* Loads the experiment again after the owner's decision. */
static void hold_and_decide(journal_kind decision)
{
    known->engine->hold.reports_expected = 20;
    known->engine->hold.quarantine = true;
    assert_int_equal(try(), EPOCH_HELD);
    shared.held[0].decision = decision;
    hold_hear(&known->engine->hold, &shared.held[0]);
}

TEST_WITH(a_released_epoch_is_published_as_it_is, start, end)
{
    desk_take(&s.one, 1000);
    hold_and_decide(JOURNAL_PUBLISH);
    desk_take(&s.two, 100); /* it still accepts reports */
    assert_ints(try(), EPOCH_DONE, shared.model[0].kind, JOURNAL_PUBLISH);
    assert_int_equal(known->engine->counts.folded, 1100);
    assert_int_not_equal(shared.history[0].learn, 0);
    assert_int_not_equal(shared.history[0].alarms & 1u << SOTTO__WATCH_COUNT, 0);
    publisher_scene_assert_replayed(&s);
}

TEST_WITH(a_discarded_epoch_teaches_and_tells_nothing, start, end)
{
    desk_take(&s.one, 200);
    assert_int_equal(try(), EPOCH_DONE);
    assert_true(shared_desk_refresh(&s.one));
    desk_take(&s.one, 1000);
    hold_and_decide(JOURNAL_DISCARD);
    assert_ints(try(), EPOCH_DONE, shared.model[1].kind, JOURNAL_DISCARD);
    assert_int_equal(shared.model[1].results.bytes, shared.model[0].results.bytes);
    assert_memory_equal(shared.model[1].results.at, shared.model[0].results.at,
                        shared.model[0].results.bytes);
    assert_int_equal(known->engine->counts.folded,
                     1200); /* they were acknowledged, so their nonces are known */
    const journal_history *last = &shared.history[1];
    assert_int_equal(last->learn + last->control + last->follow, 0);
    assert_int_not_equal(last->alarms, 0);
    known->engine->hold.quarantine = false;
    assert_true(shared_desk_refresh(&s.one));
    desk_take(&s.one, 200);
    assert_int_equal(try(), EPOCH_DONE);
    publisher_scene_assert_replayed(&s);
}

/* The owner changes the decision while the publisher works: the last decision is carried out. */
TEST_WITH(a_decision_that_changed_meanwhile_is_not_carried_out, start, end)
{
    desk_take(&s.one, 1000);
    hold_and_decide(JOURNAL_DISCARD);
    shared.held[0].decision = JOURNAL_PUBLISH;
    assert_ints(try(), EPOCH_FENCED, shared.models, 0, shared.held[0].decision, JOURNAL_PUBLISH);
}

TEST_WITH(what_cannot_be_held_is_not_published, start, end)
{
    const shared_model first = {.experiment = 1, .epoch = 1};
    desk_take(&s.one, 1000);
    known->engine->hold.reports_expected = 20;
    known->engine->hold.quarantine = true;
    shared.model[shared.models++] = first; /* another publisher came first */
    assert_ints(try(), EPOCH_FENCED, shared.held[0].reports, 0);
}
