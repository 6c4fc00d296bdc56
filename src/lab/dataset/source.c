/*
 * The bytes of a file, in large chunks through one buffer. What has been taken is forgotten, so
 * memory does not depend on how long the file is.
 */
#include "source.h"
#include "core/fault.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_BYTES 262144u /* fits the caches; larger reads are no faster */
#define BUFFER_BYTES (SOTTO__RECORD_BYTES_MAX + CHUNK_BYTES)
#define PAD_BYTES 32u /* the line feed behind the last byte, and room to look at 16 bytes at once */

const char *sotto__shown(const char *text, size_t bytes, char shown[SOTTO__SHOWN_BYTES])
{
    bool cut = bytes > SOTTO__SHOWN_BYTES - 4;
    size_t count = cut ? SOTTO__SHOWN_BYTES - 4 : bytes;
    for (size_t i = 0; i < count; i++) {
        unsigned char c = (unsigned char)text[i];
        shown[i] = c < ' ' || c == 127 ? '?' : text[i];
    }
    memcpy(shown + count, cut ? "..." : "", cut ? 4 : 1);
    return shown;
}

static void begin(sotto__source *source)
{
    source->end = source->returns = false;
    source->from = source->to = 0;
    source->line = 1;
    source->bytes = 0;
    memset(source->buffer, '\n', PAD_BYTES);
}

const char *sotto__source_open(sotto__source *source, const char *path, char *fault)
{
    struct stat about;
    *source = (sotto__source){.path = path, .fd = STDIN_FILENO};
    if (strcmp(path, "-") != 0) source->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (source->fd < 0 || fstat(source->fd, &about) != 0) {
        sotto__fault(fault, "%s: cannot be read: %s", path, strerror(errno));
        sotto__source_close(source);
        return fault;
    }
    if (S_ISDIR(about.st_mode)) {
        sotto__source_close(source);
        return sotto__fault(fault, "%s: is a folder; a file is needed", path);
    }
    source->buffer = malloc(BUFFER_BYTES + PAD_BYTES);
    if (source->buffer == NULL) {
        sotto__source_close(source);
        return sotto__fault(fault, "%s: %s", path, sotto_status_text(SOTTO_E_MEMORY));
    }
    begin(source);
    return NULL;
}

static bool ends_lines_with_returns(const char *chunk, size_t bytes)
{
    return memchr(chunk, '\n', bytes) == NULL && memchr(chunk, '\r', bytes) != NULL;
}

static void feed_lines(char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        text[i] = text[i] == '\r' ? '\n' : text[i];
    }
}

const char *sotto__source_fill(sotto__source *source, char *fault)
{
    size_t left = source->to - source->from;
    bool first = source->bytes == 0;
    assert(left <= SOTTO__RECORD_BYTES_MAX);
    memmove(source->buffer, source->buffer + source->from, left);
    source->from = 0;
    source->to = left;
    while (!source->end && source->to < left + CHUNK_BYTES) {
        ssize_t got =
            read(source->fd, source->buffer + source->to, left + CHUNK_BYTES - source->to);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            return sotto__fault(fault, "%s: line %llu: cannot be read: %s", source->path,
                                (unsigned long long)source->line, strerror(errno));
        }
        source->end = got == 0;
        source->to += (size_t)got;
        source->bytes += (uint64_t)got;
    }
    if (first) source->returns = ends_lines_with_returns(source->buffer, source->to);
    if (source->returns) feed_lines(source->buffer + left, source->to - left);
    memset(source->buffer + source->to, '\n', PAD_BYTES);
    if (first && source->to >= 3 && memcmp(source->buffer, "\xEF\xBB\xBF", 3) == 0) {
        source->from = 3;
    }
    return NULL;
}

const char *sotto__source_rewind(sotto__source *source, char *fault)
{
    if (lseek(source->fd, 0, SEEK_SET) != 0) {
        return sotto__fault(fault, "%s: cannot be read a second time: %s", source->path,
                            strerror(errno));
    }
    begin(source);
    return NULL;
}

void sotto__source_close(sotto__source *source)
{
    if (source->fd > STDIN_FILENO) close(source->fd);
    free(source->buffer);
    *source = (sotto__source){.fd = -1};
}
