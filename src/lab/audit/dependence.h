/* Layer 1 of programs whose law is not known: their answers must not depend on each other. */
#ifndef SOTTO_LAB_AUDIT_DEPENDENCE_H
#define SOTTO_LAB_AUDIT_DEPENDENCE_H

#include <sotto/lab/audits.h>

typedef struct sotto__dependence sotto__dependence;

SOTTO_CHECK sotto_status sotto__dependence_new(uint32_t width, sotto__dependence **out);
void sotto__dependence_free(sotto__dependence *dependence);

/* A new pair of inputs begins; middle: 2 x width, a typical answer to each of its secrets. */
void sotto__dependence_begin(sotto__dependence *dependence, const double *middle);
/* The next answer, in order. */
void sotto__dependence_take(sotto__dependence *dependence, uint32_t secret, const double *value);
/* The pair ends. */
void sotto__dependence_end(sotto__dependence *dependence);
void sotto__dependence_rows(const sotto__dependence *dependence, sotto_audit_result *result);

#endif
