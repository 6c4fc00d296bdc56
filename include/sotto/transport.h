/*
 * The person's side, over HTTP: a device that takes part in an experiment of a `sottod`.
 *
 *     wire -> site -> device -> begin -> decide -> [finish] -> turns of the wire
 *
 * A wire has the connections of a process. A site is one experiment at one server: its terms and its
 * newest model, checked, which are the same for everybody. A device is one person at a site, with a
 * policy and a ledger of their own. Rounds never wait for a server: only sotto_wire_turn makes
 * requests.
 *
 * Silence and timing reveal nothing. A round is held (sotto_round_hold_at): `decide` keeps the report
 * of the default reward, `finish` replaces it, and exactly one report leaves, at the round's send time,
 * whether a reward came or not. The send time is drawn and booked at begin. After a crash the report
 * leaves at its send time, or at once if that has passed. What is sent again is the same bytes. `begin`,
 * `decide` and `finish` send nothing.
 *
 * https, or http only to this machine; no cookie, no referrer, no redirect, no header that tells one
 * device from another, unless the server gave each an epoch of its own (docs/devices.md); an invalid
 * certificate is an error. No proxy is taken from the environment.
 *
 * A proxy passes on connections, and sees no content of https. A relay is a server that takes reports for
 * the experiment's server and passes them on. A relay hides from that server whose address reports come
 * from, a proxy also whose address asks for models.
 *
 * A wire, its sites and its devices are used by one thread at a time: hand all calls to one thread, or
 * guard them by one mutex, and then turn with a timeout of 0 (docs/devices.md). The head of core.h says
 * what NULL does.
 */
#ifndef SOTTO_TRANSPORT_H
#define SOTTO_TRANSPORT_H

#include <sotto/client.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- requests ----------------------------------------------------------------------------- */

/* A request as the wire wants it: a GET, or a POST of reports. Nothing else may leave with it: no cookie, no
 * referrer, no tag of an earlier answer; no redirect is followed. */
typedef struct sotto_request {
    const char *url; /* https, or http to this machine, which no proxy may see */
    const uint8_t *
        body; /* of a POST, as application/octet-stream, until it is answered or stopped; NULL: a GET */
    size_t body_bytes;
    const char *report_key; /* of a POST: the header Sotto-Report-Key; NULL: none */
    bool has_epoch;         /* of a GET: the header If-None-Match: "EPOCH" */
    uint32_t epoch;
    size_t answer_bytes_max; /* more need not be read: the answer is then too long */
    uint32_t timeout_ms;
    void *own; /* the implementation's; NULL when the request begins */
} sotto_request;

/* The answer to a request. */
typedef struct sotto_answer {
    long status;         /* 100 to 999; anything else: there was none */
    const uint8_t *body; /* read before sotto_request_answer returns */
    size_t body_bytes;
    bool too_long;           /* it was longer than any right one; the rest was not read */
    uint64_t retry_after_ms; /* Retry-After; 0: the server did not say, or not in seconds */
    const char *why;         /* of none: what happened, in words; may be NULL */
} sotto_answer;

/* How requests are made: by libcurl, or by what an app has instead, such as fetch, URLSession or OkHttp.
 * The wire decides what to request and when. */
#define SOTTO_REQUESTS_VERSION 1u

typedef struct sotto_requests {
    uint32_t version; /* SOTTO_REQUESTS_VERSION */
    void *state;      /* handed to each call; may be NULL */
    /* Begins a request, and does not answer it yet. Any status but SOTTO_OK: it could not begin. */
    sotto_status (*start)(void *state, sotto_request *request);
    /* Ends a request that has no answer: it gets none any more. */
    void (*stop)(void *state, sotto_request *request);
    /* Delivers the answers that have arrived; if there are none, waits for one, at most timeout_ms. NULL:
     * answers come between turns, and turns do not wait. */
    sotto_status (*turn)(void *state, uint32_t timeout_ms);
} sotto_requests;

/* The answer to a request that was begun and neither answered nor stopped; then it is over. Turn next. */
SOTTO_API void sotto_request_answer(sotto_request *request, const sotto_answer *answer);

/* ---- wire --------------------------------------------------------------------------------- */

typedef struct sotto_wire sotto_wire;

typedef struct sotto_wire_options {
    const char *proxy;     /* the URL of a proxy; NULL: none */
    const char *ca_file;   /* PEM file of the certificates to trust; NULL: those of the system */
    uint32_t timeout_ms;   /* of one request, 100 to 600,000; default 30,000 */
    uint32_t requests_max; /* at once, 1 to 4096; default 4 */
    /* Reports in one request, 1 to 10,000; default 1. Those of several people travel together above
     * 1, as through a relay. */
    uint32_t batch_max;
    /* Reuse a connection for the next request: faster, but then a server can tell that both are of one
     * device, as by a cookie. Default: each request has a connection of its own. */
    bool keep_connections;
    /* Who makes the requests, copied; NULL: libcurl. Only libcurl obeys proxy, ca_file and
     * keep_connections. */
    const sotto_requests *requests;
} sotto_wire_options;

