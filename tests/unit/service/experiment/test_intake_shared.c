/* One of several services that share a journal writes all frames down, and folds none. */
#include "core/bytes.h"
#include "service/system/clock.h"
#include "shared_desk.h"
#include "test.h"

#include <stdlib.h>

static desk d;

static int start(void **state)
{
    (void)state;
    experiment_request request = desk_request();
    shared_memory_start();
    d = shared_desk_of(1);
    desk_create(&d, &request);
    return 0;
}

static int end(void **state)
{
    (void)state;
    shared_desk_free(&d);
    shared_memory_end();
    return 0;
}

/* Epoch `epoch` has begun, as far as this service knows. */
static void publish_to(uint32_t epoch)
{
    while (experiment_epoch(d.experiment) < epoch) {
        shared_desk_publish(&d, NULL, 0);
        assert_true(shared_desk_refresh(&d));
    }
}

static void frames_that_no_device_makes_are_refused(void **state)
{
    (void)state;
    sottod_refusal why;
    uint8_t *frames = desk_frames(&d, d.experiment, 2);
    size_t each = d.experiment->frame_bytes;
    assert_false(intake_offer(d.intake, NULL, frames, each, &why));
    assert_int_equal(why.status, 404);
    assert_false(intake_offer(d.intake, d.experiment, frames, each + 1, &why));
    assert_int_equal(why.status, 400);
    frames[each] ^= 1;
    assert_false(desk_offer(&d, frames, 2, &why));
    assert_int_equal(why.status, 400);
    assert_string_equal(why.field, "frame 1");
    assert_int_equal(intake_waiting(d.intake), 0);
    free(frames);
}

static void an_epoch_that_has_begun_elsewhere_is_learned_at_once(void **state)
{
    (void)state;
    sottod_refusal why;
    desk other = shared_desk_of(2);
    shared_desk_find(&other, d.experiment);
    publish_to(1);
    uint8_t *frames = desk_frames_of(&d, d.experiment, 1, 3);
    assert_int_equal(experiment_epoch(other.experiment), 0);
    assert_true(desk_offer(&other, frames, 3, &why));
    assert_int_equal(experiment_epoch(other.experiment), 1);
    shared_desk_free(&other);
    free(frames);
}

static void an_epoch_that_has_begun_nowhere_is_refused_for_good(void **state)
{
    (void)state;
    sottod_refusal why;
    publish_to(1);
    uint8_t *frames = desk_frames_of(&d, d.experiment, 1, 1);
    sotto__put_u32(frames + 20, 2); /* its epoch */
    assert_false(desk_offer(&d, frames, 1, &why));
    assert_int_equal(why.status, 400);
    assert_string_equal(why.field, "epoch");
    free(frames);
}

static void what_cannot_be_known_now_is_asked_for_again(void **state)
{
    (void)state;
    sottod_refusal why;
    desk other = shared_desk_of(2);
    shared_desk_find(&other, d.experiment);
    publish_to(1);
    uint8_t *frames = desk_frames_of(&d, d.experiment, 1, 1);
    shared_memory_set_away(true);
    assert_false(desk_offer(&other, frames, 1, &why));
    assert_int_equal(why.status, 503);
    assert_int_equal(why.lacks, LACK_JOURNAL);
    shared_memory_set_away(false);
    other.all->failed = false; /* as after a turn */
    other.all->second_ms = clock_steady_ms();
    other.all->readings = 20; /* in this second */
    uint32_t calls = shared.calls;
    assert_false(desk_offer(&other, frames, 1, &why));
    assert_int_equal(why.status, 503);
    assert_int_equal(shared.calls, calls); /* nobody asked */
    other.all->readings = 0;
    assert_true(desk_offer(&other, frames, 1, &why));
    shared_desk_free(&other);
    free(frames);
}

