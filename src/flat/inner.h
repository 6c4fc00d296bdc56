/* What files of this room share. */
#ifndef SOTTO_FLAT_INNER_H
#define SOTTO_FLAT_INNER_H

#include <sotto/flat.h>
#include <sotto/transport.h>

struct sotto_person {
    sotto_policy policy;
    sotto_ledger *ledger;
    sotto_fault fault; /* of the last call that failed */
};

/* The status of a call. Unless its fault was `known` already, that is the sentence of the status. */
int32_t sotto__person_answer(sotto_person *person, sotto_status status, bool known);

/* E_ORDER: one ledger for a person. */
int32_t sotto__person_is_open(sotto_person *person);

/* ---- host ----------------------------------------------------------------------------------- */

/* The host program, which stores the ledger and makes requests. */

sotto_ledger_calls sotto__host_ledger(void);
sotto_requests sotto__host_requests(void);

#endif
