/* Opening: the directory, the file, its checks, and the recovery of a damaged file by hand. */
#include "inner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INDEX_VERSION 3007000u
#define INDEX_HEAD_WORDS 12u
#define INDEX_WORDS (2 * INDEX_HEAD_WORDS + 1)

/* Gives a new journal its name only when it is complete. */
static bool make_first(journal_sqlite *journal)
{
    if (!journal__make_file(journal, journal->directory.unborn)) return false;
    journal__close_data(journal);
    return journal__directory_adopt(&journal->directory, &journal->fault) == SOTTO_OK;
}

static bool open_file(journal_sqlite *journal)
{
    if (!journal__open_data(journal, journal->directory.file)) return false;
    int code = SQLITE_OK;
    if (!journal->read_only) {
        code = sqlite3_exec(journal->data, "PRAGMA journal_mode=WAL", NULL, NULL, NULL);
    }
    if (code == SQLITE_OK) code = journal__prepare(journal->data, journal->statement);
    if (code != SQLITE_OK) return journal__refuse_sqlite(journal, code, "be opened");
    /* A reader sees the journal as it is now, as long as it is open. */
    if (journal->read_only) code = sqlite3_exec(journal->data, "BEGIN", NULL, NULL, NULL);
    return code == SQLITE_OK || journal__refuse_sqlite(journal, code, "be read");
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* The index of the log (sqlite.org/walformat.html, section 2), in the byte order of the machine: two copies of a head
 * of 48 bytes, then the number of frames that were copied to the file and synced. SQLite copies all frames before it
 * removes the log.
 *
 *   head    version 3007000 | 0 | changes | byte: 1 if it is made | 3 bytes | valid frames of the log | ...
 *
 * The process may be killed between writing the two copies: either counts. After a power cut, the file may be empty.
 *
 * There is no simpler way: SQLite has no call for it and opens the file as if the log had been empty; a marker row
 * would itself be in the log; and an index without a log is also left where a stop could not remove it, with nothing
 * lost. */
static bool misses_log(const uint32_t index[INDEX_WORDS])
{
    const uint32_t copied = index[2 * INDEX_HEAD_WORDS];
    for (uint32_t copy = 0; copy < 2; copy++) {
        const uint32_t *head = index + (size_t)copy * INDEX_HEAD_WORDS;
        uint8_t made;
        memcpy(&made, head + 3, sizeof made);
        if (head[0] == INDEX_VERSION && made == 1 && head[4] > copied) return true;
    }
    return false;
}

/* If the log is removed after a kill, the last commits are lost; the index still shows that they existed. The log is
 * looked for twice, because another process may start meanwhile. */
static bool check_log_is_there(journal_sqlite *journal)
{
    const journal_directory *directory = &journal->directory;
    uint32_t index[INDEX_WORDS];
    if (is_there(directory->log)) return true;
    int fd = open(directory->index, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT) return true;
    ssize_t got = fd < 0 ? -1 : pread(fd, index, sizeof index, 0);
    int why = errno;
    if (fd >= 0) close(fd);
    if (got < 0) {
        return journal__refuse(journal, "%s cannot be read: error %d of the system",
                               directory->index, why);
    }
    if (got < (ssize_t)sizeof index || !misses_log(index) || is_there(directory->log)) return true;
    return journal__refuse(
        journal, "its log journal.sqlite-wal was removed, and according to journal.sqlite-shm the "
                 "last commits were in it. Put the log back. If it no longer exists, these commits "
                 "are lost: remove journal.sqlite-shm and start again");
}

/* Opens the file and checks it. *again: the file was replaced and is closed; open it again. */
static bool open_checked(journal_sqlite *journal, uint64_t recover_to, bool *again)
{
    journal_damage damage = {.limit = UINT64_MAX};
    journal__shrink(journal, 0);
    *again = false;
    bool ok = check_log_is_there(journal) && open_file(journal) && journal__check(journal, &damage);
    if (ok && damage.found) {
        ok = recover_to > 0 ? journal__recover(journal, &damage, recover_to)
                            : journal__refuse_damage(journal, &damage);
        *again = ok;
    } else if (ok && recover_to > 0) {
        ok = journal__refuse(journal,
                             "--recover-to %llu: %s is not damaged, and nothing was discarded. "
                             "Start without --recover-to",
                             (unsigned long long)recover_to, journal->directory.file);
    }
    journal__damage_free(&damage);
    return ok;
}

/* If SQLite may not open a file for writing, or the disk refuses once, it silently opens it for reading, and every
 * commit would fail. This check writes nothing. */
static bool check_writable(journal_sqlite *journal)
{
    int code = sqlite3_exec(journal->data, "BEGIN IMMEDIATE; ROLLBACK", NULL, NULL, NULL);
    bool is_read_only =
        sqlite3_db_readonly(journal->data, "main") == 1 || (code & 0xff) == SQLITE_READONLY;
    if (!is_read_only) return true; /* other faults may be temporary */
    return journal__refuse(journal,
                           "%s, its log or its index could be opened only for reading. Make the "
                           "disk and these files writable, and start again",
                           journal->directory.file);
}

static void bury_deleted(journal_sqlite *journal)
{
    for (uint32_t i = 0; i < journal->entries; i++) {
        journal_log *log = &journal->entry[i]->now;
        log->leaves = log->leaves || (log->deleted && log->ends.anchor_seq < log->ends.head_seq);
        if (log->deleted && !log->leaves) journal__bury(journal, i + 1);
    }
}

static bool open_all(journal_sqlite *journal, const journal_settings *settings)
{
    bool is_new, again;
    if (settings->read_only && settings->recover_to > 0) {
        return journal__refuse(journal,
                               "--recover-to %llu: not allowed for a command that only reads",
                               (unsigned long long)settings->recover_to);
    }
    if (journal__directory_open(&journal->directory, settings->directory, settings->read_only,
                                &is_new, &journal->fault) != SOTTO_OK)
        return false;
    if (is_new && !make_first(journal)) return false;
    if (!open_checked(journal, settings->recover_to, &again)) return false;
    if (again && !open_checked(journal, 0, &again)) return false;
    if (!journal->read_only && !check_writable(journal)) return false;
    /* Also makes the name of the log durable: SQLite ignores a failed sync of the directory, and after a power cut
     * all commits in a log without a name would be lost. */
    if (!journal->read_only &&
        journal__directory_sync(&journal->directory, &journal->fault) != SOTTO_OK)
        return false;
    bury_deleted(journal);
    sqlite3_db_config(journal->data, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    return true;
}

/* ---- the table ---------------------------------------------------------------------------- */

#define ROW(type, name, parameters, arguments) .name = sqlite_##name,
static const journal_table table = {.publishes_here = true,
                                    .close = sqlite_close,
                                    .abandon = sqlite_abandon,
                                    JOURNAL_CALL_MAP(ROW) JOURNAL_ALONE_MAP(ROW)};
#undef ROW

/* ---- opened ------------------------------------------------------------------------------- */

sotto_status journal_open(const journal_settings *settings, sottod_journal **out,
                          sotto_fault *fault)
{
    *out = NULL;
    journal_sqlite *journal = calloc(1, sizeof *journal);
    if (journal == NULL) {
        (void)sotto__refuse(fault, "no memory for the journal");
        return SOTTO_E_MEMORY;
    }
    journal->base.table = &table;
    journal->directory.lock = -1;
    journal->thins = true; /* by an earlier process */
    journal->read_only = settings->read_only;
    if (!open_all(journal, settings)) {
        *fault = journal->fault;
        sqlite_close(&journal->base);
        return SOTTO_E_FAULT;
    }
    journal->failed = false;
    *out = &journal->base;
    return SOTTO_OK;
}
