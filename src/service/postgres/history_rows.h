/* The table `history`, for gateways and folders alike. */
#ifndef SERVICE_POSTGRES_HISTORY_ROWS_H
#define SERVICE_POSTGRES_HISTORY_ROWS_H

#include "connection.h"

/* Of one experiment, by epoch, or of all (0), by experiment and epoch; publishes of minutes from `from` on, and
 * before `before`. Each digest is checked. */
bool postgres__read_history(postgres_connection *connection, uint32_t experiment, uint64_t from,
                            uint64_t before, bool (*take)(void *self, const journal_history *),
                            void *self);
/* Queues a row that takes the place of one of the same epoch. */
bool postgres__put_history(postgres_connection *connection, const journal_history *history);

#endif
