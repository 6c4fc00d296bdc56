/* The study of a CSV file of customers, or of the stand-in. */
#ifndef SOTTO_LAB_LOAN_FILE_H
#define SOTTO_LAB_LOAN_FILE_H

#include "loan.h"

/* The study of a file, or, for path NULL, of the stand-in: SOTTO__LOAN_STANDIN_ROWS rows of
 * SOTTO__LOAN_STANDIN_SEED. NULL, or `fault`: the file, the line, the column, its value and what is
 * allowed. */
const char *sotto__loan_open(const char *path, sotto__loan **out, char fault[SOTTO_FAULT_BYTES]);

#endif
