/* Reports on their way: each waits for its time, then for its turn, then for an answer. */
#ifndef SOTTO_TRANSPORT_POST_H
#define SOTTO_TRANSPORT_POST_H

#include "alarm.h"
#include "request.h"

typedef struct sotto__parcel sotto__parcel;
typedef struct sotto__post sotto__post;

/* Whose report it is. Called within turns. */
typedef struct sotto__sender {
    /* Its time has come: writes the bytes that leave. False: it does not leave now, and the sender has
     * set it anew or forgotten it. */
    bool (*seal)(sotto__parcel *parcel, uint8_t *frame);
    /* The server has it: the parcel is the sender's again. */
    void (*acknowledged)(sotto__parcel *parcel);
    /* The same bytes go again later. */
    void (*put_off)(sotto__parcel *parcel, const char *why);
    /* It is too old, or refused for good: the parcel is the sender's again. */
    void (*drop)(sotto__parcel *parcel, const char *why);
} sotto__sender;

/* First in what a sender allocates. */
struct sotto__parcel {
    sotto__alarm alarm; /* first */
    sotto_site *site;
    const sotto__sender *sender;
    uint64_t drop_at_ms;
    const uint8_t *frame; /* while it is under way */
    bool alone;           /* it goes by itself: the server refused it, or one beside it */
    bool ready;           /* in the list of its site */
    sotto__parcel *next, *previous;
    sotto__post *post; /* it is under way in this one */
    uint32_t place;
};

/* A request for reports: up to batch_max of them. */
struct sotto__post {
    sotto__request request; /* first */
    sotto_site *site;
    sotto__parcel **parcel; /* batch_max */
    uint32_t count;
    uint64_t begun_ms;
    uint8_t *frames;
    size_t capacity_bytes;
    sotto__post *next; /* of the idle ones */
};

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
