/* SipHash-2-4 (Aumasson and Bernstein 2012): a short hash that nobody without the key can predict. */
#ifndef SOTTO_SIPHASH_H
#define SOTTO_SIPHASH_H

#include "side.h"

#include <stddef.h>
#include <stdint.h>

#define SOTTO__SIPHASH_KEY_BYTES 16u

uint64_t sotto__siphash(const uint8_t key[SOTTO__SIPHASH_KEY_BYTES], const uint8_t *bytes,
                        size_t bytes_count);

#endif
