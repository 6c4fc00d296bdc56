/*
 * An experiment as it was when the service stopped: its snapshot, or the learner before the first report,
 * and the rows after it, in their order. The nonces of open epochs are in rows before the snapshot, too:
 * such rows are never removed. What was counted at the last publish is the sum of the history.
 */
#include "frame_head.h"
#include "parts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct recovery {
    sottod_experiment *experiment;
    char *fault;
} recovery;

__attribute__((format(printf, 3, 4))) static bool refuse(const recovery *self, uint64_t seq,
                                                         const char *format, ...)
{
    int length = snprintf(self->fault, JOURNAL_FAULT_BYTES, "experiment %u, row %" PRIu64 ": ",
                          self->experiment->number, seq);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(self->fault + length, JOURNAL_FAULT_BYTES - (size_t)length, format, arguments);
    va_end(arguments);
    return false;
}

static bool take_snapshot(void *context, const journal_snapshot *snapshot)
{
    const recovery *self = context;
    sottod_experiment *experiment = self->experiment;
    char text[SOTTO_FAULT_BYTES];
    sotto_learner *learner;
    const journal_bytes *bytes = &snapshot->learner;
    if (sotto_learner_decode(experiment->terms, bytes->at, bytes->bytes, &learner) != SOTTO_OK) {
        return refuse(self, snapshot->seq, "its snapshot cannot be used: %s",
                      sotto_learner_bytes_fault(experiment->terms, bytes->at, bytes->bytes, text));
    }
    sotto_learner_free(experiment->learner);
    experiment->learner = learner;
    if (sotto__learner_watch(learner) != SOTTO_OK)
        return refuse(self, snapshot->seq, "out of memory");
    experiment->life->counts = snapshot->counts;
    experiment->life->rows.snapshot = experiment->life->rows.last = snapshot->seq;
    if (experiment->nonces == NULL) return true;
    if (sotto_nonce_set_advance(experiment->nonces, experiment_epoch(experiment)) != SOTTO_OK)
        return refuse(self, snapshot->seq, "its snapshot is of an epoch before the first");
    return true;
}

/* A publish, or a discard. */
static bool take_end(const recovery *self, const journal_row *row)
{
    sottod_experiment *experiment = self->experiment;
    if (row->seq <= experiment->life->rows.snapshot) {
        sotto__learner_uncount(experiment->learner); /* what came before is not in this epoch */
        return true;
    }
    uint32_t epoch = experiment_epoch(experiment);
    if (row->epoch != epoch + 1 || epoch == UINT32_MAX) {
        return refuse(self, row->seq, "opens epoch %u while %u is open: allowed %u", row->epoch,
                      epoch, epoch + 1);
    }
    sotto_status status = row->kind == JOURNAL_DISCARD ? sotto_learner_discard(experiment->learner)
                                                       : sotto_learner_publish(experiment->learner);
    if (status == SOTTO_OK && experiment->nonces != NULL)
        status = sotto_nonce_set_advance(experiment->nonces, row->epoch);
    if (status != SOTTO_OK) {
        return refuse(self, row->seq, "epoch %u cannot end: %s", epoch, sotto_status_text(status));
    }
    return true;
}

/* The nonces of those frames whose epochs are open now. */
static bool take_nonces(const recovery *self, const journal_row *row)
{
    sottod_experiment *experiment = self->experiment;
    uint64_t frames = row->frames.bytes / experiment->frame_bytes;
    if (experiment->nonces == NULL || row->epoch < experiment_oldest_open(experiment)) return true;
    if (!experiment_reserve_nonces(experiment, frames, SOTTO_NONCES_MAX))
        return refuse(self, row->seq, "out of memory");
    for (uint64_t i = 0; i < frames; i++) {
        const uint8_t *frame = row->frames.at + i * experiment->frame_bytes;
        sotto_report head = frame_head(frame);
        sotto_seen seen;
        if (head.epoch < experiment_oldest_open(experiment)) continue;
        sotto_status status =
            sotto_nonce_set_see(experiment->nonces, &head, frame, experiment->frame_bytes, &seen);
        if (status != SOTTO_OK)
            return refuse(self, row->seq, "frame %" PRIu64 ": %s", i, sotto_status_text(status));
        if (seen != SOTTO_SEEN_NEW)
            return refuse(self, row->seq, "frame %" PRIu64 " has a nonce that was there before", i);
    }
    return true;
}

