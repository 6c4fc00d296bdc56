/*
 * Reads a file in large chunks through one buffer. Bytes that were taken are dropped, so memory
 * does not depend on the length of the file. A gzip file is unpacked on the way.
 */
#include "core/core.h"
#include "dataset.h"

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

static void begin(sotto__source *source)
{
    sotto__gunzip_free(source->gunzip);
    source->gunzip = NULL;
    source->end = source->returns = false;
    source->from = source->to = 0;
    source->line = 1;
    source->bytes = 0;
    memset(source->buffer, '\n', PAD_BYTES);
}

sotto_status sotto__source_open(sotto__source *source, const char *path, sotto_fault *fault)
{
    struct stat about;
    *source = (sotto__source){.path = path, .fd = STDIN_FILENO};
    if (strcmp(path, "-") != 0) source->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (source->fd < 0 || fstat(source->fd, &about) != 0) {
        sotto__refuse(fault, "%s: cannot be read: %s", path, strerror(errno));
        sotto__source_close(source);
        return SOTTO_E_FAULT;
    }
    if (S_ISDIR(about.st_mode)) {
        sotto__source_close(source);
        return sotto__refuse(fault, "%s: is a directory; a file is needed", path);
    }
    source->buffer = malloc(BUFFER_BYTES + PAD_BYTES);
    if (source->buffer == NULL) {
        sotto__source_close(source);
        return sotto__refuse(fault, "%s: %s", path, sotto_status_text(SOTTO_E_MEMORY));
    }
    begin(source);
    return SOTTO_OK;
}

/* Reads some bytes of the text; *got is 0 at its end. */
static sotto_status pull(sotto__source *source, char *to, size_t room, size_t *got,
                         sotto_fault *fault)
{
    if (source->gunzip != NULL) return sotto__gunzip_read(source->gunzip, to, room, got, fault);
    ssize_t count;
    do {
        count = read(source->fd, to, room);
    } while (count < 0 && errno == EINTR);
    if (count < 0) return sotto__refuse(fault, "%s", strerror(errno));
    *got = (size_t)count;
    return SOTTO_OK;
}

/* Appends a chunk, or the rest of the text, to the buffer. */
static sotto_status read_chunk(sotto__source *source, sotto_fault *fault)
{
    size_t end = source->to + CHUNK_BYTES;
    while (!source->end && source->to < end) {
        size_t got = 0;
        if (pull(source, source->buffer + source->to, end - source->to, &got, fault) != SOTTO_OK) {
            return sotto__fault_within(fault, "%s: line %llu: cannot be read: ", source->path,
                                       (unsigned long long)source->line);
        }
        source->end = got == 0;
        source->to += got;
        source->bytes += got;
    }
    return SOTTO_OK;
}

/* Passes the compressed bytes that were read to the decompressor. */
static sotto_status begin_gzip(sotto__source *source, sotto_fault *fault)
{
    static_assert(CHUNK_BYTES <= SOTTO__GUNZIP_CHUNK_BYTES, "so a chunk can be handed on");
    if (sotto__gunzip_new(source->fd, source->buffer, source->to, &source->gunzip) != SOTTO_OK) {
        return sotto__refuse(fault, "%s: %s", source->path, sotto_status_text(SOTTO_E_MEMORY));
    }
    source->end = false;
    source->to = 0;
    source->bytes = 0;
    return SOTTO_OK;
}

static bool ends_lines_with_returns(const char *chunk, size_t bytes)
{
    return memchr(chunk, '\n', bytes) == NULL && memchr(chunk, '\r', bytes) != NULL;
}

/* Whether text is UTF-16: it has a byte order mark, or every other one of its
 * first 4 bytes is 0. */
static bool is_utf16(const char *chunk, size_t bytes)
{
    const char *c = chunk;
    if (bytes < 4) return false;
    if (memcmp(c, "\xFF\xFE", 2) == 0 || memcmp(c, "\xFE\xFF", 2) == 0) return true;
    bool even = c[0] == '\0' && c[2] == '\0', odd = c[1] == '\0' && c[3] == '\0';
    return even != odd;
}

static void feed_lines(char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        text[i] = text[i] == '\r' ? '\n' : text[i];
    }
}

sotto_status sotto__source_fill(sotto__source *source, sotto_fault *fault)
{
    size_t left = source->to - source->from;
    bool first = source->bytes == 0;
    assert(left <= SOTTO__RECORD_BYTES_MAX);
    memmove(source->buffer, source->buffer + source->from, left);
    source->from = 0;
    source->to = left;
    if (read_chunk(source, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    if (first && source->gunzip == NULL && sotto__is_gzip(source->buffer, source->to)) {
        if (begin_gzip(source, fault) != SOTTO_OK || read_chunk(source, fault) != SOTTO_OK)
            return SOTTO_E_FAULT;
    }
    if (first && is_utf16(source->buffer, source->to)) {
        return sotto__refuse(
            fault,
            "%s: line 1: this is UTF-16; convert it to UTF-8: iconv -f UTF-16 -t UTF-8 %s > "
            "utf8.csv",
            source->path, source->path);
    }
    if (first) source->returns = ends_lines_with_returns(source->buffer, source->to);
    if (source->returns) feed_lines(source->buffer + left, source->to - left);
    memset(source->buffer + source->to, '\n', PAD_BYTES);
    if (first && source->to >= 3 && memcmp(source->buffer, "\xEF\xBB\xBF", 3) == 0) {
        source->from = 3;
    }
    return SOTTO_OK;
}

sotto_status sotto__source_rewind(sotto__source *source, sotto_fault *fault)
{
    if (lseek(source->fd, 0, SEEK_SET) != 0) {
        return sotto__refuse(fault, "%s: cannot be read a second time: %s", source->path,
                             strerror(errno));
    }
    begin(source);
    return SOTTO_OK;
}

void sotto__source_close(sotto__source *source)
{
    if (source->fd > STDIN_FILENO) close(source->fd);
    sotto__gunzip_free(source->gunzip);
    free(source->buffer);
    *source = (sotto__source){.fd = -1};
}
