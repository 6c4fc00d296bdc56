/* Learners of every method, and reports of all kinds for them. */
#ifndef SOTTO_LEARNERS_H
#define SOTTO_LEARNERS_H

#include "server/server.h"
#include "tape.h"

/* Every method that a server has, small. */
#define LEARNER_METHODS 22
/* Times terms without measure rounds, under two kinds of settings, and with them; late reports or
 * none; and a world that is constant, drifts, or forgets all but the last epoch. */
#define LEARNER_CASES (LEARNER_METHODS * 3 * 2 * 3)

/* The terms of a case, and settings that vary with it; false if there are no such terms. */
bool learner_case(uint32_t number, sotto_terms *terms, sotto_learning *learning);

/* A new learner of a case that exists. */
sotto_learner *learner_of_case(uint32_t number);

/* A report of an epoch, usually an open one: codewords, nulls, rewards or ticks, most of them valid. The
 * caller frees it. */
sotto_report *report_for(const sotto_learner *learner, tape *random);

/* Does to both learners something a server may do next: take, merge or publish. Both must return
 * the same. */
void learners_step(sotto_learner *one, sotto_learner *other, tape *random);

/* True if everything that they publish and return is the same, to the bit. */
bool learners_are_same(const sotto_learner *one, const sotto_learner *other);
/* True if they have the same bytes, including the tallies and the estimators' state. */
bool learners_have_same_bytes(const sotto_learner *one, const sotto_learner *other);

/* The learner's bytes, which the caller frees. */
uint8_t *learner_bytes_of(const sotto_learner *learner, size_t *count);

#endif
