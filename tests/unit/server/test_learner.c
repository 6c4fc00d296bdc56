/* A learner takes reports of open epochs, and of no other. */
#include "kinds.h"
#include "learners.h"
#include "made.h"
#include "reports.h"
#include "server/server.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define MODEL_BYTES_MAX 4096

static sotto_learner *new_learner(kind k, uint32_t lag, uint64_t warm_up)
{
    sotto_spec spec = resolved_of(k).spec;
    spec.epoch_lag_max = lag;
    sotto_terms terms = resolved(&spec);
    sotto_learning learning = sotto_learning_default(&terms, 1000);
    learning.warm_up = warm_up;
    return made_learner(&terms, &learning);
}

TEST(bad_settings_and_weak_terms_are_refused)
{
    sotto_terms terms = resolved_of(SHARED);
    sotto_learning learning = sotto_learning_default(&terms, 10);
    sotto_learner *learner = (sotto_learner *)&terms;
    learning.alpha = 2;
    assert_status(sotto_learner_new(&terms, &learning, &learner), SOTTO_E_FAULT);
    assert_null(learner);
    learning.alpha = 0.1;
    terms.codebook[1].weight_top *= 2;
    assert_status(sotto_learner_new(&terms, &learning, &learner), SOTTO_E_WEAK);
}

static sotto_status take(sotto_learner *learner, uint32_t epoch, tape *random)
{
    OWN(sotto_report) report = random_report(&learner->terms, epoch, SOTTO_PHASE_MAIN, random);
    sotto_status status = sotto_learner_take(learner, report);
    return status;
}

TEST(only_open_epochs_are_taken)
{
    tape random = tape_seeded(1);
    sotto_learner *learner = new_learner(SHARED, 2, 0);
    assert_status(take(learner, 1, &random), SOTTO_E_EPOCH);
    assert_int_equal(sotto_learner_taken(learner), 0);
    for (uint32_t epoch = 0; epoch < 5; epoch++) {
        assert_ok(take(learner, epoch, &random));
        assert_ok(sotto_learner_publish(learner));
    }
    assert_int_equal(sotto_learner_model(learner)->epoch, 5);
    assert_status(take(learner, 0, &random), SOTTO_E_EPOCH);
    assert_status(take(learner, 2, &random), SOTTO_E_EPOCH);
    assert_status(take(learner, 6, &random), SOTTO_E_EPOCH);
    assert_status(take(learner, UINT32_MAX, &random), SOTTO_E_EPOCH);
    assert_int_equal(sotto_learner_taken(learner), 0);
    for (uint32_t epoch = 3; epoch < 6; epoch++) {
        assert_ok(take(learner, epoch, &random));
    }
    assert_int_equal(sotto_learner_taken(learner), 3);
    assert_ok(sotto_learner_publish(learner));
    assert_ints(sotto_learner_taken(learner), 0, sotto_learner_model(learner)->reports, 8);
}

TEST(a_refused_report_changes_nothing)
{
    tape random = tape_seeded(2);
    sotto_learner *learner = new_learner(SHARED, 0, 0);
    OWN(sotto_report) report = random_report(&learner->terms, 0, SOTTO_PHASE_MAIN, &random);
    report->value[0] = (int32_t)learner->terms.codebook[SOTTO_PHASE_MAIN].size;
    assert_status(sotto_learner_take(learner, report), SOTTO_E_INDEX);
    report->value[0] = 0;
    report->spec_id[3] ^= 1;
    assert_status(sotto_learner_take(learner, report), SOTTO_E_SPEC);
    assert_int_equal(sotto_learner_taken(learner), 0);
}

/* A report of any epoch near the current one, often with a value that is not allowed. */
static sotto_report *any_report(const sotto_learner *learner, tape *random)
{
    sotto_report *report = report_for(learner, random);
    uint8_t byte[3];
    assert_ok(random->rng.fill(&random->rng, byte, sizeof byte));
    if (byte[0] < 40) report->epoch += byte[1] % 4;
    if (byte[0] > 200) report->value[0] = byte[1] % 2 == 0 ? INT32_MAX : (int32_t)byte[2];
    if (byte[0] == 100) report->spec_id[0] ^= 1;
    if (byte[0] == 101) report->count++;
    return report;
}

