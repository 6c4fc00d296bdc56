/* SipHash-2-4, as its paper states it (section 2). */
#include "siphash.h"
#include "core/bytes.h"

typedef struct sip {
    uint64_t v0, v1, v2, v3;
} sip;

static uint64_t rotate_left(uint64_t x, int n)
{
    return x << n | x >> (64 - n);
}

static void sip_round(sip *s)
{
    s->v0 += s->v1;
    s->v2 += s->v3;
    s->v1 = rotate_left(s->v1, 13) ^ s->v0;
    s->v3 = rotate_left(s->v3, 16) ^ s->v2;
    s->v0 = rotate_left(s->v0, 32);
    s->v2 += s->v1;
    s->v0 += s->v3;
    s->v1 = rotate_left(s->v1, 17) ^ s->v2;
    s->v3 = rotate_left(s->v3, 21) ^ s->v0;
    s->v2 = rotate_left(s->v2, 32);
}

static void sip_word(sip *s, uint64_t word)
{
    s->v3 ^= word;
    sip_round(s);
    sip_round(s);
    s->v0 ^= word;
}

uint64_t sotto__siphash(const uint8_t key[SOTTO__SIPHASH_KEY_BYTES], const uint8_t *bytes,
                        size_t bytes_count)
{
    uint64_t k0 = sotto__get_u64(key), k1 = sotto__get_u64(key + 8);
    sip s = {k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261,
             k1 ^ 0x7465646279746573};
    size_t whole = bytes_count - bytes_count % 8;
    for (size_t i = 0; i < whole; i += 8) {
        sip_word(&s, sotto__get_u64(bytes + i));
    }
    uint64_t last = (uint64_t)bytes_count << 56;
    for (size_t i = whole; i < bytes_count; i++) {
        last |= (uint64_t)bytes[i] << 8 * (i - whole);
    }
    sip_word(&s, last);
    s.v2 ^= 0xff;
    for (int i = 0; i < 4; i++) {
        sip_round(&s);
    }
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
