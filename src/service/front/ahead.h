/*
 * Requests that are sent ahead: before the answer to the one before has left. Devices, browsers and proxies read an
 * answer before they ask again on the same connection, and never send one. Whoever does has us work for many requests
 * at the price of one packet.
 *
 * Each request that was sent ahead counts one up, each other one down. At AHEAD_MAX the connection is closed after
 * the answer, so that nothing is lost: whoever sends ahead must be ready to send again on a new connection.
 */
#ifndef SERVICE_FRONT_AHEAD_H
#define SERVICE_FRONT_AHEAD_H

#include "ring.h"

/* Programs that still send ahead stay below it: apt, one of the last, sends 10. */
#define AHEAD_MAX 16u

/* A request begins. Before it is known that the one before is over. */
void ahead_begin(front_request *request);
/* It is whole, and its answer is handed over. */
void ahead_whole(front_request *request);
/* Its answer was sent. */
void ahead_sent(front_request *request);
/* Whether the connection is to be closed after the answer; counts it if so. */
bool ahead_ends(front_request *request);

#endif
