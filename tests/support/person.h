/* A person whose randomness is a tape: a ledger in memory, a client, a round, and the model it follows. */
#ifndef SOTTO_PERSON_H
#define SOTTO_PERSON_H

#include "store.h"
#include "tape.h"

#include <sotto/client.h>

#define PERSON_FRAME_BYTES 400

typedef struct person {
    sotto_ledger *ledger;
    sotto_client *client;
    tape t;
    sotto_terms terms;
    sotto_round *round;
    sotto_model *model;
    uint32_t arm;
    uint8_t frame[PERSON_FRAME_BYTES]; /* all 0xab at first */
} person;

/* Joins an experiment with this spec until the test ends. Any failure ends the test. */
void person_join(person *p, const sotto_spec *spec, const sotto_policy *policy, uint64_t seed);
/* The same, with a new ledger in a store. */
void person_join_behind(person *p, store *s, const sotto_spec *spec, const sotto_policy *policy,
                        uint64_t seed);

#endif
