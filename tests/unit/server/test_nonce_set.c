/* A set of nonces tells new, same and other apart, in open epochs, up to its capacity, and forgets
 * what is closed: compared with a plain list over random histories. Chains are looked at from inside. */
#include "allocations.h"
#include "borrowed.h"
#include "core/core.h"
#include "made.h"
#include "server/nonce_set.c" /* no answer depends on where a nonce lies, only the time that it takes */
#include "server/server.h"
#include "tape.h"
#include "test.h"

#include <sotto/server.h>

#include <string.h>

static const uint8_t key[SOTTO_NONCE_KEY_BYTES] = {1, 2, 3};

RELEASED_BY(sotto_nonce_set_free, sotto_nonce_set)

static sotto_terms terms_of(uint32_t lag)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.epoch_lag_max = lag;
    sotto_terms terms = resolved(&spec);
    return terms;
}

static sotto_nonce_set *set_of(uint32_t lag, uint32_t capacity)
{
    sotto_nonce_set *set;
    const sotto_terms terms = terms_of(lag);
    assert_ok(sotto_nonce_set_new(&terms, key, capacity, &set));
    after_test(release_sotto_nonce_set, set);
    return set;
}

static sotto_report report_of(uint32_t epoch, uint32_t number)
{
    sotto_report report = {.epoch = epoch};
    memcpy(report.nonce, &number, sizeof number);
    return report;
}

/* The frame of a report is here its content alone. */
static sotto_status see(sotto_nonce_set *set, uint32_t epoch, uint32_t number, uint8_t content,
                        sotto_seen *seen)
{
    const sotto_report report = report_of(epoch, number);
    return sotto_nonce_set_see(set, &report, &content, 1, seen);
}

#define assert_seen(set, epoch, number, content, wanted)                                           \
    do {                                                                                           \
        sotto_seen found_;                                                                         \
        assert_ok(see(set, epoch, number, content, &found_));                                      \
        assert_string_equal(sotto_seen_name(found_), sotto_seen_name(wanted));                     \
    } while (0)

TEST(settings_out_of_range_are_refused)
{
    sotto_terms terms = terms_of(2);
    sotto_nonce_set *set;
    assert_status(sotto_nonce_set_new(&terms, key, 0, &set), SOTTO_E_FAULT);
    assert_status(sotto_nonce_set_new(&terms, key, SOTTO_NONCES_MAX + 1, &set), SOTTO_E_FAULT);
    assert_null(set);
    terms.codebook[1].weight_top *= 2;
    assert_status(sotto_nonce_set_new(&terms, key, 1, &set), SOTTO_E_WEAK);
    assert_ints(sotto_nonce_set_bytes(0), 0, sotto_nonce_set_bytes(SOTTO_NONCES_MAX + 1), 0);
    assert_null(sotto_seen_name((sotto_seen)3));
}

/* Whatever the number, and a set that grows takes memory in small steps. */
TEST(a_nonce_takes_32_bytes_at_most)
{
    static const uint32_t some[] = {20000, 100000, 1000000, 1 << 20, (1 << 23) + 1, 10000000};
    for (uint32_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        size_t bytes = sotto_nonce_set_bytes(some[i]);
        assert_true(bytes <= (size_t)some[i] * 32);
        assert_true(sotto_nonce_set_bytes(some[i] + 512) - bytes <= 64 * 512);
    }
    assert_true(sotto_nonce_set_bytes(100) <= 40000);
}

/* The keyed hashes of two frames agree in 48 bits, the low or the high ones: found by trying 30,000,000. */
TEST(frames_are_told_apart_by_64_bits)
{
    static const uint32_t low[2] = {5573090, 9415453}, high[2] = {13007882, 20192095};
    const uint32_t *const pairs[2] = {low, high};
    for (uint32_t half = 0; half < 2; half++) {
        uint8_t frame[2][4];
        uint64_t hash[2];
        for (uint32_t i = 0; i < 2; i++) {
            sotto__put_u32(frame[i], pairs[half][i]);
            hash[i] = sotto__siphash(key, frame[i], sizeof frame[i]);
        }
        assert_true(hash[0] != hash[1]);
        assert_true((hash[0] ^ hash[1]) << 16 * (1 - half) >> 16 * half == 0);
        sotto_nonce_set *set = set_of(1, 10);
        const sotto_report report = report_of(0, 1);
        static const sotto_seen wanted[2] = {SOTTO_SEEN_NEW, SOTTO_SEEN_OTHER};
        for (uint32_t i = 0; i < 2; i++) {
            sotto_seen seen;
            assert_ok(sotto_nonce_set_see(set, &report, frame[i], sizeof frame[i], &seen));
            assert_int_equal(seen, wanted[i]);
        }
    }
}

