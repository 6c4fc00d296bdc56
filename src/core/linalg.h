/* Small dense linear algebra: vectors, and symmetric matrices packed by the lower triangle, row by
 * row: entry (i, j), j <= i, stands at i(i+1)/2 + j. */
#ifndef SOTTO_LINALG_H
#define SOTTO_LINALG_H

#include "ieee.h"
#include "secret.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t sotto__tri_count(uint32_t n)
{
    return n * (n + 1) / 2;
}

/* Two numbers that are added, multiplied and compared at once, and their bits. */
typedef double sotto__pair __attribute__((vector_size(16)));
typedef int64_t sotto__pair_bits __attribute__((vector_size(16)));

static inline sotto__pair sotto__load_pair(const double *x)
{
    sotto__pair pair;
    memcpy(&pair, x, sizeof pair);
    return pair;
}

/* Of each lane x where the mask has all bits, y where it has none. */
static inline sotto__pair sotto__pair_either(sotto__pair_bits mask, sotto__pair x, sotto__pair y)
{
    return (sotto__pair)(((sotto__pair_bits)x & mask) | ((sotto__pair_bits)y & ~mask));
}

/* More than three numbers: four sums, none of which waits for another. Inline, because many products
 * are short. */
static inline double sotto__dot(const double *x, const double *y, uint32_t n)
{
    double sum = 0;
    size_t i = 0; /* as wide as an address: a narrower one costs an instruction for each load */
    if (n >= 4) {
        sotto__pair even = {0, 0}, odd = {0, 0};
        for (; i + 4 <= n; i += 4) {
            even += sotto__load_pair(x + i) * sotto__load_pair(y + i);
            odd += sotto__load_pair(x + i + 2) * sotto__load_pair(y + i + 2);
        }
        even += odd;
        sum = even[0] + even[1];
    }
    for (; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

/* out_i = row i of `rows` . y, each as sotto__dot would; rows of n numbers, count of them. */
void sotto__rows_dot(const double *rows, const double *y, uint32_t count, uint32_t n, double *out);

/* The first of the largest of n numbers, n at least 1; NaN counts as -infinity. Two at a time, by bits:
 * of conditional expressions a compiler makes branches, and a processor guesses them wrongly. */
static inline uint32_t sotto__largest(const double *x, uint32_t n)
{
    sotto__pair largest = {-INFINITY, -INFINITY};
    sotto__pair_bits best = {0, 0};
    for (uint32_t i = 0; n > 1 && i < n; i += 2) {
        uint32_t first = i + 1 < n ? i : n - 2; /* the last pair may overlap the one before it */
        sotto__pair here = sotto__load_pair(x + first);
        sotto__pair_bits above = here > largest; /* all bits, or none */
        best = (best & ~above) | ((sotto__pair_bits){first, first + 1} & above);
        largest = sotto__pair_either(above, here, largest);
    }
    bool before = !(largest[0] > largest[1]) & (best[1] < best[0]); /* of two that are equal */
    uint64_t second = sotto__mask((largest[1] > largest[0]) | before);
    return (uint32_t)(best[0] ^ ((best[0] ^ best[1]) & (int64_t)second));
}

/* Euclidean norm, right for every finite x: neither overflows nor underflows on the way. */
double sotto__norm(const double *x, uint32_t n);

/* Replaces the packed symmetric A by its Cholesky factor L, A = L L'. False, with A half done, if A
 * is not numerically positive definite. */
bool sotto__cholesky(double *a, uint32_t n);

/* x = (L L')^-1 b; x may be b. */
void sotto__cholesky_solve(const double *factor, const double *b, double *x, uint32_t n);

/* x' (L L')^-1 x = ||L^-1 x||^2, using n doubles of scratch. */
double sotto__inverse_form(const double *factor, const double *x, double *scratch, uint32_t n);

/* The same for each of `count` rows, to rounding, using n x count doubles of scratch. */
void sotto__inverse_forms(const double *factor, const double *rows, uint32_t count, uint32_t n,
                          double *scratch, double *out);

/* The same number for number, sooner, where row c is 0 outside of block c of the `count` blocks that
 * its n numbers are divided into. */
void sotto__inverse_forms_of_blocks(const double *factor, const double *rows, uint32_t count,
                                    uint32_t n, double *scratch, double *out);

#endif
