/* A schema to start from, after a look at the file. */
#ifndef SOTTO_LAB_DATASET_DRAFT_H
#define SOTTO_LAB_DATASET_DRAFT_H

#include "schema.h"
#include "source.h"

/* A schema from one pass over the rows of a file: numbers with their smallest and largest value,
 * categories with their levels (at most 256 of one column, 1024 of all), the labels. Columns that
 * are ignored unasked have a note that says why, as has a label that rows are without. It is a
 * place to begin, not a private one: from_data is set, for ranges and levels must not come from
 * people's rows. NULL, or `fault`; then `out` is empty. */
const char *sotto__schema_draft(const sotto_draft *draft, const char *path, sotto_schema *out,
                                char fault[SOTTO_FAULT_BYTES]);

#endif
