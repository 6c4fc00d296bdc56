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

/* A socket that listens on an address. */

/* Of `address`, an IPv4 or IPv6 address in digits. A fault, and *out is -1, if it cannot be had. */
SOTTO_CHECK sotto_status address_listen(const char *address, uint16_t port, int *out,
                                        sotto_fault *fault);
/* The port that a socket has; 0 if it has none. */
uint16_t address_port(int fd);

/* ---- body ----------------------------------------------------------------------------------- */

/*
 * Bodies of requests, and the memory for them. A body grows as its bytes come, so that a length that is
 * only promised takes no room. What all bodies hold is bounded; small pieces of memory are kept and used
 * again, within the same bound.
 */

#define BODY_SIZES 9u        /* pieces that are kept have 256 B, 512 B, … 64 KiB */
#define BODY_KEPT_BYTES 256u /* the smallest */

typedef struct body_piece body_piece; /* memory that is kept for the next body */

typedef struct body_store {
    size_t bytes_max;
    size_t used_bytes; /* of bodies */
    size_t kept_bytes; /* of pieces that no body has now */
    body_piece *kept[BODY_SIZES];
} body_store;

typedef struct front_body {
    uint8_t *at; /* NULL: none yet */
    size_t bytes;
    size_t capacity;
} front_body;

void body_store_init(body_store *store, size_t bytes_max);
/* Frees what is kept. No body may have memory any more. */
void body_store_clear(body_store *store);

/* Appends. `bytes_max` is the length that the body will not pass. False, and the body is as before, if
 * there is no room. */
bool body_add(body_store *store, front_body *body, const void *at, size_t bytes, size_t bytes_max);
/* Gives the memory back: the body is empty. */
void body_clear(body_store *store, front_body *body);
/* Whether a body of this length could be held now, if no other grew. */
bool body_fits(const body_store *store, size_t bytes);

/* ---- head ----------------------------------------------------------------------------------- */

/* What the head of a request says, and whether anybody could serve it. */

#define HEAD_CONNECTION_BYTES 4096u /* memory of a connection: a head, and that of its answer */
#define HEAD_RECORD_BYTES 64u       /* of it, for each header and argument: or less */
#define HEAD_ANSWER_BYTES 600u      /* of it, for the head of the answer: or less */

/* What stands between method and version: "/path?query", or a whole URL, as a client of a proxy sends it. */
typedef struct head_target {
    const char *begin;     /* of all of it, behind the method */
    const char *authority; /* of a URL: "host:port"; NULL: there is none */
    size_t authority_bytes;
    const char *port; /* that its scheme has if none is said; NULL as above */
    const char *path; /* without the query */
    size_t path_bytes;
    const char *end; /* behind all of it, before the version */
    bool control;    /* it has a control character */
} head_target;

typedef struct request_head {
    size_t bytes;
    size_t records;     /* headers, arguments and cookies */
    const char *length; /* Content-Length; NULL: not said */
    bool length_twice;
    bool coded;   /* Transfer-Encoding */
    bool expects; /* waits for 100 before it sends the body */
    bool odd;     /* a header that others might take for another one */
    bool control; /* CR or another control character in a header or in the target */
    bool cut;     /* libmicrohttpd stopped at a NUL, or a line is folded */
    const char *host;
    bool host_twice;
    bool host_other;         /* than that of the URL */
    uint32_t authorizations; /* how often that header comes; the next one, too */
    uint32_t origins;
    bool first;    /* HTTP/1.0 */
    bool path_cut; /* longer than what is kept of it */
} request_head;

front_method head_method(const char *name);
/* Of the first line, before libmicrohttpd changes it. */
head_target head_target_of(const char *uri);
/* Fills *out, but for path_cut, which stays. `method` and `version` as libmicrohttpd hands them over. */
void head_read(struct MHD_Connection *connection, const head_target *target, const char *method,
               const char *version, request_head *out);
