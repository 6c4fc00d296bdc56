/* Requirements for an experiment that comes from elsewhere. */
#include "core/core.h"
#include "inner.h"

#include <jansson.h>

#include <stdlib.h>
#include <string.h>

#define LABELS_BYTES_MAX 16384u

bool archive__done(moving *m, sottod_journal *journal, bool answer)
{
    if (!answer && m->fault->sentence[0] == '\0')
        (void)archive__fail(m, "%s", journal_fault(journal)->sentence);
    return answer;
}

/* ---- the experiment ------------------------------------------------------------------------- */

/* Also checks the lines behind the labels. */
static bool labels_are_an_object(const char *labels)
{
    access_text access;
    if (!access_text_read(labels, &access) || access.labels_bytes > LABELS_BYTES_MAX) return false;
    json_t *parsed = json_loadb(labels, access.labels_bytes, JSON_REJECT_DUPLICATES, NULL);
    bool object = json_is_object(parsed);
    json_decref(parsed);
    return object;
}

/* As required when an experiment is created. */
static bool epochs_fit(moving *m)
{
    const journal_experiment *e = &m->experiment;
    const sotto_spec *spec = &m->terms.spec;
    uint64_t away = (uint64_t)spec->reward_window_s + spec->send_spread_s;
    if (e->epoch_seconds_min < 1 || e->epoch_seconds_min > SOTTO__YEAR_S ||
        e->epoch_reports_min < 1 || e->epoch_reports_min > SOTTO_REPORTS_MAX) {
        return archive__fail(m, "epoch_seconds_min or epoch_reports_min is out of range; allowed: "
                                "1 to 31536000, and 1 to 2147483648");
    }
    if (e->epoch_reports_expected > SOTTO_REPORTS_MAX)
        return archive__fail(m, "epoch_reports_expected is above 2147483648");
    return (uint64_t)e->epoch_seconds_min * spec->epoch_lag_max >= away ||
           archive__fail(
               m, "epoch_seconds_min x epoch_lag_max is less than reward_window_s + send_spread_s");
}

bool archive__check_experiment(moving *m)
{
    const journal_experiment *e = &m->experiment;
    if (memcmp(e->id, m->terms.id, sizeof e->id) != 0)
        return archive__fail(m, "the id is not that of the terms");
    if (sotto_learner_bytes_fault(&m->terms, e->start.at, e->start.bytes, m->fault) != SOTTO_OK)
        return false;
    if ((uint32_t)e->state > JOURNAL_CLOSED)
        return archive__fail(m, "the state is unknown; allowed: open, paused, closed");
    return epochs_fit(m) &&
           (labels_are_an_object(e->labels) ||
            archive__fail(m, "the labels are not a JSON object of at most 16384 bytes, or the "
                             "origins or keys after them are damaged"));
}

/* ---- history and rows ----------------------------------------------------------------------- */

typedef struct checking {
    moving *m;
    uint32_t epoch; /* the open one */
    uint64_t histories;
    uint32_t history_epoch;   /* of the last row */
    journal_counts published; /* sum over all rows */
    sotto_report *report;
    uint8_t *nonce; /* nonces of open epochs */
    size_t nonces, nonces_room;
    uint64_t rows;
} checking;

/* Adds to a sum that must not exceed `most`. */
static bool add_within(uint64_t *sum, uint64_t more, uint64_t most)
{
    if (more > most || *sum > most - more) return false;
    *sum += more;
    return true;
}

/* Rows are in the order of their epochs, which have begun; together they count at most what the snapshot has. */
static bool check_history(void *self, const journal_history *h)
{
    checking *c = self;
    const journal_counts *all = &c->m->counts;
    bool in_order = (c->histories++ == 0 || h->epoch > c->history_epoch) && h->epoch <= c->epoch;
    c->history_epoch = h->epoch;
    if (in_order && add_within(&c->published.late, h->late, all->late) &&
        add_within(&c->published.duplicate, h->duplicate, all->duplicate) &&
        add_within(&c->published.conflicting, h->conflicting, all->conflicting))
        return true;
    return archive__fail(
        c->m, "the history of epoch %u is out of order, or its counts are too large", h->epoch);
}

