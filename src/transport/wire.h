/* What a wire is made of. */
#ifndef SOTTO_TRANSPORT_WIRE_H
#define SOTTO_TRANSPORT_WIRE_H

#include "alarm.h"
#include "client/entropy.h"
#include "clock.h"
#include "post.h"

#include <sotto/transport.h>

struct sotto_wire {
    sotto_wire_options options; /* with strings of its own */
    void *multi;                /* libcurl's */
    void *post_headers;
    sotto__clock clock;
    sotto_rng rng; /* for waits */
    sotto__alarms alarms;
    size_t alarms_wanted; /* that may be set at once */
    sotto_site *sites;
    size_t under_way;  /* requests */
    sotto__post *post; /* requests_max of them */
    sotto__post *idle; /* those that are free */
};

uint64_t sotto__wire_now_ms(const sotto_wire *wire); /* by the steady clock */
/* Room for `count` alarms more, or less. */
SOTTO_CHECK sotto_status sotto__wire_add_alarms(sotto_wire *wire, size_t count);
void sotto__wire_remove_alarms(sotto_wire *wire, size_t count);

#endif
