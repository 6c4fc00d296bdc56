/* An experiment from a journal to a file. */
#include "archive.h"
#include "core/bytes.h"
#include "core/digest.h"
#include "core/fault.h"

#include <sotto/server.h>

#include <stdlib.h>
#include <string.h>

typedef struct writing {
    FILE *file;
    sotto__digest digest;
    bool failed; /* the file could not be written */
    const uint8_t *id;
    /* The experiment, once it is found. */
    bool found;
    journal_state state;
    uint32_t number;
    uint64_t epoch_reports_min;
    sotto_terms terms;
    sotto_learner *learner;
    uint64_t snapshot_seq;
    journal_counts counts;
    char *fault;
} writing;

static void put(writing *w, const void *bytes, size_t count)
{
    if (count == 0) return;
    sotto__digest_add(&w->digest, bytes, count);
    w->failed = w->failed || fwrite(bytes, 1, count, w->file) != count;
}

static void put_head(writing *w, archive_kind kind, uint64_t bytes)
{
    uint8_t head[12];
    sotto__put_u32(head, kind);
    sotto__put_u64(head + 4, bytes);
    put(w, head, sizeof head);
}

static bool fail(writing *w, const char *sentence)
{
    sotto__fault(w->fault, "%s", sentence);
    return false;
}

static bool take_experiment(void *self, const journal_experiment *e)
{
    writing *w = self;
    if (memcmp(e->id, w->id, sizeof e->id) != 0) return true;
    w->found = true;
    w->state = e->state;
    if (e->state == JOURNAL_DELETED) return true;
    w->number = e->number;
    w->epoch_reports_min = e->epoch_reports_min;
    if (sotto_terms_decode(e->terms.at, e->terms.bytes, &w->terms) != SOTTO_OK)
        return fail(w, "the terms in the journal are damaged");
    if (sotto_learner_decode(&w->terms, e->start.at, e->start.bytes, &w->learner) != SOTTO_OK)
        return fail(w, "the start of the learner in the journal is damaged, or memory is short");

    uint8_t head[ARCHIVE_EXPERIMENT_BYTES];
    size_t labels_bytes = strlen(e->labels);
    uint32_t key_bytes = e->has_report_key ? sizeof e->report_key : 0;
    sotto__put_u32(head, e->state);
    sotto__put_u64(head + 4, e->created_minute);
    sotto__put_u32(head + 12, e->epoch_seconds_min);
    sotto__put_u64(head + 16, e->epoch_reports_min);
    sotto__put_u32(head + 24, (uint32_t)e->terms.bytes);
    sotto__put_u64(head + 28, e->start.bytes);
    sotto__put_u32(head + 36, (uint32_t)labels_bytes);
    sotto__put_u64(head + 40, e->epoch_reports_expected);
    sotto__put_u32(head + 48, e->quarantine);
    sotto__put_u32(head + 52, key_bytes);
    put_head(w, ARCHIVE_EXPERIMENT,
             sizeof head + e->terms.bytes + e->start.bytes + labels_bytes + key_bytes);
    put(w, head, sizeof head);
    put(w, e->terms.at, e->terms.bytes);
    put(w, e->start.at, e->start.bytes);
    put(w, e->labels, labels_bytes);
    put(w, e->report_key, key_bytes);
    return true;
}

static bool take_snapshot(void *self, const journal_snapshot *snapshot)
{
    writing *w = self;
    sotto_learner_free(w->learner);
    w->snapshot_seq = snapshot->seq;
    w->counts = snapshot->counts;
    sotto_status status =
        sotto_learner_decode(&w->terms, snapshot->learner.at, snapshot->learner.bytes, &w->learner);
    return status == SOTTO_OK ||
           fail(w, "the snapshot in the journal is damaged, or memory is short");
}

static bool apply_row(void *self, const journal_row *row)
{
    writing *w = self;
    w->counts.late += row->late;
    w->counts.duplicate += row->duplicate;
    w->counts.conflicting += row->conflicting;
    w->counts.folded += row->frames.bytes / sotto_report_bytes(&w->terms);
    sotto_status status = SOTTO_OK;
    if (row->frames.bytes > 0)
        status = sotto_learner_take_frames(w->learner, row->frames.at, row->frames.bytes, NULL);
    if (status == SOTTO_OK && row->kind == JOURNAL_PUBLISH)
        status = sotto_learner_publish(w->learner);
    if (status == SOTTO_OK && row->kind == JOURNAL_DISCARD)
        status = sotto_learner_discard(w->learner);
    if (status == SOTTO_OK) return true;
    sotto__fault(w->fault, "row %llu of the journal cannot be applied: %s",
                 (unsigned long long)row->seq, sotto_status_text(status));
    return false;
}

