/*
 * The file, and transactions. SQLite in WAL mode with synchronous=FULL: a commit has passed fsync when it returns.
 * secure_delete: deleted rows are overwritten. Only one process writes. */
#include "inner.h"

#include "service/system/system.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* ---- refusing ----------------------------------------------------------------------------- */

bool journal__refuse(journal_sqlite *journal, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(journal->fault.sentence, sizeof journal->fault.sentence, format, arguments);
    va_end(arguments);
    journal->failed = true;
    journal->code = SQLITE_OK;
    return false;
}

const char *journal__plain(const char *said, char out[JOURNAL_PLAIN_BYTES])
{
    size_t length = 0;
    for (; said[length] != '\0' && length + 1 < JOURNAL_PLAIN_BYTES; length++) {
        uint8_t byte = (uint8_t)said[length];
        out[length] = said[length];
        if (byte < 0x20) out[length] = ' ';
        if (byte > 0x7e) out[length] = '?';
    }
    out[length] = '\0';
    return out;
}

/* Always false. */
static bool say_code(journal_sqlite *journal, int code, const char *what)
{
    char text[JOURNAL_PLAIN_BYTES];
    const char *file = journal->directory.file;
    const char *said = journal__plain(
        journal->data != NULL ? sqlite3_errmsg(journal->data) : sqlite3_errstr(code), text);
    int system = journal->data != NULL ? sqlite3_system_errno(journal->data) : 0;
    switch (code & 0xff) {
    case SQLITE_FULL:
        return journal__refuse(journal, "%s cannot %s: the disk is full. Free some space", file,
                               what);
    case SQLITE_IOERR:
        return journal__refuse(journal, "%s cannot %s: disk error (%s; error %d of the system)",
                               file, what, said, system);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return journal__refuse(journal,
                               "%s is damaged: it cannot %s (%s). Restore a copy of the directory",
                               file, what, said);
    case SQLITE_BUSY:
        return journal__refuse(journal, "%s cannot %s: another program is using it", file, what);
    case SQLITE_RANGE:
        return journal__refuse(journal, "%s cannot %s: a number is 2^63 or more", file, what);
    default: return journal__refuse(journal, "%s cannot %s: %s", file, what, said);
    }
}

bool journal__refuse_sqlite(journal_sqlite *journal, int code, const char *what)
{
    say_code(journal, code, what);
    journal->code = code & 0xff;
    return false;
}

const sotto_fault *sqlite_fault(const sottod_journal *base)
{
    const journal_sqlite *journal = journal__sqlite_of_const(base);
    return &journal->fault;
}

const char *sqlite_reason(const sottod_journal *base)
{
    switch (journal__sqlite_of_const(base)->code) {
    case SQLITE_FULL: return "its disk is full";
    case SQLITE_IOERR: return "its disk failed";
    default: return NULL; /* another of SQLite's many result codes */
    }
}

/* ---- statements --------------------------------------------------------------------------- */

sqlite3_stmt *journal__ask(journal_sqlite *journal, journal_sql sql, const journal_value *value,
                           int values)
{
    sqlite3_stmt *statement = journal->statement[sql];
    assert(!sqlite3_stmt_busy(statement));
    int code = journal__bind(statement, value, values);
    if (code == SQLITE_OK) return statement;
    journal__done(statement);
    journal__refuse_sqlite(journal, code, "take a value");
    return NULL;
}

