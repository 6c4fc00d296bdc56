/* Moves an experiment from one journal to another. */
#include "core/core.h"
#include "inner.h"

#include <stdlib.h>
#include <string.h>

/* ---- reading ------------------------------------------------------------------------------ */

/* Copies it, because its texts are only valid during the call. */
static bool hold(moving *m, const journal_experiment *e)
{
    size_t terms = e->terms.bytes, start = e->start.bytes, labels = strlen(e->labels) + 1;
    m->held = malloc(terms + start + labels);
    if (m->held == NULL) return archive__fail(m, "out of memory");
    m->experiment = *e;
    if (terms > 0) memcpy(m->held, e->terms.at, terms);
    if (start > 0) memcpy(m->held + terms, e->start.at, start);
    memcpy(m->held + terms + start, e->labels, labels);
    m->experiment.terms = (journal_bytes){m->held, terms};
    m->experiment.start = (journal_bytes){m->held + terms, start};
    m->experiment.labels = (const char *)m->held + terms + start;
    return true;
}

static bool take_experiment(void *self, const journal_experiment *e)
{
    moving *m = self;
    if (m->id != NULL && memcmp(e->id, m->id, sizeof e->id) != 0) return true;
    if (m->experiments++ > 0) return archive__fail(m, "the file has more than one experiment");
    return hold(m, e);
}

static bool take_snapshot(void *self, const journal_snapshot *snapshot)
{
    moving *m = self;
    sotto_learner_free(m->learner);
    m->learner = NULL;
    m->snapshot_seq = snapshot->seq;
    m->counts = snapshot->counts;
    m->ended = snapshot->ended;
    const journal_bytes *bytes = &snapshot->learner;
    if (sotto_learner_bytes_fault(&m->terms, bytes->at, bytes->bytes, m->fault) != SOTTO_OK)
        return false;
    sotto_status status = sotto_learner_decode(&m->terms, bytes->at, bytes->bytes, &m->learner);
    return status == SOTTO_OK ||
           archive__fail(m,
                         "the snapshot in the journal is damaged, or there is not enough memory");
}

static void add_counts(journal_counts *sum, const journal_row *row, uint64_t folded)
{
    sum->folded += folded;
    sum->late += row->late;
    sum->duplicate += row->duplicate;
    sum->conflicting += row->conflicting;
}

/* As the service does at startup. */
static sotto_status learn(sotto_learner *learner, const journal_row *row)
{
    sotto_status status = SOTTO_OK;
    if (row->frames.bytes > 0)
        status = sotto_learner_take_frames(learner, row->frames.at, row->frames.bytes, NULL);
    if (status == SOTTO_OK && row->kind == JOURNAL_END_FALLBACK)
        status = sotto_learner_end_fallback(learner);
    if (status == SOTTO_OK && (row->kind == JOURNAL_PUBLISH || row->kind == JOURNAL_END_FALLBACK))
        status = sotto_learner_publish(learner);
    if (status == SOTTO_OK && row->kind == JOURNAL_DISCARD) status = sotto_learner_discard(learner);
    return status;
}

static bool take_row(void *self, const journal_row *row)
{
    moving *m = self;
    uint64_t folded = row->frames.bytes / sotto_report_bytes(&m->terms);
    m->rows++;
    m->publishes += row->kind != JOURNAL_REPORTS;
    add_counts(&m->in_rows, row, folded);
    if (row->seq <= m->snapshot_seq) return true;
    add_counts(&m->counts, row, folded);
    sotto_status status = learn(m->learner, row);
    if (status == SOTTO_OK) return true;
    return archive__fail(m, "the learner refuses row %llu of the journal: %s",
                         (unsigned long long)row->seq, sotto_status_text(status));
}

static bool load_terms(moving *m)
{
    const journal_experiment *e = &m->experiment;
    if (sotto_terms_bytes_fault(e->terms.at, e->terms.bytes, m->fault) != SOTTO_OK) return false;
    if (sotto_terms_decode(e->terms.at, e->terms.bytes, &m->terms) != SOTTO_OK)
        return archive__fail(m, "the terms in the journal are damaged");
    if (m->id == NULL && !archive__check_experiment(m)) return false;
    return sotto_learner_decode(&m->terms, e->start.at, e->start.bytes, &m->learner) == SOTTO_OK ||
           archive__fail(m,
                         "the learner's initial state is damaged, or there is not enough memory");
}

/* False if all rows are in the snapshot. A shared journal has no rows to read: it refuses. */
static bool needs_rows(const moving *m)
{
    return m->experiment.state != JOURNAL_CLOSED || !m->ended || m->with_reports;
}

static bool load(moving *m)
{
    bool has_snapshot;
    m->fault->sentence[0] = '\0';
    if (!archive__done(m, m->from, journal_read_experiments(m->from, take_experiment, m)))
        return false;
    if (m->experiments == 0)
        return archive__fail(
            m, "%s", m->id != NULL ? "there is no such experiment" : "the file has no experiment");
    if (m->experiment.state == JOURNAL_DELETED)
        return archive__fail(m, "the experiment was deleted");
    uint32_t number = m->experiment.number;
    if (!load_terms(m) ||
        !archive__done(m, m->from,
                       journal_read_snapshot(m->from, number, take_snapshot, m, &has_snapshot)))
        return false;
    return !needs_rows(m) ||
           archive__done(m, m->from, journal_read_rows(m->from, number, 0, take_row, m));
}

