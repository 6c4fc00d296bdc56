/* The table `held`: epochs that the watch holds back, and what was decided of them. A row whose digest is wrong
 * counts as none: the folder looks at the epoch again, and holds it anew. */
#ifndef SERVICE_POSTGRES_HELD_ROWS_H
#define SERVICE_POSTGRES_HELD_ROWS_H

#include "connection.h"

/* Of a table that is called h in the question. */
#define POSTGRES_HELD_COLUMNS "h.experiment, h.epoch, h.alarms, h.reports, h.decision, h.digest"

/* From these columns of a result, the first of which is `column`. False, with none held, if there is no row (all
 * are NULL), one is not what it should be, or the digest is another. */
bool postgres__held_of(const PGresult *result, int row, int column, journal_held *out);
bool postgres__read_held(postgres_connection *connection,
                         bool (*take)(void *self, const journal_held *), void *self);
/* Queues it, in place of the experiment's row before. */
bool postgres__put_held(postgres_connection *connection, const journal_held *held);
/* Queues its removal. */
bool postgres__remove_held(postgres_connection *connection, uint32_t experiment);

#endif
