/* What a client is made of. The lab builds clients with randomness of its own; nobody else may. */
#ifndef SOTTO_CLIENT_INTERNAL_H
#define SOTTO_CLIENT_INTERNAL_H

#include "entropy.h"
#include "lattice_noise.h"
#include "ledger.h"

struct sotto_client {
    sotto_policy policy;
    sotto_ledger *ledger;
    sotto_rng system;
    sotto_rng *rng;               /* &system, in every client that sotto_client_new made */
    sotto__noise_function *noise; /* likewise sotto__lattice_noise */
};

#endif
