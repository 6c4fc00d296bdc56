/*
 * What is in the folder, and what each state of it means:
 *
 *   lock                  flock is held by the process that uses the folder. Its text is written once the
 *                         first journal is whole: a journal that is gone then is missed, not made again
 *   journal.sqlite        the journal, with -wal and -shm beside it while it is in use
 *   journal.sqlite.new    a journal that is being made: without meaning, removed
 */
#include "journal_folder.h"

#include "journal_statement.h"

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

/* ---- the folder itself -------------------------------------------------------------------- */

static bool name_all(journal_folder *folder, const char *path, char fault[JOURNAL_FAULT_BYTES])
{
    if (path == NULL || path[0] == '\0') {
        return refuse(fault, "the data folder has an empty name: name a folder");
    }
    size_t bytes = strlen(path);
    if (bytes > JOURNAL_PATH_BYTES - 64) {
        return refuse(fault, "the name of the data folder has %zu bytes: at most %u are allowed",
                      bytes, JOURNAL_PATH_BYTES - 64);
    }
    snprintf(folder->path, sizeof folder->path, "%s", path);
    snprintf(folder->file, sizeof folder->file, "%s/journal.sqlite", path);
    snprintf(folder->log, sizeof folder->log, "%s/journal.sqlite-wal", path);
    snprintf(folder->index, sizeof folder->index, "%s/journal.sqlite-shm", path);
    snprintf(folder->unborn, sizeof folder->unborn, "%s/journal.sqlite.new", path);
    snprintf(folder->lock_file, sizeof folder->lock_file, "%s/lock", path);
    return true;
}

static bool check_owner(const char *path, const struct stat *about, char fault[JOURNAL_FAULT_BYTES])
{
    if (about->st_uid == geteuid()) return true;
    return refuse(fault,
                  "%s belongs to user %lu, and this process runs as user %lu: run it as the owner, "
                  "or choose another folder",
                  path, (unsigned long)about->st_uid, (unsigned long)geteuid());
}

static bool check_folder(const journal_folder *folder, bool read_only,
                         char fault[JOURNAL_FAULT_BYTES])
{
    struct stat about;
    if (stat(folder->path, &about) != 0) {
        return refuse_errno(fault, folder->path, "cannot be used as the data folder");
    }
    if (!S_ISDIR(about.st_mode)) {
        return refuse(fault, "%s is not a folder: the data folder must be one", folder->path);
    }
    if (!check_owner(folder->path, &about, fault)) return false;
    if ((about.st_mode & 022) != 0) {
        return refuse(
            fault, "%s has mode %03o, so that others can write to it: allowed are 700, 750 and 755",
            folder->path, (unsigned)(about.st_mode & 0777));
    }
    if (!read_only && faccessat(AT_FDCWD, folder->path, R_OK | W_OK | X_OK, AT_EACCESS) != 0) {
        return refuse_errno(fault, folder->path, "cannot be written to");
    }
    return true;
}

/* ---- the lock ----------------------------------------------------------------------------- */

