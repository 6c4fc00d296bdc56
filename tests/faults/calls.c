/* Between a program and the C library: which calls are events, and what is done with them. */
#define _GNU_SOURCE
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))

static struct {
    pthread_mutex_t lock;
    bool ready;
    volatile sig_atomic_t is_wanted;   /* a power cut */
    char directory[FAULTS_PATH_BYTES]; /* empty: nothing is an event */
    size_t directory_bytes;
    int report;
    uint64_t events;
    int files;
    faults_file file[FAULTS_FILES_MAX];
} all = {.lock = PTHREAD_MUTEX_INITIALIZER, .report = -1};

/* The library's own names, so that they can be defined where <fcntl.h> says that they are others. */
VISIBLE int open64(const char *path, int flags, ...);
VISIBLE ssize_t pwrite64(int fd, const void *bytes, size_t count, off_t at);
VISIBLE int ftruncate64(int fd, off_t length);

/* ---- what the fault files share ------------------------------------------------------------ */

const char *faults_kind_name(faults_kind kind)
{
    static const char *const names[FAULTS_KINDS] = {
        [FAULTS_OPEN] = "open",         [FAULTS_WRITE] = "write",
        [FAULTS_SYNC] = "sync",         [FAULTS_SYNC_DIRECTORY] = "sync_directory",
        [FAULTS_TRUNCATE] = "truncate", [FAULTS_RENAME] = "rename",
        [FAULTS_UNLINK] = "unlink",     [FAULTS_MKDIR] = "mkdir",
    };
    return names[kind];
}

const char *faults_setting(const char *name)
{
    const char *value = getenv(name);
    return value == NULL ? "" : value;
}

const char *faults_directory(void)
{
    return all.directory;
}

bool faults_is_inside(const char *path)
{
    return all.directory_bytes > 0 && strncmp(path, all.directory, all.directory_bytes) == 0 &&
           (path[all.directory_bytes] == '/' || path[all.directory_bytes] == '\0');
}

const faults_file *faults_at(int file)
{
    return &all.file[file];
}

void faults_say(const char *format, ...)
{
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    int bytes = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (all.report < 0 || bytes < 0) return;
    if ((size_t)bytes >= sizeof line - 1) bytes = (int)sizeof line - 2;
    line[bytes] = '\n';
    syscall(SYS_write, all.report, line, (size_t)bytes + 1);
}

/* ---- files --------------------------------------------------------------------------------- */

static int open_really(const char *path, int flags, mode_t mode)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static int find_inode(const struct stat *about)
{
    for (int i = 0; i < all.files; i++) {
        if (all.file[i].device == about->st_dev && all.file[i].inode == about->st_ino) return i;
    }
    return -1;
}

static int find_fd(int fd)
{
    struct stat about;
    if (all.files == 0 || fstat(fd, &about) != 0) return -1;
    return find_inode(&about);
}

static int take_up(const char *path, bool is_new)
{
    struct stat about;
    if (lstat(path, &about) != 0) return -1;
    int found = find_inode(&about);
    if (found >= 0) return found;
    bool is_directory = S_ISDIR(about.st_mode);
    if (!is_directory && !S_ISREG(about.st_mode)) return -1;
    int own = open_really(path, (is_directory ? O_RDONLY | O_DIRECTORY : O_RDWR) | O_CLOEXEC, 0);
    if (own < 0) own = open_really(path, O_RDONLY | O_CLOEXEC, 0);
    if (own < 0 || all.files == (int)FAULTS_FILES_MAX)
        abort(); /* what follows would prove nothing */
    all.file[all.files++] = (faults_file){
        .device = about.st_dev, .inode = about.st_ino, .is_directory = is_directory, .own = own};
    power_see(all.files - 1, path, is_new);
    return all.files - 1;
}

int faults_find(const char *path)
{
    return take_up(path, false);
}

/* ---- beginning and end --------------------------------------------------------------------- */

/* The power goes now, or when the call that is under way has ended. */
static void power_signal(int number)
{
    (void)number;
    all.is_wanted = 1;
    if (pthread_mutex_trylock(&all.lock) == 0) power_now();
}

