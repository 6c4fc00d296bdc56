/* The table `ended`: what became of the reports that a closed experiment took after its last model. They are in the
 * counts and in the learner, as in a snapshot of a journal of one machine; no epoch ended with them. */
#ifndef SERVICE_POSTGRES_ENDED_ROWS_H
#define SERVICE_POSTGRES_ENDED_ROWS_H

#include "connection.h"
#include "folding.h"

/* At most one; `kind` is JOURNAL_REPORTS, nothing is told, and `epoch` is that of the last model. Its digest is checked. */
bool postgres__read_ended(postgres_connection *connection, uint32_t experiment,
                          bool (*take)(void *self, const folding_model *), void *self);
/* Queues it. */
bool postgres__put_ended(postgres_connection *connection, const folding_model *ended);

#endif
