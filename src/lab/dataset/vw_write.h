/* A data set as VW text. */
#ifndef SOTTO_LAB_DATASET_VW_WRITE_H
#define SOTTO_LAB_DATASET_VW_WRITE_H

#include "dataset.h"

#include <stdio.h>

/* Writes the people of a data set, from where it stands, as VW text, and to `schema_file` the schema with
 * which it is read as the same people. `count` is how many there were. NULL, or `fault`; whether all
 * bytes went out is for who opened the files to see. */
const char *sotto__vw_write(const sotto_schema *schema, sotto_dataset *dataset, FILE *file,
                            FILE *schema_file, uint64_t *count, char fault[SOTTO_FAULT_BYTES]);

/* A word as a name of VW text: blanks, control characters and | : = % are written %20, ..., and an empty
 * word as %. Different words have different names. */
void sotto__vw_name_write(const char *text, size_t bytes, FILE *file);

#endif
