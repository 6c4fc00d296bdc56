/* Experiments and their snapshots. */
#include "inner.h"

#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* ---- experiments -------------------------------------------------------------------------- */

bool journal__experiment_of(sqlite3_stmt *statement, journal_experiment *out,
                            const uint8_t **digest)
{
    uint32_t state, quarantine;
    journal_bytes id, key;
    if (!journal__column_u32(statement, 0, &out->number) ||
        !journal__column_bytes(statement, 1, &id) || !journal__column_u32(statement, 2, &state) ||
        !journal__column_u64(statement, 3, &out->created_minute) ||
        !journal__column_u32(statement, 4, &out->epoch_seconds_min) ||
        !journal__column_u64(statement, 5, &out->epoch_reports_min) ||
        !journal__column_u64(statement, 6, &out->epoch_reports_expected) ||
        !journal__column_u32(statement, 7, &quarantine) ||
        !journal__column_bytes(statement, 8, &key) ||
        !journal__column_bytes(statement, 9, &out->terms) ||
        !journal__column_bytes(statement, 10, &out->start) ||
        !journal__column_text(statement, 11, &out->labels) ||
        !journal__column_digest(statement, 12, digest)) {
        return false;
    }
    if (id.bytes != sizeof out->id || state > JOURNAL_DELETED) return false;
    if (quarantine > 1 || (key.bytes != 0 && key.bytes != sizeof out->report_key)) return false;
    memcpy(out->id, id.at, sizeof out->id);
    out->quarantine = quarantine == 1;
    out->has_report_key = key.bytes > 0;
    memset(out->report_key, 0, sizeof out->report_key);
    if (key.bytes > 0) memcpy(out->report_key, key.at, sizeof out->report_key);
    out->state = (journal_state)state;
    return true;
}

static bool refuse_experiment(journal_sqlite *journal, uint32_t number)
{
    return journal__refuse(journal, "%s is damaged: experiment %u cannot be read",
                           journal->directory.file, number);
}

bool sqlite_read_experiments(sottod_journal *base,
                             bool (*take)(void *self, const journal_experiment *), void *self)
{
    journal_sqlite *journal = journal__sqlite_of(base);
    sqlite3_stmt *statement = journal__ask(journal, JOURNAL_SQL_EXPERIMENTS, NULL, 0);
    bool ok = statement != NULL;
    while (ok && journal__step(journal, statement, &ok)) {
        journal_experiment experiment = {.number = 0};
        const uint8_t *digest;
        ok = journal__experiment_of(statement, &experiment, &digest)
                 ? take(self, &experiment)
                 : refuse_experiment(journal, experiment.number);
    }
    journal__done(statement);
    return ok;
}

#define KEY_OF(e)                                                                                  \
    JOURNAL_VALUE_BYTES((e)->report_key, (e)->has_report_key ? sizeof(e)->report_key : 0)

bool journal__put_experiment(journal_sqlite *journal, const journal_experiment *experiment)
{
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    journal__digest_experiment(experiment, digest);
    const journal_value value[] = {
        JOURNAL_VALUE_U(experiment->number),
        JOURNAL_VALUE_BYTES(experiment->id, sizeof experiment->id),
        JOURNAL_VALUE_U((uint64_t)experiment->state),
        JOURNAL_VALUE_U(experiment->created_minute),
        JOURNAL_VALUE_U(experiment->epoch_seconds_min),
        JOURNAL_VALUE_U(experiment->epoch_reports_min),
        JOURNAL_VALUE_U(experiment->epoch_reports_expected),
        JOURNAL_VALUE_U(experiment->quarantine),
        KEY_OF(experiment),
        JOURNAL_VALUE_BYTES(experiment->terms.at, experiment->terms.bytes),
        JOURNAL_VALUE_BYTES(experiment->start.at, experiment->start.bytes),
        JOURNAL_VALUE_TEXT(experiment->labels),
        JOURNAL_VALUE_DIGEST(digest),
    };
    return journal__change(journal, JOURNAL_SQL_ADD_EXPERIMENT, value, COUNT(value),
                           "take the experiment");
}

