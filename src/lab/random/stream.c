/* Seeded streams by purpose. */
#include "stream.h"
#include "core/bytes.h"
#include "core/digest.h"

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
