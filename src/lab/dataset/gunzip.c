/*
 * What a gzip file holds (RFC 1952), by zlib, in memory that does not depend on how long it is.
 *
 *   file    members, one after the other, as `cat a.gz b.gz` makes them: their texts are joined.
 *           Bytes 0 behind the last member are padding.
 *   member  ends with the length and the CRC of its text, which zlib checks.
 *
 * A file that ends inside of a member was cut off. Whatever else follows a member is a fault: half
 * of a file must not pass for all of it.
 */
#include "core/core.h"
#include "dataset.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define GZIP_ONLY (16 + MAX_WBITS) /* windowBits of inflateInit2: a gzip header, and no other */

struct sotto__gunzip {
    z_stream stream;
    int fd;
    bool end;     /* nothing is left to read(2) */
    bool between; /* a member has ended, and no other has begun */
    bool later;   /* the member is not the first */
    unsigned char input[SOTTO__GUNZIP_CHUNK_BYTES];
};

bool sotto__is_gzip(const char *first, size_t bytes)
{
    return bytes >= 2 && memcmp(first, "\x1F\x8B", 2) == 0;
}

sotto_status sotto__gunzip_new(int fd, const char *first, size_t bytes, sotto__gunzip **out)
{
    assert(bytes <= SOTTO__GUNZIP_CHUNK_BYTES);
    *out = NULL;
    sotto__gunzip *gunzip = calloc(1, sizeof *gunzip);
    if (gunzip == NULL) return SOTTO_E_MEMORY;
    if (inflateInit2(&gunzip->stream, GZIP_ONLY) != Z_OK) {
        free(gunzip);
        return SOTTO_E_MEMORY;
    }
    gunzip->fd = fd;
    memcpy(gunzip->input, first, bytes);
    gunzip->stream.next_in = gunzip->input;
    gunzip->stream.avail_in = (uInt)bytes;
    *out = gunzip;
    return SOTTO_OK;
}

void sotto__gunzip_free(sotto__gunzip *gunzip)
{
    if (gunzip == NULL) return;
    inflateEnd(&gunzip->stream);
    free(gunzip);
}

/* Reads input if there is none left, unless the file has ended. */
static sotto_status refill(sotto__gunzip *gunzip, sotto_fault *fault)
{
    while (gunzip->stream.avail_in == 0 && !gunzip->end) {
        ssize_t got = read(gunzip->fd, gunzip->input, sizeof gunzip->input);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return sotto__refuse(fault, "%s", strerror(errno));
        gunzip->end = got == 0;
        gunzip->stream.next_in = gunzip->input;
        gunzip->stream.avail_in = (uInt)got;
    }
    return SOTTO_OK;
}

/* Skips padding, and begins the next member at the first byte that is not 0. */
static void begin_member(sotto__gunzip *gunzip)
{
    z_stream *stream = &gunzip->stream;
    while (stream->avail_in > 0 && *stream->next_in == 0) {
        stream->next_in++;
        stream->avail_in--;
    }
    if (stream->avail_in == 0) return;
    inflateReset(stream);
    gunzip->between = false;
    gunzip->later = true;
}

/* Why inflate() stopped, if it did. */
static sotto_status stopped(const sotto__gunzip *gunzip, int code, sotto_fault *fault)
{
    if (code == Z_OK || code == Z_STREAM_END) return SOTTO_OK;
    if (code == Z_MEM_ERROR) return sotto__fault_status(fault, SOTTO_E_MEMORY);
    bool header = gunzip->later && gunzip->stream.total_out == 0;
    return sotto__refuse(fault, "%s",
                         header ? "something that is not gzip follows the gzip data"
                                : "the gzip data is damaged");
}

sotto_status sotto__gunzip_read(sotto__gunzip *gunzip, char *to, size_t room, size_t *got,
                                sotto_fault *fault)
{
    z_stream *stream = &gunzip->stream;
    assert(room <= SOTTO__GUNZIP_CHUNK_BYTES);
    stream->next_out = (unsigned char *)to;
    stream->avail_out = (uInt)room;
    *got = 0;
    while (stream->avail_out > 0) {
        sotto_status status = refill(gunzip, fault);
        if (status != SOTTO_OK) return status;
        if (gunzip->between) begin_member(gunzip);
        bool empty = stream->avail_in == 0;
        if (empty && !gunzip->end) continue;
        if (empty && gunzip->between) break;
        if (empty)
            return sotto__refuse(fault, "the gzip data ends too early: the file was cut off");
        int code = inflate(stream, Z_NO_FLUSH);
        status = stopped(gunzip, code, fault);
        if (status != SOTTO_OK) return status;
        gunzip->between = code == Z_STREAM_END;
    }
    *got = room - stream->avail_out;
    return SOTTO_OK;
}
