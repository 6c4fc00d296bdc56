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
 * A process that has the ledger open and sees it rolled back spoils it for all. This shows it, under the lock:
 *
 *   head blocks of an earlier entry, or of another one         rolled back: spoiled
 *   the head blocks that this handle knows, written since
 *   (st_mtim, a watch), and nothing after the anchored end     rolled back: spoiled
 *   two or more whole entries after the anchored end           rolled back: spoiled
 *   one whole entry after it: its writer ended before the      it counts, and is anchored now
 *   block, or the block was put back
 *   an entry that was not written to its end, and that this    its writer ended in it: as before
 *   handle has not seen there
 *   any other bytes: no writer leaves them                     rolled back: spoiled
 *
 * So that a writer that ends or fails leaves bytes after the end, an entry first makes the file longer. Kernels may
 * stamp by ticks of some milliseconds: a writer sets st_mtim to the exact time. Nobody else may set it: a backup that
 * sets it again after another process booked looks like a roll-back. st_ctim does not count: chmod and links change
 * it, too. What goes unnoticed: docs/privacy.md, 12.2.
 */
#if __SIZEOF_LONG__ == 4 && !defined(_FILE_OFFSET_BITS) /* our CMake defines it */
#define _FILE_OFFSET_BITS 64
#endif
#include "core/core.h"
#include "inner.h"

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
#define GATE_TRIES 100u /* then one that ignores the gate */

static_assert(sizeof(off_t) >= 8, "ledgers may grow past 2^31 bytes");

typedef struct ledger_file {
    sotto__logged logged; /* first, so that a pointer to it is a pointer to the whole */
    char *path;
    int fd;
    int watch;     /* notices writes; -1: none */
    bool watches;  /* a watch was tried: at the second use, because ending one takes time */
    bool used;     /* it was used at least once */
    pid_t process; /* a forked child shares the lock, which would then lock nothing */
    bool read;     /* the log was read once */
    bool unread;   /* the last read failed */
    bool stamped;  /* `written` is known */
    struct timespec written;      /* st_mtim when this handle last knew the file's contents */
    uint64_t tail_at, tail_bytes; /* bytes after the anchored end at the last look */
    uint8_t tail[SOTTO__ENTRY_HEAD_BYTES]; /* the first of them, and zeros */
    uint8_t head[SOTTO__HEAD_BYTES];       /* the head blocks of the log */
    uint8_t seen[SOTTO__HEAD_BYTES];       /* scratch */
} ledger_file;

/* ---- refusing ----------------------------------------------------------------------------- */

#define refuse(file, ...) sotto__ledger_refuse(&(file)->logged.base, __VA_ARGS__)

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

/* Reads all of them; false with errno, EIO at the end of the file. */
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

