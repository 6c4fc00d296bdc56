/*
 * libmicrohttpd, driven by our own loop: its epoll fd is polled by the caller, MHD_run does what is ready.
 *
 * It calls us up to four times for a request: `begin` with the first line, then `handle` with the head,
 * with each piece of the body, and at the end of the body. An answer is given to it at the end, so that
 * the connection can go on; or with the head, which makes it close the connection without reading a body.
 *
 * A request that waits is asked again in every round, which costs no system call. Only if it still waits
 * in the next front_run is it suspended (removed from the epoll set) until it is settled.
 *
 * Some requests never come to us. libmicrohttpd answers them by itself with a short page, and closes:
 * 400 for a length that is negative or no number (and then it sends its head twice), 413 for a length of
 * 2^64 or more, 414 and 431 for a head that is larger than the memory of a connection, 505 for another
 * version. It closes without a word when the first line is garbage; and only when its time is over if the
 * arguments of the path do not fit.
 *
 * A body must have a Content-Length. libmicrohttpd 0.9.75 can read chunks, but it spins for as long as a
 * connection may be idle when the line of a chunk's size is longer than its buffer.
 */
#include "front.h"

#include "address.h"
#include "body.h"
#include "reply.h"

#include <assert.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define CONNECTION_BYTES 4096u
#define PATH_BYTES 192u
#define RECORD_BYTES 64u       /* of CONNECTION_BYTES, for each header and argument: or less */
#define ANSWER_HEAD_BYTES 600u /* of CONNECTION_BYTES, for the head of the answer: or less */
#define ROUNDS_MAX 8u          /* of MHD_run in one front_run: answers must leave, too */
#define SWALLOW_BYTES_MAX                                                                          \
    65536u /* of a body that is refused with its head, and read all the same */

typedef enum request_step {
    STEP_HEAD,    /* its head is not whole */
    STEP_BODY,    /* its body is read */
    STEP_SWALLOW, /* its body is read and forgotten: `reply` says why */
    STEP_WAITS,   /* front_settle will answer */
    STEP_REPLY,   /* `reply` is to be handed over */
    STEP_SENT     /* it was */
} request_step;

struct front_request {
    sottod_front *front;
    struct MHD_Connection *connection;
    request_step step;
    front_method method;
    bool begun; /* counted in front_begun */
    bool suspended;
    bool path_cut;
    char path[PATH_BYTES];
    front_body body;
    uint64_t length; /* of the body, as the head says */
    front_reply *reply;
    uint64_t waits_since; /* the front_run in which it began to wait */
    front_request *before,
        *behind; /* among those that wait; `behind` also among those that are free */
};

struct sottod_front {
    front_door door;
    struct MHD_Daemon *daemon;
    int fd;
    uint16_t port;
    uint32_t connections_max;
    bool quiet; /* front_quiesce was called */
    bool moved; /* a request made progress in this round */
    bool owes;  /* requests were settled since the last round */
    uint64_t run;
    uint32_t begun;
    front_request *waiting; /* a ring, or NULL */
    front_request *free;
    body_store bodies;
    reply_memory replies;
    front_counts counts;
};

/* ---- what a door may ask */

front_method front_request_method(const front_request *request)
{
    return request->method;
}

const char *front_request_path(const front_request *request)
{
    return request->path;
}

const char *front_request_argument(const front_request *request, const char *name)
{
    return MHD_lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, name);
}

const char *front_request_header(const front_request *request, const char *name)
{
    return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);
}

const uint8_t *front_request_body(const front_request *request, size_t *bytes)
{
    *bytes = request->body.bytes;
    return request->body.at;
}

/* ---- those that wait */

static void wait_begin(front_request *request)
{
    sottod_front *front = request->front;
    request->step = STEP_WAITS;
    request->waits_since = front->run;
    front_request *first = front->waiting;
    if (first == NULL) {
        request->before = request->behind = request;
        front->waiting = request;
        return;
    }
    request->behind = first;
    request->before = first->before;
    first->before->behind = request;
    first->before = request;
}

static void wait_end(front_request *request)
{
    sottod_front *front = request->front;
    request->before->behind = request->behind;
    request->behind->before = request->before;
    if (front->waiting == request) {
        front->waiting = request->behind != request ? request->behind : NULL;
    }
}

/* ---- answers */

static void begun_end(front_request *request)
{
    if (!request->begun) return;
    request->begun = false;
    request->front->begun--;
}

/* Has the reply sent at the end of the body. NULL, for want of memory: the connection is cut there. */
static void reply_is(front_request *request, front_reply *reply)
{
    request->reply = reply;
    request->step = STEP_REPLY;
    begun_end(request);
}

