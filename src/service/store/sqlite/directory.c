/*
 * The files in the directory and what each state of it means:
 *
 *   lock                  the process that uses the directory holds flock on it. Its text is written once the first
 *                         journal is complete: from then on, a missing journal is a fault and is not made again
 *   journal.sqlite        the journal, with -wal and -shm beside it while it is in use
 *   journal.sqlite.new    an unfinished journal: removed */
#include "inner.h"

#include "service/system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char lock_text[] = "sottod journal\n";

static sotto_status refuse_errno(const char *path, const char *what, sotto_fault *fault)
{
    char why[80];
    if (strerror_r(errno, why, sizeof why) != 0) why[0] = '\0';
    return sotto__refuse(fault, "%s %s: %s", path, what, why);
}

/* ---- the directory itself -------------------------------------------------------------------- */

static sotto_status name_all(journal_directory *directory, const char *path, sotto_fault *fault)
{
    if (path == NULL || path[0] == '\0') {
        return sotto__refuse(fault, "the data directory has an empty name: name a directory");
    }
    size_t bytes = strlen(path);
    if (bytes > JOURNAL_PATH_BYTES - 64) {
        return sotto__refuse(fault,
                             "the name of the data directory has %zu bytes: allowed at most %u",
                             bytes, JOURNAL_PATH_BYTES - 64);
    }
    snprintf(directory->path, sizeof directory->path, "%s", path);
    snprintf(directory->file, sizeof directory->file, "%s/journal.sqlite", path);
    snprintf(directory->log, sizeof directory->log, "%s/journal.sqlite-wal", path);
    snprintf(directory->index, sizeof directory->index, "%s/journal.sqlite-shm", path);
    snprintf(directory->unborn, sizeof directory->unborn, "%s/journal.sqlite.new", path);
    snprintf(directory->lock_file, sizeof directory->lock_file, "%s/lock", path);
    return SOTTO_OK;
}

static sotto_status check_owner(const char *path, const struct stat *about, sotto_fault *fault)
{
    if (about->st_uid == geteuid()) return SOTTO_OK;
    return sotto__refuse(
        fault,
        "%s belongs to user %lu, but this process runs as user %lu: run it as the owner, "
        "or choose another directory",
        path, (unsigned long)about->st_uid, (unsigned long)geteuid());
}

static sotto_status check_directory(const journal_directory *directory, bool read_only,
                                    sotto_fault *fault)
{
    struct stat about;
    if (stat(directory->path, &about) != 0) {
        return refuse_errno(directory->path, "cannot be used as the data directory", fault);
    }
    if (!S_ISDIR(about.st_mode)) {
        return sotto__refuse(fault, "%s is not a directory: the data directory must be one",
                             directory->path);
    }
    sotto_status status = check_owner(directory->path, &about, fault);
    if (status != SOTTO_OK) return status;
    if ((about.st_mode & 022) != 0) {
        return sotto__refuse(
            fault, "%s has mode %03o, so other users can write to it: allowed 700, 750, 755",
            directory->path, (unsigned)(about.st_mode & 0777));
    }
    if (!read_only && faccessat(AT_FDCWD, directory->path, R_OK | W_OK | X_OK, AT_EACCESS) != 0) {
        return refuse_errno(directory->path, "cannot be written to", fault);
    }
    return SOTTO_OK;
}

/* ---- the lock ----------------------------------------------------------------------------- */

