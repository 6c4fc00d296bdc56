/* Layer 1: what the laws of all families share. */
#ifndef SOTTO_LAB_AUDIT_LAW_H
#define SOTTO_LAB_AUDIT_LAW_H

#include "audit.h"

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
