/* A system that runs out of randomness, to be loaded before the C library's (LD_PRELOAD):
 * `getrandom` fails while the file exists that the environment variable NO_ENTROPY names. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((visibility("default"))) ssize_t getrandom(void *out, size_t bytes, unsigned flags)
{
    const char *path = getenv("NO_ENTROPY");
    if (path == NULL || access(path, F_OK) != 0) return syscall(SYS_getrandom, out, bytes, flags);
    errno = EIO;
    return -1;
}
