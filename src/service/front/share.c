#include "inner.h"
#include "server/server.h"
#include "service/system/system.h"

#include <assert.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

/* ==== ring =================================================================================== */

void ring_add(front_request *request, request_ring which)
{
    front_request **first = &request->front->ring[which];
    ring_link *link = &request->link[which];
    if (*first == NULL) {
        *first = link->before = link->behind = request;
        return;
    }
    link->behind = *first;
    link->before = (*first)->link[which].before;
    link->before->link[which].behind = request;
    link->behind->link[which].before = request;
}

void ring_remove(front_request *request, request_ring which)
{
    front_request **first = &request->front->ring[which];
    ring_link *link = &request->link[which];
    link->before->link[which].behind = link->behind;
    link->behind->link[which].before = link->before;
    if (*first == request) *first = link->behind != request ? link->behind : NULL;
}

front_request *ring_next(const front_request *request, request_ring which)
{
    front_request *behind = request->link[which].behind;
    return behind != request->front->ring[which] ? behind : NULL;
}

/* ==== share ================================================================================== */

/*
 * Each place has a number of connections, and two times: when the requests and bytes so far would be done at the allowed
 * rate. If one more would move this time more than SHARE_BURST_S ahead, the rate is exceeded (the generic cell rate
 * algorithm, ITU-T I.371). Times are in nanoseconds of the steady clock. */

#define MS_NS UINT64_C(1000000)
#define S_NS UINT64_C(1000000000)
#define BURST_NS (SHARE_BURST_S * S_NS)
#define ROW_BITS 14u

static_assert(SHARE_PLACES == 1u << ROW_BITS, "a row is chosen by ROW_BITS of the mark");
static_assert(SHARE_ROWS * ROW_BITS <= 64u, "all rows by one mark");

typedef struct place {
    uint64_t requests_ns, bytes_ns;
    uint32_t connections;
} place;

struct front_share {
    share_limits limits;
    uint8_t key[SHARE_KEY_BYTES];
    place row[SHARE_ROWS][SHARE_PLACES];
};

front_share *share_new(const share_limits *limits, const uint8_t key[SHARE_KEY_BYTES])
{
    assert(limits->connections_max > 0);
    assert(limits->requests_per_s_max > 0);
    assert(limits->bytes_per_s_max > 0);
    front_share *share = calloc(1, sizeof *share);
    if (share == NULL) return NULL;
    share->limits = *limits;
    memcpy(share->key, key, SHARE_KEY_BYTES);
    return share;
}

void share_free(front_share *share)
{
    free(share);
}

/* ---- addresses */

static const uint8_t *four(const struct sockaddr *from)
{
    return (const uint8_t *)&((const struct sockaddr_in *)(const void *)from)->sin_addr;
}

static const uint8_t *six(const struct sockaddr *from)
{
    return (const uint8_t *)&((const struct sockaddr_in6 *)(const void *)from)->sin6_addr;
}

/* 127/8, 10/8, 172.16/12, 192.168/16, 169.254/16, and 100.64/10, which carriers and clusters use. */
static bool is_near_four(const uint8_t a[4])
{
    if (a[0] == 127 || a[0] == 10) return true;
    if (a[0] == 172 && (a[1] & 0xf0u) == 16) return true;
    if (a[0] == 100 && (a[1] & 0xc0u) == 64) return true;
    return (a[0] == 192 && a[1] == 168) || (a[0] == 169 && a[1] == 254);
}

bool share_is_near(const struct sockaddr *from)
{
    if (from->sa_family == AF_INET) return is_near_four(four(from));
    if (from->sa_family != AF_INET6) return true;
    static const uint8_t loopback[16] = {[15] = 1};
    const uint8_t *a = six(from);
    bool own = (a[0] & 0xfeu) == 0xfc;                  /* fc00::/7 */
    bool link = a[0] == 0xfe && (a[1] & 0xc0u) == 0x80; /* fe80::/10 */
    return own || link || memcmp(a, loopback, sizeof loopback) == 0;
}

uint64_t share_mark(const front_share *share, const struct sockaddr *from)
{
    if (from->sa_family == AF_INET) return sotto__siphash(share->key, four(from), 4);
    if (from->sa_family == AF_INET6) return sotto__siphash(share->key, six(from), 8);
    return sotto__siphash(share->key, NULL, 0);
}

