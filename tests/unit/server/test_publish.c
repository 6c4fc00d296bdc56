/* Publishing: what the estimator is given, when the phases change, what becomes of late reports. */
#include "core/method.h"
#include "kinds.h"
#include "reports.h"
#include "server/estimator_gloc.h"
#include "server/estimator_table.h"
#include "server/learner.h"
#include "test.h"

#include <math.h>
#include <string.h>

#define GLOC_KINDS (KINDS + 2) /* every kind, and ldp-gloc with either kind of parameters */

static sotto_terms resolved_late(int k, uint32_t lag)
{
    bool gloc = k >= KINDS;
    sotto_spec spec = resolved_of(!gloc ? (kind)k : k == KINDS ? TICKS : PER_ARM_TICKS).spec;
    if (gloc) spec.method = SOTTO_METHOD_LDP_GLOC, spec.score = SOTTO_SCORE_GLOC_PAIR;
    spec.epoch_lag_max = lag;
    sotto_terms terms;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    return terms;
}

static sotto_learner *new_learner(const sotto_terms *terms, uint64_t warm_up)
{
    sotto_learning learning = sotto_learning_default(terms, 1000);
    learning.warm_up = warm_up;
    sotto_learner *learner;
    assert_ok(sotto_learner_new(terms, &learning, &learner));
    return learner;
}

/* Reports of one epoch, summed by a tally of the test's own. */
typedef struct epoch {
    sotto_tally *tally;
    double theta_h[ARMS * DIM];
} epoch;

static epoch new_epoch(const sotto_learner *learner, uint32_t number)
{
    const sotto_model *model = learner->model;
    epoch e = {NULL, {0}};
    sotto_phase phase = number < model->epoch ? SOTTO_PHASE_WARM_UP : model->phase;
    if (learner->learning.warm_up == 0) phase = SOTTO_PHASE_MAIN;
    assert_ok(sotto__tally_new(&learner->terms, number, phase, false, &e.tally));
    if (model->theta_h != NULL) {
        memcpy(e.theta_h, model->theta_h,
               sotto__parameter_count(&learner->terms.spec) * sizeof(double));
    }
    return e;
}

static void send(sotto_learner *learner, epoch *e, int count, tape *random)
{
    for (int i = 0; i < count; i++) {
        sotto_report *report =
            random_report(&learner->terms, e->tally->epoch, e->tally->phase, random);
        assert_ok(sotto_learner_take(learner, report));
        assert_ok(sotto_tally_fold(e->tally, report));
        sotto_report_free(report);
    }
}

#define SUMS_MAX 27

/* What publish should hand to the estimator for these epochs, which are all of one phase. */
static void absorb_by_hand(sotto__estimator *estimator, epoch *const *epochs, int epochs_count,
                           sotto_model *model)
{
    const sotto_terms *terms = estimator->terms;
    double unit =
        sotto_terms_reports_indices(terms) ? ldexp(1, -30) : ldexp(1, terms->lattice.grid_log2);
    double sum[SUMS_MAX] = {0}, predicted[ARMS * DIM] = {0};
    uint64_t arm_count[ARMS] = {0}, count = 0;
    for (int e = 0; e < epochs_count; e++) {
        uint32_t sums_count;
        const int64_t *sums = sotto_tally_sums(epochs[e]->tally, &sums_count);
        double own[SUMS_MAX];
        for (uint32_t i = 0; i < sums_count; i++) {
            own[i] = unit * (double)sums[i];
            sum[i] += own[i];
        }
        if (model->theta_h != NULL) {
            sotto__gloc_predicted(terms, own, epochs[e]->theta_h, predicted);
        }
        for (uint32_t arm = 0; arm < ARMS; arm++) {
            arm_count[arm] += sotto_tally_arm_count(epochs[e]->tally, arm);
        }
        count += sotto_tally_count(epochs[e]->tally);
    }
    bool shared = terms->spec.parameters == SOTTO_PARAMETERS_SHARED;
    sotto__batch batch = {.phase = epochs[0]->tally->phase,
                          .count = count,
                          .arm_count = shared ? NULL : arm_count,
                          .sum = sum,
                          .predicted = model->theta_h == NULL ? NULL : predicted};
    estimator->absorb(estimator, &batch, model);
    model->reports += count;
}

static void assert_same_estimates(const sotto_terms *terms, const sotto_model *got,
                                  const sotto_model *wanted)
{
    uint32_t count = sotto__parameter_count(&terms->spec);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(got->theta[i] == wanted->theta[i]);
        if (got->tbar != NULL) assert_true(got->tbar[i] == wanted->tbar[i]);
        if (got->theta_h != NULL) assert_true(got->theta_h[i] == wanted->theta_h[i]);
    }
    assert_true(got->beta == wanted->beta);
    assert_int_equal(got->reports, wanted->reports);
}

