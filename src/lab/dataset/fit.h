/* Whether a schema makes a bandit, and which. */
#ifndef SOTTO_LAB_DATASET_FIT_H
#define SOTTO_LAB_DATASET_FIT_H

#include "schema.h"
#include "source.h"

/* NULL, or why it makes no bandit: no label and no action, one class only, a number without a
 * range, ... */
const char *sotto__schema_fault(const sotto_schema *schema, char fault[SOTTO_FAULT_BYTES]);

#endif
