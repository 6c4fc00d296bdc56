/*
 * What one address may have of the service: connections, requests and bytes of bodies.
 *
 * A fixed table of counters, whoever comes. An address counts at SHARE_ROWS places of it, which a keyed hash
 * of the address chooses; the key is drawn at the start and is nowhere else. The table has neither addresses
 * nor hashes in it, so that it tells of nobody. Something is refused only if all places of an address say
 * so: by chance, others can fill one of them, but hardly all.
 *
 * Of an IPv6 address the first 64 bits count: one customer has all of the rest.
 */
#ifndef SERVICE_FRONT_SHARE_H
#define SERVICE_FRONT_SHARE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

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

#endif
