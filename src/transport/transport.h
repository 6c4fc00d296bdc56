/* What other rooms may use of this one. */
#ifndef SOTTO_TRANSPORT_ROOM_H
#define SOTTO_TRANSPORT_ROOM_H

#include "client/client.h"
#include "client/side.h"

#include <sotto/core.h>
#include <sotto/transport.h>

#include <stdint.h>

/* ---- alarm ---------------------------------------------------------------------------------- */

/* A heap of alarms, the earliest first. Adding, removing and moving an alarm takes O(log n). */

#define SOTTO__ALARM_OFF SIZE_MAX

typedef struct sotto__alarm sotto__alarm;
struct sotto__alarm {
    uint64_t at_ms;
    size_t place; /* in the heap; SOTTO__ALARM_OFF: not set */
    void (*ring)(sotto__alarm *alarm);
};

typedef struct sotto__alarms {
    sotto__alarm **heap;
    size_t count, capacity;
} sotto__alarms;

void sotto__alarms_free(sotto__alarms *alarms);
/* Makes room for `count` alarms, so that setting one cannot fail. */
SOTTO_CHECK sotto_status sotto__alarms_reserve(sotto__alarms *alarms, size_t count);
/* Sets an alarm, or changes its time. */
void sotto__alarm_set(sotto__alarms *alarms, sotto__alarm *alarm, uint64_t at_ms);
void sotto__alarm_stop(sotto__alarms *alarms, sotto__alarm *alarm);
/* The earliest alarm; NULL if none is set. */
sotto__alarm *sotto__alarms_first(const sotto__alarms *alarms);
/* Rings all alarms that are due, each after stopping it. Alarms that these set for now ring in the
 * next call. */
void sotto__alarms_ring(sotto__alarms *alarms, uint64_t now_ms);

/* ---- answer --------------------------------------------------------------------------------- */

/* What an answer of the server means for a device: docs/protocol.md, section 13. */

/* What an answer to reports means. */
typedef enum sotto__answer_verdict {
    SOTTO__TAKEN,
    SOTTO__NOT_YET,  /* a frame is of an epoch that has not begun */
    SOTTO__REFUSED,  /* a frame will never be taken */
    SOTTO__TOO_LONG, /* more frames than the server takes in one request */
    SOTTO__PAUSED,
    SOTTO__LOST, /* the experiment is gone */
    SOTTO__AGAIN /* any other answer, or no answer */
} sotto__answer_verdict;

/* Judges an answer to reports. Fills the fault, unless the verdict is SOTTO__TAKEN. */
sotto__answer_verdict sotto__answer_judge(const sotto_answer *answer, sotto_fault *fault);
/* Sets the fault for an answer without the requested content. Returns SOTTO_E_FAULT. */
sotto_status sotto__answer_fault(const sotto_answer *answer, const char *what, sotto_fault *fault);

/* ---- backoff -------------------------------------------------------------------------------- */

/* How long to wait before the next request to a server. */

#define SOTTO__BACKOFF_FIRST_MS 1000u
#define SOTTO__BACKOFF_PAUSED_MS 60000u
#define SOTTO__BACKOFF_MAX_MS (24u * 60u * 60u * 1000u)

typedef struct sotto__backoff {
    uint64_t wait_ms; /* the last wait without its random part; 0: the last answer was good */
} sotto__backoff;

/*     wait = max(least, 2 x the last wait), from `first` to a day,    plus U(0, wait / 2)
 *
 * The random part keeps devices from coming back all at once. Without randomness it is 0. */
uint64_t sotto__backoff_next(sotto__backoff *backoff, uint64_t first_ms, uint64_t least_ms,
                             sotto_rng *rng);
void sotto__backoff_reset(sotto__backoff *backoff);

/* ---- clock ---------------------------------------------------------------------------------- */

/* The two clocks of a device. */

typedef struct sotto__clock {
    uint64_t (*day_ms)(void *state);    /* since 1970; people may set it forwards or back */
    uint64_t (*steady_ms)(void *state); /* never goes back, and runs while the machine sleeps */
    void *state;
} sotto__clock;

sotto__clock sotto__clock_system(void);

/* How long a report that is due at send_at_ms must still wait, by the time of day. Its round began
 * at begun_ms; 0: unknown. If the clock was set back to before that, the report waits for the full
 * time between the two, so it never waits longer than its round said. */
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

/* The structs of wires, sites and devices. */

#define SOTTO__KEY_BYTES_MIN 16u /* of report_key */
#define SOTTO__KEY_BYTES_MAX 128u

/* ---- requests ------------------------------------------------------------------------------ */

typedef struct sotto__request sotto__request;
struct sotto__request {
    sotto_request asked; /* must be first: all that an implementation sees */
    sotto_wire *wire;
    void (*done)(sotto__request *request, const sotto_answer *answer);
    bool running;
    char url[SOTTO__URL_BYTES_MAX + 16];
    char why[256]; /* of the answer, printable */
};

/* ---- reports on their way ------------------------------------------------------------------ */

typedef struct sotto__parcel sotto__parcel;
typedef struct sotto__post sotto__post;

/* The owner of a parcel. Its functions are called within turns. */
typedef struct sotto__sender {
    /* The parcel is due: writes the bytes that leave. False: it does not leave now, and the sender
     * has set another time or forgotten it. */
    bool (*seal)(sotto__parcel *parcel, uint8_t *frame);
    /* The server has the report. The parcel belongs to the sender again. */
    void (*acknowledged)(sotto__parcel *parcel);
    /* The same bytes will be sent again later. */
    void (*put_off)(sotto__parcel *parcel, const char *why);
    /* The report is too old or refused for good. The parcel belongs to the sender again. */
    void (*drop)(sotto__parcel *parcel, const char *why);
} sotto__sender;

