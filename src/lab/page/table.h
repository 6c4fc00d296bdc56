/* A table of a page, filled line by line. */
#ifndef SOTTO_LAB_PAGE_TABLE_H
#define SOTTO_LAB_PAGE_TABLE_H

#include "html.h"
#include "lab/text/pool.h"

typedef struct sotto__page_table {
    sotto__html_table html; /* what is filled */
    const char **cell;
    bool *strong;
    uint32_t rows_max;
} sotto__page_table;

/* A column: its head, and what it holds. */
typedef struct sotto__page_column {
    const char *head;
    sotto__html_kind kind;
} sotto__page_column;

/* Room for rows_max lines, out of the pool. False if there is no memory. */
bool sotto__page_table_begin(sotto__page_table *table, sotto__pool *pool, const char *caption,
                             const sotto__page_column *column, uint32_t columns_count,
                             uint32_t rows_max);
/* The next line, one of at most rows_max; its cells are set by the caller, one per column. */
const char **sotto__page_table_line(sotto__page_table *table, bool strong);

/* A number with the digits that a reader wants: 12,346, 123, 12.3, 0.0123; "-" if it is none. */
const char *sotto__page_number(sotto__pool *pool, double value);

#endif