/* A sentence, and a status, if it must be refused; otherwise NULL. */
const char *head_fault(const request_head *head, uint32_t *status);
/* Of the body; 0 if it is not said. libmicrohttpd has refused what is not a number. */
uint64_t head_length(const request_head *head);

/* ---- reply ---------------------------------------------------------------------------------- */

/*
 * An answer in the form that libmicrohttpd sends. Answers that are the same for many, such as 204 or the
 * model of an epoch, are one reply: the last few are remembered.
 */

#define REPLY_MEMORY 8u                 /* replies that are remembered */
#define REPLY_PIECES_US 5000u           /* after which no piece is made until reply_resume */
#define REPLY_BODY_BYTES_MAX (8u << 20) /* those with a longer body are not: no model has one */

typedef struct reply_memory reply_memory;
typedef struct front_reply front_reply;

/* Counted: each that keeps a pointer to it is one of `holders`. */
struct front_reply {
    struct MHD_Response *response; /* owns what `answer` points to */
    front_answer answer;
    uint32_t holders;
    uint64_t used;                     /* when it was last asked for */
    uint64_t pieces_bytes;             /* of a body in pieces, so far */
    reply_memory *memory;              /* of one with a body in pieces */
    struct MHD_Connection *connection; /* on which it is sent: the owner says it */
    front_reply *paused;               /* the next one that is */
};

struct reply_memory {
    front_reply *reply[REPLY_MEMORY]; /* NULL: free */
    uint64_t asked;
    uint64_t pieces_us;  /* that pieces took since reply_resume */
    front_reply *paused; /* connections that are suspended until then */
};

/* One holder more, the caller. NULL: no memory, or a header that cannot be sent. */
front_reply *reply_of(reply_memory *memory, const front_answer *answer);
/* Of one with a body in pieces: only its head is sent, and the connection ends. libmicrohttpd 0.9.75 sends the end of the
 * chunks of HEAD, too, which would be read as the next answer; and a length would be wrong. */
void reply_without_pieces(const front_reply *reply);
void reply_hold(front_reply *reply);
/* One holder less; the last one frees it. */
void reply_drop(front_reply *reply);
/* Lets pieces be made again. libmicrohttpd must run after it. */
void reply_resume(reply_memory *memory);
void reply_memory_clear(reply_memory *memory);

/* ---- share ---------------------------------------------------------------------------------- */

/*
 * What one address may have of the service: connections, requests and bytes of bodies.
 *
 * A fixed table of counters, however many addresses there are. An address counts at SHARE_ROWS places of it, which a keyed hash
 * of the address chooses; the key is drawn at the start and is nowhere else. The table has neither addresses
 * nor hashes in it, so that it identifies nobody. Something is refused only if all places of an address say
 * so: by chance, others can fill one of them, but hardly all.
 *
 * Of an IPv6 address the first 64 bits count: one customer has all of the rest.
 */

#define SHARE_KEY_BYTES 16u
#define SHARE_ROWS 4u
#define SHARE_PLACES 16384u /* of a row */
#define SHARE_BURST_S 5u    /* who was silent for so long may catch up */

typedef struct share_limits {
    uint32_t connections_max;
    uint32_t requests_per_s_max;
    uint64_t bytes_per_s_max; /* of bodies */
} share_limits;

typedef struct front_share front_share;

/* All limits are 1 or more. NULL: no memory. */
front_share *share_new(const share_limits *limits, const uint8_t key[SHARE_KEY_BYTES]);
void share_free(front_share *share);

/* Of this machine, or of a network that has no names outside: who comes from there may be a proxy. */
bool share_is_near(const struct sockaddr *from);
/* What stands for an address in the calls below. */
uint64_t share_mark(const front_share *share, const struct sockaddr *from);

/* Whether the address may have one connection more; share_connect counts it. */
bool share_has_connection(const front_share *share, uint64_t mark);
void share_connect(front_share *share, uint64_t mark);
void share_disconnect(front_share *share, uint64_t mark);

