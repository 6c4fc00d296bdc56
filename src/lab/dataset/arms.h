/* The features of the arms. */
#ifndef SOTTO_LAB_DATASET_ARMS_H
#define SOTTO_LAB_DATASET_ARMS_H

#include "schema.h"

/* Makes the schema of the arms' file complete, once that of the people fits: `arms` then has also the
 * column that names the arm. NULL, or `fault` if there is a file without features, or features without
 * a file. Nothing to do where there is neither. */
const char *sotto__arms_prepare(sotto_schema *schema, char fault[SOTTO_FAULT_BYTES]);

/* Reads the arms_file of a schema that was prepared (its format is at the head of arms.c) into its
 * `arm_feature`. NULL, or `fault`. */
const char *sotto__arms_read(sotto_schema *schema, char fault[SOTTO_FAULT_BYTES]);

#endif
