/*
 * The person's side, over HTTP: a device that takes part in an experiment of a `sottod`.
 *
 *     wire -> site -> device -> begin -> decide -> [finish] -> turns of the wire
 *
 * A wire holds the connections of a process. A site is one experiment at one server: its checked terms
 * and its newest model, which are the same for all devices. A device is one person at a site, with a
 * policy and a ledger of their own. Rounds never wait for a server: only sotto_wire_turn makes
 * requests.
 *
 * Silence and timing reveal nothing. A round is held (sotto_round_hold_at): `decide` keeps the report
 * of the default reward, `finish` replaces it, and exactly one report leaves, at the round's send time,
 * whether a reward came or not. The send time is drawn and booked at begin. After a crash the report
 * leaves at its send time, or at once if that has passed. A retry sends the same bytes. `begin`,
 * `decide` and `finish` send nothing.
 *
 * Requests use https, or http only to this machine. They carry no cookie, no referrer and no header
 * that identifies a device, unless the server gave each device an epoch of its own (docs/devices.md).
 * Redirects are not followed, an invalid certificate is an error, and no proxy is taken from the
 * environment.
 *
 * A proxy forwards connections and sees no content of https. A relay is a server that accepts reports
 * for the experiment's server and forwards them. A relay hides the device's address from that server
 * for reports; a proxy also hides it for requests for models.
 *
 * A wire, its sites and its devices are used by one thread at a time. Make all calls from one thread, or
 * guard them by one mutex and turn with a timeout of 0 (docs/devices.md). The head of core.h says what
 * NULL does.
 */
#ifndef SOTTO_TRANSPORT_H
#define SOTTO_TRANSPORT_H

#include <sotto/client.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- requests ----------------------------------------------------------------------------- */

/* A request of the wire: a GET, or a POST of reports. Send nothing else with it: no cookie, no referrer,
 * no tag of an earlier answer. Do not follow redirects. */
typedef struct sotto_request {
    const char *url; /* https, or http to this machine, which must not go through a proxy */
    /* Of a POST, as application/octet-stream, valid until it is answered or stopped. NULL: a GET. */
    const uint8_t *body;
    size_t body_bytes;
    const char *report_key; /* of a POST: the header Sotto-Report-Key; NULL: none */
    bool has_epoch;         /* of a GET: the header If-None-Match: "EPOCH" */
    uint32_t epoch;
    size_t answer_bytes_max; /* read no more than this: a longer answer is too_long */
    uint32_t timeout_ms;
    void *own; /* for the implementation; NULL when the request begins */
} sotto_request;

/* The answer to a request. */
typedef struct sotto_answer {
    long status;         /* HTTP status, 100 to 999; any other value: no answer came */
    const uint8_t *body; /* needed only until sotto_request_answer returns */
    size_t body_bytes;
    bool too_long;           /* it was longer than answer_bytes_max */
    uint64_t retry_after_ms; /* Retry-After; 0: none, or not in seconds */
    const char *why;         /* if no answer came: what happened, in words; may be NULL */
} sotto_answer;

/* Makes the requests: libcurl, or an app's own client such as fetch, URLSession or OkHttp. The wire
 * decides what to request and when. */
#define SOTTO_REQUESTS_VERSION 1u

typedef struct sotto_requests {
    uint32_t version; /* SOTTO_REQUESTS_VERSION */
    void *state;      /* handed to each call; may be NULL */
    /* Begins a request without answering it. Return any status but SOTTO_OK if it could not begin. */
    sotto_status (*start)(void *state, sotto_request *request);
    /* Cancels a request that is not answered yet. Do not answer it afterwards. */
    void (*stop)(void *state, sotto_request *request);
    /* Delivers the answers that have arrived. If there are none, waits for one, at most timeout_ms.
     * NULL: answers come between turns, and turns do not wait. */
    sotto_status (*turn)(void *state, uint32_t timeout_ms);
} sotto_requests;

/* Answers a request that was begun and neither answered nor stopped, which ends it. Call
 * sotto_wire_turn next. */
SOTTO_API void sotto_request_answer(sotto_request *request, const sotto_answer *answer);

/* ---- wire --------------------------------------------------------------------------------- */

typedef struct sotto_wire sotto_wire;

typedef struct sotto_wire_options {
    const char *proxy;     /* the URL of a proxy; NULL: none */
    const char *ca_file;   /* PEM file of the certificates to trust; NULL: those of the system */
    uint32_t timeout_ms;   /* of one request, 100 to 600,000; default 30,000 */
    uint32_t requests_max; /* at once, 1 to 4096; default 4 */
    /* Reports in one request, 1 to 10,000; default 1. Above 1, reports of several people share a
     * request, as a relay may send them. After 413, a site sends half as many. */
    uint32_t batch_max;
    /* Reuse a connection for the next request. This is faster, but lets a server see that both come
     * from one device, as a cookie would. Default: each request has its own connection. */
    bool keep_connections;
    /* Makes the requests; copied. NULL: libcurl. Only libcurl uses proxy, ca_file and
     * keep_connections. */
    const sotto_requests *requests;
} sotto_wire_options;

