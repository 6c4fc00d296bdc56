/* Whether a schema makes a bandit, and which. */
#ifndef SOTTO_LAB_DATASET_FIT_H
#define SOTTO_LAB_DATASET_FIT_H

#include "schema.h"
#include "source.h"

/* NULL, or why it makes no bandit: no label and no action, one class only, a number without a
 * range, ... */
const char *sotto__schema_fault(const sotto__schema *schema, char fault[SOTTO_FAULT_BYTES]);

bool sotto__schema_is_log(const sotto__schema *schema); /* an action instead of a label */
uint32_t sotto__schema_arms(const sotto__schema *schema);
const char *sotto__schema_arm_name(const sotto__schema *schema, uint32_t arm);
uint32_t sotto__schema_dim(const sotto__schema *schema); /* of a context, the constant included */

#endif