static void reply_with(front_request *request, const front_answer *answer, bool close)
{
    sottod_front *front = request->front;
    bool closes = close || answer->close || front->quiet;
    reply_is(request, reply_of(&front->replies, answer, closes));
}

static void refuse_with(front_request *request, uint32_t status, const char *sentence)
{
    sottod_front *front = request->front;
    front_answer answer = {0};
    front->door.refuse(front->door.self, status, sentence, &answer);
    if (status == MHD_HTTP_CONTENT_TOO_LARGE) front->counts.refused_length++;
    if (status == MHD_HTTP_SERVICE_UNAVAILABLE) front->counts.refused_memory++;
    reply_with(request, &answer, true);
}

static enum MHD_Result hand_over(front_request *request)
{
    if (request->reply == NULL) return MHD_NO;
    request->step = STEP_SENT;
    return MHD_queue_response(request->connection, request->reply->status,
                              request->reply->response);
}

/* ---- the head */

/* What the head says. */
typedef struct request_head {
    size_t bytes;
    size_t records;     /* headers, arguments and cookies */
    const char *length; /* NULL: not said */
    bool length_twice;
    bool coded;   /* Transfer-Encoding */
    bool expects; /* waits for 100 before it sends the body */
    bool host;
} request_head;

static enum MHD_Result read_header(void *self, enum MHD_ValueKind kind, const char *name,
                                   const char *value)
{
    request_head *head = self;
    head->records++;
    if (kind != MHD_HEADER_KIND) return MHD_YES;
    if (strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0) {
        head->length_twice = head->length != NULL;
        head->length = value;
    } else if (strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0) {
        head->coded = true;
    } else if (strcasecmp(name, MHD_HTTP_HEADER_EXPECT) == 0) {
        head->expects = true;
    } else if (strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0) {
        head->host = true;
    }
    return MHD_YES;
}

/* Refuses what nobody could serve. False if it did. */
static bool check_head(front_request *request, const request_head *head, const char *version)
{
    if (head->coded) {
        refuse_with(request, MHD_HTTP_LENGTH_REQUIRED,
                    "A body must come with its Content-Length, and without Transfer-Encoding.");
    } else if (head->length_twice) {
        refuse_with(request, MHD_HTTP_BAD_REQUEST, "There is more than one Content-Length.");
    } else if (!head->host && strcmp(version, MHD_HTTP_VERSION_1_0) != 0) {
        refuse_with(request, MHD_HTTP_BAD_REQUEST, "There is no Host.");
    } else if (head->bytes + head->records * RECORD_BYTES > CONNECTION_BYTES - ANSWER_HEAD_BYTES) {
        refuse_with(request, MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE,
                    "The head leaves no room for that of an answer.");
    } else if (request->path_cut) {
        refuse_with(request, MHD_HTTP_URI_TOO_LONG, "The path is longer than any that there is.");
    } else {
        return true;
    }
    return false;
}

static void admit(front_request *request, const request_head *head)
{
    sottod_front *front = request->front;
    front_answer answer = {0};
    size_t body_max = 0;
    if (!front->door.admit(front->door.self, request, &body_max, &answer)) {
        reply_with(request, &answer, request->length > 0);
        return;
    }
    bool sends = request->method == FRONT_POST || request->method == FRONT_PUT;
    if (sends && body_max > 0 && head->length == NULL) {
        refuse_with(request, MHD_HTTP_LENGTH_REQUIRED, "There is no Content-Length.");
    } else if (request->length > body_max) {
        refuse_with(request, MHD_HTTP_CONTENT_TOO_LARGE, "The body is longer than allowed.");
    } else if (!body_fits(&front->bodies, (size_t)request->length)) {
        refuse_with(request, MHD_HTTP_SERVICE_UNAVAILABLE, "There is no room for the body now.");
    } else {
        request->step = STEP_BODY;
    }
}

static front_method method_of(const char *name)
{
    static const struct {
        const char *name;
        front_method method;
    } methods[] = {
        {"POST", FRONT_POST}, {"GET", FRONT_GET},       {"HEAD", FRONT_GET},
        {"PUT", FRONT_PUT},   {"DELETE", FRONT_DELETE}, {"OPTIONS", FRONT_OPTIONS},
    };
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        if (strcmp(methods[i].name, name) == 0) return methods[i].method;
    }
    return FRONT_OTHER;
}

static enum MHD_Result on_head(front_request *request, const char *method, const char *version)
{
    sottod_front *front = request->front;
    front->counts.requests++;
    front->begun++;
    request->begun = true;
    request->method = method_of(method);

