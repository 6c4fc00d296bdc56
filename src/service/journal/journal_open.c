/* Opening: the folder, the file, its checks, the recovery by hand of one that is damaged, and the upgrade of
 * one of an older format. */
#include "journal_check.h"
#include "journal_wal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROW_BYTES_MIN 64u /* of a row in the file: its digest and its numbers */

/* A new journal becomes the file only when it is whole. */
static bool make_first(journal_sqlite *journal)
{
    if (!journal__make_file(journal, journal->folder.unborn)) return false;
    journal__close_data(journal);
    return journal__folder_adopt(&journal->folder, journal->fault);
}

static bool open_file(journal_sqlite *journal)
{
    if (!journal__open_data(journal, journal->folder.file)) return false;
    int code = SQLITE_OK;
    if (!journal->read_only) {
        code = sqlite3_exec(journal->data, "PRAGMA journal_mode=WAL", NULL, NULL, NULL);
    }
    if (code == SQLITE_OK) {
        code = journal__prepare(journal->data, journal->folder.format, journal->statement);
    }
    if (code != SQLITE_OK) return journal__refuse_sqlite(journal, code, "be opened");
    /* Who only reads sees the journal as it is now, for as long as it is open. */
    if (journal->read_only) code = sqlite3_exec(journal->data, "BEGIN", NULL, NULL, NULL);
    return code == SQLITE_OK || journal__refuse_sqlite(journal, code, "be read");
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Who removes the log after a kill removes what was committed last; the index still knows of it. Looked at twice:
 * another process may begin meanwhile. */
static bool check_log_is_there(journal_sqlite *journal)
{
    const journal_folder *folder = &journal->folder;
    bool missed;
    if (is_there(folder->log)) return true;
    if (!journal__wal_is_missed(folder->index, &missed)) {
        return journal__refuse(journal, "%s cannot be read: error %d of the system", folder->index,
                               errno);
    }
    if (!missed || is_there(folder->log)) return true;
    return journal__refuse(journal,
                           "journal.sqlite-wal, its log, is not there, and by journal.sqlite-shm "
                           "the last commits were in it: the log was removed. Put it back. If it "
                           "is gone for good, what was in it is lost: remove journal.sqlite-shm, "
                           "and start again");
}

/* What SQLite will not say of the log. Others may write to it while this process only reads. */
static bool check_log(journal_sqlite *journal, journal_damage *damage)
{
    journal_wal wal;
    char place[160];
    if (!check_log_is_there(journal)) return false;
    if (journal->read_only) return true;
    if (!journal__wal_check(journal->folder.log, &wal)) {
        return journal__refuse(journal, "%s cannot be read: error %d of the system",
                               journal->folder.log, errno);
    }
    if (!wal.damaged) return true;
    snprintf(place, sizeof place, "its log, journal.sqlite-wal, at byte %llu, and commits after it",
             (unsigned long long)wal.offset);
    journal__damage_note(damage, place);
    damage->last_lost = wal.bytes / ROW_BYTES_MIN;
    return true;
}

/* Opens the file and checks it. *again: it was made again, and is closed. */
static bool open_checked(journal_sqlite *journal, uint64_t recover_to, bool *again)
{
    journal_damage damage = {.limit = UINT64_MAX};
    journal__shrink(journal, 0);
    *again = false;
    bool ok = check_log(journal, &damage) && open_file(journal) && journal__check(journal, &damage);
    if (ok && damage.found) {
        ok = recover_to > 0 ? journal__recover(journal, &damage, recover_to)
                            : journal__refuse_damage(journal, &damage);
        *again = ok;
    } else if (ok && recover_to > 0) {
        ok =
            journal__refuse(journal,
                            "--recover-to %llu: %s is not damaged, and nothing was given up. Start "
                            "without it",
                            (unsigned long long)recover_to, journal->folder.file);
    } else if (ok && !journal->read_only && journal->folder.format < JOURNAL_FORMAT) {
        ok = journal__upgrade(journal, &damage);
        *again = ok;
    }
    journal__damage_free(&damage);
    return ok;
}

/* Where SQLite may not open a file for writing, or the disk refuses once, it opens it for reading without a
 * word, and every commit would fail. This writes nothing. */
static bool check_writable(journal_sqlite *journal)
{
    int code = sqlite3_exec(journal->data, "BEGIN IMMEDIATE; ROLLBACK", NULL, NULL, NULL);
    bool is_read_only =
        sqlite3_db_readonly(journal->data, "main") == 1 || (code & 0xff) == SQLITE_READONLY;
    if (!is_read_only) return true; /* other faults may pass */
    return journal__refuse(
        journal,
        "%s, its log or its index could be opened for reading alone: see that the "
        "disk and the modes of these files allow to write, and start again",
        journal->folder.file);
}

static void bury_deleted(journal_sqlite *journal)
{
    for (uint32_t i = 0; i < journal->entries; i++) {
        if (journal->entry[i]->now.deleted) journal__bury(journal, i + 1);
    }
}

static bool open_all(journal_sqlite *journal, const journal_settings *settings)
{
    bool is_new, again;
    if (settings->read_only && settings->recover_to > 0) {
        return journal__refuse(journal, "--recover-to %llu: who only reads can give up nothing",
                               (unsigned long long)settings->recover_to);
    }
    if (!journal__folder_open(&journal->folder, settings->folder, settings->read_only, &is_new,
                              journal->fault)) {
        return false;
    }
    if (is_new && !make_first(journal)) return false;
    if (!open_checked(journal, settings->recover_to, &again)) return false;
    if (again && !open_checked(journal, 0, &again)) return false;
    if (!journal->read_only && !check_writable(journal)) return false;
    /* The name of the log, too: where SQLite cannot sync the folder it goes on without a word, and when the power
     * goes all commits in a log without a name are lost. */
    if (!journal->read_only && !journal__folder_sync(&journal->folder, journal->fault))
        return false;
    bury_deleted(journal);
    sqlite3_db_config(journal->data, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    return true;
}

bool journal_open(const journal_settings *settings, sottod_journal **out,
                  char fault[JOURNAL_FAULT_BYTES])
{
    *out = NULL;
    fault[0] = '\0';
    journal_sqlite *journal = calloc(1, sizeof *journal);
    if (journal == NULL) {
        snprintf(fault, JOURNAL_FAULT_BYTES, "no memory for the journal");
        return false;
    }
    journal->base.table = &journal_sqlite_table;
    journal->folder.lock = -1;
    journal->read_only = settings->read_only;
    if (!open_all(journal, settings)) {
        memcpy(fault, journal->fault, JOURNAL_FAULT_BYTES);
        sqlite_close(&journal->base);
        return false;
    }
    journal->failed = false;
    *out = &journal->base;
    return true;
}
