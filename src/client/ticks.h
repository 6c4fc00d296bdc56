/* From a statistic and its noise to the ticks of a report. */
#ifndef SOTTO_TICKS_H
#define SOTTO_TICKS_H

#include "side.h"

#include <sotto/core.h>

/* value[0 .. lattice->dim): `noise`, with the statistic f (block_dim numbers) rounded to the grid,
 * clipped in ticks and added in block number `block`. The lattice is one or more such blocks. */
void sotto__add_noise(const sotto_lattice *lattice, const double *f, uint32_t block_dim,
                      uint32_t block, const int64_t *noise, int32_t *value);

#endif
