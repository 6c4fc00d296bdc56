/*
 * Recovery by hand after damage, which gives up rows. The old files are copied aside first. A new file is made of what
 * is good, and replaces the old one when it is complete:
 *
 *   rows       all rows of undamaged experiments; of damaged ones, the rows up to `recover_to`
 *   snapshots  all good ones, even if newer than the remaining rows: they include what was learnt from the rows
 *              that are given up
 *   history    all that is good, except publishes that were given up
 *
 * The table `recovery` has a row for each recovery; numbers of rows are never used again. */
#include "inner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LL(x) ((unsigned long long)(x))

typedef struct rescue {
    journal_sqlite *from;
    journal_sqlite *to;
    const journal_damage *damage;
    uint64_t recover_to;
    uint32_t recoveries; /* before this one */
    uint32_t *epoch_end; /* of experiment 1, 2, …: history from this epoch on is given up */
} rescue;

/* Calls `copy` for each row of a statement, up to its end or to an unreadable page. */
static bool each(rescue *r, journal_sql sql, const journal_value *value, int values,
                 bool (*copy)(rescue *r, sqlite3_stmt *statement))
{
    sqlite3_stmt *statement = journal__ask(r->from, sql, value, values);
    bool ok = statement != NULL;
    int code = SQLITE_DONE;
    while (ok && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        ok = copy(r, statement);
    }
    if (ok && code != SQLITE_DONE && (code & 0xff) != SQLITE_CORRUPT) {
        ok = journal__refuse_sqlite(r->from, code, "be read");
    }
    if (statement != NULL) journal__done(statement);
    return ok;
}

/* The check found the experiments good. */
static bool copy_experiment(rescue *r, sqlite3_stmt *statement)
{
    journal_experiment experiment;
    const uint8_t *digest;
    return !journal__experiment_of(statement, &experiment, &digest) ||
           journal__put_experiment(r->to, &experiment);
}

static bool copy_row(rescue *r, sqlite3_stmt *statement)
{
    journal_row row = {.seq = 0};
    const uint8_t *digest;
    bool readable = journal__row_of(statement, &row, &digest);
    if (row.experiment == 0 || row.experiment > r->from->entries) return true;
    journal_entry *entry = r->from->entry[row.experiment - 1];
    bool whole = r->damage->bad_seq[row.experiment - 1] == 0;
    if (readable && (whole || row.seq <= r->recover_to)) {
        entry->now.ends.head_seq = row.seq;
        memcpy(entry->now.ends.head, digest, JOURNAL_DIGEST_BYTES);
        return journal__put_row(r->to, &row, digest);
    }
    uint32_t *epoch_end = &r->epoch_end[row.experiment - 1];
    if (readable && row.kind != JOURNAL_REPORTS && row.seq > entry->now.snapshot_seq &&
        row.epoch < *epoch_end) {
        *epoch_end = row.epoch;
    }
    return true;
}

static bool copy_snapshot(rescue *r, sqlite3_stmt *statement)
{
    journal_snapshot snapshot = {.experiment = 0};
    const uint8_t *digest;
    if (!journal__snapshot_of(statement, &snapshot, &digest)) return true;
    if (snapshot.experiment == 0 || snapshot.experiment > r->from->entries) return true;
    if (!r->from->entry[snapshot.experiment - 1]->now.has_snapshot) return true;
    return journal__put_snapshot(r->to, &snapshot);
}

static bool copy_history(rescue *r, sqlite3_stmt *statement)
{
    journal_history history = {.experiment = 0};
    const uint8_t *stored;
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    if (!journal__history_of(statement, &history, &stored)) return true;
    if (history.experiment == 0 || history.experiment > r->from->entries) return true;
    journal__digest_history(&history, digest);
    if (memcmp(stored, digest, sizeof digest) != 0) return true;
    if (history.epoch >= r->epoch_end[history.experiment - 1]) return true;
    return journal__put_history(r->to, &history);
}

static bool put_recovery(journal_sqlite *to, const journal_recovery *recovery)
{
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    journal__digest_recovery(recovery, digest);
    const journal_value value[] = {JOURNAL_VALUE_U(recovery->number),
                                   JOURNAL_VALUE_U(recovery->kept_to),
                                   JOURNAL_VALUE_U(recovery->last), JOURNAL_VALUE_DIGEST(digest)};
    return journal__change(to, JOURNAL_SQL_PUT_RECOVERY, value, 4, "be written");
}

static bool copy_recovery(rescue *r, sqlite3_stmt *statement)
{
    journal_recovery recovery;
    bool readable = journal__column_u32(statement, 0, &recovery.number) &&
                    journal__column_u64(statement, 1, &recovery.kept_to) &&
                    journal__column_u64(statement, 2, &recovery.last);
    if (!readable) return true;
    r->recoveries++;
    return put_recovery(r->to, &recovery);
}