static void an_experiment_that_ended_elsewhere_meanwhile_takes_nothing(void **state)
{
    (void)state;
    sottod_refusal why;
    desk other = shared_desk_of(2);
    shared_desk_find(&other, d.experiment);
    publish_to(1);
    uint8_t *frames = desk_frames_of(&d, d.experiment, 1, 1);
    uint8_t *old = desk_frames_of(&d, d.experiment, 0, 1);
    assert_true(experiment_set_state(d.all, d.experiment, JOURNAL_DELETED, &why));
    assert_true(desk_offer(&other, old, 1, &why)); /* as far as it knows */
    assert_false(intake_commit(other.intake, &why));
    assert_int_equal(why.status, 503);
    assert_int_equal(shared.rows, 0);
    assert_false(desk_offer(&other, frames, 1, &why)); /* asks, and learns of it */
    assert_int_equal(why.status, 410);
    shared_desk_free(&other);
    free(frames);
    free(old);
}

static void every_frame_is_written_down_also_the_same_one_twice(void **state)
{
    (void)state;
    sottod_refusal why;
    size_t each = d.experiment->frame_bytes;
    publish_to(1);
    uint8_t *late = desk_frames_of(&d, d.experiment, 0, 2);
    publish_to(4); /* lag 2: epochs 2 to 4 are open */
    uint8_t *frames = desk_frames_of(&d, d.experiment, 4, 5);
    assert_true(desk_offer(&d, frames, 5, &why));
    assert_true(desk_offer(&d, frames, 5, &why));
    assert_true(desk_offer(&d, late, 2, &why));
    assert_int_equal(intake_waiting(d.intake), 3);
    desk_commit(&d);
    assert_int_equal(shared.rows, 1);
    assert_int_equal(shared.row[0].row.frames.bytes, 12 * each);
    assert_int_equal(shared.row[0].row.epoch, 4);
    assert_int_equal(d.experiment->waiting, 12);
    desk_assert_counts(d.experiment, 0, 0, 0, 0);
    assert_int_equal(sotto_learner_taken(experiment_learner(d.experiment)), 0);
    assert_int_equal(intake_waiting(d.intake), 0);
    free(frames);
    free(late);
}

/* The folder would need memory for the nonce of each, however long none of them is published. */
static void no_more_wait_than_nonces_may(void **state)
{
    (void)state;
    sottod_refusal why;
    d.all->settings.nonces_max = 1000;
    desk_take(&d, 990);
    uint8_t *frames = desk_frames(&d, d.experiment, 11);
    assert_false(desk_offer(&d, frames, 11, &why));
    assert_int_equal(why.status, 503);
    assert_true(desk_offer(&d, frames, 10, &why));
    desk_commit(&d);
    assert_false(desk_offer(&d, frames, 1, &why));
    publish_to(1);
    assert_true(desk_offer(&d, frames, 11, &why));
    free(frames);
}

static void a_group_that_failed_never_was(void **state)
{
    (void)state;
    sottod_refusal why;
    uint8_t *frames = desk_frames(&d, d.experiment, 5);
    assert_true(desk_offer(&d, frames, 5, &why));
    shared_memory_set_away(true);
    assert_false(intake_commit(d.intake, &why));
    assert_int_equal(why.status, 503);
    shared_memory_set_away(false);
    assert_int_equal(d.experiment->waiting, 0);
    assert_true(desk_offer(&d, frames, 3, &why));
    desk_commit(&d);
    assert_int_equal(shared.rows, 1);
    assert_int_equal(shared.row[0].row.frames.bytes, 3 * d.experiment->frame_bytes);
    free(frames);
}

int main(void)
{
#define EACH(test) cmocka_unit_test_setup_teardown(test, start, end)
    const struct CMUnitTest tests[] = {
        EACH(frames_that_no_device_makes_are_refused),
        EACH(an_epoch_that_has_begun_elsewhere_is_learned_at_once),
        EACH(an_epoch_that_has_begun_nowhere_is_refused_for_good),
        EACH(what_cannot_be_known_now_is_asked_for_again),
        EACH(an_experiment_that_ended_elsewhere_meanwhile_takes_nothing),
        EACH(every_frame_is_written_down_also_the_same_one_twice),
        EACH(no_more_wait_than_nonces_may),
        EACH(a_group_that_failed_never_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
