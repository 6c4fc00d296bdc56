/* A fast normal in floating point: for simulation, never for a report that leaves a device. */
#ifndef SOTTO_LAB_RANDOM_ZIGGURAT_H
#define SOTTO_LAB_RANDOM_ZIGGURAT_H

#include "random.h"

#define SOTTO__LAYERS 256

/* Tables of the layers; made once, shared by any number of threads. */
typedef struct sotto__ziggurat {
    double unit[SOTTO__LAYERS];  /* 2^-53 x: what one of 2^53 steps to the right edge is */
    double x[SOTTO__LAYERS + 1]; /* right edges, widest first; x[0] is that of the base's area */
    double y[SOTTO__LAYERS + 1]; /* e^(-x^2/2) */
} sotto__ziggurat;

void sotto__ziggurat_begin(sotto__ziggurat *ziggurat);

/* One standard normal. */
double sotto__normal(const sotto__ziggurat *ziggurat, sotto__seeded *seeded);

/* The next `count` of them, faster than one by one. */
void sotto__normals(const sotto__ziggurat *ziggurat, sotto__seeded *seeded, double *out,
                    uint32_t count);

/* out_i += sd times the next of them. */
void sotto__add_normals(const sotto__ziggurat *ziggurat, sotto__seeded *seeded, double sd,
                        double *out, uint32_t count);

#endif
