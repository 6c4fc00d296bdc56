#include "core/core.h"
#include "server.h"
#include "side.h"

#include <sotto/server.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ==== siphash ================================================================================ */

/* SipHash-2-4, as its paper states it (section 2). */

typedef struct sip {
    uint64_t v0, v1, v2, v3;
} sip;

static uint64_t rotate_left(uint64_t x, int n)
{
    return x << n | x >> (64 - n);
}

static void sip_round(sip *s)
{
    s->v0 += s->v1;
    s->v2 += s->v3;
    s->v1 = rotate_left(s->v1, 13) ^ s->v0;
    s->v3 = rotate_left(s->v3, 16) ^ s->v2;
    s->v0 = rotate_left(s->v0, 32);
    s->v2 += s->v1;
    s->v0 += s->v3;
    s->v1 = rotate_left(s->v1, 17) ^ s->v2;
    s->v3 = rotate_left(s->v3, 21) ^ s->v0;
    s->v2 = rotate_left(s->v2, 32);
}

static void sip_word(sip *s, uint64_t word)
{
    s->v3 ^= word;
    sip_round(s);
    sip_round(s);
    s->v0 ^= word;
}

uint64_t sotto__siphash(const uint8_t key[SOTTO__SIPHASH_KEY_BYTES], const uint8_t *bytes,
                        size_t bytes_count)
{
    uint64_t k0 = sotto__get_u64(key), k1 = sotto__get_u64(key + 8);
    sip s = {k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261,
             k1 ^ 0x7465646279746573};
    size_t whole = bytes_count - bytes_count % 8;
    for (size_t i = 0; i < whole; i += 8) {
        sip_word(&s, sotto__get_u64(bytes + i));
    }
    uint64_t last = (uint64_t)bytes_count << 56;
    for (size_t i = whole; i < bytes_count; i++) {
        last |= (uint64_t)bytes[i] << 8 * (i - whole);
    }
    sip_word(&s, last);
    s.v2 ^= 0xff;
    for (int i = 0; i < 4; i++) {
        sip_round(&s);
    }
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

/* ==== nonce set ============================================================================== */

/*
 * The nonces of the open epochs. Nothing in it is ever moved or rebuilt all at once, so a set grows and forgets an
 * epoch without a pause.
 *
 *   entry    nonce, keyed hash of the whole frame, the next of its chain: 28 bytes. Entries lie in chunks of
 *            CHUNK_ENTRIES, which are added when the set grows and stay where they are
 *   slab     SLAB_ENTRIES entries in a row. A slab has entries of one epoch. Those of an epoch are a list; all of
 *            them are full but the first
 *   bucket   the first entry of a chain. There are n of them (linear hashing, Litwin 1980): with 2^b <= n < 2^(b+1)
 *            a nonce of keyed hash h is in bucket h mod 2^(b+1), or if that is n or more in h mod 2^b. One more
 *            bucket takes its entries from bucket n - 2^b alone. One is added for each CHAIN_ENTRIES entries
 *   closed   the list of the slabs of closed epochs. Their entries are still in chains, where nobody sees them. They
 *            leave when the slab is used again, SLAB_ENTRIES at a time
 *
 * `capacity` nonces need no more than capacity/SLAB_ENTRIES slabs and one for each open epoch.
 *
 * Senders choose nonces but not which of them fall into one bucket, because the key is the server's. Nonces are
 * compared whole; frames by 64 bits of keyed hash.
 */

#define NONE UINT32_MAX
#define OPEN_EPOCHS_MAX 17u /* the largest epoch_lag_max of a spec, and the current one */
#define SLAB_ENTRIES 32u
#define CHUNK_SLABS 16u
#define CHUNK_ENTRIES (SLAB_ENTRIES * CHUNK_SLABS)
#define CHAIN_ENTRIES 2u
#define ROW_BUCKETS 512u /* buckets lie in rows, for the same reason as entries in chunks */

static_assert(SOTTO_NONCE_KEY_BYTES == SOTTO__SIPHASH_KEY_BYTES,
              "the key of the set is the hash's");

typedef struct nonce_entry {
    uint8_t nonce[SOTTO_NONCE_BYTES];
    uint32_t frame_hash[2]; /* two halves: a uint64_t would make it 32 bytes */
    uint32_t next;          /* of its chain */
} nonce_entry;
static_assert(sizeof(nonce_entry) == 28, "sotto_nonce_set_bytes promises 32 with all else");

typedef struct nonce_slab {
    uint32_t epoch;
    uint32_t used; /* its first entries */
    uint32_t next; /* of its list */
} nonce_slab;

typedef struct nonce_chunk {
    nonce_entry entry[CHUNK_ENTRIES];
    nonce_slab slab[CHUNK_SLABS];
} nonce_chunk;

typedef struct slab_list {
    uint32_t first, last;
} slab_list;

struct sotto_nonce_set {
    uint8_t key[SOTTO__SIPHASH_KEY_BYTES];
    uint32_t capacity, count;
    uint32_t
        linked; /* entries in chains: of open epochs, and of closed ones that are still there */
    uint32_t open_count;
    uint32_t current;                 /* the newest open epoch */
    slab_list epoch[OPEN_EPOCHS_MAX]; /* at epoch mod open_count */
    uint32_t epoch_nonces[OPEN_EPOCHS_MAX];
    slab_list closed, empty;
    uint32_t fresh;          /* slabs from this one on were never used */
    uint32_t buckets, whole; /* n and 2^b */
    uint32_t chunks, chunks_room;
    nonce_chunk **chunk;
    uint32_t rows, rows_room;
    uint32_t **row;
};

const char *sotto_seen_name(sotto_seen value)
{
#define SEEN_NAME(name, text) text,
    static const char *const names[] = {SOTTO_SEEN_MAP(SEEN_NAME)};
    return (uint32_t)value < sizeof names / sizeof names[0] ? names[value] : NULL;
}

/* ---- memory */

static uint32_t chunks_for(uint32_t capacity, uint32_t open_count)
{
    uint32_t slabs = (capacity + SLAB_ENTRIES - 1) / SLAB_ENTRIES + open_count;
    return (slabs + CHUNK_SLABS - 1) / CHUNK_SLABS;
}

/* Buckets for all entries of the chunks: also of closed epochs. */
static uint32_t rows_for(uint32_t chunks)
{
    return (uint32_t)(((uint64_t)chunks * CHUNK_ENTRIES / CHAIN_ENTRIES + ROW_BUCKETS) /
                      ROW_BUCKETS);
}

/* Places in a list of pointers that grows by half: so many are more than are needed. */
static uint32_t room_for(uint32_t wanted, uint32_t before)
{
    if (wanted <= before) return before;
    return wanted + wanted / 2;
}

size_t sotto_nonce_set_bytes(uint32_t capacity)
{
    if (capacity < 1 || capacity > SOTTO_NONCES_MAX) return 0;
    uint32_t chunks = chunks_for(capacity, OPEN_EPOCHS_MAX), rows = rows_for(chunks);
    return sizeof(sotto_nonce_set) + chunks * sizeof(nonce_chunk) +
           rows * ROW_BUCKETS * sizeof(uint32_t) +
           (room_for(chunks, 0) + room_for(rows, 0)) * sizeof(void *);
}

static bool add_chunks(sotto_nonce_set *set, uint32_t chunks)
{
    uint32_t room = room_for(chunks, set->chunks_room);
    if (room > set->chunks_room) {
        nonce_chunk **chunk = realloc(set->chunk, room * sizeof chunk[0]);
        if (chunk == NULL) return false;
        set->chunk = chunk;
        set->chunks_room = room;
    }
    while (set->chunks < chunks) {
        nonce_chunk *added = malloc(sizeof *added);
        if (added == NULL) return false;
        set->chunk[set->chunks++] = added;
    }
    return true;
}

static bool add_rows(sotto_nonce_set *set, uint32_t rows)
{
    uint32_t room = room_for(rows, set->rows_room);
    if (room > set->rows_room) {
        uint32_t **row = realloc(set->row, room * sizeof row[0]);
        if (row == NULL) return false;
        set->row = row;
        set->rows_room = room;
    }
    while (set->rows < rows) {
        uint32_t *added = malloc(ROW_BUCKETS * sizeof added[0]);
        if (added == NULL) return false;
        set->row[set->rows++] = added;
    }
    return true;
}

sotto_status sotto_nonce_set_grow(sotto_nonce_set *set, uint32_t capacity)
{
    if (set == NULL) return SOTTO_E_ARGUMENT;
    if (capacity < set->capacity || capacity > SOTTO_NONCES_MAX) return SOTTO_E_FAULT;
    uint32_t chunks = chunks_for(capacity, set->open_count);
    /* What was added before a failure stays for the next try. */
    if (!add_chunks(set, chunks) || !add_rows(set, rows_for(chunks))) return SOTTO_E_MEMORY;
    set->capacity = capacity;
    return SOTTO_OK;
}

static uint32_t *bucket_at(sotto_nonce_set *set, uint32_t i)
{
    return &set->row[i / ROW_BUCKETS][i % ROW_BUCKETS];
}

sotto_status sotto_nonce_set_new(const sotto_terms *terms, const uint8_t key[SOTTO_NONCE_KEY_BYTES],
                                 uint32_t capacity, sotto_nonce_set **out)
{
    static const slab_list none = {NONE, NONE};
    if (out != NULL) *out = NULL;
    if (out == NULL || terms == NULL || key == NULL) return SOTTO_E_ARGUMENT;
    if (capacity < 1 || capacity > SOTTO_NONCES_MAX) return SOTTO_E_FAULT;
    sotto_status status = sotto_terms_check(terms);
    if (status != SOTTO_OK) return status;
    sotto_nonce_set *set = calloc(1, sizeof *set);
    if (set == NULL) return SOTTO_E_MEMORY;
    memcpy(set->key, key, sizeof set->key);
    set->open_count = terms->spec.epoch_lag_max + 1;
    set->closed = set->empty = none;
    for (uint32_t e = 0; e < OPEN_EPOCHS_MAX; e++) {
        set->epoch[e] = none;
    }
    status = sotto_nonce_set_grow(set, capacity);
    if (status != SOTTO_OK) {
        sotto_nonce_set_free(set);
        return status;
    }
    set->buckets = set->whole = 1;
    *bucket_at(set, 0) = NONE;
    *out = set;
    return SOTTO_OK;
}

void sotto_nonce_set_free(sotto_nonce_set *set)
{
    if (set == NULL) return;
    for (uint32_t i = 0; i < set->chunks; i++) {
        free(set->chunk[i]);
    }
    for (uint32_t i = 0; i < set->rows; i++) {
        free(set->row[i]);
    }
    free(set->chunk);
    free(set->row);
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

/* ---- chains */

static nonce_entry *entry_at(sotto_nonce_set *set, uint32_t i)
{
    return &set->chunk[i / CHUNK_ENTRIES]->entry[i % CHUNK_ENTRIES];
}

static nonce_slab *slab_at(sotto_nonce_set *set, uint32_t i)
{
    return &set->chunk[i / CHUNK_SLABS]->slab[i % CHUNK_SLABS];
}

static bool is_open(const sotto_nonce_set *set, uint32_t epoch)
{
    return epoch <= set->current && set->current - epoch < set->open_count;
}

static uint32_t epoch_of(sotto_nonce_set *set, uint32_t entry)
{
    return slab_at(set, entry / SLAB_ENTRIES)->epoch;
}

static uint32_t *chain_of(sotto_nonce_set *set, const uint8_t *nonce)
{
    uint64_t hash = sotto__siphash(set->key, nonce, SOTTO_NONCE_BYTES);
    uint32_t i = (uint32_t)hash & (2 * set->whole - 1);
    return bucket_at(set, i < set->buckets ? i : i - set->whole);
}

/* The link that leads to the entry of a nonce of an open epoch, or to NONE at the end of its chain. */
static uint32_t *find(sotto_nonce_set *set, uint32_t *chain, const uint8_t *nonce)
{
    uint32_t *link = chain;
    while (*link != NONE) {
        nonce_entry *entry = entry_at(set, *link);
        if (memcmp(entry->nonce, nonce, SOTTO_NONCE_BYTES) == 0 &&
            is_open(set, epoch_of(set, *link)))
            return link;
        link = &entry->next;
    }
    return link;
}

/* The link that leads to an entry that is in a chain. */
static uint32_t *link_to(sotto_nonce_set *set, uint32_t i)
{
    uint32_t *link = chain_of(set, entry_at(set, i)->nonce);
    while (*link != i) {
        assert(*link != NONE);
        link = &entry_at(set, *link)->next;
    }
    return link;
}

static void unlink_entry(sotto_nonce_set *set, uint32_t i)
{
    uint32_t *link = link_to(set, i);
    *link = entry_at(set, i)->next;
    set->linked--;
}

/* Adds a bucket if chains are long: the entries of one chain are split. */
static void part_a_chain(sotto_nonce_set *set)
{
    if (set->linked / CHAIN_ENTRIES < set->buckets) return;
    assert(set->buckets / ROW_BUCKETS < set->rows); /* there are rows for all entries */
    uint32_t from = set->buckets - set->whole, i = *bucket_at(set, from);
    *bucket_at(set, from) = *bucket_at(set, set->buckets++) = NONE;
    while (i != NONE) {
        nonce_entry *entry = entry_at(set, i);
        uint32_t next = entry->next, *chain = chain_of(set, entry->nonce);
        entry->next = *chain;
        *chain = i;
        i = next;
    }
    if (set->buckets == 2 * set->whole) set->whole *= 2;
}

/* ---- slabs */

static uint32_t take_first(sotto_nonce_set *set, slab_list *list)
{
    uint32_t slab = list->first;
    list->first = slab_at(set, slab)->next;
    if (list->first == NONE) list->last = NONE;
    return slab;
}

static void put_first(sotto_nonce_set *set, slab_list *list, uint32_t slab)
{
    slab_at(set, slab)->next = list->first;
    list->first = slab;
    if (list->last == NONE) list->last = slab;
}

/* One without entries. */
static uint32_t take_slab(sotto_nonce_set *set)
{
    if (set->empty.first != NONE) return take_first(set, &set->empty);
    if (set->closed.first == NONE) {
        assert(set->fresh < set->chunks * CHUNK_SLABS); /* as there is room for one nonce more */
        return set->fresh++;
    }
    uint32_t slab = take_first(set, &set->closed);
    for (uint32_t i = 0; i < slab_at(set, slab)->used; i++) {
        unlink_entry(set, slab * SLAB_ENTRIES + i);
    }
    return slab;
}

/* A place for an entry of this epoch. */
static uint32_t take_place(sotto_nonce_set *set, uint32_t epoch)
{
    slab_list *list = &set->epoch[epoch % set->open_count];
    if (list->first == NONE || slab_at(set, list->first)->used == SLAB_ENTRIES) {
        uint32_t slab = take_slab(set);
        *slab_at(set, slab) = (nonce_slab){.epoch = epoch};
        put_first(set, list, slab);
    }
    return list->first * SLAB_ENTRIES + slab_at(set, list->first)->used++;
}

/* ---- what is known */

static void put_hash(nonce_entry *entry, uint64_t hash)
{
    entry->frame_hash[0] = (uint32_t)hash;
    entry->frame_hash[1] = (uint32_t)(hash >> 32);
}

static uint64_t hash_of(const nonce_entry *entry)
{
    return entry->frame_hash[0] | (uint64_t)entry->frame_hash[1] << 32;
}

sotto_status sotto_nonce_set_see(sotto_nonce_set *set, const sotto_report *report,
                                 const uint8_t *frame, size_t frame_bytes, sotto_seen *seen)
{
    if (set == NULL || report == NULL || frame == NULL || seen == NULL) return SOTTO_E_ARGUMENT;
    if (!is_open(set, report->epoch)) return SOTTO_E_EPOCH;
    uint64_t frame_hash = sotto__siphash(set->key, frame, frame_bytes);
    uint32_t *chain = chain_of(set, report->nonce);
    const uint32_t *link = find(set, chain, report->nonce);
    if (*link != NONE) {
        bool same = hash_of(entry_at(set, *link)) == frame_hash;
        *seen = same ? SOTTO_SEEN_SAME : SOTTO_SEEN_OTHER;
        return SOTTO_OK;
    }
    if (set->count == set->capacity) return SOTTO_E_FULL;
    uint32_t i = take_place(set, report->epoch);
    nonce_entry *entry = entry_at(set, i);
    memcpy(entry->nonce, report->nonce, SOTTO_NONCE_BYTES);
    put_hash(entry, frame_hash);
    entry->next = *chain;
    *chain = i;
    set->linked++;
    set->count++;
    set->epoch_nonces[report->epoch % set->open_count]++;
    part_a_chain(set);
    *seen = SOTTO_SEEN_NEW;
    return SOTTO_OK;
}

void sotto_nonce_set_remove(sotto_nonce_set *set, const sotto_report *report)
{
    if (set == NULL || report == NULL || !is_open(set, report->epoch)) return;
    uint32_t gone = *find(set, chain_of(set, report->nonce), report->nonce);
    if (gone == NONE || epoch_of(set, gone) != report->epoch) return;
    slab_list *list = &set->epoch[report->epoch % set->open_count];
    nonce_slab *slab = slab_at(set, list->first);
    uint32_t last = list->first * SLAB_ENTRIES + slab->used - 1;
    unlink_entry(set, gone);
    if (last != gone) { /* the last one of the epoch takes its place */
        *link_to(set, last) = gone;
        *entry_at(set, gone) = *entry_at(set, last);
    }
    if (--slab->used == 0) put_first(set, &set->empty, take_first(set, list));
    set->count--;
    set->epoch_nonces[report->epoch % set->open_count]--;
}

/* ---- epochs */

/* Closes what has the place of an epoch that opens. */
static void close_epoch(sotto_nonce_set *set, uint32_t place)
{
    slab_list *list = &set->epoch[place];
    set->count -= set->epoch_nonces[place];
    set->epoch_nonces[place] = 0;
    if (list->first == NONE) return;
    slab_at(set, list->last)->next = set->closed.first;
    if (set->closed.first == NONE) set->closed.last = list->last;
    set->closed.first = list->first;
    *list = (slab_list){NONE, NONE};
}

sotto_status sotto_nonce_set_advance(sotto_nonce_set *set, uint32_t current)
{
    if (set == NULL) return SOTTO_E_ARGUMENT;
    if (current < set->current) return SOTTO_E_EPOCH;
    uint32_t steps = current - set->current;
    if (steps > set->open_count) steps = set->open_count;
    for (uint32_t i = 0; i < steps; i++) {
        close_epoch(set, (current - i) % set->open_count);
    }
    set->current = current;
    return SOTTO_OK;
}
