/* Objects of the library, for tests in which making them cannot fail. They are freed when the test
 * ends (borrowed.h). */
#ifndef SOTTO_MADE_H
#define SOTTO_MADE_H

#include "borrowed.h"
#include "client/client.h"
#include "server/server.h"
#include "test.h"

OWNED(sotto_client, sotto_client_free)
OWNED(sotto_learner, sotto_learner_free)
OWNED(sotto_ledger, sotto_ledger_free)
OWNED(sotto_model, sotto_model_free)
OWNED(sotto_nonce_set, sotto_nonce_set_free)
OWNED(sotto_report, sotto_report_free)
OWNED(sotto_round, sotto_round_free)
OWNED(sotto_tally, sotto_tally_free)

sotto_ledger *made_ledger(void); /* in memory */
/* Opens the ledger in this file. The caller frees it. */
sotto_ledger *ledger_at(const char *path);
sotto_model *made_model(const sotto_terms *terms);
sotto_report *made_report(const sotto_terms *terms);
sotto__door_work *made_work(const sotto_terms *terms);
sotto_learner *made_learner(const sotto_terms *terms, const sotto_learning *learning);
sotto_client *made_client(const sotto_policy *policy, sotto_ledger *ledger);
sotto_round *made_round(sotto_client *client, const sotto_terms *terms);
sotto_tally *made_tally(const sotto_terms *terms, uint32_t epoch, sotto_phase phase, bool decides);

#endif