/* Syncs the directory of a path. */
static bool sync_directory(const char *path)
{
    char *directory = malloc(strlen(path) + 2);
    if (directory == NULL) return false;
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    memcpy(directory, path, length);
    memcpy(directory + length, ".", 2);
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool synced = fd >= 0 && fsync(fd) == 0;
    int why = errno;
    if (fd >= 0) close(fd);
    free(directory);
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
static sotto_status check_place(ledger_file *file, struct stat *opened)
{
    struct stat named;
    if (lstat(file->path, &named) != 0) return refuse_errno(file, "is no longer at its path");
    if (fstat(file->fd, opened) != 0) return refuse_errno(file, "cannot be examined");
    if (named.st_dev != opened->st_dev || named.st_ino != opened->st_ino) {
        return refuse(file, "another file has replaced it");
    }
    return check_kind(file, opened);
}

static sotto_status file_read(sotto__logged *self, uint64_t sequence, uint64_t at, size_t offset,
                              uint8_t *bytes, size_t count)
{
    ledger_file *file = (ledger_file *)self;
    (void)sequence;
    file->unread = !read_all(file->fd, bytes, count, at + offset);
    return file->unread ? refuse_errno(file, "cannot be read") : SOTTO_OK;
}

/* Whether a head block matches the log exactly. */
static sotto_status check_head(ledger_file *file, uint32_t block)
{
    uint8_t wanted[SOTTO__HEAD_BLOCK_BYTES];
    sotto__head_encode(&file->logged.log.state, block, wanted);
    if (memcmp(wanted, file->seen + block * sizeof wanted, sizeof wanted) == 0) return SOTTO_OK;
    return refuse(file, "head block %u does not match the log", block);
}

/* Decodes both head blocks of `seen`; *newer is the one with the later entry. */
static sotto_status read_heads(ledger_file *file, sotto__log_state state[2], uint32_t *newer)
{
    for (uint32_t block = 0; block < 2; block++) {
        const uint8_t *bytes = file->seen + block * SOTTO__HEAD_BLOCK_BYTES;
        sotto_fault fault;
        if (sotto__head_decode(bytes, block, &state[block], &fault) != SOTTO_OK) {
            return refuse(file, "head block %u: %s", block, fault.sentence);
        }
    }
    *newer = state[1].sequence > state[0].sequence;
    uint64_t last = state[*newer].sequence, before = state[1 - *newer].sequence;
    if (memcmp(state[0].id, state[1].id, sizeof state[0].id) != 0 ||
        (last == 0 ? before != 0 : before != last - 1)) {
        return refuse(file, "the head blocks are not consecutive");
    }
    return SOTTO_OK;
}

/* Makes a rolled-back ledger unusable for good. It is lost anyway, so failed writes are ignored. */
static void spoil(ledger_file *file)
{
    file->logged.broken = true;
    for (uint32_t block = 0; block < 2; block++) {
        sotto__head_spoil(file->seen + block * SOTTO__HEAD_BLOCK_BYTES);
    }
    if (write_all(file->fd, file->seen, SOTTO__HEAD_BYTES, 0)) (void)fsync(file->fd);
}

static sotto_status refuse_rolled_back(ledger_file *file, uint64_t to, uint64_t after)
{
    spoil(file);
    return refuse(file, "rolled back to entry %llu after entry %llu", (unsigned long long)to,
                  (unsigned long long)after);
}

/* Reads the entries that a head block anchors and checks it; an older block was checked before. */
static sotto_status take_up_to(ledger_file *file, const sotto__log_state *head, uint64_t end,
                               uint32_t block)
{
    sotto__log *log = &file->logged.log;
    if (head->sequence < log->state.sequence) return SOTTO_OK;
    sotto_status status = sotto__logged_take(&file->logged, log, head->sequence, end);
    return status == SOTTO_OK ? check_head(file, block) : status;
}

/* Reads the entries that the head blocks of `seen` anchor beyond the log. */
static sotto_status follow(ledger_file *file, uint64_t size)
{
    sotto__log_state state[2];
    uint32_t newer;
    sotto_status status = read_heads(file, state, &newer);
    if (status != SOTTO_OK) return status;
    sotto__log *log = &file->logged.log;
    if (!file->read) sotto__log_begin(log, state[newer].id);
    /* No entry has it, only the head blocks, which must agree. */
    if (log->state.sequence == 0) log->state.spent.composed_at = state[newer].spent.composed_at;
    if (memcmp(log->state.id, state[newer].id, sizeof log->state.id) != 0) {
        return refuse(file, "another ledger was written over it");
    }
    if (file->read && state[newer].sequence <= log->state.sequence) {
        return refuse_rolled_back(file, state[newer].sequence, log->state.sequence);
    }
    if (size < state[newer].end) {
        return refuse(file, "cut short: %llu bytes of %llu", (unsigned long long)size,
                      (unsigned long long)state[newer].end);
    }
    file->logged.broken = true; /* until all of it is checked */
    sotto__refuse(&file->logged.base.fault, "was not read to its end");
    status = take_up_to(file, &state[1 - newer], state[newer].end, 1 - newer);
    if (status == SOTTO_OK) status = take_up_to(file, &state[newer], state[newer].end, newer);
    if (status != SOTTO_OK) return status;
    /* Entries of other processes are synced before the caller can read them. */
    if (fsync(file->fd) != 0) return refuse_errno(file, "cannot be synced");
    file->logged.broken = false;
    return SOTTO_OK;
}

/* Remembers that this handle wrote last. If that fails, the next use cannot tell who did. */
static void stamp(ledger_file *file)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};
    struct stat found;
    if (clock_gettime(CLOCK_REALTIME, &times[1]) == 0) (void)futimens(file->fd, times);
    (void)sotto__watch_written(file->watch); /* by this handle */
    file->stamped = fstat(file->fd, &found) == 0;
    if (file->stamped) file->written = found.st_mtim;
}

