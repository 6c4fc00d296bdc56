/* Publishing: what the estimator is given, when the phases change, what becomes of late reports. */
#include "batches.h"
#include "core/core.h"
#include "kinds.h"
#include "made.h"
#include "reports.h"
#include "server/server.h"
#include "test.h"

#include <math.h>
#include <string.h>

/* Every kind, ldp-gloc with either kind of parameters, and reports with nulls. */
#define GLOC_KINDS (KINDS + 2)
#define ALL_KINDS (GLOC_KINDS + 1)

static sotto_terms resolved_late(int k, uint32_t lag)
{
    bool gloc = k >= KINDS && k < GLOC_KINDS;
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    spec.dim = DIM, spec.arms = ARMS, spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    if (k < GLOC_KINDS) {
        spec = resolved_of(!gloc ? (kind)k : k == KINDS ? TICKS : PER_ARM_TICKS).spec;
    }
    if (gloc) spec.method = SOTTO_METHOD_LDP_GLOC, spec.score = SOTTO_SCORE_GLOC_PAIR;
    spec.epoch_lag_max = lag;
    return resolved(&spec);
}

static sotto_learner *new_learner(const sotto_terms *terms, uint64_t warm_up)
{
    sotto_learning learning = sotto_learning_default(terms, 1000);
    learning.warm_up = warm_up;
    return made_learner(terms, &learning);
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
    e.tally = made_tally(&learner->terms, number, phase, false);
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
        const sotto_codebook *codebook = &learner->terms.codebook[e->tally->phase];
        if (codebook->nulls > 0 && i % 3 > 0) report->value[0] = (int32_t)codebook->size; /* null */
        assert_ok(sotto_learner_take(learner, report));
        assert_ok(sotto_tally_fold(e->tally, report));
        sotto_report_free(report);
    }
}

#define SUMS_MAX 27

/* What publish at the end of an epoch should hand to the estimator for these epochs, which are all of one
 * phase. */
