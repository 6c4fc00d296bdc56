/* Objects of the library, made with what cannot fail here. They go when the test ends (borrowed.h). */
#ifndef SOTTO_MADE_H
#define SOTTO_MADE_H

#include "borrowed.h"
#include "client/client.h"
#include "server/server.h"

sotto_ledger *made_ledger(void); /* in memory */
sotto_model *made_model(const sotto_terms *terms);
sotto_report *made_report(const sotto_terms *terms);
sotto__door_work *made_work(const sotto_terms *terms);
sotto_learner *made_learner(const sotto_terms *terms, const sotto_learning *learning);

#endif
