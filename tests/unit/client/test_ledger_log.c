/* The ledger's log: every entry that may not come next, the golden bytes, the rounds that are open.
 * */
#include "client/inner.h"
#include "core/core.h"
#include "golden.h"
#include "rounds.h"
#include "test.h"
#include "why.h"

#include <math.h>
#include <string.h>

static const uint8_t id[SOTTO__LEDGER_ID_BYTES] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                   8, 9, 10, 11, 12, 13, 14, 15};
static const uint8_t no_chain[SOTTO__CHAIN_BYTES];

static void debit_head(uint64_t sequence, uint8_t spec, uint8_t nonce,
                       uint8_t head[SOTTO__ENTRY_HEAD_BYTES])
{
    sotto__entry entry = {.kind = SOTTO__ENTRY_DEBIT, .sequence = sequence, .epsilon = 1};
    memset(entry.spec_id, spec, sizeof entry.spec_id);
    memset(entry.nonce, nonce, sizeof entry.nonce);
    sotto__debit_encode(&entry, head);
}

static void mark_head(sotto__entry_kind kind, uint64_t sequence, uint64_t debit, uint64_t report,
                      uint8_t head[SOTTO__ENTRY_HEAD_BYTES])
{
    sotto__entry entry = {.kind = kind, .sequence = sequence, .debit = debit, .report = report};
    sotto__mark_encode(&entry, head);
}

static void report_head(uint64_t sequence, uint64_t debit, uint8_t spec, uint8_t nonce,
                        uint8_t head[SOTTO__ENTRY_HEAD_BYTES])
{
    uint8_t frame[ROUND_FRAME_BYTES];
    sotto__entry entry = {
        .kind = SOTTO__ENTRY_REPORT, .sequence = sequence, .debit = debit, .rest_bytes = 2};
    round_frame(spec, nonce, frame);
    sotto__report_frame(&entry, frame, head);
}

static void take(sotto__log *log, const uint8_t head[SOTTO__ENTRY_HEAD_BYTES])
{
    sotto__entry entry;
    assert_null(WHY(sotto__log_fault, log, head, &entry));
    assert_ok(sotto__log_reserve(log));
    sotto__log_state after = sotto__log_after(log, &entry, no_chain);
    sotto__log_take(log, &entry, &after);
}

static void assert_faulty(const sotto__log *log, const uint8_t *head, const char *wanted)
{
    sotto__entry entry;
    const char *fault = WHY(sotto__log_fault, log, head, &entry);
    assert_non_null(fault);
    assert_string_equal(fault, wanted);
}

/* All bytes of a head from this one on say nothing, so they must be zero. */
static void assert_zero_from(const sotto__log *log, uint8_t *head, size_t from)
{
    for (size_t at = from; at < SOTTO__ENTRY_HEAD_BYTES; at++) {
        head[at] = 1;
        assert_faulty(log, head, "unknown bytes");
        head[at] = 0;
    }
}

TEST(a_debit_that_may_not_come_next)
{
    sotto__log log;
    uint8_t good[SOTTO__ENTRY_HEAD_BYTES], bad[SOTTO__ENTRY_HEAD_BYTES];
    sotto__log_begin(&log, id);
    debit_head(1, 0xaa, 1, good);
#define BAD(change, wanted)                                                                        \
    do {                                                                                           \
        memcpy(bad, good, sizeof bad);                                                             \
        change;                                                                                    \
        assert_faulty(&log, bad, wanted);                                                          \
    } while (0)
    BAD(bad[0] = 0, "an unknown kind of entry");
    BAD(bad[0] = 8, "an unknown kind of entry");
    BAD(bad[0] = 255, "an unknown kind of entry");
    BAD(bad[1] = 1, "an unknown kind of entry");
    BAD(bad[3] = 1, "an unknown kind of entry");
    BAD(bad[4] = 1, "a debit of the wrong length");
    BAD(bad[8] = 0, "out of order");
    BAD(bad[8] = 2, "out of order");
    BAD(sotto__put_f64(bad + 48, NAN), "epsilon out of range");
    BAD(sotto__put_f64(bad + 48, INFINITY), "epsilon out of range");
    BAD(sotto__put_f64(bad + 48, -0.5), "epsilon out of range");
    BAD(sotto__put_f64(bad + 56, NAN), "delta out of range");
    BAD(sotto__put_f64(bad + 56, 1.5), "delta out of range");
    BAD(sotto__put_f64(bad + 56, -1e-9), "delta out of range");
    take(&log, good);
    sotto__log_end(&log);
}

