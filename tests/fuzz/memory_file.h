/* Bytes under a path, for readers that open files. */
#ifndef SOTTO_FUZZ_MEMORY_FILE_H
#define SOTTO_FUZZ_MEMORY_FILE_H

#include "specs.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define MEMORY_PATH_BYTES 64

/* In the run's own directory, and gone from it at once: the path is that of the open file. */
static inline int memory_file(const uint8_t *bytes, size_t count, char path[MEMORY_PATH_BYTES])
{
    snprintf(path, MEMORY_PATH_BYTES, "fuzz-%ld.text", (long)getpid());
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    fuzz_require(fd >= 0 && write(fd, bytes, count) == (ssize_t)count);
    unlink(path);
    snprintf(path, MEMORY_PATH_BYTES, "/proc/self/fd/%d", fd);
    return fd;
}

#endif