/* Writes the head block of a state whose entries are on disk. */
static sotto_status write_head(ledger_file *file, const sotto__log_state *state)
{
    uint32_t block = (uint32_t)(state->sequence % 2);
    uint8_t *anchor = file->head + block * SOTTO__HEAD_BLOCK_BYTES;
    sotto__head_encode(state, block, anchor);
    if (!write_all(file->fd, anchor, SOTTO__HEAD_BLOCK_BYTES, block * SOTTO__HEAD_BLOCK_BYTES)) {
        return break_off(file, "its head cannot be written");
    }
    if (fsync(file->fd) != 0) return break_off(file, "cannot be synced");
    stamp(file);
    return SOTTO_OK;
}

/* ---- what stands after the anchored end ----------------------------------------------------- */

/* Remembers the bytes after the anchored end. */
static sotto_status look_at_tail(ledger_file *file, uint64_t size)
{
    uint64_t end = file->logged.log.state.end;
    file->tail_at = end;
    file->tail_bytes = size - end;
    memset(file->tail, 0, sizeof file->tail);
    size_t count = size - end < sizeof file->tail ? (size_t)(size - end) : sizeof file->tail;
    if (read_all(file->fd, file->tail, count, end)) return SOTTO_OK;
    return refuse_errno(file, "cannot be read");
}

/* Whether these new bytes, which are not a whole entry, can be an unfinished write: a writer makes
 * room for its whole entry and then writes it from the front. */
static sotto_status check_unfinished(ledger_file *file, uint64_t size, bool *honest)
{
    static const uint8_t zeros[SOTTO__ENTRY_HEAD_BYTES];
    uint8_t before[SOTTO__ENTRY_HEAD_BYTES], last = 1;
    uint64_t at = file->tail_at, bytes = file->tail_bytes;
    memcpy(before, file->tail, sizeof before);
    sotto_status status = look_at_tail(file, size);
    if (status != SOTTO_OK) return status;
    if (!read_all(file->fd, &last, 1, size - 1)) return refuse_errno(file, "cannot be read");
    bool begun = memcmp(file->tail, zeros, sizeof zeros) != 0;
    bool seen = begun && at == file->tail_at && bytes == file->tail_bytes &&
                memcmp(before, file->tail, sizeof before) == 0;
    uint64_t least = SOTTO__ENTRY_HEAD_BYTES + SOTTO__CHAIN_BYTES;
    bool fits = file->tail_bytes == least + sotto__get_u32(file->tail + 4) ||
                memcmp(file->tail + 8, zeros, sizeof zeros - 8) == 0; /* torn before its length */
    *honest = !seen && file->tail_bytes >= least && fits && last == 0;
    return SOTTO_OK;
}

