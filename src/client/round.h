/*
 * Rounds for callers inside this project that compute in the default floating-point environment
 * already, and say so by SOTTO__DEFAULT_FLOATS at their own door. The functions of sotto/client.h are
 * these behind that guard, whose two readings of the flags wait for all arithmetic before: of a
 * round of two numbers they take 2 to 3 %.
 */
#ifndef SOTTO_ROUND_H
#define SOTTO_ROUND_H

#include "side.h"

#include <sotto/client.h>

sotto_status sotto__round_begin(sotto_round *round, const sotto_model *model);
sotto_status sotto__round_decide(sotto_round *round, const double *context, uint32_t context_count,
                                 uint32_t *arm);
sotto_status sotto__round_decide_worth(sotto_round *round, const double *context,
                                       uint32_t context_count, const double *worth, uint32_t *arm);
sotto_status sotto__round_finish(sotto_round *round, double reward, uint8_t *frame,
                                 size_t capacity_bytes);

#endif
