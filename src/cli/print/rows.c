/* Rows of named values, in any format. */
#include "rows.h"
#include "csv.h"
#include "json.h"
#include "table.h"

void print_head(FILE *file, print_format format, const print_column *column, uint32_t count)
{
    switch (format) {
    case PRINT_TABLE: table_head(file, column, count); break;
    case PRINT_CSV: csv_head(file, column, count); break;
    case PRINT_JSON: break;
    }
}

void print_row(FILE *file, print_format format, const print_column *column,
               const print_value *value, uint32_t count)
{
    switch (format) {
    case PRINT_TABLE: table_row(file, column, value, count); break;
    case PRINT_CSV: csv_row(file, column, value, count); break;
    case PRINT_JSON: json_row(file, column, value, count); break;
    }
}
