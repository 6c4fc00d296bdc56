/* What files of this room share. */
#ifndef SOTTO_SERVICE_FRONT_INNER_H
#define SOTTO_SERVICE_FRONT_INNER_H

#include "front.h"

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* ---- address -------------------------------------------------------------------------------- */

/* A listening socket. */

/* `address`: an IPv4 or IPv6 address in digits. A fault, and *out is -1, if it cannot be used. */
SOTTO_CHECK sotto_status address_listen(const char *address, uint16_t port, int *out,
                                        sotto_fault *fault);
/* The port of a socket; 0: none. */
uint16_t address_port(int fd);

/* ---- body ----------------------------------------------------------------------------------- */

/*
 * Bodies of requests, and their memory. A body grows as its bytes arrive, so that an announced length takes no room. The
 * total of all bodies is limited; small pieces of memory are kept for reuse, within the same limit. */

#define BODY_SIZES 9u        /* sizes of kept pieces: 256 B, 512 B, … 64 KiB */
#define BODY_KEPT_BYTES 256u /* the smallest */

typedef struct body_piece body_piece; /* memory kept for a later body */

typedef struct body_store {
    size_t bytes_max;
    size_t used_bytes; /* by bodies */
    size_t kept_bytes; /* in pieces that no body uses now */
    body_piece *kept[BODY_SIZES];
} body_store;

typedef struct front_body {
    uint8_t *at; /* NULL: nothing yet */
    size_t bytes;
    size_t capacity;
} front_body;

void body_store_init(body_store *store, size_t bytes_max);
/* Frees the kept pieces. No body may have memory any more. */
void body_store_clear(body_store *store);

/* Appends. `bytes_max` is the final length of the body. False, with the body unchanged, if there is no room. */
bool body_add(body_store *store, front_body *body, const void *at, size_t bytes, size_t bytes_max);
/* Returns the memory: the body is empty. */
void body_clear(body_store *store, front_body *body);
/* Whether a body of this length would fit now if no other grew. */
bool body_fits(const body_store *store, size_t bytes);

/* ---- head ----------------------------------------------------------------------------------- */

/* The head of a request, and whether it can be served. */

/* memory of a connection: a head, and the head of its answer */
#define HEAD_CONNECTION_BYTES 4096u
#define HEAD_RECORD_BYTES 64u  /* of these, at most so many per header and argument */
#define HEAD_ANSWER_BYTES 600u /* of these, at most so many for the head of the answer */

/* The part between method and version: "/path?query", or a whole URL, as a proxy's client sends it. */
typedef struct head_target {
    const char *begin;     /* after the method */
    const char *authority; /* in a URL: "host:port"; NULL: none */
    size_t authority_bytes;
    const char *port; /* default port of the scheme */
    const char *path; /* without the query */
    size_t path_bytes;
    const char *end; /* the end, before the version */
    bool control;    /* contains a control character */
} head_target;

typedef struct request_head {
    size_t bytes;
    size_t records;     /* number of headers, arguments and cookies */
    const char *length; /* Content-Length; NULL: none */
    bool length_twice;
    bool coded;   /* Transfer-Encoding */
    bool expects; /* waits for 100 before sending the body */
    bool odd;     /* has a header that others might take for a different one */
    bool control; /* CR or another control character in a header or in the target */
    bool cut;     /* libmicrohttpd stopped at a NUL, or a line is folded */
    const char *host;
    bool host_twice;
    bool host_other;         /* differs from that of the URL */
    uint32_t authorizations; /* how often these headers occur */
    uint32_t origins;
    bool first;    /* HTTP/1.0 */
    bool path_cut; /* longer than the part kept */
} request_head;

front_method head_method(const char *name);
/* Parses the first line, before libmicrohttpd changes it. */
head_target head_target_of(const char *uri);
/* Fills *out except path_cut, which stays. `method` and `version` as passed by libmicrohttpd. */
void head_read(struct MHD_Connection *connection, const head_target *target, const char *method,
               const char *version, request_head *out);
