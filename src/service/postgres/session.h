/* What a connection needs before its first use. */
#ifndef SERVICE_POSTGRES_SESSION_H
#define SERVICE_POSTGRES_SESSION_H

#include "connection.h"

/* Connects if need be, refuses a server that does not keep what it acknowledges, sets what must not depend on
 * the server's settings, makes or checks the tables, and listens. Of a gateway the server, too, gives up
 * a statement after the connection's time; of a folder, a session that says nothing for long. *is_new: it was not
 * connected before. */
bool postgres__session(postgres_connection *connection, bool is_gateway, bool *is_new);

#endif
