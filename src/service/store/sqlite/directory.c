/*
 * What is in the directory, and what each state of it means:
 *
 *   lock                  flock is held by the process that uses the directory. Its text is written once the
 *                         first journal is whole: a journal that is gone then is missed, not made again
 *   journal.sqlite        the journal, with -wal and -shm beside it while it is in use
 *   journal.sqlite.new    a journal that is being made: without meaning, removed
 */
#include "inner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char lock_text[] = "sottod journal\n";

__attribute__((format(printf, 2, 3))) static bool refuse(char fault[JOURNAL_FAULT_BYTES],
                                                         const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault, JOURNAL_FAULT_BYTES, format, arguments);
    va_end(arguments);
    return false;
}

static bool refuse_errno(char fault[JOURNAL_FAULT_BYTES], const char *path, const char *what)
{
    char why[80];
    if (strerror_r(errno, why, sizeof why) != 0) why[0] = '\0';
    return refuse(fault, "%s %s: %s", path, what, why);
}

/* ---- the directory itself -------------------------------------------------------------------- */

static bool name_all(journal_directory *directory, const char *path,
                     char fault[JOURNAL_FAULT_BYTES])
{
    if (path == NULL || path[0] == '\0') {
        return refuse(fault, "the data directory has an empty name: name a directory");
    }
    size_t bytes = strlen(path);
    if (bytes > JOURNAL_PATH_BYTES - 64) {
        return refuse(fault, "the name of the data directory has %zu bytes: allowed at most %u",
                      bytes, JOURNAL_PATH_BYTES - 64);
    }
    snprintf(directory->path, sizeof directory->path, "%s", path);
    snprintf(directory->file, sizeof directory->file, "%s/journal.sqlite", path);
    snprintf(directory->log, sizeof directory->log, "%s/journal.sqlite-wal", path);
    snprintf(directory->index, sizeof directory->index, "%s/journal.sqlite-shm", path);
    snprintf(directory->unborn, sizeof directory->unborn, "%s/journal.sqlite.new", path);
    snprintf(directory->lock_file, sizeof directory->lock_file, "%s/lock", path);
    return true;
}

static bool check_owner(const char *path, const struct stat *about, char fault[JOURNAL_FAULT_BYTES])
{
    if (about->st_uid == geteuid()) return true;
    return refuse(fault,
                  "%s belongs to user %lu, but this process runs as user %lu: run it as the owner, "
                  "or choose another directory",
                  path, (unsigned long)about->st_uid, (unsigned long)geteuid());
}

static bool check_directory(const journal_directory *directory, bool read_only,
                            char fault[JOURNAL_FAULT_BYTES])
{
    struct stat about;
    if (stat(directory->path, &about) != 0) {
        return refuse_errno(fault, directory->path, "cannot be used as the data directory");
    }
    if (!S_ISDIR(about.st_mode)) {
        return refuse(fault, "%s is not a directory: the data directory must be one",
                      directory->path);
    }
    if (!check_owner(directory->path, &about, fault)) return false;
    if ((about.st_mode & 022) != 0) {
        return refuse(fault,
                      "%s has mode %03o, so other users can write to it: allowed 700, 750, 755",
                      directory->path, (unsigned)(about.st_mode & 0777));
    }
    if (!read_only && faccessat(AT_FDCWD, directory->path, R_OK | W_OK | X_OK, AT_EACCESS) != 0) {
        return refuse_errno(fault, directory->path, "cannot be written to");
    }
    return true;
}

/* ---- the lock ----------------------------------------------------------------------------- */

