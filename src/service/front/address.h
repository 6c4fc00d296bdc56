/* A socket that listens on an address. */
#ifndef SERVICE_FRONT_ADDRESS_H
#define SERVICE_FRONT_ADDRESS_H

#include "front.h"

/* Of `address`, an IPv4 or IPv6 address in digits. -1, and a sentence in `fault`, if it cannot be had. */
int address_listen(const char *address, uint16_t port, char fault[FRONT_FAULT_BYTES]);
/* The port that a socket has; 0 if it has none. */
uint16_t address_port(int fd);

#endif
