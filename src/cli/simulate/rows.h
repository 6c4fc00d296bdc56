/* Rows of a sweep, in its order, each as soon as all before it are there. */
#ifndef SOTTO_CLI_SIMULATE_ROWS_H
#define SOTTO_CLI_SIMULATE_ROWS_H

#include "simulate.h"

typedef enum row_format { ROWS_CSV, ROWS_JSON } row_format;

#define SIMULATE_ROW_BYTES 256u /* no row is longer */

typedef struct simulate_rows {
    int file; /* descriptor; -1: nobody wants rows */
    row_format format;
    char *text;    /* room for the rows of a run */
    uint64_t next; /* the first run that is not written */
} simulate_rows;

/* One row; returns its length. `text` has SIMULATE_ROW_BYTES. A number that is not finite is nan,
 * null in JSON. */
size_t simulate_row_text(const char *method, double epsilon, uint64_t seed,
                         const sotto_point *point, row_format format, char *text);
/* All rows of a finished run; `text` has SIMULATE_ROW_BYTES for each. */
size_t simulate_rows_text(const simulate_plan *plan, const simulate_results *results, uint64_t run,
                          row_format format, char *text);

/* Writes all of it or fails, errno saying why. */
bool simulate_write(int file, const char *text, size_t bytes);

/* What follows fails with errno set, as a disk may be full. */
/* The header; without one, finds out all the same whether the file can be written. */
bool simulate_rows_begin(simulate_rows *rows);
/* Writes every finished run that has no gap before it. */
bool simulate_rows_advance(simulate_rows *rows, const simulate_plan *plan,
                           const simulate_results *results);
/* Writes the other finished runs: no more will come. */
bool simulate_rows_end(simulate_rows *rows, const simulate_plan *plan,
                       const simulate_results *results);

#endif