    const size_t *head_bytes =
        &MHD_get_connection_info(request->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE)
             ->header_size;
    request_head head = {.bytes = *head_bytes};
    MHD_get_connection_values(request->connection,
                              MHD_HEADER_KIND | MHD_GET_ARGUMENT_KIND | MHD_COOKIE_KIND,
                              read_header, &head);
    /* libmicrohttpd has refused what is no number, and what 64 bits cannot hold. */
    request->length = head.length != NULL ? strtoull(head.length, NULL, 10) : 0;
    bool sound = check_head(request, &head, version);
    if (sound) admit(request, &head);
    if (request->step != STEP_REPLY) return MHD_YES;

    /* It is refused. Who is still sending when the connection is closed may never see the answer: so a
     * short body is read first. */
    if (!sound || head.expects || request->length > SWALLOW_BYTES_MAX) return hand_over(request);
    if (request->length > 0) request->step = STEP_SWALLOW;
    return MHD_YES;
}

/* ---- the body */

static void on_piece(front_request *request, const char *piece, size_t bytes)
{
    if (request->step != STEP_BODY) return;
    sottod_front *front = request->front;
    size_t length = (size_t)request->length; /* no more than the door's body_max */
    if (body_add(&front->bodies, &request->body, piece, bytes, length)) return;
    body_clear(&front->bodies, &request->body);
    refuse_with(request, MHD_HTTP_SERVICE_UNAVAILABLE, "There is no room for the body now.");
    request->step = STEP_SWALLOW;
}

static void on_whole(front_request *request)
{
    sottod_front *front = request->front;
    front_answer answer = {0};
    front_verdict verdict = front->door.answer(front->door.self, request, &answer);
    body_clear(&front->bodies, &request->body);
    if (verdict == FRONT_WAITS) {
        wait_begin(request);
    } else {
        reply_with(request, &answer, false);
    }
}

static enum MHD_Result on_end(front_request *request)
{
    if (request->step == STEP_BODY) on_whole(request);
    if (request->step == STEP_SWALLOW) request->step = STEP_REPLY;
    return request->step == STEP_REPLY ? hand_over(request) : MHD_YES;
}

/* ---- what libmicrohttpd calls */

static void *begin(void *self, const char *uri, struct MHD_Connection *connection)
{
    sottod_front *front = self;
    front->moved = true;
    front_request *request = front->free;
    if (request != NULL) {
        front->free = request->behind;
    } else {
        request = malloc(sizeof *request);
        if (request == NULL) return NULL;
    }
    size_t bytes = strcspn(uri, "?");
    request->path_cut = bytes >= PATH_BYTES;
    if (request->path_cut) bytes = PATH_BYTES - 1u;
    memcpy(request->path, uri, bytes);
    request->path[bytes] = '\0';
    request->front = front;
    request->connection = connection;
    request->method = FRONT_OTHER;
    request->step = STEP_HEAD;
    request->begun = false;
    request->suspended = false;
    request->body = (front_body){0};
    request->length = 0;
    request->reply = NULL;
    return request;
}

static enum MHD_Result handle(void *self, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *piece,
                              size_t *piece_bytes, void **own)
{
    (void)path; /* decoded: `begin` saw it as it came */
    sottod_front *front = self;
    front_request *request = *own;
    if (request == NULL) return MHD_NO; /* there was no memory */

    if (request->step == STEP_WAITS) {
        if (request->waits_since == front->run) return MHD_YES;
        MHD_suspend_connection(connection);
        request->suspended = true;
        return MHD_YES;
    }
    front->moved = true;
    if (request->step == STEP_HEAD) return on_head(request, method, version);
    if (*piece_bytes == 0) return on_end(request);
    on_piece(request, piece, *piece_bytes);
    *piece_bytes = 0;
    return MHD_YES;
}

/* Answered, or the connection is gone. */
static void complete(void *self, struct MHD_Connection *connection, void **own,
                     enum MHD_RequestTerminationCode why)
{
    (void)connection, (void)why;
    sottod_front *front = self;
    front_request *request = *own;
    if (request == NULL) return;
    front->moved = true;
    if (request->step == STEP_WAITS) wait_end(request);
    begun_end(request);
    body_clear(&front->bodies, &request->body);
    if (request->reply != NULL) reply_drop(request->reply);
    request->behind = front->free;
    front->free = request;
    *own = NULL;
}

static enum MHD_Result accept_policy(void *self, const struct sockaddr *from, socklen_t bytes)
{
    (void)from, (void)bytes; /* who it is does not matter here */
    sottod_front *front = self;
    front->moved = true;
    if (front->counts.connections < front->connections_max) return MHD_YES;
    front->counts.refused_connections++;
    return MHD_NO;
}

