/* Streams of seeds. */
#ifndef SOTTO_SEEDS_H
#define SOTTO_SEEDS_H

#include "lab/random/random.h"

static inline sotto__seeded seeded_of(uint64_t seed)
{
    sotto__seeded stream;
    sotto__seeded_begin(&stream, seed);
    return stream;
}

#endif
