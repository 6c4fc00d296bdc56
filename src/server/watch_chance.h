/* Chances of the watch: each is at least the true one, for any number of reports (docs/watch.md). */
#ifndef SOTTO_WATCH_CHANCE_H
#define SOTTO_WATCH_CHANCE_H

#include "side.h"

#include <stdbool.h>
#include <stdint.h>

/* P(X >= x) of X ~ Bin(n, chance), x at most n. */
double sotto__chance_above(uint64_t x, uint64_t n, double chance);
/* Twice the smaller of P(X >= x) and P(X <= x), at most 1. */
double sotto__chance_apart(uint64_t x, uint64_t n, double chance);

/* n D(counts/n || uniform) = sum c ln(c cells/n), of every `stride`-th count from the first on: cells of
 * them. 0 if all are 0. Adds n to *total. */
double sotto__entropy_of(const uint64_t *count, uint32_t cells, uint32_t stride, uint64_t *total);
/* The chance that such numbers add up to x or more: `freedom` is the sum of cells - 1 over them. */
double sotto__entropy_chance(double x, double freedom);

/* t^2 with P(|U_1| > t) = chance, U uniform on the unit sphere of R^dim, dim at least 2. */
double sotto__tail_square(uint32_t dim, double chance);

#endif
