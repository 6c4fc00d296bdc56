/* Reports on their way: each waits for its time, then for its turn, then for an answer. */
#ifndef SOTTO_TRANSPORT_POST_H
#define SOTTO_TRANSPORT_POST_H

#include "parts.h"

SOTTO_CHECK sotto_status sotto__post_make(sotto__post *post, sotto_wire *wire);
void sotto__post_free(sotto__post *post);

/* A parcel of a site, which has one alarm of the wire. */
void sotto__parcel_make(sotto__parcel *parcel, sotto_site *site, const sotto__sender *sender,
                        uint64_t drop_at_ms);
/* It leaves at this time, by the steady clock. */
void sotto__parcel_send(sotto__parcel *parcel, uint64_t at_ms);
/* Nobody hears of it again; what is under way may still arrive. */
void sotto__parcel_cancel(sotto__parcel *parcel);

/* Ends the requests of a site, whose parcels were cancelled. */
void sotto__posts_leave(sotto_site *site);
/* Makes requests of the parcels that are ready, as many as may be. */
void sotto__site_post(sotto_site *site);

#endif
