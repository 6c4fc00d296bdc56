/* What must still be sent: the same rules, call by call, for a ledger in memory, in a file and
 * behind calls. What only a log can do comes at the end. */
#include "client/ledger_log.h"
#include "folder.h"
#include "golden.h"
#include "rounds.h"
#include "store.h"
#include "test.h"

#include <string.h>

enum { IN_MEMORY, IN_FILE, BEHIND_CALLS, PLACES };

static folder f;
static store s;

static int set_up(void **state)
{
    (void)state;
    f = folder_new();
    memset(&s, 0, sizeof s);
    assert_ok(sotto_ledger_file_create(f.file));
    sotto_ledger_calls calls = store_calls(&s);
    assert_ok(sotto_ledger_calls_create(&calls));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    folder_free(&f);
    return 0;
}

static sotto_ledger *opened(int place)
{
    sotto_ledger *ledger;
    sotto_ledger_calls calls = store_calls(&s);
    if (place == IN_MEMORY) assert_ok(sotto_ledger_memory_new(&ledger));
    if (place == IN_FILE) assert_ok(sotto_ledger_file_open(f.file, &ledger));
    if (place == BEHIND_CALLS) assert_ok(sotto_ledger_calls_open(&calls, &ledger));
    return ledger;
}

/* The ledger as a new process finds it; one in memory stays. */
static sotto_ledger *reopened(int place, sotto_ledger *ledger)
{
    if (place == IN_MEMORY) return ledger;
    sotto_ledger_free(ledger);
    return opened(place);
}

static uint64_t book(sotto_ledger *ledger, uint8_t nonce)
{
    uint64_t entry;
    assert_ok(round_book(ledger, 0xaa, nonce, 1, 8, &entry));
    return entry;
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
    assert_int_equal(got.entry, entry);
    assert_int_equal(got.frame_bytes, entry == 0 ? 0 : ROUND_FRAME_BYTES);
    if (entry == 0) return;
    assert_memory_equal(got.spec_id, frame + 4, SOTTO_SPEC_ID_BYTES);
    assert_memory_equal(got.nonce, frame + 24, SOTTO_NONCE_BYTES);
    assert_int_equal(got.held, held);
    assert_int_equal(got.sealed, sealed);
}

static void what_is_not_there_is_neither_sealed_nor_acknowledged(void **state)
{
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        uint8_t frame[ROUND_FRAME_BYTES], untouched[ROUND_FRAME_BYTES];
        memset(frame, 0xcd, sizeof frame);
        memcpy(untouched, frame, sizeof frame);
        sotto_ledger *ledger = opened(place);
        assert_status(sotto_ledger_seal(ledger, 0, frame, sizeof frame), SOTTO_E_LEDGER);
        assert_status(sotto_ledger_acknowledge(ledger, 1), SOTTO_E_LEDGER);
        assert_unsent(ledger, 0, 0, 0, false, false);
        uint64_t entry = book(ledger, 1);
        assert_status(sotto_ledger_seal(ledger, entry, frame, sizeof frame), SOTTO_E_LEDGER);
        assert_non_null(sotto_ledger_fault(ledger));
        assert_status(sotto_ledger_acknowledge(ledger, entry), SOTTO_E_LEDGER);
        assert_unsent(ledger, 0, 0, 0, false, false);
        assert_ok(round_hold(ledger, entry, 0xaa, 1, 5));
        assert_status(sotto_ledger_acknowledge(ledger, entry), SOTTO_E_LEDGER);
        assert_string_equal(sotto_ledger_fault(ledger),
                            "an acknowledgement of a report that is not sealed");
        assert_status(sotto_ledger_seal(ledger, entry + 1, frame, sizeof frame), SOTTO_E_LEDGER);
        assert_status(sotto_ledger_seal(ledger, UINT64_MAX, frame, sizeof frame), SOTTO_E_LEDGER);
        assert_memory_equal(frame, untouched, sizeof frame);
        sotto_ledger_free(ledger);
    }
}

