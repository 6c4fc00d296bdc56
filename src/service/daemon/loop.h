/* The loop of the service: one thread, and one commit for all reports that came in a turn. */
#ifndef SERVICE_LOOP_H
#define SERVICE_LOOP_H

#include "service/api/api.h"

typedef struct sottod_loop {
    api_service *service;
    api_public *public_port;
    sottod_front *public_front, *admin_front;
    int signals;         /* see signals.h */
    uint64_t turned_ms;  /* when epochs had their turn last */
    uint64_t retry_ms;   /* after a commit that failed: no publish and no probe before this time */
    uint64_t refused_ms; /* when the log last said that commits fail; 0: never */
    bool said;           /* and it did not say since that they work */
} sottod_loop;

/* Epochs have their turn so often at least: snapshots and removal of what is old hang on it. */
#define LOOP_TURN_MS_MAX 60000

/* Turns until a signal comes; then drains: no new connections, what was begun is answered, for at most
 * LOOP_DRAIN_MS. */
#define LOOP_DRAIN_MS 10000u
void loop_run(sottod_loop *loop);

#endif