static void begin(void)
{
    all.ready = true;
    const char *directory = faults_setting("FAULTS_DIRECTORY"),
               *report = faults_setting("FAULTS_REPORT");
    size_t bytes = strlen(directory);
    if (bytes == 0 || bytes >= sizeof all.directory) return;
    memcpy(all.directory, directory, bytes + 1);
    all.directory_bytes = bytes;
    if (report[0] != '\0')
        all.report = open_really(report, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    failing_begin();
    if (power_begin()) signal(SIGPWR, power_signal);
}

__attribute__((destructor)) static void end(void)
{
    if (all.directory_bytes == 0) return;
    faults_say("end after %llu events", (unsigned long long)all.events);
    failing_end();
    power_end();
}

/* Enters; false if nothing of this program is an event. */
static bool enter(void)
{
    pthread_mutex_lock(&all.lock);
    if (!all.ready) begin();
    if (all.directory_bytes > 0) return true;
    pthread_mutex_unlock(&all.lock);
    return false;
}

static void leave(void)
{
    int why = errno;
    if (all.is_wanted) power_now();
    pthread_mutex_unlock(&all.lock);
    errno = why;
}

/* ---- one event ----------------------------------------------------------------------------- */

static ssize_t do_really(const faults_call *call, int fd, int flags, mode_t mode)
{
    switch (call->kind) {
    case FAULTS_OPEN: return open_really(call->path, flags, mode);
    case FAULTS_WRITE:
        return call->at < 0 ? syscall(SYS_write, fd, call->bytes, call->count)
                            : syscall(SYS_pwrite64, fd, call->bytes, call->count, call->at);
    case FAULTS_SYNC:
    case FAULTS_SYNC_DIRECTORY: return 0; /* the real disk is not what is tested */
    case FAULTS_TRUNCATE: return syscall(SYS_ftruncate, fd, call->at);
    case FAULTS_RENAME: return syscall(SYS_renameat2, AT_FDCWD, call->path, AT_FDCWD, call->to, 0);
    case FAULTS_UNLINK: return syscall(SYS_unlinkat, AT_FDCWD, call->path, 0);
    case FAULTS_MKDIR: return syscall(SYS_mkdirat, AT_FDCWD, call->path, mode);
    case FAULTS_KINDS: break;
    }
    return -1;
}

/* The offset that a write without one has. */
static off_t place_of(int fd)
{
    struct stat about;
    int flags = fcntl(fd, F_GETFL);
    if (flags >= 0 && (flags & O_APPEND) != 0 && fstat(fd, &about) == 0) return about.st_size;
    return lseek(fd, 0, SEEK_CUR);
}

static ssize_t event(faults_call *call, int fd, int flags, mode_t mode)
{
    call->number = ++all.events;
    power_before(call);
    size_t whole = call->count;
    int error = 0;
    bool fails = failing_now(call, &call->count, &error);
    ssize_t answer = -1;
    if (!fails || call->count > 0) {
        off_t at = call->kind == FAULTS_WRITE && call->at < 0 ? place_of(fd) : call->at;
        answer = do_really(call, fd, flags, mode);
        if (answer >= 0 && call->kind == FAULTS_OPEN)
            call->file = take_up(call->path, call->creates);
        if (answer >= 0 && call->kind == FAULTS_MKDIR) call->file = take_up(call->path, true);
        int why = errno;
        faults_call done = *call;
        done.at = at;
        power_after(&done, answer);
        errno = why;
    } else if (call->kind == FAULTS_SYNC) {
        power_lost(call->file);
    }
    call->count = whole;
    if (fails && error != 0) {
        errno = error;
        return -1;
    }
    return answer;
}

/* ---- the calls ----------------------------------------------------------------------------- */

static int open_any(const char *path, int flags, mode_t mode)
{
    if (!enter()) return open_really(path, flags, mode);
    int answer;
    if (faults_is_inside(path)) {
        struct stat about;
        bool creates = (flags & O_CREAT) != 0 && lstat(path, &about) != 0 && errno == ENOENT;
        faults_call call = {.kind = FAULTS_OPEN, .path = path, .creates = creates, .file = -1};
        if ((flags & O_DIRECTORY) != 0) call.way = "open_directory";
        answer = (int)event(&call, -1, flags, mode);
    } else {
        answer = open_really(path, flags, mode);
        /* The directory above: its fsync makes the name of ours durable. */
        size_t bytes = strlen(path);
        if (answer >= 0 && bytes > 0 && bytes < all.directory_bytes &&
            strncmp(path, all.directory, bytes) == 0 &&
            strchr(all.directory + bytes + 1, '/') == NULL)
            take_up(path, false);
    }
    leave();
    return answer;
}

static mode_t mode_of(int flags, va_list arguments)
{
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

VISIBLE int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_any(path, flags, mode);
}

VISIBLE int open64(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_any(path, flags, mode);
}

static ssize_t write_any(int fd, const void *bytes, size_t count, off_t at)
{
    faults_call call = {.kind = FAULTS_WRITE, .file = -1, .bytes = bytes, .count = count, .at = at};
    if (!enter()) return do_really(&call, fd, 0, 0);
    call.file = find_fd(fd);
    ssize_t answer = call.file < 0 ? do_really(&call, fd, 0, 0) : event(&call, fd, 0, 0);
    leave();
    return answer;
}

VISIBLE ssize_t write(int fd, const void *bytes, size_t count)
{
    return write_any(fd, bytes, count, -1);
}

VISIBLE ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at)
{
    return write_any(fd, bytes, count, at);
}

