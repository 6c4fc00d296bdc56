/* Streams that are lent. */
#include "lent.h"

static uint64_t bits(sotto_stream *self)
{
    return sotto__seeded_next(&((sotto__lent *)self)->seeded);
}

static double uniform(sotto_stream *self)
{
    return sotto__uniform(bits(self));
}

static double normal(sotto_stream *self)
{
    sotto__lent *lent = (sotto__lent *)self;
    return sotto__normal(lent->ziggurat, &lent->seeded);
}

static const sotto_stream functions = {bits, uniform, normal};

void sotto__lent_begin(sotto__lent *lent, uint64_t seed, sotto__purpose purpose,
                       const sotto__ziggurat *ziggurat)
{
    lent->stream = functions;
    lent->ziggurat = ziggurat;
    sotto__stream_begin(&lent->seeded, seed, purpose);
}

void sotto__lent_person(sotto__lent *lent, uint64_t word, const sotto__ziggurat *ziggurat)
{
    lent->stream = functions;
    lent->ziggurat = ziggurat;
    sotto__seeded_begin(&lent->seeded, word);
}
