/* The constants of lattice noise, from what a statistic needs. */
#ifndef SOTTO_CALIBRATE_LATTICE_H
#define SOTTO_CALIBRATE_LATTICE_H

#include "ieee.h"

#include <sotto/core.h>

/* A statistic, and the promise to be kept about it. */
typedef struct sotto__lattice_need {
    sotto_noise_law law;
    double epsilon;
    double delta;          /* of gaussian */
    double diameter;       /* of the statistic's range: L2 for gaussian, L1 for laplace */
    uint32_t dim;          /* its coordinates, those of one arm's block for per-arm blocks */
    double coordinate_max; /* no coordinate is larger */
} sotto__lattice_need;

/* NULL if lattice noise can keep this promise about `dim` numbers; otherwise `text`, naming the
 * field at fault. */
const char *sotto__lattice_promise_fault(sotto_noise_law law, uint32_t dim, double epsilon,
                                         double delta, bool allow_weak_delta, char *text);

/* The noise (sigma or b) that the statistic needs once it is rounded to this grid. */
double sotto__lattice_scale(const sotto__lattice_need *need, double grid);

/* How far two statistics can be apart once they are rounded to this grid. */
double sotto__lattice_diameter(const sotto__lattice_need *need, double grid);

/* The bound on each coordinate, in ticks. */
double sotto__lattice_clip(const sotto__lattice_need *need, double grid);

/* No honest tick is larger, except with a chance of 1e-9 per report. */
double sotto__lattice_tick_max(const sotto_lattice *lattice, sotto_noise_law law);

sotto_lattice sotto__lattice_constants(const sotto__lattice_need *need);

/* SOTTO_OK if the constants are in range and as private as needed; otherwise SOTTO_E_FAULT or
 * SOTTO_E_WEAK, with the reason in `text`. lattice->dim is the caller's to check. */
SOTTO_CHECK sotto_status sotto__lattice_check(const sotto_lattice *lattice,
                                              const sotto__lattice_need *need, char *text);

#endif
