/* Reports as devices might send them, with any values that a phase allows. */
#ifndef SOTTO_REPORTS_H
#define SOTTO_REPORTS_H

#include "tape.h"

/* A report of an epoch with a random nonce and random values. The caller frees it. */
sotto_report *random_report(const sotto_terms *terms, uint32_t epoch, sotto_phase phase,
                            tape *random);

#endif
