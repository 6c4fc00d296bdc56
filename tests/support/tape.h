/* A scripted sotto_rng: plays given bytes or a seeded stream, counts them, and fails when told. */
#ifndef SOTTO_TAPE_H
#define SOTTO_TAPE_H

#include "lab/random/random.h"

typedef struct tape {
    sotto_rng rng; /* must be first: a pointer to it is a pointer to the whole */
    sotto__seeded seeded;
    const uint8_t *bytes; /* NULL: play `seeded` */
    size_t drawn_bytes;
    size_t drawn_calls;
    size_t fails_after_bytes; /* a fill that would pass this many gets SOTTO_E_ENTROPY, no bytes */
} tape;

/* Plays these bytes, which are borrowed, and then fails. */
tape tape_of(const void *bytes, size_t bytes_count);
/* Plays the lab's generator without end; the caller may set fails_after_bytes. */
tape tape_seeded(uint64_t seed);

#endif
