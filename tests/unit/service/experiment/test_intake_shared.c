/* One of several services with a shared journal: it stores frames, counts copies and late ones, and
 * folds none. */
#include "core/core.h"
#include "service/system/system.h"
#include "shared_desk.h"
#include "test.h"

#include <stdlib.h>

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

/* Epoch `epoch` has begun, as far as this service knows. */
static void publish_to(uint32_t epoch)
{
    while (experiment_epoch(d.experiment) < epoch) {
        shared_desk_publish(&d, NULL, 0);
        assert_true(shared_desk_refresh(&d));
    }
}

TEST_WITH(frames_that_no_device_makes_are_refused, start, end)
{
    sottod_refusal why;
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&d, d.experiment, 2);
    size_t each = d.experiment->engine->frame_bytes;
    assert_false(intake_offer(d.intake, NULL, frames, each, &why));
    assert_int_equal(why.status, 404);
    assert_false(intake_offer(d.intake, d.experiment, frames, each + 1, &why));
    assert_int_equal(why.status, 400);
    frames[each] ^= 1;
    assert_false(desk_offer(&d, frames, 2, &why));
    assert_int_equal(why.status, 400);
    assert_string_equal(why.fault.field, "frame 1");
    assert_int_equal(intake_waiting(d.intake), 0);
}

TEST_WITH(an_epoch_that_has_begun_elsewhere_is_learned_at_once, start, end)
{
    FREED_BY(shared_desk_free) desk other = shared_desk_beside(2, &d);
    publish_to(1);
    FREED_BY(free_memory) uint8_t *frames = desk_frames_of(&d, d.experiment, 1, 3);
    assert_int_equal(experiment_epoch(other.experiment), 0);
    desk_give(&other, frames, 3);
    assert_int_equal(experiment_epoch(other.experiment), 1);
}

TEST_WITH(an_epoch_that_has_begun_nowhere_is_refused_for_good, start, end)
{
    sottod_refusal why;
    publish_to(1);
    FREED_BY(free_memory) uint8_t *frames = desk_frames_of(&d, d.experiment, 1, 1);
    sotto__put_u32(frames + 20, 2); /* its epoch */
    assert_false(desk_offer(&d, frames, 1, &why));
    assert_int_equal(why.status, 400);
    assert_string_equal(why.fault.field, "epoch");
}

TEST_WITH(what_cannot_be_known_now_is_asked_for_again, start, end)
{
    sottod_refusal why;
    FREED_BY(shared_desk_free) desk other = shared_desk_beside(2, &d);
    publish_to(1);
    FREED_BY(free_memory) uint8_t *frames = desk_frames_of(&d, d.experiment, 1, 1);
    shared_memory_set_away(true);
    assert_false(desk_offer(&other, frames, 1, &why));
    assert_ints(why.status, 503, why.lacks, LACK_JOURNAL);
    shared_memory_set_away(false);
    other.all->failed = false; /* as at the start of a turn */
    other.all->caught_ms = clock_steady_ms();
    other.all->caught = 100; /* in this second */
    uint32_t calls = shared.calls;
    assert_false(desk_offer(&other, frames, 1, &why));
    assert_int_equal(why.status, 503);
    assert_int_equal(shared.calls, calls); /* nobody asked */
    other.all->caught = 0;
    desk_give(&other, frames, 1);
}

TEST_WITH(an_experiment_that_ended_elsewhere_meanwhile_takes_nothing, start, end)
{
    sottod_refusal why;
    FREED_BY(shared_desk_free) desk other = shared_desk_beside(2, &d);
    publish_to(1);
    FREED_BY(free_memory) uint8_t *frames = desk_frames_of(&d, d.experiment, 1, 1);
    FREED_BY(free_memory) uint8_t *old = desk_frames_of(&d, d.experiment, 0, 1);
    assert_true(experiment_set_state(d.all, d.experiment, JOURNAL_DELETED, &why));
    desk_give(&other, old, 1); /* as far as this service knows */
    assert_false(intake_commit(other.intake, &why));
    assert_ints(why.status, 503, shared.rows, 0);
    assert_false(desk_offer(&other, frames, 1, &why)); /* reads, and finds it deleted */
    assert_int_equal(why.status, 410);
}

TEST_WITH(copies_and_late_frames_cost_counters, start, end)
{
    size_t each = d.experiment->engine->frame_bytes;
    publish_to(1);
    FREED_BY(free_memory) uint8_t *late = desk_frames_of(&d, d.experiment, 0, 2);
    publish_to(4); /* lag 2: epochs 2 to 4 are open */
    FREED_BY(free_memory) uint8_t *frames = desk_frames_of(&d, d.experiment, 4, 5);
    desk_give(&d, frames, 5);
    desk_give(&d, frames, 5);
    desk_give(&d, late, 2);
    assert_int_equal(intake_waiting(d.intake), 3);
    desk_commit(&d);
    assert_ints(shared.rows, 1, shared.row[0].row.frames.bytes, 5 * each);
    assert_ints(shared.row[0].row.late, 2, shared.row[0].row.duplicate, 5);
    assert_ints(shared.row[0].row.epoch, 4, d.experiment->waiting, 5);
    desk_assert_counts(d.experiment, 0, 0, 0, 0);
    assert_int_equal(sotto_learner_taken(experiment_learner(d.experiment)), 0);
    assert_int_equal(intake_waiting(d.intake), 0);
}

