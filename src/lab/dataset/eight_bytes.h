/* Eight bytes at once, in a word. */
#ifndef SOTTO_LAB_DATASET_EIGHT_BYTES_H
#define SOTTO_LAB_DATASET_EIGHT_BYTES_H

#include <stdint.h>

#define SOTTO__EACH(byte) (UINT64_C(0x0101010101010101) * (uint64_t)(byte))

/* Bit 7 of the lowest byte that is 0 is set, and of no byte below it. */
static inline uint64_t sotto__zero_byte(uint64_t word)
{
    return (word - SOTTO__EACH(1)) & ~word & SOTTO__EACH(0x80);
}

#endif
