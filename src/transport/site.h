/* What a site is made of. */
#ifndef SOTTO_TRANSPORT_SITE_H
#define SOTTO_TRANSPORT_SITE_H

#include "backoff.h"
#include "post.h"
#include "wire.h"

struct sotto_site {
    sotto__request get;     /* first */
    sotto__alarm get_alarm; /* when it asks next */
    sotto_wire *wire;
    sotto_site *next;
    sotto__url url, relay; /* reports go to the relay; it is the URL if there is none */
    uint32_t refresh_ms;
    sotto_site_state state;
    bool has_terms, has_model;
    sotto_terms terms;
    size_t frame_bytes;
    sotto_model *model; /* the newest */
    sotto_model *spare; /* for the next one */
    sotto__backoff get_backoff;
    const char *fault; /* `text`, or NULL */
    char text[SOTTO_FAULT_BYTES];
    /* Reports: */
    sotto__parcel *first, *last; /* those that are ready */
    uint32_t under_way;          /* requests */
    sotto__backoff post_backoff;
    uint64_t post_after_ms;
    uint64_t failed_ms;      /* when it was last found out that the server does not take reports */
    sotto__alarm post_alarm; /* when the first one may go, or is too old */
};

#endif
