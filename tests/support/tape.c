/* A scripted sotto_rng. */
#include "tape.h"

#include <string.h>

static sotto_status tape_fill(sotto_rng *rng, void *out, size_t bytes)
{
    tape *t = (tape *)rng;
    if (bytes > t->fails_after_bytes - t->drawn_bytes) return SOTTO_E_ENTROPY;
    sotto_status status = SOTTO_OK;
    if (t->bytes == NULL) {
        status = t->seeded.rng.fill(&t->seeded.rng, out, bytes);
    } else {
        memcpy(out, t->bytes + t->drawn_bytes, bytes);
    }
    t->drawn_bytes += bytes;
    t->drawn_calls++;
    return status;
}

tape tape_of(const void *bytes, size_t bytes_count)
{
    return (tape){.rng = {tape_fill}, .bytes = bytes, .fails_after_bytes = bytes_count};
}

tape tape_seeded(uint64_t seed)
{
    tape t = {.rng = {tape_fill}, .fails_after_bytes = SIZE_MAX};
    sotto__seeded_begin(&t.seeded, seed);
    return t;
}
