/* What an estimator keeps from batch to batch, as bytes. */
#ifndef SOTTO_KEPT_H
#define SOTTO_KEPT_H

#include "estimator.h"

/* How many bytes: 8 for each number or count. */
size_t sotto__kept_bytes(const sotto__estimator *estimator);

void sotto__kept_put(const sotto__estimator *estimator, uint8_t *out);
/* Takes any bytes; sotto__kept_fault says whether they can be. */
void sotto__kept_get(sotto__estimator *estimator, const uint8_t *bytes);

/* NULL, or `text` naming the first number that cannot be after so many reports. */
const char *sotto__kept_fault(const sotto__estimator *estimator, uint64_t reports,
                              char text[SOTTO_FAULT_BYTES]);

#endif
