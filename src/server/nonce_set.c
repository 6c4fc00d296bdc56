/*
 * The nonces of the open epochs, in memory that is taken when the set is made or grown.
 *
 *   entry[capacity]   nonce, keyed hash of the whole frame, two links
 *   bucket[2^b]       first entry of a chain of entries whose nonces have one keyed hash mod 2^b;
 *                     2^b >= capacity, so that chains have one entry in the mean
 *   epoch[open]       first entry of the list of an open epoch, by epoch mod open
 *   unused            first entry of the list of those that are free
 *
 * Whoever sends reports chooses nonces, but not which of them fall into one bucket: the key is the
 * server's. Nonces are compared whole; frames by 64 bits of keyed hash.
 */
#include "side.h"
#include "siphash.h"

#include <sotto/server.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define OPEN_EPOCHS_MAX 17u /* the largest epoch_lag_max of a spec, and the current one */

static_assert(SOTTO_NONCE_KEY_BYTES == SOTTO__SIPHASH_KEY_BYTES,
              "the key of the set is the hash's");

typedef struct nonce_entry {
    uint8_t nonce[SOTTO_NONCE_BYTES];
    uint64_t frame_hash;
    uint32_t in_bucket; /* the next of its chain, or of the unused */
    uint32_t in_epoch;  /* the next of its epoch */
} nonce_entry;

struct sotto_nonce_set {
    uint8_t key[SOTTO__SIPHASH_KEY_BYTES];
    uint32_t capacity, count;
    uint32_t mask; /* buckets - 1 */
    uint32_t open_count;
    uint32_t current; /* the newest open epoch */
    uint32_t unused;
    uint32_t epoch[OPEN_EPOCHS_MAX];
    uint32_t *bucket;
    nonce_entry *entry;
};

const char *sotto_seen_name(sotto_seen value)
{
#define SEEN_NAME(name, text) text,
    static const char *const names[] = {SOTTO_SEEN_MAP(SEEN_NAME)};
    return (uint32_t)value < sizeof names / sizeof names[0] ? names[value] : NULL;
}

static uint32_t buckets_for(uint32_t capacity)
{
    uint32_t buckets = 1;
    while (buckets < capacity) {
        buckets *= 2;
    }
    return buckets;
}

static void empty_buckets(sotto_nonce_set *set)
{
    for (uint32_t i = 0; i <= set->mask; i++) {
        set->bucket[i] = NONE;
    }
}

/* Puts the entries from `first` to the end of the memory before those that are unused. */
static void add_unused(sotto_nonce_set *set, uint32_t first)
{
    for (uint32_t i = set->capacity; i-- > first;) {
        set->entry[i].in_bucket = set->unused;
        set->unused = i;
    }
}

static void clear(sotto_nonce_set *set)
{
    set->count = 0;
    empty_buckets(set);
    for (uint32_t e = 0; e < OPEN_EPOCHS_MAX; e++) {
        set->epoch[e] = NONE;
    }
    set->unused = NONE;
    add_unused(set, 0);
}

size_t sotto_nonce_set_bytes(uint32_t capacity)
{
    if (capacity < 1 || capacity > SOTTO_NONCES_MAX) return 0;
    return sizeof(sotto_nonce_set) + capacity * sizeof(nonce_entry) +
           buckets_for(capacity) * sizeof(uint32_t);
}

sotto_status sotto_nonce_set_new(const sotto_terms *terms, const uint8_t key[SOTTO_NONCE_KEY_BYTES],
                                 uint32_t capacity, sotto_nonce_set **out)
{
    if (out != NULL) *out = NULL;
    if (out == NULL || terms == NULL || key == NULL) return SOTTO_E_ARGUMENT;
    if (capacity < 1 || capacity > SOTTO_NONCES_MAX) return SOTTO_E_FAULT;
    sotto_status status = sotto_terms_check(terms);
    if (status != SOTTO_OK) return status;
    sotto_nonce_set *set = calloc(1, sizeof *set);
    if (set == NULL) return SOTTO_E_MEMORY;
    memcpy(set->key, key, sizeof set->key);
    set->capacity = capacity;
    set->mask = buckets_for(capacity) - 1;
    set->open_count = terms->spec.epoch_lag_max + 1;
    set->bucket = malloc(((size_t)set->mask + 1) * sizeof set->bucket[0]);
    set->entry = malloc(capacity * sizeof set->entry[0]);
    if (set->bucket == NULL || set->entry == NULL) {
        sotto_nonce_set_free(set);
        return SOTTO_E_MEMORY;
    }
    clear(set);
    *out = set;
    return SOTTO_OK;
}

void sotto_nonce_set_free(sotto_nonce_set *set)
{
    if (set == NULL) return;
    free(set->bucket);
    free(set->entry);
    free(set);
}

uint64_t sotto_nonce_set_count(const sotto_nonce_set *set)
{
    return set == NULL ? 0 : set->count;
}

uint32_t sotto_nonce_set_capacity(const sotto_nonce_set *set)
{
    return set == NULL ? 0 : set->capacity;
}

/* The link that leads to the entry of a nonce, or to NONE at the end of its chain. */
static uint32_t *find(sotto_nonce_set *set, const uint8_t *nonce)
{
    uint64_t hash = sotto__siphash(set->key, nonce, SOTTO_NONCE_BYTES);
    uint32_t *link = &set->bucket[hash & set->mask];
    while (*link != NONE && memcmp(set->entry[*link].nonce, nonce, SOTTO_NONCE_BYTES) != 0) {
        link = &set->entry[*link].in_bucket;
    }
    return link;
}

static bool is_open(const sotto_nonce_set *set, uint32_t epoch)
{
    return epoch <= set->current && set->current - epoch < set->open_count;
}