SOTTO_API sotto_wire_options sotto_wire_options_default(void);
/* SOTTO_OK if the options can be used; otherwise SOTTO_E_FAULT. No fault of this header contains a URL
 * or a key. */
SOTTO_API SOTTO_CHECK sotto_status sotto_wire_options_fault(const sotto_wire_options *options,
                                                            sotto_fault *fault);
/* Copies the options. SOTTO_E_FAULT if sotto_wire_options_fault finds one. */
SOTTO_API SOTTO_CHECK sotto_status sotto_wire_new(const sotto_wire_options *options,
                                                  sotto_wire **out);
/* Ends all requests. Frees neither sites nor devices: free those first. */
SOTTO_API void sotto_wire_free(sotto_wire *wire);

/* Takes answers, requests models, seals and sends the reports whose send time has come. If there is
 * nothing to do, waits at most timeout_ms. Call it on a schedule, for example in a loop or a thread, and
 * not because of what the person does. A failure of a server is not a failure of the wire: sites and
 * devices report it. */
SOTTO_API SOTTO_CHECK sotto_status sotto_wire_turn(sotto_wire *wire, uint32_t timeout_ms);
/* Milliseconds until the next turn is due. 0: now; UINT32_MAX: nothing is due. At most 10 while a
 * request is under way, because only turns take answers. A turn with a timeout waits for them. */
SOTTO_API uint32_t sotto_wire_due_ms(const sotto_wire *wire);

/* Whether this wire sends reports; by default it does. False: this process books and keeps rounds and
 * requests models, and another process sends the reports (sotto_device_adopt). Requests under way are
 * not cancelled. */
SOTTO_API void sotto_wire_sending(sotto_wire *wire, bool on);

/* ---- site --------------------------------------------------------------------------------- */

typedef struct sotto_site sotto_site;

typedef struct sotto_site_options {
    const char *url;   /* https://HOST[:PORT][/PATH]/v1/experiments/ID, of at most 1,000 bytes */
    const char *relay; /* reports are posted there instead: a URL of the same form. NULL: none */
    /* The key that the owner of the experiment gives to all devices that may send reports, 16 to 128
     * visible characters. A relay sees it too. It must be the same on all devices: a key per device would
     * identify the device. NULL: none. */
    const char *report_key;
    /* Milliseconds between requests for a newer model, plus a random extra of up to a quarter: 10 to
     * 86,400,000; default 60,000. */
    uint32_t refresh_ms;
} sotto_site_options;

typedef enum sotto_site_state {
    SOTTO_SITE_ASKING,  /* terms or model have not arrived yet */
    SOTTO_SITE_READY,   /* both have arrived and were checked; each turn may bring a newer model */
    SOTTO_SITE_REFUSED, /* its terms do not belong to its URL, or cannot be used */
    /* The experiment does not exist or was deleted: the server answered 404 or 410. */
    SOTTO_SITE_GONE
} sotto_site_state;

SOTTO_API sotto_site_options sotto_site_options_default(void);
/* As sotto_wire_options_fault. */
SOTTO_API SOTTO_CHECK sotto_status sotto_site_options_fault(const sotto_site_options *options,
                                                            sotto_fault *fault);
/* Copies the options; borrows the wire, which must outlive the site. The next turns request terms and
 * model. */
SOTTO_API SOTTO_CHECK sotto_status sotto_site_new(sotto_wire *wire,
                                                  const sotto_site_options *options,
                                                  sotto_site **out);
/* Free its devices first. */
SOTTO_API void sotto_site_free(sotto_site *site);

SOTTO_API sotto_site_state sotto_site_state_of(const sotto_site *site);
/* NULL until they have arrived. The model is valid until the next turn. */
SOTTO_API const sotto_terms *sotto_site_terms(const sotto_site *site);
SOTTO_API const sotto_model *sotto_site_model(const sotto_site *site);
/* SOTTO_OK, or what was wrong with the last answer, or that no answer came. */
SOTTO_API SOTTO_CHECK sotto_status sotto_site_fault(const sotto_site *site, sotto_fault *fault);

/* ---- device ------------------------------------------------------------------------------- */

typedef struct sotto_device sotto_device;

typedef enum sotto_device_event_kind {
    SOTTO_DEVICE_SENT,         /* a request with the report begins, for the first time or again */
    SOTTO_DEVICE_ACKNOWLEDGED, /* the server has the report, or it came too late to count */
    SOTTO_DEVICE_PUT_OFF,      /* not acknowledged; the same bytes are sent again later */
    SOTTO_DEVICE_DROPPED       /* given up: too old, too many waiting, or refused for good */
} sotto_device_event_kind;

