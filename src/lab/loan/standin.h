/* Synthetic customers, for those who do not have the data of the study. */
#ifndef SOTTO_LAB_LOAN_STANDIN_H
#define SOTTO_LAB_LOAN_STANDIN_H

#include "row.h"

#include <sotto/core.h>
#include <stdio.h>

/* A synthetic row, with those columns of the real file that the study does not use. */
typedef struct sotto__loan_synthetic {
    sotto__loan_row row;
    uint32_t tier;    /* of credit, 1 to 4 */
    uint32_t partner; /* 1 to 3 */
    double rate;      /* quoted, per cent a year */
    double previous;  /* rate of the loan that is refinanced; 0: none */
} sotto__loan_synthetic;

#define SOTTO__LOAN_STANDIN_ROWS 50000u
#define SOTTO__LOAN_STANDIN_SEED 1u
#define SOTTO__LOAN_STANDIN_ROWS_MAX 10000000u

/* Fills `count` rows. The same seed gives the same rows. */
SOTTO_CHECK sotto_status sotto__loan_standin_draw(uint64_t seed, sotto__loan_synthetic *out,
                                                  uint32_t count);
/* Writes such rows as CSV, 1 to SOTTO__LOAN_STANDIN_ROWS_MAX of them; whether the file took them is
 * for the caller to ask it. */
SOTTO_CHECK sotto_status sotto__loan_standin_write(FILE *file, uint32_t rows, uint64_t seed);

#endif