VISIBLE ssize_t pwrite64(int fd, const void *bytes, size_t count, off_t at)
{
    return write_any(fd, bytes, count, at);
}

static int sync_any(int fd, const char *way)
{
    if (!enter()) return (int)syscall(SYS_fsync, fd);
    faults_call call = {.kind = FAULTS_SYNC, .way = way, .file = find_fd(fd)};
    if (call.file >= 0 && all.file[call.file].is_directory) call.kind = FAULTS_SYNC_DIRECTORY;
    ssize_t answer = call.file < 0 ? syscall(SYS_fsync, fd) : event(&call, fd, 0, 0);
    leave();
    return (int)answer;
}

VISIBLE int fsync(int fd)
{
    return sync_any(fd, "fsync");
}

VISIBLE int fdatasync(int fd)
{
    return sync_any(fd, "fdatasync");
}

static int truncate_any(int fd, off_t length)
{
    faults_call call = {.kind = FAULTS_TRUNCATE, .file = -1, .at = length};
    if (!enter()) return (int)do_really(&call, fd, 0, 0);
    call.file = find_fd(fd);
    ssize_t answer = call.file < 0 ? do_really(&call, fd, 0, 0) : event(&call, fd, 0, 0);
    leave();
    return (int)answer;
}

VISIBLE int ftruncate(int fd, off_t length)
{
    return truncate_any(fd, length);
}

VISIBLE int ftruncate64(int fd, off_t length)
{
    return truncate_any(fd, length);
}

/* Calls by name. */
static int name_any(faults_call call, mode_t mode)
{
    if (!enter()) return (int)do_really(&call, -1, 0, mode);
    call.file = -1;
    ssize_t answer;
    if (faults_is_inside(call.path) || (call.to != NULL && faults_is_inside(call.to))) {
        answer = event(&call, -1, 0, mode);
    } else {
        answer = do_really(&call, -1, 0, mode);
    }
    leave();
    return (int)answer;
}

VISIBLE int rename(const char *from, const char *to)
{
    return name_any((faults_call){.kind = FAULTS_RENAME, .path = from, .to = to}, 0);
}

VISIBLE int unlink(const char *path)
{
    return name_any((faults_call){.kind = FAULTS_UNLINK, .path = path}, 0);
}

VISIBLE int mkdir(const char *path, mode_t mode)
{
    return name_any((faults_call){.kind = FAULTS_MKDIR, .path = path}, mode);
}