/* Comes after the rows, which move the heads of damaged experiments. */
static bool copy_ends(rescue *r)
{
    for (uint32_t i = 0; i < r->from->entries; i++) {
        if (!journal__put_ends(r->to, i + 1, &r->from->entry[i]->now.ends)) return false;
    }
    return true;
}

static bool copy_all(rescue *r)
{
    const journal_value all[] = {JOURNAL_VALUE_U(0)};
    for (uint32_t i = 0; i < r->from->entries; i++) {
        journal_ends *ends = &r->from->entry[i]->now.ends;
        r->epoch_end[i] = UINT32_MAX;
        if (r->damage->bad_seq[i] == 0) continue;
        ends->head_seq = ends->anchor_seq;
        memcpy(ends->head, ends->anchor, sizeof ends->head);
    }
    if (!each(r, JOURNAL_SQL_EXPERIMENTS, NULL, 0, copy_experiment) ||
        !each(r, JOURNAL_SQL_ROWS, all, 1, copy_row) || !copy_ends(r) ||
        !each(r, JOURNAL_SQL_SNAPSHOTS, NULL, 0, copy_snapshot) ||
        !each(r, JOURNAL_SQL_HISTORY, NULL, 0, copy_history) ||
        !each(r, JOURNAL_SQL_RECOVERIES, NULL, 0, copy_recovery)) {
        return false;
    }
    const journal_recovery recovery = {
        .number = r->recoveries + 1, .kept_to = r->recover_to, .last = r->damage->last};
    return put_recovery(r->to, &recovery);
}

static bool make_new(rescue *r)
{
    if (!journal__make_file(r->to, r->to->directory.unborn)) return false;
    int code = journal__prepare(r->to->data, r->to->statement);
    if (code == SQLITE_OK) code = sqlite3_exec(r->to->data, "BEGIN", NULL, NULL, NULL);
    if (code != SQLITE_OK) return journal__refuse_sqlite(r->to, code, "be made");
    if (!copy_all(r)) return false;
    code = sqlite3_exec(r->to->data, "COMMIT", NULL, NULL, NULL);
    return code == SQLITE_OK || journal__refuse_sqlite(r->to, code, "be written");
}

/* Copies the old file's log into it, so that it is complete without the log and can be replaced at any moment. */
static bool replace_old(journal_sqlite *journal)
{
    int code =
        sqlite3_wal_checkpoint_v2(journal->data, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    if (code != SQLITE_OK) return journal__refuse_sqlite(journal, code, "be replaced");
    journal__close_data(journal);
    /* in SQLite's own order */
    const char *names[] = {journal->directory.index, journal->directory.log};
    for (int i = 0; i < 2; i++) {
        if (unlink(names[i]) != 0 && errno != ENOENT) {
            return journal__refuse(journal, "%s cannot be removed", names[i]);
        }
    }
    return journal__directory_adopt(&journal->directory, &journal->fault) == SOTTO_OK;
}

static bool make_again(journal_sqlite *journal, const journal_damage *damage, uint64_t recover_to)
{
    rescue r = {.from = journal, .damage = damage, .recover_to = recover_to};
    r.to = calloc(1, sizeof *r.to);
    r.epoch_end = calloc((size_t)journal->entries + 1, sizeof r.epoch_end[0]);
    bool ok = r.to != NULL && r.epoch_end != NULL;
    if (!ok) journal__refuse(journal, "no memory to rebuild the journal");
    if (r.to != NULL) {
        r.to->directory = journal->directory;
        if (ok && !make_new(&r)) {
            ok = false;
            if (r.to->fault.sentence[0] != '\0') journal->fault = r.to->fault;
        }
        journal__close_data(r.to);
    }
    free(r.epoch_end);
    free(r.to);
    return ok && replace_old(journal);
}

bool journal__recover(journal_sqlite *journal, const journal_damage *damage, uint64_t recover_to)
{
    char copy[JOURNAL_PATH_BYTES];
    uint64_t limit = damage->limit < damage->last ? damage->limit : damage->last;
    if (damage->hopeless || limit == 0) return journal__refuse_damage(journal, damage);
    if (recover_to > limit) {
        return journal__refuse(journal,
                               "--recover-to %llu: %s is damaged (%s), and only rows up to %llu "
                               "are good: allowed 1 to %llu",
                               LL(recover_to), journal->directory.file, damage->place, LL(limit),
                               LL(limit));
    }
    if (journal__directory_keep(&journal->directory, copy, &journal->fault) != SOTTO_OK)
        return false;
    return make_again(journal, damage, recover_to);
}
