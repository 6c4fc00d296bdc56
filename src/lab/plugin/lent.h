/* A stream of the lab as it is lent to what people bring. */
#ifndef SOTTO_LAB_PLUGIN_LENT_H
#define SOTTO_LAB_PLUGIN_LENT_H

#include "lab/random/stream.h"

#include <sotto/lab/plugins.h>

typedef struct sotto__lent {
    sotto_stream stream; /* first, so that a pointer to it is a pointer to the whole */
    sotto__seeded seeded;
    const sotto__ziggurat *ziggurat; /* borrowed */
} sotto__lent;

/* The stream of a purpose: the same numbers as the lab itself would draw. */
void sotto__lent_begin(sotto__lent *lent, uint64_t seed, sotto__purpose purpose,
                       const sotto__ziggurat *ziggurat);

/* Starts again, as the stream of one person, whom a random word names. However many numbers the
 * person draws, the next one's are not moved by it. */
void sotto__lent_person(sotto__lent *lent, uint64_t word, const sotto__ziggurat *ziggurat);

#endif
