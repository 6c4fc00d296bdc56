/* Subjects for the audit: correct ones, and twins that claim to be correct and are not. */
#ifndef SOTTO_BROKEN_H
#define SOTTO_BROKEN_H

#include "lab/audit/inner.h"

typedef struct broken {
    const char *name;
    sotto_mechanism_kind kind; /* what it claims to be */
    uint32_t dim;
    double epsilon;
    uint64_t trials; /* enough to catch it */
    uint32_t layer;  /* the layer that must catch it; others may catch it too */
    uint32_t fault;  /* a fault of broken.c */
} broken;

uint32_t broken_count(void);
const broken *broken_at(uint32_t i);

/* The correct mechanisms, in the same form; `trials` are those of a short audit. */
uint32_t correct_count(void);
const broken *correct_at(uint32_t i);

#define BROKEN_ALPHA 0.01

/* Audits a broken or a correct subject, seeded. */
SOTTO_CHECK sotto_status broken_audit(const broken *which, uint64_t trials, uint64_t seed,
                                      sotto_audit_result *result);

/* True if a row of this layer failed. */
bool broken_caught(const sotto_audit_result *result, uint32_t layer);

#endif
