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

typedef struct head {
    uint8_t bytes[SOTTO__ENTRY_HEAD_BYTES];
} head;

static head debit_head(uint64_t sequence, uint8_t spec, uint8_t nonce)
{
    head out;
    sotto__entry entry = {.kind = SOTTO__ENTRY_DEBIT, .sequence = sequence, .epsilon = 1};
    memset(entry.spec_id, spec, sizeof entry.spec_id);
    memset(entry.nonce, nonce, sizeof entry.nonce);
    sotto__debit_encode(&entry, out.bytes);
    return out;
}

enum {
    SEALED = SOTTO__ENTRY_SEALED,
    ACKNOWLEDGED = SOTTO__ENTRY_ACKNOWLEDGED,
    DROPPED = SOTTO__ENTRY_DROPPED
};

static head mark_head(int kind, uint64_t sequence, uint64_t debit, uint64_t report)
{
    head out;
    sotto__entry entry = {
        .kind = (sotto__entry_kind)kind, .sequence = sequence, .debit = debit, .report = report};
    sotto__mark_encode(&entry, out.bytes);
    return out;
}

static head report_head(uint64_t sequence, uint64_t debit, uint8_t spec, uint8_t nonce)
{
    head out;
    uint8_t frame[ROUND_FRAME_BYTES];
    sotto__entry entry = {
        .kind = SOTTO__ENTRY_REPORT, .sequence = sequence, .debit = debit, .rest_bytes = 2};
    round_frame(spec, nonce, frame);
    sotto__report_frame(&entry, frame, out.bytes);
    return out;
}

/* A held report of round 1. */
static head held_head(uint64_t sequence)
{
    head out = report_head(sequence, 1, 0xaa, 1);
    out.bytes[0] = SOTTO__ENTRY_HELD;
    return out;
}

static void take(sotto__log *log, head h)
{
    sotto__entry entry;
    assert_null(WHY(sotto__log_fault, log, h.bytes, &entry));
    assert_ok(sotto__log_reserve(log));
    sotto__log_state after = sotto__log_after(log, &entry, no_chain);
    sotto__log_take(log, &entry, &after);
}

static void assert_faulty(const sotto__log *log, head h, const char *wanted)
{
    sotto__entry entry;
    const char *fault = WHY(sotto__log_fault, log, h.bytes, &entry);
    assert_non_null(fault);
    assert_string_equal(fault, wanted);
}

/* The same head with another byte. */
static head with(head h, size_t at, uint8_t byte)
{
    h.bytes[at] = byte;
    return h;
}

/* All bytes of a head from this one on say nothing, so they must be zero. */
static void assert_zero_from(const sotto__log *log, head h, size_t from)
{
    for (size_t at = from; at < SOTTO__ENTRY_HEAD_BYTES; at++) {
        assert_faulty(log, with(h, at, 1), "unknown bytes");
    }
}

TEST(a_debit_that_may_not_come_next_is_refused)
{
    sotto__log log;
    const head good = debit_head(1, 0xaa, 1);
    sotto__log_begin(&log, id);
    assert_faulty(&log, with(good, 0, 0), "an unknown kind of entry");
    assert_faulty(&log, with(good, 0, 8), "an unknown kind of entry");
    assert_faulty(&log, with(good, 0, 255), "an unknown kind of entry");
    assert_faulty(&log, with(good, 1, 1), "an unknown kind of entry");
    assert_faulty(&log, with(good, 3, 1), "an unknown kind of entry");
    assert_faulty(&log, with(good, 4, 1), "a debit of the wrong length");
    assert_faulty(&log, with(good, 8, 0), "out of order");
    assert_faulty(&log, with(good, 8, 2), "out of order");
    const double out_of_range[2][3] = {{NAN, INFINITY, -0.5}, {NAN, 1.5, -1e-9}};
    for (size_t i = 0; i < 6; i++) {
        head bad = good;
        sotto__put_f64(bad.bytes + (i < 3 ? 48 : 56), out_of_range[i / 3][i % 3]);
        assert_faulty(&log, bad, i < 3 ? "epsilon out of range" : "delta out of range");
    }
    take(&log, good);
    sotto__log_end(&log);
}

