/* The end of an epoch over a journal of rows. */
#include "inner.h"
#include "service/store/store.h"

#include <assert.h>

typedef struct publishing {
    sottod_experiments *all;
    sottod_experiment *experiment;
    journal_row row;
    experiment_slice slice; /* of rows that nobody needs after it */
} publishing;

static epoch_outcome put(void *context, const epoch_ending *ending)
{
    publishing *self = context;
    sottod_experiments *all = self->all;
    const uint32_t lag = self->experiment->engine->rule.epoch_lag_max;
    const uint32_t oldest = ending->epoch < lag ? 0 : ending->epoch - lag;
    self->row = (journal_row){.experiment = self->experiment->number,
                              .kind = ending->kind,
                              .epoch = ending->epoch,
                              .minute = ending->minute};
    if (!journal_begin(all->journal)) return EPOCH_AWAY;
    bool done = journal_append(all->journal, &self->row) &&
                journal_add_history(all->journal, &ending->history) &&
                experiment_remove_slice(all, self->experiment, oldest, &self->slice);
    return experiments_finish(all->journal, done) ? EPOCH_DONE : EPOCH_AWAY;
}

/* No epoch is left, or no device would accept the model: the experiment is closed. */
static epoch_outcome end(void *context, const char *why)
{
    const publishing *self = context;
    sottod_refusal refusal;
    experiments_log(self->all, LOG_ERROR, why, self->experiment, "epoch",
                    experiment_epoch(self->experiment));
    return experiment_set_state(self->all, self->experiment, JOURNAL_CLOSED, &refusal)
               ? EPOCH_CLOSED
               : EPOCH_AWAY;
}

static const epoch_store rows_store = {.publish = put, .close = end};

/* It is durable, and the learner has made its step. */
static void begin_next(const publishing *self, uint64_t now_ms)
{
    sottod_experiment *experiment = self->experiment;
    experiment_rows_add(&experiment->life->rows, self->row.seq, 0);
    experiment_slice_removed(self->all, experiment, &self->slice);
    experiment_begin_epoch(self->all, experiment, now_ms);
    experiment->ready_ms = EXPERIMENT_NEVER_MS;
}

epoch_outcome experiment_publish(sottod_experiments *all, sottod_experiment *experiment,
                                 uint64_t now_ms, uint64_t minute)
{
    publishing self = {all, experiment, .row = {0}};
    epoch_ending ending = {.minute = minute};
    if (experiment->model == NULL) return end(&self, "model_not_finite");
    const epoch_outcome outcome = engine_end(experiment->engine, &ending, &rows_store, &self);
    assert(outcome != EPOCH_BROKEN); /* there was an epoch left */
    if (outcome == EPOCH_DONE) begin_next(&self, now_ms);
    engine_say(experiment->engine, &ending, outcome, &all->totals, all->log, experiment->id_text);
    if (outcome != EPOCH_DONE || experiment_encode_model(experiment)) return outcome;
    experiment->ready_ms = now_ms; /* if it cannot be closed now, the next turn tries again */
    return end(&self, "model_not_finite");
}