SOTTO_API sotto_wire_options sotto_wire_options_default(void);
/* SOTTO_OK if the options can be used; otherwise SOTTO_E_FAULT. No fault of this header shows a URL or a key. */
SOTTO_API SOTTO_CHECK sotto_status sotto_wire_options_fault(const sotto_wire_options *options,
                                                            sotto_fault *fault);
/* Copies the options. SOTTO_E_FAULT if sotto_wire_options_fault finds one. */
SOTTO_API SOTTO_CHECK sotto_status sotto_wire_new(const sotto_wire_options *options,
                                                  sotto_wire **out);
/* Ends all requests. Frees neither sites nor devices: free those first. */
SOTTO_API void sotto_wire_free(sotto_wire *wire);

/* Takes answers, asks for models, seals and sends the reports whose send time has come. If there is
 * nothing to do, waits until there is, for timeout_ms at most. Call it on a clock of its own, such as in a
 * loop or in a thread, and not because of what the person does. A failure of a server is not a failure
 * of the wire: sites and devices report it. */
SOTTO_API SOTTO_CHECK sotto_status sotto_wire_turn(sotto_wire *wire, uint32_t timeout_ms);
/* Milliseconds until the next turn: 0 now, UINT32_MAX nothing is known to be due. While a request is under
 * way it is 10 at most, since only turns take answers; a turn with a timeout waits for them. */
SOTTO_API uint32_t sotto_wire_due_ms(const sotto_wire *wire);

/* Whether reports leave by this wire; they do from the start. False: rounds are booked and kept, models are
 * asked for, and another process sends (sotto_device_adopt). What is under way ends as always. */
SOTTO_API void sotto_wire_sending(sotto_wire *wire, bool on);

/* ---- site --------------------------------------------------------------------------------- */

typedef struct sotto_site sotto_site;

typedef struct sotto_site_options {
    const char *url;   /* https://HOST[:PORT][/PATH]/v1/experiments/ID, of at most 1,000 bytes */
    const char *relay; /* reports are posted there instead: a URL of the same form. NULL: none */
    /* What the owner of the experiment gives to all who may send reports, 16 to 128 visible characters; a
     * relay sees it, too. It must be the same on all devices: one for each would be a name. NULL: none. */
    const char *report_key;
    /* Milliseconds until a newer model is asked for, plus a random extra of up to a quarter: 10 to
     * 86,400,000; default 60,000. */
    uint32_t refresh_ms;
} sotto_site_options;

typedef enum sotto_site_state {
    SOTTO_SITE_ASKING,  /* there are no terms or no model yet */
    SOTTO_SITE_READY,   /* both were checked. A newer model may come at each turn */
    SOTTO_SITE_REFUSED, /* its terms are not those of its URL, or cannot be used */
    /* The server says that there is no such experiment, or not any more: 404 or 410 to any
     * request. */
    SOTTO_SITE_GONE
} sotto_site_state;

SOTTO_API sotto_site_options sotto_site_options_default(void);
/* As sotto_wire_options_fault. */
SOTTO_API SOTTO_CHECK sotto_status sotto_site_options_fault(const sotto_site_options *options,
                                                            sotto_fault *fault);
/* Copies the options; borrows the wire, which must outlive the site. It asks for terms and model at
 * the next turns. */
SOTTO_API SOTTO_CHECK sotto_status sotto_site_new(sotto_wire *wire,
                                                  const sotto_site_options *options,
                                                  sotto_site **out);
/* Free its devices first. */
SOTTO_API void sotto_site_free(sotto_site *site);

SOTTO_API sotto_site_state sotto_site_state_of(const sotto_site *site);
/* NULL until there are any; the model is valid until the next turn. */
SOTTO_API const sotto_terms *sotto_site_terms(const sotto_site *site);
SOTTO_API const sotto_model *sotto_site_model(const sotto_site *site);
/* SOTTO_OK, or what was wrong with the last answer, or that there was none. */
SOTTO_API SOTTO_CHECK sotto_status sotto_site_fault(const sotto_site *site, sotto_fault *fault);

/* ---- device ------------------------------------------------------------------------------- */

typedef struct sotto_device sotto_device;

typedef enum sotto_device_event_kind {
    SOTTO_DEVICE_SENT,         /* the bytes leave with the request that begins now, or again */
    SOTTO_DEVICE_ACKNOWLEDGED, /* the server has them, or they came too late to count */
    SOTTO_DEVICE_PUT_OFF,      /* not acknowledged; the same bytes go again later */
    SOTTO_DEVICE_DROPPED       /* given up: too old, too many, or refused for good */
} sotto_device_event_kind;