/* Whether the address may make a request at this time, and share_request counts it; refused ones do not count. */
bool share_has_request(const front_share *share, uint64_t mark, uint64_t now_ms);
bool share_request(front_share *share, uint64_t mark, uint64_t now_ms);
/* The same of so many bytes. */
bool share_bytes(front_share *share, uint64_t mark, uint64_t bytes, uint64_t now_ms);

/* ---- ring ----------------------------------------------------------------------------------- */

/* What a front is made of, and rings of its requests. */

#define PATH_BYTES 192u

typedef enum request_step {
    STEP_HEAD,    /* its head is not whole */
    STEP_BODY,    /* its body is read */
    STEP_SWALLOW, /* its body is read and forgotten: `reply` says why */
    STEP_WAITS,   /* front_settle will answer */
    STEP_REPLY,   /* `reply` is to be handed over */
    STEP_SENT     /* it was */
} request_step;

/* Requests of a kind, in a ring. */
typedef enum request_ring {
    RING_WAITS, /* front_settle will answer */
    RING_HUNG,  /* the other side has ended: it may still hear */
    RING_QUIET, /* one of these three: inner.h. The one that came first is the first */
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
    bool begun; /* counted in front_begun */
    bool suspended;
    bool hung;          /* is in RING_HUNG */
    bool went;          /* the other side ended before ours */
    bool cut;           /* we ended the connection */
    bool served;        /* the head of a request before it was read */
    bool ended;         /* and why is counted: inner.h */
    bool shares;        /* `mark` is counted */
    request_ring phase; /* RINGS: none */
    bool more;          /* than this request was there before its answer: inner.h */
    bool path_cut;
    head_target target; /* valid with the head */
    char path[PATH_BYTES];
    front_body body;
    uint64_t length; /* of the body, as the head says */
    front_reply *reply;
    uint64_t touched; /* the front_run in which libmicrohttpd called last */
    uint64_t waits_since;
    uint64_t sent_pass; /* in which the last answer was sent; 0: none */
    uint32_t ahead;     /* requests that were sent ahead, less others */
    uint64_t since_ms;  /* when its phase began */
    uint64_t whole_us;  /* when it was all there: for its latency */
    uint64_t received;  /* of the body */
    uint64_t mark;      /* of its address: inner.h */
    ring_link link[RINGS];
    front_request *next; /* of those that are free */
};

struct sottod_front {
    front_door door;
    struct MHD_Daemon *daemon;
    int fd;
    uint16_t port;
    uint32_t connections_max;
    uint64_t idle_ms_max, head_ms_max, request_ms_max;
    uint64_t rate_min;  /* bytes a second */
    front_share *share; /* NULL: addresses do not count */
    bool share_near;    /* those that are near do, too */
    uint32_t ending;    /* connections that we cut, and that are not gone yet */
    uint64_t now_ms;    /* of this pass */
    uint64_t look_ms;   /* when to look for slow ones */
    bool quiet;         /* front_quiesce was called */
    bool moved;         /* a request made progress in this pass */
    bool owes;          /* requests were settled since the last pass */
    uint64_t run;
    uint64_t pass; /* calls of MHD_run */
    bool first;    /* the first one of its run */
    uint32_t begun;
    uint64_t waiting_bytes;     /* of bodies since the last front_settle */
    front_request *ring[RINGS]; /* the first one of each; NULL: none */
    front_request *free;
    int watch; /* for ends: inner.h */
    body_store bodies;
    reply_memory replies;
    front_counts counts;
};

/* As the last one. */
void ring_add(front_request *request, request_ring which);
void ring_remove(front_request *request, request_ring which);
/* The one behind it; NULL if it is the last. */
front_request *ring_next(const front_request *request, request_ring which);

/* ---- ahead ---------------------------------------------------------------------------------- */