/* A fault, and the HTTP status, if the request must be refused. */
SOTTO_CHECK sotto_status head_fault(const request_head *head, uint32_t *status, sotto_fault *fault);
/* The length of the body; 0 if not given. libmicrohttpd has refused anything that is not a number. */
uint64_t head_length(const request_head *head);

/* ---- reply ---------------------------------------------------------------------------------- */

/*
 * An answer in the form that libmicrohttpd sends. Answers that many requests share, such as 204 or the model of an
 * epoch, are one reply: the last few are kept. */

#define REPLY_MEMORY 8u       /* number of kept replies */
#define REPLY_PIECES_US 5000u /* after this, no more pieces are made until reply_resume */
/* replies with a longer body are not kept: no model is that long */
#define REPLY_BODY_BYTES_MAX (8u << 20)

typedef struct reply_memory reply_memory;
typedef struct front_reply front_reply;

/* Reference-counted: `holders` is the number of pointers to it. */
struct front_reply {
    struct MHD_Response *response; /* owns everything that `answer` points to */
    front_answer answer;
    uint32_t holders;
    uint64_t used;                     /* when last requested */
    uint64_t pieces_bytes;             /* of a body in pieces, so far */
    reply_memory *memory;              /* for a body in pieces */
    struct MHD_Connection *connection; /* on which it is sent; set by the owner */
    front_reply *paused;               /* the next paused one */
};

struct reply_memory {
    front_reply *reply[REPLY_MEMORY]; /* NULL: free */
    uint64_t asked;
    uint64_t pieces_us;  /* time spent on pieces since reply_resume */
    front_reply *paused; /* connections suspended until reply_resume */
};

/* Adds a holder, the caller. NULL: no memory, or a header that cannot be sent. */
front_reply *reply_of(reply_memory *memory, const front_answer *answer);
/* For a HEAD request whose answer has a body in pieces: sends only the head and ends the connection. libmicrohttpd
 * 0.9.75 would also send the end of the chunks, which would be read as the next answer; and a length would be wrong. */
void reply_without_pieces(const front_reply *reply);
void reply_hold(front_reply *reply);
/* Removes a holder; the last one frees it. */
void reply_drop(front_reply *reply);
/* Allows pieces again. libmicrohttpd must run afterwards. */
void reply_resume(reply_memory *memory);
void reply_memory_clear(reply_memory *memory);

/* ---- share ---------------------------------------------------------------------------------- */

/*
 * How much of the service one address may use: connections, requests and bytes of bodies.
 *
 * A fixed table of counters, however many addresses there are. An address counts at SHARE_ROWS places, chosen by a
 * keyed hash of it; the key is drawn at startup and stored nowhere else. The table contains neither addresses nor
 * hashes, so it identifies nobody. A request is refused only if all places of its address are full: by chance, others
 * can fill one of them, but hardly all.
 *
 * For IPv6 only the first 64 bits count: one customer has all addresses below. */

#define SHARE_KEY_BYTES 16u
#define SHARE_ROWS 4u
#define SHARE_PLACES 16384u /* per row */
/* an address may use this many seconds of its rates at once */
#define SHARE_BURST_S 5u

typedef struct share_limits {
    uint32_t connections_max;
    uint32_t requests_per_s_max;
    uint64_t bytes_per_s_max; /* of bodies */
} share_limits;

typedef struct front_share front_share;

/* All limits are at least 1. NULL: no memory. */
front_share *share_new(const share_limits *limits, const uint8_t key[SHARE_KEY_BYTES]);
void share_free(front_share *share);

/* Whether the address is of this machine or of a private network: it may be a proxy. */
bool share_is_near(const struct sockaddr *from);
/* Identifies an address in the calls below. */
uint64_t share_mark(const front_share *share, const struct sockaddr *from);

/* Whether the address may have one more connection; share_connect counts it. */
bool share_has_connection(const front_share *share, uint64_t mark);
void share_connect(front_share *share, uint64_t mark);
void share_disconnect(front_share *share, uint64_t mark);

/* Whether the address may make a request now; share_request counts it. Refused requests do not count. */
bool share_has_request(const front_share *share, uint64_t mark, uint64_t now_ms);
bool share_request(front_share *share, uint64_t mark, uint64_t now_ms);
/* The same for so many bytes. */
bool share_bytes(front_share *share, uint64_t mark, uint64_t bytes, uint64_t now_ms);

