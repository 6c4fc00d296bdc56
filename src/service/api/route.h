/* Routes: rows of a table, found by method and path. */
#ifndef SERVICE_ROUTE_H
#define SERVICE_ROUTE_H

#include "service/experiment/experiment.h"
#include "service/front/front.h"

/* Who may ask. */
typedef enum route_access { ROUTE_ANYBODY, ROUTE_READER, ROUTE_ADMIN } route_access;

/* A request, and the experiment that its path names: NULL if the path names none. */
typedef struct route_call {
    const front_request *request;
    sottod_experiment *experiment;
} route_call;

typedef struct api_route {
    front_method method;
    const char *path; /* "/v1/experiments/{id}/terms" */
    route_access access;
    bool gone; /* answers also for an experiment that is deleted */
    /* How long the body may be; NULL: there is none. False: *why. */
    bool (*admit)(const route_call *call, size_t *body_max, sottod_refusal *why);
    front_verdict (*answer)(void *port, const route_call *call, front_answer *answer);
} api_route;

typedef struct route_table {
    const api_route *route;
    size_t count;
    bool options; /* every path also has OPTIONS, which the port answers by itself */
} route_table;

#define ROUTE_ALLOW_BYTES 48u

/* The route of a request, with the experiment of its path. NULL, and *why: 404 for a path, an id or an
 * experiment that there is not, 405 (`allow` then lists the methods of the path), 410 for one that is
 * deleted. */
const api_route *route_find(const route_table *table, sottod_experiments *all,
                            const front_request *request, route_call *call,
                            char allow[ROUTE_ALLOW_BYTES], sottod_refusal *why);
/* The methods of a path, with commas between. False: no route has it. */
bool route_methods(const route_table *table, const char *path, char allow[ROUTE_ALLOW_BYTES]);
/* "GET", "POST", "PUT", "DELETE", "OPTIONS"; "other" otherwise. */
const char *route_method_name(front_method method);

/* All routes of each port; docs/openapi.json is compared with them. */
route_table api_public_routes(void);
route_table api_admin_routes(void);

#endif