typedef struct sotto_device_event {
    sotto_device_event_kind kind;
    uint64_t round;       /* as sotto_device_begin gave it */
    const uint8_t *frame; /* NULL unless the report is in a request now */
    size_t frame_bytes;
    const char *why; /* of the last two: in words */
} sotto_device_event;

typedef struct sotto_device_options {
    sotto_policy policy;
    sotto_ledger *ledger; /* borrowed: must outlive the device */
    /* Rounds that may wait for their send time, 1 to 1,024; default 16. A reward does not make room for
     * another round, because the number of reports would reveal it. */
    uint32_t rounds_max;
    /* Reports that may wait to be acknowledged, 1 to 65,536; default 256. One more, and the oldest is
     * dropped. */
    uint32_t queue_max;
    /* Seconds after its send time at which a report is dropped: 60 to 31,536,000; default two weeks. */
    uint32_t age_max_s;
    /* Called from within sotto_wire_turn; for reports dropped because too many wait, also from
     * sotto_device_decide and sotto_device_new. Must not call these functions. NULL: none. */
    void (*event)(void *state, const sotto_device_event *event);
    void *state;
} sotto_device_options;

/* What a device did, since it was made. */
typedef struct sotto_device_counts {
    uint64_t begun, finished;
    uint64_t sent;         /* reports, each once */
    uint64_t sent_default; /* of these: no reward came in time */
    uint64_t acknowledged, dropped;
    uint64_t put_off; /* requests that must be made again */
    uint64_t served;  /* rounds that were begun under a fallback: they have no report */
} sotto_device_counts;

SOTTO_API sotto_device_options sotto_device_options_default(void);
SOTTO_API SOTTO_CHECK sotto_status sotto_device_options_fault(const sotto_device_options *options,
                                                              sotto_fault *fault);
/* A person takes part. The site must have terms (SOTTO_E_ORDER). As sotto_round_new it refuses what the
 * policy does not admit (SOTTO_E_POLICY). Reports of this experiment that the ledger still has are sent,
 * each at its send time, or at once if that has passed or is not known. Copies the options; borrows the
 * site. */
SOTTO_API SOTTO_CHECK sotto_status sotto_device_new(sotto_site *site,
                                                    const sotto_device_options *options,
                                                    sotto_device **out);
/* Rounds that are not finished keep the report of the default reward; what was not sent stays in the
 * ledger. */
SOTTO_API void sotto_device_free(sotto_device *device);

/* Books a round under the newest model, and draws its send time; `round` is its number. SOTTO_E_ORDER if
 * there is no model yet, if the site is SOTTO_SITE_GONE, while reports wait because the experiment is
 * paused (409), and while rounds_max rounds are still before their send time. SOTTO_E_BUDGET,
 * SOTTO_E_LEDGER, SOTTO_E_ENTROPY as sotto_round_begin. A round that is never decided sends no report, and
 * stays spent. A learn round under a model that serves a fallback (sotto_round_reports) is played like any
 * other, sends no report and is not booked. */
SOTTO_API SOTTO_CHECK sotto_status sotto_device_begin(sotto_device *device, uint64_t *round);
/* As sotto_round_decide. Call it soon after begin: after the send time, the report leaves at the next
 * turn, and the server can see when this was. If no report could be kept there is no arm, and the round is
 * spent. */
SOTTO_API SOTTO_CHECK sotto_status sotto_device_decide(sotto_device *device, uint64_t round,
                                                       const double *context,
                                                       uint32_t context_count, uint32_t *arm);
/* As sotto_round_finish; the report leaves at its send time. SOTTO_E_ORDER if there is no such round, or it
 * was sealed before: the reward came too late, and the report of the default reward is on its way. */
SOTTO_API SOTTO_CHECK sotto_status sotto_device_finish(sotto_device *device, uint64_t round,
                                                       double reward);

/* Makes the device wait for what the ledger has of this experiment now: reports that others kept are sent at
 * their send times, as by sotto_device_new, and those that others sent or gave up are forgotten. For several
 * processes at one ledger, of which one sends (sotto_wire_sending). */
SOTTO_API SOTTO_CHECK sotto_status sotto_device_adopt(sotto_device *device);

/* Reports that were made and neither acknowledged nor dropped. */
SOTTO_API size_t sotto_device_waiting(const sotto_device *device);
SOTTO_API sotto_device_counts sotto_device_counts_of(const sotto_device *device);
/* SOTTO_OK, or what was last refused: by the budget, the ledger, the server. */
SOTTO_API SOTTO_CHECK sotto_status sotto_device_fault(const sotto_device *device,
                                                      sotto_fault *fault);

#ifdef __cplusplus
}
#endif
#endif
