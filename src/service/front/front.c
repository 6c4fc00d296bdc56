/*
 * libmicrohttpd, driven by our own loop: the caller polls its epoll fd, MHD_run does what is ready.
 *
 * It calls us up to four times per request: `begin` with the first line, then `handle` with the head, with each piece
 * of the body, and at the end of the body. We pass the answer at the end, so that the connection can continue; or with
 * the head, in which case libmicrohttpd closes the connection without reading a body.
 *
 * A waiting request is called again in every pass, which costs no system call. Only if it still waits some calls of
 * front_run later is it suspended (removed from the epoll set) until it is settled.
 *
 * Some requests never reach us. libmicrohttpd answers them with a short page of its own, and closes: 400 for a length
 * that is negative or not a number (and then it sends its head twice), 413 for a length of 2^64 or more, 414 and 431
 * for a head larger than the memory of a connection, 505 for another version. If the first line is garbage, it closes
 * silently; if the arguments of the path do not fit, only after the time limit.
 *
 * A body must have a Content-Length. libmicrohttpd 0.9.75 can read chunks, but if the line with a chunk's size is longer
 * than its buffer, it busy-loops for as long as a connection may be idle. */

#include "core/core.h"
#include "inner.h"
#include "service/system/system.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PASSES_MAX 8u /* calls of MHD_run per front_run: answers must be sent as well */
#define SWALLOW_BYTES_MAX (1u << 20) /* a refused body up to this length is read all the same */
/* runs in which a waiting request is called again before it is suspended */
#define AWAKE_RUNS 4u
#define HUNG_RUNS 3u /* runs without progress on a connection whose other side has ended */
#define HUNG_MS 10   /* between these runs, if there is nothing else to do */

/* ---- answers */

static void begun_end(front_request *request)
{
    if (!request->begun) return;
    request->begun = false;
    request->front->begun--;
}

/* Sets the reply to send at the end of the body. NULL (no memory): the connection is cut there. */
static void reply_is(front_request *request, front_reply *reply)
{
    request->reply = reply;
    request->step = STEP_REPLY;
    begun_end(request);
}

/* `close`, or the answer's own close: the connection ends after it. */
static front_reply *reply_to(sottod_front *front, const front_answer *answer, bool close)
{
    front_answer full = *answer;
    full.close = close || answer->close || front->quiet;
    return reply_of(&front->replies, &full);
}

static void reply_with(front_request *request, const front_answer *answer, bool close)
{
    bool bare = request->bare && answer->pieces.more != NULL;
    close = close || answer->close || ahead_ends(request) || bare;
    reply_is(request, reply_to(request->front, answer, close));
    if (bare && request->reply != NULL) reply_without_pieces(request->reply);
}

static_assert(FRONT_REFUSED_ROUTE == 0, "who says no more refuses for what is asked");

static void count_if_refused(sottod_front *front, const front_answer *answer)
{
    if (answer->status >= 400) front->counts.refused[answer->why]++;
}

/* The answer of the door. */
static void reply_of_door(front_request *request, const front_answer *answer, bool close)
{
    count_if_refused(request->front, answer);
    reply_with(request, answer, close);
}

static void refuse_with(front_request *request, front_refusal why, uint32_t status,
                        const char *sentence, const char *allowed)
{
    sottod_front *front = request->front;
    front_answer answer = {0};
    front->door.refuse(front->door.self, status, sentence, allowed, &answer);
    if (front->door.refused != NULL) front->door.refused(front->door.self, request, status);
    front->counts.refused[why]++;
    reply_with(request, &answer, true);
}

static void count_latency(const front_request *request)
{
    sottod_front *front = request->front;
    uint32_t kind = front->door.kind != NULL ? front->door.kind(front->door.self, request) : 0;
    assert(kind < FRONT_KINDS);
    latency_add(&front->counts.latency[kind], clock_steady_us() - request->whole_us);
}

