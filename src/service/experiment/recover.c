#include "experiment.h"
#include "inner.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * An experiment as it was when the service stopped: its snapshot, or the learner before the first report, and then the
 * later rows in order. The nonces of open epochs are also in rows before the snapshot, so such rows are never removed.
 * The count at the last publish is the sum over history. */

typedef struct recovery {
    epoch_engine *engine;
    experiment_rows *rows;
    sotto_fault *fault;
    uint64_t first; /* the oldest row; 0: none */
    /* needed until this epoch is the oldest open one; 0: it has no frames */
    uint64_t first_until;
} recovery;

static bool refuse_row(const recovery *self, uint64_t seq)
{
    (void)sotto__fault_within(self->fault, "experiment %u, row %" PRIu64 ": ",
                              self->engine->experiment, seq);
    return false;
}

/* Sets the fault of a row. False. */
#define refuse(self, seq, ...)                                                                     \
    ((void)sotto__refuse((self)->fault, __VA_ARGS__), refuse_row(self, seq))

static bool take_snapshot(void *context, const journal_snapshot *snapshot)
{
    const recovery *self = context;
    epoch_engine *engine = self->engine;
    sotto_fault wrong;
    sotto_learner *learner = engine_read_learner(&engine->terms, &snapshot->learner, &wrong);
    if (learner == NULL)
        return refuse(self, snapshot->seq, "its snapshot is not usable: %s", wrong.sentence);
    sotto_learner_free(engine->learner);
    engine->learner = learner;
    if (sotto__learner_watch(learner) != SOTTO_OK)
        return refuse(self, snapshot->seq, "out of memory");
    engine->counts = snapshot->counts;
    self->rows->snapshot = self->rows->last = snapshot->seq;
    if (engine->nonces == NULL) return true;
    if (sotto_nonce_set_advance(engine->nonces, engine_epoch(engine)) != SOTTO_OK)
        return refuse(self, snapshot->seq, "its snapshot is of an epoch before the first");
    return true;
}

static sotto_status end_epoch(sotto_learner *learner, journal_kind kind)
{
    if (kind == JOURNAL_DISCARD) return sotto_learner_discard(learner);
    sotto_status status = SOTTO_OK;
    if (kind == JOURNAL_END_FALLBACK) status = sotto_learner_end_fallback(learner);
    return status == SOTTO_OK ? sotto_learner_publish(learner) : status;
}

static bool take_end(const recovery *self, const journal_row *row)
{
    epoch_engine *engine = self->engine;
    if (row->seq <= self->rows->snapshot) {
        sotto__learner_uncount(engine->learner); /* earlier reports are not in this epoch */
        return true;
    }
    uint32_t epoch = engine_epoch(engine);
    if (row->epoch != epoch + 1 || epoch == UINT32_MAX) {
        return refuse(self, row->seq, "opens epoch %u while %u is open: allowed %u", row->epoch,
                      epoch, epoch + 1);
    }
    sotto_status status = end_epoch(engine->learner, row->kind);
    if (status == SOTTO_OK && engine->nonces != NULL)
        status = sotto_nonce_set_advance(engine->nonces, row->epoch);
    if (status != SOTTO_OK) {
        return refuse(self, row->seq, "epoch %u cannot end: %s", epoch, sotto_status_text(status));
    }
    return true;
}

/* A closed experiment needs none. */
static bool is_open(const recovery *self, const journal_row *row)
{
    return self->engine->nonces != NULL && row->epoch >= engine_oldest(self->engine);
}

static bool take_nonces(const recovery *self, const journal_row *row)
{
    uint64_t copies, place;
    if (!is_open(self, row)) return true;
    if (!engine_know(self->engine, row->frames.at, row->frames.bytes, &copies, &place))
        return refuse(self, row->seq,
                      "out of memory, or frame %" PRIu64 " is of an epoch that has not begun",
                      place);
    if (copies > 0)
        return refuse(self, row->seq, "frame %" PRIu64 " has a nonce that an earlier frame has",
                      place);
    return true;
}

/* Snapshots do not contain the watch: it counts the reports of open epochs again. */
static bool look_again(const recovery *self, const journal_row *row)
{
    if (row->seq > self->rows->snapshot) return true; /* they were folded just now */
    if (!is_open(self, row)) return true;
    sotto_status status =
        sotto__learner_recount(self->engine->learner, row->frames.at, row->frames.bytes);
    return status == SOTTO_OK ||
           refuse(self, row->seq, "the learner refuses a frame: %s", sotto_status_text(status));
}

