/* Who plays a round under audit: a client with a watched ledger, its round, a model and a report. */
#ifndef SOTTO_LAB_AUDIT_CAST_H
#define SOTTO_LAB_AUDIT_CAST_H

#include "spies.h"
#include "subject.h"

typedef struct sotto__cast {
    const sotto__rounds *rounds;
    sotto_terms terms;
    uint32_t context_count; /* numbers of a context */
    sotto__spy_ledger ledger;
    sotto_client *client;
    sotto_round *round;
    sotto_model *model;
    sotto_report *report;
} sotto__cast;

/* The client allows all that terms can ask for, and draws from `rng`, borrowed as `rounds` is. Whatever it
 * answers, the cast is ended by sotto__cast_end. */
SOTTO_CHECK sotto_status sotto__cast_begin(sotto__cast *cast, const sotto__rounds *rounds,
                                           const sotto_terms *terms, sotto_rng *rng);
void sotto__cast_end(sotto__cast *cast);

#endif