static bool put_history(void *self, const journal_history *h)
{
    writing *w = self;
    if (h->epoch > sotto_learner_model(w->learner)->epoch) return true; /* its rows were given up */
    uint8_t out[ARCHIVE_HISTORY_BYTES];
    sotto__put_u32(out, h->epoch);
    sotto__put_u64(out + 4, h->minute);
    sotto__put_u32(out + 12, h->publishes);
    const uint64_t count[] = {
        h->learn, h->control,   h->follow,     (uint64_t)h->control_sum, (uint64_t)h->follow_sum,
        h->late,  h->duplicate, h->conflicting};
    for (uint32_t i = 0; i < 8; i++) {
        sotto__put_u64(out + 16 + 8 * (size_t)i, count[i]);
    }
    sotto__put_u32(out + 80, h->alarms);
    put_head(w, ARCHIVE_HISTORY, sizeof out);
    put(w, out, sizeof out);
    return true;
}

static bool put_row(void *self, const journal_row *row)
{
    writing *w = self;
    uint8_t head[ARCHIVE_ROW_BYTES];
    sotto__put_u32(head, row->kind);
    sotto__put_u32(head + 4, row->epoch);
    sotto__put_u64(head + 8, row->minute);
    sotto__put_u32(head + 16, row->late);
    sotto__put_u32(head + 20, row->duplicate);
    sotto__put_u32(head + 24, row->conflicting);
    put_head(w, ARCHIVE_ROW, sizeof head + row->frames.bytes);
    put(w, head, sizeof head);
    put(w, row->frames.at, row->frames.bytes);
    return true;
}

static bool put_learner(writing *w)
{
    uint8_t head[ARCHIVE_LEARNER_BYTES];
    size_t bytes = sotto_learner_bytes(w->learner);
    uint8_t *learner = malloc(bytes);
    if (learner == NULL || sotto_learner_encode(w->learner, learner, bytes) != SOTTO_OK) {
        free(learner);
        return fail(w, "the learner cannot be written down, or memory is short");
    }
    sotto__put_u64(head, w->counts.folded);
    sotto__put_u64(head + 8, w->counts.late);
    sotto__put_u64(head + 16, w->counts.duplicate);
    sotto__put_u64(head + 24, w->counts.conflicting);
    put_head(w, ARCHIVE_LEARNER, sizeof head + bytes);
    put(w, head, sizeof head);
    put(w, learner, bytes);
    free(learner);
    return true;
}

/* Ending an epoch of so few would publish them. */
static bool may_leave_reports_out(writing *w)
{
    uint64_t taken = sotto_learner_taken(w->learner);
    if (w->state == JOURNAL_CLOSED || taken == 0 || taken >= w->epoch_reports_min) return true;
    sotto__fault(w->fault,
                 "the open epochs have %llu reports, fewer than epoch_reports_min %llu: export it "
                 "--with-reports, or close it first",
                 (unsigned long long)taken, (unsigned long long)w->epoch_reports_min);
    return false;
}

static bool put_end(writing *w)
{
    uint8_t sum[SOTTO__DIGEST_BYTES];
    sotto__digest ending = w->digest;
    sotto__digest_end(&ending, sum);
    put_head(w, ARCHIVE_END, sizeof sum);
    put(w, sum, sizeof sum);
    if (!w->failed && fflush(w->file) == 0) return true;
    return fail(w, "the file cannot be written: is the disk full?");
}

/* A function of the journal that answers false has either stopped because `take` did, which has said why,
 * or failed itself. */
static bool done(writing *w, sottod_journal *journal, bool answer)
{
    if (!answer && w->fault[0] == '\0') sotto__fault(w->fault, "%s", journal_fault(journal));
    return answer;
}

static bool write_all(writing *w, sottod_journal *journal, bool with_reports)
{
    uint8_t version[4];
    bool has_snapshot;
    sotto__put_u32(version, ARCHIVE_VERSION);
    put(w, ARCHIVE_MAGIC, 4);
    put(w, version, sizeof version);
    if (!done(w, journal, journal_read_experiments(journal, take_experiment, w))) return false;
    if (!w->found) return fail(w, "there is no such experiment");
    if (w->state == JOURNAL_DELETED) return fail(w, "the experiment was deleted");
    return done(w, journal,
                journal_read_snapshot(journal, w->number, take_snapshot, w, &has_snapshot)) &&
           done(w, journal, journal_read_rows(journal, w->number, w->snapshot_seq, apply_row, w)) &&
           (with_reports || may_leave_reports_out(w)) && put_learner(w) &&
           done(w, journal, journal_read_history(journal, w->number, put_history, w)) &&
           (!with_reports ||
            done(w, journal, journal_read_rows(journal, w->number, 0, put_row, w))) &&
           put_end(w);
}

bool archive_write(sottod_journal *journal, const uint8_t id[SOTTO_SPEC_ID_BYTES],
                   bool with_reports, FILE *file, char fault[JOURNAL_FAULT_BYTES])
{
    writing w = {.file = file, .id = id, .fault = fault};
    fault[0] = '\0';
    sotto__digest_begin(&w.digest);
    bool fine = write_all(&w, journal, with_reports);
    sotto_learner_free(w.learner);
    return fine;
}
