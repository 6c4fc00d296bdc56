/* Digests, compared with SHA-256 of bytes written out by hand. */
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
    put_u32(&wanted, 2);
    put_u32(&wanted, 7);
    put_u64(&wanted, 1ull << 40);
    for (uint32_t i = 3; i < 7; i++) {
        put_u32(&wanted, i);
    }
    put_bytes(&wanted, "frames");
    assert_digest(&wanted, got);
    memcpy(got, before, sizeof got);
    postgres__digest_row(got, 7, &row, got); /* in place */
    assert_digest(&wanted, got);
}

TEST(an_experiment_has_the_digest_of_the_specification)
{
    for (int key = 0; key < 2; key++) {
        uint8_t got[32];
        bytes wanted = {.count = 0};
        const journal_experiment experiment = {.number = 1,
                                               .id = "0123456789abcde",
                                               .state = JOURNAL_CLOSED,
                                               .created_minute = 2,
                                               .epoch_seconds_min = 3,
                                               .epoch_reports_min = 4,
                                               .epoch_reports_expected = 5,
                                               .quarantine = true,
                                               .has_report_key = key == 1,
                                               .report_key = "0123456789abcdefABCDEFGHabcdefg",
                                               .terms = TEXT("terms"),
                                               .start = TEXT("start"),
                                               .labels = "labels"};
        journal__digest_experiment(&experiment, got);
        put(&wanted, "experiment", 10);
        put_u32(&wanted, 1);
        put(&wanted, "0123456789abcde", 16);
        put_u32(&wanted, 2);
        put_u64(&wanted, 2);
        put_u32(&wanted, 3);
        put_u64(&wanted, 4);
        put_bytes(&wanted, "terms");
        put_bytes(&wanted, "start");
        put_bytes(&wanted, "labels");
        put_u64(&wanted, 5);
        put_u32(&wanted, 1);
        put_u64(&wanted, key == 1 ? 32 : 0);
        put(&wanted, experiment.report_key, key == 1 ? 32 : 0);
        assert_digest(&wanted, got);
    }
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
    put_u32(&wanted, 1);
    put_u32(&wanted, 2);
    put_u32(&wanted, 2);
    for (uint64_t i = 3; i < 8; i++) {
        put_u64(&wanted, i);
    }
    put_bytes(&wanted, "cut");
    put_bytes(&wanted, "learner");
    put_bytes(&wanted, "results");
    assert_digest(&wanted, got);
}

TEST(history_and_removed_have_the_digests_of_the_specification)
{
    uint8_t got[32];
    bytes wanted = {.count = 0}, removed = {.count = 0};
    const journal_history history = {1, 2, 3, 4, 5, 6, 7, -8, -9, 10, 11, 12, 13};
    journal__digest_history(&history, got);
    put(&wanted, "history", 7);
    put_u32(&wanted, 1);
    put_u32(&wanted, 2);
    put_u64(&wanted, 3);
    put_u32(&wanted, 4);
    const uint64_t sums[] = {5, 6, 7, (uint64_t)-8, (uint64_t)-9, 10, 11, 12};
    for (size_t i = 0; i < 8; i++) {
        put_u64(&wanted, sums[i]);
    }
    put_u32(&wanted, 13);
    assert_digest(&wanted, got);

    folding_place place = {.gateway = 2, .gseq = 3};
    memcpy(place.digest, before, sizeof before);
    postgres__digest_removed(1, &place, got);
    put(&removed, "removed", 7);
    put_u32(&removed, 1);
    put_u32(&removed, 2);
    put_u64(&removed, 3);
    put(&removed, before, 32);
    assert_digest(&removed, got);
}

TEST(what_is_held_has_the_digest_of_the_specification)
{
    uint8_t got[32];
    bytes wanted = {.count = 0};
    const journal_held held = {1, 2, 3, 4, JOURNAL_DISCARD};
    postgres__digest_held(&held, got);
    put(&wanted, "held", 4);
    put_u32(&wanted, 1);
    put_u32(&wanted, 2);
    put_u32(&wanted, 3);
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
    put_u32(&wanted, 1);
    put_u32(&wanted, 2);
    for (uint64_t i = 3; i < 7; i++) {
        put_u64(&wanted, i);
    }
    put_bytes(&wanted, "cut");
    put_bytes(&wanted, "learner");
    assert_digest(&wanted, got);
}