static bool take_reports(const recovery *self, const journal_row *row)
{
    epoch_engine *engine = self->engine;
    const size_t frame_bytes = engine->frame_bytes;
    if (row->frames.bytes % frame_bytes != 0) {
        return refuse(self, row->seq, "%zu bytes of frames: allowed a multiple of %zu",
                      row->frames.bytes, frame_bytes);
    }
    if (row->seq > self->rows->snapshot) {
        sotto_status status = SOTTO_OK;
        if (row->frames.bytes > 0)
            status =
                sotto_learner_take_frames(engine->learner, row->frames.at, row->frames.bytes, NULL);
        if (status != SOTTO_OK)
            return refuse(self, row->seq, "the learner refuses a frame: %s",
                          sotto_status_text(status));
        counts_add(&engine->counts, &(journal_counts){row->frames.bytes / frame_bytes, row->late,
                                                      row->duplicate, row->conflicting});
    }
    return row->frames.bytes == 0 || (look_again(self, row) && take_nonces(self, row));
}

static bool take_row(void *context, const journal_row *row)
{
    recovery *self = context;
    if (self->first == 0) {
        self->first = row->seq;
        self->first_until = row->frames.bytes > 0 ? row->epoch + UINT64_C(1) : 0;
    }
    experiment_rows_add(self->rows, row->seq, row->frames.bytes);
    switch (row->kind) {
    case JOURNAL_REPORTS: return take_reports(self, row);
    case JOURNAL_PUBLISH:
    case JOURNAL_DISCARD:
    case JOURNAL_END_FALLBACK: return take_end(self, row);
    }
    return refuse(self, row->seq,
                  "kind %u: allowed 0 (reports), 1 (publish), 2 (discard), 3 (end of a fallback)",
                  (uint32_t)row->kind);
}

static bool show_all(const recovery *self)
{
    epoch_engine *engine = self->engine;
    published_free(&engine->results);
    return published_make(&engine->results, engine->learner, &engine->terms) ||
           refuse(self, self->rows->last, "out of memory");
}

static bool take_history(void *context, const journal_history *history)
{
    const recovery *self = context;
    epoch_engine *engine = self->engine;
    if (history->epoch > engine_epoch(engine)) return true; /* its rows were given up */
    counts_add(&engine->published,
               &(journal_counts){0, history->late, history->duplicate, history->conflicting});
    sotto__measured *follow = &engine->results.follow, *control = &engine->results.control;
    follow->count += history->follow;
    follow->sum += history->follow_sum;
    control->count += history->control;
    control->sum += history->control_sum;
    return true;
}

static sotto_status say_journal(sottod_journal *journal, sotto_fault *fault)
{
    if (fault->sentence[0] == '\0') *fault = *journal_fault(journal);
    return SOTTO_E_FAULT;
}

/* Devices can fetch models while rows are being read, which takes longer. */
static sotto_status recover_snapshot(const sottod_experiments *all, sottod_experiment *experiment,
                                     sotto_fault *fault)
{
    recovery self = {experiment->engine, &experiment->life->rows, fault, 0, 0};
    bool found;
    uint32_t epoch;
    if (!journal_read_snapshot(all->journal, experiment->number, take_snapshot, &self, &found) ||
        !journal_newest(all->journal, experiment->number, &epoch))
        return say_journal(all->journal, fault);
    const bool is_newest = epoch == experiment_epoch(experiment);
    if (!is_newest || all->settings.knows == NULL) return SOTTO_OK;
    experiment_encode_model(experiment);
    all->settings.knows(all->settings.knows_self, experiment);
    return SOTTO_OK;
}

static sotto_status recover_rest(sottod_journal *journal, sottod_experiment *experiment,
                                 sotto_fault *fault)
{
    recovery self = {experiment->engine, &experiment->life->rows, fault, 0, 0};
    if (!journal_read_rows(journal, experiment->number, 0, take_row, &self) || !show_all(&self) ||
        !journal_read_history(journal, experiment->number, take_history, &self))
        return say_journal(journal, fault);
    const journal_counts *published = &self.engine->published, *counts = &self.engine->counts;
    if (published->late > counts->late || published->duplicate > counts->duplicate ||
        published->conflicting > counts->conflicting) {
        refuse(&self, self.rows->last, "the history counts more than the rows");
        return SOTTO_E_FAULT;
    }
    self.rows->overdue =
        self.first > 0 && self.first <= self.rows->snapshot &&
        (experiment->state == JOURNAL_CLOSED || self.first_until <= engine_oldest(self.engine));
    experiment_encode_model(experiment);
    return SOTTO_OK;
}

sotto_status recover_rows(sottod_experiments *all, sotto_fault *fault)
{
    sotto_status status = SOTTO_OK;
    fault->sentence[0] = '\0';
    for (uint32_t i = 0; status == SOTTO_OK && i < all->live_count; i++) {
        status = recover_snapshot(all, all->live[i], fault);
    }
    for (uint32_t i = 0; status == SOTTO_OK && i < all->live_count; i++) {
        status = recover_rest(all->journal, all->live[i], fault);
    }
    return status;
}
