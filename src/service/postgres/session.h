/* What a connection needs before its first use. */
#ifndef SERVICE_POSTGRES_SESSION_H
#define SERVICE_POSTGRES_SESSION_H

#include "connection.h"

/* What an administrator may change under a connection. synchronous_commit stays as it was when it connected. */
#define POSTGRES_KEEPS                                                                             \
    "(current_setting('fsync') <> 'off' AND current_setting('full_page_writes') <> 'off')"

/* Connects if need be, refuses a server that does not keep what it acknowledges, sets what must not depend on
 * the server's settings, makes or checks the tables, and listens. Of a gateway the server, too, gives up
 * a statement after the connection's time; of a folder, one that waits for a lock for twice that time, and a
 * session that says nothing for long. *is_new: it was not connected before. */
bool postgres__session(postgres_connection *connection, bool is_gateway, bool *is_new);

/* Refuses a server that does not keep what it acknowledges, as it is now. */
bool postgres__keeps(postgres_connection *connection);

#endif
