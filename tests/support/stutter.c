/* A `write` that stutters, to be loaded before the C library's (LD_PRELOAD): of each two calls the
 * first is interrupted, the second writes seven bytes at most. Writing nothing is left alone. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((visibility("default"))) ssize_t write(int file, const void *bytes, size_t count)
{
    static int interrupted; /* one thread writes */
    interrupted = count > 0 && !interrupted;
    if (interrupted) {
        errno = EINTR;
        return -1;
    }
    return syscall(SYS_write, file, bytes, count < 7 ? count : 7);
}
