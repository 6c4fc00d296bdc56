/* What must still be sent: the same rules, call by call, for a ledger in memory, in a file and
 * behind calls. What only a log can do comes at the end. */
#include "borrowed.h"
#include "client/inner.h"
#include "directory.h"
#include "golden.h"
#include "rounds.h"
#include "store.h"
#include "test.h"
#include "why.h"

#include <string.h>

enum { IN_MEMORY, IN_FILE, BEHIND_CALLS, PLACES };

static directory f;
static store s;

RELEASED_BY(sotto_ledger_free, sotto_ledger)

FIXTURE(set_up)
{
    f = directory_new();
    memset(&s, 0, sizeof s);
    assert_ok(sotto_ledger_file_create(f.file));
    sotto_ledger_calls calls = store_calls(&s);
    assert_ok(sotto_ledger_calls_create(&calls));
}

FIXTURE(tear_down)
{
    directory_free(&f);
}

static sotto_ledger *opened(int place)
{
    sotto_ledger *ledger;
    sotto_ledger_calls calls = store_calls(&s);
    if (place == IN_MEMORY) assert_ok(sotto_ledger_memory_new(&ledger));
    if (place == IN_FILE) assert_ok(sotto_ledger_file_open(f.file, &ledger));
    if (place == BEHIND_CALLS) assert_ok(sotto_ledger_calls_open(&calls, &ledger));
    after_test(release_sotto_ledger, ledger);
    return ledger;
}

/* The ledger as a new process finds it; one in memory stays. */
static sotto_ledger *reopened(int place, sotto_ledger *ledger)
{
    if (place == IN_MEMORY) return ledger;
    release(ledger);
    return opened(place);
}

static void assert_seals_as(sotto_ledger *ledger, uint64_t entry, uint8_t nonce, uint8_t index)
{
    uint8_t got[ROUND_FRAME_BYTES + 1], wanted[ROUND_FRAME_BYTES];
    got[ROUND_FRAME_BYTES] = 0xee;
    round_frame_of(0xaa, nonce, index, wanted);
    assert_ok(sotto_ledger_seal(ledger, entry, got, sizeof got));
    assert_memory_equal(got, wanted, sizeof wanted);
    assert_int_equal(got[ROUND_FRAME_BYTES], 0xee);
}

static void assert_unsent(sotto_ledger *ledger, uint64_t after, uint64_t entry, uint8_t nonce,
                          bool held, bool sealed)
{
    sotto_unsent got;
    uint8_t frame[ROUND_FRAME_BYTES];
    memset(&got, 0xee, sizeof got);
    round_frame(0xaa, nonce, frame);
    assert_ok(sotto_ledger_unsent(ledger, after, &got));
    assert_ints(got.entry, entry, got.frame_bytes, entry == 0 ? 0 : ROUND_FRAME_BYTES);
    if (entry == 0) return;
    assert_memory_equal(got.spec_id, frame + 4, SOTTO_SPEC_ID_BYTES);
    assert_memory_equal(got.nonce, frame + 24, SOTTO_NONCE_BYTES);
    assert_ints(got.held, held, got.sealed, sealed);
}

TEST_WITH(what_is_not_there_is_neither_sealed_nor_acknowledged, set_up, tear_down)
{
    for (int place = 0; place < PLACES; place++) {
        uint8_t frame[ROUND_FRAME_BYTES], untouched[ROUND_FRAME_BYTES];
        memset(frame, 0xcd, sizeof frame);
        memcpy(untouched, frame, sizeof frame);
        sotto_ledger *ledger = opened(place);
        assert_status(sotto_ledger_seal(ledger, 0, frame, sizeof frame), SOTTO_E_LEDGER);
        assert_status(sotto_ledger_acknowledge(ledger, 1), SOTTO_E_LEDGER);
        assert_unsent(ledger, 0, 0, 0, false, false);
        uint64_t entry = round_booked(ledger, 1);
        assert_status(sotto_ledger_seal(ledger, entry, frame, sizeof frame), SOTTO_E_LEDGER);
        assert_non_null(WHY(sotto_ledger_fault, ledger));
        assert_status(sotto_ledger_acknowledge(ledger, entry), SOTTO_E_LEDGER);
        assert_unsent(ledger, 0, 0, 0, false, false);
        assert_ok(round_hold(ledger, entry, 0xaa, 1, 5));
        assert_status(sotto_ledger_acknowledge(ledger, entry), SOTTO_E_LEDGER);
        assert_string_equal(WHY(sotto_ledger_fault, ledger),
                            "an acknowledgement of a report that is not sealed");
        assert_status(sotto_ledger_seal(ledger, entry + 1, frame, sizeof frame), SOTTO_E_LEDGER);
        assert_status(sotto_ledger_seal(ledger, UINT64_MAX, frame, sizeof frame), SOTTO_E_LEDGER);
        assert_memory_equal(frame, untouched, sizeof frame);
    }
}

