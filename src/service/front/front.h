/* What other rooms may use from this one. */
#ifndef SOTTO_SERVICE_FRONT_ROOM_H
#define SOTTO_SERVICE_FRONT_ROOM_H

#include <sotto/core.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- latency -------------------------------------------------------------------------------- */

/* How long requests took, as a histogram. */

/* Upper limits in seconds, as printed, and in microseconds. */
#define LATENCY_MAP(X)                                                                             \
    X("0.001", 1000)                                                                               \
    X("0.0025", 2500)                                                                              \
    X("0.01", 10000)                                                                               \
    X("0.05", 50000)                                                                               \
    X("0.25", 250000)                                                                              \
    X("1", 1000000)                                                                                \
    X("5", 5000000)
#define LATENCY_ONE(text, us) +1
#define LATENCY_STEPS (0 LATENCY_MAP(LATENCY_ONE))

typedef struct front_latency {
    uint64_t within[LATENCY_STEPS]; /* without those counted in earlier steps */
    uint64_t count, sum_us;
} front_latency;

void latency_add(front_latency *latency, uint64_t us);
/* "0.001" */
const char *latency_step(uint32_t step);

/* ---- front ---------------------------------------------------------------------------------- */

/*
 * HTTP: takes complete requests from a port and passes them to its door. The library below (libmicrohttpd) is visible
 * only in front.c.
 *
 * One thread, one loop. A request makes two calls:
 *
 *     admit   when its head is complete: says how long the body may be, or refuses before any of it is read
 *     answer  when the body is complete: answers at once, or says that the request waits
 *
 * Waiting requests hold their connections. front_settle answers all of them, so the answers to many reports leave after
 * one commit. At most FRONT_WAITING_BYTES of bodies wait, or one longer body; further requests are passed on after
 * front_settle, so that the work for one commit takes limited time. If the door allows only shorter bodies, because
 * they are more work, the longest one weighs as much as FRONT_WAITING_BYTES, and shorter ones their share of it.
 *
 * A body must have a Content-Length. A refused body of up to 1 MiB is read before the answer is sent. */

#define FRONT_HEADERS_MAX 8u
#define FRONT_IDLE_TIMES 4u
#define FRONT_KINDS 32u
#define FRONT_WAITING_BYTES (1u << 20) /* of waiting bodies together */
#define FRONT_CONNECTIONS_BESIDE 64u   /* beyond connections_max, while they are being cut */

typedef enum front_method {
    FRONT_GET, /* also HEAD; the front then sends the answer without its body */
    FRONT_POST,
    FRONT_PUT,
    FRONT_DELETE,
    FRONT_OPTIONS,
    FRONT_OTHER
} front_method;

typedef struct front_request front_request;
front_method front_request_method(const front_request *request);
/* As received, without the query. No % is decoded: none of our paths contains one. */
const char *front_request_path(const front_request *request);
/* The value of a query argument or a header; NULL if there is none. Valid during the call only. An argument that
 * contains a NUL (%00) is returned as "%00". */
const char *front_request_argument(const front_request *request, const char *name);
/* Calls `take` with each query argument, decoded, until it returns false. The value is NULL without "=". */
void front_request_arguments(const front_request *request,
                             bool (*take)(void *self, const char *name, const char *value),
                             void *self);
const char *front_request_header(const front_request *request, const char *name);
/* Empty in admit. */
const uint8_t *front_request_body(const front_request *request, size_t *bytes);

typedef struct front_header {
    const char *name;
    const char *value;
} front_header;

/* Reasons for refusals: name, and help text of the counter. */
#define FRONT_REFUSAL_MAP(X)                                                                       \
    X(ROUTE, "route", "Requests answered 4xx or 5xx because of their content.")                    \
    X(ORIGIN, "origin", "Requests from web pages that may not send them (403).")                   \
    X(CONNECTIONS, "connections", "New connections above the limit.")                              \
    X(ROOM, "room", "Idle connections cut to make room.")                                          \
    X(HEAD, "head", "Requests with an invalid head (400, 411, 414, 431, 505).")                    \
    X(LENGTH, "length", "Requests with too long a body (413).")                                    \
    X(MEMORY, "memory", "Requests without room in memory (503).")                                  \
    X(NONCES, "nonces", "Requests without room for nonces (503).")                                 \
    X(JOURNAL, "journal", "Requests that the journal refused (503).")                              \
    X(IDLE, "idle", "Connections closed because nothing arrived.")                                 \
    X(SLOW_HEAD, "slow_head", "Connections cut because a head came too slowly.")                   \
    X(SLOW_BODY, "slow_body", "Connections cut because a body came too slowly.")                   \
    X(SLOW_READER, "slow_reader", "Connections cut because an answer was not read.")               \
    X(AHEAD, "ahead", "Connections closed because too many requests were sent ahead.")             \
    X(ADDRESS_CONNECTIONS, "address_connections",                                                  \
      "New connections above the limit of their address.")                                         \
    X(ADDRESS_REQUESTS, "address_requests",                                                        \
      "Requests (429) and connections above the rate of their address.")                           \
    X(ADDRESS_BYTES, "address_bytes", "Bodies above the rate of their address (429).")
typedef enum front_refusal {
#define FRONT_REFUSAL_ENUMERATOR(name, text, help) FRONT_REFUSED_##name,
    FRONT_REFUSAL_MAP(FRONT_REFUSAL_ENUMERATOR)
#undef FRONT_REFUSAL_ENUMERATOR
        FRONT_REFUSALS
} front_refusal;