/* What was taken since the last publish, counted report by report. */
static void count(sotto_unpublished *sum, const sotto_learner *learner, const sotto_report *report)
{
    OWN(sotto_tally) tally = NULL;
    const sotto_tally *of = learner->open[report->epoch % learner->open_count].tally;
    int64_t follow_sum, control_sum = 0;
    assert_ok(sotto__tally_new(&learner->terms, of->epoch, of->phase, of->decides, &tally));
    assert_ok(sotto_tally_fold(tally, report));
    sum->learn += sotto_tally_count(tally);
    sum->follow += sotto_tally_measured(tally, SOTTO_ROLE_FOLLOW, 0, &follow_sum);
    sum->follow_sum += follow_sum;
    for (uint32_t k = 0; k < learner->terms.spec.arms; k++) {
        sum->control += sotto_tally_measured(tally, SOTTO_ROLE_CONTROL, k, &control_sum);
        sum->control_sum += control_sum;
    }
}

static bool unpublished_are_same(const sotto_unpublished *a, const sotto_unpublished *b)
{
    return a->learn == b->learn && a->control == b->control && a->follow == b->follow &&
           a->control_sum == b->control_sum && a->follow_sum == b->follow_sum;
}

TEST(a_check_answers_as_taking_does_and_unpublished_reports_add_up)
{
    uint32_t taken = 0, refused = 0, followed = 0;
    for (uint32_t number = 0; number < LEARNER_CASES; number += 7) {
        sotto_terms terms;
        sotto_learning learning;
        if (!learner_case(number, &terms, &learning)) continue;
        OWN(sotto_learner) learner = learner_of_case(number), *checked = learner_of_case(number);
        tape random = tape_seeded(900 + number);
        sotto_unpublished wanted = {0};
        for (int i = 0; i < 120; i++) {
            sotto_report *report = any_report(learner, &random);
            sotto_status status = sotto_learner_check(checked, report);
            assert_true(learners_have_same_bytes(learner, checked));
            assert_status(sotto_learner_take(learner, report), status);
            assert_status(sotto_learner_take(checked, report), status);
            if (status == SOTTO_OK) count(&wanted, learner, report);
            taken += status == SOTTO_OK;
            refused += status != SOTTO_OK;
            sotto_unpublished got = sotto_learner_unpublished(learner);
            assert_true(unpublished_are_same(&got, &wanted));
            assert_int_equal(got.learn, sotto_learner_taken(learner));
            followed += got.follow > 0;
            sotto_report_free(report);
            if (i % 25 != 24) continue;
            assert_ok(sotto_learner_publish(learner));
            assert_ok(sotto_learner_publish(checked));
            wanted = (sotto_unpublished){0};
        }
    }
    assert_true(taken > 2000 && refused > 500 && followed > 100);
}

static size_t model_bytes(const sotto_learner *learner, uint8_t *bytes)
{
    size_t count = sotto_model_bytes(&learner->terms);
    assert_true(count <= MODEL_BYTES_MAX);
    assert_ok(sotto_model_encode(&learner->terms, learner->model, bytes, count));
    return count;
}

/* The same reports in another order, or as a tally from elsewhere, give the same model, to the
 * bit. */
TEST(order_and_place_of_folding_do_not_matter)
{
    enum { REPORTS = 40 };
    for (kind k = 0; k < KINDS; k++) {
        tape random = tape_seeded(30 + k);
        sotto_learner *forward = new_learner(k, 0, 0), *backward = new_learner(k, 0, 0);
        sotto_learner *merged = new_learner(k, 0, 0);
        sotto_report *report[REPORTS];
        OWN(sotto_tally) tally = NULL;
        assert_ok(sotto__tally_new(&forward->terms, 0, SOTTO_PHASE_MAIN, false, &tally));
        for (int i = 0; i < REPORTS; i++) {
            report[i] = random_report(&forward->terms, 0, SOTTO_PHASE_MAIN, &random);
            assert_ok(sotto_learner_take(forward, report[i]));
            assert_ok(sotto_tally_fold(tally, report[i]));
        }
        for (int i = REPORTS; i-- > 0;) {
            assert_ok(sotto_learner_take(backward, report[i]));
            sotto_report_free(report[i]);
        }
        assert_ok(sotto_learner_merge(merged, tally));
        assert_int_equal(sotto_learner_taken(merged), REPORTS);
        sotto_learner *learner[] = {forward, backward, merged};
        uint8_t first[MODEL_BYTES_MAX], other[MODEL_BYTES_MAX];
        for (int i = 0; i < 3; i++) {
            assert_ok(sotto_learner_publish(learner[i]));
            size_t count = model_bytes(learner[i], i == 0 ? first : other);
            if (i > 0) assert_memory_equal(first, other, count);
        }
    }
}