static enum MHD_Result hand_over(front_request *request)
{
    if (request->reply == NULL) return MHD_NO;
    count_latency(request);
    request->reply->connection = request->connection;
    request->step = STEP_SENT;
    phase_is(request, RING_SENDS);
    return MHD_queue_response(request->connection, request->reply->answer.status,
                              request->reply->response);
}

/* ---- the head */

static void refuse_long(front_request *request, size_t body_max)
{
    char allowed[48];
    snprintf(allowed, sizeof allowed, "at most %zu bytes", body_max);
    refuse_with(request, FRONT_REFUSED_LENGTH, MHD_HTTP_CONTENT_TOO_LARGE,
                "The body is longer than allowed.", allowed);
}

static void refuse_rate(front_request *request, front_refusal why, const char *sentence)
{
    refuse_with(request, why, MHD_HTTP_TOO_MANY_REQUESTS, sentence, NULL);
}

static void admit(front_request *request, const request_head *head)
{
    sottod_front *front = request->front;
    front_answer answer = {0};
    size_t body_max = 0;
    if (!front->door.admit(front->door.self, request, &body_max, &answer)) {
        reply_of_door(request, &answer, request->length > 0);
        return;
    }
    bool sends = request->method == FRONT_POST || request->method == FRONT_PUT;
    if (sends && body_max > 0 && head->length == NULL) {
        refuse_with(request, FRONT_REFUSED_HEAD, MHD_HTTP_LENGTH_REQUIRED,
                    "The request has no Content-Length.", NULL);
    } else if (request->length > body_max) {
        refuse_long(request, body_max);
    } else if (!body_fits(&front->bodies, (size_t)request->length)) {
        refuse_with(request, FRONT_REFUSED_MEMORY, MHD_HTTP_SERVICE_UNAVAILABLE,
                    "The server has no room for the body now.", NULL);
    } else if (request->shares && request->length > 0 &&
               !share_bytes(front->share, request->mark, request->length, front->now_ms)) {
        refuse_rate(request, FRONT_REFUSED_ADDRESS_BYTES,
                    "This address sends too much. Send the request again later.");
    } else {
        request->body_max = body_max;
        request->step = STEP_BODY;
    }
}

static enum MHD_Result on_head(front_request *request, const char *method, const char *version)
{
    sottod_front *front = request->front;
    front->counts.requests++;
    request->whole_us = clock_steady_us();
    front->begun++;
    request->begun = true;
    request->method = head_method(method);
    request->bare = strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;

    request_head head = {.path_cut = request->path_cut};
    head_read(request->connection, &request->target, method, version, &head);
    request->length = head_length(&head);
    uint32_t status = 0;
    sotto_fault fault;
    const bool is_bad = head_fault(&head, &status, &fault) != SOTTO_OK;
    if (!gate_charge(request)) {
        refuse_rate(request, FRONT_REFUSED_ADDRESS_REQUESTS,
                    "This address sends too many requests. Try again later.");
    } else if (is_bad) {
        refuse_with(request, FRONT_REFUSED_HEAD, status, fault.sentence, NULL);
    } else {
        admit(request, &head);
    }
    if (request->step != STEP_REPLY) return MHD_YES;

    /* The request is refused. A client that is still sending when the connection is closed may never see the answer,
     * so a short body is read first. */
    if (is_bad || head.expects || request->length > SWALLOW_BYTES_MAX) return hand_over(request);
    if (request->length > 0) request->step = STEP_SWALLOW;
    return MHD_YES;
}

/* ---- the body */

static void on_piece(front_request *request, const char *piece, size_t bytes)
{
    request->received += bytes;
    if (request->step != STEP_BODY) return;
    sottod_front *front = request->front;
    size_t length = (size_t)request->length; /* at most the door's body_max */
    if (body_add(&front->bodies, &request->body, piece, bytes, length)) {
        if (request->received < length && front->door.arrives != NULL)
            front->door.arrives(front->door.self, request);
        return;
    }
    body_clear(&front->bodies, &request->body);
    refuse_with(request, FRONT_REFUSED_MEMORY, MHD_HTTP_SERVICE_UNAVAILABLE,
                "The server has no room for the body now.", NULL);
    request->step = STEP_SWALLOW;
}