static bool keep_nonce(checking *c, const uint8_t nonce[SOTTO_NONCE_BYTES])
{
    if (c->nonces == c->nonces_room) {
        size_t room = c->nonces_room < 64 ? 64 : c->nonces_room * 2;
        uint8_t *more = realloc(c->nonce, room * SOTTO_NONCE_BYTES);
        if (more == NULL) return false;
        c->nonce = more;
        c->nonces_room = room;
    }
    memcpy(c->nonce + SOTTO_NONCE_BYTES * c->nonces++, nonce, SOTTO_NONCE_BYTES);
    return true;
}

static int compare_nonces(const void *one, const void *other)
{
    return memcmp(one, other, SOTTO_NONCE_BYTES);
}

/* A report of an open epoch counts once. */
static bool nonces_differ(checking *c)
{
    if (c->nonces > 1) qsort(c->nonce, c->nonces, SOTTO_NONCE_BYTES, compare_nonces);
    for (size_t i = 1; i < c->nonces; i++) {
        const uint8_t *nonce = c->nonce + SOTTO_NONCE_BYTES * i;
        if (compare_nonces(nonce - SOTTO_NONCE_BYTES, nonce) == 0)
            return archive__fail(c->m, "the file has the same report twice");
    }
    return true;
}

static bool bad_report(const checking *c, const char *why)
{
    return archive__fail(c->m, "row %llu of the file has a bad report: %s",
                         (unsigned long long)c->rows, why);
}

/* Frames must be of this experiment, of epochs that have begun, and sorted by nonce. *newest is the newest of their
 * epochs. */
static bool check_frames(checking *c, const journal_bytes *frames, uint32_t *newest)
{
    const uint32_t lag = c->m->terms.spec.epoch_lag_max;
    const size_t frame_bytes = sotto_report_bytes(&c->m->terms);
    const uint8_t *before = NULL;
    if (frames->bytes % frame_bytes != 0)
        return bad_report(c, "its length is not a multiple of a frame's");
    for (size_t at = 0; at < frames->bytes; at += frame_bytes) {
        const uint8_t *frame = frames->at + at, *nonce = frame + SOTTO__REPORT_NONCE_AT;
        sotto_status status = sotto_report_decode(&c->m->terms, frame, frame_bytes, c->report);
        if (status == SOTTO_OK && c->report->epoch > c->epoch) status = SOTTO_E_EPOCH;
        bool open = status == SOTTO_OK && c->epoch - c->report->epoch <= lag;
        if (open && !keep_nonce(c, nonce)) status = SOTTO_E_MEMORY;
        if (status != SOTTO_OK) return bad_report(c, sotto_status_text(status));
        if (before != NULL && compare_nonces(before, nonce) >= 0)
            return bad_report(c, "its frames are not sorted by nonce");
        if (c->report->epoch > *newest) *newest = c->report->epoch;
        before = nonce;
    }
    return true;
}

static bool check_row(void *self, const journal_row *row)
{
    checking *c = self;
    uint32_t newest = 0;
    c->rows++;
    if ((uint32_t)row->kind > JOURNAL_END_FALLBACK || row->epoch > c->epoch) {
        return archive__fail(c->m, "a row has an unknown kind, or an epoch that has not begun");
    }
    if (!check_frames(c, &row->frames, &newest)) return false;
    bool has_frames = row->frames.bytes > 0;
    bool counts = row->late != 0 || row->duplicate != 0 || row->conflicting != 0;
    if (row->kind != JOURNAL_REPORTS
            ? !has_frames && !counts
            : (has_frames || counts) && row->minute == 0 && row->epoch == newest)
        return true;
    return archive__fail(
        c->m, "row %llu of the file has frames, counts or an epoch that do not fit its kind",
        (unsigned long long)c->rows);
}

bool archive__check_content(moving *m)
{
    checking c = {.m = m, .epoch = sotto_learner_model(m->learner)->epoch};
    if (UINT32_MAX - c.epoch <= m->terms.spec.epoch_lag_max)
        return archive__fail(m, "the experiment has no epoch left");
    sotto_status status = sotto_report_new(&m->terms, &c.report);
    bool fine = status == SOTTO_OK || archive__fail(m, "%s", sotto_status_text(status));
    uint32_t number = m->experiment.number;
    fine = fine &&
           archive__done(m, m->from, journal_read_history(m->from, number, check_history, &c)) &&
           archive__done(m, m->from, journal_read_rows(m->from, number, 0, check_row, &c)) &&
           nonces_differ(&c);
    sotto_report_free(c.report);
    free(c.nonce);
    return fine;
}
