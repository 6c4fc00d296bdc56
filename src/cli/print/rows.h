/*
 * Rows of named values: a table for people, CSV or JSON lines for programs.
 *
 * A number that is not finite is `-` in a table, `nan`, `inf` or `-inf` in CSV, and `null` in JSON.
 */
#ifndef SOTTO_CLI_PRINT_ROWS_H
#define SOTTO_CLI_PRINT_ROWS_H

#include "value.h"

#include <stdio.h>

typedef enum print_format { PRINT_TABLE, PRINT_CSV, PRINT_JSON } print_format;

/* The heads of the columns. JSON has none. */
void print_head(FILE *file, print_format format, const print_column *column, uint32_t count);
/* One row: one value per column. */
void print_row(FILE *file, print_format format, const print_column *column,
               const print_value *value, uint32_t count);

#endif
