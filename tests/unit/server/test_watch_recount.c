/* Counting again after a restart: the same counts as before it, in the same learner. */
#include "populations.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define REPORTS 120u

static void half_a_frame_is_refused(void **state)
{
    (void)state;
    crowd c;
    uint8_t frame[64] = {0};
    crowd_begin(&c, CROWD_SHARED, 1);
    assert_status(sotto__learner_recount(c.learner, frame, 41), SOTTO_E_LENGTH);
    crowd_end(&c);
}

static void a_frame_that_the_learner_would_refuse_is_refused(void **state)
{
    (void)state;
    crowd c;
    uint8_t frame[64] = {0};
    crowd_begin(&c, CROWD_SHARED, 1);
    size_t bytes = sotto_report_bytes(&c.terms);
    crowd_honest(&c, CROWD_ZERO);
    assert_ok(sotto_report_encode(&c.terms, c.report, frame, sizeof frame));
    frame[0] ^= 1; /* the magic */
    assert_status(sotto__learner_recount(c.learner, frame, bytes), SOTTO_E_FRAME);
    crowd_end(&c);
}

static void nothing_is_counted_where_nobody_watches(void **state)
{
    (void)state;
    crowd c;
    uint8_t frame[64] = {0};
    crowd_begin(&c, CROWD_SHARED, 1);
    sotto_learning learning = sotto_learning_default(&c.terms, 1000);
    sotto_learner *plain;
    assert_ok(sotto_learner_new(&c.terms, &learning, &plain));
    assert_ok(sotto__learner_recount(plain, frame, sotto_report_bytes(&c.terms)));
    sotto_learner_free(plain);
    crowd_end(&c);
}

/* Reports of two open epochs, a snapshot, a restart, and all of them again. */
static void counts_after_a_restart_are_those_from_before(void **state)
{
    (void)state;
    for (int t = 0; t < CROWD_TERMS; t++) {
        crowd c;
        crowd_begin(&c, (crowd_terms)t, 2);
        size_t frame_bytes = sotto_report_bytes(&c.terms), bytes;
        uint8_t *frames = calloc(REPORTS + 1, frame_bytes);
        for (uint32_t i = 0; i < REPORTS; i++) {
            crowd_honest(&c, CROWD_ANYWHERE);
            assert_ok(
                sotto_report_encode(&c.terms, c.report, frames + i * frame_bytes, frame_bytes));
        }
        /* One of an epoch that is not open any more, as rows before the last publish have them. */
        c.report->epoch = 77;
        assert_ok(
            sotto_report_encode(&c.terms, c.report, frames + REPORTS * frame_bytes, frame_bytes));
        bytes = sotto_learner_bytes(c.learner);
        uint8_t *kept = malloc(bytes);
        sotto_learner *again;
        assert_ok(sotto_learner_encode(c.learner, kept, bytes));
        assert_ok(sotto_learner_decode(&c.terms, kept, bytes, &again));
        assert_ok(sotto__learner_watch(again));
        assert_ok(sotto__learner_recount(again, frames, (REPORTS + 1) * frame_bytes));
        const sotto__watch *one = tally_now(&c)->watch;
        const sotto__watch *other = sotto__learner_epoch(again, again->model->epoch)->tally->watch;
        assert_memory_equal(one->index, other->index, one->index_count * sizeof one->index[0]);
        assert_memory_equal(one->tail, other->tail, sizeof one->tail);
        assert_int_equal(sotto_learner_taken(again), sotto_learner_taken(c.learner));
        uint8_t *after = malloc(bytes);
        assert_ok(sotto_learner_encode(again, after, bytes));
        assert_memory_equal(kept, after, bytes); /* no report was taken twice */
        sotto_learner_free(again);
        free(after);
        free(kept);
        free(frames);
        crowd_end(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_a_frame_is_refused),
        cmocka_unit_test(a_frame_that_the_learner_would_refuse_is_refused),
        cmocka_unit_test(nothing_is_counted_where_nobody_watches),
        cmocka_unit_test(counts_after_a_restart_are_those_from_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
