/* Noisy moments: what their least squares is made of. */
#ifndef SOTTO_LAB_PLAYER_PUBLISHED_MOMENTS_H
#define SOTTO_LAB_PLAYER_PUBLISHED_MOMENTS_H

#include "lab/math/dense.h"
#include "published.h"

/* Sums of x x' + W and y + xi, by block. W is symmetric: its entries on and below the diagonal are
 * independent N(0, sigma^2), as are those of xi. */
typedef struct sotto__noisy_moments {
    uint32_t dim, blocks;
    double *gram;  /* packed, one per block */
    double *cross; /* one per block */
    sotto__dense *solver;
    double *memory;
} sotto__noisy_moments;

SOTTO_CHECK sotto_status sotto__noisy_moments_new(uint32_t dim, uint32_t blocks,
                                                  sotto__noisy_moments *out);
void sotto__noisy_moments_free(sotto__noisy_moments *moments);

double *sotto__noisy_moments_gram(const sotto__noisy_moments *moments, uint32_t block);

/* gram += x x' + W, cross += weight x + xi, drawn in this order from self->noise. x may be NULL: 0.
 */
void sotto__noisy_moments_add(sotto__noisy_moments *moments, sotto__published *self, uint32_t block,
                              const double *x, double weight);
/* theta = (gram + shift I)^-1 cross. Leaves theta as it is if that matrix is singular. */
void sotto__noisy_moments_solve(sotto__noisy_moments *moments, uint32_t block, double shift,
                                double *theta);

#endif