static void on_whole(front_request *request)
{
    sottod_front *front = request->front;
    front_answer answer = {0};
    front_verdict verdict = front->door.answer(front->door.self, request, &answer);
    if (verdict == FRONT_WAITS) front->waiting_bytes += gate_weight(request);
    body_clear(&front->bodies, &request->body);
    if (verdict == FRONT_WAITS) {
        request->step = STEP_WAITS;
        request->waits_since = front->run;
        ring_add(request, RING_WAITS);
    } else {
        reply_of_door(request, &answer, false);
    }
}

static enum MHD_Result on_end(front_request *request)
{
    phase_is(request, RINGS); /* from here on, the time is ours */
    if (request->step == STEP_BODY) {
        request->whole_us = clock_steady_us();
        on_whole(request);
    }
    if (request->step == STEP_SWALLOW) request->step = STEP_REPLY;
    if (request->step != STEP_REPLY) return MHD_YES;
    ahead_whole(request);
    return hand_over(request);
}

/* ---- what libmicrohttpd calls */

/* The request was answered or given up: clears it. */
static void request_end(front_request *request)
{
    sottod_front *front = request->front;
    if (request->step == STEP_WAITS) ring_remove(request, RING_WAITS);
    request->served = request->served || request->step != STEP_HEAD;
    phase_is(request, RING_QUIET);
    begun_end(request);
    body_clear(&front->bodies, &request->body);
    if (request->reply != NULL) reply_drop(request->reply);
    request->reply = NULL;
    request->step = STEP_HEAD;
    request->suspended = false;
}

static void *begin(void *self, const char *uri, struct MHD_Connection *connection)
{
    sottod_front *front = self;
    front->moved = true;
    front_request *request =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    if (request == NULL) return NULL;
    request->touched = front->run;
    ahead_begin(request);
    request_end(request); /* libmicrohttpd does not always report the end of a request */
    request->target = head_target_of(uri);
    size_t bytes = request->target.path_bytes;
    request->path_cut = bytes >= PATH_BYTES;
    if (request->path_cut) bytes = PATH_BYTES - 1u;
    memcpy(request->path, request->target.path, bytes);
    request->path[bytes] = '\0';
    request->length = request->received = 0;
    phase_is(request, RING_READS);
    return request;
}

static enum MHD_Result handle(void *self, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *piece,
                              size_t *piece_bytes, void **own)
{
    (void)path; /* decoded; `begin` saw the original */
    sottod_front *front = self;
    front_request *request = *own;
    if (request == NULL) return MHD_NO; /* no memory */

    if (request->step == STEP_WAITS) {
        if (front->run - request->waits_since < AWAKE_RUNS) return MHD_YES;
        MHD_suspend_connection(connection);
        request->suspended = true;
        return MHD_YES;
    }
    request->touched = front->run;
    if (request->step == STEP_BODY && *piece_bytes == 0 && request->length > 0 &&
        !gate_hands_over(request)) {
        phase_is(request, RINGS); /* it is complete: from here on, the time is ours */
        return MHD_YES;           /* it is called again in the next pass */
    }
    front->moved = true;
    if (request->step == STEP_HEAD) return on_head(request, method, version);
    if (*piece_bytes == 0) return on_end(request);
    on_piece(request, piece, *piece_bytes);
    *piece_bytes = 0;
    return MHD_YES;
}

static void complete(void *self, struct MHD_Connection *connection, void **own,
                     enum MHD_RequestTerminationCode why)
{
    (void)connection;
    sottod_front *front = self;
    front->moved = true;
    front_request *request = *own;
    if (request == NULL) return;
    request->touched = front->run;
    if (request->step == STEP_SENT) ahead_sent(request);
    if (why == MHD_REQUEST_TERMINATED_TIMEOUT_REACHED) ended_idle(request);
    request_end(request);
    *own = NULL;
}