/* Must be the first member of what a sender allocates. */
struct sotto__parcel {
    sotto__alarm alarm; /* first */
    sotto_site *site;
    const sotto__sender *sender;
    uint64_t drop_at_ms;
    const uint8_t *frame; /* the bytes, while under way */
    bool alone;           /* sent by itself, after the server refused a request with it */
    bool ready;           /* is in the list of its site */
    sotto__parcel *next, *previous;
    sotto__post *post; /* the request that it is under way in */
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
    sotto__post *next; /* in the list of idle requests */
};

/* ---- wire ---------------------------------------------------------------------------------- */

struct sotto_wire {
    sotto_wire_options options; /* with copies of the strings */
    sotto_requests requests;
    void *system; /* the state of `requests` if the system makes them; otherwise NULL */
    bool silent;  /* sends no reports, because others do */
    sotto__clock clock;
    sotto_rng rng; /* for the random part of waits */
    sotto__alarms alarms;
    size_t alarms_wanted; /* how many may be set at once */
    sotto_site *sites;
    size_t under_way;  /* requests */
    uint64_t answered; /* requests */
    sotto__post *post; /* requests_max of them */
    sotto__post *idle; /* the list of free ones */
};

/* ---- site ---------------------------------------------------------------------------------- */

struct sotto_site {
    sotto__request get;     /* first */
    sotto__alarm get_alarm; /* when the next GET is made */
    sotto_wire *wire;
    sotto_site *next;
    sotto__url url, relay; /* reports go to `relay`, which is `url` if there is no relay */
    uint32_t refresh_ms;
    char report_key[SOTTO__KEY_BYTES_MAX + 1]; /* "": there is none */
    sotto_site_state state;
    bool has_terms, has_model;
    sotto_terms terms;
    size_t frame_bytes;
    sotto_model *model; /* the newest */
    sotto_model *spare; /* room for the next one */
    sotto__backoff get_backoff;
    sotto_status refused; /* SOTTO_OK, or what `fault` is about */
    sotto_fault fault;
    /* Reports: */
    sotto__parcel *first, *last; /* the ones that are ready */
    uint32_t under_way;          /* requests */
    uint32_t batch_max;          /* frames per request: as in the options, or fewer after a 413 */
    bool paused;                 /* according to the last answer to reports */
    sotto__backoff post_backoff;
    uint64_t post_after_ms;
    uint64_t failed_ms;      /* when the last failure to send reports was found */
    sotto__alarm post_alarm; /* when the first parcel may go, or is too old */
};

/* ---- device -------------------------------------------------------------------------------- */

/* A report, from when the ledger keeps it until it is acknowledged or dropped. */
typedef struct sotto__device_report sotto__device_report;
struct sotto__device_report {
    sotto__parcel parcel; /* first */
    sotto_device *device;
    uint64_t entry;                        /* the ledger's number of the round */
    bool sent;                             /* at least once */
    bool rewarded;                         /* false: it is the report of the default reward */
    sotto__device_report *next, *previous; /* by age */
};

/* A round whose report is not due. Its handle has the secret until a reward comes. The round keeps
 * its place after that too: if a reward made room for another round, the number of reports would
 * reveal that it came. */
typedef struct sotto__device_round {
    sotto_round *round; /* made at its first use */
    uint64_t entry;     /* 0: the place is free */
    bool decided;
    bool served;   /* under a fallback: it has no report, and its number is not an entry */
    bool finished; /* or an attempt failed: no other reward is accepted */
    sotto__device_report *report; /* of a decided round */
    uint64_t due_ms;              /* when its report is due, by the steady clock */
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
    uint64_t adopted_entry; /* the last round that the last adoption saw */
    uint64_t adopted_ms;    /* when the last adoption was, by the steady clock; 0: never */
    sotto__backoff ledger_backoff;
    uint64_t ledger_after_ms; /* no call before this on a ledger that did not answer */
    sotto_status refused;     /* SOTTO_OK, or what `fault` is about */
    sotto_fault fault;
};

/* ---- due ------------------------------------------------------------------------------------ */

/* The clock of a wire, and room for its alarms. */

uint64_t sotto__wire_now_ms(const sotto_wire *wire); /* by the steady clock */
/* Adds or removes room for `count` alarms. */
SOTTO_CHECK sotto_status sotto__wire_add_alarms(sotto_wire *wire, size_t count);
void sotto__wire_remove_alarms(sotto_wire *wire, size_t count);

/* ---- post ----------------------------------------------------------------------------------- */

/* Reports on their way. A parcel waits until it is due, then for a request, then for an answer. */

SOTTO_CHECK sotto_status sotto__post_make(sotto__post *post, sotto_wire *wire);
void sotto__post_free(sotto__post *post);

/* Makes a parcel of a site. It needs room for one alarm of the wire. */
void sotto__parcel_make(sotto__parcel *parcel, sotto_site *site, const sotto__sender *sender,
                        uint64_t drop_at_ms);
/* Makes the parcel due at this time, by the steady clock. */
void sotto__parcel_send(sotto__parcel *parcel, uint64_t at_ms);
/* The functions of the sender are no longer called for this parcel; a request that is under way may
 * still arrive. */
void sotto__parcel_cancel(sotto__parcel *parcel);

/* Ends the requests of a site. Its parcels must be cancelled before. */
void sotto__posts_leave(sotto_site *site);
/* Makes as many requests as allowed from the parcels that are ready. */
void sotto__site_post(sotto_site *site);

#endif