/*
 * Requests that are sent ahead: before the answer to the one before has left. Devices, browsers and proxies read an
 * answer before they ask again on the same connection, and never send one. A client that does so makes us work for many requests
 * at the price of one packet.
 *
 * Each request that was sent ahead counts one up, each other one down. At AHEAD_MAX the connection is closed after
 * the answer, so that nothing is lost: a client that sends ahead must be ready to send again on a new connection.
 */

/* Programs that still send ahead stay below it: apt, one of the last, sends 10. */
#define AHEAD_MAX 16u

/* A request begins. Before it is known that the one before is over. */
void ahead_begin(front_request *request);
/* It is whole, and its answer is handed over. */
void ahead_whole(front_request *request);
/* Its answer was sent. */
void ahead_sent(front_request *request);
/* Whether the connection is to be closed after the answer; counts it if so. */
bool ahead_ends(front_request *request);

/* ---- ended ---------------------------------------------------------------------------------- */

/*
 * Connections that libmicrohttpd ends by itself: nothing came for too long, or what came is not a head. It says so only if a
 * request had begun; of others it is found out here, for the counts.
 */

/* A request is over, since nothing came for too long. Its connection is next. */
void ended_idle(front_request *request);
/* A connection is over, and its socket still open. Counts it if neither the other side nor we have ended it. */
void ended_count(front_request *request);

/* ---- gate ----------------------------------------------------------------------------------- */

/* Admission: of connections, while there is a place and the address is within its share; and of
 * bodies. */

/* False: no memory, or no randomness. */
bool gate_open(sottod_front *front, const front_settings *settings);
/* Whether one more connection may come from this address; counts it if not. `from` may be NULL. */
bool gate_admits(sottod_front *front, const struct sockaddr *from);
/* The connection of a request has come, or is gone. To come costs as much as a request. */
void gate_enter(front_request *request, const struct sockaddr *from);
void gate_leave(front_request *request);
/* Counts one request of its address. False: that is above its rate. */
bool gate_charge(front_request *request);
/* Whether its body, which is whole, may be handed over in this pass. */
bool gate_hands_over(front_request *request);

/* ---- hangup --------------------------------------------------------------------------------- */

/*
 * Sockets whose other side will say no more. libmicrohttpd 0.9.75 overlooks it when the end comes together
 * with the last bytes: it takes fewer bytes than it asked for as a sign that it will hear of more.
 */

/* A descriptor to watch with; -1 if there is none. close() ends it. */
int hangup_new(void);
/* Watches a socket until it is closed. */
bool hangup_watch(int watch, int socket, void *whose);
/* Up to `max` of those whose other side has ended since the last call; how many. */
size_t hangup_list(int watch, void *whose[], size_t max);
/* Whether there is nothing more to read from a socket whose other side has ended. */
bool hangup_all_read(int socket);
/* Whether the other side has ended, and ours has not. */
bool hangup_came_first(int socket);
/* Whether anything was ever sent to the other side. */
bool hangup_has_sent(int socket);

/* ---- phase ---------------------------------------------------------------------------------- */

/*
 * Where a connection stands, and how long it may stand there. A connection that holds a place without using
 * it is cut:
 *
 *     quiet   nothing is asked: from the start, or the last answer, to the end of a first line
 *     reads   a request is read: its head has head_ms_max, its body must come at rate_min after as long
 *     sends   an answer is on its way: it must be taken at rate_min after head_ms_max
 *
 * In between, while we have the whole request, the time is ours.
 */

/* RINGS: none of the three. Nothing happens to one that was cut. */
void phase_is(front_request *request, request_ring phase);
/* Ends its connection, and counts why. */
void phase_cut(front_request *request, front_refusal why);
/* Cuts all that are over their time. Looks twice a second. */
void phase_end_slow(sottod_front *front);
/* Milliseconds until phase_end_slow wants to look; -1: there is nothing to look at. */
int phase_timeout_ms(const sottod_front *front);
/* All places are taken: cuts the one that has been quiet for the longest time, or reads for the longest. False
 * if nobody has been so for a second. */
bool phase_make_room(sottod_front *front);

int phase_socket(const front_request *request);

#endif