/* Bytes that another process left: see the table above. */
static sotto_status take_tail(ledger_file *file, uint64_t size)
{
    sotto__log *log = &file->logged.log;
    uint64_t known = log->state.sequence;
    bool honest = true;
    if (size == log->state.end) return look_at_tail(file, size);
    file->unread = false;
    sotto_status status = sotto__logged_take(&file->logged, log, known + 1, size);
    if (status == SOTTO_E_MEMORY || file->unread) return status;
    file->logged.base.refused = SOTTO_OK;
    if (status != SOTTO_OK) {
        status = check_unfinished(file, size, &honest);
        if (status != SOTTO_OK || honest) return status;
        spoil(file);
        return refuse(file, "rolled back to entry %llu: no writer leaves such bytes after it",
                      (unsigned long long)known);
    }
    if (sotto__logged_take(&file->logged, log, known + 2, size) == SOTTO_OK) {
        return refuse_rolled_back(file, known, log->state.sequence);
    }
    file->logged.base.refused = SOTTO_OK;
    if (fsync(file->fd) != 0) return break_off(file, "cannot be synced");
    sotto__logged_adopt(&file->logged);
    return write_head(file, &log->state);
}

/* For a file with the head blocks that this handle knows. */
static sotto_status check_unmoved(ledger_file *file, const struct stat *found, bool watched)
{
    uint64_t size = (uint64_t)found->st_size, end = file->logged.log.state.end;
    if (size < end) {
        return refuse(file, "cut short: %llu bytes of %llu", (unsigned long long)size,
                      (unsigned long long)end);
    }
    bool stamped = file->stamped && (found->st_mtim.tv_sec != file->written.tv_sec ||
                                     found->st_mtim.tv_nsec != file->written.tv_nsec);
    bool written = stamped || watched;
    if (written && size == end) {
        spoil(file);
        return refuse(
            file, "rolled back to entry %llu: it was written since, but its content is the same",
            (unsigned long long)file->logged.log.state.sequence);
    }
    file->written = found->st_mtim;
    file->stamped = true;
    return written ? take_tail(file, size) : SOTTO_OK;
}

/* Brings the handle up to date with the file, under the lock. */
static sotto_status catch_up(ledger_file *file)
{
    struct stat found;
    sotto_status status = check_place(file, &found);
    if (status != SOTTO_OK) return status;
    uint64_t size = (uint64_t)found.st_size;
    bool watched = sotto__watch_written(file->watch);
    if (size < SOTTO__HEAD_BYTES) {
        return refuse(file, "cut short: %llu bytes, the head has %u", (unsigned long long)size,
                      SOTTO__HEAD_BYTES);
    }
    if (!read_all(file->fd, file->seen, SOTTO__HEAD_BYTES, 0)) {
        return refuse_errno(file, "cannot be read");
    }
    if (file->read && memcmp(file->seen, file->head, SOTTO__HEAD_BYTES) == 0) {
        return check_unmoved(file, &found, watched);
    }
    bool known = file->read;
    status = follow(file, size);
    if (status != SOTTO_OK) return status;
    file->read = true;
    file->stamped = true;
    file->written = found.st_mtim;
    memcpy(file->head, file->seen, SOTTO__HEAD_BYTES);
    sotto__logged_adopt(&file->logged);
    return known ? take_tail(file, size) : look_at_tail(file, size);
}

static void file_leave(sotto__logged *self)
{
    flock(((ledger_file *)self)->fd, LOCK_UN);
}

/* SOTTO_E_EXISTS: another process goes first. A waiting process stands in the gate, so that a busy
 * one lets it pass. */
static sotto_status try_lock(ledger_file *file, bool gated)
{
    if (gated && sotto__gate_is_taken(file->fd)) return SOTTO_E_EXISTS;
    if (flock(file->fd, LOCK_EX | LOCK_NB) == 0) return SOTTO_OK;
    if (errno != EWOULDBLOCK && errno != EINTR) return refuse_errno(file, "cannot be locked");
    if (gated) sotto__gate_enter(file->fd);
    return SOTTO_E_EXISTS;
}

/* A running process holds the lock only as long as the disk takes. A process that was stopped while
 * holding the lock or standing in the gate must not block others without an error. */
