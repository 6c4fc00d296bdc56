/* Watches by inotify: the kernel queues a write for each watcher when it happens. The gate is a
 * lock on a byte that no ledger reaches. Like locks of flock, such locks belong to an open file,
 * but do not conflict with them. */
#ifndef _GNU_SOURCE /* for F_OFD_SETLK */
#define _GNU_SOURCE
#endif
#if __SIZEOF_LONG__ == 4 && !defined(_FILE_OFFSET_BITS) /* our CMake defines it */
#define _FILE_OFFSET_BITS 64
#endif
#include "inner.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

int sotto__watch_open(const char *path)
{
    int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (watch < 0) return -1;
    if (inotify_add_watch(watch, path, IN_MODIFY) >= 0) return watch;
    close(watch);
    return -1;
}

/* Consecutive events of one kind are merged, so there are few to read, and each call reads all. */
bool sotto__watch_written(int watch)
{
    uint8_t events[1024];
    bool written = false;
    if (watch < 0) return false;
    for (;;) {
        ssize_t count = read(watch, events, sizeof events);
        if (count <= 0) return written; /* EAGAIN: no more */
        for (size_t at = 0; at < (size_t)count;) {
            struct inotify_event event;
            memcpy(&event, events + at, sizeof event);
            if ((event.mask & IN_MODIFY) != 0) written = true;
            at += sizeof event + event.len;
        }
    }
}

void sotto__watch_close(int watch)
{
    if (watch >= 0) close(watch);
}

static struct flock gate(short type)
{
    return (struct flock){
        .l_type = type, .l_whence = SEEK_SET, .l_start = INT64_MAX - 1, .l_len = 1};
}

bool sotto__gate_is_taken(int fd)
{
    struct flock found = gate(F_WRLCK);
    return fcntl(fd, F_OFD_GETLK, &found) == 0 && found.l_type != F_UNLCK;
}

void sotto__gate_enter(int fd)
{
    struct flock wanted = gate(F_WRLCK);
    (void)fcntl(fd, F_OFD_SETLK, &wanted);
}

void sotto__gate_leave(int fd)
{
    struct flock none = gate(F_UNLCK);
    (void)fcntl(fd, F_OFD_SETLK, &none);
}
