#include "random.h"
#include "core/core.h"

#include <math.h>
#include <string.h>

/* ==== stream ================================================================================= */

/* Seeded streams by purpose. */

void sotto__stream_begin(sotto__seeded *stream, uint64_t seed, sotto__purpose purpose)
{
    static const char name[16] = "sotto lab stream"; /* without a final zero */
    uint8_t input[12], hash[SOTTO__DIGEST_BYTES];
    sotto__put_u64(input, seed);
    sotto__put_u32(input + 8, (uint32_t)purpose);
    sotto__digest digest;
    sotto__digest_begin(&digest);
    sotto__digest_add(&digest, name, sizeof name);
    sotto__digest_add(&digest, input, sizeof input);
    sotto__digest_end(&digest, hash);

    sotto__seeded_begin(stream, seed);
    for (uint32_t i = 0; i < 4; i++) {
        stream->state[i] = sotto__get_u64(hash + 8 * i);
    }
}

/* ==== random ================================================================================= */

/* Seeded randomness. */

static sotto_status seeded_fill(sotto_rng *rng, void *out, size_t bytes)
{
    sotto__seeded *seeded = (sotto__seeded *)rng;
    uint8_t *at = out;
    for (; bytes >= 8; at += 8, bytes -= 8) {
        sotto__put_u64(at, sotto__seeded_next(seeded));
    }
    if (bytes == 0) return SOTTO_OK;
    uint8_t word[8];
    sotto__put_u64(word, sotto__seeded_next(seeded));
    memcpy(at, word, bytes);
    return SOTTO_OK;
}

/* The state is filled by splitmix64, which maps no seed to the forbidden all-zero state. */
void sotto__seeded_begin(sotto__seeded *seeded, uint64_t seed)
{
    seeded->rng.fill = seeded_fill;
    for (int i = 0; i < 4; i++) {
        seed += UINT64_C(0x9e3779b97f4a7c15);
        uint64_t z = seed;
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        seeded->state[i] = z ^ z >> 31;
    }
}

double sotto__uniform(uint64_t bits)
{
    return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

void sotto__normal_pair(uint64_t first, uint64_t second, double out[2])
{
    double radius = sqrt(-2 * log(sotto__uniform(first)));
    double angle = 6.28318530717958647693 * sotto__uniform(second);
    out[0] = radius * cos(angle);
    out[1] = radius * sin(angle);
}
