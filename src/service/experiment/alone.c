/*
 * A service that is the only user of its journal: it folds a report as soon as it is durable, and ends an epoch by a
 * row of the journal. */
#include "inner.h"
#include "service/store/store.h"

#include <assert.h>

/* ---- reports */

/* No other process changes anything. */
static bool catch_up(sottod_experiments *all, const sottod_experiment *only, sottod_refusal *why)
{
    (void)all, (void)only, (void)why;
    return false;
}

static bool begin(sottod_experiment *experiment)
{
    const bool takes = experiment->engine != NULL && experiment->state != JOURNAL_CLOSED;
    experiment->knows_unfolded = true; /* none waits */
    return !takes || engine_make_nonces(experiment->engine);
}

static bool reserve(sottod_experiments *all, sottod_experiment *experiment, uint64_t frames)
{
    return engine_reserve(experiment->engine, frames, all->settings.nonces_max);
}

static sotto_status sort(const sottod_experiments *all, group_slot *slot, const uint8_t *frame,
                         bool *is_new)
{
    (void)all;
    return engine_sort(slot->experiment->engine, frame, &slot->counts, is_new);
}

static void touch(sottod_experiments *all, sottod_experiment *experiment)
{
    if (experiment->touched) return;
    experiment->touched = true;
    all->touched[all->touched_count++] = experiment;
}

static void settle(sottod_experiments *all, const group_slot *slot)
{
    sottod_experiment *experiment = slot->experiment;
    epoch_engine *engine = experiment->engine;
    if (slot->frames > 0) {
        bool folded = fold_frames(all->fold, engine->learner, slot->sorted.at, slot->sorted.bytes);
        assert(folded); /* each was checked, and no epoch ended since */
        (void)folded;
        experiment->received = true; /* copies and late frames delay no publish */
    }
    counts_add(&engine->counts, &slot->counts);
    experiment_rows_add(&experiment->life->rows, slot->seq, slot->sorted.bytes);
    touch(all, experiment);
}

/* ---- the end of an epoch */

typedef struct publishing {
    sottod_experiments *all;
    sottod_experiment *experiment;
    journal_row row;
    experiment_slice slice; /* rows that the publish makes superfluous */
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
    return journal_finish(all->journal, done) ? EPOCH_DONE : EPOCH_AWAY;
}

/* No epoch number is left, or no device would accept the model: the experiment is closed. */
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

/* The publish is durable, and the learner has made its step. */
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
    assert(outcome != EPOCH_BROKEN); /* an epoch was left */
    if (outcome == EPOCH_DONE) begin_next(&self, now_ms);
    engine_say(experiment->engine, &ending, outcome, &all->totals, all->log, experiment->id_text);
    if (outcome != EPOCH_DONE || experiment_encode_model(experiment)) return outcome;
    experiment->ready_ms = now_ms; /* if it cannot be closed now, the next turn retries */
    return end(&self, "model_not_finite");
}

/* ---- when */

/*
 * When epochs end. Experiments that received reports are checked once, at the next turn: those with enough reports get
 * `ready_ms`, the time from which only their backlog delays the publish. A turn in which nothing becomes due costs
 * nothing, however many experiments there are.
 *
 * Each turn reads all ports; a connection that was just accepted is read in the next turn. So everything received for
 * an experiment is taken in after QUIET_TURNS turns without anything for it, whatever other clients send. */

#define QUIET_TURNS 2u
/* per turn: each waits for the disk, and requests wait meanwhile */
#define PUBLISHES_MAX 4u

static void look_at_touched(sottod_experiments *all, uint64_t now_ms)
{
    for (uint32_t i = 0; i < all->touched_count; i++) {
        sottod_experiment *experiment = all->touched[i];
        experiment->touched = false;
        if (experiment->state != JOURNAL_OPEN || experiment->engine->hold.held) continue;
        const epoch_engine *engine = experiment->engine;
        if (experiment->model != NULL && !due_has_enough(&engine->rule, engine->learner)) continue;
        const uint64_t due_ms = engine_due_ms(engine);
        if (experiment->ready_ms == EXPERIMENT_NEVER_MS)
            experiment->ready_ms = due_ms > now_ms ? due_ms : now_ms;
        if (experiment->ready_ms < all->ready_ms) all->ready_ms = experiment->ready_ms;
    }
    all->touched_count = 0;
}

