/*
 * A ledger in a file (POSIX). The bytes are specified at the head of ledger_log.c.
 *
 * To book is: under an exclusive lock, write the entry after the last one; fsync; write the head
 * block that anchors it; fsync; only then say so. What a crash or a power cut leaves:
 *
 *   it happened                        the file then                     opened again
 *   ---------------------------------  --------------------------------  --------------------------
 *   while the entry was written        both head blocks as before,       the state before; nothing
 *                                      bytes after the end               was released for it
 *   after the entry, before the block  the same                          the same
 *   after the block, before its fsync  process killed: block in place    booked, nothing released
 *                                      power cut: old or new block       either of the two
 *   in the middle of the block         neither the old nor the new       refused: wrong checksum
 *   (a disk that tears a page)
 *   after the last fsync               all in place                      booked, maybe released
 *
 * No row gives a report back. One damaged head block is enough to refuse: falling back on the
 * other would forget an entry whose report may have left.
 *
 * A process that has the ledger open and sees it rolled back knows what the file has forgotten, and
 * spoils it for all. A file cannot tell that it was replaced by an older copy while nobody had it
 * open, nor by one under its name.
 */
#include "core/bytes.h"
#include "entropy.h"
#include "ledger_logged.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK_WAIT_S 5u
#define LOCK_PAUSE_NS 1000000
#define LOCK_TRIES (LOCK_WAIT_S * (1000000000u / LOCK_PAUSE_NS))

static_assert(sizeof(off_t) >= 8, "ledgers may grow past 2^31 bytes");

typedef struct ledger_file {
    sotto__logged logged; /* first, so that a pointer to it is a pointer to the whole */
    char *path;
    int fd;
    pid_t process; /* a lock is shared with a forked child, so that it would lock nothing */
    bool read;     /* the log was read once */
    uint8_t head[SOTTO__HEAD_BYTES]; /* the head blocks of the log */
    uint8_t seen[SOTTO__HEAD_BYTES]; /* scratch */
} ledger_file;

/* ---- refusing ----------------------------------------------------------------------------- */

#define refuse(file, ...) sotto__refuse(&(file)->logged.base, __VA_ARGS__)

static sotto_status refuse_errno(ledger_file *file, const char *what)
{
    char why[80];
    if (strerror_r(errno, why, sizeof why) != 0) why[0] = '\0';
    return refuse(file, "%s: %s", what, why);
}

static sotto_status break_off(ledger_file *file, const char *what)
{
    file->logged.broken = true;
    return refuse_errno(file, what);
}

/* ---- bytes -------------------------------------------------------------------------------- */

/* All of them, or false with errno; EIO for the end of the file. */
static bool read_all(int fd, uint8_t *bytes, size_t count, uint64_t at)
{
    while (count > 0) {
        ssize_t got = pread(fd, bytes, count, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got == 0) errno = EIO;
        if (got <= 0) return false;
        bytes += got;
        count -= (size_t)got;
        at += (size_t)got;
    }
    return true;
}

static bool write_all(int fd, const uint8_t *bytes, size_t count, uint64_t at)
{
    while (count > 0) {
        ssize_t put = pwrite(fd, bytes, count, (off_t)at);
        if (put < 0 && errno == EINTR) continue;
        if (put == 0) errno = EIO;
        if (put <= 0) return false;
        bytes += put;
        count -= (size_t)put;
        at += (size_t)put;
    }
    return true;
}

/* Makes the names in a path's directory durable. */
static bool sync_folder(const char *path)
{
    char *folder = malloc(strlen(path) + 2);
    if (folder == NULL) return false;
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    memcpy(folder, path, length);
    memcpy(folder + length, ".", 2);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool synced = fd >= 0 && fsync(fd) == 0;
    int why = errno;
    if (fd >= 0) close(fd);
    free(folder);
    errno = why;
    return synced;
}

/* ---- reading ------------------------------------------------------------------------------ */

/* Whether this is a file that only this user could have written. */
static sotto_status check_kind(ledger_file *file, const struct stat *found)
{
    if (S_ISLNK(found->st_mode)) return refuse(file, "is a symbolic link");
    if (!S_ISREG(found->st_mode)) return refuse(file, "is not a regular file");
    if (found->st_uid != geteuid()) {
        return refuse(file, "belongs to user %lu, not to this user %lu",
                      (unsigned long)found->st_uid, (unsigned long)geteuid());
    }
    if ((found->st_mode & 077) != 0) {
        return refuse(file, "mode %03o: others may read or write it; allowed 600",
                      (unsigned)(found->st_mode & 0777));
    }
    return SOTTO_OK;
}

