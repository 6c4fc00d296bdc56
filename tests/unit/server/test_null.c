/* Every public function of server.h with each of its pointers missing in turn. tests/boundary sees
 * that none is forgotten. */
#include "made.h"
#include "missing.h"

#include <sotto/server.h>

#include <math.h>

#define FRAME_BYTES 4096

typedef struct fixture {
    sotto_terms terms;
    sotto_learning learning;
    sotto_tally *tally;
    sotto_learner *learner;
    sotto_report *report;
    uint8_t bytes[FRAME_BYTES];
    double mean[16];
} fixture;

FIXTURE(set_up)
{
    static fixture f;
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    assert_ok(sotto_spec_resolve(&spec, &f.terms));
    f.learning = sotto_learning_default(&f.terms, 1000);
    assert_ok(sotto_learner_new(&f.terms, &f.learning, &f.learner));
    assert_ok(sotto_tally_new(&f.terms, sotto_learner_model(f.learner), &f.tally));
    assert_ok(sotto_report_new(&f.terms, &f.report));
    *state = &f;
}

FIXTURE(tear_down)
{
    fixture *f = *state;
    sotto_report_free(f->report);
    sotto_learner_free(f->learner);
    sotto_tally_free(f->tally);
}

TEST_WITH(nothing_is_made, set_up, tear_down)
{
    fixture *f = *state;
    sotto_tally *tally;
    sotto_learner *learner;
    const sotto_model *model = sotto_learner_model(f->learner);
    assert_not_made(sotto_tally_new(NULL, model, &tally), tally);
    assert_not_made(sotto_tally_new(&f->terms, NULL, &tally), tally);
    assert_refused(sotto_tally_new(&f->terms, model, NULL));
    assert_not_made(sotto_tally_decode(NULL, f->bytes, FRAME_BYTES, &tally), tally);
    assert_not_made(sotto_tally_decode(&f->terms, NULL, FRAME_BYTES, &tally), tally);
    assert_refused(sotto_tally_decode(&f->terms, f->bytes, FRAME_BYTES, NULL));
    assert_not_made(sotto_learner_new(NULL, &f->learning, &learner), learner);
    assert_not_made(sotto_learner_new(&f->terms, NULL, &learner), learner);
    assert_refused(sotto_learner_new(&f->terms, &f->learning, NULL));
    assert_not_made(sotto_learner_decode(NULL, f->bytes, FRAME_BYTES, &learner), learner);
    assert_not_made(sotto_learner_decode(&f->terms, NULL, FRAME_BYTES, &learner), learner);
    assert_refused(sotto_learner_decode(&f->terms, f->bytes, FRAME_BYTES, NULL));
    sotto_nonce_set *set;
    const uint8_t key[SOTTO_NONCE_KEY_BYTES] = {0};
    assert_not_made(sotto_nonce_set_new(NULL, key, 1, &set), set);
    assert_not_made(sotto_nonce_set_new(&f->terms, NULL, 1, &set), set);
    assert_refused(sotto_nonce_set_new(&f->terms, key, 1, NULL));
    sotto_tally_free(NULL);
    sotto_learner_free(NULL);
    sotto_nonce_set_free(NULL);
}

TEST_WITH(nothing_is_measured, set_up, tear_down)
{
    fixture *f = *state;
    sotto_measurement m;
    sotto_arm_measurement arm;
    int64_t sum = 7;
    sotto_harm harm;
    assert_refused(sotto_learner_harm(NULL, &harm));
    assert_refused(sotto_learner_harm(f->learner, NULL));
    assert_refused(sotto_learner_end_fallback(NULL));
    assert_refused(sotto_learner_measure(NULL, 0.05, &m));
    assert_refused(sotto_learner_measure(f->learner, 0.05, NULL));
    assert_refused(sotto_learner_measure_arm(NULL, 0.05, 0, &arm));
    assert_refused(sotto_learner_measure_arm(f->learner, 0.05, 0, NULL));
    assert_ints(sotto_tally_heard(NULL), 0, sotto_tally_measured(NULL, SOTTO_ROLE_FOLLOW, 0, &sum),
                0, sotto_tally_measured(f->tally, SOTTO_ROLE_FOLLOW, 0, NULL), 0, sum, 0);
}

TEST_WITH(nothing_is_seen, set_up, tear_down)
{
    fixture *f = *state;
    const uint8_t key[SOTTO_NONCE_KEY_BYTES] = {0};
    OWN(sotto_nonce_set) set = NULL;
    sotto_seen seen;
    assert_ok(sotto_nonce_set_new(&f->terms, key, 1, &set));
    assert_refused(sotto_nonce_set_see(NULL, f->report, f->bytes, FRAME_BYTES, &seen));
    assert_refused(sotto_nonce_set_see(set, NULL, f->bytes, FRAME_BYTES, &seen));
    assert_refused(sotto_nonce_set_see(set, f->report, NULL, FRAME_BYTES, &seen));
    assert_refused(sotto_nonce_set_see(set, f->report, f->bytes, FRAME_BYTES, NULL));
    assert_refused(sotto_nonce_set_advance(NULL, 1));
    assert_refused(sotto_nonce_set_grow(NULL, 1));
    assert_ints(sotto_nonce_set_capacity(NULL), 0, sotto_nonce_set_count(set), 0,
                sotto_nonce_set_count(NULL), 0);
    assert_ok(sotto_nonce_set_see(set, f->report, f->bytes, FRAME_BYTES, &seen));
    sotto_nonce_set_remove(NULL, f->report);
    sotto_nonce_set_remove(set, NULL);
    assert_int_equal(sotto_nonce_set_count(set), 1);
}

