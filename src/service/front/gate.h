/* Who is let in: while there is a place, and the address has not had its share. */
#ifndef SERVICE_FRONT_GATE_H
#define SERVICE_FRONT_GATE_H

#include "ring.h"

/* False: no memory, or no randomness. */
bool gate_open(sottod_front *front, const front_settings *settings);
/* Whether one more connection may come from this address; counts it if not. `from` may be NULL. */
bool gate_admits(sottod_front *front, const struct sockaddr *from);
/* The connection of a request has come, or is gone. To come costs as much as a request. */
void gate_enter(front_request *request, const struct sockaddr *from);
void gate_leave(front_request *request);
/* Counts one request of its address. False: that is above its rate. */
bool gate_charge(front_request *request);

#endif
