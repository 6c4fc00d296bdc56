/* What the coordinates of codewords cost, as a device expands them. */
#ifndef SOTTO_BENCH_CODEWORDS_H
#define SOTTO_BENCH_CODEWORDS_H

#include <sotto/core.h>

/* Expands `count` codewords of dim coordinates, eight at a time, then four, then one. `normal` has
 * 8 x dim numbers. Returns a number that depends on all of them. */
double bench_expand_codewords(const sotto_terms *terms, const uint8_t *nonce, uint32_t count,
                              uint32_t dim, int32_t *normal);

#endif
