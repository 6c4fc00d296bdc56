/* What other rooms may use of this one. */
#ifndef SOTTO_LAB_LOAN_ROOM_H
#define SOTTO_LAB_LOAN_ROOM_H

#include "lab/math/math.h"

#include <sotto/core.h>
#include <sotto/lab/environments.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* ---- row ------------------------------------------------------------------------------------ */

/* A customer of the auto-loan study: what the study uses of a row. */

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

/* ---- origin --------------------------------------------------------------------------------- */

/* Where rows come from: whether they are synthetic. */

/* No kind says that rows are real, because nothing in a file can prove it. */
#define SOTTO__LOAN_ORIGIN_MAP(X)                                                                  \
    X(MARKED, "known by their column SYNTHETIC")                                                   \
    X(SYNTHETIC, "known by their payments")                                                        \
    X(UNKNOWN, "unknown: taken as given")
#define SOTTO__ENUMERATOR_LOAN_ORIGIN(name, text) SOTTO__LOAN_##name,
typedef enum sotto__loan_origin {
    SOTTO__LOAN_ORIGIN_MAP(SOTTO__ENUMERATOR_LOAN_ORIGIN)
} sotto__loan_origin;
#undef SOTTO__ENUMERATOR_LOAN_ORIGIN
const char *sotto__loan_origin_name(sotto__loan_origin origin);

/* The signs of a synthetic file. */
typedef struct sotto__loan_signs {
    bool column; /* it has a column SYNTHETIC */
    uint64_t rows;
    uint64_t marked;     /* rows whose cents are sotto__loan_mark */
    uint64_t millionths; /* rows whose payment has exactly six decimals */
} sotto__loan_signs;

/* The cents, 0 to 99, of a synthetic payment. One in a hundred other payments has them by
 * chance. */
uint32_t sotto__loan_mark(const sotto__loan_row *row);
void sotto__loan_signs_add(sotto__loan_signs *signs, const sotto__loan_row *row);
sotto__loan_origin sotto__loan_origin_of(const sotto__loan_signs *signs);

/* ---- loan ----------------------------------------------------------------------------------- */

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
 * All constants that scale a context are public; none is computed from customers.
 */

#define SOTTO__LOAN_FEATURES 9u /* constant, five numbers, N, R, U */
#define SOTTO__LOAN_DIM (2 * SOTTO__LOAN_FEATURES)
#define SOTTO__LOAN_ARMS 25u
#define SOTTO__LOAN_PRICE_MAX 25000.0
#define SOTTO__LOAN_PRICE_UNIT 6250.0   /* of prices in contexts: see loan.c */
#define SOTTO__LOAN_THETA_NORM_MAX 40.0 /* D of the study */

typedef struct sotto_loan {
    uint64_t rows;
    uint64_t rows_max; /* how many there is room for */
    double *x;         /* rows x SOTTO__LOAN_FEATURES */
    double *price;     /* imputed, held to 0 to SOTTO__LOAN_PRICE_MAX */
    bool *accepted;
    uint64_t accepted_count;
    uint64_t clipped; /* rows whose imputed price was outside that range */
    sotto__loan_signs signs;
    double theta[SOTTO__LOAN_DIM]; /* theta* */
    sotto__logistic_result fit;
    double worth[SOTTO__LOAN_ARMS];
    sotto_population population; /* the customers, once theta* is known; borrows from above */
} sotto__loan;

/* The steps that make a study: an empty one, one more row, and theta* and the population after the
 * last row. */
SOTTO_CHECK sotto_status sotto__loan_new(sotto__loan **out);
SOTTO_CHECK sotto_status sotto__loan_add(sotto__loan *loan, const sotto__loan_row *row);
SOTTO_CHECK sotto_status sotto__loan_fit(sotto__loan *loan);
void sotto__loan_free(sotto__loan *loan); /* accepts NULL */

/* What the lender earns on a customer who accepts: the present value of the payments less the
 * loan. */
double sotto__loan_imputed_price(const sotto__loan_row *row);
/* The price of an arm, evenly spaced from 0 to SOTTO__LOAN_PRICE_MAX, both included. */
double sotto__loan_price(uint32_t arm);
/* x of a customer, SOTTO__LOAN_FEATURES numbers. */
void sotto__loan_features(const sotto__loan_row *row, double *x);
/* The context of a price from 0 to SOTTO__LOAN_PRICE_MAX: SOTTO__LOAN_DIM numbers, of length at
 * most 1. */
void sotto__loan_context(const double *x, double price, double *out);
/* The worths of the arms when revenue counts: their prices in units of SOTTO__LOAN_PRICE_MAX. */
void sotto__loan_worth(double worth[SOTTO__LOAN_ARMS]);

/* ---- file ----------------------------------------------------------------------------------- */

/* The study of a CSV file of customers, or of the stand-in. */

/* Opens the study of a file, or, if path is NULL, of the stand-in: SOTTO__LOAN_STANDIN_ROWS rows of
 * SOTTO__LOAN_STANDIN_SEED. If it fails, the fault names the file, the line, the column, its value
 * and what is allowed. */
sotto_status sotto__loan_open(const char *path, sotto__loan **out, sotto_fault *fault);

/* ---- standin -------------------------------------------------------------------------------- */

/* Synthetic customers, for those who do not have the data of the study. */

/* A synthetic row, including columns of the real file that the study does not use. */
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
/* Writes such rows as CSV, 1 to SOTTO__LOAN_STANDIN_ROWS_MAX of them. The caller must check the
 * file for write errors. */
SOTTO_CHECK sotto_status sotto__loan_standin_write(FILE *file, uint32_t rows, uint64_t seed);

#endif