/* ---- ring ----------------------------------------------------------------------------------- */

/* The parts of a front, and rings of its requests. */

#define PATH_BYTES 192u

typedef enum request_step {
    STEP_HEAD,    /* reading its head */
    STEP_BODY,    /* reading its body */
    STEP_SWALLOW, /* reading its body only to drop it; `reply` says why */
    STEP_WAITS,   /* front_settle will answer */
    STEP_REPLY,   /* `reply` must be passed to libmicrohttpd */
    STEP_SENT     /* `reply` was passed */
} request_step;

/* A ring of requests in the same situation. */
typedef enum request_ring {
    RING_WAITS, /* front_settle will answer */
    RING_HUNG,  /* the other side has ended, but may still receive */
    RING_QUIET, /* This and the next two: see phase. The oldest comes first. */
    RING_READS,
    RING_SENDS,
    RINGS
} request_ring;

typedef struct ring_link {
    front_request *before, *behind;
} ring_link;

struct front_request {
    sottod_front *front;
    struct MHD_Connection *connection;
    request_step step;
    front_method method;
    bool bare;  /* HEAD: the answer has no body */
    bool begun; /* counted by front_begun */
    bool suspended;
    bool hung;          /* is in RING_HUNG */
    bool went;          /* the other side ended first */
    bool cut;           /* we ended the connection */
    bool served;        /* the head of an earlier request was read */
    bool ended;         /* it has ended, and the reason is counted */
    bool shares;        /* `mark` is counted */
    request_ring phase; /* RINGS: none */
    bool more;          /* bytes after this request arrived before its answer: see ahead */
    bool path_cut;
    head_target target; /* valid as long as the head */
    char path[PATH_BYTES];
    front_body body;
    uint64_t length; /* of the body, by its head */
    size_t body_max; /* the longest body that the door allows */
    front_reply *reply;
    uint64_t touched; /* the front_run of libmicrohttpd's last call */
    uint64_t waits_since;
    uint64_t sent_pass; /* the pass in which the last answer was sent; 0: none */
    uint32_t ahead;     /* requests sent ahead, minus others */
    uint64_t since_ms;  /* when its phase began */
    uint64_t whole_us;  /* when it was complete, for its latency */
    uint64_t received;  /* bytes of the body */
    uint64_t mark;      /* of its address: share_mark */
    ring_link link[RINGS];
    front_request *next; /* the next unused one */
};

struct sottod_front {
    front_door door;
    struct MHD_Daemon *daemon;
    int fd;
    uint16_t port;
    uint32_t connections_max;
    uint64_t idle_ms_max, head_ms_max, request_ms_max;
    uint64_t rate_min;  /* bytes per second */
    front_share *share; /* NULL: addresses are not limited */
    bool share_near;    /* private addresses are limited, too */
    uint32_t ending;    /* connections that we cut and that still exist */
    uint64_t now_ms;    /* at the start of this pass */
    uint64_t look_ms;   /* when slow connections are checked next */
    bool quiet;         /* front_quiesce was called */
    bool moved;         /* a request made progress in this pass */
    bool owes;          /* requests were settled since the last pass */
    uint64_t run;
    uint64_t pass; /* number of calls of MHD_run */
    bool first;    /* this is the first pass of its run */
    uint32_t begun;
    uint64_t waiting_bytes;     /* sum of gate_weight since the last front_settle */
    front_request *ring[RINGS]; /* the first of each ring; NULL: empty */
    front_request *free;
    int watch; /* hangup_new */
    body_store bodies;
    reply_memory replies;
    front_counts counts;
};

/* Appends it. */
void ring_add(front_request *request, request_ring which);
void ring_remove(front_request *request, request_ring which);
/* The next one; NULL if it is the last. */
front_request *ring_next(const front_request *request, request_ring which);

/* ---- ahead ---------------------------------------------------------------------------------- */