bool journal__step(journal_sqlite *journal, sqlite3_stmt *statement, bool *ok)
{
    const int code = sqlite3_step(statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        *ok = journal__refuse_sqlite(journal, code, "be read");
    return code == SQLITE_ROW;
}

void journal__done(sqlite3_stmt *statement)
{
    if (statement == NULL) return;
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
}

bool journal__change(journal_sqlite *journal, journal_sql sql, const journal_value *value,
                     int values, const char *what)
{
    sqlite3_stmt *statement = journal__ask(journal, sql, value, values);
    if (statement == NULL) return false;
    int code = sqlite3_step(statement);
    if (code != SQLITE_DONE) journal__refuse_sqlite(journal, code, what);
    journal__done(statement);
    return code == SQLITE_DONE;
}

/* ---- entries ------------------------------------------------------------------------------ */

bool journal__may_change(journal_sqlite *journal)
{
    if (!journal->begun) {
        return journal__refuse(journal, "the journal was changed outside of a transaction");
    }
    return !journal->failed;
}

static void touch(journal_sqlite *journal, uint32_t experiment)
{
    journal_entry *entry = journal->entry[experiment - 1];
    if (entry->touched) return;
    entry->touched = true;
    entry->before = entry->now;
    entry->next_touched = journal->touched;
    journal->touched = experiment;
}

journal_log *journal__touch(journal_sqlite *journal, uint32_t experiment)
{
    if (!journal__may_change(journal)) return NULL;
    if (experiment == 0 || experiment > journal->entries) {
        journal__refuse(journal, "there is no experiment %u: there are 1 to %u", experiment,
                        journal->entries);
        return NULL;
    }
    if (journal->entry[experiment - 1]->now.deleted) {
        journal__refuse(journal, "experiment %u is deleted, which cannot be undone", experiment);
        return NULL;
    }
    touch(journal, experiment);
    return &journal->entry[experiment - 1]->now;
}

journal_log *journal__touch_leaving(journal_sqlite *journal, uint32_t *experiment)
{
    for (uint32_t i = 0; i < journal->entries; i++) {
        if (!journal->entry[i]->now.leaves) continue;
        *experiment = i + 1;
        touch(journal, i + 1);
        return &journal->entry[i]->now;
    }
    return NULL;
}

bool journal__grow(journal_sqlite *journal)
{
    if (journal->entries == UINT32_MAX) {
        return journal__refuse(journal, "the journal has %u experiments, the maximum",
                               journal->entries);
    }
    const bool has_room = list_grow(&journal->entry, journal->entries, &journal->entries_room,
                                    sizeof *journal->entry);
    journal_entry *added = has_room ? calloc(1, sizeof *added) : NULL;
    if (added == NULL) return journal__refuse(journal, "no memory for one more experiment");
    journal->entry[journal->entries++] = added;
    return true;
}

static void let_go(journal_sqlite *journal, uint32_t experiment)
{
    if (journal->entry[experiment - 1] != &journal->gone) free(journal->entry[experiment - 1]);
}

void journal__shrink(journal_sqlite *journal, uint32_t entries)
{
    while (journal->entries > entries) {
        let_go(journal, journal->entries--);
    }
}

void journal__bury(journal_sqlite *journal, uint32_t experiment)
{
    journal->gone.now.deleted = true;
    let_go(journal, experiment);
    journal->entry[experiment - 1] = &journal->gone;
}

/* ---- the file ------------------------------------------------------------------------------ */

bool journal__open_data(journal_sqlite *journal, const char *path)
{
    int flags = journal->read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    int code = sqlite3_open_v2(path, &journal->data, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (code != SQLITE_OK) return journal__refuse_sqlite(journal, code, "be opened");
    sqlite3_extended_result_codes(journal->data, 1);
    sqlite3_busy_timeout(journal->data, journal->read_only ? 5000 : 100);
    /* Nothing may be copied from the log to a file that has not been checked. */
    sqlite3_db_config(journal->data, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite3_db_config(journal->data, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    code =
        sqlite3_exec(journal->data,
                     "PRAGMA synchronous=FULL; PRAGMA secure_delete=ON; PRAGMA temp_store=MEMORY; "
                     "PRAGMA mmap_size=0; PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON",
                     NULL, NULL, NULL);
    return code == SQLITE_OK || journal__refuse_sqlite(journal, code, "be set up");
}

void journal__close_data(journal_sqlite *journal)
{
    journal__finalize(journal->statement);
    int code = sqlite3_close(journal->data);
    assert(code == SQLITE_OK); /* all statements are finalized */
    (void)code;
    journal->data = NULL;
}

bool journal__make_file(journal_sqlite *journal, const char *path)
{
    if (journal__directory_unborn(&journal->directory, &journal->fault) != SOTTO_OK) return false;
    if (!journal__open_data(journal, path)) return false;
    int code = sqlite3_exec(journal->data, "PRAGMA journal_mode=DELETE; BEGIN", NULL, NULL, NULL);
    if (code == SQLITE_OK) code = journal__make_tables(journal->data);
    if (code == SQLITE_OK) code = sqlite3_exec(journal->data, "COMMIT", NULL, NULL, NULL);
    return code == SQLITE_OK || journal__refuse_sqlite(journal, code, "be made");
}

void sqlite_close(sottod_journal *base)
{
    journal_sqlite *journal = journal__sqlite_of(base);
    if (journal->begun) sqlite_abandon(base);
    journal__close_data(journal);
    journal__directory_close(&journal->directory);
    journal__shrink(journal, 0);
    free(journal->entry);
    free(journal);
}

uint64_t sqlite_last(const sottod_journal *base)
{
    const journal_sqlite *journal = journal__sqlite_of_const(base);
    return journal->begun ? journal->last_before : journal->last;
}

uint64_t sqlite_disk_bytes(const sottod_journal *base)
{
    const journal_sqlite *journal = journal__sqlite_of_const(base);
    return journal__directory_bytes(&journal->directory);
}

uint64_t sqlite_commits(const sottod_journal *base, uint64_t *last_us)
{
    const journal_sqlite *journal = journal__sqlite_of_const(base);
    *last_us = journal->commit_us;
    return journal->commits;
}

/* ---- transactions ------------------------------------------------------------------------- */

/* Writes to a file that has lost its name are gone when this process ends. */
static bool is_in_place(journal_sqlite *journal)
{
    int moved = 0;
    sqlite3_file_control(journal->data, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    if (moved == 0)
        return journal__directory_is_in_place(&journal->directory, &journal->fault) == SOTTO_OK;
    return journal__refuse(journal,
                           "%s was removed, moved or replaced during use, and new writes would be "
                           "lost: put it back, or restore a copy of the directory",
                           journal->directory.file);
}

bool sqlite_begin(sottod_journal *base)
{
    journal_sqlite *journal = journal__sqlite_of(base);
    if (journal->begun) return journal__refuse(journal, "a transaction is open already");
    if (journal->read_only) {
        return journal__refuse(journal, "%s is open only for reading", journal->directory.file);
    }
    if (!is_in_place(journal)) return false;
    if (!journal__change(journal, JOURNAL_SQL_BEGIN, NULL, 0, "begin a transaction")) return false;
    journal->begun = true;
    journal->failed = false;
    journal->last_before = journal->last;
    journal->entries_before = journal->entries;
    journal->thinned_before = journal->thinned;
    return true;
}

bool journal__put_ends(journal_sqlite *journal, uint32_t experiment, const journal_ends *ends)
{
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    journal__digest_ends(experiment, ends, digest);
    const journal_value value[] = {
        JOURNAL_VALUE_U(experiment),        JOURNAL_VALUE_U(ends->anchor_seq),
        JOURNAL_VALUE_DIGEST(ends->anchor), JOURNAL_VALUE_U(ends->head_seq),
        JOURNAL_VALUE_DIGEST(ends->head),   JOURNAL_VALUE_DIGEST(digest),
    };
    return journal__change(journal, JOURNAL_SQL_PUT_ENDS, value, COUNT(value), "be written");
}

/* Ends the transaction in memory: keeps the new values or restores the old ones. */
static void settle(journal_sqlite *journal, bool keeps)
{
    for (uint32_t number = journal->touched; number != 0;) {
        journal_entry *entry = journal->entry[number - 1];
        if (!keeps) entry->now = entry->before;
        entry->touched = false;
        uint32_t next = entry->next_touched;
        if (entry->now.deleted && !entry->now.leaves) journal__bury(journal, number);
        number = next;
    }
    journal->touched = 0;
    if (!keeps) {
        journal->last = journal->last_before;
        journal__shrink(journal, journal->entries_before);
        journal->thinned = journal->thinned_before;
    }
    journal->begun = false;
    journal->failed = false;
}

static uint64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

bool sqlite_commit(sottod_journal *base)
{
    journal_sqlite *journal = journal__sqlite_of(base);
    if (!journal__may_change(journal)) return false;
    uint64_t start = now_us();
    for (uint32_t number = journal->touched; number != 0;) {
        const journal_entry *entry = journal->entry[number - 1];
        if (!journal__put_ends(journal, number, &entry->now.ends)) return false;
        number = entry->next_touched;
    }
    if (!journal__change(journal, JOURNAL_SQL_COMMIT, NULL, 0, "be written")) return false;
    settle(journal, true);
    journal->commits++;
    journal->commit_us = now_us() - start;
    return true;
}

void sqlite_abandon(sottod_journal *base)
{
    journal_sqlite *journal = journal__sqlite_of(base);
    if (!journal->begun) return;
    /* After some errors SQLite has already rolled back. */
    if (sqlite3_get_autocommit(journal->data) == 0) {
        sqlite3_step(journal->statement[JOURNAL_SQL_ROLLBACK]);
        sqlite3_reset(journal->statement[JOURNAL_SQL_ROLLBACK]);
    }
    settle(journal, false);
}

/* Rewrites the format, a number in the first page; SQLite writes it even if it is unchanged. */
bool sqlite_probe(sottod_journal *base)
{
    journal_sqlite *journal = journal__sqlite_of(base);
    char format[48];
    if (journal->begun || journal->read_only) {
        return journal__refuse(journal,
                               "%s cannot be tried in a transaction, or when it is open only "
                               "for reading",
                               journal->directory.file);
    }
    if (!is_in_place(journal)) return false;
    sqlite3_snprintf(sizeof format, format, "PRAGMA user_version=%d", JOURNAL_FORMAT);
    int code = sqlite3_exec(journal->data, format, NULL, NULL, NULL);
    return code == SQLITE_OK || journal__refuse_sqlite(journal, code, "be written");
}
