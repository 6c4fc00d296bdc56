/*
 * A copy of a journal, while a service may be writing to it.
 *
 * One transaction that reads is open all the time: it holds the journal as it was at one moment, and in WAL
 * mode it holds up nobody who writes. SQLite's backup copies that moment page by page. Meanwhile the log is
 * not cut, so it grows, and journal_scrub of the service is refused and tried again.
 *
 * The copy is made as a new journal is: under another name, which becomes the file when it is whole. Then
 * all its digests are checked.
 */
#include "inner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STEP_PAGES 256 /* of 4,096 bytes; the disk is free for others between two steps */
#define STEP_PAUSE_MS 1

typedef struct copying {
    journal_sqlite from, to; /* their directories, files and faults; nothing else is used */
} copying;

static bool refuse_path(char fault[JOURNAL_FAULT_BYTES], const char *path, const char *what)
{
    char why[80];
    if (strerror_r(errno, why, sizeof why) != 0) why[0] = '\0';
    snprintf(fault, JOURNAL_FAULT_BYTES, "%.300s %s: %s", path, what, why);
    return false;
}

static bool pass_on(bool fine, const journal_sqlite *journal, char fault[JOURNAL_FAULT_BYTES])
{
    if (!fine) memcpy(fault, journal->fault, JOURNAL_FAULT_BYTES);
    return fine;
}

/* The moment that is copied is this one. */
static bool begin_reading(journal_sqlite *from)
{
    if (!journal__open_data(from, from->directory.file)) return false;
    int code =
        sqlite3_exec(from->data, "BEGIN; SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
    return code == SQLITE_OK || journal__refuse_sqlite(from, code, "be read");
}

static bool copy_pages(copying *c)
{
    sqlite3_backup *backup = sqlite3_backup_init(c->to.data, "main", c->from.data, "main");
    if (backup == NULL)
        return journal__refuse_sqlite(&c->to, sqlite3_errcode(c->to.data), "be made");
    int code;
    while ((code = sqlite3_backup_step(backup, STEP_PAGES)) == SQLITE_OK) {
        sqlite3_sleep(STEP_PAUSE_MS);
    }
    int ended = sqlite3_backup_finish(backup);
    if (code == SQLITE_DONE && ended == SQLITE_OK) return true;
    return journal__refuse_sqlite(&c->to, code == SQLITE_DONE ? ended : code, "be copied");
}

static bool copy_file(copying *c, char fault[JOURNAL_FAULT_BYTES])
{
    if (!journal__directory_unborn(&c->to.directory, fault)) return false;
    if (!pass_on(journal__open_data(&c->to, c->to.directory.unborn), &c->to, fault)) return false;
    if (!pass_on(begin_reading(&c->from), &c->from, fault)) return false;
    if (!pass_on(copy_pages(c), &c->to, fault)) return false;
    journal__close_data(&c->to);
    return journal__directory_adopt(&c->to.directory, fault);
}

/* All that SQLite has beside the file is empty now, because nobody has written to the copy. */
static void remove_beside(const journal_directory *directory)
{
    unlink(directory->log);
    unlink(directory->index);
}

static bool check_copy(const journal_directory *directory, char fault[JOURNAL_FAULT_BYTES])
{
    sottod_journal *journal;
    const journal_settings settings = {.directory = directory->path, .read_only = true};
    bool whole = journal_open(&settings, &journal, fault);
    journal_close(journal);
    remove_beside(directory);
    return whole;
}

/* The name of the new directory becomes durable. */
static bool sync_parent(const char *path, char fault[JOURNAL_FAULT_BYTES])
{
    char parent[JOURNAL_PATH_BYTES + 4];
    snprintf(parent, sizeof parent, "%s/..", path);
    int fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = fd >= 0 && fsync(fd) == 0;
    if (!ok) refuse_path(fault, parent, "cannot be made durable");
    if (fd >= 0) close(fd);
    return ok;
}

/* Nothing is left of a copy that is of no use. */
static void remove_copy(const journal_directory *directory)
{
    char rest[JOURNAL_PATH_BYTES + 16];
    snprintf(rest, sizeof rest, "%s-journal", directory->unborn);
    unlink(rest);
    unlink(directory->unborn);
    unlink(directory->file);
    remove_beside(directory);
    unlink(directory->lock_file);
    rmdir(directory->path);
}

static bool copy_to_new(copying *c, const char *to, char fault[JOURNAL_FAULT_BYTES])
{
    bool is_new;
    if (mkdir(to, 0700) != 0) {
        return refuse_path(fault, to,
                           errno == EEXIST
                               ? "cannot be made: name a directory that does not exist yet"
                               : "cannot be made");
    }
    bool done = journal__directory_open(&c->to.directory, to, false, &is_new, fault) &&
                copy_file(c, fault) && check_copy(&c->to.directory, fault) &&
                sync_parent(to, fault);
    journal__close_data(&c->to);
    if (!done) remove_copy(&c->to.directory);
    journal__directory_close(&c->to.directory);
    return done;
}

bool journal_backup(const char *from, const char *to, char fault[JOURNAL_FAULT_BYTES])
{
    bool is_new;
    fault[0] = '\0';
    copying *c = calloc(1, sizeof *c);
    if (c == NULL) {
        snprintf(fault, JOURNAL_FAULT_BYTES, "no memory for a copy of the journal");
        return false;
    }
    c->from.read_only = true;
    bool done = journal__directory_open(&c->from.directory, from, true, &is_new, fault) &&
                copy_to_new(c, to, fault);
    journal__close_data(&c->from);
    journal__directory_close(&c->from.directory);
    free(c);
    return done;
}
