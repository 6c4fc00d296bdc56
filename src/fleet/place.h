/* Where an experiment is. */
#ifndef SOTTO_FLEET_PLACE_H
#define SOTTO_FLEET_PLACE_H

#include "transport/url.h"

#define SOTTO__ID_CHARS (2u * SOTTO_SPEC_ID_BYTES)

/* True if the URL has the route of an experiment, rightly written or not; otherwise it can only be that of a
 * server. */
bool sotto__place_is_whole(const char *url);

/* The URL of an experiment from that of its server and its id. NULL, or `text`; `name` is what the URL is called
 * there. */
const char *sotto__place_join(const char *name, const char *server, const char *id, sotto__url *out,
                              char text[SOTTO_FAULT_BYTES]);

/* The id of an experiment, in digits. */
void sotto__place_id(const sotto__url *url, char id[SOTTO__ID_CHARS + 1]);

#endif
