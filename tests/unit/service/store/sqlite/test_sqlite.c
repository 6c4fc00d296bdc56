/* Transactions: all or nothing, also when the disk is full. */
#include "journals.h"
#include "service/store/sqlite/inner.h"

#include <errno.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static journals test;

/* ---- a disk that fails: SQLite calls these instead of the system's */

static int writes_left = -1; /* until the disk is full; -1: no limit */
static int syncs_left = -1;  /* until fsync fails */

static ssize_t full_pwrite(int fd, const void *bytes, size_t count, off_t offset)
{
    if (writes_left == 0) {
        errno = ENOSPC;
        return -1;
    }
    if (writes_left > 0) writes_left--;
    return pwrite(fd, bytes, count, offset);
}

static bool reads_fail;

static ssize_t failing_pread(int fd, void *bytes, size_t count, off_t offset)
{
    if (!reads_fail) return pread(fd, bytes, count, offset);
    errno = EIO;
    return -1;
}

__attribute__((visibility("default"))) int fdatasync(int fd)
{
    if (syncs_left == 0) {
        errno = EIO;
        return -1;
    }
    if (syncs_left > 0) syncs_left--;
    return (int)syscall(SYS_fdatasync, fd);
}

static bool directory_fails;   /* its fsync fails, once the log exists */
static int directory_syncs;    /* since the log exists */
static const char *unlink_not; /* the end of a name that cannot be removed */

/* SQLite syncs a directory by fdatasync and ignores its failure, so it is not counted. */
__attribute__((visibility("default"))) int fsync(int fd)
{
    struct stat about;
    char log[sizeof test.file + 8];
    snprintf(log, sizeof log, "%s-wal", test.file);
    if (fstat(fd, &about) == 0 && S_ISDIR(about.st_mode) && access(log, F_OK) == 0) {
        directory_syncs++;
        if (directory_fails) {
            errno = EIO;
            return -1;
        }
    }
    return (int)syscall(SYS_fsync, fd);
}

static int unlink_most(const char *path)
{
    size_t bytes = strlen(path), last = unlink_not == NULL ? 0 : strlen(unlink_not);
    if (last > 0 && bytes > last && strcmp(path + bytes - last, unlink_not) == 0) {
        errno = EIO;
        return -1;
    }
    return unlink(path);
}

FIXTURE(start)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    vfs->xSetSystemCall(vfs, "pwrite", (sqlite3_syscall_ptr)full_pwrite);
    vfs->xSetSystemCall(vfs, "pwrite64", (sqlite3_syscall_ptr)full_pwrite);
    vfs->xSetSystemCall(vfs, "pread", (sqlite3_syscall_ptr)failing_pread);
    vfs->xSetSystemCall(vfs, "pread64", (sqlite3_syscall_ptr)failing_pread);
    vfs->xSetSystemCall(vfs, "unlink", (sqlite3_syscall_ptr)unlink_most);
    writes_left = syncs_left = -1;
    directory_fails = reads_fail = false;
    unlink_not = NULL;
    test = journals_new();
    journals_open(&test);
    journals_experiment(&test, "one");
    journals_experiment(&test, "two");
}

FIXTURE(end)
{
    writes_left = syncs_left = -1;
    journals_free(&test);
}

/* ---- bad calls */

TEST_WITH(transactions_do_not_nest, start, end)
{
    assert_refused_within(&test, journal_begin(test.journal), "open already");
    assert_refused(&test, journal_commit(test.journal), "outside of a transaction");
    journal_abandon(test.journal);
    assert_int_equal(journals_append(&test, 1, "a"), 1);
}

/* ---- files moved while in use */

static void rename_to(const char *from, const char *to)
{
    if (rename(from, to) != 0) fail_msg("%s cannot be renamed", from);
}

/* The directory, or one of its files, is moved away; then a copy takes its name; then the original
 * is restored. */
TEST_WITH(what_has_lost_its_name_is_not_written, start, end)
{
    static const char *const names[] = {"", "/lock", "/journal.sqlite", "/journal.sqlite-wal"};
    char path[DIRECTORY_PATH_BYTES + 64], aside[DIRECTORY_PATH_BYTES + 64];
    assert_int_equal(journals_append(&test, 1, "a"), 1);
    snprintf(aside, sizeof aside, "%s/aside", test.home.path);
    for (uint32_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s%s", test.path, names[i]);
        rename_to(path, aside);
        assert_refused(&test, journal_begin(test.journal), "removed, moved or replaced");
        assert_refused(&test, journal_begin(test.journal), i == 0 ? test.path : path);
        assert_refused(&test, journal_probe(test.journal), "removed, moved or replaced");
        if (i > 0) fclose(fopen(path, "w"));
        assert_refused(&test, journal_begin(test.journal), "removed, moved or replaced");
        rename_to(aside, path);
        assert_done(&test, journal_probe(test.journal));
        assert_int_equal(journals_append(&test, 1, "b"), 2 + i);
    }
    journals_reopen(&test);
    assert_string_equal(journals_rows(&test, 0, 0).text, "1:1:a 2:1:b 3:1:b 4:1:b 5:1:b ");
}

