/* The rounds of SHA-256 by the instructions of 64-bit ARM, four rounds at a time. */
#include "inner.h"

/* Both compilers make the instructions in functions that ask for them; older clangs declare them only
 * to files that ask. */
#if defined(__clang__)
#ifndef __ARM_FEATURE_SHA2
#define __ARM_FEATURE_SHA2 1
#endif
#define WITH_SHA2 __attribute__((target("sha2")))
#else
#define WITH_SHA2 __attribute__((target("+crypto")))
#endif

#include <arm_neon.h>
#include <sys/auxv.h>

/* w_t = sigma1(w_(t-2)) + w_(t-7) + sigma0(w_(t-15)) + w_(t-16), for four words. */
WITH_SHA2 static uint32x4_t next_words(const uint32x4_t w[4], int i)
{
    uint32x4_t partial = vsha256su0q_u32(w[i], w[(i + 1) % 4]);
    return vsha256su1q_u32(partial, w[(i + 2) % 4], w[(i + 3) % 4]);
}

WITH_SHA2 static void compress(uint32_t state[8], const uint8_t block[64])
{
    const uint32x4_t abcd_before = vld1q_u32(state), efgh_before = vld1q_u32(state + 4);
    uint32x4_t abcd = abcd_before, efgh = efgh_before, w[4];
    for (int i = 0; i < 4; i++) {
        w[i] = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(block + 16 * i)));
    }
    for (int i = 0; i < 16; i++) {
        uint32x4_t added = vaddq_u32(w[i % 4], vld1q_u32(sotto__digest_constant + 4 * i));
        uint32x4_t abcd_old = abcd;
        if (i < 12) w[i % 4] = next_words(w, i % 4);
        abcd = vsha256hq_u32(abcd, efgh, added);
        efgh = vsha256h2q_u32(efgh, abcd_old, added);
    }
    vst1q_u32(state, vaddq_u32(abcd, abcd_before));
    vst1q_u32(state + 4, vaddq_u32(efgh, efgh_before));
}

bool sotto__digest_rounds_by_cpu(uint32_t state[8], const uint8_t *blocks, size_t count)
{
    if ((getauxval(AT_HWCAP) & HWCAP_SHA2) == 0) return false;
    for (size_t i = 0; i < count; i++) {
        compress(state, blocks + 64 * i);
    }
    return true;
}
