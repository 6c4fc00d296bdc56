/* A customer of the auto-loan study: what the study uses of a row. */
#ifndef SOTTO_LAB_LOAN_ROW_H
#define SOTTO_LAB_LOAN_ROW_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sotto__loan_row {
    bool accepted;
    char car;           /* 'N' new, 'R' refinanced, 'U' used */
    uint32_t term;      /* months */
    double fico;        /* the credit score */
    double prime;       /* the prime rate, per cent a year */
    double competition; /* a competitor's rate, per cent a year */
    double amount;      /* of the loan */
    double payment;     /* a month */
} sotto__loan_row;

#endif