static bool take_lock(journal_directory *directory, char fault[JOURNAL_FAULT_BYTES])
{
    directory->lock = open(directory->lock_file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (directory->lock < 0) return refuse_errno(fault, directory->lock_file, "cannot be opened");
    if (flock(directory->lock, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK) return refuse_errno(fault, directory->lock_file, "cannot be locked");
    return refuse(fault,
                  "%s is in use by another process. Stop that process, or choose another directory",
                  directory->path);
}

/* Makes the names in a directory durable; false with errno. */
static bool sync_names(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = fd >= 0 && fsync(fd) == 0;
    int why = errno;
    if (fd >= 0) close(fd);
    errno = why;
    return ok;
}

bool journal__directory_sync(const journal_directory *directory, char fault[JOURNAL_FAULT_BYTES])
{
    return sync_names(directory->path) ||
           refuse_errno(fault, directory->path, "cannot be made durable");
}

/* The directory's own name is in the directory above. If we may not open or change that one, we did not
 * create ours. */
static bool sync_above(const journal_directory *directory, char fault[JOURNAL_FAULT_BYTES])
{
    char above[JOURNAL_PATH_BYTES + 4];
    snprintf(above, sizeof above, "%s/..", directory->path);
    if (sync_names(above) || errno == EACCES || errno == EROFS) return true;
    return refuse_errno(fault, above, "cannot be made durable");
}

/* Once: before the mark is there, all names that the journal hangs on are durable. */
static bool mark_lock(const journal_directory *directory, char fault[JOURNAL_FAULT_BYTES])
{
    struct stat about;
    if (fstat(directory->lock, &about) != 0) {
        return refuse_errno(fault, directory->lock_file, "cannot be read");
    }
    if (about.st_size > 0) return true;
    if (!journal__directory_sync(directory, fault) || !sync_above(directory, fault)) return false;
    errno = ENOSPC; /* what a short write does not say */
    if (pwrite(directory->lock, lock_text, sizeof lock_text - 1, 0) !=
            (ssize_t)sizeof lock_text - 1 ||
        fsync(directory->lock) != 0) {
        return refuse_errno(fault, directory->lock_file, "cannot be written");
    }
    return true;
}

/* ---- the file ----------------------------------------------------------------------------- */

static uint32_t get_u32_big(const uint8_t *in)
{
    return (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 | in[3];
}

/* The first 100 bytes, before SQLite sees the file: it must be ours, of the format that we read. */
static bool check_head(const journal_directory *directory, const uint8_t *head, ssize_t bytes,
                       char fault[JOURNAL_FAULT_BYTES])
{
    if (bytes < 100) {
        return refuse(fault,
                      "%s is damaged: it has %zd bytes, fewer than the shortest journal. Restore a "
                      "copy of the directory",
                      directory->file, bytes < 0 ? 0 : bytes);
    }
    if (memcmp(head, "SQLite format 3", 16) != 0) {
        return refuse(fault,
                      "%s is not a journal, because it is not an SQLite file. Restore a copy of "
                      "the directory, or choose another one",
                      directory->file);
    }
    uint32_t application = get_u32_big(head + 68), format = get_u32_big(head + 60);
    if (application != JOURNAL_APPLICATION_ID) {
        return refuse(fault,
                      "%s belongs to another program: its application_id is %u, but a journal has "
                      "%u. Choose another directory",
                      directory->file, application, JOURNAL_APPLICATION_ID);
    }
    if (format == JOURNAL_FORMAT) return true;
    return refuse(fault,
                  "%s has format %u, and this program reads only format %u: use the program that "
                  "wrote it, or choose another directory",
                  directory->file, format, JOURNAL_FORMAT);
}

static bool check_file(journal_directory *directory, bool read_only,
                       char fault[JOURNAL_FAULT_BYTES])
{
    uint8_t head[100];
    struct stat about;
    int fd = open(directory->file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return refuse_errno(fault, directory->file, "cannot be opened");
    bool ok = fstat(fd, &about) == 0;
    if (!ok) refuse_errno(fault, directory->file, "cannot be read");
    if (ok && !S_ISREG(about.st_mode)) {
        ok = refuse(fault, "%s is not a regular file, which a journal must be", directory->file);
    }
    ok = ok && check_owner(directory->file, &about, fault);
    ok = ok && check_head(directory, head, pread(fd, head, sizeof head, 0), fault);
    if (ok && !read_only && (about.st_mode & 0777) != 0600 && fchmod(fd, 0600) != 0) {
        ok = refuse_errno(fault, directory->file, "cannot be given mode 600");
    }
    close(fd);
    return ok;
}

/* There is no file. That is right if there never was one. */
static bool check_missing(const journal_directory *directory, bool read_only,
                          char fault[JOURNAL_FAULT_BYTES])
{
    struct stat about;
    if (read_only) return refuse(fault, "%s does not exist", directory->file);
    if (lstat(directory->log, &about) == 0) {
        return refuse(fault,
                      "%s is missing, but its log %s exists: restore a copy of the directory",
                      directory->file, directory->log);
    }
    if (fstat(directory->lock, &about) != 0 || about.st_size > 0) {
        return refuse(fault,
                      "%s is missing, although the directory had one: restore a copy of it, or "
                      "choose another directory",
                      directory->file);
    }
    return true;
}

bool journal__directory_open(journal_directory *directory, const char *path, bool read_only,
                             bool *is_new, char fault[JOURNAL_FAULT_BYTES])
{
    struct stat about;
    *directory = (journal_directory){.lock = -1};
    *is_new = false;
    if (!name_all(directory, path, fault)) return false;
    if (!read_only && mkdir(directory->path, 0700) != 0 && errno != EEXIST) {
        return refuse_errno(fault, directory->path, "cannot be made");
    }
    if (!check_directory(directory, read_only, fault)) return false;
    if (!read_only && !take_lock(directory, fault)) return false;
    if (lstat(directory->file, &about) != 0) {
        if (errno != ENOENT) return refuse_errno(fault, directory->file, "cannot be read");
        *is_new = true;
        return check_missing(directory, read_only, fault);
    }
    if (!check_file(directory, read_only, fault)) return false;
    return read_only || mark_lock(directory, fault);
}

void journal__directory_close(journal_directory *directory)
{
    if (directory->lock >= 0) close(directory->lock);
    directory->lock = -1;
}

bool journal__directory_unborn(journal_directory *directory, char fault[JOURNAL_FAULT_BYTES])
{
    if (unlink(directory->unborn) != 0 && errno != ENOENT) {
        return refuse_errno(fault, directory->unborn, "cannot be removed");
    }
    int fd = open(directory->unborn, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return refuse_errno(fault, directory->unborn, "cannot be made");
    close(fd);
    return true;
}

bool journal__directory_adopt(journal_directory *directory, char fault[JOURNAL_FAULT_BYTES])
{
    int fd = open(directory->unborn, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    bool ok = fd >= 0 && fsync(fd) == 0;
    if (!ok) refuse_errno(fault, directory->unborn, "cannot be made durable");
    if (fd >= 0) close(fd);
    if (!ok) return false;
    /* The log of an old file is gone for good before another file gets its name. */
    if (!journal__directory_sync(directory, fault)) return false;
    if (rename(directory->unborn, directory->file) != 0) {
        return refuse_errno(fault, directory->file, "cannot be made");
    }
    return journal__directory_sync(directory, fault) && mark_lock(directory, fault);
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

/* The log has no descriptor of ours: its first inode is the right one. */
static bool log_is_in_place(journal_directory *directory)
{
    struct stat there;
    bool is_there = stat(directory->log, &there) == 0;
    if (is_there && directory->log_inode == 0) directory->log_inode = there.st_ino;
    return directory->log_inode == 0 || (is_there && directory->log_inode == there.st_ino);
}

bool journal__directory_is_in_place(journal_directory *directory, char fault[JOURNAL_FAULT_BYTES])
{
    struct stat ours, there;
    if (!log_is_in_place(directory)) {
        return refuse(fault,
                      "%s was removed, moved or replaced during use, and new writes would be lost: "
                      "put it back, or restore a copy of the directory",
                      directory->log);
    }
    if (fstat(directory->lock, &ours) == 0 && stat(directory->lock_file, &there) == 0 &&
        ours.st_ino == there.st_ino && ours.st_dev == there.st_dev)
        return true;
    return refuse(fault,
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
        errno = ENOSPC; /* what a short write does not say */
        if (write(to, bytes, (size_t)got) != got) return false;
    }
}

/* False, and errno is EEXIST, if the copy is there already. A file that is not there has no copy. */
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

bool journal__directory_keep(journal_directory *directory, char copy[JOURNAL_PATH_BYTES],
                             char fault[JOURNAL_FAULT_BYTES])
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
    return refuse_errno(fault, copy, "cannot be made; sottod discards nothing without this copy");
}