/* Whether the path still names the open file. */
static sotto_status check_place(ledger_file *file, uint64_t *size)
{
    struct stat named, opened;
    if (lstat(file->path, &named) != 0) return refuse_errno(file, "is no longer at its path");
    if (fstat(file->fd, &opened) != 0) return refuse_errno(file, "cannot be looked at");
    if (named.st_dev != opened.st_dev || named.st_ino != opened.st_ino) {
        return refuse(file, "another file was put in its place");
    }
    *size = (uint64_t)opened.st_size;
    return check_kind(file, &opened);
}

static sotto_status file_read(sotto__logged *self, uint64_t sequence, uint64_t at, size_t offset,
                              uint8_t *bytes, size_t count)
{
    ledger_file *file = (ledger_file *)self;
    (void)sequence;
    if (read_all(file->fd, bytes, count, at + offset)) return SOTTO_OK;
    return refuse_errno(file, "cannot be read");
}

/* Whether a head block says exactly what the log up to here says. */
static sotto_status check_head(ledger_file *file, uint32_t block)
{
    uint8_t wanted[SOTTO__HEAD_BLOCK_BYTES];
    sotto__head_encode(&file->logged.log.state, block, wanted);
    if (memcmp(wanted, file->seen + block * sizeof wanted, sizeof wanted) == 0) return SOTTO_OK;
    return refuse(file, "head block %u does not fit the log", block);
}

/* Decodes both head blocks of `seen`; *newer is the one with the later entry. */
static sotto_status read_heads(ledger_file *file, sotto__log_state state[2], uint32_t *newer)
{
    for (uint32_t block = 0; block < 2; block++) {
        const char *fault =
            sotto__head_decode(file->seen + block * SOTTO__HEAD_BLOCK_BYTES, block, &state[block]);
        if (fault != NULL) return refuse(file, "head block %u: %s", block, fault);
    }
    *newer = state[1].sequence > state[0].sequence;
    uint64_t last = state[*newer].sequence, before = state[1 - *newer].sequence;
    if (memcmp(state[0].id, state[1].id, sizeof state[0].id) != 0 ||
        (last == 0 ? before != 0 : before != last - 1)) {
        return refuse(file, "the head blocks do not follow each other");
    }
    return SOTTO_OK;
}

/* What went back must not be taken for the truth by whoever opens it next. The file is lost either
 * way, so what cannot be written is left. */
static sotto_status spoil(ledger_file *file, uint64_t sequence)
{
    sotto_status status =
        refuse(file, "rolled back to entry %llu after entry %llu", (unsigned long long)sequence,
               (unsigned long long)file->logged.log.state.sequence);
    file->logged.broken = true;
    for (uint32_t block = 0; block < 2; block++) {
        sotto__head_spoil(file->seen + block * SOTTO__HEAD_BLOCK_BYTES);
    }
    if (write_all(file->fd, file->seen, SOTTO__HEAD_BYTES, 0)) (void)fsync(file->fd);
    return status;
}

/* Takes in the entries that a head block anchors; it must fit them. One from before the log's end
 * was checked when it was the newer one. */
static sotto_status take_up_to(ledger_file *file, const sotto__log_state *head, uint64_t end,
                               uint32_t block)
{
    sotto__log *log = &file->logged.log;
    if (head->sequence < log->state.sequence) return SOTTO_OK;
    sotto_status status = sotto__logged_take(&file->logged, log, head->sequence, end);
    return status == SOTTO_OK ? check_head(file, block) : status;
}

/* Takes in what the head blocks of `seen` anchor beyond the log. */
static sotto_status follow(ledger_file *file, uint64_t size)
{
    sotto__log_state state[2];
    uint32_t newer;
    sotto_status status = read_heads(file, state, &newer);
    if (status != SOTTO_OK) return status;
    sotto__log *log = &file->logged.log;
    if (!file->read) sotto__log_begin(log, state[newer].id);
    /* No entry says it: both head blocks must. */
    if (log->state.sequence == 0) log->state.spent.composed_at = state[newer].spent.composed_at;
    if (memcmp(log->state.id, state[newer].id, sizeof log->state.id) != 0) {
        return refuse(file, "another ledger was written over it");
    }
    if (file->read && state[newer].sequence <= log->state.sequence) {
        return spoil(file, state[newer].sequence);
    }
    if (size < state[newer].end) {
        return refuse(file, "cut short: %llu bytes of %llu", (unsigned long long)size,
                      (unsigned long long)state[newer].end);
    }
    file->logged.broken = true; /* until all of it fits */
    sotto__fault(file->logged.base.text, "was not read to its end");
    status = take_up_to(file, &state[1 - newer], state[newer].end, 1 - newer);
    if (status == SOTTO_OK) status = take_up_to(file, &state[newer], state[newer].end, newer);
    if (status != SOTTO_OK) return status;
    /* Others' entries may be read back to the caller: they are on disk first. */
    if (fsync(file->fd) != 0) return refuse_errno(file, "cannot be synced");
    file->logged.broken = false;
    return SOTTO_OK;
}

