/* A fast normal in floating point: for simulation, never for a report that leaves a device. */
#ifndef SOTTO_ZIGGURAT_H
#define SOTTO_ZIGGURAT_H

#include "random.h"

#define SOTTO__LAYERS 256

/* Tables of the layers; made once, shared by any number of threads. */
typedef struct sotto__ziggurat {
    double x[SOTTO__LAYERS + 1]; /* right edges, widest first; x[0] is that of the base's area */
    double y[SOTTO__LAYERS + 1]; /* e^(-x^2/2) */
} sotto__ziggurat;

void sotto__ziggurat_begin(sotto__ziggurat *ziggurat);

/* One standard normal. */
double sotto__normal(const sotto__ziggurat *ziggurat, sotto__seeded *seeded);

#endif
