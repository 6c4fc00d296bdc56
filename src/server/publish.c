/*
 * Publishing: the end of an epoch.
 *
 *   1. The tallies of all open epochs, late reports included, make one batch for each phase.
 *   2. That of the mean phase goes into the mean. The estimator absorbs the others, warm-up before
 *      main, and writes the next model.
 *   3. After the last report of the mean phase the model gets its g, which stays, whatever still comes.
 *      After the last report of the warm-up its estimate is frozen, for elimination.
 *   4. The next epoch opens with an empty tally, and the oldest one closes.
 *
 * A discard empties the tallies and does 4 alone.
 */
#include "core/method.h"
#include "core/model.h"
#include "estimator_gloc.h"
#include "learner.h"

#include <string.h>

static void empty_batch(sotto_learner *learner)
{
    const sotto_spec *spec = &learner->terms.spec;
    memset(learner->sum, 0, learner->open[0].tally->sums_count * sizeof learner->sum[0]);
    if (learner->arm_count != NULL) {
        memset(learner->arm_count, 0, spec->arms * sizeof learner->arm_count[0]);
    }
    if (learner->predicted == NULL) return;
    memset(learner->predicted, 0, sotto__parameter_count(spec) * sizeof learner->predicted[0]);
}

/* Per-arm parameters: where a report does not count for one arm only, it counts for all. */
static void count_arms(sotto_learner *learner, const sotto_tally *tally)
{
    bool counts_arms = sotto__tally_counts_arms(tally);
    for (uint32_t k = 0; k < learner->terms.spec.arms; k++) {
        learner->arm_count[k] += counts_arms ? tally->arm_count[k] : tally->count;
    }
}

/* epoch = unit times the sums, batch += epoch. */
static void add_sums(const int64_t *sum, uint32_t count, double unit, double *restrict epoch,
                     double *restrict batch)
{
    for (size_t i = 0; i < count; i++) {
        epoch[i] = unit * (double)sum[i];
        batch[i] += epoch[i];
    }
}

/* Moves the reports of one epoch into the batch. */
static void gather(sotto_learner *learner, sotto__open_epoch *open)
{
    sotto_tally *tally = open->tally;
    add_sums(tally->sum, tally->sums_count, learner->unit, learner->epoch_sum, learner->sum);
    if (learner->arm_count != NULL) count_arms(learner, tally);
    if (learner->predicted != NULL) {
        sotto__gloc_predicted(&learner->terms, learner->epoch_sum, open->theta_h,
                              learner->predicted);
    }
    sotto__tally_begin(tally, tally->epoch, tally->phase, tally->decides);
}

/* The batch of one phase: all open epochs, oldest first. Returns how many reports it has; *heard of
 * them are not null. */
static uint64_t gather_phase(sotto_learner *learner, sotto_phase phase, uint64_t *heard)
{
    uint32_t current = learner->model->epoch, lag = learner->open_count - 1;
    uint64_t count = 0;
    *heard = 0;
    for (uint32_t back = (current < lag ? current : lag) + 1; back-- > 0;) {
        sotto__open_epoch *open = sotto__learner_epoch(learner, current - back);
        if (open->tally->phase != phase || sotto__tally_all(open->tally) == 0) continue;
        sotto__measures_add(&learner->measures, open->tally);
        if (count == 0) empty_batch(learner);
        count += open->tally->count;
        *heard += open->tally->heard;
        gather(learner, open);
    }
    return count;
}

/* As gather_phase adds them: only tallies of the main phase decide. */
void sotto__learner_next_measures(const sotto_learner *learner, sotto__measures *out)
{
    uint32_t current = learner->model->epoch, lag = learner->open_count - 1;
    sotto__measures_copy(&learner->measures, learner->terms.spec.arms, out);
    for (uint32_t back = (current < lag ? current : lag) + 1; back-- > 0;) {
        sotto__measures_add(out, learner->open[(current - back) % learner->open_count].tally);
    }
}

static void absorb_mean(sotto_learner *learner)
{
    uint64_t heard,
        count = gather_phase(learner, SOTTO_PHASE_MEAN, &heard); /* this phase has no nulls */
    if (count == 0) return;
    sotto__mean_add(&learner->mean, &learner->terms.spec, count, learner->sum);
    learner->model->reports += count;
}

static void absorb_phase(sotto_learner *learner, sotto_phase phase)
{
    sotto_model *model = learner->model;
    uint64_t heard, count = gather_phase(learner, phase, &heard);
    if (count == 0) return;

    sotto__batch batch = {
        .phase = phase,
        .count = count,
        .heard = heard,
        .arm_count = learner->arm_count,
        .sum = learner->sum,
        .predicted = learner->predicted,
    };
    learner->estimator->absorb(learner->estimator, &batch, model);
    model->reports += count;
}

static void end_phases(sotto_learner *learner)
{
    sotto_model *model = learner->model;
    if (model->phase == SOTTO_PHASE_MEAN && model->reports >= sotto__learner_phase_end(learner)) {
        sotto__mean_direction(&learner->mean, learner->terms.spec.dim, model->g);
        model->phase = SOTTO_PHASE_WARM_UP;
    }
    if (model->phase == SOTTO_PHASE_WARM_UP &&
        model->reports >= sotto__learner_phase_end(learner)) {
        sotto__end_warm_up(learner->estimator, model);
    }
}

static void open_next(sotto_learner *learner)
{
    sotto_model *model = learner->model;
    model->epoch++;
    learner->taken = 0;
    learner->wanted = sotto__learner_wants(learner);
    sotto__open_epoch *open = sotto__learner_epoch(learner, model->epoch);
    sotto__tally_begin(open->tally, model->epoch, model->phase,
                       sotto__model_is_followed(&learner->terms.spec, model));
    sotto__tally_share(open->tally, model->shares);
    if (learner->aim != NULL) sotto__aim_set(learner->aim, model);
    if (model->theta_h == NULL) return;
    uint32_t count = sotto__parameter_count(&learner->terms.spec);
    memcpy(open->theta_h, model->theta_h, count * sizeof open->theta_h[0]);
}

sotto_status sotto_learner_publish(sotto_learner *learner)
{
    if (learner == NULL) return SOTTO_E_ARGUMENT;
    sotto_model *model = learner->model;
    if (model->epoch == UINT32_MAX) return SOTTO_E_EPOCH;
    bool warms_up = sotto__phase_exists(&learner->terms.spec, SOTTO_PHASE_WARM_UP);
    if (learner->mean.sum != NULL) absorb_mean(learner);
    if (warms_up) absorb_phase(learner, SOTTO_PHASE_WARM_UP);
    absorb_phase(learner, SOTTO_PHASE_MAIN);
    end_phases(learner);
    open_next(learner);
    return SOTTO_OK;
}

sotto_status sotto_learner_discard(sotto_learner *learner)
{
    if (learner == NULL) return SOTTO_E_ARGUMENT;
    if (learner->model->epoch == UINT32_MAX) return SOTTO_E_EPOCH;
    for (uint32_t e = 0; e < learner->open_count; e++) {
        sotto_tally *tally = learner->open[e].tally;
        sotto__tally_begin(tally, tally->epoch, tally->phase, tally->decides);
    }
    open_next(learner);
    return SOTTO_OK;
}