/* Two epochs on time; then one with late reports of both before it, each with its own theta_h; then
 * one that takes the place of the first. */
static void all_open_tallies_make_one_batch(void **state)
{
    (void)state;
    for (int k = 0; k < GLOC_KINDS; k++) {
        tape random = tape_seeded(70 + (uint64_t)k);
        sotto_terms terms = resolved_late(k, 2);
        sotto_learner *learner = new_learner(&terms, 0);
        sotto__estimator *estimator;
        sotto_model *model;
        sotto_learning learning = learner->learning;
        assert_ok(sotto__estimator_new(&terms, &learning, &estimator));
        assert_ok(sotto_model_new(&terms, &model));

        epoch first = new_epoch(learner, 0);
        send(learner, &first, 5, &random);
        assert_ok(sotto_learner_publish(learner));
        absorb_by_hand(estimator, (epoch *[]){&first}, 1, model);
        assert_same_estimates(&terms, learner->model, model);

        epoch second = new_epoch(learner, 1);
        send(learner, &second, 4, &random);
        assert_ok(sotto_learner_publish(learner));
        absorb_by_hand(estimator, (epoch *[]){&second}, 1, model);
        assert_same_estimates(&terms, learner->model, model);

        epoch third = new_epoch(learner, 2);
        sotto__tally_begin(first.tally, 0, SOTTO_PHASE_MAIN, false);
        sotto__tally_begin(second.tally, 1, SOTTO_PHASE_MAIN, false);
        send(learner, &first, 2, &random);
        send(learner, &third, 6, &random);
        send(learner, &second, 3, &random);
        assert_int_equal(sotto_learner_taken(learner), 11);
        assert_ok(sotto_learner_publish(learner));
        absorb_by_hand(estimator, (epoch *[]){&first, &second, &third}, 3, model);
        assert_same_estimates(&terms, learner->model, model);
        assert_int_equal(learner->model->reports, 20);

        epoch fourth = new_epoch(learner, 3);
        send(learner, &fourth, 4, &random);
        assert_ok(sotto_learner_publish(learner));
        absorb_by_hand(estimator, (epoch *[]){&fourth}, 1, model);
        assert_same_estimates(&terms, learner->model, model);

        sotto_tally_free(first.tally);
        sotto_tally_free(second.tally);
        sotto_tally_free(third.tally);
        sotto_tally_free(fourth.tally);
        sotto_model_free(model);
        sotto__estimator_free(estimator);
        sotto_learner_free(learner);
    }
}

/* Late reports of the warm-up are absorbed by its rule: with others of it, or before those of the
 * main phase. */
static void late_warm_up_reports_keep_their_phase(void **state)
{
    (void)state;
    const kind kinds[] = {SIGNS, TAGS, JOINT, SPLIT, PER_ARM_TICKS};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        tape random = tape_seeded(90 + k);
        sotto_terms terms = resolved_late((int)kinds[k], 1);
        sotto_learner *learner = new_learner(&terms, 12);
        sotto__estimator *estimator;
        sotto_model *model;
        sotto_learning learning = learner->learning;
        assert_ok(sotto__estimator_new(&terms, &learning, &estimator));
        assert_ok(sotto_model_new(&terms, &model));

        epoch first = new_epoch(learner, 0);
        send(learner, &first, 6, &random);
        assert_ok(sotto_learner_publish(learner));
        absorb_by_hand(estimator, (epoch *[]){&first}, 1, model);
        assert_int_equal(learner->model->phase, SOTTO_PHASE_WARM_UP);

        epoch warm_up = new_epoch(learner, 1);
        sotto__tally_begin(first.tally, 0, SOTTO_PHASE_WARM_UP, false);
        send(learner, &warm_up, 4, &random);
        send(learner, &first, 3, &random);
        assert_ok(sotto_learner_publish(learner));
        absorb_by_hand(estimator, (epoch *[]){&first, &warm_up}, 2, model);
        assert_same_estimates(&terms, learner->model, model);
        assert_int_equal(learner->model->phase, SOTTO_PHASE_MAIN);

        epoch main_phase = new_epoch(learner, 2);
        sotto__tally_begin(warm_up.tally, 1, SOTTO_PHASE_WARM_UP, false);
        send(learner, &main_phase, 7, &random);
        send(learner, &warm_up, 2, &random);
        assert_ok(sotto_learner_publish(learner));
        absorb_by_hand(estimator, (epoch *[]){&warm_up}, 1, model);
        absorb_by_hand(estimator, (epoch *[]){&main_phase}, 1, model);
        assert_same_estimates(&terms, learner->model, model);

        sotto_tally_free(first.tally);
        sotto_tally_free(warm_up.tally);
        sotto_tally_free(main_phase.tally);
        sotto_model_free(model);
        sotto__estimator_free(estimator);
        sotto_learner_free(learner);
    }
}