/* A long body that is generated while it is sent. `more` writes up to `room` bytes and returns how many; 0: later; or
 * one of the two constants below. All `more` calls of one front_run together take a few milliseconds plus one call. */
#define FRONT_PIECES_END (-1)
#define FRONT_PIECES_FAIL                                                                          \
    (-2) /* cuts the connection, so that the other side sees that a part is missing */
typedef struct front_pieces {
    ptrdiff_t (*more)(void *self, char *at, size_t room); /* NULL: the body is in the answer */
    void (*end)(void *self); /* called once, whether or not the answer was sent */
    void *self;
} front_pieces;

/* An answer. The front copies all of it before the call returns, and takes over the pieces. */
typedef struct front_answer {
    uint32_t status;
    const char *type; /* Content-Type; NULL: no body */
    const void *body;
    size_t body_bytes;
    front_pieces pieces; /* in place of a body */
    uint32_t headers;
    front_header header[FRONT_HEADERS_MAX];
    bool close;        /* close the connection afterwards */
    front_refusal why; /* the counter, from status 400 on; 0 is FRONT_REFUSED_ROUTE */
} front_answer;

typedef enum front_verdict { FRONT_ANSWERED, FRONT_WAITS } front_verdict;

/* The functions that answer requests. Each gets `self`. */
typedef struct front_door {
    /* True: the body may have *body_max bytes (0: none). False: *answer is sent, and the connection is closed
     * afterwards unless the request has no body. */
    bool (*admit)(void *self, const front_request *request, size_t *body_max, front_answer *answer);
    /* FRONT_ANSWERED: *answer is sent. FRONT_WAITS: front_settle will. */
    front_verdict (*answer)(void *self, const front_request *request, front_answer *answer);
    /* Makes the answer for a refusal by the front: a body that is too long (413) or has no length (411), an unusable
     * head (400, 414, 431), lack of room (503), or a rate limit (429). The door puts `status` and sentence into its
     * own form. `allowed` may be NULL. */
    void (*refuse)(void *self, uint32_t status, const char *sentence, const char *allowed,
                   front_answer *answer);
    /* Called after `refuse` if the request's head was read. May be NULL. */
    void (*refused)(void *self, const front_request *request, uint32_t status);
    /* The kind of a request, below FRONT_KINDS; kinds are timed separately. NULL: all are 0. */
    uint32_t (*kind)(void *self, const front_request *request);
    /* Adds headers for one waiting request to the answer of front_settle; true if it added any. May be NULL. */
    bool (*dress)(void *self, const front_request *request, front_answer *answer);
    /* Called when part of a body was read and more is to come. May be NULL. */
    void (*arrives)(void *self, const front_request *request);
    void *self;
} front_door;

/* Whose addresses are limited: nobody's; all but those of this machine and of private networks, where proxies are;
 * all. */
typedef enum front_addresses {
    FRONT_ADDRESSES_NONE,
    FRONT_ADDRESSES_FAR,
    FRONT_ADDRESSES_ALL
} front_addresses;

typedef struct front_settings {
    const char *address; /* "127.0.0.1", "::1", "0.0.0.0" */
    uint16_t port;       /* 0: the system chooses; see front_port */
    uint32_t connections_max;
    /* A connection that sends nothing for so long is closed; so is one whose request is incomplete after
     * FRONT_IDLE_TIMES as long. */
    uint32_t idle_s_max;
    uint32_t head_s_max; /* from the first line of a request to the end of its head */
    /* Bytes per second: the rate at which bodies must arrive and answers be taken, once head_s_max is over; 0: no
     * limit. */
    uint32_t rate_min;
    size_t bodies_bytes_max; /* of all bodies being read together; above it, 503 */
    /* Limits per address; for IPv6, per /64. */
    front_addresses addresses;
    uint32_t address_connections_max;
    /* per second, including connections; a burst may have those of five seconds */
    uint32_t address_requests_max;
    uint64_t address_bytes_max; /* of bodies, per second; the same burst */
} front_settings;

/* Counts since the start. */
typedef struct front_counts {
    uint64_t requests;    /* requests whose head was read */
    uint64_t connections; /* open now */
    uint64_t refused[FRONT_REFUSALS];
    /* From the end of a request, or of the head of a refused one, to the start of its answer. */
    front_latency latency[FRONT_KINDS];
} front_counts;

typedef struct sottod_front sottod_front;

/* A fault, and *out is NULL, if the port cannot be opened. */
SOTTO_CHECK sotto_status front_open(const front_settings *settings, const front_door *door,
                                    sottod_front **out, sotto_fault *fault);
/* Replaces the door, also for requests that the previous door admitted. No request may be waiting. */
void front_turn(sottod_front *front, const front_door *door);
/* Cuts all open connections. */
void front_close(sottod_front *front);
uint16_t front_port(const sottod_front *front);

/* Becomes readable when there is work; -1: never. */
int front_fd(const sottod_front *front);
/* Milliseconds after which front_run must be called even if nothing is readable; -1: never. */
int front_timeout_ms(sottod_front *front);
/* Does all available work without waiting. True if any request made progress: bytes were read, or a request was
 * admitted or answered. */
bool front_run(sottod_front *front);

/* Sends one answer to all waiting requests. */
void front_settle(sottod_front *front, const front_answer *answer);

/* Requests whose head was read and whose answer is not yet being sent, including waiting ones. */
uint32_t front_begun(const sottod_front *front);
/* Accepts no new connections; open ones continue until their request is answered. */
void front_quiesce(sottod_front *front);
front_counts front_count(const sottod_front *front);

#endif
