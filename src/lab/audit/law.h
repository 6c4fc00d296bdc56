/* Layer 1: what the laws of all families share. */
#ifndef SOTTO_LAB_AUDIT_LAW_H
#define SOTTO_LAB_AUDIT_LAW_H

#include "script.h"

/* Layer 1 of one family: takes the answers to one input x of length R, then adds its rows. */
typedef struct sotto__law sotto__law;
struct sotto__law {
    sotto__taker taker;
    void (*rows)(sotto__law *law, sotto_audit_result *result);
    void (*free)(sotto__law *law);
};
/* Layer 1 shares this between its rows. */
#define SOTTO__LAW_ALPHA 1e-6
#define SOTTO__LAW_ROWS_MAX 10

/* A row that fails if p is below its share of SOTTO__LAW_ALPHA. */
void sotto__law_row(sotto_audit_result *result, const char *name, double measured, double expected,
                    double p);

/* The correlation of successive numbers of mean 0 and variance 1: sum y_t y_(t+1) / count. */
typedef struct sotto__lag {
    double last, sum;
    uint64_t count;
} sotto__lag;

void sotto__lag_add(sotto__lag *lag, double y);
double sotto__lag_correlation(const sotto__lag *lag);
double sotto__lag_p(const sotto__lag *lag);

#endif