TEST_WITH(a_report_that_does_not_fit_is_not_sealed, set_up, tear_down)
{
    for (int place = 0; place < PLACES; place++) {
        uint8_t frame[ROUND_FRAME_BYTES];
        sotto_ledger *ledger = opened(place);
        uint64_t entry = round_booked(ledger, 1);
        assert_status(ledger->hold(ledger, entry, frame, 39), SOTTO_E_LENGTH);
        assert_ok(round_hold(ledger, entry, 0xaa, 1, 5));
        assert_status(sotto_ledger_seal(ledger, entry, frame, sizeof frame - 1), SOTTO_E_LENGTH);
        assert_unsent(ledger, 0, entry, 1, true, false);
        assert_ok(round_replace(ledger, entry, 0xaa, 1, 6));
    }
}

TEST_WITH(a_held_report_is_replaced_once, set_up, tear_down)
{
    for (int place = 0; place < PLACES; place++) {
        sotto_ledger *ledger = opened(place);
        uint64_t entry = round_booked(ledger, 1);
        assert_ok(round_hold(ledger, entry, 0xaa, 1, 5));
        assert_unsent(ledger, 0, entry, 1, true, false);
        assert_int_equal(sotto_ledger_reports(ledger), 1);
        assert_status(round_hold(ledger, entry, 0xaa, 1, 6), SOTTO_E_LEDGER);
        ledger = reopened(place, ledger);
        assert_ok(round_replace(ledger, entry, 0xaa, 1, 7));
        assert_unsent(ledger, 0, entry, 1, false, false);
        assert_int_equal(sotto_ledger_reports(ledger), 1);
        ledger = reopened(place, ledger);
        assert_status(round_replace(ledger, entry, 0xaa, 1, 8), SOTTO_E_LEDGER);
        assert_string_equal(WHY(sotto_ledger_fault, ledger), "a second report of a round");
        assert_status(round_hold(ledger, entry, 0xaa, 1, 8), SOTTO_E_LEDGER);
        assert_seals_as(ledger, entry, 1, 7);
        assert_ints(sotto_ledger_rounds(ledger), 1, sotto_ledger_reports(ledger), 1);
    }
}

TEST_WITH(a_sealed_report_never_changes, set_up, tear_down)
{
    for (int place = 0; place < PLACES; place++) {
        sotto_ledger *ledger = opened(place);
        uint64_t entry = round_booked(ledger, 1);
        assert_ok(round_hold(ledger, entry, 0xaa, 1, 5));
        assert_seals_as(ledger, entry, 1, 5);
        assert_unsent(ledger, 0, entry, 1, true, true);
        for (int again = 0; again < 2; again++) {
            assert_status(round_replace(ledger, entry, 0xaa, 1, 6), SOTTO_E_LEDGER);
            assert_string_equal(WHY(sotto_ledger_fault, ledger),
                                "a report that replaces a sealed one");
            assert_status(round_hold(ledger, entry, 0xaa, 1, 6), SOTTO_E_LEDGER);
            assert_seals_as(ledger, entry, 1, 5);
            ledger = reopened(place, ledger);
        }
    }
}