static enum MHD_Result accept_policy(void *self, const struct sockaddr *from, socklen_t bytes)
{
    (void)bytes;
    sottod_front *front = self;
    front->moved = true;
    return gate_admits(front, from) ? MHD_YES : MHD_NO;
}

/* The requests of a connection follow each other in the same struct. */
static void connection_begin(sottod_front *front, struct MHD_Connection *connection, void **own)
{
    front->counts.connections++;
    front_request *request = front->free;
    if (request != NULL) {
        front->free = request->next;
    } else {
        request = malloc(sizeof *request);
    }
    *own = request;
    if (request == NULL) return; /* cut whatever this returns */
    *request = (front_request){.front = front, .connection = connection, .phase = RINGS};
    const union MHD_ConnectionInfo *from =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    gate_enter(request, from != NULL ? from->client_addr : NULL);
    phase_is(request, RING_QUIET);
    /* If this fails, the end of the other side may go unnoticed until the time limit. */
    (void)hangup_watch(front->watch, phase_socket(request), request);
}

static void connection_end(sottod_front *front, front_request *request)
{
    front->counts.connections--;
    if (request == NULL) return;
    ended_count(request);
    request_end(request);
    phase_is(request, RINGS);
    gate_leave(request);
    if (request->hung) ring_remove(request, RING_HUNG);
    request->next = front->free;
    front->free = request;
}

static void connection_changed(void *self, struct MHD_Connection *connection, void **own,
                               enum MHD_ConnectionNotificationCode change)
{
    sottod_front *front = self;
    front->moved = true;
    if (change == MHD_CONNECTION_NOTIFY_STARTED) {
        connection_begin(front, connection, own);
    } else {
        connection_end(front, *own);
        *own = NULL;
    }
}

/* ---- connections whose other side has ended */

static void hung_note(sottod_front *front)
{
    void *whose[64];
    for (size_t count; (count = hangup_list(front->watch, whose, 64)) > 0;) {
        for (size_t i = 0; i < count; i++) {
            front_request *request = whose[i];
            if (request->hung) continue;
            request->hung = true;
            request->went = hangup_came_first(phase_socket(request));
            ring_add(request, RING_HUNG);
        }
    }
}

/* Ends connections whose other side has ended, that are owed no answer and have nothing left to read: libmicrohttpd
 * notices when our side ends as well. */
static void hung_end(sottod_front *front)
{
    for (front_request *request = front->ring[RING_HUNG], *next; request != NULL; request = next) {
        next = ring_next(request, RING_HUNG);
        bool owed = request->step >= STEP_WAITS;
        if (owed || front->run - request->touched < HUNG_RUNS) continue;
        int fd = phase_socket(request);
        if (hangup_all_read(fd)) shutdown(fd, SHUT_RDWR);
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
        connection_changed, front, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)HEAD_CONNECTION_BYTES,
        /* More than connections_max, so that the gate can refuse connections or make room for them. */
        MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)settings->connections_max + FRONT_CONNECTIONS_BESIDE + 1u,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)settings->idle_s_max, MHD_OPTION_END);
}