/* Brings the handle up to date with the file, under the lock. */
static sotto_status catch_up(ledger_file *file)
{
    uint64_t size;
    sotto_status status = check_place(file, &size);
    if (status != SOTTO_OK) return status;
    if (size < SOTTO__HEAD_BYTES) {
        return refuse(file, "cut short: %llu bytes, the head has %u", (unsigned long long)size,
                      SOTTO__HEAD_BYTES);
    }
    if (!read_all(file->fd, file->seen, SOTTO__HEAD_BYTES, 0)) {
        return refuse_errno(file, "cannot be read");
    }
    if (file->read && memcmp(file->seen, file->head, SOTTO__HEAD_BYTES) == 0) {
        if (size >= file->logged.log.state.end) return SOTTO_OK;
        return refuse(file, "cut short: %llu bytes of %llu", (unsigned long long)size,
                      (unsigned long long)file->logged.log.state.end);
    }
    status = follow(file, size);
    if (status != SOTTO_OK) return status;
    file->read = true;
    memcpy(file->head, file->seen, SOTTO__HEAD_BYTES);
    sotto__logged_adopt(&file->logged);
    return SOTTO_OK;
}

static void file_leave(sotto__logged *self)
{
    flock(((ledger_file *)self)->fd, LOCK_UN);
}

/* A process at its work has the lock for as long as a disk needs. One that keeps it, such as one that
 * was stopped, must not stop others without a word. */
static sotto_status lock(ledger_file *file)
{
    const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};
    for (uint32_t tries = 0; tries < LOCK_TRIES; tries++) {
        if (flock(file->fd, LOCK_EX | LOCK_NB) == 0) return SOTTO_OK;
        if (errno != EWOULDBLOCK && errno != EINTR) return refuse_errno(file, "cannot be locked");
        nanosleep(&pause, NULL);
    }
    return refuse(file, "is locked by another process, for more than %u s", LOCK_WAIT_S);
}

static sotto_status file_enter(sotto__logged *self)
{
    ledger_file *file = (ledger_file *)self;
    sotto_status status = sotto__logged_usable(self);
    if (status != SOTTO_OK) return status;
    if (getpid() != file->process) {
        return refuse(file, "was opened by process %ld: a forked process opens it again",
                      (long)file->process);
    }
    status = lock(file);
    if (status != SOTTO_OK) return status;
    status = catch_up(file);
    if (status != SOTTO_OK) file_leave(self);
    return status;
}

/* ---- writing ------------------------------------------------------------------------------ */

/* Writes an entry after the last one and anchors it. */
static sotto_status file_append(sotto__logged *self, const sotto__addition *addition)
{
    ledger_file *file = (ledger_file *)self;
    uint32_t rest_bytes = addition->entry->rest_bytes;
    uint64_t at = self->log.state.end, rest_at = at + SOTTO__ENTRY_HEAD_BYTES;
    if (!write_all(file->fd, addition->head, SOTTO__ENTRY_HEAD_BYTES, at) ||
        !write_all(file->fd, addition->rest, rest_bytes, rest_at) ||
        !write_all(file->fd, addition->chain, SOTTO__CHAIN_BYTES, rest_at + rest_bytes)) {
        return refuse_errno(file, "cannot be written"); /* not anchored: it counts for nothing */
    }
    /* After a failed fsync the page cache may hold what the disk will never get. */
    if (fsync(file->fd) != 0) return break_off(file, "cannot be synced");
    uint32_t block = (uint32_t)(addition->after.sequence % 2);
    uint8_t *anchor = file->head + block * SOTTO__HEAD_BLOCK_BYTES;
    sotto__head_encode(&addition->after, block, anchor);
    if (!write_all(file->fd, anchor, SOTTO__HEAD_BLOCK_BYTES, block * SOTTO__HEAD_BLOCK_BYTES)) {
        return break_off(file, "its head cannot be written");
    }
    if (fsync(file->fd) != 0) return break_off(file, "cannot be synced");
    return SOTTO_OK;
}

/* ---- making and opening ------------------------------------------------------------------- */

static void file_free(sotto_ledger *ledger)
{
    ledger_file *file = (ledger_file *)ledger;
    if (file->fd >= 0) close(file->fd);
    sotto__logged_end(&file->logged);
    free(file->path);
    free(file);
}