static void absorb_by_hand(sotto__estimator *estimator, epoch *const *epochs, int epochs_count,
                           uint32_t current, sotto_model *model)
{
    const sotto_terms *terms = estimator->terms;
    double unit =
        sotto_terms_reports_indices(terms) ? ldexp(1, -30) : ldexp(1, terms->lattice.grid_log2);
    double sum[SUMS_MAX] = {0}, predicted[ARMS * DIM] = {0};
    uint64_t arm_count[ARMS] = {0}, count = 0, heard = 0, late = 0;
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
        heard += sotto_tally_heard(epochs[e]->tally);
        late += (current - epochs[e]->tally->epoch) * sotto_tally_count(epochs[e]->tally);
    }
    bool shared = terms->spec.parameters == SOTTO_PARAMETERS_SHARED;
    sotto__batch batch = {.phase = epochs[0]->tally->phase,
                          .count = count,
                          .heard = heard,
                          .late = late,
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
TEST(all_open_tallies_make_one_batch)
{
    for (int k = 0; k < ALL_KINDS; k++) {
        tape random = tape_seeded(70 + (uint64_t)k);
        sotto_terms terms = resolved_late(k, 2);
        sotto_learner *learner = new_learner(&terms, 0);
        subject *s = subject_new(&terms.spec, &learner->learning);

        epoch first = new_epoch(learner, 0);
        send(learner, &first, 5, &random);
        assert_ok(sotto_learner_publish(learner));
        absorb_by_hand(s->estimator, (epoch *[]){&first}, 1, 0, s->model);
        assert_same_estimates(&terms, learner->model, s->model);

        epoch second = new_epoch(learner, 1);
        send(learner, &second, 4, &random);
        assert_ok(sotto_learner_publish(learner));
        absorb_by_hand(s->estimator, (epoch *[]){&second}, 1, 1, s->model);
        assert_same_estimates(&terms, learner->model, s->model);

        epoch third = new_epoch(learner, 2);
        sotto__tally_begin(first.tally, 0, SOTTO_PHASE_MAIN, false);
        sotto__tally_begin(second.tally, 1, SOTTO_PHASE_MAIN, false);
        send(learner, &first, 2, &random);
        send(learner, &third, 6, &random);
        send(learner, &second, 3, &random);
        assert_int_equal(sotto_learner_taken(learner), 11);
        assert_near(sotto_learner_age(learner), (2 * 2 + 3 * 1) / 11.0, 1e-15);
        assert_ok(sotto_learner_publish(learner));
        absorb_by_hand(s->estimator, (epoch *[]){&first, &second, &third}, 3, 2, s->model);
        assert_same_estimates(&terms, learner->model, s->model);
        assert_int_equal(learner->model->reports, 20);
        assert_true(sotto_learner_age(learner) == 0);

        epoch fourth = new_epoch(learner, 3);
        send(learner, &fourth, 4, &random);
        assert_ok(sotto_learner_publish(learner));
        absorb_by_hand(s->estimator, (epoch *[]){&fourth}, 1, 3, s->model);
        assert_same_estimates(&terms, learner->model, s->model);
    }
}

/* Late reports of the warm-up are absorbed by its rule: with others of it, or before those of the
 * main phase. */
TEST(late_warm_up_reports_keep_their_phase)
{
    const kind kinds[] = {SIGNS, TAGS, JOINT, SPLIT, PER_ARM_TICKS};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        tape random = tape_seeded(90 + k);
        sotto_terms terms = resolved_late((int)kinds[k], 1);
        sotto_learner *learner = new_learner(&terms, 12);
        subject *s = subject_new(&terms.spec, &learner->learning);

        epoch first = new_epoch(learner, 0);
        send(learner, &first, 6, &random);
        assert_ok(sotto_learner_publish(learner));
        absorb_by_hand(s->estimator, (epoch *[]){&first}, 1, 0, s->model);
        assert_int_equal(learner->model->phase, SOTTO_PHASE_WARM_UP);

        epoch warm_up = new_epoch(learner, 1);
        sotto__tally_begin(first.tally, 0, SOTTO_PHASE_WARM_UP, false);
        send(learner, &warm_up, 4, &random);
        send(learner, &first, 3, &random);
        assert_ok(sotto_learner_publish(learner));
        absorb_by_hand(s->estimator, (epoch *[]){&first, &warm_up}, 2, 1, s->model);
        assert_same_estimates(&terms, learner->model, s->model);
        assert_int_equal(learner->model->phase, SOTTO_PHASE_MAIN);

        epoch main_phase = new_epoch(learner, 2);
        sotto__tally_begin(warm_up.tally, 1, SOTTO_PHASE_WARM_UP, false);
        send(learner, &main_phase, 7, &random);
        send(learner, &warm_up, 2, &random);
        assert_ok(sotto_learner_publish(learner));
        absorb_by_hand(s->estimator, (epoch *[]){&warm_up}, 1, 2, s->model);
        absorb_by_hand(s->estimator, (epoch *[]){&main_phase}, 1, 2, s->model);
        assert_same_estimates(&terms, learner->model, s->model);
    }
}

TEST(warm_up_ends_with_a_frozen_estimate)
{
    const kind kinds[] = {JOINT, SPLIT, PER_ARM_TICKS};
    for (size_t k = 0; k < 3; k++) {
        tape random = tape_seeded(110 + k);
        sotto_spec spec = resolved_of(kinds[k]).spec;
        spec.context_norm_max = 2;
        sotto_terms terms = resolved(&spec);
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
    }
}

