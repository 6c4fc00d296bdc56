/*
 * Everything is checked when a journal is opened: each row's digest; that each experiment's rows are a chain from
 * its anchor to its head, with none missing; SQLite's own structure. The check reads the whole file, even after
 * the first damage, so that what is sound need not be given up.
 *
 * During the check, entry.before.ends.head and .head_seq are the last good row of an experiment. */
#include "inner.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LL(x) ((unsigned long long)(x))

static bool same(const uint8_t *a, const uint8_t *b)
{
    return memcmp(a, b, JOURNAL_DIGEST_BYTES) == 0;
}

/* ---- what was found ----------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void note(journal_damage *damage, const char *format,
                                                       ...)
{
    if (damage->found) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(damage->place, sizeof damage->place, format, arguments);
    va_end(arguments);
    damage->found = true;
}

/* The sentence must name the damage that no recovery can repair. */
#define note_hopeless(damage, ...)                                                                 \
    do {                                                                                           \
        if (!(damage)->hopeless) (damage)->found = false;                                          \
        note(damage, __VA_ARGS__);                                                                 \
        (damage)->hopeless = true;                                                                 \
    } while (0)

/* Only rows before this one may be good. */
static void note_limit(journal_damage *damage, uint64_t seq)
{
    if (seq - 1 < damage->limit) damage->limit = seq - 1;
}

void journal__damage_free(journal_damage *damage)
{
    free(damage->bad_seq);
    damage->bad_seq = NULL;
}

bool journal__refuse_damage(journal_sqlite *journal, const journal_damage *damage)
{
    uint64_t limit = damage->limit < damage->last ? damage->limit : damage->last;
    if (damage->hopeless || limit == 0) {
        return journal__refuse(
            journal, "%s is damaged: %s. Restore a copy of the directory; there is no other repair",
            journal->directory.file, damage->place);
    }
    return journal__refuse(journal,
                           "%s is damaged: %s. Restore a copy of the directory, or discard all "
                           "rows after the last good one: --recover-to %llu",
                           journal->directory.file, damage->place, LL(limit));
}

/* After a statement has stopped: at its end, or at an unreadable page. Other errors end the check. */
static bool ended(journal_sqlite *journal, sqlite3_stmt *statement, int code, bool *unreadable)
{
    *unreadable = (code & 0xff) == SQLITE_CORRUPT;
    bool ok = code == SQLITE_DONE || *unreadable;
    if (!ok) journal__refuse_sqlite(journal, code, "be read");
    journal__done(statement);
    return ok;
}

/* ---- table by table ----------------------------------------------------------------------- */

static bool check_experiments(journal_sqlite *journal, journal_damage *damage)
{
    sqlite3_stmt *statement = journal__ask(journal, JOURNAL_SQL_EXPERIMENTS, NULL, 0);
    int code;
    bool unreadable;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        journal_experiment experiment = {.number = 0};
        const uint8_t *stored;
        uint8_t digest[JOURNAL_DIGEST_BYTES] = {0};
        uint32_t number = journal->entries + 1;
        bool good = journal__experiment_of(statement, &experiment, &stored);
        if (good) journal__digest_experiment(&experiment, digest);
        if (!good || experiment.number != number || !same(digest, stored)) {
            note_hopeless(damage, "experiment %u, its row in the table experiment", number);
            break;
        }
        if (!journal__grow(journal)) {
            journal__done(statement);
            return false;
        }
        journal->entry[number - 1]->now.deleted = experiment.state == JOURNAL_DELETED;
    }
    if (damage->hopeless) code = SQLITE_DONE;
    if (!ended(journal, statement, code, &unreadable)) return false;
    if (unreadable) note_hopeless(damage, "the table experiment after %u", journal->entries);
    return true;
}

static bool ends_of(sqlite3_stmt *statement, uint32_t *experiment, journal_ends *out)
{
    const uint8_t *anchor, *head, *stored;
    if (!journal__column_u32(statement, 0, experiment) ||
        !journal__column_u64(statement, 1, &out->anchor_seq) ||
        !journal__column_digest(statement, 2, &anchor) ||
        !journal__column_u64(statement, 3, &out->head_seq) ||
        !journal__column_digest(statement, 4, &head) ||
        !journal__column_digest(statement, 5, &stored)) {
        return false;
    }
    memcpy(out->anchor, anchor, sizeof out->anchor);
    memcpy(out->head, head, sizeof out->head);
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    journal__digest_ends(*experiment, out, digest);
    return same(digest, stored) && out->anchor_seq <= out->head_seq;
}

