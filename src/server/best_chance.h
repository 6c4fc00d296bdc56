/* The chance of each of several independent normal values to be the largest. */
#ifndef SOTTO_BEST_CHANCE_H
#define SOTTO_BEST_CHANCE_H

#include "side.h"

#include <sotto/core.h>

typedef struct sotto__best_chance sotto__best_chance;

SOTTO_CHECK sotto_status sotto__best_chance_new(uint32_t arms, sotto__best_chance **out);
void sotto__best_chance_free(sotto__best_chance *best); /* accepts NULL */

/* chance_k = P(value_k is the largest), value_k ~ N(mean_k, sd_k^2), sd_k > 0; they add up to 1. Made of
 * + - * / and sqrt alone: the same bits on every machine. */
void sotto__best_chances(sotto__best_chance *best, const double *mean, const double *sd,
                         double *chance);

#endif