/* The watch keeps nothing in snapshots: it counts the reports of open epochs again. */
static bool look_again(const recovery *self, const journal_row *row)
{
    sottod_experiment *experiment = self->experiment;
    if (row->seq > experiment->life->rows.snapshot) return true; /* they were folded just now */
    if (experiment->nonces == NULL || row->epoch < experiment_oldest_open(experiment)) return true;
    sotto_status status =
        sotto__learner_recount(experiment->learner, row->frames.at, row->frames.bytes);
    return status == SOTTO_OK ||
           refuse(self, row->seq, "a frame is refused: %s", sotto_status_text(status));
}

static bool take_reports(const recovery *self, const journal_row *row)
{
    sottod_experiment *experiment = self->experiment;
    size_t frame_bytes = experiment->frame_bytes;
    if (row->frames.bytes % frame_bytes != 0) {
        return refuse(self, row->seq, "%zu bytes of frames: allowed a multiple of %zu",
                      row->frames.bytes, frame_bytes);
    }
    if (row->seq > experiment->life->rows.snapshot && row->frames.bytes > 0) {
        sotto_status status =
            sotto_learner_take_frames(experiment->learner, row->frames.at, row->frames.bytes, NULL);
        if (status != SOTTO_OK)
            return refuse(self, row->seq, "a frame is refused: %s", sotto_status_text(status));
    }
    if (row->seq > experiment->life->rows.snapshot) {
        experiment->life->counts.folded += row->frames.bytes / frame_bytes;
        experiment->life->counts.late += row->late;
        experiment->life->counts.duplicate += row->duplicate;
        experiment->life->counts.conflicting += row->conflicting;
    }
    return row->frames.bytes == 0 || (look_again(self, row) && take_nonces(self, row));
}

static bool take_row(void *context, const journal_row *row)
{
    const recovery *self = context;
    sottod_experiment *experiment = self->experiment;
    uint32_t open_count = experiment->terms->spec.epoch_lag_max + 1;
    experiment_rows_add(&experiment->life->rows, row->seq, row->epoch, row->frames.bytes,
                        open_count);
    switch (row->kind) {
    case JOURNAL_REPORTS: return take_reports(self, row);
    case JOURNAL_PUBLISH:
    case JOURNAL_DISCARD: return take_end(self, row);
    }
    return refuse(self, row->seq, "kind %u: allowed 0 (reports), 1 (publish), 2 (discard)",
                  (uint32_t)row->kind);
}

static bool tell_all(const recovery *self)
{
    sottod_experiment *experiment = self->experiment;
    told_free(&experiment->life->told);
    if (told_make(&experiment->life->told, experiment->learner, experiment->terms)) return true;
    return refuse(self, experiment->life->rows.last, "out of memory");
}

static bool take_history(void *context, const journal_history *history)
{
    const recovery *self = context;
    sottod_experiment *experiment = self->experiment;
    if (history->epoch > experiment_epoch(experiment)) return true; /* its rows were given up */
    experiment->life->published.late += history->late;
    experiment->life->published.duplicate += history->duplicate;
    experiment->life->published.conflicting += history->conflicting;
    sotto__measured *follow = &experiment->life->told.follow,
                    *control = &experiment->life->told.control;
    follow->count += history->follow;
    follow->sum += history->follow_sum;
    control->count += history->control;
    control->sum += history->control_sum;
    return true;
}

bool experiment_recover(sottod_journal *journal, sottod_experiment *experiment,
                        char fault[JOURNAL_FAULT_BYTES])
{
    recovery self = {experiment, fault};
    bool found;
    fault[0] = '\0';
    if (!journal_read_snapshot(journal, experiment->number, take_snapshot, &self, &found) ||
        !journal_read_rows(journal, experiment->number, 0, take_row, &self) || !tell_all(&self) ||
        !journal_read_history(journal, experiment->number, take_history, &self)) {
        if (fault[0] == '\0') snprintf(fault, JOURNAL_FAULT_BYTES, "%s", journal_fault(journal));
        return false;
    }
    journal_counts *published = &experiment->life->published;
    const journal_counts *counts = &experiment->life->counts;
    if (published->late > counts->late || published->duplicate > counts->duplicate ||
        published->conflicting > counts->conflicting)
        return refuse(&self, experiment->life->rows.last, "the history counts more than the rows");
    experiment_encode_model(experiment);
    return true;
}
