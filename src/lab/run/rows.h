/*
 * Rows of a comparison: one per check-point of each run.
 *
 *   CSV    method,epsilon,seed,t,regret,estimation_error
 *   JSON   the same as {"method": ..., "epsilon": ..., ...}, one object per line
 *
 * They are written in the order of the sweep, each as soon as all before it are there.
 */
#ifndef SOTTO_LAB_RUN_ROWS_H
#define SOTTO_LAB_RUN_ROWS_H

#include "core/digest.h"
#include "lab/text/number.h"
#include "results.h"
#include "shard.h"

#define SOTTO__ROW_BYTES 256u /* no row is longer */

/* One row; returns its length. `text` has SOTTO__ROW_BYTES. */
size_t sotto__row_text(const char *method, double epsilon, uint64_t seed, const sotto_point *point,
                       sotto__text_format format, char *text);
/* All rows of a finished run; `text` has SOTTO__ROW_BYTES for each. */
size_t sotto__run_text(const sotto__comparison *comparison, const sotto__results *results,
                       uint64_t run, sotto__text_format format, char *text);

/* Writes all of it or fails, errno saying why. */
bool sotto__write_all(int file, const char *text, size_t bytes);

typedef struct sotto__rows {
    int file; /* descriptor; -1: nobody wants rows */
    sotto__text_format format;
    char *text;           /* room for the rows of a run */
    uint64_t next;        /* the first run that is not written */
    sotto__shard shard;   /* whose rows; of a shard the file is that of shard_file.h */
    sotto__digest digest; /* of a shard: over what was written */
} sotto__rows;

/* What follows fails with errno set, as a disk may be full. */
/* The header; if there is none, still finds out whether the file can be written. */
bool sotto__rows_begin(sotto__rows *rows, const sotto__comparison *comparison);
/* Writes every finished run that has no gap before it. */
bool sotto__rows_advance(sotto__rows *rows, const sotto__comparison *comparison,
                         const sotto__results *results);
/* Writes the other finished runs: no more will come. If all of a shard are there, its last line, too. */
bool sotto__rows_end(sotto__rows *rows, const sotto__comparison *comparison,
                     const sotto__results *results);
/* All of the above to a file, which is overwritten. */
bool sotto__rows_save(const char *path, sotto__text_format format, const sotto__shard *shard,
                      const sotto__comparison *comparison, const sotto__results *results);

#endif