bool sqlite_add_experiment(sottod_journal *base, journal_experiment *experiment)
{
    journal_sqlite *journal = journal__sqlite_of(base);
    if (!journal__may_change(journal)) return false;
    if ((uint32_t)experiment->state >= JOURNAL_DELETED) {
        return journal__refuse(journal, "a new experiment has state %u: allowed 0 to 2",
                               (unsigned)experiment->state);
    }
    if (!journal__grow(journal)) return false;
    journal_experiment added = *experiment;
    added.number = journal->entries;
    if (journal__touch(journal, added.number) == NULL) return false;
    if (!journal__put_experiment(journal, &added)) return false;
    experiment->number = added.number;
    return true;
}

/* The columns that may change. */
typedef struct row_change {
    bool has_state, has_quarantine;
    journal_state state;
    bool quarantine;
    const char *labels; /* NULL: labels and key stay */
    const uint8_t *report_key;
} row_change;

/* Rewrites a changed row; for a deleted experiment, without its content. */
static bool write_changed(journal_sqlite *journal, journal_experiment *experiment,
                          const row_change *to)
{
    if (to->has_state) experiment->state = to->state;
    if (to->has_quarantine) experiment->quarantine = to->quarantine;
    if (to->labels != NULL) {
        experiment->labels = to->labels;
        experiment->has_report_key = to->report_key != NULL;
        memset(experiment->report_key, 0, sizeof experiment->report_key);
        if (to->report_key != NULL)
            memcpy(experiment->report_key, to->report_key, sizeof experiment->report_key);
    }
    if (experiment->state == JOURNAL_DELETED) {
        experiment->terms = experiment->start = (journal_bytes){.bytes = 0};
        experiment->labels = "";
        experiment->has_report_key = false;
    }
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    journal__digest_experiment(experiment, digest);
    const journal_value value[] = {
        JOURNAL_VALUE_U((uint64_t)experiment->state),
        JOURNAL_VALUE_U(experiment->quarantine),
        KEY_OF(experiment),
        JOURNAL_VALUE_BYTES(experiment->terms.at, experiment->terms.bytes),
        JOURNAL_VALUE_BYTES(experiment->start.at, experiment->start.bytes),
        JOURNAL_VALUE_TEXT(experiment->labels),
        JOURNAL_VALUE_DIGEST(digest),
        JOURNAL_VALUE_U(experiment->number),
    };
    return journal__change(journal, JOURNAL_SQL_SET_EXPERIMENT, value, COUNT(value), "be written");
}

static bool change_row(journal_sqlite *journal, uint32_t number, const row_change *to)
{
    const journal_value value[] = {JOURNAL_VALUE_U(number)};
    sqlite3_stmt *statement = journal__ask(journal, JOURNAL_SQL_EXPERIMENT, value, COUNT(value));
    if (statement == NULL) return false;
    journal_experiment experiment;
    const uint8_t *digest;
    int code = sqlite3_step(statement);
    bool ok = code == SQLITE_ROW;
    if (!ok) journal__refuse_sqlite(journal, code, "be read");
    if (ok && !journal__experiment_of(statement, &experiment, &digest))
        ok = refuse_experiment(journal, number);
    ok = ok && write_changed(journal, &experiment, to);
    journal__done(statement);
    return ok;
}

bool sqlite_set_state(sottod_journal *base, uint32_t experiment, journal_state state)
{
    journal_sqlite *journal = journal__sqlite_of(base);
    journal_log *log = journal__touch(journal, experiment);
    if (log == NULL) return false;
    if ((uint32_t)state > JOURNAL_DELETED) {
        return journal__refuse(journal, "an experiment has state %u: allowed 0 to 3",
                               (unsigned)state);
    }
    const row_change to = {.has_state = true, .state = state};
    if (!change_row(journal, experiment, &to)) return false;
    if (state != JOURNAL_DELETED) return true;
    const journal_value value[] = {JOURNAL_VALUE_U(experiment)};
    if (!journal__change(journal, JOURNAL_SQL_REMOVE_SNAPSHOT, value, 1, "be written")) {
        return false;
    }
    log->deleted = true;
    log->has_snapshot = false;
    log->snapshot_seq = 0;
    return journal__remove_slice(journal, experiment, log);
}