typedef struct sotto_device_event {
    sotto_device_event_kind kind;
    uint64_t round;       /* the number from sotto_device_begin */
    const uint8_t *frame; /* NULL unless the report is in a request now */
    size_t frame_bytes;
    const char *why; /* of PUT_OFF and DROPPED: the reason, in words */
} sotto_device_event;

typedef struct sotto_device_options {
    sotto_policy policy;
    sotto_ledger *ledger; /* borrowed: must outlive the device */
    /* Rounds that may wait for their send time, 1 to 1,024; default 16. A reward does not make room for
     * another round, because the number of reports would reveal it. */
    uint32_t rounds_max;
    /* Reports that may wait to be acknowledged, 1 to 65,536; default 256. If there is one more, the
     * oldest is dropped. */
    uint32_t queue_max;
    /* Seconds after its send time at which a report is dropped: 60 to 31,536,000; default two weeks. */
    uint32_t age_max_s;
    /* Called from within sotto_wire_turn; for reports dropped because too many wait, also from
     * sotto_device_decide and sotto_device_new. Must not call these functions. NULL: none. */
    void (*event)(void *state, const sotto_device_event *event);
    void *state;
} sotto_device_options;

/* What a device has done since it was made. */
typedef struct sotto_device_counts {
    uint64_t begun, finished;
    uint64_t sent;         /* reports, each counted once */
    uint64_t sent_default; /* those of them for which no reward came in time */
    uint64_t acknowledged, dropped;
    uint64_t put_off; /* requests that must be repeated */
    uint64_t served;  /* rounds begun under a fallback, which have no report */
} sotto_device_counts;

SOTTO_API sotto_device_options sotto_device_options_default(void);
SOTTO_API SOTTO_CHECK sotto_status sotto_device_options_fault(const sotto_device_options *options,
                                                              sotto_fault *fault);
/* A person takes part. The site must have terms (SOTTO_E_ORDER). Like sotto_round_new it refuses what
 * the policy does not admit (SOTTO_E_POLICY). Unsent reports of this experiment in the ledger are sent,
 * each at its send time, or at once if that has passed or is unknown. Copies the options; borrows the
 * site. */
SOTTO_API SOTTO_CHECK sotto_status sotto_device_new(sotto_site *site,
                                                    const sotto_device_options *options,
                                                    sotto_device **out);
/* Unfinished rounds keep the report of the default reward. Unsent reports stay in the ledger. */
SOTTO_API void sotto_device_free(sotto_device *device);

/* Books a round under the newest model and draws its send time; `round` is its number. SOTTO_E_ORDER if
 * there is no model yet, if the site is SOTTO_SITE_GONE, while reports wait because the experiment is
 * paused (409), and while rounds_max rounds have not reached their send time. SOTTO_E_BUDGET,
 * SOTTO_E_LEDGER and SOTTO_E_ENTROPY are those of sotto_round_begin. A round that is never decided sends
 * no report and stays spent. A learn round under a model that serves a fallback (sotto_round_reports) is
 * played like any other, but sends no report and is not booked. */
SOTTO_API SOTTO_CHECK sotto_status sotto_device_begin(sotto_device *device, uint64_t *round);
/* As sotto_round_decide. Call it soon after begin: after the send time the report leaves at the next
 * turn, and the server can see when that was. If the report could not be kept, there is no arm, and the
 * round is spent. */
SOTTO_API SOTTO_CHECK sotto_status sotto_device_decide(sotto_device *device, uint64_t round,
                                                       const double *context,
                                                       uint32_t context_count, uint32_t *arm);
/* As sotto_round_finish; the report leaves at its send time. SOTTO_E_ORDER if there is no such round, or
 * if the reward came too late: the report of the default reward is then already sealed. */
SOTTO_API SOTTO_CHECK sotto_status sotto_device_finish(sotto_device *device, uint64_t round,
                                                       double reward);

/* Reads the ledger's reports of this experiment again. The device then sends reports that other
 * processes kept, as after sotto_device_new, and forgets those that others sent or dropped. For several
 * processes at one ledger, of which exactly one sends (sotto_wire_sending). */
SOTTO_API SOTTO_CHECK sotto_status sotto_device_adopt(sotto_device *device);

/* Reports that are neither acknowledged nor dropped yet. */
SOTTO_API size_t sotto_device_waiting(const sotto_device *device);
SOTTO_API sotto_device_counts sotto_device_counts_of(const sotto_device *device);
/* SOTTO_OK, or what the budget, the ledger or the server refused last. */
SOTTO_API SOTTO_CHECK sotto_status sotto_device_fault(const sotto_device *device,
                                                      sotto_fault *fault);

#ifdef __cplusplus
}
#endif
#endif
