/* What other rooms may use of this one. */
#ifndef SOTTO_TRANSPORT_ROOM_H
#define SOTTO_TRANSPORT_ROOM_H

#include "client/client.h"
#include "client/side.h"

#include <sotto/core.h>
#include <sotto/transport.h>

#include <stdint.h>

/* ---- alarm ---------------------------------------------------------------------------------- */

/* What is due when: a heap of alarms, the earliest first. Adding, taking and moving one costs log n. */

#define SOTTO__ALARM_OFF SIZE_MAX

typedef struct sotto__alarm sotto__alarm;
struct sotto__alarm {
    uint64_t at_ms;
    size_t place; /* in the heap; SOTTO__ALARM_OFF: it is not set */
    void (*ring)(sotto__alarm *alarm);
};

typedef struct sotto__alarms {
    sotto__alarm **heap;
    size_t count, capacity;
} sotto__alarms;

void sotto__alarms_free(sotto__alarms *alarms);
/* Room for so many alarms at once, so that setting one cannot fail. */
SOTTO_CHECK sotto_status sotto__alarms_reserve(sotto__alarms *alarms, size_t count);
/* Sets it, or sets it anew. */
void sotto__alarm_set(sotto__alarms *alarms, sotto__alarm *alarm, uint64_t at_ms);
void sotto__alarm_stop(sotto__alarms *alarms, sotto__alarm *alarm);
/* The earliest; NULL if there is none. */
sotto__alarm *sotto__alarms_first(const sotto__alarms *alarms);
/* Rings all that are due, each once it is stopped. What they set for now waits for the next call. */
void sotto__alarms_ring(sotto__alarms *alarms, uint64_t now_ms);

/* ---- answer --------------------------------------------------------------------------------- */

/* What a server's answer means for a device: docs/protocol.md, section 13. */

/* To reports. */
typedef enum sotto__answer_verdict {
    SOTTO__TAKEN,
    SOTTO__NOT_YET,  /* a frame is of an epoch that has not begun */
    SOTTO__REFUSED,  /* a frame will never be taken */
    SOTTO__TOO_LONG, /* more frames than the server takes in one request */
    SOTTO__PAUSED,
    SOTTO__LOST, /* the experiment is gone */
    SOTTO__AGAIN /* any other answer, and none */
} sotto__answer_verdict;

/* Fills the fault, unless they are taken. */
sotto__answer_verdict sotto__answer_judge(const sotto_answer *answer, sotto_fault *fault);
/* What is wrong with an answer that is not the one that was asked for. SOTTO_E_FAULT. */
sotto_status sotto__answer_fault(const sotto_answer *answer, const char *what, sotto_fault *fault);

/* ---- backoff -------------------------------------------------------------------------------- */

/* How long to wait before a server is asked again. */

#define SOTTO__BACKOFF_FIRST_MS 1000u
#define SOTTO__BACKOFF_PAUSED_MS 60000u
#define SOTTO__BACKOFF_MAX_MS (24u * 60u * 60u * 1000u)

typedef struct sotto__backoff {
    uint64_t wait_ms; /* the last wait, without its random part; 0: the last answer was good */
} sotto__backoff;

/*     wait = max(least, 2 x the last wait), from `first` to a day,    plus U(0, wait / 2)
 *
 * so that devices do not come back all at once. Without randomness there is no such part. */
uint64_t sotto__backoff_next(sotto__backoff *backoff, uint64_t first_ms, uint64_t least_ms,
                             sotto_rng *rng);
void sotto__backoff_reset(sotto__backoff *backoff);

/* ---- clock ---------------------------------------------------------------------------------- */

/* The two clocks of a device. */

typedef struct sotto__clock {
    uint64_t (*day_ms)(void *state);    /* since 1970; people set it, forwards and back */
    uint64_t (*steady_ms)(void *state); /* never goes back, and runs while the machine sleeps */
    void *state;
} sotto__clock;

sotto__clock sotto__clock_system(void);

/* How long a report must still wait that was to leave at send_at, and whose round began at begun, by
 * the time of day; begun 0: nobody knows. A clock that went back to before the beginning tells nothing,
 * so the report waits as long as it would have from the beginning: never longer than its round said. */
uint64_t sotto__clock_left_ms(uint64_t day_ms, uint64_t begun_ms, uint64_t send_at_ms);

/* ---- url ------------------------------------------------------------------------------------ */

/* The URL of an experiment. */

#define SOTTO__URL_BYTES_MAX 1000u