static sotto_status take_lock(journal_directory *directory, sotto_fault *fault)
{
    directory->lock = open(directory->lock_file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (directory->lock < 0) return refuse_errno(directory->lock_file, "cannot be opened", fault);
    if (flock(directory->lock, LOCK_EX | LOCK_NB) == 0) return SOTTO_OK;
    if (errno != EWOULDBLOCK) return refuse_errno(directory->lock_file, "cannot be locked", fault);
    return sotto__refuse(
        fault, "%s is in use by another process. Stop that process, or choose another directory",
        directory->path);
}

sotto_status journal__directory_sync(const journal_directory *directory, sotto_fault *fault)
{
    if (names_sync(directory->path)) return SOTTO_OK;
    return refuse_errno(directory->path, "cannot be made durable", fault);
}

/* The directory's own name is in its parent. If we may not open or change the parent, we did not create the
 * directory. */
static sotto_status sync_above(const journal_directory *directory, sotto_fault *fault)
{
    char above[JOURNAL_PATH_BYTES + 4];
    snprintf(above, sizeof above, "%s/..", directory->path);
    if (names_sync(above) || errno == EACCES || errno == EROFS) return SOTTO_OK;
    return refuse_errno(above, "cannot be made durable", fault);
}

/* Once: all names that the journal depends on are durable before the mark exists. */
static sotto_status mark_lock(const journal_directory *directory, sotto_fault *fault)
{
    struct stat about;
    if (fstat(directory->lock, &about) != 0) {
        return refuse_errno(directory->lock_file, "cannot be read", fault);
    }
    if (about.st_size > 0) return SOTTO_OK;
    sotto_status status = journal__directory_sync(directory, fault);
    if (status == SOTTO_OK) status = sync_above(directory, fault);
    if (status != SOTTO_OK) return status;
    errno = ENOSPC; /* a short write sets no errno */
    if (pwrite(directory->lock, lock_text, sizeof lock_text - 1, 0) !=
            (ssize_t)sizeof lock_text - 1 ||
        fsync(directory->lock) != 0) {
        return refuse_errno(directory->lock_file, "cannot be written", fault);
    }
    return SOTTO_OK;
}

/* ---- the file ----------------------------------------------------------------------------- */

static uint32_t get_u32_big(const uint8_t *in)
{
    return (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 | in[3];
}

/* Checks the first 100 bytes before SQLite opens the file: it must be ours, in a format that we read. */
static sotto_status check_head(const journal_directory *directory, const uint8_t *head,
                               ssize_t bytes, sotto_fault *fault)
{
    if (bytes < 100) {
        return sotto__refuse(
            fault,
            "%s is damaged: it has %zd bytes, fewer than the shortest journal. Restore a "
            "copy of the directory",
            directory->file, bytes < 0 ? 0 : bytes);
    }
    if (memcmp(head, "SQLite format 3", 16) != 0) {
        return sotto__refuse(
            fault,
            "%s is not a journal, because it is not an SQLite file. Restore a copy of "
            "the directory, or choose another one",
            directory->file);
    }
    uint32_t application = get_u32_big(head + 68), format = get_u32_big(head + 60);
    if (application != JOURNAL_APPLICATION_ID) {
        return sotto__refuse(
            fault,
            "%s belongs to another program: its application_id is %u, but a journal has "
            "%u. Choose another directory",
            directory->file, application, JOURNAL_APPLICATION_ID);
    }
    if (format == JOURNAL_FORMAT) return SOTTO_OK;
    return sotto__refuse(
        fault,
        "%s has format %u, and this program reads only format %u: use the program that "
        "wrote it, or choose another directory",
        directory->file, format, JOURNAL_FORMAT);
}

static sotto_status check_file(journal_directory *directory, bool read_only, sotto_fault *fault)
{
    uint8_t head[100];
    struct stat about;
    int fd = open(directory->file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return refuse_errno(directory->file, "cannot be opened", fault);
    sotto_status status = SOTTO_OK;
    if (fstat(fd, &about) != 0) {
        status = refuse_errno(directory->file, "cannot be read", fault);
    } else if (!S_ISREG(about.st_mode)) {
        status = sotto__refuse(fault, "%s is not a regular file, which a journal must be",
                               directory->file);
    }
    if (status == SOTTO_OK) status = check_owner(directory->file, &about, fault);
    if (status == SOTTO_OK)
        status = check_head(directory, head, pread(fd, head, sizeof head, 0), fault);
    if (status == SOTTO_OK && !read_only && (about.st_mode & 0777) != 0600 && fchmod(fd, 0600) != 0)
        status = refuse_errno(directory->file, "cannot be given mode 600", fault);
    close(fd);
    return status;
}

/* There is no file, which is right only if there never was one. */
static sotto_status check_missing(const journal_directory *directory, bool read_only,
                                  sotto_fault *fault)
{
    struct stat about;
    if (read_only) return sotto__refuse(fault, "%s does not exist", directory->file);
    if (lstat(directory->log, &about) == 0) {
        return sotto__refuse(
            fault, "%s is missing, but its log %s exists: restore a copy of the directory",
            directory->file, directory->log);
    }
    if (fstat(directory->lock, &about) != 0 || about.st_size > 0) {
        return sotto__refuse(
            fault,
            "%s is missing, although the directory had one: restore a copy of it, or "
            "choose another directory",
            directory->file);
    }
    return SOTTO_OK;
}

sotto_status journal__directory_open(journal_directory *directory, const char *path, bool read_only,
                                     bool *is_new, sotto_fault *fault)
{
    struct stat about;
    *directory = (journal_directory){.lock = -1};
    *is_new = false;
    sotto_status status = name_all(directory, path, fault);
    if (status != SOTTO_OK) return status;
    if (!read_only && mkdir(directory->path, 0700) != 0 && errno != EEXIST) {
        return refuse_errno(directory->path, "cannot be made", fault);
    }
    status = check_directory(directory, read_only, fault);
    if (status == SOTTO_OK && !read_only) status = take_lock(directory, fault);
    if (status != SOTTO_OK) return status;
    if (lstat(directory->file, &about) != 0) {
        if (errno != ENOENT) return refuse_errno(directory->file, "cannot be read", fault);
        *is_new = true;
        return check_missing(directory, read_only, fault);
    }
    status = check_file(directory, read_only, fault);
    return status == SOTTO_OK && !read_only ? mark_lock(directory, fault) : status;
}

void journal__directory_close(journal_directory *directory)
{
    if (directory->lock >= 0) close(directory->lock);
    directory->lock = -1;
}

sotto_status journal__directory_unborn(journal_directory *directory, sotto_fault *fault)
{
    if (unlink(directory->unborn) != 0 && errno != ENOENT) {
        return refuse_errno(directory->unborn, "cannot be removed", fault);
    }
    int fd = open(directory->unborn, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return refuse_errno(directory->unborn, "cannot be made", fault);
    close(fd);
    return SOTTO_OK;
}

sotto_status journal__directory_adopt(journal_directory *directory, sotto_fault *fault)
{
    int fd = open(directory->unborn, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    bool ok = fd >= 0 && fsync(fd) == 0;
    sotto_status status =
        ok ? SOTTO_OK : refuse_errno(directory->unborn, "cannot be made durable", fault);
    if (fd >= 0) close(fd);
    /* The old file's log must be gone durably before another file gets its name. */
    if (status == SOTTO_OK) status = journal__directory_sync(directory, fault);
    if (status != SOTTO_OK) return status;
    if (rename(directory->unborn, directory->file) != 0)
        return refuse_errno(directory->file, "cannot be made", fault);
    status = journal__directory_sync(directory, fault);
    return status == SOTTO_OK ? mark_lock(directory, fault) : status;
}

static uint64_t size_of(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && about.st_size > 0 ? (uint64_t)about.st_size : 0;
}

uint64_t journal__directory_bytes(const journal_directory *directory)
{
    return size_of(directory->file) + size_of(directory->log) + size_of(directory->index);
}

/* ---- removed under our hands ---------------------------------------------------------------- */

/* We have no descriptor of the log: the first inode seen is taken as the right one. */
static bool log_is_in_place(journal_directory *directory)
{
    struct stat there;
    bool is_there = stat(directory->log, &there) == 0;
    if (is_there && directory->log_inode == 0) directory->log_inode = there.st_ino;
    return directory->log_inode == 0 || (is_there && directory->log_inode == there.st_ino);
}

sotto_status journal__directory_is_in_place(journal_directory *directory, sotto_fault *fault)
{
    struct stat ours, there;
    if (!log_is_in_place(directory)) {
        return sotto__refuse(
            fault,
            "%s was removed, moved or replaced during use, and new writes would be lost: "
            "put it back, or restore a copy of the directory",
            directory->log);
    }
    if (fstat(directory->lock, &ours) == 0 && stat(directory->lock_file, &there) == 0 &&
        ours.st_ino == there.st_ino && ours.st_dev == there.st_dev)
        return SOTTO_OK;
    return sotto__refuse(
        fault,
        "%s was removed, moved or replaced during use, and another process may use the "
        "directory now: put it back, or restart",
        directory->lock_file);
}

/* ---- keeping a copy ----------------------------------------------------------------------- */

static bool copy_bytes(int from, int to)
{
    static const size_t piece = 65536;
    uint8_t bytes[65536];
    for (;;) {
        ssize_t got = read(from, bytes, piece);
        if (got == 0) return fsync(to) == 0;
        if (got < 0) return false;
        errno = ENOSPC; /* a short write sets no errno */
        if (write(to, bytes, (size_t)got) != got) return false;
    }
}

/* False with errno EEXIST if the copy exists already. If `from` does not exist, there is nothing to copy. */
static bool copy_file(const char *from, const char *to)
{
    int out = -1, in = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (in < 0) return errno == ENOENT;
    out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool ok = out >= 0 && copy_bytes(in, out);
    int why = errno;
    if (out >= 0) close(out);
    close(in);
    errno = why;
    return ok;
}

sotto_status journal__directory_keep(journal_directory *directory, char copy[JOURNAL_PATH_BYTES],
                                     sotto_fault *fault)
{
    char log[JOURNAL_PATH_BYTES + 8];
    for (unsigned number = 1; number < 100000; number++) {
        snprintf(copy, JOURNAL_PATH_BYTES, "%.1040s/journal.before-recovery-%u", directory->path,
                 number);
        snprintf(log, sizeof log, "%s-wal", copy);
        struct stat about;
        if (lstat(log, &about) == 0) continue;
        if (copy_file(directory->file, copy)) {
            if (!copy_file(directory->log, log)) break;
            return journal__directory_sync(directory, fault);
        }
        if (errno != EEXIST) break;
    }
    return refuse_errno(copy, "cannot be made; sottod discards nothing without this copy", fault);
}