static void a_report_that_does_not_fit_is_not_sealed(void **state)
{
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        uint8_t frame[ROUND_FRAME_BYTES];
        sotto_ledger *ledger = opened(place);
        uint64_t entry = book(ledger, 1);
        assert_status(ledger->hold(ledger, entry, frame, 39), SOTTO_E_LENGTH);
        assert_ok(round_hold(ledger, entry, 0xaa, 1, 5));
        assert_status(sotto_ledger_seal(ledger, entry, frame, sizeof frame - 1), SOTTO_E_LENGTH);
        assert_unsent(ledger, 0, entry, 1, true, false);
        assert_ok(round_replace(ledger, entry, 0xaa, 1, 6));
        sotto_ledger_free(ledger);
    }
}

static void a_held_report_is_replaced_once(void **state)
{
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        sotto_ledger *ledger = opened(place);
        uint64_t entry = book(ledger, 1);
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
        assert_string_equal(sotto_ledger_fault(ledger), "a second report of a round");
        assert_status(round_hold(ledger, entry, 0xaa, 1, 8), SOTTO_E_LEDGER);
        assert_seals_as(ledger, entry, 1, 7);
        assert_int_equal(sotto_ledger_rounds(ledger), 1);
        assert_int_equal(sotto_ledger_reports(ledger), 1);
        sotto_ledger_free(ledger);
    }
}

static void a_sealed_report_never_changes(void **state)
{
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        sotto_ledger *ledger = opened(place);
        uint64_t entry = book(ledger, 1);
        assert_ok(round_hold(ledger, entry, 0xaa, 1, 5));
        assert_seals_as(ledger, entry, 1, 5);
        assert_unsent(ledger, 0, entry, 1, true, true);
        for (int again = 0; again < 2; again++) {
            assert_status(round_replace(ledger, entry, 0xaa, 1, 6), SOTTO_E_LEDGER);
            assert_string_equal(sotto_ledger_fault(ledger), "a report in place of a sealed one");
            assert_status(round_hold(ledger, entry, 0xaa, 1, 6), SOTTO_E_LEDGER);
            assert_seals_as(ledger, entry, 1, 5);
            ledger = reopened(place, ledger);
        }
        sotto_ledger_free(ledger);
    }
}

static void an_acknowledged_report_is_no_longer_there(void **state)
{
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        uint8_t frame[ROUND_FRAME_BYTES];
        sotto_ledger *ledger = opened(place);
        uint64_t entry = book(ledger, 1);
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
        sotto_ledger_free(ledger);
    }
}

static void what_is_not_there_is_not_dropped(void **state)
{
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        sotto_ledger *ledger = opened(place);
        assert_status(sotto_ledger_drop(ledger, 0), SOTTO_E_LEDGER);
        assert_status(sotto_ledger_drop(ledger, 1), SOTTO_E_LEDGER);
        uint64_t entry = book(ledger, 1);
        assert_status(sotto_ledger_drop(ledger, entry), SOTTO_E_LEDGER);
        assert_ok(ledger->due(ledger, entry, &(sotto__due){5, 6}));
        assert_status(sotto_ledger_drop(ledger, entry), SOTTO_E_LEDGER);
        assert_string_equal(sotto_ledger_fault(ledger), "a drop for a round without a report");
        assert_ok(round_hold(ledger, entry, 0xaa, 1, 5));
        assert_status(sotto_ledger_drop(ledger, entry + 1), SOTTO_E_LEDGER);
        assert_status(sotto_ledger_drop(ledger, UINT64_MAX), SOTTO_E_LEDGER);
        assert_seals_as(ledger, entry, 1, 5);
        assert_ok(sotto_ledger_acknowledge(ledger, entry));
        assert_status(sotto_ledger_drop(ledger, entry), SOTTO_E_LEDGER);
        assert_int_equal(sotto_ledger_dropped(ledger), 0);
        sotto_ledger_free(ledger);
    }
}

