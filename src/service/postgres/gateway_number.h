/* The number of a gateway: one for each of its connections, never used again. */
#ifndef SERVICE_POSTGRES_GATEWAY_NUMBER_H
#define SERVICE_POSTGRES_GATEWAY_NUMBER_H

#include "connection.h"

/* Writes a new number down. Its lock is held as long as the connection lasts. *number is 0 if it fails. */
bool postgres__number_gateway(postgres_connection *connection, uint32_t *number);

#endif