static void connection_changed(void *self, struct MHD_Connection *connection, void **own,
                               enum MHD_ConnectionNotificationCode change)
{
    (void)connection, (void)own;
    sottod_front *front = self;
    front->moved = true;
    if (change == MHD_CONNECTION_NOTIFY_STARTED) {
        front->counts.connections++;
    } else {
        front->counts.connections--;
    }
}

/* ---- the front */

static struct MHD_Daemon *daemon_start(sottod_front *front, const front_settings *settings,
                                       int listening)
{
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, accept_policy, front, handle, front,
        MHD_OPTION_LISTEN_SOCKET, listening, MHD_OPTION_URI_LOG_CALLBACK, begin, front,
        MHD_OPTION_NOTIFY_COMPLETED, complete, front, MHD_OPTION_NOTIFY_CONNECTION,
        connection_changed, front, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
        /* One more than allowed, so that the policy can refuse it. */
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)settings->connections_max + 1u,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)settings->idle_s_max, MHD_OPTION_END);
}

sottod_front *front_open(const front_settings *settings, const front_door *door,
                         char fault[FRONT_FAULT_BYTES])
{
    fault[0] = '\0';
    sottod_front *front = calloc(1, sizeof *front);
    if (front == NULL) {
        snprintf(fault, FRONT_FAULT_BYTES, "there is no memory");
        return NULL;
    }
    front->door = *door;
    front->connections_max = settings->connections_max;
    body_store_init(&front->bodies, settings->bodies_bytes_max);

    int listening = address_listen(settings->address, settings->port, fault);
    if (listening < 0) goto fail;
    front->port = address_port(listening);
    front->daemon = daemon_start(front, settings, listening);
    if (front->daemon == NULL) {
        snprintf(fault, FRONT_FAULT_BYTES, "port %u of %.64s cannot be served",
                 (unsigned)front->port, settings->address);
        close(listening);
        goto fail;
    }
    front->fd = MHD_get_daemon_info(front->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    return front;

fail:
    free(front);
    return NULL;
}

void front_close(sottod_front *front)
{
    if (front == NULL) return;
    /* libmicrohttpd cannot stop while a connection is suspended. */
    for (front_request *request = front->waiting; request != NULL;) {
        if (request->suspended) MHD_resume_connection(request->connection);
        request->suspended = false;
        request = request->behind != front->waiting ? request->behind : NULL;
    }
    MHD_stop_daemon(front->daemon);
    assert(front->begun == 0);
    while (front->free != NULL) {
        front_request *request = front->free;
        front->free = request->behind;
        free(request);
    }
    reply_memory_clear(&front->replies);
    body_store_clear(&front->bodies);
    free(front);
}

uint16_t front_port(const sottod_front *front)
{
    return front->port;
}

int front_fd(const sottod_front *front)
{
    return front->fd;
}

int front_timeout_ms(sottod_front *front)
{
    if (front->owes) return 0; /* of connections that are resumed, libmicrohttpd says nothing */
    MHD_UNSIGNED_LONG_LONG ms = 0;
    if (MHD_get_timeout(front->daemon, &ms) != MHD_YES) return -1;
    return ms < 60000u ? (int)ms : 60000;
}

bool front_run(sottod_front *front)
{
    /* Bytes of a head that is not whole yet are seen here only. */
    struct pollfd ready = {.fd = front->fd, .events = POLLIN};
    bool moved = poll(&ready, 1, 0) > 0;
    front->run++;
    for (uint32_t round = 0; round < ROUNDS_MAX; round++) {
        front->moved = front->owes = false;
        MHD_run(front->daemon);
        moved = moved || front->moved;
        if (!front->moved || front_timeout_ms(front) != 0) break;
    }
    return moved;
}

void front_settle(sottod_front *front, const front_answer *answer)
{
    if (front->waiting == NULL) return;
    front->owes = true;
    front_reply *reply = reply_of(&front->replies, answer, answer->close || front->quiet);
    while (front->waiting != NULL) {
        front_request *request = front->waiting;
        wait_end(request);
        if (reply != NULL) reply_hold(reply);
        reply_is(request, reply);
        if (request->suspended) MHD_resume_connection(request->connection);
        request->suspended = false;
    }
    if (reply != NULL) reply_drop(reply);
}

uint32_t front_begun(const sottod_front *front)
{
    return front->begun;
}

void front_quiesce(sottod_front *front)
{
    if (front->quiet) return;
    front->quiet = true;
    int listening = MHD_quiesce_daemon(front->daemon);
    if (listening >= 0) close(listening);
}

front_counts front_count(const sottod_front *front)
{
    return front->counts;
}