TEST(a_report_that_may_not_come_next)
{
    sotto__log log;
    uint8_t head[SOTTO__ENTRY_HEAD_BYTES];
    sotto__log_begin(&log, id);
    report_head(1, 0, 0xaa, 1, head);
    assert_faulty(&log, head, "a report for no open round");
    debit_head(1, 0xaa, 1, head);
    take(&log, head);
    report_head(2, 2, 0xaa, 1, head);
    assert_faulty(&log, head, "a report for no open round");
    report_head(2, UINT64_MAX, 0xaa, 1, head);
    assert_faulty(&log, head, "a report for no open round");
    report_head(2, 1, 0xab, 1, head);
    assert_faulty(&log, head, "a report of another round's spec or nonce");
    report_head(2, 1, 0xaa, 2, head);
    assert_faulty(&log, head, "a report of another round's spec or nonce");
    report_head(2, 1, 0xaa, 1, head);
    head[24] = 'X'; /* the frame's magic */
    assert_faulty(&log, head, "a report of another round's spec or nonce");
    report_head(2, 1, 0xaa, 1, head);
    sotto__put_u32(head + 4, 4 * SOTTO_TICKS_MAX + 1);
    assert_faulty(&log, head, "a report of the wrong length");
    report_head(2, 1, 0xaa, 1, head);
    take(&log, head);
    report_head(3, 1, 0xaa, 1, head);
    assert_faulty(&log, head, "a second report of a round");
    head[0] = SOTTO__ENTRY_HELD;
    assert_faulty(&log, head, "a second report of a round");
    assert_int_equal(log.state.reports, 1);
    sotto__log_end(&log);
}

/* A held report, entry 2, of the round that is entry 1. */
static void begin_held(sotto__log *log)
{
    uint8_t head[SOTTO__ENTRY_HEAD_BYTES];
    sotto__log_begin(log, id);
    debit_head(1, 0xaa, 1, head);
    take(log, head);
    report_head(2, 1, 0xaa, 1, head);
    head[0] = SOTTO__ENTRY_HELD;
    take(log, head);
}

TEST(a_replacement_that_may_not_come_next)
{
    sotto__log log;
    uint8_t head[SOTTO__ENTRY_HEAD_BYTES];
    begin_held(&log);
    report_head(3, 1, 0xaa, 2, head);
    assert_faulty(&log, head, "a report of another round's spec or nonce");
    report_head(3, 1, 0xaa, 1, head);
    head[0] = SOTTO__ENTRY_HELD;
    assert_faulty(&log, head, "a second report of a round");
    report_head(3, 1, 0xaa, 1, head);
    head[4]++;
    assert_faulty(&log, head, "a report of another length than the held one");
    head[4]--;
    take(&log, head); /* once */
    assert_int_equal(log.state.reports, 1);
    report_head(4, 1, 0xaa, 1, head);
    assert_faulty(&log, head, "a second report of a round");
    sotto__log_end(&log);
    begin_held(&log);
    mark_head(SOTTO__ENTRY_SEALED, 3, 1, 2, head);
    take(&log, head);
    report_head(4, 1, 0xaa, 1, head);
    assert_faulty(&log, head, "a report that replaces a sealed one");
    mark_head(SOTTO__ENTRY_ACKNOWLEDGED, 4, 1, 0, head);
    take(&log, head);
    report_head(5, 1, 0xaa, 1, head);
    assert_faulty(&log, head, "a report for no open round");
    sotto__log_end(&log);
}

