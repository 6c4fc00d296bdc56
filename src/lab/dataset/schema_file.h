/* The schema file, read and written. */
#ifndef SOTTO_LAB_DATASET_SCHEMA_FILE_H
#define SOTTO_LAB_DATASET_SCHEMA_FILE_H

#include "schema.h"
#include "source.h"

#include <stdio.h>

/* A schema file (its format is at the head of schema_file.c). NULL, or `fault`: what is wrong,
 * with file and line; then `out` is empty. A schema that was read fits: see sotto__schema_fault. */
const char *sotto__schema_read(const char *path, sotto_schema *out, char fault[SOTTO_FAULT_BYTES]);
void sotto__schema_write(const sotto_schema *schema, FILE *file);
/* The shortest digits that are read back as the same number. */
void sotto__number_write(double value, FILE *file);

#endif
