/* What files of this room share. */
#ifndef SOTTO_FLAT_INNER_H
#define SOTTO_FLAT_INNER_H

#include <sotto/flat.h>
#include <sotto/transport.h>

struct sotto_person {
    sotto_policy policy;
    sotto_ledger *ledger;
    char text[SOTTO_FAULT_BYTES];
};

/* Why a call failed: `why`, or the sentence of the status; and the status. */
int32_t sotto__person_refuse(sotto_person *person, sotto_status status, const char *why);

/* ---- host ----------------------------------------------------------------------------------- */

/* The host program, which stores the ledger and makes requests. */

sotto_ledger_calls sotto__host_ledger(void);
sotto_requests sotto__host_requests(void);

#endif