/* ---- counting */

static uint32_t place_of(uint64_t mark, uint32_t row)
{
    return (uint32_t)(mark >> (row * ROW_BITS)) & (SHARE_PLACES - 1u);
}

bool share_has_connection(const front_share *share, uint64_t mark)
{
    for (uint32_t r = 0; r < SHARE_ROWS; r++) {
        const place *at = &share->row[r][place_of(mark, r)];
        if (at->connections < share->limits.connections_max) return true;
    }
    return false;
}

void share_connect(front_share *share, uint64_t mark)
{
    for (uint32_t r = 0; r < SHARE_ROWS; r++) {
        share->row[r][place_of(mark, r)].connections++;
    }
}

void share_disconnect(front_share *share, uint64_t mark)
{
    for (uint32_t r = 0; r < SHARE_ROWS; r++) {
        place *at = &share->row[r][place_of(mark, r)];
        assert(at->connections > 0);
        at->connections--;
    }
}

static uint64_t *time_of(front_share *share, uint64_t mark, uint32_t row, bool of_bytes)
{
    place *at = &share->row[row][place_of(mark, row)];
    return of_bytes ? &at->bytes_ns : &at->requests_ns;
}

static bool has_room(uint64_t at_ns, uint64_t now_ns, uint64_t cost_ns)
{
    return (at_ns > now_ns ? at_ns : now_ns) + cost_ns <= now_ns + BURST_NS;
}

/* A full place stays as it is. False: all are full. */
static bool take(front_share *share, uint64_t mark, bool of_bytes, uint64_t now_ns,
                 uint64_t cost_ns)
{
    bool taken = false;
    for (uint32_t r = 0; r < SHARE_ROWS; r++) {
        uint64_t *at_ns = time_of(share, mark, r, of_bytes);
        if (!has_room(*at_ns, now_ns, cost_ns)) continue;
        *at_ns = (*at_ns > now_ns ? *at_ns : now_ns) + cost_ns;
        taken = true;
    }
    return taken;
}

bool share_has_request(const front_share *share, uint64_t mark, uint64_t now_ms)
{
    uint64_t cost_ns = S_NS / share->limits.requests_per_s_max;
    for (uint32_t r = 0; r < SHARE_ROWS; r++) {
        uint64_t at_ns = share->row[r][place_of(mark, r)].requests_ns;
        if (has_room(at_ns, now_ms * MS_NS, cost_ns)) return true;
    }
    return false;
}

bool share_request(front_share *share, uint64_t mark, uint64_t now_ms)
{
    return take(share, mark, false, now_ms * MS_NS, S_NS / share->limits.requests_per_s_max);
}

bool share_bytes(front_share *share, uint64_t mark, uint64_t bytes, uint64_t now_ms)
{
    double cost_ns = (double)bytes * (double)S_NS / (double)share->limits.bytes_per_s_max;
    if (cost_ns > (double)BURST_NS) cost_ns = (double)BURST_NS;
    return take(share, mark, true, now_ms * MS_NS, (uint64_t)cost_ns);
}

/* ==== gate =================================================================================== */

#define FIRST_PART 8u /* 1/8 of what may wait */

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

/* Whether this address is limited, and its mark. */
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
    (void)gate_charge(request); /* gate_admits has checked that it may */
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

uint64_t gate_weight(const front_request *request)
{
    const uint64_t length = request->length;
    if (length == 0 || request->body_max >= FRONT_WAITING_BYTES) return length;
    return length * FRONT_WAITING_BYTES / request->body_max;
}

/* From the first request without room on, all wait, so that short ones cannot overtake a long one forever. The first
 * pass of a run answers requests that waited for the previous commit: it takes a small part of the bodies. */
bool gate_hands_over(front_request *request)
{
    sottod_front *front = request->front;
    const uint64_t waiting = front->waiting_bytes, all = waiting + gate_weight(request);
    if (waiting > 0 && all > FRONT_WAITING_BYTES) {
        front->waiting_bytes = FRONT_WAITING_BYTES;
        return false;
    }
    bool early = front->first && all > FRONT_WAITING_BYTES / FIRST_PART;
    front->moved = front->moved || early; /* there will be another pass */
    return !early;
}
