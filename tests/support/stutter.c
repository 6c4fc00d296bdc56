/* A `write` that stutters, to be loaded before the C library's (LD_PRELOAD): of every two calls the
 * first is interrupted, and the second writes at most seven bytes. A write of 0 bytes is not
 * changed. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((visibility("default"))) ssize_t write(int file, const void *bytes, size_t count)
{
    static int interrupted; /* only one thread writes */
    interrupted = count > 0 && !interrupted;
    if (interrupted) {
        errno = EINTR;
        return -1;
    }
    return syscall(SYS_write, file, bytes, count < 7 ? count : 7);
}