sotto_status sotto_nonce_set_see(sotto_nonce_set *set, const sotto_report *report,
                                 const uint8_t *frame, size_t frame_bytes, sotto_seen *seen)
{
    if (set == NULL || report == NULL || frame == NULL || seen == NULL) return SOTTO_E_ARGUMENT;
    if (!is_open(set, report->epoch)) return SOTTO_E_EPOCH;
    uint64_t frame_hash = sotto__siphash(set->key, frame, frame_bytes);
    uint32_t *link = find(set, report->nonce);
    if (*link != NONE) {
        *seen = set->entry[*link].frame_hash == frame_hash ? SOTTO_SEEN_SAME : SOTTO_SEEN_OTHER;
        return SOTTO_OK;
    }
    if (set->unused == NONE) return SOTTO_E_FULL;
    uint32_t taken = set->unused, *first = &set->epoch[report->epoch % set->open_count];
    nonce_entry *entry = &set->entry[taken];
    set->unused = entry->in_bucket;
    memcpy(entry->nonce, report->nonce, SOTTO_NONCE_BYTES);
    entry->frame_hash = frame_hash;
    entry->in_bucket = NONE;
    entry->in_epoch = *first;
    *first = *link = taken;
    set->count++;
    *seen = SOTTO_SEEN_NEW;
    return SOTTO_OK;
}

/* Takes an entry, found by the link that leads to it, out of its chain. */
static void drop(sotto_nonce_set *set, uint32_t *link)
{
    uint32_t dropped = *link;
    *link = set->entry[dropped].in_bucket;
    set->entry[dropped].in_bucket = set->unused;
    set->unused = dropped;
    set->count--;
}

void sotto_nonce_set_remove(sotto_nonce_set *set, const sotto_report *report)
{
    if (set == NULL || report == NULL || !is_open(set, report->epoch)) return;
    uint32_t *link = find(set, report->nonce);
    if (*link == NONE) return;
    uint32_t *of_epoch = &set->epoch[report->epoch % set->open_count];
    while (*of_epoch != NONE && *of_epoch != *link) {
        of_epoch = &set->entry[*of_epoch].in_epoch;
    }
    if (*of_epoch == NONE) return; /* the nonce belongs to another epoch */
    *of_epoch = set->entry[*link].in_epoch;
    drop(set, link);
}

/* Makes all chains anew, of the entries that epochs have. */
static void chain_again(sotto_nonce_set *set)
{
    empty_buckets(set);
    for (uint32_t e = 0; e < set->open_count; e++) {
        for (uint32_t i = set->epoch[e]; i != NONE; i = set->entry[i].in_epoch) {
            uint64_t hash = sotto__siphash(set->key, set->entry[i].nonce, SOTTO_NONCE_BYTES);
            uint32_t *first = &set->bucket[hash & set->mask];
            set->entry[i].in_bucket = *first;
            *first = i;
        }
    }
}

/* One by one: each is found by its hash, at a place of its own in memory. */
static void forget_some(sotto_nonce_set *set, uint32_t *first)
{
    while (*first != NONE) {
        nonce_entry *entry = &set->entry[*first];
        uint32_t next = entry->in_epoch;
        drop(set, find(set, entry->nonce));
        *first = next;
    }
}

/* All at once: chains are then made of those that stay. */
static void forget_most(sotto_nonce_set *set, uint32_t *first)
{
    while (*first != NONE) {
        uint32_t gone = *first;
        *first = set->entry[gone].in_epoch;
        set->entry[gone].in_bucket = set->unused;
        set->unused = gone;
        set->count--;
    }
    chain_again(set);
}

static void forget_epoch(sotto_nonce_set *set, uint32_t epoch)
{
    uint32_t *first = &set->epoch[epoch % set->open_count], gone = 0;
    for (uint32_t i = *first; i != NONE; i = set->entry[i].in_epoch) {
        gone++;
    }
    /* Making the chains costs a look at each bucket, and a hash for each entry that stays. */
    bool most = gone > set->count - gone && gone > set->mask / 8;
    if (most) {
        forget_most(set, first);
    } else {
        forget_some(set, first);
    }
}

sotto_status sotto_nonce_set_advance(sotto_nonce_set *set, uint32_t current)
{
    if (set == NULL) return SOTTO_E_ARGUMENT;
    if (current < set->current) return SOTTO_E_EPOCH;
    uint32_t steps = current - set->current;
    if (steps > set->open_count) steps = set->open_count;
    for (uint32_t i = 0; i < steps; i++) {
        forget_epoch(set, current - i); /* what had the place of an epoch that now opens */
    }
    set->current = current;
    return SOTTO_OK;
}

sotto_status sotto_nonce_set_grow(sotto_nonce_set *set, uint32_t capacity)
{
    if (set == NULL) return SOTTO_E_ARGUMENT;
    if (capacity < set->capacity || capacity > SOTTO_NONCES_MAX) return SOTTO_E_FAULT;
    uint32_t buckets = buckets_for(capacity), before = set->capacity;
    uint32_t *bucket = malloc(buckets * sizeof bucket[0]);
    nonce_entry *entry = malloc(capacity * sizeof entry[0]);
    if (bucket == NULL || entry == NULL) {
        free(bucket);
        free(entry);
        return SOTTO_E_MEMORY;
    }
    memcpy(entry, set->entry, before * sizeof entry[0]);
    free(set->bucket);
    free(set->entry);
    set->bucket = bucket;
    set->entry = entry;
    set->mask = buckets - 1;
    set->capacity = capacity;
    chain_again(set);
    add_unused(set, before);
    return SOTTO_OK;
}
