/* A learner: how it is made and takes reports. publish.c has how it learns from them. */
#include "core/core.h"
#include "inner.h"
#include "server.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== learner ============================================================================= */

/* Doubles of two batches' sums, of predictions, of the open epochs' online estimates, of the mean. */
static size_t numbers_of(const sotto_learner *learner, uint32_t sums, uint32_t online,
                         uint32_t mean)
{
    return 2 * (size_t)sums + online + (size_t)online * learner->open_count + mean;
}

/* Codewords are summed in 2^-30ths of a unit vector, ticks in steps of the grid. */
static double unit_of(const sotto_terms *terms)
{
    return sotto__reports_indices(terms) ? 0x1p-30 : ldexp(1, terms->lattice.grid_log2);
}

static sotto_status open_epochs(sotto_learner *learner)
{
    const sotto_spec *spec = &learner->terms.spec;
    sotto_phase phase = learner->model->phase;
    for (uint32_t e = 0; e < learner->open_count; e++) {
        sotto_status status =
            sotto__tally_new(&learner->terms, e, phase, false, &learner->open[e].tally);
        if (status != SOTTO_OK) return status;
        sotto__tally_share(learner->open[e].tally, learner->model->shares);
    }
    uint32_t sums = learner->open[0].tally->sums_count;
    uint32_t online = sotto__method_of(spec)->online_estimate ? sotto__parameter_count(spec) : 0;
    uint32_t mean = learner->model->g == NULL ? 0 : spec->dim;
    learner->memory = calloc(numbers_of(learner, sums, online, mean), sizeof(double));
    if (learner->memory == NULL) return SOTTO_E_MEMORY;
    if (sotto__sums_by_arm(spec)) {
        learner->arm_count = calloc(spec->arms, sizeof learner->arm_count[0]);
        if (learner->arm_count == NULL) return SOTTO_E_MEMORY;
    }
    learner->sum = learner->memory;
    learner->epoch_sum = learner->sum + sums;
    if (mean > 0) learner->mean.sum = learner->epoch_sum + sums; /* no online estimate then */
    if (online == 0) return SOTTO_OK;
    learner->predicted = learner->epoch_sum + sums;
    for (uint32_t e = 0; e < learner->open_count; e++) {
        learner->open[e].theta_h = learner->predicted + (size_t)online * (e + 1);
    }
    return SOTTO_OK;
}

sotto_status sotto_learner_new(const sotto_terms *terms, const sotto_learning *learning,
                               sotto_learner **out)
{
    if (out == NULL) return SOTTO_E_ARGUMENT;
    *out = NULL;
    if (terms == NULL || learning == NULL) return SOTTO_E_ARGUMENT;
    sotto_status status = sotto_terms_check(terms);
    if (status != SOTTO_OK) return status;
    status = sotto_learning_fault(terms, learning, NULL);
    if (status != SOTTO_OK) return status;

    status = SOTTO_E_MEMORY;
    sotto_learner *learner = calloc(1, sizeof *learner);
    if (learner == NULL) goto cleanup;
    learner->terms = *terms;
    learner->learning = *learning;
    learner->unit = unit_of(terms);
    learner->open_count = terms->spec.epoch_lag_max + 1;
    learner->open = calloc(learner->open_count, sizeof learner->open[0]);
    learner->measures.control_arm = calloc(terms->spec.arms, sizeof(sotto__measured));
    if (learner->open == NULL || learner->measures.control_arm == NULL) goto cleanup;
    status = sotto_model_new(terms, &learner->model);
    if (status != SOTTO_OK) goto cleanup;
    status = sotto_report_new(terms, &learner->report);
    if (status != SOTTO_OK) goto cleanup;
    if (learning->warm_up == 0) learner->model->phase = SOTTO_PHASE_MAIN;
    if (learning->mean_phase > 0) learner->model->phase = SOTTO_PHASE_MEAN;
    learner->wanted = sotto__learner_wants(learner);
    status = open_epochs(learner);
    if (status != SOTTO_OK) goto cleanup;
    status = sotto__estimator_new(&learner->terms, &learner->learning, &learner->estimator);
    if (status != SOTTO_OK) goto cleanup;
    *out = learner;
    learner = NULL; /* now the caller's */
cleanup:
    sotto_learner_free(learner);
    return status;
}

void sotto_learner_free(sotto_learner *learner)
{
    if (learner == NULL) return;
    for (uint32_t e = 0; learner->open != NULL && e < learner->open_count; e++) {
        sotto_tally_free(learner->open[e].tally);
    }
    sotto__aim_free(learner->aim);
    sotto__estimator_free(learner->estimator);
    sotto_model_free(learner->model);
    sotto_report_free(learner->report);
    free(learner->open);
    free(learner->measures.control_arm);
    free(learner->memory);
    free(learner->arm_count);
    free(learner);
}

const sotto_model *sotto_learner_model(const sotto_learner *learner)
{
    return learner == NULL ? NULL : learner->model;
}

uint64_t sotto_learner_taken(const sotto_learner *learner)
{
    return learner == NULL ? 0 : learner->taken;
}

