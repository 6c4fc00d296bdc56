/* The rounds of SHA-256 by the instructions of x86-64 (SHA-NI), four rounds at a time. */
#include "inner.h"

#include <cpuid.h>
#include <immintrin.h>
#include <stdatomic.h>

#ifndef WITH_SHA /* the tests emulate the instructions */
#define WITH_SHA __attribute__((target("sha,sse4.1,ssse3")))
#endif

#define CPUID_1_ECX_SSSE3 (1u << 9)
#define CPUID_1_ECX_SSE41 (1u << 19)
#define CPUID_7_EBX_SHA (1u << 29)

static bool ask_for_sha(void)
{
    unsigned a, b, c, d;
    const unsigned needed = CPUID_1_ECX_SSSE3 | CPUID_1_ECX_SSE41;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & needed) != needed) return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & CPUID_7_EBX_SHA) != 0;
}

/* Asked only once: in a virtual machine the host answers, which takes as long as a hundred blocks.
 * Threads that ask at the same time write the same value. */
static bool has_sha(void)
{
    static atomic_uint answer; /* 0: not asked yet; 1: no instructions; 2: instructions */
    unsigned known = atomic_load_explicit(&answer, memory_order_relaxed);
    if (known == 0) {
        known = 1 + ask_for_sha();
        atomic_store_explicit(&answer, known, memory_order_relaxed);
    }
    return known == 2;
}

WITH_SHA static __m128i load(const void *from)
{
    return _mm_loadu_si128(from);
}

/* w_t = sigma1(w_(t-2)) + w_(t-7) + sigma0(w_(t-15)) + w_(t-16), for four words. */
WITH_SHA static __m128i next_words(const __m128i w[4], int i)
{
    __m128i seven_before = _mm_alignr_epi8(w[(i + 3) % 4], w[(i + 2) % 4], 4);
    __m128i partial = _mm_add_epi32(_mm_sha256msg1_epu32(w[i], w[(i + 1) % 4]), seven_before);
    return _mm_sha256msg2_epu32(partial, w[(i + 3) % 4]);
}

/* Two halves of the state as the instructions want them: a, b, e, f and c, d, g, h. */
WITH_SHA static void compress(__m128i *abef, __m128i *cdgh, const uint8_t block[64])
{
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    const __m128i abef_before = *abef, cdgh_before = *cdgh;
    __m128i w[4];
    for (int i = 0; i < 4; i++) {
        w[i] = _mm_shuffle_epi8(load(block + 16 * i), big_endian);
    }
    for (int i = 0; i < 16; i++) {
        __m128i added = _mm_add_epi32(w[i % 4], load(sotto__digest_constant + 4 * i));
        if (i < 12) w[i % 4] = next_words(w, i % 4);
        *cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, added);
        *abef = _mm_sha256rnds2_epu32(*abef, *cdgh, _mm_shuffle_epi32(added, 0x0e));
    }
    *abef = _mm_add_epi32(*abef, abef_before);
    *cdgh = _mm_add_epi32(*cdgh, cdgh_before);
}

WITH_SHA static void compress_all(uint32_t state[8], const uint8_t *blocks, size_t count)
{
    __m128i badc = _mm_shuffle_epi32(load(state), 0xb1),
            hgfe = _mm_shuffle_epi32(load(state + 4), 0x1b);
    __m128i abef = _mm_alignr_epi8(badc, hgfe, 8), cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);
    for (size_t i = 0; i < count; i++) {
        compress(&abef, &cdgh, blocks + 64 * i);
    }
    __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)(void *)state, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(void *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

bool sotto__digest_rounds_by_cpu(uint32_t state[8], const uint8_t *blocks, size_t count)
{
    if (!has_sha()) return false;
    compress_all(state, blocks, count);
    return true;
}