/* Documented, not wanted: whoever receives reports drops repeated nonces before this. */
TEST(a_report_taken_twice_counts_twice)
{
    for (kind k = 0; k < KINDS; k++) {
        tape random = tape_seeded(60 + k);
        sotto_learner *taken = new_learner(k, 0, 0), *merged = new_learner(k, 0, 0);
        OWN(sotto_report) report = random_report(&taken->terms, 0, SOTTO_PHASE_MAIN, &random);
        sotto_tally *one, *two;
        assert_ok(sotto__tally_new(&taken->terms, 0, SOTTO_PHASE_MAIN, false, &one));
        assert_ok(sotto__tally_new(&taken->terms, 0, SOTTO_PHASE_MAIN, false, &two));
        assert_ok(sotto_tally_fold(one, report));
        for (int i = 0; i < 2; i++) {
            assert_ok(sotto_learner_take(taken, report));
            assert_ok(sotto_tally_merge(two, one));
        }
        assert_int_equal(sotto_learner_taken(taken), 2);
        assert_ok(sotto_learner_merge(merged, two));
        assert_ok(sotto_learner_publish(taken));
        assert_ok(sotto_learner_publish(merged));
        uint8_t model[2][MODEL_BYTES_MAX];
        size_t count = model_bytes(taken, model[0]);
        assert_int_equal(model_bytes(merged, model[1]), count);
        assert_memory_equal(model[0], model[1], count);
        assert_int_equal(sotto_learner_model(taken)->reports, 2);
        sotto_tally_free(one);
        sotto_tally_free(two);
    }
}

TEST(a_tally_of_another_epoch_or_phase_is_not_merged)
{
    sotto_learner *learner = new_learner(SIGNS, 0, 10);
    sotto_tally *tally;
    assert_ok(sotto__tally_new(&learner->terms, 1, SOTTO_PHASE_WARM_UP, false, &tally));
    assert_status(sotto_learner_merge(learner, tally), SOTTO_E_EPOCH);
    sotto_tally_free(tally);
    assert_ok(sotto__tally_new(&learner->terms, 0, SOTTO_PHASE_MAIN, false, &tally));
    assert_status(sotto_learner_merge(learner, tally), SOTTO_E_PHASE);
    sotto_tally_free(tally);
}

TEST(the_first_model_is_empty_and_in_the_right_phase)
{
    sotto_learner *shared = new_learner(SHARED, 0, 0), *cold = new_learner(SIGNS, 0, 10);
    sotto_learner *warm = new_learner(SIGNS, 0, 0), *brief = new_learner(SIGNS, 0, 1);
    assert_ints(sotto_learner_model(shared)->phase, SOTTO_PHASE_MAIN,
                sotto_learner_model(cold)->phase, SOTTO_PHASE_WARM_UP,
                sotto_learner_model(warm)->phase, SOTTO_PHASE_MAIN,
                sotto_learner_model(brief)->phase, SOTTO_PHASE_WARM_UP,
                sotto_learner_model(cold)->reports, 0, sotto_learner_wanted(cold), 1);
    assert_int_equal(sotto_learner_repairs(cold), 0);
    for (int i = 0; i < ARMS * DIM; i++) {
        assert_true(sotto_learner_model(cold)->theta[i] == 0);
    }
}

/* Late reports of best-arm count for the arms that their own epoch gave out. */
TEST(an_open_epoch_keeps_its_shares)
{
    tape random = tape_seeded(12);
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    spec.method = SOTTO_METHOD_BEST_ARM, spec.score = SOTTO_SCORE_REWARD;
    spec.dim = DIM, spec.arms = 2, spec.epoch_lag_max = 1;
    sotto_terms terms = resolved(&spec);
    sotto_learning learning = sotto_learning_default(&terms, 1000);
    sotto_learner *learner = made_learner(&terms, &learning);
    for (uint32_t i = 0; i < 9; i++) {
        assert_ok(take(learner, 0, &random));
    }
    assert_ok(sotto_learner_publish(learner));
    assert_int_not_equal(learner->model->shares[0], 1u << 31);
    assert_int_equal(learner->open[0].tally->shares[0], 1u << 31);
    assert_int_equal(learner->open[1].tally->shares[0], learner->model->shares[0]);
}
