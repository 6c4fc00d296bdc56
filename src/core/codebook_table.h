/* Normals in 12 bits, which codewords are made of. */
#ifndef SOTTO_CODEBOOK_TABLE_H
#define SOTTO_CODEBOOK_TABLE_H

#include <stdint.h>

#define SOTTO__TABLE_SIZE 4096u

/* rint(2^13 Phi^-1((i + 1/2)/4096)): normals in 12 bits. No entry is 0. */
extern const int16_t sotto__normal_table[SOTTO__TABLE_SIZE];

#endif
