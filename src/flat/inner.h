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

/* Returns the status of a call as a number. If it is not SOTTO_OK and the person's fault was not
 * set before (`known`), sets the fault to the sentence of the status. */
int32_t sotto__person_answer(sotto_person *person, sotto_status status, bool known);

/* SOTTO_E_ORDER if the person already has a ledger. */
int32_t sotto__person_is_open(sotto_person *person);

/* ---- host ----------------------------------------------------------------------------------- */

/* Calls to the host program, which stores the ledger and makes the requests. */

sotto_ledger_calls sotto__host_ledger(void);
sotto_requests sotto__host_requests(void);

#endif
