/* Tables for people. */
#ifndef SOTTO_CLI_PRINT_TABLE_H
#define SOTTO_CLI_PRINT_TABLE_H

#include "value.h"

#include <stdio.h>

void table_head(FILE *file, const print_column *column, uint32_t count);
void table_row(FILE *file, const print_column *column, const print_value *value, uint32_t count);
/* One value, as it stands in its column. */
void table_cell(FILE *file, const print_column *column, const print_value *value);

#endif
