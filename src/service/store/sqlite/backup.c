/*
 * A copy of a journal, while a service may be writing to it.
 *
 * One read transaction is open all the time: it holds the journal as it was at one moment, and in WAL mode it does
 * not block writers. SQLite's backup copies that moment page by page. Meanwhile the log is not truncated, so it
 * grows, and journal_scrub in the service is refused and retried.
 *
 * The copy is made like a new journal: under another name, which is renamed when the file is complete. Then all its
 * digests are checked. */
#include "inner.h"

#include "service/system/system.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* of 4,096 bytes; other processes can use the disk between two steps */
#define STEP_PAGES 256
#define STEP_PAUSE_MS 1

typedef struct copying {
    journal_sqlite from, to; /* only their directories, files and faults are used */
} copying;

static sotto_status refuse_path(const char *path, const char *what, sotto_fault *fault)
{
    char why[80];
    if (strerror_r(errno, why, sizeof why) != 0) why[0] = '\0';
    return sotto__refuse(fault, "%.300s %s: %s", path, what, why);
}

static sotto_status pass_on(bool fine, const journal_sqlite *journal, sotto_fault *fault)
{
    if (fine) return SOTTO_OK;
    *fault = journal->fault;
    return SOTTO_E_FAULT;
}

/* Fixes the moment that is copied. */
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

static sotto_status copy_file(copying *c, sotto_fault *fault)
{
    sotto_status status = journal__directory_unborn(&c->to.directory, fault);
    if (status == SOTTO_OK)
        status = pass_on(journal__open_data(&c->to, c->to.directory.unborn), &c->to, fault);
    if (status == SOTTO_OK) status = pass_on(begin_reading(&c->from), &c->from, fault);
    if (status == SOTTO_OK) status = pass_on(copy_pages(c), &c->to, fault);
    if (status != SOTTO_OK) return status;
    journal__close_data(&c->to);
    return journal__directory_adopt(&c->to.directory, fault);
}

/* SQLite's other files are empty now, because nobody has written to the copy. */
static void remove_beside(const journal_directory *directory)
{
    unlink(directory->log);
    unlink(directory->index);
}

static sotto_status check_copy(const journal_directory *directory, sotto_fault *fault)
{
    sottod_journal *journal;
    const journal_settings settings = {.directory = directory->path, .read_only = true};
    sotto_status status = journal_open(&settings, &journal, fault);
    journal_close(journal);
    remove_beside(directory);
    return status;
}

/* Makes the name of the new directory durable. */
static sotto_status sync_parent(const char *path, sotto_fault *fault)
{
    char parent[JOURNAL_PATH_BYTES + 4];
    snprintf(parent, sizeof parent, "%s/..", path);
    return names_sync(parent) ? SOTTO_OK : refuse_path(parent, "cannot be made durable", fault);
}

/* Removes everything of an unusable copy. */
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

static sotto_status copy_to_new(copying *c, const char *to, sotto_fault *fault)
{
    bool is_new;
    if (mkdir(to, 0700) != 0) {
        return refuse_path(to,
                           errno == EEXIST
                               ? "cannot be made: name a directory that does not exist yet"
                               : "cannot be made",
                           fault);
    }
    sotto_status status = journal__directory_open(&c->to.directory, to, false, &is_new, fault);
    if (status == SOTTO_OK) status = copy_file(c, fault);
    if (status == SOTTO_OK) status = check_copy(&c->to.directory, fault);
    if (status == SOTTO_OK) status = sync_parent(to, fault);
    journal__close_data(&c->to);
    if (status != SOTTO_OK) remove_copy(&c->to.directory);
    journal__directory_close(&c->to.directory);
    return status;
}

sotto_status journal_backup(const char *from, const char *to, sotto_fault *fault)
{
    bool is_new;
    copying *c = calloc(1, sizeof *c);
    if (c == NULL) {
        (void)sotto__refuse(fault, "no memory for a copy of the journal");
        return SOTTO_E_MEMORY;
    }
    c->from.read_only = true;
    sotto_status status = journal__directory_open(&c->from.directory, from, true, &is_new, fault);
    if (status == SOTTO_OK) status = copy_to_new(c, to, fault);
    journal__close_data(&c->from);
    journal__directory_close(&c->from.directory);
    free(c);
    return status;
}
