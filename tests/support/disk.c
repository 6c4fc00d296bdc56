/* The system calls of a ledger, under a test's control. */
#include "disk.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

disk the_disk;

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
ssize_t __real_pread(int fd, void *bytes, size_t count, off_t at);
ssize_t __wrap_pread(int fd, void *bytes, size_t count, off_t at);
ssize_t __real_pwrite(int fd, const void *bytes, size_t count, off_t at);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t count, off_t at);
int __wrap_fsync(int fd);
int __real_flock(int fd, int operation);
int __wrap_flock(int fd, int operation);
int __real_fstat(int fd, struct stat *found);
int __wrap_fstat(int fd, struct stat *found);
int __real_lstat(const char *path, struct stat *found);
int __wrap_lstat(const char *path, struct stat *found);
int __real_link(const char *from, const char *to);
int __wrap_link(const char *from, const char *to);

void disk_reset(void)
{
    memset(&the_disk, 0, sizeof the_disk);
    the_disk.fsync_ignored = 2;
}

void disk_apply(const disk_write *write, size_t count, uint8_t *image, size_t *image_bytes)
{
    assert_true(write->at + count <= DISK_BYTES_MAX);
    memcpy(image + write->at, write->bytes, count);
    if (write->at + count > *image_bytes) *image_bytes = write->at + count;
}

/* True if this call must fail; sets errno. */
static bool fails(void)
{
    disk *d = &the_disk;
    d->calls++;
    bool now = d->fail_at != 0 && d->calls == d->fail_at;
    bool dead = d->fail_at != 0 && d->calls > d->fail_at && d->failure == DISK_DIES;
    if (now || dead) errno = d->error;
    return now || dead;
}

/* Every second call of a stuttering disk is interrupted. */
static bool interrupted(void)
{
    the_disk.interrupted = the_disk.stutters && !the_disk.interrupted;
    if (the_disk.interrupted) errno = EINTR;
    return the_disk.interrupted;
}

static size_t shortened(size_t count)
{
    return the_disk.stutters && count > 1 ? count / 2 : count;
}

int __wrap_open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return fails() ? -1 : __real_open(path, flags, mode);
}

ssize_t __wrap_pread(int fd, void *bytes, size_t count, off_t at)
{
    if (fails() || interrupted()) return -1;
    return __real_pread(fd, bytes, shortened(count), at);
}

ssize_t __wrap_pwrite(int fd, const void *bytes, size_t count, off_t at)
{
    disk *d = &the_disk;
    if (fails()) {
        if (d->failure == DISK_HALF_FAILS) {
            ssize_t half = __real_pwrite(fd, bytes, count / 2, at);
            (void)half;
            errno = d->error;
        }
        return -1;
    }
    if (interrupted()) return -1;
    count = shortened(count);
    assert_true(d->pending_count < DISK_WRITES_MAX && count <= DISK_WRITE_BYTES_MAX);
    disk_write *write = &d->pending[d->pending_count++];
    write->at = (uint64_t)at;
    write->count = count;
    memcpy(write->bytes, bytes, count);
    return __real_pwrite(fd, bytes, count, at);
}

int __wrap_fsync(int fd)
{
    disk *d = &the_disk;
    struct stat found;
    if (fails()) return -1;
    assert_int_equal(__real_fstat(fd, &found), 0);
    if (S_ISREG(found.st_mode) && d->fsyncs++ % 2 != d->fsync_ignored) {
        for (size_t i = 0; i < d->pending_count; i++) {
            disk_apply(&d->pending[i], d->pending[i].count, d->synced, &d->synced_bytes);
        }
        d->pending_count = 0;
    }
    d->name_synced = S_ISDIR(found.st_mode);
    return 0; /* tests do not need the real disk to be synced */
}

int __wrap_flock(int fd, int operation)
{
    if (fails()) return -1;
    if (interrupted()) return -1;
    return __real_flock(fd, operation);
}

int __wrap_fstat(int fd, struct stat *found)
{
    return fails() ? -1 : __real_fstat(fd, found);
}

int __wrap_lstat(const char *path, struct stat *found)
{
    return fails() ? -1 : __real_lstat(path, found);
}

int __wrap_link(const char *from, const char *to)
{
    the_disk.unsynced_at_link = the_disk.pending_count;
    the_disk.name_synced = false;
    return fails() ? -1 : __real_link(from, to);
}
