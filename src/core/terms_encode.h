/* The canonical bytes of terms, and their id. The format is at the head of the .c. */
#ifndef SOTTO_TERMS_ENCODE_H
#define SOTTO_TERMS_ENCODE_H

#include <sotto/core.h>

/* The first bytes, by version. */
extern const uint8_t sotto__terms_magic[3][4];

/* Fills id and stream_key from everything else. */
void sotto__terms_name(sotto_terms *terms);

#endif