uint64_t sotto_learner_wanted(const sotto_learner *learner)
{
    return learner == NULL ? 0 : learner->wanted;
}

double sotto_learner_age(const sotto_learner *learner)
{
    if (learner == NULL) return INFINITY;
    double late = 0, learn = 0;
    for (uint32_t e = 0; e < learner->open_count; e++) {
        const sotto_tally *tally = learner->open[e].tally; /* closed epochs are empty */
        if (tally->count == 0) continue;
        late += (double)(learner->model->epoch - tally->epoch) * (double)tally->count;
        learn += (double)tally->count;
    }
    return learn == 0 ? 0 : late / learn;
}

uint64_t sotto_learner_repairs(const sotto_learner *learner)
{
    return learner == NULL ? 0 : learner->estimator->repairs;
}

uint64_t sotto__learner_phase_end(const sotto_learner *learner)
{
    switch (learner->model->phase) {
    case SOTTO_PHASE_MEAN: return learner->learning.mean_phase;
    case SOTTO_PHASE_WARM_UP: return learner->mean.reports + learner->learning.warm_up;
    case SOTTO_PHASE_MAIN:
    case SOTTO_PHASES: return 0;
    }
    return 0;
}

uint64_t sotto__learner_wants(const sotto_learner *learner)
{
    uint64_t wanted =
        sotto__epoch_reports(&learner->terms, &learner->learning, learner->model->reports,
                             sotto__learner_phase_end(learner));
    return learner->model->served == 0 ? wanted : sotto__served_reports(&learner->terms, wanted);
}

static sotto__open_epoch *open_epoch_of(const sotto_learner *learner, uint32_t epoch)
{
    uint32_t current = learner->model->epoch;
    if (epoch > current || current - epoch >= learner->open_count) return NULL;
    return &learner->open[epoch % learner->open_count];
}

sotto__open_epoch *sotto__learner_epoch(sotto_learner *learner, uint32_t epoch)
{
    return open_epoch_of(learner, epoch);
}

sotto_status sotto_learner_take(sotto_learner *learner, const sotto_report *report)
{
    if (learner == NULL || report == NULL) return SOTTO_E_ARGUMENT;
    sotto__open_epoch *open = sotto__learner_epoch(learner, report->epoch);
    if (open == NULL) return SOTTO_E_EPOCH;
    uint64_t before = sotto__learner_counted(learner, open->tally);
    sotto_status status = sotto_tally_fold(open->tally, report);
    learner->taken += sotto__learner_counted(learner, open->tally) - before;
    return status;
}

sotto_status sotto_learner_check(const sotto_learner *learner, const sotto_report *report)
{
    if (learner == NULL || report == NULL) return SOTTO_E_ARGUMENT;
    const sotto__open_epoch *open = open_epoch_of(learner, report->epoch);
    return open == NULL ? SOTTO_E_EPOCH : sotto__tally_check(open->tally, report);
}

sotto_unpublished sotto_learner_unpublished(const sotto_learner *learner)
{
    sotto_unpublished sum = {0};
    for (uint32_t e = 0; learner != NULL && e < learner->open_count; e++) {
        const sotto_tally *tally = learner->open[e].tally; /* closed epochs are empty */
        sum.learn += tally->count;
        sum.follow += tally->follow.count;
        sum.follow_sum += tally->follow.sum;
        for (uint32_t k = 0; tally->measured > 0 && k < learner->terms.spec.arms; k++) {
            sum.control += tally->control[k].count;
            sum.control_sum += tally->control[k].sum;
        }
    }
    return sum;
}

sotto_status sotto_learner_merge(sotto_learner *learner, const sotto_tally *tally)
{
    if (learner == NULL || tally == NULL) return SOTTO_E_ARGUMENT;
    sotto__open_epoch *open = sotto__learner_epoch(learner, tally->epoch);
    if (open == NULL) return SOTTO_E_EPOCH;
    sotto_status status = sotto_tally_merge(open->tally, tally);
    if (status == SOTTO_OK) learner->taken += sotto__learner_counted(learner, tally);
    return status;
}

/* ==== take frames ============================================================================ */

/* Many reports at once: consecutive frames. */

static sotto_status take_frame(sotto_learner *learner, const uint8_t *frame, size_t frame_bytes)
{
    sotto_status status = sotto_report_decode(&learner->terms, frame, frame_bytes, learner->report);
    return status == SOTTO_OK ? sotto_learner_take(learner, learner->report) : status;
}

/* Asks the learner before the set, which would otherwise keep the nonce of a refused report. */
static sotto_status take_frame_once(sotto_learner *learner, sotto_nonce_set *set,
                                    const uint8_t *frame, size_t frame_bytes, sotto_seen *seen)
{
    sotto_report *report = learner->report;
    sotto_status status = sotto_report_decode(&learner->terms, frame, frame_bytes, report);
    if (status == SOTTO_OK) status = sotto_learner_check(learner, report);
    if (status == SOTTO_OK) status = sotto_nonce_set_see(set, report, frame, frame_bytes, seen);
    if (status != SOTTO_OK || *seen != SOTTO_SEEN_NEW) return status;
    return sotto_learner_take(learner, report);
}

