/* Whether a request to the admin port was meant for it. A web page whose name was made to point at this
 * machine (DNS rebinding) sends its own name as Host; a page of another place sends its own Origin. */
#ifndef SERVICE_HOST_H
#define SERVICE_HOST_H

#include "service/system/refusal.h"

#include <stdbool.h>

typedef struct host_rule {
    const char
        *address; /* that the port listens on: "127.0.0.1", "::1", "0.0.0.0"; NULL: loopback */
    uint16_t port;
    const char
        *names; /* others, with commas or blanks between: "name" or "name:port"; NULL: none */
} host_rule;

/* Host: the port's own address and localhost, with its port; a name of the rule, with the port that it
 * names there, or with any. A port that listens on all addresses takes any address as Host, since no name
 * is in it. Origin: NULL, or the place that Host names. Otherwise false, and *why: 400 or 403. */
bool host_allows(const host_rule *rule, const char *host, const char *origin, sottod_refusal *why);

#endif
