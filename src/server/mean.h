/* The mean phase: where contexts lie on average, before anything is learned of rewards. */
#ifndef SOTTO_MEAN_H
#define SOTTO_MEAN_H

#include "side.h"

#include <sotto/server.h>

/* What a learner keeps of the phase. */
typedef struct sotto__mean {
    uint64_t reports; /* of the mean phase, those that came too late for g among them */
    double *sum;      /* dim: the sum of their unit codewords */
} sotto__mean;

/* Adds the reports of a batch and their sums: one row per arm, in unit codewords. */
void sotto__mean_add(sotto__mean *mean, const sotto_spec *spec, uint64_t reports,
                     const double *sum);

/* g of the reports so far; dim numbers. */
void sotto__mean_direction(const sotto__mean *mean, uint32_t dim, double *g);

#endif
