/* How many reports wait: what a gateway may ask, of any experiment. A folder knows by its own cut (folding_waiting). */
#ifndef SERVICE_POSTGRES_WAITING_ROWS_H
#define SERVICE_POSTGRES_WAITING_ROWS_H

#include "connection.h"

/* As journal_read_waiting. */
bool postgres__read_waiting(postgres_connection *connection, const uint32_t *experiment,
                            uint32_t count, uint64_t *reports);

#endif
