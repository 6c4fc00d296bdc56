#include "inner.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_KEPT_BYTES ((size_t)BODY_KEPT_BYTES << (BODY_SIZES - 1u))

struct body_piece {
    body_piece *next;
};
static_assert(sizeof(body_piece) <= BODY_KEPT_BYTES, "a piece holds its link");

void body_store_init(body_store *store, size_t bytes_max)
{
    *store = (body_store){.bytes_max = bytes_max};
}

/* The smallest kept size that fits; BODY_SIZES if none does. */
static uint32_t size_index(size_t bytes)
{
    uint32_t i = 0;
    while (i < BODY_SIZES && (size_t)BODY_KEPT_BYTES << i < bytes) {
        i++;
    }
    return i;
}

static void free_kept(body_store *store, uint32_t i)
{
    while (store->kept[i] != NULL) {
        body_piece *piece = store->kept[i];
        store->kept[i] = piece->next;
        store->kept_bytes -= (size_t)BODY_KEPT_BYTES << i;
        free(piece);
    }
}

void body_store_clear(body_store *store)
{
    assert(store->used_bytes == 0);
    for (uint32_t i = 0; i < BODY_SIZES; i++) {
        free_kept(store, i);
    }
}

/* Memory of `capacity` bytes: a kept size, or more than all of them. */
static void *take(body_store *store, size_t capacity)
{
    uint32_t i = size_index(capacity);
    if (i < BODY_SIZES && store->kept[i] != NULL) {
        body_piece *piece = store->kept[i];
        store->kept[i] = piece->next;
        store->kept_bytes -= capacity;
        store->used_bytes += capacity;
        return piece;
    }

    /* Frees kept pieces to make room, the largest first. */
    for (uint32_t k = BODY_SIZES; k-- > 0;) {
        if (store->used_bytes + store->kept_bytes + capacity <= store->bytes_max) break;
        free_kept(store, k);
    }
    void *at = malloc(capacity);
    if (at != NULL) store->used_bytes += capacity;
    return at;
}

static void give(body_store *store, void *at, size_t capacity)
{
    store->used_bytes -= capacity;
    uint32_t i = size_index(capacity);
    if (i == BODY_SIZES) {
        free(at);
        return;
    }
    body_piece *piece = at;
    piece->next = store->kept[i];
    store->kept[i] = piece;
    store->kept_bytes += capacity;
}

/* The next capacity: doubled, but at least `need`; above the kept sizes at most bytes_max. */
static size_t grown(size_t capacity, size_t need, size_t bytes_max)
{
    size_t wanted = capacity > need / 2u ? capacity * 2u : need;
    if (wanted > bytes_max) wanted = bytes_max;
    uint32_t i = size_index(wanted);
    return i < BODY_SIZES ? (size_t)BODY_KEPT_BYTES << i : wanted;
}

bool body_add(body_store *store, front_body *body, const void *at, size_t bytes, size_t bytes_max)
{
    assert(body->bytes <= bytes_max);
    assert(bytes <= bytes_max - body->bytes);
    if (bytes == 0) return true;

    size_t need = body->bytes + bytes;
    if (need > body->capacity) {
        size_t capacity = grown(body->capacity, need, bytes_max);
        if (!body_fits(store, capacity)) return false;
        uint8_t *larger = take(store, capacity);
        if (larger == NULL) return false;
        if (body->at != NULL) {
            memcpy(larger, body->at, body->bytes);
            give(store, body->at, body->capacity);
        }
        body->at = larger;
        body->capacity = capacity;
    }
    memcpy(body->at + body->bytes, at, bytes);
    body->bytes = need;
    return true;
}

void body_clear(body_store *store, front_body *body)
{
    if (body->at != NULL) give(store, body->at, body->capacity);
    *body = (front_body){0};
}

bool body_fits(const body_store *store, size_t bytes)
{
    return bytes <= store->bytes_max - store->used_bytes;
}
