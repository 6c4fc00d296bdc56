/* The last reports of a closed experiment are counted and then removed. */
#include "learners.h"
#include "publisher_scene.h"

static publisher_scene s;

FIXTURE(start)
{
    s = publisher_scene_new(false);
}

FIXTURE(end)
{
    publisher_scene_free(&s);
}

static void close_it(void)
{
    sottod_refusal why;
    assert_true(experiment_set_state(s.two.all, s.two.experiment, JOURNAL_CLOSED, &why));
    s.pass.stale = true;
}

/* Reports that the watch or the schedule keeps from being published, one of them sent twice. */
static void take_some(uint32_t count)
{
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&s.one, s.one.experiment, count);
    desk_take_frames(&s.one, frames, count);
    desk_take_frames(&s.two, frames, 1);
}

static void assert_last_is_counted(uint64_t folded)
{
    const shared_model *ended = &shared.ended[0];
    assert_ints(ended->counts.folded, folded, ended->counts.duplicate, 1);
    for (uint32_t i = 0; i < 2; i++) {
        const sottod_experiment *experiment = i == 0 ? s.one.experiment : s.two.experiment;
        assert_int_equal(experiment_counts(experiment).folded, folded);
        assert_int_equal(experiment_counts(experiment).duplicate, 1);
    }
}

/* A learner that takes the reports, and does not publish: as in a snapshot of a service alone. */
TEST_WITH(what_came_after_the_last_model_is_folded_and_not_published, start, end)
{
    publisher_scene_epoch(&s, 20, 1);
    const uint32_t read = folding_memory_look().retained;
    take_some(7);
    close_it();
    assert_true(publisher_scene_turn(&s, 1000));
    assert_last_is_counted(28);
    assert_ints(shared.models, 1, shared.ended[0].epoch, 1, experiment_epoch(s.one.experiment), 1);
    assert_int_equal(sotto_learner_taken(experiment_learner(s.one.experiment)), 7);
    assert_int_equal(folding_memory_look().retained, read + 1);
    assert_int_equal(folding_memory_look().oldest_open, UINT32_MAX);
    assert_true(learners_have_same_bytes(experiment_learner(s.one.experiment),
                                         experiment_learner(s.two.experiment)));
    /* Only once, even with another publisher. */
    publisher_pass_forget(&s.pass);
    uint32_t rows = folding_memory_look().rows_read;
    assert_true(publisher_scene_turn(&s, 1000));
    assert_int_equal(folding_memory_look().rows_read, rows);
    assert_int_equal(folding_memory_look().cut_places, 2); /* the cut of the end */
}

TEST_WITH(one_without_a_model_ends_too, start, end)
{
    take_some(7);
    close_it();
    assert_true(publisher_scene_turn(&s, 0));
    assert_last_is_counted(7);
    assert_ints(shared.models, 0, experiment_epoch(s.two.experiment), 0);
}

/* A gateway that starts later reads the same counts. */
TEST_WITH(one_that_starts_later_has_the_counts, start, end)
{
    publisher_scene_epoch(&s, 20, 1);
    take_some(7);
    close_it();
    assert_true(publisher_scene_turn(&s, 1000));
    desk third = shared_desk_of(3);
    sottod_experiment *experiment = shared_desk_find(&third, s.one.experiment);
    assert_int_equal(experiment_counts(experiment).folded, 28);
    assert_int_equal(sotto_learner_taken(experiment_learner(experiment)), 7);
    shared_desk_free(&third);
}

TEST_WITH(nothing_ends_where_nothing_waits, start, end)
{
    publisher_scene_epoch(&s, 20, 1);
    close_it();
    assert_true(publisher_scene_turn(&s, 1000));
    assert_ints(shared.ended[0].learner.bytes, 0, folding_memory_look().settled, 1);
}

/* A gateway may still write reports accepted before the close: the end waits for that. */
TEST_WITH(nothing_ends_while_a_gateway_is_busy, start, end)
{
    take_some(7);
    close_it();
    folding_memory_unsettled(2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(publisher_scene_turn(&s, 1000));
        assert_ints(shared.ended[0].learner.bytes, 0, folding_memory_look().retained, 0);
        s.pass.stale = true;
    }
    assert_true(publisher_scene_turn(&s, 1000));
    assert_last_is_counted(7);
}

TEST_WITH(rows_that_cannot_be_right_stay_and_are_tried_again, start, end)
{
    publisher_scene_epoch(&s, 20, 1);
    take_some(7);
    shared.row[shared.rows - 1].row.frames.bytes--;
    close_it();
    assert_true(publisher_scene_turn(&s, 1000));
    assert_int_equal(shared.ended[0].learner.bytes, 0);
    assert_int_equal(folding_memory_look().cut_places, 2); /* of the model: the rest is needed */
    shared.row[shared.rows - 1].row.frames.bytes++;
    assert_true(publisher_scene_turn(&s, 599999));
    assert_int_equal(shared.ended[0].learner.bytes, 0);
    s.pass.stale = true;
    assert_true(publisher_scene_turn(&s, 1000));
    assert_last_is_counted(28);
}

TEST_WITH(a_database_that_is_away_is_said_to_be, start, end)
{
    take_some(7);
    close_it();
    shared_memory_set_away(true);
    assert_false(publisher_scene_turn(&s, 1000));
}