static bool take_lock(journal_folder *folder, char fault[JOURNAL_FAULT_BYTES])
{
    folder->lock = open(folder->lock_file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (folder->lock < 0) return refuse_errno(fault, folder->lock_file, "cannot be opened");
    if (flock(folder->lock, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK) return refuse_errno(fault, folder->lock_file, "cannot be locked");
    return refuse(fault,
                  "%s is in use by another process: one journal has one process. Stop the other "
                  "one, or choose another folder",
                  folder->path);
}

/* Makes the names in a folder durable; false with errno. */
static bool sync_names(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = fd >= 0 && fsync(fd) == 0;
    int why = errno;
    if (fd >= 0) close(fd);
    errno = why;
    return ok;
}

bool journal__folder_sync(const journal_folder *folder, char fault[JOURNAL_FAULT_BYTES])
{
    return sync_names(folder->path) || refuse_errno(fault, folder->path, "cannot be made durable");
}

/* The folder's own name is in the folder above. Who may not open that one, or not change it, has not made
 * ours. */
static bool sync_above(const journal_folder *folder, char fault[JOURNAL_FAULT_BYTES])
{
    char above[JOURNAL_PATH_BYTES + 4];
    snprintf(above, sizeof above, "%s/..", folder->path);
    if (sync_names(above) || errno == EACCES || errno == EROFS) return true;
    return refuse_errno(fault, above, "cannot be made durable");
}

/* Once: before the mark is there, all names that the journal hangs on are durable. */
static bool mark_lock(const journal_folder *folder, char fault[JOURNAL_FAULT_BYTES])
{
    struct stat about;
    if (fstat(folder->lock, &about) != 0) {
        return refuse_errno(fault, folder->lock_file, "cannot be read");
    }
    if (about.st_size > 0) return true;
    if (!journal__folder_sync(folder, fault) || !sync_above(folder, fault)) return false;
    errno = ENOSPC; /* what a short write does not say */
    if (pwrite(folder->lock, lock_text, sizeof lock_text - 1, 0) != (ssize_t)sizeof lock_text - 1 ||
        fsync(folder->lock) != 0) {
        return refuse_errno(fault, folder->lock_file, "cannot be written");
    }
    return true;
}

/* ---- the file ----------------------------------------------------------------------------- */

static uint32_t get_u32_big(const uint8_t *in)
{
    return (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 | in[3];
}

/* The first 100 bytes, before SQLite sees the file: it must be ours, of a format that we read. */
static bool check_head(journal_folder *folder, const uint8_t *head, ssize_t bytes,
                       char fault[JOURNAL_FAULT_BYTES])
{
    if (bytes < 100) {
        return refuse(
            fault,
            "%s is damaged: it has %zd bytes, and the shortest journal has more. Restore a "
            "copy of the folder",
            folder->file, bytes < 0 ? 0 : bytes);
    }
    if (memcmp(head, "SQLite format 3", 16) != 0) {
        return refuse(fault,
                      "%s is not a journal: it does not begin as a file of SQLite does. Restore a "
                      "copy of the folder, or choose another one",
                      folder->file);
    }
    uint32_t application = get_u32_big(head + 68), format = get_u32_big(head + 60);
    if (application != JOURNAL_APPLICATION_ID) {
        return refuse(
            fault,
            "%s belongs to another program: its application_id is %u, and that of a journal "
            "is %u. Choose another folder",
            folder->file, application, JOURNAL_APPLICATION_ID);
    }
    if (format < JOURNAL_FORMAT_OLDEST || format > JOURNAL_FORMAT) {
        return refuse(fault,
                      "%s has format %u, and this program reads formats %u to %u: use the program "
                      "that wrote it, or a newer one",
                      folder->file, format, JOURNAL_FORMAT_OLDEST, JOURNAL_FORMAT);
    }
    folder->format = format;
    return true;
}

static bool check_file(journal_folder *folder, bool read_only, char fault[JOURNAL_FAULT_BYTES])
{
    uint8_t head[100];
    struct stat about;
    int fd = open(folder->file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return refuse_errno(fault, folder->file, "cannot be opened");
    bool ok = fstat(fd, &about) == 0;
    if (!ok) refuse_errno(fault, folder->file, "cannot be read");
    if (ok && !S_ISREG(about.st_mode)) {
        ok = refuse(fault, "%s is not a file: a journal must be one", folder->file);
    }
    ok = ok && check_owner(folder->file, &about, fault);
    ok = ok && check_head(folder, head, pread(fd, head, sizeof head, 0), fault);
    if (ok && !read_only && (about.st_mode & 0777) != 0600 && fchmod(fd, 0600) != 0) {
        ok = refuse_errno(fault, folder->file, "cannot be given mode 600");
    }
    close(fd);
    return ok;
}

/* There is no file. That is right if there never was one. */
static bool check_missing(const journal_folder *folder, bool read_only,
                          char fault[JOURNAL_FAULT_BYTES])
{
    struct stat about;
    if (read_only) return refuse(fault, "%s is not there: nothing to read", folder->file);
    if (lstat(folder->log, &about) == 0) {
        return refuse(fault, "%s is missing, and its log %s is there: restore a copy of the folder",
                      folder->file, folder->log);
    }
    if (fstat(folder->lock, &about) != 0 || about.st_size > 0) {
        return refuse(
            fault,
            "%s is missing, and the folder had one: restore a copy of it, or choose another "
            "folder",
            folder->file);
    }
    return true;
}

bool journal__folder_open(journal_folder *folder, const char *path, bool read_only, bool *is_new,
                          char fault[JOURNAL_FAULT_BYTES])
{
    struct stat about;
    *folder = (journal_folder){.lock = -1, .format = JOURNAL_FORMAT};
    *is_new = false;
    if (!name_all(folder, path, fault)) return false;
    if (!read_only && mkdir(folder->path, 0700) != 0 && errno != EEXIST) {
        return refuse_errno(fault, folder->path, "cannot be made");
    }
    if (!check_folder(folder, read_only, fault)) return false;
    if (!read_only && !take_lock(folder, fault)) return false;
    if (lstat(folder->file, &about) != 0) {
        if (errno != ENOENT) return refuse_errno(fault, folder->file, "cannot be read");
        *is_new = true;
        return check_missing(folder, read_only, fault);
    }
    if (!check_file(folder, read_only, fault)) return false;
    return read_only || mark_lock(folder, fault);
}

void journal__folder_close(journal_folder *folder)
{
    if (folder->lock >= 0) close(folder->lock);
    folder->lock = -1;
}

bool journal__folder_unborn(journal_folder *folder, char fault[JOURNAL_FAULT_BYTES])
{
    if (unlink(folder->unborn) != 0 && errno != ENOENT) {
        return refuse_errno(fault, folder->unborn, "cannot be removed");
    }
    int fd = open(folder->unborn, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return refuse_errno(fault, folder->unborn, "cannot be made");
    close(fd);
    return true;
}

bool journal__folder_adopt(journal_folder *folder, char fault[JOURNAL_FAULT_BYTES])
{
    int fd = open(folder->unborn, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    bool ok = fd >= 0 && fsync(fd) == 0;
    if (!ok) refuse_errno(fault, folder->unborn, "cannot be made durable");
    if (fd >= 0) close(fd);
    if (!ok) return false;
    /* The log of an old file is gone for good before another file gets its name. */
    if (!journal__folder_sync(folder, fault)) return false;
    if (rename(folder->unborn, folder->file) != 0) {
        return refuse_errno(fault, folder->file, "cannot be made");
    }
    return journal__folder_sync(folder, fault) && mark_lock(folder, fault);
}

static uint64_t size_of(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && about.st_size > 0 ? (uint64_t)about.st_size : 0;
}

uint64_t journal__folder_bytes(const journal_folder *folder)
{
    return size_of(folder->file) + size_of(folder->log) + size_of(folder->index);
}

/* ---- removed under our hands ---------------------------------------------------------------- */

/* The log has no descriptor of ours: its first inode is the right one. */
static bool log_is_in_place(journal_folder *folder)
{
    struct stat there;
    bool is_there = stat(folder->log, &there) == 0;
    if (is_there && folder->log_inode == 0) folder->log_inode = there.st_ino;
    return folder->log_inode == 0 || (is_there && folder->log_inode == there.st_ino);
}

bool journal__folder_is_in_place(journal_folder *folder, char fault[JOURNAL_FAULT_BYTES])
{
    struct stat ours, there;
    if (!log_is_in_place(folder)) {
        return refuse(fault,
                      "%s was removed, moved or replaced while it is in use, and what is written "
                      "now would be lost: put it back, or restore a copy of the folder",
                      folder->log);
    }
    if (fstat(folder->lock, &ours) == 0 && stat(folder->lock_file, &there) == 0 &&
        ours.st_ino == there.st_ino && ours.st_dev == there.st_dev)
        return true;
    return refuse(fault,
                  "%s was removed, moved or replaced while it is in use, and another process may "
                  "use the folder now: put it back, or start again",
                  folder->lock_file);
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

bool journal__folder_keep(journal_folder *folder, char copy[JOURNAL_PATH_BYTES],
                          char fault[JOURNAL_FAULT_BYTES])
{
    char log[JOURNAL_PATH_BYTES + 8];
    for (unsigned number = 1; number < 100000; number++) {
        snprintf(copy, JOURNAL_PATH_BYTES, "%.1040s/journal.before-recovery-%u", folder->path,
                 number);
        snprintf(log, sizeof log, "%s-wal", copy);
        struct stat about;
        if (lstat(log, &about) == 0) continue;
        if (copy_file(folder->file, copy)) {
            if (!copy_file(folder->log, log)) break;
            return journal__folder_sync(folder, fault);
        }
        if (errno != EEXIST) break;
    }
    return refuse_errno(fault, copy, "cannot be made, and nothing is given up without a copy");
}