static sotto_status lock(ledger_file *file)
{
    sotto_status status = try_lock(file, true);
    for (uint32_t tries = 1; tries < LOCK_TRIES && status == SOTTO_E_EXISTS; tries++) {
        struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};
        while (nanosleep(&pause, &pause) != 0 && errno == EINTR) {
        }
        if (tries % GATE_TRIES == 0) sotto__gate_leave(file->fd);
        status = try_lock(file, tries % GATE_TRIES != 0);
    }
    sotto__gate_leave(file->fd);
    if (status != SOTTO_E_EXISTS) return status;
    return refuse(file, "another process has locked it for more than %u s", LOCK_WAIT_S);
}

static sotto_status file_enter(sotto__logged *self)
{
    ledger_file *file = (ledger_file *)self;
    sotto_status status = sotto__logged_usable(self);
    if (status != SOTTO_OK) return status;
    if (getpid() != file->process) {
        return refuse(file, "was opened by process %ld: a forked process must open it again",
                      (long)file->process);
    }
    status = lock(file);
    if (status != SOTTO_OK) return status;
    status = catch_up(file);
    if (status == SOTTO_OK && file->used && !file->watches) {
        file->watches = true;
        file->watch = sotto__watch_open(file->path);
    }
    if (status == SOTTO_OK) file->used = true;
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
    if (ftruncate(file->fd, (off_t)addition->after.end) != 0 ||
        !write_all(file->fd, addition->head, SOTTO__ENTRY_HEAD_BYTES, at) ||
        !write_all(file->fd, addition->rest, rest_bytes, rest_at) ||
        !write_all(file->fd, addition->chain, SOTTO__CHAIN_BYTES, rest_at + rest_bytes)) {
        sotto_status status = refuse_errno(file, "cannot be written");
        stamp(file); /* not anchored, so it does not count; this handle knows of it */
        return status;
    }
    /* After a failed fsync the page cache may hold what the disk will never get. */
    if (fsync(file->fd) != 0) return break_off(file, "cannot be synced");
    return write_head(file, &addition->after);
}

/* ---- making and opening ------------------------------------------------------------------- */

static void file_free(sotto_ledger *ledger)
{
    ledger_file *file = (ledger_file *)ledger;
    if (file->fd >= 0) close(file->fd);
    sotto__watch_close(file->watch);
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
    if (!sync_directory(file->path)) return refuse_errno(file, "its directory cannot be synced");
    status = file_enter(&file->logged);
    if (status == SOTTO_OK) file_leave(&file->logged);
    return status;
}

static sotto_status file_open(const char *path, sotto_ledger **out, sotto_fault *fault)
{
    ledger_file *file = calloc(1, sizeof *file);
    if (file == NULL) return sotto__fault_status(fault, SOTTO_E_MEMORY);
    sotto__logged_begin(&file->logged);
    file->logged.base.free = file_free;
    file->logged.enter = file_enter;
    file->logged.leave = file_leave;
    file->logged.read = file_read;
    file->logged.append = file_append;
    file->fd = file->watch = -1;
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
    sotto__ledger_fault(&file->logged.base, status, fault);
    file_free(&file->logged.base);
    return status;
}

sotto_status sotto_ledger_file_open(const char *path, sotto_ledger **out)
{
    SOTTO__DEFAULT_FLOATS;
    if (out != NULL) *out = NULL;
    if (out == NULL || path == NULL) return SOTTO_E_ARGUMENT;
    return SOTTO__UNSEEN(file_open)(path, out, NULL);
}

sotto_status sotto_ledger_file_fault(const char *path, sotto_fault *fault)
{
    SOTTO__DEFAULT_FLOATS;
    sotto_ledger *ledger;
    if (path == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    sotto_status status = SOTTO__UNSEEN(file_open)(path, &ledger, fault);
    if (status == SOTTO_OK) sotto_ledger_free(ledger);
    return status;
}

/* Writes an empty ledger completely and durably under a temporary name. */
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

/* link, which replaces nothing, makes the name appear once all is on disk. If the directory cannot
 * be synced after that, the ledger stays, because it may be in use already. */
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
    if (status == SOTTO_OK && !sync_directory(path)) {
        status = SOTTO_E_LEDGER;
        why = errno;
    }
    free(temporary);
    errno = why;
    return status;
}
