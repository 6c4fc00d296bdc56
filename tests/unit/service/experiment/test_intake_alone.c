/* A service alone with its journal tells frames apart by their nonces, and folds what is durable. What else
 * an intake does is in test_intake.c. */
#include "desk.h"
#include "service/experiment/intake_mode.h"
#include "test.h"

#include <stdlib.h>

static desk d;

static int start(void **state)
{
    (void)state;
    experiment_request request = desk_request();
    d = desk_of(1);
    desk_create(&d, &request);
    return 0;
}

static int end(void **state)
{
    (void)state;
    desk_free(&d);
    return 0;
}

static void what_is_not_known_has_not_begun(void **state)
{
    (void)state;
    sottod_refusal why = {.status = 400};
    assert_false(intake_alone.catch_up(d.all, &why));
    assert_int_equal(why.status, 400);
}

static void a_group_that_failed_leaves_no_nonce(void **state)
{
    (void)state;
    sottod_refusal why;
    uint8_t *frames = desk_frames(&d, d.experiment, 5);
    assert_true(desk_offer(&d, frames, 5, &why));
    assert_int_equal(sotto_nonce_set_count(d.experiment->nonces), 5);
    journal_memory_fail_after(d.journal, 0);
    assert_false(intake_commit(d.intake, &why));
    assert_int_equal(sotto_nonce_set_count(d.experiment->nonces), 0);
    assert_true(desk_offer(&d, frames, 5, &why));
    desk_commit(&d);
    desk_assert_counts(d.experiment, 5, 0, 0, 0);
    free(frames);
}

static void what_is_durable_is_folded_once(void **state)
{
    (void)state;
    sottod_refusal why;
    uint8_t *frames = desk_frames(&d, d.experiment, 5);
    assert_true(desk_offer(&d, frames, 5, &why));
    assert_true(desk_offer(&d, frames, 5, &why));
    assert_int_equal(sotto_learner_taken(experiment_learner(d.experiment)), 0);
    desk_commit(&d);
    assert_int_equal(sotto_learner_taken(experiment_learner(d.experiment)), 5);
    desk_assert_counts(d.experiment, 5, 0, 5, 0);
    free(frames);
}

static void there_is_room_for_so_many_nonces_and_no_more(void **state)
{
    (void)state;
    assert_true(intake_alone.reserve(d.all, d.experiment, 5000));
    assert_true(sotto_nonce_set_capacity(d.experiment->nonces) >= 5000);
    assert_true(intake_alone.reserve(d.all, d.experiment, 5000000));
    assert_int_equal(sotto_nonce_set_capacity(d.experiment->nonces), d.settings.nonces_max);
}

int main(void)
{
#define EACH(test) cmocka_unit_test_setup_teardown(test, start, end)
    const struct CMUnitTest tests[] = {
        EACH(what_is_not_known_has_not_begun),
        EACH(a_group_that_failed_leaves_no_nonce),
        EACH(what_is_durable_is_folded_once),
        EACH(there_is_room_for_so_many_nonces_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
