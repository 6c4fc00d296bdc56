/*
 * The person's side, over HTTP: a device that takes part in an experiment of a `sottod`.
 *
 *     wire -> site -> device -> begin -> decide -> [finish] -> turns of the wire
 *
 * A wire has the connections of a process. A site is one experiment at one server: its terms and its
 * newest model, checked, which are the same for everybody. A device is one person at a site, with a
 * policy and a ledger of their own. Rounds never wait for a server: sotto_wire_turn alone speaks to it.
 *
 * Silence and timing tell nothing. A round is held (sotto_round_hold_at): `decide` keeps the report of
 * the default reward, `finish` replaces it, and exactly one report leaves, at the round's send time,
 * whether a reward came or not. The send time is drawn and booked at begin. After a crash the report
 * leaves at its send time, or at once if that has passed. What is sent again is the same bytes. `begin`,
 * `decide` and `finish` send nothing.
 *
 * https, or http to this machine alone; no cookie, no referrer, no redirect, no header that tells one
 * device from another, unless the server gave each an epoch of its own (docs/devices.md); a certificate
 * that does not fit is an error. No proxy is taken from the environment.
 *
 * A proxy passes on connections, and sees no content of https. A relay is a server that takes reports for
 * the experiment's server and passes them on. A relay hides from that server whose address reports come
 * from, a proxy also whose address asks for models.
 *
 * A wire, its sites and its devices are used by one thread at a time: hand all calls to one thread, or
 * guard them by one mutex, and then turn with a timeout of 0 (docs/devices.md). What NULL does is said at
 * the head of core.h.
 */
#ifndef SOTTO_TRANSPORT_H
#define SOTTO_TRANSPORT_H

#include <sotto/client.h>

#ifdef __cplusplus
extern "C" {
#endif

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
} sotto_wire_options;

SOTTO_API sotto_wire_options sotto_wire_options_default(void);
/* NULL if the options can be used; otherwise `text`, which names the field, its value and what is
 * allowed. */
SOTTO_API const char *sotto_wire_options_fault(const sotto_wire_options *options,
                                               char text[SOTTO_FAULT_BYTES]);
/* Copies the options. SOTTO_E_FAULT if sotto_wire_options_fault finds one. */
SOTTO_API SOTTO_CHECK sotto_status sotto_wire_new(const sotto_wire_options *options,
                                                  sotto_wire **out);
/* Ends all requests. Frees neither sites nor devices: free those first. */
SOTTO_API void sotto_wire_free(sotto_wire *wire);

/* Takes answers, asks for models, seals and sends the reports whose send time has come. If there is
 * nothing to do, waits until there is, for timeout_ms at most. Call it on a clock of its own, such as in a
 * loop or in a thread, and not because of what the person does. Failures of a server are no failures of the
 * wire: sites and devices tell them. */
SOTTO_API SOTTO_CHECK sotto_status sotto_wire_turn(sotto_wire *wire, uint32_t timeout_ms);
/* Milliseconds until the next turn: 0 now, UINT32_MAX nothing is known to be due. While a request is under
 * way it is 10 at most, since only turns take answers; a turn with a timeout waits for them. */
SOTTO_API uint32_t sotto_wire_due_ms(const sotto_wire *wire);

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
    /* The server says that there is no such experiment, or no more: 404 or 410, to a question or to
     * reports. */
    SOTTO_SITE_GONE
} sotto_site_state;

SOTTO_API sotto_site_options sotto_site_options_default(void);
/* As sotto_wire_options_fault. */
SOTTO_API const char *sotto_site_options_fault(const sotto_site_options *options,
                                               char text[SOTTO_FAULT_BYTES]);
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
/* NULL, or in words what was wrong with the last answer, or that there was none. Valid until the next
 * turn. */
SOTTO_API const char *sotto_site_fault(const sotto_site *site);

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
    /* Rounds that may wait for their send time, 1 to 1,024; default 16. A reward makes no room for another
     * round: the number of reports would tell of it. */
    uint32_t rounds_max;
    /* Reports that may wait to be acknowledged, 1 to 65,536; default 256. One more, and the oldest is
     * dropped. */
    uint32_t queue_max;
    /* A report is dropped so many seconds after its send time: 60 to 31,536,000; default two weeks. */
    uint32_t age_max_s;
    /* Told from within sotto_wire_turn; what is dropped because too many wait, also from within
     * sotto_device_decide and sotto_device_new. Must not call back. NULL: none. */
    void (*event)(void *state, const sotto_device_event *event);
    void *state;
} sotto_device_options;

/* What a device did, since it was made. */
typedef struct sotto_device_counts {
    uint64_t begun, finished;
    uint64_t sent;         /* reports, each once */
    uint64_t sent_default; /* of them: no reward came in time */
    uint64_t acknowledged, dropped;
    uint64_t put_off; /* requests that must be made again */
    uint64_t served;  /* rounds that were begun under a fallback: they have no report */
} sotto_device_counts;

SOTTO_API sotto_device_options sotto_device_options_default(void);
SOTTO_API const char *sotto_device_options_fault(const sotto_device_options *options,
                                                 char text[SOTTO_FAULT_BYTES]);
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

/* Reports that were made and neither acknowledged nor dropped. */
SOTTO_API size_t sotto_device_waiting(const sotto_device *device);
SOTTO_API sotto_device_counts sotto_device_counts_of(const sotto_device *device);
/* NULL, or in words what was last refused: by the policy, the budget, the ledger, the server. Valid
 * until the next call on this device or turn. */
SOTTO_API const char *sotto_device_fault(const sotto_device *device);

#ifdef __cplusplus
}
#endif
#endif