/* Each report once; without a set, as often as it comes. */
static sotto_status take_all(sotto_learner *learner, sotto_nonce_set *set, const uint8_t *frames,
                             size_t frames_bytes, sotto_status *status, sotto_seen *seen)
{
    size_t each = sotto_report_bytes(&learner->terms);
    if (frames_bytes % each != 0) return SOTTO_E_LENGTH;
    sotto_status first = SOTTO_OK;
    for (size_t i = 0; i < frames_bytes / each; i++) {
        const uint8_t *frame = frames + i * each;
        sotto_seen known = SOTTO_SEEN_NEW;
        sotto_status of_one = set != NULL ? take_frame_once(learner, set, frame, each, &known)
                                          : take_frame(learner, frame, each);
        if (status != NULL) status[i] = of_one;
        if (seen != NULL) seen[i] = known;
        if (first == SOTTO_OK) first = of_one;
    }
    return first;
}

sotto_status sotto_learner_take_frames(sotto_learner *learner, const uint8_t *frames,
                                       size_t frames_bytes, sotto_status *status)
{
    if (learner == NULL || frames == NULL) return SOTTO_E_ARGUMENT;
    return take_all(learner, NULL, frames, frames_bytes, status, NULL);
}

sotto_status sotto_learner_take_frames_once(sotto_learner *learner, sotto_nonce_set *set,
                                            const uint8_t *frames, size_t frames_bytes,
                                            sotto_status *status, sotto_seen *seen)
{
    if (learner == NULL || set == NULL || frames == NULL) return SOTTO_E_ARGUMENT;
    return take_all(learner, set, frames, frames_bytes, status, seen);
}

size_t sotto__learner_take_until(sotto_learner *learner, const uint8_t *frames, size_t count)
{
    size_t frame_bytes = sotto_report_bytes(&learner->terms);
    for (size_t i = 0; i < count; i++) {
        if (take_frame(learner, frames + i * frame_bytes, frame_bytes) != SOTTO_OK) return i;
    }
    return count;
}

void sotto__learner_untake(sotto_learner *learner, const uint8_t *frames, size_t count)
{
    size_t frame_bytes = sotto_report_bytes(&learner->terms);
    sotto_report *report = learner->report;
    for (size_t i = 0; i < count; i++) {
        sotto_status status =
            sotto_report_decode(&learner->terms, frames + i * frame_bytes, frame_bytes, report);
        assert(status == SOTTO_OK); /* it was taken */
        (void)status;
        sotto_tally *tally = sotto__learner_epoch(learner, report->epoch)->tally;
        uint64_t before = sotto__learner_counted(learner, tally);
        sotto__tally_unfold(tally, report);
        learner->taken -= before - sotto__learner_counted(learner, tally);
    }
}

/* ==== watch recount ========================================================================== */

/* Counting again: the reports are folded into a temporary tally, and its counts are added to the
 * learner's. */

static sotto_status fold_epoch(sotto_learner *learner, sotto_tally *scratch, const uint8_t *frames,
                               size_t count)
{
    size_t frame_bytes = sotto_report_bytes(&learner->terms);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *frame = frames + i * frame_bytes;
        if (sotto__get_u32(frame + SOTTO__REPORT_EPOCH_AT) != scratch->epoch) continue;
        sotto_status status =
            sotto_report_decode(&learner->terms, frame, frame_bytes, learner->report);
        if (status == SOTTO_OK) status = sotto_tally_fold(scratch, learner->report);
        if (status != SOTTO_OK) return status;
    }
    return SOTTO_OK;
}

static sotto_status recount_epoch(sotto_learner *learner, const sotto_tally *tally,
                                  const uint8_t *frames, size_t count)
{
    sotto_tally *scratch;
    sotto_status status =
        sotto__tally_new(&learner->terms, tally->epoch, tally->phase, tally->decides, &scratch);
    if (status != SOTTO_OK) return status;
    sotto__tally_share(scratch, tally->shares);
    status = sotto__tally_watch(scratch, learner->aim);
    if (status == SOTTO_OK) status = fold_epoch(learner, scratch, frames, count);
    if (status == SOTTO_OK) sotto__watch_add(tally->watch, scratch->watch);
    sotto_tally_free(scratch);
    return status;
}

sotto_status sotto__learner_recount(sotto_learner *learner, const uint8_t *frames,
                                    size_t frames_bytes)
{
    size_t frame_bytes = sotto_report_bytes(&learner->terms);
    uint32_t current = learner->model->epoch, lag = learner->open_count - 1;
    if (frames_bytes % frame_bytes != 0) return SOTTO_E_LENGTH;
    if (learner->aim == NULL) return SOTTO_OK;
    for (uint32_t back = 0; back <= (current < lag ? current : lag); back++) {
        const sotto_tally *tally = sotto__learner_epoch(learner, current - back)->tally;
        sotto_status status = recount_epoch(learner, tally, frames, frames_bytes / frame_bytes);
        if (status != SOTTO_OK) return status;
    }
    return SOTTO_OK;
}