TEST_WITH(an_acknowledged_report_is_no_longer_there, set_up, tear_down)
{
    for (int place = 0; place < PLACES; place++) {
        uint8_t frame[ROUND_FRAME_BYTES];
        sotto_ledger *ledger = opened(place);
        uint64_t entry = round_booked(ledger, 1);
        assert_ok(round_hold(ledger, entry, 0xaa, 1, 5));
        assert_seals_as(ledger, entry, 1, 5);
        assert_ok(sotto_ledger_acknowledge(ledger, entry));
        for (int again = 0; again < 2; again++) {
            assert_unsent(ledger, 0, 0, 0, false, false);
            assert_status(sotto_ledger_acknowledge(ledger, entry), SOTTO_E_LEDGER);
            assert_status(sotto_ledger_seal(ledger, entry, frame, sizeof frame), SOTTO_E_LEDGER);
            assert_int_equal(sotto_ledger_reports(ledger), 1);
            ledger = reopened(place, ledger);
        }
    }
}

TEST_WITH(what_is_not_there_is_not_dropped, set_up, tear_down)
{
    for (int place = 0; place < PLACES; place++) {
        sotto_ledger *ledger = opened(place);
        assert_status(sotto_ledger_drop(ledger, 0), SOTTO_E_LEDGER);
        assert_status(sotto_ledger_drop(ledger, 1), SOTTO_E_LEDGER);
        uint64_t entry = round_booked(ledger, 1);
        assert_status(sotto_ledger_drop(ledger, entry), SOTTO_E_LEDGER);
        assert_ok(ledger->due(ledger, entry, &(sotto__due){5, 6}));
        assert_status(sotto_ledger_drop(ledger, entry), SOTTO_E_LEDGER);
        assert_string_equal(WHY(sotto_ledger_fault, ledger), "a drop for a round without a report");
        assert_ok(round_hold(ledger, entry, 0xaa, 1, 5));
        assert_status(sotto_ledger_drop(ledger, entry + 1), SOTTO_E_LEDGER);
        assert_status(sotto_ledger_drop(ledger, UINT64_MAX), SOTTO_E_LEDGER);
        assert_seals_as(ledger, entry, 1, 5);
        assert_ok(sotto_ledger_acknowledge(ledger, entry));
        assert_status(sotto_ledger_drop(ledger, entry), SOTTO_E_LEDGER);
        assert_int_equal(sotto_ledger_dropped(ledger), 0);
    }
}

/* In this process and in the next, whether it was held, final or sealed. */
TEST_WITH(a_dropped_report_is_never_there_again, set_up, tear_down)
{
    enum { HELD, FINAL, SEALED, STEPS };
    for (int place = 0; place < PLACES; place++) {
        sotto_ledger *ledger = opened(place);
        for (uint8_t step = HELD; step < STEPS; step++) {
            uint8_t frame[ROUND_FRAME_BYTES];
            bool found = true;
            uint64_t entry = round_booked(ledger, step);
            assert_ok(round_hold(ledger, entry, 0xaa, step, 5));
            if (step >= FINAL) assert_ok(round_replace(ledger, entry, 0xaa, step, 6));
            if (step == SEALED) assert_seals_as(ledger, entry, step, 6);
            assert_ok(sotto_ledger_drop(ledger, entry));
            for (int again = 0; again < 2; again++) {
                assert_unsent(ledger, 0, 0, 0, false, false);
                assert_status(sotto_ledger_drop(ledger, entry), SOTTO_E_LEDGER);
                assert_status(sotto_ledger_acknowledge(ledger, entry), SOTTO_E_LEDGER);
                assert_status(sotto_ledger_seal(ledger, entry, frame, sizeof frame),
                              SOTTO_E_LEDGER);
                assert_status(round_replace(ledger, entry, 0xaa, step, 7), SOTTO_E_LEDGER);
                assert_string_equal(WHY(sotto_ledger_fault, ledger), "a report for no open round");
                assert_ok(round_recall(ledger, 0xaa, frame, &found));
                assert_false(found);
                assert_int_equal(sotto_ledger_dropped(ledger), step + 1);
                assert_int_equal(sotto_ledger_reports(ledger), step + 1);
                ledger = reopened(place, ledger);
            }
        }
    }
}

