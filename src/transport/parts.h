/* What wires, sites and devices are made of. */
#ifndef SOTTO_TRANSPORT_PARTS_H
#define SOTTO_TRANSPORT_PARTS_H

#include "alarm.h"
#include "answer.h"
#include "backoff.h"
#include "client/entropy.h"
#include "clock.h"
#include "url.h"

#include <sotto/transport.h>

#define SOTTO__KEY_BYTES_MIN 16u /* of report_key */
#define SOTTO__KEY_BYTES_MAX 128u

/* ---- requests ------------------------------------------------------------------------------ */

typedef struct sotto__request sotto__request;
struct sotto__request {
    sotto_wire *wire;
    void *easy;    /* libcurl's handle */
    void *headers; /* of a GET: its own list */
    void (*done)(sotto__request *request, const sotto__answer *answer);
    uint8_t *body;
    size_t body_bytes, body_max;
    size_t head_bytes;
    bool too_long;
    bool running;
    bool used;     /* the handle was */
    char why[256]; /* libcurl's words */
};

/* ---- reports on their way ------------------------------------------------------------------ */

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

/* ---- wire ---------------------------------------------------------------------------------- */

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

/* ---- site ---------------------------------------------------------------------------------- */

struct sotto_site {
    sotto__request get;     /* first */
    sotto__alarm get_alarm; /* when it asks next */
    sotto_wire *wire;
    sotto_site *next;
    sotto__url url, relay; /* reports go to the relay; it is the URL if there is none */
    uint32_t refresh_ms;
    void *post_headers; /* libcurl's, with the key; NULL: those of the wire */
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
    bool paused;                 /* so says the last answer to reports */
    sotto__backoff post_backoff;
    uint64_t post_after_ms;
    uint64_t failed_ms;      /* when it was last found out that the server does not take reports */
    sotto__alarm post_alarm; /* when the first one may go, or is too old */
};

/* ---- device -------------------------------------------------------------------------------- */

/* A report from the moment at which it is kept in the ledger until it is acknowledged or dropped. */
typedef struct sotto__device_report sotto__device_report;
struct sotto__device_report {
    sotto__parcel parcel; /* first */
    sotto_device *device;
    uint64_t entry;                        /* the ledger's number of the round */
    bool sent;                             /* at least once */
    bool rewarded;                         /* it is not the report of the default reward */
    sotto__device_report *next, *previous; /* by age */
};

/* A round whose time has not come. Its handle has its secret until a reward comes. It keeps its place also
 * after that: if rewards made room for more rounds, the number of reports would tell of them. */
typedef struct sotto__device_round {
    sotto_round *round; /* made when it is first used */
    uint64_t entry;     /* 0: it is free */
    bool decided;
    bool served;   /* under a fallback: it has no report, and its number is no entry */
    bool finished; /* or a try to do so failed: no other reward counts */
    sotto__device_report *report; /* of a decided one */
    uint64_t due_ms;              /* when its report leaves, by the steady clock */
} sotto__device_round;

struct sotto_device {
    sotto_site *site;
    sotto_device_options options;
    sotto_client *client;
    sotto__device_round *round; /* rounds_max */
    uint8_t *frame;             /* scratch: what finish writes */
    sotto__device_report *oldest, *newest;
    size_t waiting;
    sotto_device_counts counts;
    sotto__backoff ledger_backoff;
    uint64_t ledger_after_ms; /* before this nothing is asked of a ledger that did not answer */
    const char *fault;        /* `text`, or NULL */
    char text[SOTTO_FAULT_BYTES];
};

#endif