TEST(an_empty_epoch_changes_only_its_number)
{
    for (int k = 0; k < GLOC_KINDS; k++) {
        tape random = tape_seeded(130 + (uint64_t)k);
        sotto_terms terms = resolved_late(k, 0);
        sotto_learner *learner = new_learner(&terms, 0);
        epoch e = new_epoch(learner, 0);
        send(learner, &e, 9, &random);
        assert_ok(sotto_learner_publish(learner));
        sotto_model *before = made_model(&terms);
        assert_ok(sotto_model_copy(&terms, learner->model, before));
        assert_ok(sotto_learner_publish(learner));
        assert_same_estimates(&terms, learner->model, before);
        assert_int_equal(learner->model->epoch, 2);
    }
}

TEST(the_next_size_follows_from_what_was_folded)
{
    tape random = tape_seeded(150);
    sotto_terms terms = resolved_of(SHARED);
    sotto_learning learning = sotto_learning_default(&terms, 0);
    learning.epoch = 0;
    sotto_learner *learner = made_learner(&terms, &learning);
    assert_int_equal(sotto_learner_wanted(learner), 1);
    epoch e = new_epoch(learner, 0);
    send(learner, &e, 50, &random);
    assert_ok(sotto_learner_publish(learner));
    assert_int_equal(sotto_learner_wanted(learner),
                     (int)fmin(10, 0.25 * terms.codebook[1].scale * sqrt(50)));
}

TEST(the_last_epoch_is_not_published)
{
    sotto_terms terms = resolved_of(SHARED);
    sotto_learner *learner = new_learner(&terms, 0);
    learner->model->epoch = UINT32_MAX;
    assert_status(sotto_learner_publish(learner), SOTTO_E_EPOCH);
    assert_status(sotto_learner_publish(NULL), SOTTO_E_ARGUMENT);
}

/* ---- the mean phase ----------------------------------------------------------------------- */

static sotto_learner *new_mean_learner(uint32_t lag, uint64_t mean_phase, uint64_t warm_up)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    spec.dim = DIM, spec.arms = ARMS, spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    spec.epoch_lag_max = lag;
    sotto_terms terms = resolved(&spec);
    sotto_learning learning = sotto_learning_default(&terms, 1000);
    assert_int_equal(learning.mean_phase, 0);
    learning.mean_phase = mean_phase, learning.warm_up = warm_up, learning.epoch = 9;
    return made_learner(&terms, &learning);
}

/* Reports of an epoch whose codewords lie along the first axis; their sum goes to `sum`. */
static void send_along(sotto_learner *learner, uint32_t number, sotto_phase phase, int count,
                       tape *random, double *sum)
{
    const sotto_codebook *codebook = &learner->terms.codebook[phase];
    for (int i = 0; i < count; i++) {
        OWN(sotto_report) report = random_report(&learner->terms, number, phase, random);
        int32_t best[DIM] = {INT32_MIN}, z[DIM];
        for (uint32_t index = 0; index < codebook->size; index++) {
            assert_ok(sotto_codebook_expand(codebook, learner->terms.stream_key, report->nonce,
                                            index, 0, z));
            if (z[0] <= best[0]) continue;
            memcpy(best, z, sizeof best);
            report->value[0] = (int32_t)index;
        }
        for (uint32_t j = 0; j < DIM; j++) {
            sum[j] += ldexp(best[j], -30);
        }
        assert_ok(sotto_learner_take(learner, report));
    }
}

/* g = sqrt(.7 s) mhat/||mhat||, s = 1 - B^2/(n ||mhat||^2), mhat = (B/n) sum. */
static void assert_g(const sotto_learner *learner, const double *sum, double n)
{
    double scale = learner->terms.codebook[SOTTO_PHASE_MEAN].scale, squares = 0;
    for (uint32_t j = 0; j < DIM; j++) {
        squares += pow(scale / n * sum[j], 2);
    }
    double s = 1 - scale * scale / (n * squares);
    assert_true(s > 0.5);
    for (uint32_t j = 0; j < DIM; j++) {
        assert_near(learner->model->g[j], sqrt(0.7 * s) * scale / n * sum[j] / sqrt(squares),
                    1e-12);
    }
}