typedef struct sotto__url {
    char text[SOTTO__URL_BYTES_MAX + 1];
    bool plain; /* http, on this machine */
    uint8_t spec_id[SOTTO_SPEC_ID_BYTES];
} sotto__url;

/*     https://HOST[:PORT][/PATH]/v1/experiments/ID        http:// for 127.0.0.0/8, [::1] and localhost
 *
 * Nothing else: no user, no query, no fragment, no escapes. SOTTO_OK, with *out set, or SOTTO_E_FAULT. */
sotto_status sotto__url_fault(const char *field, const char *url, sotto__url *out,
                              sotto_fault *fault);

/* ---- parts ---------------------------------------------------------------------------------- */

/* What wires, sites and devices are made of. */

#define SOTTO__KEY_BYTES_MIN 16u /* of report_key */
#define SOTTO__KEY_BYTES_MAX 128u

/* ---- requests ------------------------------------------------------------------------------ */

typedef struct sotto__request sotto__request;
struct sotto__request {
    sotto_request asked; /* first: all that an implementation sees */
    sotto_wire *wire;
    void (*done)(sotto__request *request, const sotto_answer *answer);
    bool running;
    char url[SOTTO__URL_BYTES_MAX + 16];
    char why[256]; /* of the answer, printable */
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
    sotto_requests requests;
    void *system; /* the state of `requests` if they are the system's; otherwise NULL */
    bool silent;  /* reports wait: others send */
    sotto__clock clock;
    sotto_rng rng; /* for waits */
    sotto__alarms alarms;
    size_t alarms_wanted; /* that may be set at once */
    sotto_site *sites;
    size_t under_way;  /* requests */
    uint64_t answered; /* requests */
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
    char report_key[SOTTO__KEY_BYTES_MAX + 1]; /* "": there is none */
    sotto_site_state state;
    bool has_terms, has_model;
    sotto_terms terms;
    size_t frame_bytes;
    sotto_model *model; /* the newest */
    sotto_model *spare; /* for the next one */
    sotto__backoff get_backoff;
    sotto_status refused; /* SOTTO_OK, or what `fault` is about */
    sotto_fault fault;
    /* Reports: */
    sotto__parcel *first, *last; /* those that are ready */
    uint32_t under_way;          /* requests */
    uint32_t batch_max;          /* frames in a request: that of the options, or fewer after 413 */
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
 * after that: if rewards made room for more rounds, the number of reports would reveal them. */
typedef struct sotto__device_round {
    sotto_round *round; /* made when it is first used */
    uint64_t entry;     /* 0: it is free */
    bool decided;
    bool served;   /* under a fallback: it has no report, and its number is not an entry */
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
    uint64_t adopted_entry; /* the last round that it saw when it last adopted */
    uint64_t adopted_ms;    /* when that was, by the steady clock; 0: never */
    sotto__backoff ledger_backoff;
    uint64_t ledger_after_ms; /* until then a ledger that did not answer is not asked again */
    sotto_status refused;     /* SOTTO_OK, or what `fault` is about */
    sotto_fault fault;
};

/* ---- due ------------------------------------------------------------------------------------ */

/* What time it is on a wire, and room for what is due. */

uint64_t sotto__wire_now_ms(const sotto_wire *wire); /* by the steady clock */
/* Room for `count` alarms more, or less. */
SOTTO_CHECK sotto_status sotto__wire_add_alarms(sotto_wire *wire, size_t count);
void sotto__wire_remove_alarms(sotto_wire *wire, size_t count);

/* ---- post ----------------------------------------------------------------------------------- */

/* Reports on their way: each waits for its time, then for its turn, then for an answer. */

SOTTO_CHECK sotto_status sotto__post_make(sotto__post *post, sotto_wire *wire);
void sotto__post_free(sotto__post *post);

/* A parcel of a site, which has one alarm of the wire. */
void sotto__parcel_make(sotto__parcel *parcel, sotto_site *site, const sotto__sender *sender,
                        uint64_t drop_at_ms);
/* It leaves at this time, by the steady clock. */
void sotto__parcel_send(sotto__parcel *parcel, uint64_t at_ms);
/* Its sender hears nothing more of it; a request that is under way may still arrive. */
void sotto__parcel_cancel(sotto__parcel *parcel);

/* Ends the requests of a site, whose parcels were cancelled. */
void sotto__posts_leave(sotto_site *site);
/* Makes requests of the parcels that are ready, as many as may be. */
void sotto__site_post(sotto_site *site);

#endif