TEST_WITH(a_time_to_send_is_booked_once_before_the_report, set_up, tear_down)
{
    for (int place = 0; place < PLACES; place++) {
        const sotto__due due = {1000, 2000}, other = {1001, 2001};
        sotto_unsent next;
        sotto_ledger *ledger = opened(place);
        uint64_t first = round_booked(ledger, 1), second = round_booked(ledger, 2);
        assert_ok(ledger->due(ledger, second, &due));
        assert_status(ledger->due(ledger, second, &other), SOTTO_E_LEDGER);
        assert_string_equal(WHY(sotto_ledger_fault, ledger), "a second send time");
        assert_unsent(ledger, 0, 0, 0, false, false);
        ledger = reopened(place, ledger);
        assert_ok(round_hold(ledger, second, 0xaa, 2, 5));
        assert_ok(round_hold(ledger, first, 0xaa, 1, 5));
        assert_status(ledger->due(ledger, first, &due), SOTTO_E_LEDGER);
        assert_string_equal(WHY(sotto_ledger_fault, ledger), "send times after the report");
        ledger = reopened(place, ledger);
        assert_ok(sotto_ledger_unsent(ledger, 0, &next));
        assert_true(next.entry == first && next.begun_ms == 0 && next.send_at_ms == 0);
        assert_ok(sotto_ledger_unsent(ledger, first, &next));
        assert_true(next.entry == second && next.begun_ms == 1000 && next.send_at_ms == 2000);
    }
}

TEST_WITH(unsent_reports_come_in_the_order_of_their_rounds, set_up, tear_down)
{
    for (int place = 0; place < PLACES; place++) {
        sotto_ledger *ledger = opened(place);
        uint64_t entry[4];
        for (uint8_t i = 0; i < 4; i++) {
            entry[i] = round_booked(ledger, i);
        }
        const uint8_t order[] = {3, 0, 2}; /* the second round is abandoned */
        for (size_t i = 0; i < 3; i++) {
            assert_ok(round_hold(ledger, entry[order[i]], 0xaa, order[i], 5));
        }
        ledger = reopened(place, ledger);
        assert_unsent(ledger, 0, entry[0], 0, true, false);
        assert_unsent(ledger, entry[0], entry[2], 2, true, false);
        assert_seals_as(ledger, entry[2], 2, 5);
        assert_ok(sotto_ledger_acknowledge(ledger, entry[2]));
        assert_unsent(ledger, entry[0], entry[3], 3, true, false);
        assert_unsent(ledger, entry[3], 0, 0, false, false);
        assert_unsent(ledger, UINT64_MAX, 0, 0, false, false);
    }
}

TEST_WITH(two_handles_agree_on_what_is_sealed, set_up, tear_down)
{
    for (int place = IN_FILE; place < PLACES; place++) {
        sotto_ledger *first = opened(place), *second = opened(place);
        uint64_t entry = round_booked(first, 1);
        assert_ok(round_hold(first, entry, 0xaa, 1, 5));
        assert_seals_as(second, entry, 1, 5);
        assert_status(round_replace(first, entry, 0xaa, 1, 6), SOTTO_E_LEDGER);
        assert_string_equal(WHY(sotto_ledger_fault, first), "a report that replaces a sealed one");
        assert_seals_as(first, entry, 1, 5);
        assert_ok(sotto_ledger_acknowledge(second, entry));
        assert_unsent(first, 0, 0, 0, false, false);
    }
}

/* Its round may be alive in another process, which would replace it after it had left. */
TEST_WITH(a_held_report_is_not_recalled_before_it_is_sealed, set_up, tear_down)
{
    for (int place = IN_FILE; place < PLACES; place++) {
        uint8_t frame[ROUND_FRAME_BYTES], wanted[ROUND_FRAME_BYTES];
        bool found = true;
        sotto_ledger *ledger = opened(place);
        uint64_t entry = round_booked(ledger, 1);
        assert_ok(round_hold(ledger, entry, 0xaa, 1, 5));
        assert_ok(round_recall(ledger, 0xaa, frame, &found));
        assert_false(found);
        assert_seals_as(ledger, entry, 1, 5);
        assert_ok(round_recall(ledger, 0xaa, frame, &found));
        assert_true(found);
        round_frame_of(0xaa, 1, 5, wanted);
        assert_memory_equal(frame, wanted, sizeof wanted);
        entry = round_booked(ledger, 2);
        assert_ok(round_hold(ledger, entry, 0xaa, 2, 5));
        assert_ok(round_replace(ledger, entry, 0xaa, 2, 6));
        assert_ok(round_recall(ledger, 0xaa, frame, &found));
        assert_true(found);
        round_frame_of(0xaa, 2, 6, wanted);
        assert_memory_equal(frame, wanted, sizeof wanted);
    }
}