TEST(a_mark_that_may_not_come_next)
{
    sotto__log log;
    uint8_t head[SOTTO__ENTRY_HEAD_BYTES];
    sotto__log_begin(&log, id);
    debit_head(1, 0xaa, 1, head);
    take(&log, head);
    mark_head(SOTTO__ENTRY_SEALED, 2, 1, 0, head);
    assert_faulty(&log, head, "a seal for a round without a report");
    mark_head(SOTTO__ENTRY_ACKNOWLEDGED, 2, 1, 0, head);
    assert_faulty(&log, head, "an acknowledgement of a report that is not sealed");
    sotto__log_end(&log);
    begin_held(&log);
    mark_head(SOTTO__ENTRY_SEALED, 3, 2, 2, head);
    assert_faulty(&log, head, "a mark for no open round");
    mark_head(SOTTO__ENTRY_SEALED, 3, 1, 1, head);
    assert_faulty(&log, head, "a seal for another report than the round's");
    mark_head(SOTTO__ENTRY_SEALED, 4, 1, 2, head);
    assert_faulty(&log, head, "out of order");
    mark_head(SOTTO__ENTRY_ACKNOWLEDGED, 3, 1, 0, head);
    assert_faulty(&log, head, "an acknowledgement of a report that is not sealed");
    mark_head(SOTTO__ENTRY_SEALED, 3, 1, 2, head);
    assert_zero_from(&log, head, 32);
    head[4] = 1;
    assert_faulty(&log, head, "a mark of the wrong length");
    head[4] = 0;
    take(&log, head);
    mark_head(SOTTO__ENTRY_SEALED, 4, 1, 2, head);
    assert_faulty(&log, head, "a second seal");
    mark_head(SOTTO__ENTRY_ACKNOWLEDGED, 4, 1, 0, head);
    assert_zero_from(&log, head, 24);
    take(&log, head);
    mark_head(SOTTO__ENTRY_ACKNOWLEDGED, 5, 1, 0, head);
    assert_faulty(&log, head, "a mark for no open round");
    sotto__log_end(&log);
}

static void due_head(uint64_t sequence, uint64_t debit, uint64_t begun_ms, uint64_t send_at_ms,
                     uint8_t head[SOTTO__ENTRY_HEAD_BYTES])
{
    sotto__entry entry = {.kind = SOTTO__ENTRY_DUE,
                          .sequence = sequence,
                          .debit = debit,
                          .due = {begun_ms, send_at_ms}};
    sotto__mark_encode(&entry, head);
}

TEST(a_time_to_send_that_may_not_come_next)
{
    const uint64_t most = UINT64_C(1) << 62, years = 63072000000;
    const struct {
        uint64_t begun_ms, send_at_ms;
    } wrong[] = {{0, 0},
                 {0, 1},
                 {2, 1},
                 {1, years + 2},
                 {most + 1, most + 1},
                 {most, most + years + 1},
                 {1, UINT64_MAX},
                 {UINT64_MAX, UINT64_MAX}};
    sotto__log log;
    uint8_t head[SOTTO__ENTRY_HEAD_BYTES];
    sotto__log_begin(&log, id);
    due_head(1, 1, 1, 1, head);
    assert_faulty(&log, head, "a mark for no open round");
    debit_head(1, 0xaa, 1, head);
    take(&log, head);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        due_head(2, 1, wrong[i].begun_ms, wrong[i].send_at_ms, head);
        assert_faulty(&log, head, "times out of range");
    }
    due_head(2, 2, 1, 1, head);
    assert_faulty(&log, head, "a mark for no open round");
    due_head(2, 1, most, most + years, head);
    assert_zero_from(&log, head, 40);
    head[4] = 1;
    assert_faulty(&log, head, "a mark of the wrong length");
    head[4] = 0;
    take(&log, head);
    assert_int_equal(sotto__log_round(&log, 1)->due.begun_ms, most);
    assert_int_equal(sotto__log_round(&log, 1)->due.send_at_ms, most + years);
    due_head(3, 1, 5, 6, head);
    assert_faulty(&log, head, "a second send time");
    sotto__log_end(&log);
    begin_held(&log);
    due_head(3, 1, 5, 6, head);
    assert_faulty(&log, head, "send times after the report");
    sotto__log_end(&log);
}