TEST(a_report_that_may_not_come_next_is_refused)
{
    sotto__log log;
    sotto__log_begin(&log, id);
    assert_faulty(&log, report_head(1, 0, 0xaa, 1), "a report for no open round");
    take(&log, debit_head(1, 0xaa, 1));
    assert_faulty(&log, report_head(2, 2, 0xaa, 1), "a report for no open round");
    assert_faulty(&log, report_head(2, UINT64_MAX, 0xaa, 1), "a report for no open round");
    assert_faulty(&log, report_head(2, 1, 0xab, 1), "a report of another round's spec or nonce");
    assert_faulty(&log, report_head(2, 1, 0xaa, 2), "a report of another round's spec or nonce");
    head bad = report_head(2, 1, 0xaa, 1);
    assert_faulty(&log, with(bad, 24, 'X'), /* the frame's magic */
                  "a report of another round's spec or nonce");
    sotto__put_u32(bad.bytes + 4, 4 * SOTTO_TICKS_MAX + 1);
    assert_faulty(&log, bad, "a report of the wrong length");
    take(&log, report_head(2, 1, 0xaa, 1));
    assert_faulty(&log, report_head(3, 1, 0xaa, 1), "a second report of a round");
    assert_faulty(&log, held_head(3), "a second report of a round");
    assert_int_equal(log.state.reports, 1);
    sotto__log_end(&log);
}

/* A held report, entry 2, of the round that is entry 1. */
static void begin_held(sotto__log *log)
{
    sotto__log_begin(log, id);
    take(log, debit_head(1, 0xaa, 1));
    take(log, held_head(2));
}

TEST(a_replacement_that_may_not_come_next_is_refused)
{
    sotto__log log;
    begin_held(&log);
    assert_faulty(&log, report_head(3, 1, 0xaa, 2), "a report of another round's spec or nonce");
    assert_faulty(&log, held_head(3), "a second report of a round");
    const head good = report_head(3, 1, 0xaa, 1);
    assert_faulty(&log, with(good, 4, (uint8_t)(good.bytes[4] + 1)),
                  "a report of another length than the held one");
    take(&log, good); /* once */
    assert_int_equal(log.state.reports, 1);
    assert_faulty(&log, report_head(4, 1, 0xaa, 1), "a second report of a round");
    sotto__log_end(&log);
    begin_held(&log);
    take(&log, mark_head(SEALED, 3, 1, 2));
    assert_faulty(&log, report_head(4, 1, 0xaa, 1), "a report that replaces a sealed one");
    take(&log, mark_head(ACKNOWLEDGED, 4, 1, 0));
    assert_faulty(&log, report_head(5, 1, 0xaa, 1), "a report for no open round");
    sotto__log_end(&log);
}

TEST(a_mark_that_may_not_come_next_is_refused)
{
    sotto__log log;
    sotto__log_begin(&log, id);
    take(&log, debit_head(1, 0xaa, 1));
    assert_faulty(&log, mark_head(SEALED, 2, 1, 0), "a seal for a round without a report");
    assert_faulty(&log, mark_head(ACKNOWLEDGED, 2, 1, 0),
                  "an acknowledgement of a report that is not sealed");
    sotto__log_end(&log);
    begin_held(&log);
    assert_faulty(&log, mark_head(SEALED, 3, 2, 2), "a mark for no open round");
    assert_faulty(&log, mark_head(SEALED, 3, 1, 1), "a seal for another report than the round's");
    assert_faulty(&log, mark_head(SEALED, 4, 1, 2), "out of order");
    assert_faulty(&log, mark_head(ACKNOWLEDGED, 3, 1, 0),
                  "an acknowledgement of a report that is not sealed");
    const head seal = mark_head(SEALED, 3, 1, 2);
    assert_zero_from(&log, seal, 32);
    assert_faulty(&log, with(seal, 4, 1), "a mark of the wrong length");
    take(&log, seal);
    assert_faulty(&log, mark_head(SEALED, 4, 1, 2), "a second seal");
    const head acknowledgement = mark_head(ACKNOWLEDGED, 4, 1, 0);
    assert_zero_from(&log, acknowledgement, 24);
    take(&log, acknowledgement);
    assert_faulty(&log, mark_head(ACKNOWLEDGED, 5, 1, 0), "a mark for no open round");
    sotto__log_end(&log);
}

