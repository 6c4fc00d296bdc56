/* What files of this room share. */
#ifndef SOTTO_CORE_INNER_H
#define SOTTO_CORE_INNER_H

#include "core.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- codebook_table ------------------------------------------------------------------------- */

/* Normals in 12 bits, which codewords are made of. */

#define SOTTO__TABLE_SIZE 4096u

/* rint(2^13 Phi^-1((i + 1/2)/4096)): normals in 12 bits. No entry is 0. */
extern const int16_t sotto__normal_table[SOTTO__TABLE_SIZE];

/* ---- digest_rounds -------------------------------------------------------------------------- */

/* The rounds of SHA-256 over whole blocks of 64 bytes. */

extern const uint32_t sotto__digest_constant[64]; /* FIPS 180-4, 4.2.2 */

void sotto__digest_rounds(uint32_t state[8], const uint8_t *blocks, size_t count);

/* The same by the processor's own instructions; false, with nothing done, where it has none. */
bool sotto__digest_rounds_by_cpu(uint32_t state[8], const uint8_t *blocks, size_t count);

#endif
