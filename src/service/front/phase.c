#include "inner.h"
#include "service/system/system.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* ==== ended ================================================================================== */

#define CLOCKS_MS 50u /* how much libmicrohttpd's coarse clock may differ from ours */

static bool is_quiet_for_long(const front_request *request)
{
    return clock_steady_ms() - request->since_ms + CLOCKS_MS >= request->front->idle_ms_max;
}

/* Whether the other side was still there: it may leave as soon as it notices that we end. */
static bool was_idle(const front_request *request)
{
    return is_quiet_for_long(request) && !request->went;
}

/* Whether the request was answered, or the other side is still there. Unknown for connections with an earlier
 * request. */
static bool was_unreadable(const front_request *request)
{
    if (request->served || is_quiet_for_long(request)) return false;
    int fd = phase_socket(request);
    return hangup_has_sent(fd) || !hangup_all_read(fd);
}

void ended_idle(front_request *request)
{
    if (request->cut) return;
    request->front->counts.refused[FRONT_REFUSED_IDLE]++;
    request->ended = true;
}

void ended_count(front_request *request)
{
    sottod_front *front = request->front;
    if (request->cut || request->ended || request->step != STEP_HEAD) return;
    if (was_idle(request)) {
        ended_idle(request);
    } else if (was_unreadable(request)) {
        front->counts.refused[FRONT_REFUSED_HEAD]++;
        (void)gate_charge(request);
    }
}

/* ==== phase ================================================================================== */

#define LOOK_MS 500u
#define ROOM_MS 1000u /* a connection quiet for longer may have to make room */
/* libmicrohttpd closes silent connections itself; after this, one that is still there was not silent */
#define SLACK_MS 2000u

int phase_socket(const front_request *request)
{
    return MHD_get_connection_info(request->connection, MHD_CONNECTION_INFO_CONNECTION_FD)
        ->connect_fd;
}

void phase_is(front_request *request, request_ring phase)
{
    if (request->cut) return;
    if (request->phase != RINGS) ring_remove(request, request->phase);
    request->phase = phase;
    request->since_ms = request->front->now_ms;
    if (phase != RINGS) ring_add(request, phase);
}

/* Ends its connection and counts why. */
static void cut(front_request *request, front_refusal why)
{
    sottod_front *front = request->front;
    phase_is(request, RINGS);
    front->counts.refused[why]++;
    front->ending++;
    request->cut = true;
    shutdown(phase_socket(request), SHUT_RDWR);
}

/* Whether fewer than `bytes` are too few for the time since it began. During the time for a head nothing is too slow. */
static bool is_below_rate(const sottod_front *front, uint64_t since_ms, uint64_t bytes)
{
    uint64_t took_ms = front->now_ms - since_ms;
    if (took_ms <= front->head_ms_max) return false;
    return bytes < (took_ms - front->head_ms_max) * front->rate_min / 1000u;
}

static bool reads_slowly(const front_request *request)
{
    const sottod_front *front = request->front;
    uint64_t took_ms = front->now_ms - request->since_ms;
    if (request->step == STEP_HEAD) return took_ms > front->head_ms_max;
    return took_ms > front->request_ms_max ||
           is_below_rate(front, request->since_ms, request->received);
}

/* What the system still holds of an answer was not taken by the other side. */
static bool is_taken_slowly(const front_request *request)
{
    const sottod_front *front = request->front;
    const front_reply *reply = request->reply;
    uint64_t answer_bytes = reply != NULL ? reply->answer.body_bytes + reply->pieces_bytes : 0;
    if (!is_below_rate(front, request->since_ms, answer_bytes)) return false;
    int left = 0;
    return ioctl(phase_socket(request), SIOCOUTQ, &left) == 0 && left > 0;
}

static void end_all(sottod_front *front, request_ring phase,
                    bool (*is_slow)(const front_request *request))
{
    for (front_request *request = front->ring[phase], *next; request != NULL; request = next) {
        next = ring_next(request, phase);
        if (!is_slow(request)) continue;
        bool body = phase == RING_READS && request->step != STEP_HEAD;
        cut(request, phase == RING_SENDS ? FRONT_REFUSED_SLOW_READER
                     : body              ? FRONT_REFUSED_SLOW_BODY
                                         : FRONT_REFUSED_SLOW_HEAD);
    }
}

void phase_end_slow(sottod_front *front)
{
    if (front->now_ms < front->look_ms) return;
    front->look_ms = front->now_ms + LOOK_MS;
    for (front_request *request; (request = front->ring[RING_QUIET]) != NULL;) {
        if (front->now_ms - request->since_ms <= front->idle_ms_max + SLACK_MS) break;
        cut(request, FRONT_REFUSED_SLOW_HEAD);
    }
    end_all(front, RING_READS, reads_slowly);
    end_all(front, RING_SENDS, is_taken_slowly);
}

int phase_timeout_ms(const sottod_front *front)
{
    if (front->ring[RING_QUIET] == NULL && front->ring[RING_READS] == NULL &&
        front->ring[RING_SENDS] == NULL) {
        return -1;
    }
    uint64_t now_ms = clock_steady_ms();
    /* 1: there is no work meanwhile */
    return now_ms < front->look_ms ? (int)(front->look_ms - now_ms) : 1;
}

bool phase_make_room(sottod_front *front)
{
    static const request_ring phases[] = {RING_QUIET, RING_READS};
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        front_request *oldest = front->ring[phases[i]];
        if (oldest == NULL || front->now_ms - oldest->since_ms <= ROOM_MS) continue;
        cut(oldest, FRONT_REFUSED_ROOM);
        return true;
    }
    return false;
}