static void let_go(moving *m)
{
    sotto_learner_free(m->learner);
    free(m->held);
}

/* ---- adding ------------------------------------------------------------------------------- */

static bool added(moving *m, bool answer)
{
    return archive__done(m, m->to, answer);
}

static bool add_history(void *self, const journal_history *from)
{
    moving *m = self;
    journal_history history = *from;
    /* its rows were given up */
    if (history.epoch > sotto_learner_model(m->learner)->epoch) return true;
    history.experiment = m->number;
    return added(m, journal_add_history(m->to, &history));
}

static bool append(moving *m, journal_row row)
{
    row.experiment = m->number;
    if (!added(m, journal_append(m->to, &row))) return false;
    m->seq = row.seq;
    return true;
}

static bool add_row(void *self, const journal_row *row)
{
    return append(self, *row);
}

static bool add_snapshot(moving *m)
{
    size_t bytes = sotto_learner_bytes(m->learner);
    uint8_t *learner = malloc(bytes);
    bool ok = learner != NULL && sotto_learner_encode(m->learner, learner, bytes) == SOTTO_OK;
    if (!ok) (void)archive__fail(m, "the learner cannot be encoded, or there is not enough memory");
    const journal_snapshot snapshot = {
        .experiment = m->number, .seq = m->seq, .counts = m->counts, .learner = {learner, bytes}};
    ok = ok && added(m, journal_put_snapshot(m->to, &snapshot));
    free(learner);
    return ok;
}

/* The rows lead from the learner before the first report to the last one. */
static bool has_all_rows(const moving *m)
{
    const journal_counts *rows = &m->in_rows, *all = &m->counts;
    return m->with_reports && m->publishes == sotto_learner_model(m->learner)->epoch &&
           rows->folded == all->folded && rows->late == all->late &&
           rows->duplicate == all->duplicate && rows->conflicting == all->conflicting;
}

/* Adds a row and removes it at once: the journal then records that earlier rows are gone and that their effect is
 * only in the snapshot. */
static bool add_gap(moving *m)
{
    const uint32_t epoch = sotto_learner_model(m->learner)->epoch;
    return append(m, (journal_row){.kind = JOURNAL_PUBLISH, .epoch = epoch}) && add_snapshot(m) &&
           added(m, journal_remove_rows(m->to, m->number, m->seq));
}

/* Afterwards, every report made earlier is late. */
static bool end_open_epochs(moving *m)
{
    uint32_t epoch = sotto_learner_model(m->learner)->epoch;
    if ((m->with_reports && m->rows > 0) || m->experiment.state == JOURNAL_CLOSED) return true;
    for (uint32_t i = 0; i <= m->terms.spec.epoch_lag_max; i++) {
        if (!append(m, (journal_row){.kind = JOURNAL_PUBLISH, .epoch = ++epoch})) return false;
    }
    return true;
}

static bool add_all(moving *m)
{
    journal_experiment e = m->experiment;
    uint32_t number = e.number;
    if (!added(m, journal_add_experiment(m->to, &e))) return false;
    m->number = e.number;
    if (!has_all_rows(m) && !add_gap(m)) return false;
    return archive__done(m, m->from, journal_read_history(m->from, number, add_history, m)) &&
           (!m->with_reports ||
            archive__done(m, m->from, journal_read_rows(m->from, number, 0, add_row, m))) &&
           add_snapshot(m) && end_open_epochs(m);
}

static bool add(moving *m)
{
    if (!added(m, journal_begin(m->to))) return false;
    return added(m, journal_finish(m->to, add_all(m)));
}

/* ---- both ways ------------------------------------------------------------------------------ */

/* Ending an epoch with so few reports would publish them. */
static bool may_leave_reports_out(moving *m)
{
    uint64_t taken = sotto_learner_taken(m->learner), least = m->experiment.epoch_reports_min;
    if (m->experiment.state == JOURNAL_CLOSED || taken == 0 || taken >= least) return true;
    return archive__fail(
        m,
        "the open epochs have %llu reports, fewer than epoch_reports_min (%llu): use "
        "--with-reports, or close the experiment first",
        (unsigned long long)taken, (unsigned long long)least);
}

sotto_status archive_write(sottod_journal *from, const uint8_t id[SOTTO_SPEC_ID_BYTES],
                           bool with_reports, sottod_journal *to, sotto_fault *fault)
{
    moving m = {.from = from, .to = to, .id = id, .with_reports = with_reports, .fault = fault};
    bool fine = load(&m) && (with_reports || may_leave_reports_out(&m)) && add(&m);
    let_go(&m);
    return fine ? SOTTO_OK : SOTTO_E_FAULT;
}

static bool is_other(void *self, const journal_experiment *there)
{
    moving *m = self;
    if (memcmp(there->id, m->experiment.id, sizeof there->id) != 0) return true;
    return archive__fail(
        m, "the experiment exists already, or was deleted; an id cannot be used again");
}

sotto_status archive_read(sottod_journal *from, sottod_journal *to, uint8_t id[SOTTO_SPEC_ID_BYTES],
                          sotto_fault *fault)
{
    moving m = {.from = from, .to = to, .with_reports = true, .fault = fault};
    bool fine = load(&m) && archive__check_content(&m) &&
                added(&m, journal_read_experiments(to, is_other, &m)) && add(&m);
    if (fine) memcpy(id, m.experiment.id, SOTTO_SPEC_ID_BYTES);
    let_go(&m);
    return fine ? SOTTO_OK : SOTTO_E_FAULT;
}