/* Publishes, and writes a snapshot if enough frames came since the last one. */
static bool publish(sottod_experiments *all, sottod_experiment *experiment, uint64_t now_ms,
                    uint64_t minute, bool drained)
{
    const uint32_t epoch = experiment_epoch(experiment);
    const epoch_outcome outcome = experiment_publish(all, experiment, now_ms, minute);
    if (outcome == EPOCH_TOO_FEW || outcome == EPOCH_HELD) {
        experiment->ready_ms = EXPERIMENT_NEVER_MS;
        return true;
    }
    if (outcome != EPOCH_DONE && outcome != EPOCH_CLOSED) return false;
    if (experiment_epoch(experiment) == epoch) return true; /* it was closed */
    all->publishes++;
    all->publishes_in_backlog += !drained && experiment->quiet_turns < QUIET_TURNS;
    experiment->quiet_turns = 0;
    if (!experiment_is_heavy(experiment) || experiment->model == NULL) return true;
    return experiment_keep(all, experiment, now_ms);
}

/* Whether something for the experiment was received before this turn and is not yet taken in. Counts quiet turns. */
static bool has_backlog(sottod_experiment *experiment, uint64_t now_ms, bool drained)
{
    experiment->quiet_turns = experiment->received ? 0 : experiment->quiet_turns + 1;
    experiment->received = false;
    if (drained || experiment->quiet_turns >= QUIET_TURNS) return false;
    return now_ms - experiment->ready_ms < experiment->engine->seconds_min * UINT64_C(1000);
}

static bool publish_ready(sottod_experiments *all, uint64_t now_ms, uint64_t minute, bool drained)
{
    uint32_t left = PUBLISHES_MAX;
    bool done = true;
    if (all->ready_ms > now_ms) return true;
    all->ready_ms = EXPERIMENT_NEVER_MS;
    for (uint32_t i = 0; i < all->live_count; i++) {
        sottod_experiment *experiment = all->live[i];
        if (experiment->state != JOURNAL_OPEN || experiment->ready_ms == EXPERIMENT_NEVER_MS)
            continue;
        /* Reports in a group belong to open epochs: none of them may end before the group is durable. */
        bool is_free = experiment->slot == 0 && left > 0;
        if (is_free && experiment->ready_ms <= now_ms &&
            !has_backlog(experiment, now_ms, drained)) {
            done = publish(all, experiment, now_ms, minute, drained) && done;
            left--;
        }
        if (experiment->ready_ms < all->ready_ms) all->ready_ms = experiment->ready_ms;
    }
    return done;
}

static bool turn(sottod_experiments *all, uint64_t now_ms, uint64_t minute, bool drained)
{
    look_at_touched(all, now_ms);
    return publish_ready(all, now_ms, minute, drained);
}

static uint64_t wait_ms(const sottod_experiments *all, uint64_t now_ms)
{
    (void)all, (void)now_ms;
    return EXPERIMENT_NEVER_MS; /* no other process changes anything */
}

/* The learner's bytes contain it: a snapshot makes it durable. */
static bool end_fallback(sottod_experiments *all, sottod_experiment *experiment, bool *done)
{
    sotto_learner *learner = experiment->engine->learner;
    *done = sotto_learner_end_fallback(learner) == SOTTO_OK &&
            experiment_keep(all, experiment, experiment->snapshot_ms);
    learner->harm.ends = *done;
    return *done;
}

const service_kind service_alone = {
    .recover = recover_rows,
    .begin = begin,
    .turn = turn,
    .wait_ms = wait_ms,
    .catch_up = catch_up,
    .reserve = reserve,
    .sort = sort,
    .touch = touch,
    .settle = settle,
    .end_fallback = end_fallback,
    .overwrite_removed = experiments_overwrite_removed,
};
