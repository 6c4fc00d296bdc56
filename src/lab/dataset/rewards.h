/* What each arm earns where a label is right: the table of a file. */
#ifndef SOTTO_LAB_DATASET_REWARDS_H
#define SOTTO_LAB_DATASET_REWARDS_H

#include "schema.h"

/* Reads the schema's rewards_file (its format is at the head of rewards.c) into its `rewards`, and
 * sets their range unless it was given. The schema fits, and has a label. NULL, or `fault`. */
const char *sotto__rewards_read(sotto_schema *schema, char fault[SOTTO_FAULT_BYTES]);

#endif
