/*
 * SQLite reads its log up to the first frame whose checksum is wrong, and takes that for the end: right
 * after a crash, where the last transaction may be half written; silent loss where a byte was damaged in the
 * middle. The two are told apart here.
 *
 * The log (sqlite.org/fileformat2.html, section 4): a head of 32 bytes, then frames of 24 bytes and a page.
 * All numbers are big-endian.
 *
 *   head    magic 0x377f0682 or 0x377f0683 | version 3007000 | page bytes | count | salt 1 | salt 2 |
 *           checksum of the first 24 bytes
 *   frame   page | pages of the file, if this frame ends a transaction, else 0 | salt 1 | salt 2 |
 *           checksum of the first 8 bytes and the page, going on from the frame before
 *
 * A transaction is written only after the one before it is durable. So the log is damaged if, after the first
 * wrong frame, a frame ends a transaction and the next one goes on from its checksum. What a crash or a
 * transaction that failed leaves is never gone on from. Damage to the last transaction of the log looks like a
 * crash, and is not seen.
 *
 * The index (sqlite.org/walformat.html, section 2), in the byte order of the machine: two copies of a head of 48 bytes,
 * then the number of frames that were copied to the file and synced. SQLite copies all before it removes the log.
 *
 *   head    version 3007000 | 0 | changes | byte: 1 if it is made | 3 bytes | frames of the log that count | ...
 */
#include "journal_wal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD_BYTES 32u
#define FRAME_HEAD_BYTES 24u
#define PAGE_BYTES_MAX 65536u
#define VERSION 3007000u
#define INDEX_HEAD_BYTES 48u
#define INDEX_BYTES (2 * INDEX_HEAD_BYTES + 4)

typedef struct checksum {
    uint32_t a, b;
} checksum;

typedef struct wal_reader {
    int fd;
    bool is_big; /* the words under the checksum */
    uint32_t page_bytes;
    uint8_t salt[8];
    uint64_t frames;
    uint8_t frame[FRAME_HEAD_BYTES + PAGE_BYTES_MAX];
} wal_reader;

static uint32_t get_u32(const uint8_t *in, bool is_big)
{
    if (is_big) return (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 | in[3];
    return (uint32_t)in[3] << 24 | (uint32_t)in[2] << 16 | (uint32_t)in[1] << 8 | in[0];
}

static checksum sum(checksum from, const uint8_t *in, size_t bytes, bool is_big)
{
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        from.a += get_u32(in + i, is_big) + from.b;
        from.b += get_u32(in + i + 4, is_big) + from.a;
    }
    return from;
}

static bool is_stored(checksum value, const uint8_t *in)
{
    return value.a == get_u32(in, true) && value.b == get_u32(in + 4, true);
}

static bool read_all(int fd, uint8_t *out, size_t bytes, uint64_t offset)
{
    ssize_t got = pread(fd, out, bytes, (off_t)offset);
    if (got >= 0 && (size_t)got != bytes) errno = EIO;
    return got >= 0 && (size_t)got == bytes;
}

/* False if the head is not one. */
static bool take_head(wal_reader *reader, const uint8_t head[HEAD_BYTES], uint64_t bytes)
{
    uint32_t magic = get_u32(head, true);
    reader->is_big = (magic & 1) != 0;
    reader->page_bytes = get_u32(head + 8, true);
    if ((magic | 1) != 0x377f0683 || get_u32(head + 4, true) != VERSION) return false;
    if (reader->page_bytes < 512 || reader->page_bytes > PAGE_BYTES_MAX) return false;
    if (!is_stored(sum((checksum){0}, head, 24, reader->is_big), head + 24)) return false;
    memcpy(reader->salt, head + 16, sizeof reader->salt);
    reader->frames = (bytes - HEAD_BYTES) / (FRAME_HEAD_BYTES + reader->page_bytes);
    return true;
}

static uint64_t offset_of(const wal_reader *reader, uint64_t frame)
{
    return HEAD_BYTES + frame * (FRAME_HEAD_BYTES + (uint64_t)reader->page_bytes);
}

/* Reads frame i. *fits: it goes on from `before`. *before becomes its own, as it is stored. */
static bool read_frame(wal_reader *reader, uint64_t i, checksum *before, bool *fits, bool *ends)
{
    const uint8_t *frame = reader->frame;
    if (!read_all(reader->fd, reader->frame, FRAME_HEAD_BYTES + reader->page_bytes,
                  offset_of(reader, i))) {
        return false;
    }
    checksum own = sum(*before, frame, 8, reader->is_big);
    own = sum(own, frame + FRAME_HEAD_BYTES, reader->page_bytes, reader->is_big);
    bool is_ours = memcmp(frame + 8, reader->salt, sizeof reader->salt) == 0;
    *fits = is_ours && is_stored(own, frame + 16);
    *ends = get_u32(frame + 4, true) != 0;
    *before = (checksum){get_u32(frame + 16, true), get_u32(frame + 20, true)};
    return true;
}

static bool check_frames(wal_reader *reader, checksum before, journal_wal *out)
{
    bool good = true, ended = false, fits, ends;
    for (uint64_t i = 0; i < reader->frames; i++) {
        if (!read_frame(reader, i, &before, &fits, &ends)) return false;
        if (good && !fits) {
            good = false;
            out->offset = offset_of(reader, i);
        } else if (!good && fits && ended) {
            out->damaged = true;
            return true;
        }
        ended = ends;
    }
    return true;
}

static bool check_file(wal_reader *reader, journal_wal *out)
{
    struct stat about;
    uint8_t head[HEAD_BYTES];
    if (fstat(reader->fd, &about) != 0) return false;
    out->bytes = (uint64_t)about.st_size;
    if (out->bytes <= HEAD_BYTES) return true; /* nothing was ever committed in it */
    if (!read_all(reader->fd, head, sizeof head, 0)) return false;
    if (!take_head(reader, head, out->bytes)) {
        out->damaged = true;
        return true;
    }
    checksum before = {get_u32(head + 24, true), get_u32(head + 28, true)};
    return check_frames(reader, before, out);
}

bool journal__wal_check(const char *path, journal_wal *out)
{
    wal_reader reader;
    *out = (journal_wal){.bytes = 0};
    reader.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (reader.fd < 0) return errno == ENOENT;
    bool ok = check_file(&reader, out);
    int why = errno;
    close(reader.fd);
    errno = why;
    return ok;
}

static uint32_t own_u32(const uint8_t *in)
{
    uint32_t value;
    memcpy(&value, in, sizeof value);
    return value;
}

/* A kill may come between the two copies: either counts. */
static bool misses(const uint8_t index[INDEX_BYTES])
{
    const uint32_t copied = own_u32(index + 2 * INDEX_HEAD_BYTES);
    for (uint32_t copy = 0; copy < 2; copy++) {
        const uint8_t *head = index + copy * INDEX_HEAD_BYTES;
        if (own_u32(head) == VERSION && head[12] == 1 && own_u32(head + 16) > copied) return true;
    }
    return false;
}

bool journal__wal_is_missed(const char *path, bool *missed)
{
    uint8_t index[INDEX_BYTES];
    *missed = false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return errno == ENOENT;
    ssize_t got = pread(fd, index, sizeof index, 0);
    int why = errno;
    close(fd);
    errno = why;
    *missed = got == (ssize_t)sizeof index && misses(index);
    return got >= 0;
}