static void assert_all_zero(const double *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_true(numbers[i] == 0);
    }
}

/* 12 reports of the mean phase and 8 of the warm-up; those of the mean phase that come later are counted
 * for t, and neither for g nor for the warm-up. */
TEST(the_mean_phase_ends_with_g_and_the_warm_up_is_counted_after_it)
{
    tape random = tape_seeded(170);
    double sum[DIM] = {0}, other[DIM] = {0}, g[DIM];
    sotto_learner *learner = new_mean_learner(2, 12, 8);
    const sotto_model *model = sotto_learner_model(learner);
    assert_ints(model->phase, SOTTO_PHASE_MEAN, sotto_learner_wanted(learner), 9);
    send_along(learner, 0, SOTTO_PHASE_MEAN, 5, &random, sum);
    assert_ok(sotto_learner_publish(learner));
    assert_ints(model->phase, SOTTO_PHASE_MEAN, model->reports, 5);
    assert_all_zero(model->g, DIM);
    assert_int_equal(sotto_learner_wanted(learner), 7); /* an epoch never spans two phases */

    send_along(learner, 0, SOTTO_PHASE_MEAN, 1, &random, sum); /* late, and in time for g */
    send_along(learner, 1, SOTTO_PHASE_MEAN, 7, &random, sum);
    assert_ok(sotto_learner_publish(learner));
    assert_ints(model->phase, SOTTO_PHASE_WARM_UP, model->reports, 13);
    assert_g(learner, sum, 13);
    assert_all_zero(model->theta, ARMS * DIM);
    assert_int_equal(sotto_learner_wanted(learner), 8);

    memcpy(g, model->g, sizeof g);
    send_along(learner, 1, SOTTO_PHASE_MEAN, 6, &random, other); /* late */
    assert_ok(sotto_learner_publish(learner));
    assert_ints(model->phase, SOTTO_PHASE_WARM_UP, model->reports, 19);
    assert_memory_equal(model->g, g, sizeof g);
    assert_all_zero(model->theta, ARMS * DIM);
    assert_int_equal(sotto_learner_wanted(learner), 8);

    send_along(learner, 3, SOTTO_PHASE_WARM_UP, 3, &random, other);
    assert_ok(sotto_learner_publish(learner));
    assert_ints(model->phase, SOTTO_PHASE_WARM_UP, sotto_learner_wanted(learner), 5);
    send_along(learner, 4, SOTTO_PHASE_WARM_UP, 5, &random, other);
    assert_ok(sotto_learner_publish(learner));
    assert_ints(model->phase, SOTTO_PHASE_MAIN, model->reports, 27, sotto_learner_wanted(learner),
                9);
    assert_memory_equal(model->g, g, sizeof g);
}

TEST(the_mean_phase_ends_with_its_last_report)
{
    tape random = tape_seeded(174);
    double sum[DIM] = {0};
    sotto_learner *learner = new_mean_learner(0, 9, 5);
    send_along(learner, 0, SOTTO_PHASE_MEAN, 8, &random, sum);
    assert_ok(sotto_learner_publish(learner));
    assert_int_equal(sotto_learner_model(learner)->phase, SOTTO_PHASE_MEAN);
    send_along(learner, 1, SOTTO_PHASE_MEAN, 1, &random, sum);
    assert_ok(sotto_learner_publish(learner));
    assert_int_equal(sotto_learner_model(learner)->phase, SOTTO_PHASE_WARM_UP);
    assert_g(learner, sum, 9);
}

TEST(without_a_warm_up_the_main_phase_follows_the_mean_phase)
{
    tape random = tape_seeded(171);
    double sum[DIM] = {0};
    sotto_learner *learner = new_mean_learner(0, 10, 0);
    const sotto_model *model = sotto_learner_model(learner);
    send_along(learner, 0, SOTTO_PHASE_MEAN, 40, &random, sum); /* more than it asked for */
    assert_ok(sotto_learner_publish(learner));
    assert_int_equal(model->phase, SOTTO_PHASE_MAIN);
    assert_g(learner, sum, 40);
}

