/*
 * Sockets whose other side will say no more. libmicrohttpd 0.9.75 overlooks it when the end comes together
 * with the last bytes: it takes fewer bytes than it asked for as a sign that it will hear of more.
 */
#ifndef SERVICE_FRONT_HANGUP_H
#define SERVICE_FRONT_HANGUP_H

#include <stdbool.h>
#include <stddef.h>

/* A descriptor to watch with; -1 if there is none. close() ends it. */
int hangup_new(void);
/* Watches a socket until it is closed. */
bool hangup_watch(int watch, int socket, void *whose);
/* Up to `max` of those whose other side has ended since the last call; how many. */
size_t hangup_list(int watch, void *whose[], size_t max);
/* Whether there is nothing more to read from a socket whose other side has ended. */
bool hangup_all_read(int socket);
/* Whether the other side has ended, and ours has not. */
bool hangup_came_first(int socket);
/* Whether anything was ever sent to the other side. */
bool hangup_was_told(int socket);

#endif