static head due_head(uint64_t sequence, uint64_t debit, uint64_t begun_ms, uint64_t send_at_ms)
{
    head out;
    sotto__entry entry = {.kind = SOTTO__ENTRY_DUE,
                          .sequence = sequence,
                          .debit = debit,
                          .due = {begun_ms, send_at_ms}};
    sotto__mark_encode(&entry, out.bytes);
    return out;
}

TEST(a_time_to_send_that_may_not_come_next_is_refused)
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
    sotto__log_begin(&log, id);
    assert_faulty(&log, due_head(1, 1, 1, 1), "a mark for no open round");
    take(&log, debit_head(1, 0xaa, 1));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_faulty(&log, due_head(2, 1, wrong[i].begun_ms, wrong[i].send_at_ms),
                      "times out of range");
    }
    assert_faulty(&log, due_head(2, 2, 1, 1), "a mark for no open round");
    const head due = due_head(2, 1, most, most + years);
    assert_zero_from(&log, due, 40);
    assert_faulty(&log, with(due, 4, 1), "a mark of the wrong length");
    take(&log, due);
    assert_int_equal(sotto__log_round(&log, 1)->due.begun_ms, most);
    assert_int_equal(sotto__log_round(&log, 1)->due.send_at_ms, most + years);
    assert_faulty(&log, due_head(3, 1, 5, 6), "a second send time");
    sotto__log_end(&log);
    begin_held(&log);
    assert_faulty(&log, due_head(3, 1, 5, 6), "send times after the report");
    sotto__log_end(&log);
}

/* Sealed or not: a dropped round is over, and counted. */
TEST(a_drop_that_may_not_come_next_is_refused)
{
    for (uint64_t sealed = 0; sealed < 2; sealed++) {
        sotto__log log;
        sotto__log_begin(&log, id);
        assert_faulty(&log, mark_head(DROPPED, 1, 1, 0), "a mark for no open round");
        take(&log, debit_head(1, 0xaa, 1));
        assert_faulty(&log, mark_head(DROPPED, 2, 1, 0), "a drop for a round without a report");
        sotto__log_end(&log);
        begin_held(&log);
        if (sealed) take(&log, mark_head(SEALED, 3, 1, 2));
        const head drop = mark_head(DROPPED, 3 + sealed, 1, 0);
        assert_zero_from(&log, drop, 24);
        take(&log, drop);
        assert_ints(log.dropped, 1, log.state.reports, 1);
        assert_null(sotto__log_unsent(&log, 0));
        const int after[] = {DROPPED, ACKNOWLEDGED, SEALED};
        for (size_t i = 0; i < 3; i++) {
            assert_faulty(&log, mark_head(after[i], 4 + sealed, 1, after[i] == SEALED ? 2 : 0),
                          "a mark for no open round");
        }
        assert_faulty(&log, report_head(4 + sealed, 1, 0xaa, 1), "a report for no open round");
        assert_faulty(&log, held_head(4 + sealed), "a report for no open round");
        sotto__log_end(&log);
    }
}

/* Many rounds, each step in an order of its own: each exactly once. */
TEST(rounds_stay_open_until_they_are_acknowledged)
{
    enum { ROUNDS = 100 };
    sotto__log log;
    uint64_t sequence = ROUNDS, report[ROUNDS + 1];
    sotto__log_begin(&log, id);
    for (uint32_t i = 1; i <= ROUNDS; i++) {
        take(&log, debit_head(i, 0xaa, (uint8_t)i));
    }
    assert_null(sotto__log_unsent(&log, 0));
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t debit = i * 37 % ROUNDS + 1;
        report[debit] = ++sequence;
        take(&log, report_head(sequence, debit, 0xaa, (uint8_t)debit));
        assert_faulty(&log, report_head(sequence + 1, debit, 0xaa, (uint8_t)debit),
                      "a second report of a round");
    }
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t debit = i * 13 % ROUNDS + 1;
        assert_int_equal(log.open_count, ROUNDS - i);
        take(&log, mark_head(SEALED, ++sequence, debit, report[debit]));
        assert_int_equal(sotto__log_unsent(&log, debit - 1)->entry, debit);
        take(&log, mark_head(ACKNOWLEDGED, ++sequence, debit, 0));
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
