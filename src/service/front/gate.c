#include "gate.h"

#include "phase.h"
#include "service/system/entropy.h"

#include <assert.h>

bool gate_open(sottod_front *front, const front_settings *settings)
{
    if (settings->addresses == FRONT_ADDRESSES_NONE) return true;
    const share_limits limits = {.connections_max = settings->address_connections_max,
                                 .requests_per_s_max = settings->address_requests_max,
                                 .bytes_per_s_max = settings->address_bytes_max};
    uint8_t key[SHARE_KEY_BYTES];
    if (!entropy_draw(key, sizeof key)) return false;
    front->share = share_new(&limits, key);
    front->share_near = settings->addresses == FRONT_ADDRESSES_ALL;
    return front->share != NULL;
}

/* Whether what this address has of the service is counted, and its mark. */
static bool is_counted(const sottod_front *front, const struct sockaddr *from, uint64_t *mark)
{
    if (front->share == NULL || from == NULL) return false;
    if (!front->share_near && share_is_near(from)) return false;
    *mark = share_mark(front->share, from);
    return true;
}

static bool has_place(sottod_front *front)
{
    uint64_t connections = front->counts.connections;
    if (connections - front->ending < front->connections_max) return true;
    if (connections >= front->connections_max + FRONT_CONNECTIONS_BESIDE) return false;
    return phase_make_room(front);
}

bool gate_admits(sottod_front *front, const struct sockaddr *from)
{
    uint64_t mark;
    bool counted = is_counted(front, from, &mark);
    if (counted && !share_has_connection(front->share, mark)) {
        front->counts.refused[FRONT_REFUSED_ADDRESS_CONNECTIONS]++;
    } else if (counted && !share_has_request(front->share, mark, front->now_ms)) {
        front->counts.refused[FRONT_REFUSED_ADDRESS_REQUESTS]++;
    } else if (!has_place(front)) {
        front->counts.refused[FRONT_REFUSED_CONNECTIONS]++;
    } else {
        return true;
    }
    return false;
}

bool gate_charge(front_request *request)
{
    sottod_front *front = request->front;
    return !request->shares || share_request(front->share, request->mark, front->now_ms);
}

void gate_enter(front_request *request, const struct sockaddr *from)
{
    sottod_front *front = request->front;
    request->shares = is_counted(front, from, &request->mark);
    if (!request->shares) return;
    share_connect(front->share, request->mark);
    (void)gate_charge(request); /* gate_admits saw that it may */
}

void gate_leave(front_request *request)
{
    sottod_front *front = request->front;
    if (request->shares) share_disconnect(front->share, request->mark);
    request->shares = false;
    if (!request->cut) return;
    assert(front->ending > 0);
    front->ending--;
}
