/*
 * Publishing: the end of an epoch.
 *
 *   1. The tallies of all open epochs, late reports included, make one batch for each phase.
 *   2. That of the mean phase goes into the mean. The estimator absorbs the others, warm-up before
 *      main, and writes the next model.
 *   3. After the last report of the mean phase the model gets its g, which stays, whatever still comes.
 *      After the last report of the warm-up its estimate is frozen, for elimination.
 *   4. Harm is looked for, and a fallback begins or ends (harm.c).
 *   5. The next epoch opens with an empty tally, and the oldest one closes.
 *
 * A discard empties the tallies and does 5 alone, but for a fallback that the owner ended.
 */
#include "core/core.h"
#include "server.h"

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

/* Per-arm parameters: a report counts for one arm or for all. */
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

/* The batch of one phase: all open epochs, oldest first. */
static sotto__batch gather_phase(sotto_learner *learner, sotto_phase phase)
{
    uint32_t current = learner->model->epoch, lag = learner->open_count - 1;
    sotto__batch batch = {
        .phase = phase,
        .arm_count = learner->arm_count,
        .sum = learner->sum,
        .predicted = learner->predicted,
    };
    for (uint32_t back = (current < lag ? current : lag) + 1; back-- > 0;) {
        sotto__open_epoch *open = sotto__learner_epoch(learner, current - back);
        if (open->tally->phase != phase || sotto__tally_all(open->tally) == 0) continue;
        sotto__measures_add(&learner->measures, open->tally);
        sotto__harm_add(&learner->harm, open->tally);
        if (batch.count == 0) empty_batch(learner);
        batch.count += open->tally->count;
        batch.heard += open->tally->heard;
        batch.late += back * open->tally->count;
        gather(learner, open);
    }
    return batch;
}

/* Adds as gather_phase does: only tallies of the main phase decide. */
void sotto__learner_next_measures(const sotto_learner *learner, sotto__measures *out)
{
    uint32_t current = learner->model->epoch, lag = learner->open_count - 1;
    sotto__measures_copy(&learner->measures, learner->terms.spec.arms, out);
    for (uint32_t back = (current < lag ? current : lag) + 1; back-- > 0;) {
        sotto__measures_add(out, learner->open[(current - back) % learner->open_count].tally);
    }
}

bool sotto__learner_will_harm(const sotto_learner *learner)
{
    uint32_t current = learner->model->epoch, lag = learner->open_count - 1;
    sotto__harm harm = learner->harm;
    if (harm.ends || harm.epoch > 0 || learner->terms.spec.measure == 0) return false;
    for (uint32_t back = (current < lag ? current : lag) + 1; back-- > 0;) {
        sotto__harm_add(&harm, learner->open[(current - back) % learner->open_count].tally);
    }
    return sotto__harm_shows(&harm, &learner->terms);
}

static void absorb_mean(sotto_learner *learner)
{
    sotto__batch batch = gather_phase(learner, SOTTO_PHASE_MEAN);
    if (batch.count == 0) return;
    sotto__mean_add(&learner->mean, &learner->terms.spec, batch.count, batch.sum);
    learner->model->reports += batch.count;
}

static void absorb_phase(sotto_learner *learner, sotto_phase phase)
{
    sotto_model *model = learner->model;
    sotto__batch batch = gather_phase(learner, phase);
    if (batch.count == 0) return;
    learner->estimator->absorb(learner->estimator, &batch, model);
    model->reports += batch.count;
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
    open->tally->served = model->served > 0;
    sotto__tally_share(open->tally, model->shares);
    if (learner->aim != NULL) sotto__aim_set(learner->aim, model);
    if (model->theta_h == NULL) return;
    uint32_t count = sotto__parameter_count(&learner->terms.spec);
    memcpy(open->theta_h, model->theta_h, count * sizeof open->theta_h[0]);
}

sotto_status sotto__learner_publish(sotto_learner *learner)
{
    if (learner == NULL) return SOTTO_E_ARGUMENT;
    sotto_model *model = learner->model;
    if (model->epoch == UINT32_MAX) return SOTTO_E_EPOCH;
    bool warms_up = sotto__phase_exists(&learner->terms.spec, SOTTO_PHASE_WARM_UP);
    uint32_t fallback = learner->learning.fallback;
    bool unsure =
        fallback > 0 && sotto__roles_alarm(learner); /* while the tallies have the reports */
    if (learner->mean.sum != NULL) absorb_mean(learner);
    if (warms_up) absorb_phase(learner, SOTTO_PHASE_WARM_UP);
    absorb_phase(learner, SOTTO_PHASE_MAIN);
    end_phases(learner);
    sotto__harm_step(&learner->harm, &learner->terms, fallback, unsure, model);
    open_next(learner);
    return SOTTO_OK;
}

sotto_status sotto_learner_publish(sotto_learner *learner)
{
    SOTTO__DEFAULT_FLOATS;
    return SOTTO__UNSEEN(sotto__learner_publish)(learner);
}

sotto_status sotto_learner_discard(sotto_learner *learner)
{
    if (learner == NULL) return SOTTO_E_ARGUMENT;
    if (learner->model->epoch == UINT32_MAX) return SOTTO_E_EPOCH;
    for (uint32_t e = 0; e < learner->open_count; e++) {
        sotto_tally *tally = learner->open[e].tally;
        sotto__tally_begin(tally, tally->epoch, tally->phase, tally->decides);
    }
    if (learner->harm.ends)
        sotto__harm_step(&learner->harm, &learner->terms, 0, false, learner->model);
    open_next(learner);
    return SOTTO_OK;
}
