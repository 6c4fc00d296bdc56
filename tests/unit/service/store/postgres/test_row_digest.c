/* Digests, compared with SHA-256 of bytes written out by hand. Those of experiments and history are in
 * service/store/test_digest.c. */
#include "core/core.h"
#include "service/store/postgres/inner.h"
#include "test.h"

#include <string.h>

typedef struct bytes {
    uint8_t at[512];
    size_t count;
} bytes;

static void put(bytes *to, const void *data, size_t count)
{
    memcpy(to->at + to->count, data, count);
    to->count += count;
}

static void put_u32(bytes *to, uint32_t value)
{
    sotto__put_u32(to->at + to->count, value);
    to->count += 4;
}

static void put_u64(bytes *to, uint64_t value)
{
    sotto__put_u64(to->at + to->count, value);
    to->count += 8;
}

/* Several at once. */
#define put_u32s(to, ...) PUT_ALL(to, put_u32, uint32_t, __VA_ARGS__)
#define put_u64s(to, ...) PUT_ALL(to, put_u64, uint64_t, __VA_ARGS__)
#define PUT_ALL(to, put_one, type, ...)                                                            \
    do {                                                                                           \
        const type all[] = {__VA_ARGS__};                                                          \
        for (size_t i_ = 0; i_ < sizeof all / sizeof all[0]; i_++) {                               \
            put_one(to, all[i_]);                                                                  \
        }                                                                                          \
    } while (0)

static void put_bytes(bytes *to, const char *text)
{
    put_u64(to, strlen(text));
    put(to, text, strlen(text));
}

static void assert_digest(const bytes *wanted, const uint8_t got[JOURNAL_DIGEST_BYTES])
{
    uint8_t digest[32];
    sotto__digest all;
    sotto__digest_begin(&all);
    sotto__digest_add(&all, wanted->at, wanted->count);
    sotto__digest_end(&all, digest);
    assert_memory_equal(digest, got, sizeof digest);
}

#define TEXT(s)                                                                                    \
    {                                                                                              \
        (const uint8_t *)(s), sizeof(s) - 1                                                        \
    }
static const uint8_t before[32] = {9, 8, 7};

TEST(a_row_has_the_digest_of_the_specification)
{
    uint8_t got[32];
    bytes wanted = {.count = 0};
    const journal_row row = {.seq = 1ull << 40,
                             .experiment = 2,
                             .epoch = 3,
                             .minute = 99, /* not part of the digest */
                             .late = 4,
                             .duplicate = 5,
                             .conflicting = 6,
                             .frames = TEXT("frames")};
    postgres__digest_row(before, 7, &row, got);
    put(&wanted, before, 32);
    put_u32s(&wanted, 2, 7);
    put_u64(&wanted, 1ull << 40);
    put_u32s(&wanted, 3, 4, 5, 6);
    put_bytes(&wanted, "frames");
    assert_digest(&wanted, got);
    memcpy(got, before, sizeof got);
    postgres__digest_row(got, 7, &row, got); /* in place */
    assert_digest(&wanted, got);
}

TEST(a_model_has_the_digest_of_the_specification)
{
    uint8_t got[32];
    bytes wanted = {.count = 0};
    const folding_model model = {.experiment = 1,
                                 .epoch = 2,
                                 .kind = JOURNAL_DISCARD,
                                 .minute = 3,
                                 .counts = {4, 5, 6, 7},
                                 .learner = TEXT("learner"),
                                 .results = TEXT("results")};
    postgres__digest_model(before, &model, (journal_bytes)TEXT("cut"), got);
    put(&wanted, "model", 5);
    put(&wanted, before, 32);
    put_u32s(&wanted, 1, 2, 2);
    put_u64s(&wanted, 3, 4, 5, 6, 7);
    put_bytes(&wanted, "cut");
    put_bytes(&wanted, "learner");
    put_bytes(&wanted, "results");
    assert_digest(&wanted, got);
}

TEST(what_was_removed_has_the_digest_of_the_specification)
{
    uint8_t got[32];
    bytes wanted = {.count = 0};
    folding_place place = {.gateway = 2, .gseq = 3};
    memcpy(place.digest, before, sizeof before);
    postgres__digest_removed(1, &place, got);
    put(&wanted, "removed", 7);
    put_u32s(&wanted, 1, 2);
    put_u64(&wanted, 3);
    put(&wanted, before, 32);
    assert_digest(&wanted, got);
}

TEST(what_is_held_has_the_digest_of_the_specification)
{
    uint8_t got[32];
    bytes wanted = {.count = 0};
    const journal_held held = {1, 2, 3, 4, JOURNAL_DISCARD};
    postgres__digest_held(&held, got);
    put(&wanted, "held", 4);
    put_u32s(&wanted, 1, 2, 3);
    put_u64(&wanted, 4);
    put_u32(&wanted, 2);
    assert_digest(&wanted, got);
}

TEST(an_end_has_the_digest_of_the_specification)
{
    uint8_t got[32];
    bytes wanted = {.count = 0};
    const folding_model ended = {
        .experiment = 1, .epoch = 2, .counts = {3, 4, 5, 6}, .learner = TEXT("learner")};
    postgres__digest_ended(&ended, (journal_bytes)TEXT("cut"), got);
    put(&wanted, "ended", 5);
    put_u32s(&wanted, 1, 2);
    put_u64s(&wanted, 3, 4, 5, 6);
    put_bytes(&wanted, "cut");
    put_bytes(&wanted, "learner");
    assert_digest(&wanted, got);
}