sotto_status front_open(const front_settings *settings, const front_door *door, sottod_front **out,
                        sotto_fault *fault)
{
    *out = NULL;
    sottod_front *front = calloc(1, sizeof *front);
    if (front == NULL) return sotto__fault_status(fault, SOTTO_E_MEMORY);
    front->door = *door;
    front->connections_max = settings->connections_max;
    front->idle_ms_max = UINT64_C(1000) * settings->idle_s_max;
    front->head_ms_max = UINT64_C(1000) * settings->head_s_max;
    front->request_ms_max = FRONT_IDLE_TIMES * front->idle_ms_max;
    front->rate_min = settings->rate_min;
    front->now_ms = clock_steady_ms();
    body_store_init(&front->bodies, settings->bodies_bytes_max);
    front->watch = hangup_new();
    if (front->watch < 0) {
        sotto__refuse(fault, "cannot watch connections: %s", strerror(errno));
        goto fail;
    }
    if (!gate_open(front, settings)) {
        sotto__refuse(fault, "cannot count addresses: out of memory, or no randomness");
        goto fail;
    }

    int listening;
    if (address_listen(settings->address, settings->port, &listening, fault) != SOTTO_OK) goto fail;
    front->port = address_port(listening);
    front->daemon = daemon_start(front, settings, listening);
    if (front->daemon == NULL) {
        sotto__refuse(fault, "cannot serve port %u of %.64s", (unsigned)front->port,
                      settings->address);
        close(listening);
        goto fail;
    }
    front->fd = MHD_get_daemon_info(front->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    *out = front;
    return SOTTO_OK;

fail:
    if (front->watch >= 0) close(front->watch);
    share_free(front->share);
    free(front);
    return SOTTO_E_FAULT;
}

void front_turn(sottod_front *front, const front_door *door)
{
    assert(front->ring[RING_WAITS] == NULL);
    front->door = *door;
}

void front_close(sottod_front *front)
{
    if (front == NULL) return;
    /* libmicrohttpd cannot stop while a connection is suspended. */
    front_request *request = front->ring[RING_WAITS];
    for (; request != NULL; request = ring_next(request, RING_WAITS)) {
        if (request->suspended) MHD_resume_connection(request->connection);
        request->suspended = false;
    }
    reply_resume(&front->replies);
    MHD_stop_daemon(front->daemon);
    assert(front->begun == 0);
    while (front->free != NULL) {
        request = front->free;
        front->free = request->next;
        free(request);
    }
    close(front->watch);
    share_free(front->share);
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
    /* libmicrohttpd reports nothing about resumed connections */
    if (front->owes || front->replies.paused != NULL) return 0;
    MHD_UNSIGNED_LONG_LONG ms = 0;
    bool timed = MHD_get_timeout(front->daemon, &ms) == MHD_YES;
    int most_ms = front->ring[RING_HUNG] != NULL ? HUNG_MS : phase_timeout_ms(front);
    if (!timed) return most_ms;
    int own_ms = ms < 60000u ? (int)ms : 60000;
    return most_ms >= 0 && most_ms < own_ms ? most_ms : own_ms;
}

bool front_run(sottod_front *front)
{
    /* Bytes of an incomplete head are visible only here. */
    struct pollfd ready = {.fd = front->fd, .events = POLLIN};
    bool moved = poll(&ready, 1, 0) > 0;
    front->run++;
    front->now_ms = clock_steady_ms();
    reply_resume(&front->replies);
    hung_note(front);
    phase_end_slow(front);
    for (uint32_t i = 0; i < PASSES_MAX; i++) {
        front->moved = front->owes = false;
        front->first = i == 0;
        front->pass++;
        MHD_run(front->daemon);
        moved = moved || front->moved;
        if (!front->moved || front_timeout_ms(front) != 0) break;
    }
    hung_end(front);
    return moved;
}

void front_settle(sottod_front *front, const front_answer *answer)
{
    front->waiting_bytes = 0;
    if (front->ring[RING_WAITS] == NULL) return;
    front->owes = true;
    front_reply *reply = reply_to(front, answer, false);
    while (front->ring[RING_WAITS] != NULL) {
        front_request *request = front->ring[RING_WAITS];
        ring_remove(request, RING_WAITS);
        count_if_refused(front, answer);
        front_answer own = *answer;
        const front_door *door = &front->door;
        bool dressed = door->dress != NULL && door->dress(door->self, request, &own);
        bool ends = ahead_ends(request);
        if (dressed || ends) {
            reply_is(request, reply_to(front, &own, ends));
        } else {
            if (reply != NULL) reply_hold(reply);
            reply_is(request, reply);
        }
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