/* In this process and in the next, whether it was held, final or sealed. */
static void a_dropped_report_is_never_there_again(void **state)
{
    (void)state;
    enum { HELD, FINAL, SEALED, STEPS };
    for (int place = 0; place < PLACES; place++) {
        sotto_ledger *ledger = opened(place);
        for (uint8_t step = HELD; step < STEPS; step++) {
            uint8_t frame[ROUND_FRAME_BYTES];
            bool found = true;
            uint64_t entry = book(ledger, step);
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
                assert_string_equal(sotto_ledger_fault(ledger), "a report for no open round");
                assert_ok(round_recall(ledger, 0xaa, frame, &found));
                assert_false(found);
                assert_int_equal(sotto_ledger_dropped(ledger), step + 1);
                assert_int_equal(sotto_ledger_reports(ledger), step + 1);
                ledger = reopened(place, ledger);
            }
        }
        sotto_ledger_free(ledger);
    }
}

static void a_time_to_send_is_booked_once_before_the_report(void **state)
{
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        const sotto__due due = {1000, 2000}, other = {1001, 2001};
        sotto_unsent next;
        sotto_ledger *ledger = opened(place);
        uint64_t first = book(ledger, 1), second = book(ledger, 2);
        assert_ok(ledger->due(ledger, second, &due));
        assert_status(ledger->due(ledger, second, &other), SOTTO_E_LEDGER);
        assert_string_equal(sotto_ledger_fault(ledger), "a second time to send");
        assert_unsent(ledger, 0, 0, 0, false, false);
        ledger = reopened(place, ledger);
        assert_ok(round_hold(ledger, second, 0xaa, 2, 5));
        assert_ok(round_hold(ledger, first, 0xaa, 1, 5));
        assert_status(ledger->due(ledger, first, &due), SOTTO_E_LEDGER);
        assert_string_equal(sotto_ledger_fault(ledger), "times after the report");
        ledger = reopened(place, ledger);
        assert_ok(sotto_ledger_unsent(ledger, 0, &next));
        assert_true(next.entry == first && next.begun_ms == 0 && next.send_at_ms == 0);
        assert_ok(sotto_ledger_unsent(ledger, first, &next));
        assert_true(next.entry == second && next.begun_ms == 1000 && next.send_at_ms == 2000);
        sotto_ledger_free(ledger);
    }
}

static void unsent_reports_come_in_the_order_of_their_rounds(void **state)
{
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        sotto_ledger *ledger = opened(place);
        uint64_t entry[4];
        for (uint8_t i = 0; i < 4; i++) {
            entry[i] = book(ledger, i);
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
        sotto_ledger_free(ledger);
    }
}

static void two_handles_agree_on_what_is_sealed(void **state)
{
    (void)state;
    for (int place = IN_FILE; place < PLACES; place++) {
        sotto_ledger *first = opened(place), *second = opened(place);
        uint64_t entry = book(first, 1);
        assert_ok(round_hold(first, entry, 0xaa, 1, 5));
        assert_seals_as(second, entry, 1, 5);
        assert_status(round_replace(first, entry, 0xaa, 1, 6), SOTTO_E_LEDGER);
        assert_string_equal(sotto_ledger_fault(first), "a report in place of a sealed one");
        assert_seals_as(first, entry, 1, 5);
        assert_ok(sotto_ledger_acknowledge(second, entry));
        assert_unsent(first, 0, 0, 0, false, false);
        sotto_ledger_free(first);
        sotto_ledger_free(second);
    }
}