/* In a set of two, both are in one chain. */
TEST(nonces_that_differ_in_one_bit_are_two)
{
    const uint8_t content = 0;
    for (uint32_t bit = 0; bit < 8 * SOTTO_NONCE_BYTES; bit++) {
        sotto_nonce_set *set = set_of(1, 10);
        sotto_report report = report_of(0, 12345);
        sotto_seen seen;
        for (uint32_t i = 0; i < 2; i++) {
            assert_ok(sotto_nonce_set_see(set, &report, &content, 1, &seen));
            assert_int_equal(seen, SOTTO_SEEN_NEW);
            report.nonce[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        const sotto_report gone = report;
        sotto_nonce_set_remove(set, &gone); /* one of them, and not the other */
        report.nonce[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_ok(sotto_nonce_set_see(set, &report, &content, 1, &seen));
        assert_int_equal(seen, SOTTO_SEEN_SAME);
    }
}

/* Which of the places of a set the first `count` nonces have, and the hash of each frame. */
static void fill(const uint8_t *with, uint32_t count, uint32_t *bucket, uint64_t *frame_hash)
{
    OWN(sotto_nonce_set) set = NULL;
    const sotto_terms terms = terms_of(1);
    assert_ok(sotto_nonce_set_new(&terms, with, count, &set));
    for (uint32_t i = 0; i < count; i++) {
        assert_seen(set, 0, i, 7, SOTTO_SEEN_NEW);
    }
    for (uint32_t b = 0; b < set->buckets; b++) {
        for (uint32_t i = *bucket_at(set, b); i != NONE; i = entry_at(set, i)->next) {
            uint32_t number;
            memcpy(&number, entry_at(set, i)->nonce, sizeof number);
            bucket[number] = b;
            frame_hash[number] = hash_of(entry_at(set, i));
        }
    }
}

/* Otherwise whoever sends reports could choose nonces of one chain, and frames of one hash. */
TEST(places_and_hashes_depend_on_every_byte_of_the_key)
{
    enum { COUNT = 2000 };
    static uint32_t bucket[2][COUNT];
    static uint64_t frame_hash[2][COUNT];
    fill(key, COUNT, bucket[0], frame_hash[0]);
    for (uint32_t byte = 0; byte < sizeof key; byte++) {
        uint8_t other[sizeof key];
        uint32_t same = 0;
        memcpy(other, key, sizeof key);
        other[byte] ^= 1;
        fill(other, COUNT, bucket[1], frame_hash[1]);
        for (uint32_t i = 0; i < COUNT; i++) {
            same += bucket[0][i] == bucket[1][i];
            assert_true(frame_hash[0][i] != frame_hash[1][i]);
        }
        assert_true(same < COUNT / 100); /* by chance: 2 */
    }
}

/* A nonce is found in a few steps, however many there are, also after others went. */
TEST(chains_stay_short)
{
    sotto_nonce_set *set = set_of(1, 20000);
    for (uint32_t epoch = 0; epoch < 6; epoch++) {
        uint32_t linked = 0;
        assert_ok(sotto_nonce_set_advance(set, epoch));
        for (uint32_t i = 0; i < 10000; i++) {
            assert_seen(set, epoch, 10000 * epoch + i, 0, SOTTO_SEEN_NEW);
        }
        for (uint32_t b = 0; b < set->buckets; b++) {
            uint32_t length = 0;
            for (uint32_t i = *bucket_at(set, b); i != NONE; i = entry_at(set, i)->next) {
                length++;
            }
            assert_true(length <= 20); /* 4 or fewer on average */
            linked += length;
        }
        assert_int_equal(linked, set->linked);
        assert_true(linked <= CHAIN_ENTRIES * (set->buckets + 1));
        assert_true(linked <= 20000 + 2 * SLAB_ENTRIES); /* those of closed epochs went */
    }
}

/* A set that is full from the third epoch on, with no whole slab in any of them. */
TEST(memory_of_closed_epochs_is_used_again)
{
    static const uint32_t size[3] = {1633, 1734, 1633};
    sotto_nonce_set *set = set_of(2, 5000);
    sotto_seen seen;
    uint32_t first[60], number = 0;
    for (uint32_t epoch = 0; epoch < 60; epoch++) {
        assert_ok(sotto_nonce_set_advance(set, epoch));
        first[epoch] = number;
        for (uint32_t i = 0; i < size[epoch % 3]; i++) {
            assert_seen(set, epoch, number++, 0, SOTTO_SEEN_NEW);
        }
        for (uint32_t back = 0; back < 3 && back <= epoch; back++) {
            for (uint32_t i = 0; i < size[(epoch - back) % 3]; i += 13) {
                assert_seen(set, epoch, first[epoch - back] + i, 0, SOTTO_SEEN_SAME);
            }
        }
        if (epoch >= 2) assert_status(see(set, epoch, number, 0, &seen), SOTTO_E_FULL);
    }
    assert_ok(sotto_nonce_set_advance(set, 100));
    assert_int_equal(sotto_nonce_set_count(set), 0);
}

TEST(epochs_that_are_not_open_are_refused)
{
    sotto_seen seen;
    sotto_nonce_set *set = set_of(2, 10);
    assert_status(see(set, 1, 7, 0, &seen), SOTTO_E_EPOCH);
    assert_ok(sotto_nonce_set_advance(set, 5));
    assert_status(see(set, 2, 7, 0, &seen), SOTTO_E_EPOCH);
    assert_status(see(set, 6, 7, 0, &seen), SOTTO_E_EPOCH);
    assert_status(sotto_nonce_set_advance(set, 4), SOTTO_E_EPOCH);
    assert_int_equal(sotto_nonce_set_count(set), 0);
    assert_seen(set, 3, 7, 0, SOTTO_SEEN_NEW);
    assert_ok(sotto_nonce_set_advance(set, UINT32_MAX));
    assert_int_equal(sotto_nonce_set_count(set), 0);
    assert_seen(set, UINT32_MAX - 2, 7, 0, SOTTO_SEEN_NEW);
}

TEST(a_full_set_keeps_nothing_new_and_knows_the_old)
{
    sotto_seen seen = SOTTO_SEEN_SAME;
    sotto_nonce_set *set = set_of(0, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_seen(set, 0, i, 0, SOTTO_SEEN_NEW);
    }
    assert_status(see(set, 0, 3, 0, &seen), SOTTO_E_FULL);
    assert_seen(set, 0, 1, 0, SOTTO_SEEN_SAME);
    assert_seen(set, 0, 1, 9, SOTTO_SEEN_OTHER);
    const sotto_report first = report_of(0, 1);
    sotto_nonce_set_remove(set, &first);
    assert_seen(set, 0, 3, 0, SOTTO_SEEN_NEW);
    assert_int_equal(sotto_nonce_set_count(set), 3);
}

TEST(a_nonce_of_another_epoch_is_the_same_nonce)
{
    sotto_nonce_set *set = set_of(1, 3);
    assert_ok(sotto_nonce_set_advance(set, 1));
    assert_seen(set, 0, 7, 0, SOTTO_SEEN_NEW);
    assert_seen(set, 1, 7, 1, SOTTO_SEEN_OTHER);
    const sotto_report elsewhere = report_of(1, 7), closed = report_of(9, 7);
    sotto_nonce_set_remove(set, &elsewhere); /* it is not kept under epoch 1 */
    sotto_nonce_set_remove(set, &closed);
    assert_seen(set, 0, 7, 0, SOTTO_SEEN_SAME);
}

TEST(a_set_grows_and_knows_all_it_knew)
{
    sotto_seen seen;
    sotto_nonce_set *set = set_of(1, 3);
    assert_ok(sotto_nonce_set_advance(set, 1));
    assert_status(sotto_nonce_set_grow(set, 2), SOTTO_E_FAULT);
    assert_status(sotto_nonce_set_grow(set, SOTTO_NONCES_MAX + 1), SOTTO_E_FAULT);
    assert_int_equal(sotto_nonce_set_capacity(set), 3);
    uint32_t known = 0;
    for (uint32_t capacity = 3; capacity <= 3000; capacity *= 10) {
        assert_ok(sotto_nonce_set_grow(set, capacity));
        assert_int_equal(sotto_nonce_set_capacity(set), capacity);
        for (uint32_t i = 0; i < known; i++) {
            assert_seen(set, i % 2, i, 0, SOTTO_SEEN_SAME);
        }
        for (; known < capacity; known++) {
            assert_seen(set, known % 2, known, 0, SOTTO_SEEN_NEW);
        }
        assert_status(see(set, 0, known, 0, &seen), SOTTO_E_FULL);
        assert_int_equal(sotto_nonce_set_count(set), capacity);
    }
    const sotto_report gone = report_of(1, 7);
    sotto_nonce_set_remove(set, &gone);
    assert_seen(set, 1, 7, 5, SOTTO_SEEN_NEW);
    assert_ok(sotto_nonce_set_advance(set, 2)); /* epoch 0 closes */
    assert_int_equal(sotto_nonce_set_count(set), 1500);
    assert_seen(set, 1, 9, 0, SOTTO_SEEN_SAME);
    assert_seen(set, 1, 8, 0, SOTTO_SEEN_NEW);
}

/* ---- memory --------------------------------------------------------------------------------- */

/* Grows a set with memory for so many allocations. */
static sotto_status grow_within(sotto_nonce_set *set, uint64_t calls, uint32_t capacity)
{
    allocations_max = allocations + calls;
    const sotto_status status = sotto_nonce_set_grow(set, capacity);
    allocations_max = UINT64_MAX;
    return status;
}

TEST(without_memory_there_is_no_set)
{
    const sotto_terms terms = terms_of(1);
    uint32_t calls = 0;
    for (sotto_status status = SOTTO_E_MEMORY; status != SOTTO_OK; calls++) {
        sotto_nonce_set *set;
        allocations_max = allocations + calls;
        status = sotto_nonce_set_new(&terms, key, 3000, &set);
        allocations_max = UINT64_MAX;
        assert_int_equal(set == NULL, status == SOTTO_E_MEMORY);
        assert_true(status == SOTTO_OK || status == SOTTO_E_MEMORY);
        sotto_nonce_set_free(set);
    }
    assert_true(calls > 4); /* the set, chunks, rows and their lists */
}

TEST(a_set_that_cannot_grow_keeps_what_it_knows_and_grows_later)
{
    sotto_seen seen;
    sotto_nonce_set *set = set_of(1, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_seen(set, 0, i, 0, SOTTO_SEEN_NEW);
    }
    uint32_t failures = 0;
    while (grow_within(set, failures % 2, 30000) ==
           SOTTO_E_MEMORY) { /* at once, or after one call */
        failures++;
        assert_int_equal(sotto_nonce_set_capacity(set), 3);
        for (uint32_t i = 0; i < 3; i++) {
            assert_seen(set, 0, i, 0, SOTTO_SEEN_SAME);
        }
        assert_status(see(set, 0, 3, 0, &seen), SOTTO_E_FULL);
    }
    assert_true(failures > 5);
    for (uint32_t i = 3; i < 30000; i++) {
        assert_seen(set, 0, i, 0, SOTTO_SEEN_NEW);
    }
}

/* ---- random histories ---------------------------------------------------------------------- */

#define CAPACITY 160u /* at the end; the set begins with less, and grows */
#define NUMBERS 256u

/* The same in the plainest way. */
typedef struct plain {
    bool kept[NUMBERS];
    uint32_t epoch[NUMBERS];
    uint8_t content[NUMBERS];
    uint32_t count;
} plain;

static void plain_forget(plain *p, uint32_t before)
{
    for (uint32_t i = 0; i < NUMBERS; i++) {
        if (!p->kept[i] || p->epoch[i] >= before) continue;
        p->kept[i] = false;
        p->count--;
    }
}

static void see_as_plain(sotto_nonce_set *set, plain *p, uint32_t epoch, uint32_t number,
                         uint8_t content)
{
    sotto_seen seen;
    if (p->kept[number]) {
        bool same = p->content[number] == content;
        assert_seen(set, epoch, number, content, same ? SOTTO_SEEN_SAME : SOTTO_SEEN_OTHER);
    } else if (p->count == sotto_nonce_set_capacity(set)) {
        assert_status(see(set, epoch, number, content, &seen), SOTTO_E_FULL);
    } else {
        assert_seen(set, epoch, number, content, SOTTO_SEEN_NEW);
        p->kept[number] = true;
        p->epoch[number] = epoch;
        p->content[number] = content;
        p->count++;
    }
}

TEST(random_histories_are_those_of_a_plain_list)
{
    tape random = tape_seeded(5);
    for (uint32_t lag = 0; lag <= 16; lag += 4) {
        sotto_nonce_set *set = set_of(lag, 10);
        plain p = {0};
        uint32_t current = 0;
        for (uint32_t step = 0; step < 20000; step++) {
            uint8_t byte[5];
            if (step % 4000 == 3999) {
                assert_ok(sotto_nonce_set_grow(set, 10 + (CAPACITY - 10) * (step / 4000 + 1) / 5));
            }
            assert_ok(random.rng.fill(&random.rng, byte, sizeof byte));
            uint32_t number = byte[1] % NUMBERS, back = byte[2] % (lag + 1);
            uint32_t epoch = back <= current ? current - back : 0;
            if (byte[0] < 6) {
                current += byte[0] == 0 ? 40 : 1; /* sometimes all epochs close at once */
                assert_ok(sotto_nonce_set_advance(set, current));
                plain_forget(&p, current < lag ? 0 : current - lag);
            } else if (byte[0] < 40) {
                const sotto_report report = report_of(epoch, number);
                sotto_nonce_set_remove(set, &report);
                if (p.kept[number] && p.epoch[number] == epoch) {
                    p.kept[number] = false;
                    p.count--;
                }
            } else {
                see_as_plain(set, &p, epoch, number, byte[3] % 2);
            }
            assert_int_equal(sotto_nonce_set_count(set), p.count);
        }
    }
}

/* SipHash-2-4 gives the hashes of its paper and of its authors' list. */

TEST(the_authors_hashes)
{
    /* Of the bytes 0, 1, 2, ... under the key 0, 1, ..., 15; the one of 15 bytes is the paper's. */
    static const struct {
        size_t bytes;
        uint64_t hash;
    } wanted[] = {{0, 0x726fdb47dd0e0e31},
                  {1, 0x74f839c593dc67fd},
                  {2, 0x0d6c8009d9a94f5a},
                  {3, 0x85676696d7fb7e2d},
                  {15, 0xa129ca6149be45e5}};
    uint8_t drawn[SOTTO__SIPHASH_KEY_BYTES], bytes[64];
    for (uint8_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = i;
        if (i < sizeof drawn) drawn[i] = i;
    }
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        assert_true(sotto__siphash(drawn, bytes, wanted[i].bytes) == wanted[i].hash);
    }
}

TEST(every_bit_of_key_and_message_counts)
{
    uint8_t drawn[SOTTO__SIPHASH_KEY_BYTES] = {0}, bytes[19] = {0};
    uint64_t before = sotto__siphash(drawn, bytes, sizeof bytes);
    for (size_t bit = 0; bit < 8 * sizeof drawn; bit++) {
        drawn[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_true(sotto__siphash(drawn, bytes, sizeof bytes) != before);
        drawn[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_true(sotto__siphash(drawn, bytes, sizeof bytes) != before);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_true(sotto__siphash(drawn, bytes, sizeof bytes - 1) != before);
}