TEST_WITH(a_row_may_have_counts_alone, start, end)
{
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&d, d.experiment, 2);
    desk_take_frames(&d, frames, 2);
    for (uint32_t i = 0; i < 3; i++) {
        desk_give(&d, frames, 2);
    }
    desk_commit(&d);
    assert_ints(shared.rows, 2, shared.row[1].row.frames.bytes, 0, shared.row[1].row.duplicate, 6);
    assert_int_equal(d.experiment->waiting, 2);
}

TEST_WITH(frames_of_one_nonce_that_differ_are_written_down_once_each, start, end)
{
    size_t each = d.experiment->engine->frame_bytes;
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&d, d.experiment, 2);
    memcpy(frames + each, frames, each);
    frames[2 * each - 2] ^= 1; /* the same nonce, and another index */
    for (uint32_t i = 0; i < 3; i++) {
        desk_give(&d, frames, 2);
    }
    desk_commit(&d);
    assert_ints(shared.row[0].row.frames.bytes, 2 * each, shared.row[0].row.duplicate, 4);
}

TEST_WITH(copies_fail_with_their_group, start, end)
{
    sottod_refusal why;
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&d, d.experiment, 2);
    desk_give(&d, frames, 2);
    desk_give(&d, frames, 2); /* copies of what is in this group alone */
    shared_memory_set_away(true);
    assert_false(intake_commit(d.intake, &why));
    shared_memory_set_away(false);
    desk_take_frames(&d, frames, 2);
    assert_ints(shared.rows, 1, shared.row[0].row.duplicate, 0);
    assert_int_equal(shared.row[0].row.frames.bytes, 2 * d.experiment->engine->frame_bytes);
}

/* Another database may have taken over and lack frames of the first, before or after a copy arrived. */
TEST_WITH(in_another_session_nothing_is_dropped, start, end)
{
    sottod_refusal why;
    size_t each = d.experiment->engine->frame_bytes;
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&d, d.experiment, 2);
    desk_take_frames(&d, frames, 2);
    shared.session++;
    desk_take_frames(&d, frames, 2);
    assert_int_equal(shared.row[1].row.frames.bytes, 2 * each);
    desk_give(&d, frames, 2);
    shared.session++;
    assert_false(intake_commit(d.intake, &why));
    assert_ints(why.status, 503, shared.rows, 2);
    desk_take_frames(&d, frames, 2);
    assert_ints(shared.row[2].row.frames.bytes, 2 * each, shared.row[2].row.duplicate, 0);
}

TEST_WITH(who_is_behind_calls_no_frame_late_that_is_not, start, end)
{
    FREED_BY(shared_desk_free) desk other = shared_desk_beside(2, &d);
    FREED_BY(free_memory) uint8_t *first = desk_frames_of(&d, d.experiment, 0, 1);
    publish_to(3); /* lag 2: epoch 0 is over; the other service does not know yet */
    desk_give(&other, first, 1);
    desk_give(&d, first, 1);
    desk_commit(&other);
    desk_commit(&d);
    assert_int_equal(shared.row[0].row.late, 0);
    assert_int_equal(shared.row[0].row.frames.bytes, d.experiment->engine->frame_bytes);
    assert_ints(shared.row[1].row.late, 1, shared.row[1].row.frames.bytes, 0);
}

/* The publisher needs memory for the nonce of each waiting frame, even if nothing is published for long. */
TEST_WITH(no_more_wait_than_nonces_may, start, end)
{
    sottod_refusal why;
    d.all->settings.nonces_max = 1000;
    desk_take(&d, 990);
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&d, d.experiment, 11);
    assert_false(desk_offer(&d, frames, 11, &why));
    assert_int_equal(why.status, 503);
    desk_take_frames(&d, frames, 10);
    const size_t bytes = d.experiment->engine->frame_bytes;
    assert_false(desk_offer(&d, frames + 10 * bytes, 1, &why));
    assert_int_equal(intake_gathers_ms(d.intake), 0); /* nothing waits */
    desk_give(&d, frames, 10);                        /* copies need no memory */
    assert_int_equal(intake_gathers_ms(d.intake), 100);
    desk_commit(&d);
    assert_int_equal(d.experiment->waiting, 1000);
    publish_to(1);
    desk_give(&d, frames, 11);
    assert_int_equal(intake_gathers_ms(d.intake), 0); /* one of them is new */
}

/* Its sender gets 503 and sends it again, so parts counted now would count twice. */
TEST_WITH(a_body_that_is_refused_is_not_counted, start, end)
{
    sottod_refusal why;
    d.all->settings.nonces_max = 10;
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&d, d.experiment, 11);
    desk_take_frames(&d, frames, 10);
    desk_give(&d, frames, 2);
    assert_false(desk_offer(&d, frames, 11, &why)); /* ten copies, then one too many */
    assert_int_equal(why.status, 503);
    desk_commit(&d);
    assert_ints(shared.rows, 2, shared.row[1].row.duplicate, 2, shared.row[1].row.frames.bytes, 0);
}

TEST_WITH(a_group_that_failed_never_was, start, end)
{
    sottod_refusal why;
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&d, d.experiment, 5);
    desk_give(&d, frames, 5);
    shared_memory_set_away(true);
    assert_false(intake_commit(d.intake, &why));
    assert_int_equal(why.status, 503);
    shared_memory_set_away(false);
    assert_int_equal(d.experiment->waiting, 0);
    desk_take_frames(&d, frames, 3);
    assert_int_equal(shared.rows, 1);
    assert_int_equal(shared.row[0].row.frames.bytes, 3 * d.experiment->engine->frame_bytes);
}
