/*
 * The auto-loan study of the paper's appendix: customers ask for a loan, are offered one of 25
 * prices, and accept or not.
 *
 *   row      a customer
 *   origin   whether rows are synthetic
 *   standin  synthetic customers, for those who do not have the data
 *   loan     customers as contexts, prices, and the demand that their answers show
 *   file     the study of a CSV file of customers, or of the stand-in
 *
 * Everything here that scales a context is a public constant, and none is taken from customers.
 */
#ifndef SOTTO_LAB_LOAN_LOAN_H
#define SOTTO_LAB_LOAN_LOAN_H

#include "lab/math/logistic_fit.h"
#include "origin.h"

#include <sotto/lab/environments.h>

#define SOTTO__LOAN_FEATURES 9u /* constant, five numbers, N, R, U */
#define SOTTO__LOAN_DIM (2 * SOTTO__LOAN_FEATURES)
#define SOTTO__LOAN_ARMS 25u
#define SOTTO__LOAN_PRICE_MAX 25000.0
#define SOTTO__LOAN_PRICE_UNIT 6250.0   /* of prices in contexts: see loan.c */
#define SOTTO__LOAN_THETA_NORM_MAX 40.0 /* D of the study */

typedef struct sotto_loan {
    uint64_t rows;
    uint64_t rows_max; /* that there is room for */
    double *x;         /* rows x SOTTO__LOAN_FEATURES */
    double *price;     /* imputed, held to 0 to SOTTO__LOAN_PRICE_MAX */
    bool *accepted;
    uint64_t accepted_count;
    uint64_t clipped; /* rows whose imputed price lay outside */
    sotto__loan_signs signs;
    double theta[SOTTO__LOAN_DIM]; /* theta* */
    sotto__logistic_result fit;
    double worth[SOTTO__LOAN_ARMS];
    sotto_population population; /* the customers, once theta* is there; borrows from the above */
} sotto__loan;

/* The parts of it: an empty study, one more row, and theta* and the population once all rows are
 * there. */
SOTTO_CHECK sotto_status sotto__loan_new(sotto__loan **out);
SOTTO_CHECK sotto_status sotto__loan_add(sotto__loan *loan, const sotto__loan_row *row);
SOTTO_CHECK sotto_status sotto__loan_fit(sotto__loan *loan);
void sotto__loan_free(sotto__loan *loan); /* accepts NULL */

/* What the lender earns on a customer who accepts: the present value of the payments less the
 * loan. */
double sotto__loan_imputed_price(const sotto__loan_row *row);
/* The price of an arm, 0 to SOTTO__LOAN_PRICE_MAX, both of them arms. */
double sotto__loan_price(uint32_t arm);
/* x of a customer, SOTTO__LOAN_FEATURES numbers. */
void sotto__loan_features(const sotto__loan_row *row, double *x);
/* The context of a price from 0 to SOTTO__LOAN_PRICE_MAX: SOTTO__LOAN_DIM numbers, of length at most
 * 1. */
void sotto__loan_context(const double *x, double price, double *out);
/* What arms are worth when revenue counts: their prices in units of SOTTO__LOAN_PRICE_MAX. */
void sotto__loan_worth(double worth[SOTTO__LOAN_ARMS]);

#endif
