#include "inner.h"

#include <string.h>

/* ==== digest ================================================================================= */

/* SHA-256, as FIPS 180-4 states it: a message is padded and cut into blocks. */

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

/* ==== digest rounds ========================================================================== */

/* The rounds of SHA-256 in plain C: for every machine, and what the others are compared with. */

/* FIPS 180-4, 4.2.2: the cube roots of the first 64 primes, fractional parts. */
const uint32_t sotto__digest_constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate_right(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

/* FIPS 180-4, 6.2.2. */
static void compress(uint32_t state[8], const uint8_t block[64])
{
    uint32_t w[64];
    for (int t = 0; t < 16; t++) {
        const uint8_t *p = block + 4 * t;
        w[t] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    }
    for (int t = 16; t < 64; t++) {
        uint32_t s0 = rotate_right(w[t - 15], 7) ^ rotate_right(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = rotate_right(w[t - 2], 17) ^ rotate_right(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = s1 + w[t - 7] + s0 + w[t - 16];
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int t = 0; t < 64; t++) {
        uint32_t s1 = rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25);
        uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + sotto__digest_constant[t] + w[t];
        uint32_t s0 = rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22);
        uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

void sotto__digest_rounds(uint32_t state[8], const uint8_t *blocks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        compress(state, blocks + 64 * i);
    }
}