/* One row per experiment, in order. */
static bool check_ends(journal_sqlite *journal, journal_damage *damage)
{
    sqlite3_stmt *statement = journal__ask(journal, JOURNAL_SQL_ENDS, NULL, 0);
    uint32_t count = 0;
    int code;
    bool unreadable;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW && count < journal->entries) {
        journal_entry *entry = journal->entry[count++];
        uint32_t experiment = 0;
        if (!ends_of(statement, &experiment, &entry->now.ends) || experiment != count) {
            note_hopeless(damage, "experiment %u, its row in the table ends", count);
            break;
        }
        entry->before.ends.head_seq = entry->now.ends.anchor_seq;
        memcpy(entry->before.ends.head, entry->now.ends.anchor, JOURNAL_DIGEST_BYTES);
        if (entry->now.ends.head_seq > damage->last) damage->last = entry->now.ends.head_seq;
    }
    bool more = code == SQLITE_ROW;
    if (!ended(journal, statement, more ? SQLITE_DONE : code, &unreadable)) return false;
    if (more || unreadable || count != journal->entries) {
        note_hopeless(damage, "the table ends after experiment %u", count);
    }
    return true;
}

static void check_snapshot(journal_sqlite *journal, journal_damage *damage, sqlite3_stmt *statement)
{
    journal_snapshot snapshot = {.experiment = 0};
    const uint8_t *stored;
    uint8_t digest[JOURNAL_DIGEST_BYTES] = {0};
    bool good = journal__snapshot_of(statement, &snapshot, &stored);
    uint32_t experiment = snapshot.experiment;
    if (good) journal__digest_snapshot(&snapshot, digest);
    if (experiment == 0 || experiment > journal->entries ||
        journal->entry[experiment - 1]->now.deleted) {
        note(damage, "the snapshot of experiment %u, which does not exist", experiment);
        return;
    }
    journal_entry *entry = journal->entry[experiment - 1];
    if (good && same(digest, stored)) {
        entry->now.has_snapshot = true;
        entry->now.snapshot_seq = snapshot.seq;
        return;
    }
    note(damage, "experiment %u, its snapshot", experiment);
}

/* Removed rows exist only in the snapshot. */
static bool check_snapshots(journal_sqlite *journal, journal_damage *damage)
{
    sqlite3_stmt *statement = journal__ask(journal, JOURNAL_SQL_SNAPSHOTS, NULL, 0);
    int code;
    bool unreadable;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        check_snapshot(journal, damage, statement);
    }
    if (!ended(journal, statement, code, &unreadable)) return false;
    if (unreadable) note(damage, "the table snapshot");
    for (uint32_t i = 0; i < journal->entries; i++) {
        const journal_log *log = &journal->entry[i]->now;
        if (log->deleted || log->snapshot_seq >= log->ends.anchor_seq) continue;
        note_hopeless(damage, "experiment %u, its snapshot, which alone has the rows up to %llu",
                      i + 1, LL(log->ends.anchor_seq));
    }
    return true;
}

/* ---- the rows ----------------------------------------------------------------------------- */

static void check_row(journal_sqlite *journal, journal_damage *damage, sqlite3_stmt *statement)
{
    journal_row row = {.seq = 0};
    const uint8_t *stored;
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    bool good = journal__row_of(statement, &row, &stored);
    if (row.seq > damage->last) damage->last = row.seq;
    if (row.experiment == 0 || row.experiment > journal->entries) {
        note(damage, "row %llu, of experiment %u, which does not exist", LL(row.seq),
             row.experiment);
        note_limit(damage, row.seq);
        return;
    }
    if (damage->bad_seq[row.experiment - 1] != 0) return;
    journal_ends *seen = &journal->entry[row.experiment - 1]->before.ends;
    if (good) journal__digest_row(seen->head, &row, digest);
    if (!good || !same(digest, stored)) {
        note(damage, "row %llu of experiment %u, or one of its rows between %llu and this one",
             LL(row.seq), row.experiment, LL(seen->head_seq));
        damage->bad_seq[row.experiment - 1] = row.seq;
        note_limit(damage, row.seq);
        return;
    }
    seen->head_seq = row.seq;
    memcpy(seen->head, digest, sizeof digest);
}

