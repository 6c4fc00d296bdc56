/* Comma-separated values (RFC 4180). */
#ifndef SOTTO_CLI_PRINT_CSV_H
#define SOTTO_CLI_PRINT_CSV_H

#include "value.h"

#include <stdio.h>

void csv_head(FILE *file, const print_column *column, uint32_t count);
void csv_row(FILE *file, const print_column *column, const print_value *value, uint32_t count);

#endif
