/* SHA-256 (FIPS 180-4). */
#ifndef SOTTO_DIGEST_H
#define SOTTO_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define SOTTO__DIGEST_BYTES 32u

typedef struct sotto__digest {
    uint32_t state[8];
    uint8_t block[64];
    uint64_t bytes; /* taken so far */
} sotto__digest;

void sotto__digest_begin(sotto__digest *digest);
void sotto__digest_add(sotto__digest *digest, const void *data, size_t bytes);
void sotto__digest_end(sotto__digest *digest, uint8_t out[SOTTO__DIGEST_BYTES]);

#endif