/* Longer than what is read at once. */
TEST_WITH(a_long_report_comes_back_whole, set_up, tear_down)
{
    enum { LONG = 8000 };
    static uint8_t held[LONG], replacing[LONG], got[LONG];
    for (int place = 0; place < PLACES; place++) {
        sotto_ledger *ledger = opened(place);
        uint64_t entry = round_booked(ledger, 1);
        for (size_t i = 0; i < LONG; i++) {
            held[i] = (uint8_t)(i * 7 >> 3);
            replacing[i] = (uint8_t)(i * 5 >> 3);
        }
        round_frame(0xaa, 1, held);
        round_frame(0xaa, 1, replacing);
        assert_ok(ledger->hold(ledger, entry, held, LONG));
        assert_status(ledger->replace(ledger, entry, replacing, LONG - 1), SOTTO_E_LEDGER);
        assert_ok(ledger->replace(ledger, entry, replacing, LONG));
        ledger = reopened(place, ledger);
        assert_ok(sotto_ledger_seal(ledger, entry, got, LONG));
        assert_memory_equal(got, replacing, LONG);
    }
}

/* Of the digest that a handle has kept, every byte counts; what was read by then is not given. */
TEST_WITH(a_report_that_is_not_what_was_taken_in_is_not_given, set_up, tear_down)
{
    for (int place = IN_FILE; place < PLACES; place++) {
        sotto_ledger *ledger = opened(place);
        uint64_t entry = round_booked(ledger, 1);
        assert_ok(round_hold(ledger, entry, 0xaa, 1, 5));
        assert_seals_as(ledger, entry, 1, 5);
        uint8_t *kept = ((sotto__logged *)ledger)->log.open[0].after;
        for (size_t i = 0; i < SOTTO__CHAIN_BYTES; i++) {
            static const uint8_t zeros[ROUND_FRAME_BYTES];
            uint8_t frame[ROUND_FRAME_BYTES];
            memset(frame, 0xcd, sizeof frame);
            kept[i] ^= 1;
            assert_status(sotto_ledger_seal(ledger, entry, frame, sizeof frame), SOTTO_E_LEDGER);
            assert_non_null(strstr(WHY(sotto_ledger_fault, ledger), "wrong digest"));
            assert_memory_equal(frame, zeros, sizeof frame);
            kept[i] ^= 1;
        }
        assert_seals_as(ledger, entry, 1, 5);
    }
}

/* As tests/golden/make_ledger.py has them. */
static void due_rounds(sotto_ledger *ledger)
{
    uint64_t first = round_booked(ledger, 1), second, third, fourth;
    assert_ok(ledger->due(ledger, first, &(sotto__due){1790000000000, 1790000086400}));
    second = round_booked(ledger, 2);
    assert_ok(round_hold(ledger, first, 0xaa, 1, 5));
    const uint64_t most = UINT64_C(1) << 62;
    assert_ok(ledger->due(ledger, second, &(sotto__due){most, most + 63072000000}));
    assert_seals_as(ledger, first, 1, 5);
    assert_ok(sotto_ledger_drop(ledger, first));
    assert_ok(round_hold(ledger, second, 0xaa, 2, 6));
    assert_ok(round_book(ledger, 0xaa, 3, 0.5, 8, &third));
    assert_ok(ledger->due(ledger, third, &(sotto__due){1, 1}));
    assert_ok(round_hold(ledger, third, 0xaa, 3, 7));
    assert_ok(sotto_ledger_drop(ledger, third));
    assert_ok(round_book(ledger, 0xaa, 4, 0.25, 8, &fourth));
    assert_ok(ledger->due(ledger, fourth, &(sotto__due){2, 3}));
}