/* Its round may be alive in another process, which would replace it after it had left. */
static void a_held_report_is_not_recalled_before_it_is_sealed(void **state)
{
    (void)state;
    for (int place = IN_FILE; place < PLACES; place++) {
        uint8_t frame[ROUND_FRAME_BYTES], wanted[ROUND_FRAME_BYTES];
        bool found = true;
        sotto_ledger *ledger = opened(place);
        uint64_t entry = book(ledger, 1);
        assert_ok(round_hold(ledger, entry, 0xaa, 1, 5));
        assert_ok(round_recall(ledger, 0xaa, frame, &found));
        assert_false(found);
        assert_seals_as(ledger, entry, 1, 5);
        assert_ok(round_recall(ledger, 0xaa, frame, &found));
        assert_true(found);
        round_frame_of(0xaa, 1, 5, wanted);
        assert_memory_equal(frame, wanted, sizeof wanted);
        entry = book(ledger, 2);
        assert_ok(round_hold(ledger, entry, 0xaa, 2, 5));
        assert_ok(round_replace(ledger, entry, 0xaa, 2, 6));
        assert_ok(round_recall(ledger, 0xaa, frame, &found));
        assert_true(found);
        round_frame_of(0xaa, 2, 6, wanted);
        assert_memory_equal(frame, wanted, sizeof wanted);
        sotto_ledger_free(ledger);
    }
}

/* Longer than what is read at once. */
static void a_long_report_comes_back_whole(void **state)
{
    (void)state;
    enum { LONG = 8000 };
    static uint8_t held[LONG], replacing[LONG], got[LONG];
    for (int place = 0; place < PLACES; place++) {
        sotto_ledger *ledger = opened(place);
        uint64_t entry = book(ledger, 1);
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
        sotto_ledger_free(ledger);
    }
}

/* As tests/golden/make_ledger.py has them. */
static void due_rounds(sotto_ledger *ledger)
{
    uint64_t first = book(ledger, 1), second, third, fourth;
    assert_ok(ledger->due(ledger, first, &(sotto__due){1790000000000, 1790000086400}));
    second = book(ledger, 2);
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
    assert_int_equal(sotto_ledger_rounds(ledger), 4);
    assert_int_equal(sotto_ledger_reports(ledger), 3);
    assert_int_equal(sotto_ledger_dropped(ledger), 2);
    assert_ok(sotto_ledger_unsent(ledger, 0, &next));
    assert_true(next.held && !next.sealed && next.nonce[0] == 2);
    assert_int_equal(next.begun_ms, UINT64_C(1) << 62);
    assert_int_equal(next.send_at_ms, (UINT64_C(1) << 62) + 63072000000);
    assert_unsent(ledger, next.entry, 0, 0, false, false);
    sotto_ledger_free(ledger);
}

/* Written by Python from the specification alone; ours begin with an empty ledger of the same id. */
static void times_and_drops_are_the_golden_bytes_in_a_file(void **state)
{
    (void)state;
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

static void times_and_drops_are_the_golden_bytes_behind_calls(void **state)
{
    (void)state;
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

int main(void)
{
#define LOGGED_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        LOGGED_TEST(what_is_not_there_is_neither_sealed_nor_acknowledged),
        LOGGED_TEST(a_report_that_does_not_fit_is_not_sealed),
        LOGGED_TEST(a_held_report_is_replaced_once),
        LOGGED_TEST(a_sealed_report_never_changes),
        LOGGED_TEST(an_acknowledged_report_is_no_longer_there),
        LOGGED_TEST(what_is_not_there_is_not_dropped),
        LOGGED_TEST(a_dropped_report_is_never_there_again),
        LOGGED_TEST(a_time_to_send_is_booked_once_before_the_report),
        LOGGED_TEST(unsent_reports_come_in_the_order_of_their_rounds),
        LOGGED_TEST(two_handles_agree_on_what_is_sealed),
        LOGGED_TEST(a_held_report_is_not_recalled_before_it_is_sealed),
        LOGGED_TEST(a_long_report_comes_back_whole),
        LOGGED_TEST(times_and_drops_are_the_golden_bytes_in_a_file),
        LOGGED_TEST(times_and_drops_are_the_golden_bytes_behind_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
