/* Whatever the bytes of SQLite's log: read to its end, and damage lies within it. The checksums are made to fit up
 * to a frame that the first byte chooses, since random bytes would never pass them. */
#include "service/journal/journal_wal.h"
#include "specs.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HEAD_BYTES 32u
#define FRAME_HEAD_BYTES 24u

static uint32_t get(const uint8_t *in, bool is_big)
{
    if (is_big) return (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 | in[3];
    return (uint32_t)in[3] << 24 | (uint32_t)in[2] << 16 | (uint32_t)in[1] << 8 | in[0];
}

static void put(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        out[i] = (uint8_t)(value >> (24 - 8 * i));
    }
}

static void sum(uint32_t s[2], const uint8_t *in, size_t bytes, bool is_big)
{
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        s[0] += get(in + i, is_big) + s[1];
        s[1] += get(in + i + 4, is_big) + s[0];
    }
}

static void seal(uint8_t *bytes, size_t size, uint32_t frames)
{
    if (size < HEAD_BYTES) return;
    bool is_big = (get(bytes, true) & 1) != 0;
    uint32_t s[2] = {0}, page_bytes = get(bytes + 8, true);
    sum(s, bytes, 24, is_big);
    put(bytes + 24, s[0]);
    put(bytes + 28, s[1]);
    if (page_bytes < 512 || page_bytes > 65536) return;
    for (size_t at = HEAD_BYTES, i = 0; i < frames && at + FRAME_HEAD_BYTES + page_bytes <= size;
         i++, at += FRAME_HEAD_BYTES + page_bytes) {
        memcpy(bytes + at + 8, bytes + 16, 8);
        sum(s, bytes + at, 8, is_big);
        sum(s, bytes + at + FRAME_HEAD_BYTES, page_bytes, is_big);
        put(bytes + at + 16, s[0]);
        put(bytes + at + 20, s[1]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    journal_wal found;
    if (size < 2) return 0;
    uint8_t *bytes = malloc(size - 1);
    fuzz_require(bytes != NULL);
    memcpy(bytes, data + 1, size - 1);
    bool sealed = data[0] % 16 == 15;
    if (data[0] % 16 != 0) seal(bytes, size - 1, sealed ? UINT32_MAX : data[0] % 16);
    snprintf(path, sizeof path, "fuzz_wal_%ld", (long)getpid());
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600); /* no link: the reader follows none */
    fuzz_require(fd >= 0 && write(fd, bytes, size - 1) == (ssize_t)(size - 1));
    if (journal__wal_check(path, &found)) {
        fuzz_require(found.bytes == size - 1);
        fuzz_require(found.offset < found.bytes || !found.damaged);
        bool head = found.bytes > HEAD_BYTES && (get(bytes, true) | 1) == 0x377f0683 &&
                    get(bytes + 4, true) == 3007000 && get(bytes + 8, true) >= 512 &&
                    get(bytes + 8, true) <= 65536;
        fuzz_require(!sealed || !head || !found.damaged);
    }
    close(fd);
    unlink(path);
    free(bytes);
    return 0;
}
