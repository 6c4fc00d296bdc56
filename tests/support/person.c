/* A person whose randomness is a tape. */
#include "person.h"
#include "made.h"
#include "test.h"

#include <string.h>

RELEASED_BY(sotto_ledger_free, sotto_ledger)
RELEASED_BY(sotto_client_free, sotto_client)
RELEASED_BY(sotto_round_free, sotto_round)

static void person_join_with(person *p, const sotto_spec *spec, const sotto_policy *policy,
                             uint64_t seed)
{
    assert_ok(sotto_client_new(policy, p->ledger, &p->client));
    after_test(release_sotto_client, p->client);
    p->t = tape_seeded(seed);
    p->client->rng = &p->t.rng;
    p->terms = resolved(spec);
    assert_ok(sotto_round_new(p->client, &p->terms, &p->round));
    after_test(release_sotto_round, p->round);
    p->model = made_model(&p->terms);
    memset(p->frame, 0xab, sizeof p->frame);
}

void person_join(person *p, const sotto_spec *spec, const sotto_policy *policy, uint64_t seed)
{
    p->ledger = made_ledger();
    person_join_with(p, spec, policy, seed);
}

void person_join_behind(person *p, store *s, const sotto_spec *spec, const sotto_policy *policy,
                        uint64_t seed)
{
    sotto_ledger_calls calls = store_calls(s);
    assert_ok(sotto_ledger_calls_create(&calls));
    assert_ok(sotto_ledger_calls_open(&calls, &p->ledger));
    after_test(release_sotto_ledger, p->ledger);
    person_join_with(p, spec, policy, seed);
}
