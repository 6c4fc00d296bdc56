/* A table of a report, filled line by line. */
#ifndef SOTTO_CLI_REPRODUCE_REPORT_TABLE_H
#define SOTTO_CLI_REPRODUCE_REPORT_TABLE_H

#include "lab/page/html.h"
#include "lab/text/pool.h"

typedef struct report_table {
    sotto__html_table html; /* what is filled */
    sotto__pool *pool;      /* of everything in it */
    const char **cell;
    bool *strong;
    uint32_t rows_max;
} report_table;

/* A column: its head, and whether it holds numbers. */
typedef struct report_column {
    const char *head;
    bool number;
} report_column;

/* Room for rows_max lines. False if there is no memory. */
bool report_table_begin(report_table *table, sotto__pool *pool, const char *caption,
                        const report_column *column, uint32_t columns_count, uint32_t rows_max);
/* The next line; its cells are set by the caller, one a column. NULL if there is no room. */
const char **report_table_line(report_table *table, bool strong);

/* A number with the digits that a reader wants: 12345, 123, 12.3, 0.0123; "-" if it is none. */
const char *report_number(sotto__pool *pool, double value);

#endif