static sotto_status file_start(ledger_file *file)
{
    struct stat found;
    if (lstat(file->path, &found) != 0) return refuse_errno(file, "cannot be found");
    sotto_status status = check_kind(file, &found);
    if (status != SOTTO_OK) return status;
    file->fd = open(file->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (file->fd < 0) return refuse_errno(file, "cannot be opened");
    if (!sync_folder(file->path)) return refuse_errno(file, "its directory cannot be synced");
    status = file_enter(&file->logged);
    if (status == SOTTO_OK) file_leave(&file->logged);
    return status;
}

/* Opens, or writes into `text` why it is refused. */
static sotto_status file_open(const char *path, char text[SOTTO_FAULT_BYTES], sotto_ledger **out)
{
    sotto__fault(text, "out of memory");
    ledger_file *file = calloc(1, sizeof *file);
    if (file == NULL) return SOTTO_E_MEMORY;
    sotto__logged_begin(&file->logged);
    file->logged.base.free = file_free;
    file->logged.enter = file_enter;
    file->logged.leave = file_leave;
    file->logged.read = file_read;
    file->logged.append = file_append;
    file->fd = -1;
    file->process = getpid();
    size_t path_bytes = strlen(path) + 1;
    file->path = malloc(path_bytes);
    sotto_status status = SOTTO_E_MEMORY;
    if (file->path == NULL) goto cleanup;
    memcpy(file->path, path, path_bytes);
    status = file_start(file);
    if (status != SOTTO_OK) goto cleanup;
    *out = &file->logged.base;
    return SOTTO_OK;
cleanup:
    if (file->logged.base.fault != NULL) memcpy(text, file->logged.base.text, SOTTO_FAULT_BYTES);
    file_free(&file->logged.base);
    return status;
}

sotto_status sotto_ledger_file_open(const char *path, sotto_ledger **out)
{
    SOTTO__DEFAULT_FLOATS;
    char text[SOTTO_FAULT_BYTES];
    if (out != NULL) *out = NULL;
    if (out == NULL || path == NULL) return SOTTO_E_ARGUMENT;
    return SOTTO__UNSEEN(file_open)(path, text, out);
}

const char *sotto_ledger_file_fault(const char *path, char text[SOTTO_FAULT_BYTES])
{
    SOTTO__DEFAULT_FLOATS;
    sotto_ledger *ledger;
    if (path == NULL || text == NULL) return sotto_status_text(SOTTO_E_ARGUMENT);
    if (SOTTO__UNSEEN(file_open)(path, text, &ledger) != SOTTO_OK) return text;
    sotto_ledger_free(ledger);
    return NULL;
}

/* An empty ledger, whole and durable under a name of its own. */
static sotto_status write_empty(const char *path, const uint8_t id[SOTTO__LEDGER_ID_BYTES])
{
    uint8_t head[SOTTO__HEAD_BYTES];
    sotto__log log;
    sotto__log_begin(&log, id);
    for (uint32_t block = 0; block < 2; block++) {
        sotto__head_encode(&log.state, block, head + block * SOTTO__HEAD_BLOCK_BYTES);
    }
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return SOTTO_E_LEDGER;
    bool written = write_all(fd, head, sizeof head, 0) && fsync(fd) == 0;
    int why = errno;
    close(fd);
    errno = why;
    return written ? SOTTO_OK : SOTTO_E_LEDGER;
}

/* The name appears with link, which replaces nothing, when all behind it is on disk. If then the
 * directory cannot be synced the ledger stays: it may be in use already. */
sotto_status sotto_ledger_file_create(const char *path)
{
    if (path == NULL) return SOTTO_E_ARGUMENT;
    uint8_t id[SOTTO__LEDGER_ID_BYTES];
    sotto_rng rng = sotto__system_rng();
    sotto_status status = rng.fill(&rng, id, sizeof id);
    if (status != SOTTO_OK) return status;
    size_t capacity = strlen(path) + sizeof ".new-0123456789abcdef";
    char *temporary = malloc(capacity);
    if (temporary == NULL) return SOTTO_E_MEMORY;
    snprintf(temporary, capacity, "%s.new-%016llx", path, (unsigned long long)sotto__get_u64(id));

    status = write_empty(temporary, id);
    if (status == SOTTO_OK && link(temporary, path) != 0) {
        status = errno == EEXIST ? SOTTO_E_EXISTS : SOTTO_E_LEDGER;
    }
    int why = errno;
    unlink(temporary);
    if (status == SOTTO_OK && !sync_folder(path)) {
        status = SOTTO_E_LEDGER;
        why = errno;
    }
    free(temporary);
    errno = why;
    return status;
}