TEST_WITH(nothing_is_counted, set_up, tear_down)
{
    const uint8_t frame = 0;
    sotto_status status;
    fixture *f = *state;
    assert_refused(sotto_tally_fold(NULL, f->report));
    assert_refused(sotto_tally_fold(f->tally, NULL));
    assert_refused(sotto_tally_merge(NULL, f->tally));
    assert_refused(sotto_tally_merge(f->tally, NULL));
    assert_refused(sotto_tally_encode(NULL, f->bytes, FRAME_BYTES));
    assert_refused(sotto_tally_encode(f->tally, NULL, FRAME_BYTES));
    assert_refused(sotto_learner_take(NULL, f->report));
    assert_refused(sotto_learner_take(f->learner, NULL));
    assert_refused(sotto_learner_check(NULL, f->report));
    assert_refused(sotto_learner_check(f->learner, NULL));
    assert_refused(sotto_learner_take_frames(NULL, &frame, 0, &status));
    assert_refused(sotto_learner_take_frames(f->learner, NULL, 0, &status));
    assert_ok(sotto_learner_take_frames(f->learner, &frame, 0, NULL));
    const uint8_t key[SOTTO_NONCE_KEY_BYTES] = {0};
    sotto_nonce_set *set;
    sotto_seen seen;
    assert_ok(sotto_nonce_set_new(&f->terms, key, 1, &set));
    assert_refused(sotto_learner_take_frames_once(NULL, set, &frame, 0, &status, &seen));
    assert_refused(sotto_learner_take_frames_once(f->learner, NULL, &frame, 0, &status, &seen));
    assert_refused(sotto_learner_take_frames_once(f->learner, set, NULL, 0, &status, &seen));
    assert_ok(sotto_learner_take_frames_once(f->learner, set, &frame, 0, NULL, &seen));
    assert_ok(sotto_learner_take_frames_once(f->learner, set, &frame, 0, &status, NULL));
    sotto_nonce_set_free(set);
    assert_refused(sotto_learner_merge(NULL, f->tally));
    assert_refused(sotto_learner_merge(f->learner, NULL));
    assert_refused(sotto_learner_publish(NULL));
    assert_refused(sotto_learner_discard(NULL));
    assert_refused(sotto_learner_encode(NULL, f->bytes, FRAME_BYTES));
    assert_refused(sotto_learner_encode(f->learner, NULL, FRAME_BYTES));
    sotto_report empty = *f->report;
    empty.value = NULL;
    assert_refused(sotto_tally_fold(f->tally, &empty));
    assert_refused(sotto_learner_take(f->learner, &empty));
    assert_refused(sotto_learner_check(f->learner, &empty));
    assert_ints(sotto_tally_count(f->tally), 0, sotto_learner_taken(f->learner), 0);
    assert_ok(sotto_tally_fold(f->tally, f->report));
}

TEST_WITH(counts_and_sizes_are_zero_and_pointers_null, set_up, tear_down)
{
    fixture *f = *state;
    uint32_t count = 7;
    assert_ints(sotto_tally_count(NULL), 0, sotto_tally_arm_count(NULL, 0), 0,
                sotto_tally_bytes(NULL), 0, sotto_learner_taken(NULL), 0,
                sotto_learner_wanted(NULL), 0);
    sotto_unpublished none = sotto_learner_unpublished(NULL);
    assert_ints(none.learn + none.control + none.follow, 0, none.control_sum + none.follow_sum, 0,
                sotto_learner_repairs(NULL), 0);
    assert_true(isinf(sotto_learner_age(NULL)));
    assert_int_equal(sotto_learner_bytes(NULL), 0);
    assert_null(sotto_learner_model(NULL));
    assert_null(sotto_tally_sums(NULL, &count));
    assert_int_equal(count, 0); /* as many numbers as there are */
    assert_null(sotto_tally_sums(f->tally, NULL));
    f->mean[0] = 7;
    sotto_tally_mean(NULL, f->mean);
    sotto_tally_mean(f->tally, NULL);
    assert_true(f->mean[0] == 7);
}

TEST_WITH(a_fault_function_never_finds_a_missing_pointer_good, set_up, tear_down)
{
    fixture *f = *state;
    sotto_fault fault;
    assert_ok(sotto_learning_fault(&f->terms, &f->learning, NULL));
    assert_refused(sotto_learning_fault(NULL, &f->learning, &fault));
    assert_refused(sotto_learning_fault(&f->terms, NULL, &fault));
    assert_refused(sotto_learner_bytes_fault(NULL, f->bytes, FRAME_BYTES, &fault));
    assert_refused(sotto_learner_bytes_fault(&f->terms, NULL, FRAME_BYTES, &fault));
    assert_status(sotto_learner_bytes_fault(&f->terms, f->bytes, FRAME_BYTES, NULL), SOTTO_E_FRAME);
}

TEST_WITH(defaults_of_no_terms_cannot_be_used, set_up, tear_down)
{
    fixture *f = *state;
    sotto_learning none = sotto_learning_default(NULL, 1000);
    assert_int_equal(sotto_learning_mean_phase(NULL, 1000), 0);
    assert_status(sotto_learning_fault(&f->terms, &none, NULL), SOTTO_E_FAULT);
}

TEST_WITH(a_crowd_of_terms_that_are_missing_hides_nobody, set_up, tear_down)
{
    fixture *f = *state;
    double epsilon;
    assert_false(sotto_shuffle_applies(NULL));
    assert_non_null(sotto_shuffle_text(NULL));
    assert_refused(sotto_shuffle_delta(NULL, 100, 0.5, &epsilon));
    assert_refused(sotto_shuffle_delta(&f->terms, 100, 0.5, NULL));
    assert_refused(sotto_shuffle_epsilon(NULL, 100, 1e-6, &epsilon));
    assert_refused(sotto_shuffle_epsilon(&f->terms, 100, 1e-6, NULL));
}
