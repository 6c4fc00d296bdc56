/* The customers of the auto-loan study, as far as a reproduction asks for them. */
#ifndef SOTTO_LAB_PAPER_CUSTOMERS_H
#define SOTTO_LAB_PAPER_CUSTOMERS_H

#include "lab/text/pool.h"

#include <sotto/lab/environments.h>

typedef struct sotto__customers {
    struct sotto_loan *loan;
    const sotto_population *population; /* NULL: none are there */
    uint64_t rows;
    bool synthetic; /* known to be; nothing in a file can prove that it is not */
} sotto__customers;

/* Those of a CSV file, or, for path NULL, of the stand-in. NULL, or `fault`. */
const char *sotto__customers_open(const char *path, sotto__customers *out,
                                  char fault[SOTTO_FAULT_BYTES]);
void sotto__customers_close(sotto__customers *customers);

/* Where those of `path` come from, for the top of a page; NULL: there are none. */
const char *sotto__customers_notice(const sotto__customers *customers, const char *path,
                                    sotto__pool *pool);

/* Writes the stand-in of a seed to a file, which must be new, and counts its rows. NULL, or
 * `fault`, which does not name the file. */
const char *sotto__customers_write(const char *path, uint64_t seed, uint32_t *rows,
                                   char fault[SOTTO_FAULT_BYTES]);

#endif
