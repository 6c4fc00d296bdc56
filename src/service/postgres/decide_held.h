/* What an operator decides of an epoch that is held: publish it, or discard its reports. */
#ifndef SERVICE_POSTGRES_DECIDE_HELD_H
#define SERVICE_POSTGRES_DECIDE_HELD_H

#include "connection.h"

/* As journal_decide, in a transaction of the caller. */
bool postgres__decide(postgres_connection *connection, uint32_t experiment, uint32_t epoch,
                      journal_kind decision, bool *held);

/* As journal_end_fallback: a row of held that names the open epoch, with JOURNAL_ALARM_HARM. */
bool postgres__end_fallback(postgres_connection *connection, uint32_t experiment, bool *done);

#endif