/* ---- names */

TEST_WITH(the_log_has_a_durable_name_before_the_journal_is_open, start, end)
{
    journals_close(&test);
    directory_syncs = 0;
    journals_open(&test);
    assert_true(directory_syncs > 0);
    journals_close(&test);
    directory_fails = true;
    assert_false(journals_try(&test, 0));
    assert_words(test.fault.sentence, "cannot be made durable");
    directory_fails = false;
    journals_open(&test);
}

/* SQLite does not report it, and removes the log. */
TEST_WITH(an_index_or_a_log_that_sqlite_could_not_remove_is_in_nobodys_way, start, end)
{
    static const char *const names[] = {"-shm", "-wal"};
    for (uint32_t i = 0; i < 2; i++) {
        char path[sizeof test.file + 8];
        snprintf(path, sizeof path, "%s%s", test.file, names[i]);
        assert_int_equal(journals_append(&test, 1, "a"), i + 1);
        unlink_not = names[i];
        journals_close(&test);
        assert_int_equal(access(path, F_OK), 0);
        unlink_not = NULL;
        journals_open(&test);
        assert_int_equal(journal_last(test.journal), i + 1);
    }
}

/* ---- all or nothing */

TEST_WITH(what_is_abandoned_never_was, start, end)
{
    journals_append(&test, 1, "a");
    assert_done(&test, journal_begin(test.journal));
    journal_experiment experiment = {.id = "three", .labels = ""};
    assert_done(&test, journal_add_experiment(test.journal, &experiment));
    assert_int_equal(experiment.number, 3);
    journals_row(&test, 3, "b", 1);
    journals_row(&test, 1, "c", 1);
    assert_done(&test, journal_set_state(test.journal, 2, JOURNAL_DELETED));
    journal_abandon(test.journal);
    assert_ints(journal_last(test.journal), 1, journals_append(&test, 2, "d"), 2);
    assert_ints(journals_append(&test, 1, "e"), 3, journals_experiment(&test, "four"), 3);
    journals_reopen(&test);
    assert_string_equal(journals_rows(&test, 0, 0).text, "1:1:a 2:2:d 3:1:e ");
}

/* Deleted experiments are kept forever, so they must need little memory. */
TEST_WITH(deleted_experiments_share_one_entry, start, end)
{
    journals_experiment(&test, "three");
    journals_state(&test, 1, JOURNAL_DELETED);
    journals_state(&test, 3, JOURNAL_DELETED);
    for (int opened = 0; opened < 2; opened++) {
        const journal_sqlite *inside = journal__sqlite_of(test.journal);
        assert_ptr_equal(inside->entry[0], inside->entry[2]);
        assert_true(inside->entry[0]->now.deleted);
        assert_false(inside->entry[1]->now.deleted);
        journals_reopen(&test);
    }
    journals_append(&test, 2, "a");
    assert_string_equal(journals_rows(&test, 0, 0).text, "1:2:a ");
}

TEST_WITH(what_is_open_when_the_journal_closes_never_was, start, end)
{
    journals_append(&test, 1, "a");
    assert_done(&test, journal_begin(test.journal));
    journals_row(&test, 1, "b", 1);
    journals_reopen(&test);
    assert_string_equal(journals_rows(&test, 0, 0).text, "1:1:a ");
}

/* A transaction that writes every kind of row. False if any part was refused. */
static bool try_all(const uint8_t *frames, size_t bytes)
{
    journal_row first = {.experiment = 1, .epoch = 1, .frames = {frames, bytes}};
    journal_row second = {.experiment = 2, .epoch = 1, .frames = {frames, 42}};
    journal_snapshot snapshot = {.experiment = 1, .learner = {frames, 9000}};
    journal_history history = {.experiment = 2, .epoch = 1, .publishes = 1};
    if (!journal_begin(test.journal)) return false;
    if (!journal_append(test.journal, &first) || !journal_append(test.journal, &second)) {
        return false;
    }
    snapshot.seq = second.seq;
    return journal_put_snapshot(test.journal, &snapshot) &&
           journal_add_history(test.journal, &history) &&
           journal_remove_rows(test.journal, 1, first.seq) && journal_commit(test.journal);
}

TEST_WITH(a_full_disk_takes_nothing_and_the_journal_goes_on_when_there_is_room, start, end)
{
    static uint8_t frames[70000];
    memset(frames, 'f', sizeof frames);
    journals_append(&test, 1, "a");
    int failures = 0;
    for (int room = 0;; room++) {
        writes_left = room;
        bool done = try_all(frames, sizeof frames);
        writes_left = -1;
        if (done) break;
        assert_words(journal_fault(test.journal)->sentence, "the disk is full");
        journal_abandon(test.journal);
        failures++;
        assert_int_equal(journal_last(test.journal), failures);
        assert_int_equal(journals_append(&test, 2, "b"), failures + 1);
        if (failures % 8 == 0) journals_reopen(&test);
    }
    assert_true(failures > 20);
    journals_reopen(&test);
    assert_int_equal(journal_last(test.journal), failures + 3);
    assert_string_equal(journals_rows(&test, 1, 0).text, "");
}