/* Control rounds carry rewards: neither t nor g knows of them. */
TEST(measure_rounds_of_the_mean_phase_do_not_count_for_it)
{
    tape random = tape_seeded(173);
    uint64_t learn = 0;
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    spec.dim = DIM, spec.arms = ARMS, spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    spec.measure = UINT32_C(1) << 31;
    sotto_terms terms = resolved(&spec);
    sotto_learning learning = sotto_learning_default(&terms, 1000);
    learning.mean_phase = 1000;
    sotto_learner *learner = made_learner(&terms, &learning);
    for (int i = 0; i < 200; i++) {
        OWN(sotto_report) report = random_report(&terms, 0, SOTTO_PHASE_MEAN, &random);
        bool control = sotto__role_of(&terms, report->nonce, false) == SOTTO_ROLE_CONTROL;
        if (control) report->value[0] %= 2;
        learn += !control;
        assert_ok(sotto_learner_take(learner, report));
    }
    assert_true(learn > 125 && learn < 175);
    assert_ok(sotto_learner_publish(learner));
    assert_ints(learner->model->reports, learn, learner->mean.reports, learn);
}

TEST(without_a_mean_phase_g_stays_zero)
{
    tape random = tape_seeded(172);
    double sum[DIM] = {0};
    sotto_learner *learner = new_mean_learner(0, 0, 6);
    const sotto_model *model = sotto_learner_model(learner);
    assert_int_equal(model->phase, SOTTO_PHASE_WARM_UP);
    send_along(learner, 0, SOTTO_PHASE_WARM_UP, 6, &random, sum);
    assert_ok(sotto_learner_publish(learner));
    assert_int_equal(model->phase, SOTTO_PHASE_MAIN);
    assert_all_zero(model->g, DIM);
}

/* ---- discarding */

TEST(nothing_is_discarded_without_a_learner_or_an_epoch)
{
    sotto_terms terms = resolved_late(SHARED, 1);
    sotto_learner *learner = new_learner(&terms, 0);
    assert_status(sotto_learner_discard(NULL), SOTTO_E_ARGUMENT);
    learner->model->epoch = UINT32_MAX;
    assert_status(sotto_learner_discard(learner), SOTTO_E_EPOCH);
}

/* Beside a learner that never got the reports, and published nothing: only the epoch differs. */
TEST(a_discard_opens_the_next_epoch_and_learns_nothing)
{
    for (int k = 0; k < ALL_KINDS; k++) {
        sotto_terms terms = resolved_late(k, 2);
        bool per_arm = terms.spec.parameters == SOTTO_PARAMETERS_PER_ARM;
        sotto_learner *learner = new_learner(&terms, per_arm ? 300 : 0);
        tape random = tape_seeded(31 + (uint64_t)k);
        for (uint32_t e = 0; e < 3; e++) {
            for (int i = 0; i < 20; i++) {
                OWN(sotto_report) report = random_report(&terms, e, learner->model->phase, &random);
                assert_ok(sotto_learner_take(learner, report));
            }
            if (e == 0) assert_ok(sotto_learner_publish(learner));
            if (e == 1) {
                uint32_t count = sotto__parameter_count(&terms.spec);
                double theta[ARMS * DIM];
                uint64_t reports = learner->model->reports;
                memcpy(theta, learner->model->theta, count * sizeof theta[0]);
                assert_ok(sotto_learner_discard(learner));
                assert_memory_equal(theta, learner->model->theta, count * sizeof theta[0]);
                assert_ints(learner->model->reports, reports, learner->model->epoch, 2,
                            sotto_learner_taken(learner), 0,
                            sotto_learner_unpublished(learner).learn, 0);
            }
        }
        assert_int_equal(sotto_learner_taken(learner), 20); /* the open epochs take reports */
    }
}