/* Sealed or not: a dropped round is over, and counted. */
TEST(a_drop_that_may_not_come_next)
{
    uint8_t head[SOTTO__ENTRY_HEAD_BYTES];
    for (uint64_t sealed = 0; sealed < 2; sealed++) {
        sotto__log log;
        sotto__log_begin(&log, id);
        mark_head(SOTTO__ENTRY_DROPPED, 1, 1, 0, head);
        assert_faulty(&log, head, "a mark for no open round");
        debit_head(1, 0xaa, 1, head);
        take(&log, head);
        mark_head(SOTTO__ENTRY_DROPPED, 2, 1, 0, head);
        assert_faulty(&log, head, "a drop for a round without a report");
        sotto__log_end(&log);
        begin_held(&log);
        mark_head(SOTTO__ENTRY_SEALED, 3, 1, 2, head);
        if (sealed) take(&log, head);
        mark_head(SOTTO__ENTRY_DROPPED, 3 + sealed, 1, 0, head);
        assert_zero_from(&log, head, 24);
        take(&log, head);
        assert_ints(log.dropped, 1, log.state.reports, 1);
        assert_null(sotto__log_unsent(&log, 0));
        const sotto__entry_kind after[] = {SOTTO__ENTRY_DROPPED, SOTTO__ENTRY_ACKNOWLEDGED,
                                           SOTTO__ENTRY_SEALED};
        for (size_t i = 0; i < 3; i++) {
            mark_head(after[i], 4 + sealed, 1, after[i] == SOTTO__ENTRY_SEALED ? 2 : 0, head);
            assert_faulty(&log, head, "a mark for no open round");
        }
        report_head(4 + sealed, 1, 0xaa, 1, head);
        assert_faulty(&log, head, "a report for no open round");
        head[0] = SOTTO__ENTRY_HELD;
        assert_faulty(&log, head, "a report for no open round");
        sotto__log_end(&log);
    }
}

/* Many rounds, each step in an order of its own: each exactly once. */
TEST(rounds_stay_open_until_they_are_acknowledged)
{
    enum { ROUNDS = 100 };
    sotto__log log;
    uint8_t head[SOTTO__ENTRY_HEAD_BYTES];
    uint64_t sequence = ROUNDS, report[ROUNDS + 1];
    sotto__log_begin(&log, id);
    for (uint32_t i = 1; i <= ROUNDS; i++) {
        debit_head(i, 0xaa, (uint8_t)i, head);
        take(&log, head);
    }
    assert_null(sotto__log_unsent(&log, 0));
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t debit = i * 37 % ROUNDS + 1;
        report[debit] = ++sequence;
        report_head(sequence, debit, 0xaa, (uint8_t)debit, head);
        take(&log, head);
        report_head(sequence + 1, debit, 0xaa, (uint8_t)debit, head);
        assert_faulty(&log, head, "a second report of a round");
    }
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t debit = i * 13 % ROUNDS + 1;
        assert_int_equal(log.open_count, ROUNDS - i);
        mark_head(SOTTO__ENTRY_SEALED, ++sequence, debit, report[debit], head);
        take(&log, head);
        assert_int_equal(sotto__log_unsent(&log, debit - 1)->entry, debit);
        mark_head(SOTTO__ENTRY_ACKNOWLEDGED, ++sequence, debit, 0, head);
        take(&log, head);
        assert_null(sotto__log_round(&log, debit));
        const sotto__open_round *next = sotto__log_unsent(&log, debit - 1);
        assert_true(next == NULL || next->entry > debit);
    }
    assert_null(sotto__log_unsent(&log, 0));
    assert_null(sotto__log_unsent(&log, UINT64_MAX));
    assert_ints(log.open_count, 0, log.state.spent.rounds, ROUNDS, log.state.reports, ROUNDS);
    assert_true(log.state.spent.epsilon == ROUNDS);
    sotto__log_end(&log);
}

