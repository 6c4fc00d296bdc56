/*
 * Data sets as bandits: a file of rows becomes people with contexts, and what is known of their
 * answers. Lowest first:
 *
 *   gunzip       what a gzip file holds
 *   source       the bytes of a file
 *   record       a file as records: csv.c, libsvm.c; for VW text see below
 *   number       a field as a number
 *   levels       words as indices
 *   schema       what the columns mean
 *   fit          what bandit that makes
 *   rewards      what each arm earns where a label is right
 *   vw_line      a line of VW text
 *   vw           VW text as records
 *   dataset      records as contexts, arms, rewards, chances
 *   arms         the features of the arms
 *   vw_write     a data set as VW text
 *   words        the words of a schema file
 *   schema_file  the schema file
 *   guess        how a file writes fields and numbers
 *   draft        a schema to start from, after a look at the file
 *   handle       schemas as others hold them
 *
 * All of it reads in one pass and in memory that does not depend on how many rows there are.
 */
#ifndef SOTTO_LAB_DATASET_DATASET_H
#define SOTTO_LAB_DATASET_DATASET_H

#include "record.h"
#include "schema.h"
#include "source.h"

#include <sotto/lab/datasets.h>

/* Keeps lengths from exceeding 1 by rounding: a sum of up to 1024 squares is off by less. */
#define SOTTO__LENGTH_SLACK (1 - 0x1p-40)

/* The row that was read last, the line of the schema for one of its fields (NULL: it has none), and whether
 * that is a word for no value. */
const sotto__record *sotto__dataset_record(const sotto_dataset *dataset);
const sotto__column *sotto__dataset_column(const sotto_dataset *dataset, const sotto__field *field);
bool sotto__dataset_is_missing(const sotto_dataset *dataset, const sotto__field *field);

#endif