/*
 * Requests sent ahead: before the previous answer has left. Devices, browsers and proxies read an answer before they
 * send the next request on the same connection. A client that sends ahead makes us work for many requests at the price
 * of one packet.
 *
 * Each request sent ahead adds one to a count, each other request takes one off. At AHEAD_MAX the connection is closed
 * after the answer, so that nothing is lost: a client that sends ahead must be prepared to repeat requests on a new
 * connection. */

/* Above what known programs send ahead: apt, one of the last to do so, sends 10. */
#define AHEAD_MAX 16u

/* A request begins. Call it before the end of the previous one is known. */
void ahead_begin(front_request *request);
/* The request is complete, and its answer is passed on. */
void ahead_whole(front_request *request);
/* Its answer was sent. */
void ahead_sent(front_request *request);
/* Whether the connection must be closed after the answer; if so, counts it. */
bool ahead_ends(front_request *request);

/* ---- ended ---------------------------------------------------------------------------------- */

/*
 * Connections that libmicrohttpd ends by itself: nothing came for too long, or what came is not a head. It reports this
 * only if a request had begun; other cases are detected here, for the counters. */

/* A request is over because nothing came for too long. Its connection is next. */
void ended_idle(front_request *request);
/* A connection is over and its socket still open. Counts it if neither the other side nor we have ended it. */
void ended_count(front_request *request);

/* ---- gate ----------------------------------------------------------------------------------- */

/* Admission: of connections, while there is a place and the address is within its share; and of bodies. */

/* False: no memory, or no randomness. */
bool gate_open(sottod_front *front, const front_settings *settings);
/* Whether one more connection may come from this address; if not, counts it. `from` may be NULL. */
bool gate_admits(sottod_front *front, const struct sockaddr *from);
/* The connection of a request has come or gone. Its arrival counts as one request. */
void gate_enter(front_request *request, const struct sockaddr *from);
void gate_leave(front_request *request);
/* Counts one request of its address. False: above its rate. */
bool gate_charge(front_request *request);
/* The bytes of its body, or more if the door allows less than FRONT_WAITING_BYTES: see front.h. */
uint64_t gate_weight(const front_request *request);
/* Whether its complete body may be passed on in this pass. */
bool gate_hands_over(front_request *request);

/* ---- hangup --------------------------------------------------------------------------------- */

/*
 * Sockets whose other side will send no more. libmicrohttpd 0.9.75 misses this when the end arrives together with the
 * last bytes: if a read returns fewer bytes than requested, it expects another event. */

/* A descriptor for hangup_watch; -1: none. close() ends it. */
int hangup_new(void);
/* Watches a socket until it is closed. */
bool hangup_watch(int watch, int socket, void *whose);
/* Lists up to `max` of those whose other side has ended since the last call; returns how many. */
size_t hangup_list(int watch, void *whose[], size_t max);
/* Whether nothing is left to read from a socket whose other side has ended. */
bool hangup_all_read(int socket);
/* Whether the other side has ended and ours has not. */
bool hangup_came_first(int socket);
/* Whether anything was ever sent to the other side. */
bool hangup_has_sent(int socket);

/* ---- phase ---------------------------------------------------------------------------------- */

/*
 * The state of a connection, and how long it may stay in it. A connection that holds a place without using it is cut:
 *
 *     quiet   nothing is requested: from the start, or the last answer, to the end of a first line
 *     reads   a request is read: its head has head_ms_max, its body must arrive at rate_min after as long
 *     sends   an answer is being sent: it must be taken at rate_min after head_ms_max
 *
 * In between, while we have the complete request, the time is ours. */

/* RINGS: none of the three. Does nothing for a connection that was cut. */
void phase_is(front_request *request, request_ring phase);
/* Cuts all connections that exceed their time. Checks twice a second. */
void phase_end_slow(sottod_front *front);
/* Milliseconds until phase_end_slow must run; -1: nothing to check. */
int phase_timeout_ms(const sottod_front *front);
/* All places are taken: cuts the connection that has been quiet the longest, or has been reading the longest. False
 * if none has been so for a second. */
bool phase_make_room(sottod_front *front);

int phase_socket(const front_request *request);

#endif