TEST(anchors_are_refused_by_their_fault)
{
    sotto__log log;
    sotto__log_state read;
    uint8_t anchor[SOTTO_LEDGER_ANCHOR_BYTES];
    sotto__log_begin(&log, id);
    log.state.sequence = 3;
    log.state.spent.rounds = 1;
    log.state.spent.composed_at = 0.5;
    sotto__anchor_encode(&log.state, anchor);
    assert_null(WHY(sotto__anchor_decode, anchor, &read));
    assert_int_equal(read.sequence, 3);
    assert_true(read.spent.composed_at == 0.5);
    for (size_t i = 0; i < sizeof anchor; i++) {
        anchor[i] ^= 0x10;
        const char *fault = WHY(sotto__anchor_decode, anchor, &read);
        assert_non_null(fault);
        assert_string_equal(fault, i < 4 ? "not an anchor" : "wrong checksum");
        anchor[i] ^= 0x10;
    }
    log.state.spent.composed_at = NAN;
    sotto__anchor_encode(&log.state, anchor);
    assert_string_equal(WHY(sotto__anchor_decode, anchor, &read),
                        "composed at an epsilon out of range");
}

TEST(head_blocks_are_refused_by_their_fault)
{
    sotto__log log;
    sotto__log_state read;
    uint8_t block[SOTTO__HEAD_BLOCK_BYTES];
    sotto__log_begin(&log, id);
    log.state.sequence = 2;
    sotto__head_encode(&log.state, 0, block);
    assert_null(WHY(sotto__head_decode, block, 0, &read));
    assert_string_equal(WHY(sotto__head_decode, block, 1, &read),
                        "it has the number of the other block");
    for (size_t i = 0; i < sizeof block; i++) {
        block[i] ^= 0x10;
        const char *fault = WHY(sotto__head_decode, block, 0, &read);
        assert_non_null(fault);
        assert_string_equal(fault, i < 4 ? "not a ledger" : "wrong checksum");
        block[i] ^= 0x10;
    }
    const double out_of_range[] = {-1, INFINITY, NAN};
    log.state.spent.rounds = 1;
    for (size_t i = 0; i < 3; i++) {
        log.state.spent.composed_at = out_of_range[i];
        sotto__head_encode(&log.state, 0, block);
        assert_string_equal(WHY(sotto__head_decode, block, 0, &read),
                            "composed at an epsilon out of range");
    }
    log.state.spent.composed_at = 0.5;
    sotto__head_encode(&log.state, 0, block);
    assert_null(WHY(sotto__head_decode, block, 0, &read));
    assert_true(read.spent.composed_at == 0.5);
    sotto__head_encode(&log.state, 1, block);
    assert_string_equal(WHY(sotto__head_decode, block, 1, &read),
                        "it has a sequence number of the other block");
}

/* Written by Python from the specification alone. */
TEST(the_golden_empty_ledger_is_two_blocks_of_nothing)
{
    sotto__log log;
    uint8_t golden[SOTTO__HEAD_BYTES], ours[SOTTO__HEAD_BLOCK_BYTES];
    assert_int_equal(golden_read("ledger_empty.bin", golden, sizeof golden), sizeof golden);
    sotto__log_begin(&log, id);
    for (uint32_t block = 0; block < 2; block++) {
        sotto__head_encode(&log.state, block, ours);
        assert_memory_equal(ours, golden + block * sizeof ours, sizeof ours);
    }
}