/* A row that is larger than SQLite's cache. */
TEST_WITH(a_disk_that_cannot_be_read_gives_no_rows, start, end)
{
    static uint8_t frames[4 << 20];
    journals_text out = {.text = ""};
    memset(frames, 'f', sizeof frames);
    journals_append_bytes(&test, 1, frames, sizeof frames);
    journals_append(&test, 1, "a");
    journals_reopen(&test);
    reads_fail = true;
    assert_refused(&test, journal_read_rows(test.journal, 1, 0, journals_take_row, &out),
                   "cannot be read");
    reads_fail = false;
    assert_string_equal(out.text, "");
    assert_string_equal(journals_rows(&test, 1, 1).text, "2:1:a ");
}

TEST_WITH(a_disk_that_refuses_fsync_takes_nothing, start, end)
{
    journals_append(&test, 1, "a");
    for (int i = 0; i < 3; i++) {
        syncs_left = 0;
        assert_done(&test, journal_begin(test.journal));
        journals_row(&test, 1, "lost", 4);
        assert_refused(&test, journal_commit(test.journal), "disk error");
        journal_abandon(test.journal);
        syncs_left = -1;
        assert_ints(journal_last(test.journal), 1 + i, journals_append(&test, 1, "b"), 2 + i);
    }
    journals_reopen(&test);
    assert_string_equal(journals_rows(&test, 0, 0).text, "1:1:a 2:1:b 3:1:b 4:1:b ");
}

TEST_WITH(a_probe_says_whether_the_disk_takes_commits_and_changes_nothing, start, end)
{
    journals_append(&test, 1, "a");
    assert_done(&test, journal_begin(test.journal));
    assert_refused(&test, journal_probe(test.journal), "in a transaction");
    assert_null(journal_reason(test.journal));
    journal_abandon(test.journal);
    writes_left = 0;
    assert_refused(&test, journal_probe(test.journal), "the disk is full");
    assert_string_equal(journal_reason(test.journal), "its disk is full");
    writes_left = -1;
    syncs_left = 0;
    assert_refused(&test, journal_probe(test.journal), "disk error");
    assert_string_equal(journal_reason(test.journal), "its disk failed");
    syncs_left = 1000;
    assert_done(&test, journal_probe(test.journal));
    assert_true(syncs_left < 1000);
    syncs_left = -1;
    assert_int_equal(journals_append(&test, 1, "b"), 2);
    journals_reopen(&test);
    assert_string_equal(journals_rows(&test, 0, 0).text, "1:1:a 2:1:b ");
}

TEST_WITH(every_commit_is_synced_once_it_answers, start, end)
{
    for (int i = 0; i < 20; i++) {
        syncs_left = 1000;
        journals_append(&test, 1, "a");
        assert_true(syncs_left < 1000);
    }
}

/* A process appends until it is killed and reports each durable row. */
TEST_WITH(a_process_that_is_killed_loses_no_row_that_it_told, start, end)
{
    journals_close(&test);
    for (int i = 0; i < 5; i++) {
        int pipes[2];
        uint64_t told = 0, seq;
        assert_int_equal(pipe(pipes), 0);
        pid_t child = fork();
        if (child == 0) {
            close(pipes[0]);
            journals_open(&test);
            for (;;) {
                seq = journals_append(&test, 1 + (uint32_t)(journal_last(test.journal) % 2), "x");
                if (write(pipes[1], &seq, sizeof seq) != sizeof seq) _exit(1);
            }
        }
        close(pipes[1]);
        for (int j = 0; j < 40 + 17 * i; j++) {
            assert_int_equal(read(pipes[0], &told, sizeof told), sizeof told);
        }
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        while (read(pipes[0], &seq, sizeof seq) == sizeof seq) {
            told = seq;
        }
        close(pipes[0]);
        journals_open(&test);
        assert_true(journal_last(test.journal) == told || journal_last(test.journal) == told + 1);
        journals_close(&test);
    }
}

/* ---- figures */

TEST_WITH(commits_and_bytes_are_counted, start, end)
{
    uint64_t us = 0;
    journals_reopen(&test);
    assert_int_equal(journal_commits(test.journal, &us), 0);
    journals_append(&test, 1, "a");
    assert_int_equal(journal_commits(test.journal, &us), 1);
    assert_true(us < 10000000);
    struct stat about;
    assert_int_equal(stat(test.file, &about), 0);
    assert_true(journal_disk_bytes(test.journal) > (uint64_t)about.st_size);
}
