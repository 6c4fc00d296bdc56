/* SHA-256, as FIPS 180-4 states it: a message is padded and cut into blocks. */
#include "digest.h"
#include "digest_rounds.h"

#include <string.h>

static void take_blocks(sotto__digest *digest, const uint8_t *blocks, size_t count)
{
    if (sotto__digest_rounds_by_cpu(digest->state, blocks, count)) return;
    sotto__digest_rounds(digest->state, blocks, count);
}

void sotto__digest_begin(sotto__digest *digest)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(digest->state, start, sizeof start);
    digest->bytes = 0;
}

void sotto__digest_add(sotto__digest *digest, const void *data, size_t bytes)
{
    const uint8_t *in = data;
    size_t used = digest->bytes % 64;
    digest->bytes += bytes;
    if (used > 0 && bytes >= 64 - used) {
        memcpy(digest->block + used, in, 64 - used);
        take_blocks(digest, digest->block, 1);
        in += 64 - used;
        bytes -= 64 - used;
        used = 0;
    }
    if (bytes >= 64) {
        take_blocks(digest, in, bytes / 64);
        in += bytes - bytes % 64;
        bytes %= 64;
    }
    if (bytes > 0) memcpy(digest->block + used, in, bytes);
}

void sotto__digest_end(sotto__digest *digest, uint8_t out[SOTTO__DIGEST_BYTES])
{
    static const uint8_t padding[64] = {0x80};
    uint64_t bits = digest->bytes * 8;
    size_t used = digest->bytes % 64;
    sotto__digest_add(digest, padding, used < 56 ? 56 - used : 120 - used);
    uint8_t length[8];
    for (int i = 0; i < 8; i++) {
        length[i] = (uint8_t)(bits >> (56 - 8 * i));
    }
    sotto__digest_add(digest, length, sizeof length);
    for (int i = 0; i < 32; i++) {
        out[i] = (uint8_t)(digest->state[i / 4] >> (24 - 8 * (i % 4)));
    }
}
