/* Which arm: from a model and clipped contexts. */
#ifndef SOTTO_DECIDE_H
#define SOTTO_DECIDE_H

#include "side.h"

#include <sotto/core.h>

/* Doubles of scratch that deciding needs. */
size_t sotto__decide_doubles(const sotto_spec *spec);

/* The arm for a context that is already clipped. `scratch` has sotto__decide_doubles. */
uint32_t sotto__decide(const sotto_terms *terms, const sotto_model *model, const uint8_t *nonce,
                       const double *context, double *scratch);

/* Likewise where a unit of reward from arm a is worth worth[a], finite and at least 0. */
uint32_t sotto__decide_worth(const sotto_terms *terms, const sotto_model *model,
                             const uint8_t *nonce, const double *context, const double *worth,
                             double *scratch);

#endif
