/* Sums of noisy moments, and least squares on them, as the authors' code has them. */
#include "published_moments.h"
#include "core/linalg.h"

#include <stdlib.h>

sotto_status sotto__noisy_moments_new(uint32_t dim, uint32_t blocks, sotto__noisy_moments *out)
{
    *out = (sotto__noisy_moments){.dim = dim, .blocks = blocks};
    sotto_status status = sotto__dense_new(dim, &out->solver);
    if (status != SOTTO_OK) return status;
    size_t gram_count = (size_t)blocks * sotto__tri_count(dim);
    out->memory = calloc(gram_count + (size_t)blocks * dim, sizeof out->memory[0]);
    if (out->memory == NULL) {
        sotto__noisy_moments_free(out);
        return SOTTO_E_MEMORY;
    }
    out->gram = out->memory;
    out->cross = out->gram + gram_count;
    return SOTTO_OK;
}

void sotto__noisy_moments_free(sotto__noisy_moments *moments)
{
    sotto__dense_free(moments->solver);
    free(moments->memory);
    *moments = (sotto__noisy_moments){0};
}

double *sotto__noisy_moments_gram(const sotto__noisy_moments *moments, uint32_t block)
{
    return moments->gram + (size_t)block * sotto__tri_count(moments->dim);
}

static void add_outer(double *gram, const double *x, uint32_t dim)
{
    for (uint32_t i = 0; i < dim; i++) {
        double *row = gram + sotto__tri_count(i);
        for (uint32_t j = 0; j <= i; j++) {
            row[j] += x[i] * x[j];
        }
    }
}

void sotto__noisy_moments_add(sotto__noisy_moments *moments, sotto__published *self, uint32_t block,
                              const double *x, double weight)
{
    uint32_t dim = moments->dim;
    double *gram = sotto__noisy_moments_gram(moments, block);
    double *cross = moments->cross + (size_t)block * dim;
    sotto__published_add_noise(self, self->sigma, gram, sotto__tri_count(dim));
    sotto__published_add_noise(self, self->sigma, cross, dim);
    if (x == NULL) return;
    add_outer(gram, x, dim);
    for (uint32_t i = 0; i < dim; i++) {
        cross[i] += weight * x[i];
    }
}

void sotto__noisy_moments_solve(sotto__noisy_moments *moments, uint32_t block, double shift,
                                double *theta)
{
    const double *gram = sotto__noisy_moments_gram(moments, block);
    if (!sotto__dense_factor(moments->solver, gram, shift)) return;
    sotto__dense_solve(moments->solver, moments->cross + (size_t)block * moments->dim, theta);
}