bool sqlite_set_quarantine(sottod_journal *base, uint32_t experiment, bool quarantine)
{
    journal_sqlite *journal = journal__sqlite_of(base);
    const row_change to = {.has_quarantine = true, .quarantine = quarantine};
    return journal__touch(journal, experiment) != NULL && change_row(journal, experiment, &to);
}

bool sqlite_set_access(sottod_journal *base, uint32_t experiment, const char *labels,
                       const uint8_t *report_key)
{
    journal_sqlite *journal = journal__sqlite_of(base);
    const row_change to = {.labels = labels, .report_key = report_key};
    return journal__touch(journal, experiment) != NULL && change_row(journal, experiment, &to);
}

/* ---- snapshots ---------------------------------------------------------------------------- */

bool journal__snapshot_of(sqlite3_stmt *statement, journal_snapshot *out, const uint8_t **digest)
{
    out->results = (journal_bytes){.bytes = 0};
    return journal__column_u32(statement, 0, &out->experiment) &&
           journal__column_u64(statement, 1, &out->seq) &&
           journal__column_u64(statement, 2, &out->counts.folded) &&
           journal__column_u64(statement, 3, &out->counts.late) &&
           journal__column_u64(statement, 4, &out->counts.duplicate) &&
           journal__column_u64(statement, 5, &out->counts.conflicting) &&
           journal__column_bytes(statement, 6, &out->learner) &&
           journal__column_digest(statement, 7, digest);
}

bool sqlite_read_snapshot(sottod_journal *base, uint32_t experiment,
                          bool (*take)(void *self, const journal_snapshot *), void *self,
                          bool *found)
{
    journal_sqlite *journal = journal__sqlite_of(base);
    const journal_value value[] = {JOURNAL_VALUE_U(experiment)};
    *found = false;
    sqlite3_stmt *statement = journal__ask(journal, JOURNAL_SQL_SNAPSHOT, value, COUNT(value));
    if (statement == NULL) return false;
    journal_snapshot snapshot = {.experiment = 0};
    const uint8_t *digest;
    bool ok = true;
    if (journal__step(journal, statement, &ok)) {
        *found = journal__snapshot_of(statement, &snapshot, &digest);
        ok = *found ? take(self, &snapshot)
                    : journal__refuse(journal,
                                      "%s is damaged: the snapshot of experiment %u cannot be read",
                                      journal->directory.file, experiment);
    }
    journal__done(statement);
    return ok;
}

bool journal__put_snapshot(journal_sqlite *journal, const journal_snapshot *snapshot)
{
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    journal__digest_snapshot(snapshot, digest);
    const journal_value value[] = {
        JOURNAL_VALUE_U(snapshot->experiment),
        JOURNAL_VALUE_U(snapshot->seq),
        JOURNAL_VALUE_U(snapshot->counts.folded),
        JOURNAL_VALUE_U(snapshot->counts.late),
        JOURNAL_VALUE_U(snapshot->counts.duplicate),
        JOURNAL_VALUE_U(snapshot->counts.conflicting),
        JOURNAL_VALUE_BYTES(snapshot->learner.at, snapshot->learner.bytes),
        JOURNAL_VALUE_DIGEST(digest),
    };
    return journal__change(journal, JOURNAL_SQL_PUT_SNAPSHOT, value, COUNT(value), "be written");
}

bool sqlite_put_snapshot(sottod_journal *base, const journal_snapshot *snapshot)
{
    journal_sqlite *journal = journal__sqlite_of(base);
    journal_log *log = journal__touch(journal, snapshot->experiment);
    if (log == NULL) return false;
    if (snapshot->seq > journal->last || snapshot->seq < log->snapshot_seq) {
        return journal__refuse(journal,
                               "a snapshot of experiment %u is of row %llu: allowed %llu (that of "
                               "the previous snapshot) to %llu (the last row)",
                               snapshot->experiment, (unsigned long long)snapshot->seq,
                               (unsigned long long)log->snapshot_seq,
                               (unsigned long long)journal->last);
    }
    if (!journal__put_snapshot(journal, snapshot)) return false;
    log->snapshot_seq = snapshot->seq;
    log->has_snapshot = true;
    return true;
}