static bool check_rows(journal_sqlite *journal, journal_damage *damage)
{
    const journal_value all[] = {JOURNAL_VALUE_U(0)};
    sqlite3_stmt *statement = journal__ask(journal, JOURNAL_SQL_ROWS, all, 1);
    uint64_t last = 0;
    int code;
    bool unreadable;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        check_row(journal, damage, statement);
        last = (uint64_t)sqlite3_column_int64(statement, 0);
    }
    if (!ended(journal, statement, code, &unreadable)) return false;
    if (unreadable) {
        note(damage, "rows after %llu, which are unreadable", LL(last));
        note_limit(damage, last + 1);
    }
    for (uint32_t i = 0; i < journal->entries; i++) {
        const journal_ends *ends = &journal->entry[i]->now.ends,
                           *seen = &journal->entry[i]->before.ends;
        if (damage->bad_seq[i] != 0) continue;
        if (seen->head_seq == ends->head_seq && same(seen->head, ends->head)) continue;
        note(damage, "experiment %u, whose rows end at %llu instead of %llu", i + 1,
             LL(seen->head_seq), LL(ends->head_seq));
        damage->bad_seq[i] = seen->head_seq + 1;
        note_limit(damage, ends->head_seq);
    }
    return true;
}

/* ---- the rest ----------------------------------------------------------------------------- */

static bool check_history(journal_sqlite *journal, journal_damage *damage)
{
    sqlite3_stmt *statement = journal__ask(journal, JOURNAL_SQL_HISTORY, NULL, 0);
    int code;
    bool unreadable;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        journal_history history = {.experiment = 0};
        const uint8_t *stored;
        uint8_t digest[JOURNAL_DIGEST_BYTES] = {0};
        bool good = journal__history_of(statement, &history, &stored);
        if (good) journal__digest_history(&history, digest);
        if (!good || !same(digest, stored)) {
            note(damage, "the history of experiment %u at epoch %u", history.experiment,
                 history.epoch);
        } else if (history.experiment > 0 && history.experiment <= journal->entries) {
            journal_log *log = &journal->entry[history.experiment - 1]->now;
            log->leaves = log->deleted; /* the process that removed it was interrupted */
        }
    }
    if (!ended(journal, statement, code, &unreadable)) return false;
    if (unreadable) note(damage, "the table history");
    return true;
}

static bool check_recoveries(journal_sqlite *journal, journal_damage *damage)
{
    sqlite3_stmt *statement = journal__ask(journal, JOURNAL_SQL_RECOVERIES, NULL, 0);
    uint32_t count = 0;
    int code;
    bool unreadable;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        journal_recovery recovery = {.number = 0};
        const uint8_t *stored;
        uint8_t digest[JOURNAL_DIGEST_BYTES] = {0};
        bool good = journal__column_u32(statement, 0, &recovery.number) &&
                    journal__column_u64(statement, 1, &recovery.kept_to) &&
                    journal__column_u64(statement, 2, &recovery.last) &&
                    journal__column_digest(statement, 3, &stored);
        if (good) journal__digest_recovery(&recovery, digest);
        if (!good || recovery.number != ++count || !same(digest, stored)) {
            note_hopeless(damage, "the table recovery at %u", count);
            break;
        }
        if (recovery.last > damage->last) damage->last = recovery.last;
    }
    return ended(journal, statement, damage->hopeless ? SQLITE_DONE : code, &unreadable);
}

/* Indexes, and pages that belong to no table or to two. */
static bool check_structure(journal_sqlite *journal, journal_damage *damage)
{
    sqlite3_stmt *statement = journal__ask(journal, JOURNAL_SQL_INTEGRITY, NULL, 0);
    bool unreadable;
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        const char *said = (const char *)sqlite3_column_text(statement, 0);
        char text[JOURNAL_PLAIN_BYTES];
        if (said == NULL || strcmp(said, "ok") != 0) {
            note(damage, "its structure (%s)",
                 journal__plain(said != NULL ? said : "no memory", text));
        }
        code = SQLITE_DONE;
    }
    if (!ended(journal, statement, code, &unreadable)) return false;
    if (unreadable) note(damage, "its structure");
    return true;
}

bool journal__check(journal_sqlite *journal, journal_damage *damage)
{
    if (!check_experiments(journal, damage)) return false;
    if (damage->hopeless) return true;
    if (!check_ends(journal, damage)) return false;
    if (damage->hopeless) return true;
    damage->bad_seq = calloc((size_t)journal->entries + 1, sizeof damage->bad_seq[0]);
    if (damage->bad_seq == NULL) return journal__refuse(journal, "no memory to check the journal");
    if (!check_rows(journal, damage) || !check_snapshots(journal, damage) ||
        !check_history(journal, damage) || !check_recoveries(journal, damage) ||
        !check_structure(journal, damage)) {
        return false;
    }
    journal->last = damage->last;
    return true;
}