static void warm_up_ends_with_a_frozen_estimate(void **state)
{
    (void)state;
    const kind kinds[] = {JOINT, SPLIT, PER_ARM_TICKS};
    for (size_t k = 0; k < 3; k++) {
        tape random = tape_seeded(110 + k);
        sotto_spec spec = resolved_of(kinds[k]).spec;
        spec.context_norm_max = 2;
        sotto_terms terms;
        assert_ok(sotto_spec_resolve(&spec, &terms));
        sotto_learner *learner = new_learner(&terms, 30);
        epoch e = {NULL, {0}};
        for (uint32_t i = 0; i < 30; i++) {
            const sotto_model *model = sotto_learner_model(learner);
            assert_int_equal(model->phase, SOTTO_PHASE_WARM_UP);
            assert_true(isinf(model->elimination));
            assert_int_equal(sotto_learner_wanted(learner), 1);
            e = new_epoch(learner, i);
            send(learner, &e, 1, &random);
            assert_ok(sotto_learner_publish(learner));
            sotto_tally_free(e.tally);
        }
        const sotto_model *model = sotto_learner_model(learner);
        assert_int_equal(model->phase, SOTTO_PHASE_MAIN);
        assert_memory_equal(model->frozen, model->theta, ARMS * DIM * sizeof(double));
        double error = learner->estimator->predict_error(learner->estimator);
        assert_true(error > 0);
        assert_true(model->elimination == 4 * 2 * error);

        double frozen[ARMS * DIM];
        memcpy(frozen, model->frozen, sizeof frozen);
        e = new_epoch(learner, 30);
        send(learner, &e, 1, &random);
        assert_ok(sotto_learner_publish(learner));
        assert_memory_equal(model->frozen, frozen, sizeof frozen);
        assert_memory_not_equal(model->theta, frozen, sizeof frozen);
        sotto_tally_free(e.tally);
        sotto_learner_free(learner);
    }
}

static void an_empty_epoch_changes_only_its_number(void **state)
{
    (void)state;
    for (int k = 0; k < GLOC_KINDS; k++) {
        tape random = tape_seeded(130 + (uint64_t)k);
        sotto_terms terms = resolved_late(k, 0);
        sotto_learner *learner = new_learner(&terms, 0);
        epoch e = new_epoch(learner, 0);
        send(learner, &e, 9, &random);
        assert_ok(sotto_learner_publish(learner));
        sotto_model *before;
        assert_ok(sotto_model_new(&terms, &before));
        assert_ok(sotto_model_copy(&terms, learner->model, before));
        assert_ok(sotto_learner_publish(learner));
        assert_same_estimates(&terms, learner->model, before);
        assert_int_equal(learner->model->epoch, 2);
        sotto_model_free(before);
        sotto_tally_free(e.tally);
        sotto_learner_free(learner);
    }
}

static void the_next_size_follows_from_what_was_folded(void **state)
{
    (void)state;
    tape random = tape_seeded(150);
    sotto_terms terms = resolved_of(SHARED);
    sotto_learning learning = sotto_learning_default(&terms, 0);
    learning.epoch = 0;
    sotto_learner *learner;
    assert_ok(sotto_learner_new(&terms, &learning, &learner));
    assert_int_equal(sotto_learner_wanted(learner), 1);
    epoch e = new_epoch(learner, 0);
    send(learner, &e, 50, &random);
    assert_ok(sotto_learner_publish(learner));
    assert_int_equal(sotto_learner_wanted(learner),
                     (int)fmin(10, 0.25 * terms.codebook[1].scale * sqrt(50)));
    sotto_tally_free(e.tally);
    sotto_learner_free(learner);
}

static void the_last_epoch_is_not_published(void **state)
{
    (void)state;
    sotto_terms terms = resolved_of(SHARED);
    sotto_learner *learner = new_learner(&terms, 0);
    learner->model->epoch = UINT32_MAX;
    assert_status(sotto_learner_publish(learner), SOTTO_E_EPOCH);
    assert_status(sotto_learner_publish(NULL), SOTTO_E_ARGUMENT);
    sotto_learner_free(learner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_open_tallies_make_one_batch),
        cmocka_unit_test(late_warm_up_reports_keep_their_phase),
        cmocka_unit_test(warm_up_ends_with_a_frozen_estimate),
        cmocka_unit_test(an_empty_epoch_changes_only_its_number),
        cmocka_unit_test(the_next_size_follows_from_what_was_folded),
        cmocka_unit_test(the_last_epoch_is_not_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
