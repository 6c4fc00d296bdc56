/* A person whose randomness is a tape. */
#include "person.h"
#include "client/client.h"
#include "test.h"

#include <string.h>

void person_join(person *p, const sotto_spec *spec, const sotto_policy *policy, uint64_t seed)
{
    assert_ok(sotto_ledger_memory_new(&p->ledger));
    assert_ok(sotto_client_new(policy, p->ledger, &p->client));
    p->t = tape_seeded(seed);
    p->client->rng = &p->t.rng;
    assert_ok(sotto_spec_resolve(spec, &p->terms));
    assert_ok(sotto_round_new(p->client, &p->terms, &p->round));
    assert_ok(sotto_model_new(&p->terms, &p->model));
    memset(p->frame, 0xab, sizeof p->frame);
}

void person_end(person *p)
{
    sotto_model_free(p->model);
    sotto_round_free(p->round);
    sotto_client_free(p->client);
    sotto_ledger_free(p->ledger);
}