static void assert_due_rounds(sotto_ledger *ledger)
{
    sotto_unsent next;
    assert_ints(sotto_ledger_rounds(ledger), 4, sotto_ledger_reports(ledger), 3,
                sotto_ledger_dropped(ledger), 2);
    assert_ok(sotto_ledger_unsent(ledger, 0, &next));
    assert_true(next.held && !next.sealed && next.nonce[0] == 2);
    assert_int_equal(next.begun_ms, UINT64_C(1) << 62);
    assert_int_equal(next.send_at_ms, (UINT64_C(1) << 62) + 63072000000);
    assert_unsent(ledger, next.entry, 0, 0, false, false);
    release(ledger);
}

/* Written by Python from the specification alone; ours begin with an empty ledger of the same id. */
TEST_WITH(times_and_drops_are_the_golden_bytes_in_a_file, set_up, tear_down)
{
    static uint8_t golden[16384], ours[16384];
    file_write(f.file, golden, golden_read("ledger_empty.bin", golden, sizeof golden));
    sotto_ledger *ledger = opened(IN_FILE);
    due_rounds(ledger);
    assert_due_rounds(ledger);
    size_t count = golden_read("ledger_due.bin", golden, sizeof golden);
    assert_int_equal(file_read(f.file, ours, sizeof ours), count);
    assert_memory_equal(ours, golden, count);
    assert_due_rounds(opened(IN_FILE));
}

TEST_WITH(times_and_drops_are_the_golden_bytes_behind_calls, set_up, tear_down)
{
    static const uint8_t id[SOTTO__LEDGER_ID_BYTES] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                       8, 9, 10, 11, 12, 13, 14, 15};
    static uint8_t entries[4096];
    uint8_t anchor[SOTTO_LEDGER_ANCHOR_BYTES];
    sotto__log empty;
    sotto__log_begin(&empty, id);
    sotto__anchor_encode(&empty.state, s.anchor);
    sotto_ledger *ledger = opened(BEHIND_CALLS);
    due_rounds(ledger);
    assert_due_rounds(ledger);
    assert_int_equal(golden_read("anchor_due.bin", anchor, sizeof anchor), sizeof anchor);
    assert_memory_equal(s.anchor, anchor, sizeof anchor);
    size_t count = golden_read("entries_due.bin", entries, sizeof entries), at = 0;
    for (uint64_t i = 0; i < s.count; at += s.entry_bytes[i++]) {
        assert_true(at + s.entry_bytes[i] <= count);
        assert_memory_equal(s.entry[i], entries + at, s.entry_bytes[i]);
    }
    assert_int_equal(at, count);
    assert_due_rounds(opened(BEHIND_CALLS));
}

static uint8_t given[ROUND_FRAME_BYTES];
static bool looked;

static void assert_not_given(store *self)
{
    static const uint8_t zeros[ROUND_FRAME_BYTES];
    (void)self;
    assert_memory_equal(given, zeros, sizeof given);
    looked = true;
}

TEST_WITH(no_bytes_are_given_before_the_mark_is_stored, set_up, tear_down)
{
    sotto_ledger *ledger = opened(BEHIND_CALLS);
    uint64_t entry = round_booked(ledger, 1);
    assert_ok(round_hold(ledger, entry, 0xaa, 1, 5));
    looked = false;
    s.before_append = assert_not_given;
    assert_ok(sotto_ledger_seal(ledger, entry, given, sizeof given));
    assert_true(looked);
}

/* Entries that fit each other, but not what this process took in. */
TEST_WITH(a_log_of_other_entries_is_not_recalled_from, set_up, tear_down)
{
    static store other;
    uint8_t frame[ROUND_FRAME_BYTES];
    bool found;
    other = s;
    sotto_ledger_calls calls = store_calls(&other);
    sotto_ledger *theirs, *ledger = opened(BEHIND_CALLS);
    assert_ok(sotto_ledger_calls_open(&calls, &theirs));
    after_test(release_sotto_ledger, theirs);
    round_booked(ledger, 1);
    round_booked(theirs, 2);
    memcpy(s.entry, other.entry, sizeof s.entry);
    assert_status(round_recall(ledger, 0xaa, frame, &found), SOTTO_E_LEDGER);
    assert_string_equal(WHY(sotto_ledger_fault, ledger), "changed while this process used it");
}
