/* A learner: made, and fed with reports. What it learns from them is in publish.c. */
#include "core/core.h"
#include "server.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
        const sotto_tally *tally = learner->open[e].tally; /* epochs that closed are empty */
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
        const sotto_tally *tally = learner->open[e].tally; /* epochs that closed are empty */
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
