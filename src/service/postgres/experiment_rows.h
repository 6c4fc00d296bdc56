/* The table `experiment`, for gateways and folders alike. Changes are made in a transaction of the caller. */
#ifndef SERVICE_POSTGRES_EXPERIMENT_ROWS_H
#define SERVICE_POSTGRES_EXPERIMENT_ROWS_H

#include "connection.h"

/* All of them, by number; each digest is checked. */
bool postgres__read_experiments(postgres_connection *connection,
                                bool (*take)(void *self, const journal_experiment *), void *self);

/* With its first slab. Sets experiment->number. An id that is there is refused, and `changed` set. */
bool postgres__add_experiment(postgres_connection *connection, journal_experiment *experiment);

/* Nothing leads back from closed and deleted: such a change is refused, and `changed` set, since another
 * connection closed it. A deleted experiment loses what it has in the tables but its slabs: those are the
 * folder's. */
bool postgres__set_state(postgres_connection *connection, uint32_t experiment, journal_state state);
bool postgres__set_quarantine(postgres_connection *connection, uint32_t experiment,
                              bool quarantine);

#endif
