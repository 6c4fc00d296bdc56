/* A person: a policy, a ledger, the system's randomness. */
#include "client.h"

#include <stdlib.h>

sotto_status sotto_client_new(const sotto_policy *policy, sotto_ledger *ledger, sotto_client **out)
{
    SOTTO__DEFAULT_FLOATS;
    if (out == NULL) return SOTTO_E_ARGUMENT;
    *out = NULL;
    if (policy == NULL || ledger == NULL) return SOTTO_E_ARGUMENT;
    if (sotto_policy_fault(policy, NULL) != SOTTO_OK) return SOTTO_E_FAULT;
    sotto_client *client = malloc(sizeof *client);
    if (client == NULL) return SOTTO_E_MEMORY;
    client->policy = *policy;
    client->ledger = ledger;
    client->system = sotto__system_rng();
    client->rng = &client->system;
    client->noise = sotto__lattice_noise;
    *out = client;
    return SOTTO_OK;
}

void sotto_client_free(sotto_client *client)
{
    free(client);
}
