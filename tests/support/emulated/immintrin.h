/* The x86-64 instructions that digest_rounds_x86_64.c uses, in plain C, after Intel's manual
 * (volume 2), so that the file can be tested on machines without them. Lane 0 is the lowest. */
#ifndef SOTTO_EMULATED_IMMINTRIN_H
#define SOTTO_EMULATED_IMMINTRIN_H

#include <stdint.h>
#include <string.h>

typedef union __m128i {
    uint32_t lane[4];
    uint8_t byte[16];
    uint16_t half[8];
} __m128i;

static inline __m128i _mm_loadu_si128(const void *from)
{
    __m128i x;
    memcpy(&x, from, sizeof x);
    return x;
}

static inline void _mm_storeu_si128(__m128i *to, __m128i x)
{
    memcpy(to, &x, sizeof x);
}

static inline __m128i _mm_set_epi64x(int64_t high, int64_t low)
{
    __m128i x;
    for (int i = 0; i < 8; i++) {
        x.byte[i] = (uint8_t)((uint64_t)low >> 8 * i);
        x.byte[8 + i] = (uint8_t)((uint64_t)high >> 8 * i);
    }
    return x;
}

static inline __m128i _mm_add_epi32(__m128i a, __m128i b)
{
    for (int i = 0; i < 4; i++) {
        a.lane[i] += b.lane[i];
    }
    return a;
}

static inline __m128i _mm_shuffle_epi32(__m128i a, int control)
{
    __m128i x;
    for (int i = 0; i < 4; i++) {
        x.lane[i] = a.lane[control >> 2 * i & 3];
    }
    return x;
}

static inline __m128i _mm_shuffle_epi8(__m128i a, __m128i control)
{
    __m128i x;
    for (int i = 0; i < 16; i++) {
        x.byte[i] = control.byte[i] & 0x80 ? 0 : a.byte[control.byte[i] & 15];
    }
    return x;
}

/* Bytes shift to shift + 15 of a over b. */
static inline __m128i _mm_alignr_epi8(__m128i a, __m128i b, int shift)
{
    __m128i x;
    for (int i = 0; i < 16; i++) {
        x.byte[i] = i + shift < 16 ? b.byte[i + shift] : a.byte[i + shift - 16];
    }
    return x;
}

static inline __m128i _mm_blend_epi16(__m128i a, __m128i b, int control)
{
    for (int i = 0; i < 8; i++) {
        if (control >> i & 1) a.half[i] = b.half[i];
    }
    return a;
}

static inline uint32_t emulated_rotate(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

/* SHA256MSG1: lane i is w_i + sigma0(w_(i+1)). */
static inline __m128i _mm_sha256msg1_epu32(__m128i a, __m128i b)
{
    const uint32_t w[5] = {a.lane[0], a.lane[1], a.lane[2], a.lane[3], b.lane[0]};
    for (int i = 0; i < 4; i++) {
        uint32_t next = w[i + 1];
        a.lane[i] = w[i] + (emulated_rotate(next, 7) ^ emulated_rotate(next, 18) ^ next >> 3);
    }
    return a;
}

static inline uint32_t emulated_sigma1(uint32_t x)
{
    return emulated_rotate(x, 17) ^ emulated_rotate(x, 19) ^ x >> 10;
}

/* SHA256MSG2: w_16 and w_17 from b's two upper lanes, w_18 and w_19 from the new ones. */
static inline __m128i _mm_sha256msg2_epu32(__m128i a, __m128i b)
{
    __m128i x;
    x.lane[0] = a.lane[0] + emulated_sigma1(b.lane[2]);
    x.lane[1] = a.lane[1] + emulated_sigma1(b.lane[3]);
    x.lane[2] = a.lane[2] + emulated_sigma1(x.lane[0]);
    x.lane[3] = a.lane[3] + emulated_sigma1(x.lane[1]);
    return x;
}

/* SHA256RNDS2: cdgh = (h, g, d, c), abef = (f, e, b, a) from lane 0 up; two rounds with the two
 * lower lanes of wk; the new a, b, e, f. */
static inline __m128i _mm_sha256rnds2_epu32(__m128i cdgh, __m128i abef, __m128i wk)
{
    uint32_t a = abef.lane[3], b = abef.lane[2], e = abef.lane[1], f = abef.lane[0];
    uint32_t c = cdgh.lane[3], d = cdgh.lane[2], g = cdgh.lane[1], h = cdgh.lane[0];
    for (int i = 0; i < 2; i++) {
        uint32_t s1 = emulated_rotate(e, 6) ^ emulated_rotate(e, 11) ^ emulated_rotate(e, 25);
        uint32_t s0 = emulated_rotate(a, 2) ^ emulated_rotate(a, 13) ^ emulated_rotate(a, 22);
        uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + wk.lane[i];
        uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + t1;
        d = c, c = b, b = a, a = t1 + t2;
    }
    return (__m128i){.lane = {f, e, b, a}};
}

#endif
