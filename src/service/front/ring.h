/* What a front is made of, and rings of its requests. */
#ifndef SERVICE_FRONT_RING_H
#define SERVICE_FRONT_RING_H

#include "body.h"
#include "reply.h"
#include "share.h"

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
    RING_QUIET, /* one of these three: phase.h. The one that came first is the first */
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
    bool begun; /* counted in front_begun */
    bool suspended;
    bool hung;          /* is in RING_HUNG */
    bool went;          /* the other side ended before ours */
    bool cut;           /* we ended the connection */
    bool served;        /* the head of a request before it was read */
    bool ended;         /* and why is counted: ended.h */
    bool shares;        /* `mark` is counted */
    request_ring phase; /* RINGS: none */
    bool more;          /* than this request was there before its answer: ahead.h */
    bool path_cut;
    char path[PATH_BYTES];
    front_body body;
    uint64_t length; /* of the body, as the head says */
    front_reply *reply;
    uint64_t touched; /* the front_run in which libmicrohttpd called last */
    uint64_t waits_since;
    uint64_t sent_round; /* in which the last answer was sent; 0: none */
    uint32_t ahead;      /* requests that were sent ahead, less others */
    uint64_t since_ms;   /* when its phase began */
    uint64_t received;   /* of the body */
    uint64_t mark;       /* of its address: share.h */
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
    uint64_t now_ms;    /* of this round */
    uint64_t look_ms;   /* when to look for slow ones */
    bool quiet;         /* front_quiesce was called */
    bool moved;         /* a request made progress in this round */
    bool owes;          /* requests were settled since the last round */
    uint64_t run;
    uint64_t round; /* calls of MHD_run */
    uint32_t begun;
    front_request *ring[RINGS]; /* the first one of each; NULL: none */
    front_request *free;
    int watch; /* for ends: hangup.h */
    body_store bodies;
    reply_memory replies;
    front_counts counts;
};

/* As the last one. */
void ring_add(front_request *request, request_ring which);
void ring_remove(front_request *request, request_ring which);
/* The one behind it; NULL if it is the last. */
front_request *ring_next(const front_request *request, request_ring which);

#endif
