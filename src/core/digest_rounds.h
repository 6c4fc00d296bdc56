/* The rounds of SHA-256 over whole blocks of 64 bytes. */
#ifndef SOTTO_DIGEST_ROUNDS_H
#define SOTTO_DIGEST_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern const uint32_t sotto__digest_constant[64]; /* FIPS 180-4, 4.2.2 */

void sotto__digest_rounds(uint32_t state[8], const uint8_t *blocks, size_t count);

/* The same by the processor's own instructions; false, with nothing done, where it has none. */
bool sotto__digest_rounds_by_cpu(uint32_t state[8], const uint8_t *blocks, size_t count);

#endif
