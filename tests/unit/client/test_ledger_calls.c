/* A ledger behind calls: each refusal with its reason, every stored byte changed, every call failing
 * in its turn, two processes at once, and the golden bytes. */
#include "borrowed.h"
#include "core/core.h"
#include "golden.h"
#include "rounds.h"
#include "sent.h"
#include "store.h"
#include "test.h"
#include "why.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#define CAP 3

/* The linker sends getrandom here. */
static bool counts_bytes;
ssize_t __real_getrandom(void *out, size_t bytes, unsigned flags);
ssize_t __wrap_getrandom(void *out, size_t bytes, unsigned flags);

ssize_t __wrap_getrandom(void *out, size_t bytes, unsigned flags)
{
    if (!counts_bytes) return __real_getrandom(out, bytes, flags);
    for (size_t i = 0; i < bytes; i++) {
        ((uint8_t *)out)[i] = (uint8_t)i;
    }
    return (ssize_t)bytes;
}

static store s, other;

RELEASED_BY(sotto_ledger_free, sotto_ledger)

FIXTURE(set_up)
{
    memset(&s, 0, sizeof s);
    memset(&other, 0, sizeof other);
}

static sotto_ledger *opened(void)
{
    sotto_ledger *ledger;
    sotto_ledger_calls calls = store_calls(&s);
    if (WHY(sotto_ledger_calls_fault, &calls) != NULL) fail_msg("%s", why_fault.sentence);
    assert_ok(sotto_ledger_calls_open(&calls, &ledger));
    after_test(release_sotto_ledger, ledger);
    return ledger;
}

static sotto_ledger *created(void)
{
    sotto_ledger_calls calls = store_calls(&s);
    assert_ok(sotto_ledger_calls_create(&calls));
    return opened();
}

static void assert_refused(sotto_status wanted, const char *says)
{
    sotto_ledger *ledger = (sotto_ledger *)&why_fault; /* anything but NULL */
    sotto_ledger_calls calls = store_calls(&s);
    assert_status(sotto_ledger_calls_open(&calls, &ledger), wanted);
    assert_null(ledger);
    assert_non_null(WHY(sotto_ledger_calls_fault, &calls));
    assert_string_equal(why_fault.sentence, says);
}

/* ---- refused ------------------------------------------------------------------------------ */

TEST_WITH(a_table_without_a_function_or_of_another_version_is_refused, set_up, NULL)
{
    for (int missing = 0; missing < 3; missing++) {
        sotto_ledger *ledger = (sotto_ledger *)&why_fault;
        sotto_ledger_calls calls = store_calls(&s);
        if (missing == 0) calls.load = NULL;
        if (missing == 1) calls.read = NULL;
        if (missing == 2) calls.append = NULL;
        assert_status(sotto_ledger_calls_create(&calls), SOTTO_E_ARGUMENT);
        assert_status(sotto_ledger_calls_open(&calls, &ledger), SOTTO_E_ARGUMENT);
        assert_null(ledger);
        assert_string_equal(WHY(sotto_ledger_calls_fault, &calls),
                            sotto_status_text(SOTTO_E_ARGUMENT));
    }
    sotto_ledger *ledger;
    sotto_ledger_calls calls = store_calls(&s);
    for (uint32_t version = 0; version < 4; version += version == 1 ? 2 : 1) {
        char wanted[SOTTO_FAULT_BYTES];
        calls.version = version;
        calls.append = NULL; /* a table of that version may have none */
        assert_status(sotto_ledger_calls_create(&calls), SOTTO_E_FAULT);
        assert_status(sotto_ledger_calls_open(&calls, &ledger), SOTTO_E_FAULT);
        snprintf(wanted, sizeof wanted, "version = %u: this library supports only version 2",
                 version);
        assert_string_equal(WHY(sotto_ledger_calls_fault, &calls), wanted);
    }
    assert_int_equal(s.calls, 0);
}

TEST_WITH(opening_makes_no_ledger_and_making_replaces_none, set_up, NULL)
{
    assert_refused(SOTTO_E_LEDGER, "there is no ledger");
    assert_false(s.there);
    sotto_ledger *ledger = created();
    round_booked(ledger, 1);
    other = s;
    sotto_ledger_calls calls = store_calls(&s);
    assert_status(sotto_ledger_calls_create(&calls), SOTTO_E_EXISTS);
    assert_memory_equal(s.anchor, other.anchor, sizeof s.anchor);
    s.fail_at = s.calls + 1;
    assert_status(sotto_ledger_calls_create(&calls), SOTTO_E_LEDGER);
}

/* One round that is over, one held, one sealed and dropped: every kind of entry. */
static void fill(void)
{
    sent out = {.count = 0};
    sotto_ledger *ledger = created();
    uint64_t entry;
    uint8_t frame[ROUND_FRAME_BYTES];
    assert_ok(sent_round(ledger, 1, 8, true, &out));
    for (uint8_t nonce = 2; nonce < 4; nonce++) {
        assert_ok(round_book(ledger, 0xaa, nonce, 1, 8, &entry));
        assert_ok(round_hold(ledger, entry, 0xaa, nonce, SENT_HELD));
    }
    assert_ok(sotto_ledger_seal(ledger, entry, frame, sizeof frame));
    assert_ok(sotto_ledger_drop(ledger, entry));
    release(ledger);
    assert_int_equal(s.count, 12);
}

TEST_WITH(any_changed_byte_is_refused, set_up, NULL)
{
    fill();
    sotto_ledger_calls calls = store_calls(&s);
    for (int bit = 0; bit < 8; bit++) {
        for (size_t at = 0; at < sizeof s.anchor; at++) {
            s.anchor[at] ^= (uint8_t)(1 << bit);
            if (WHY(sotto_ledger_calls_fault, &calls) == NULL) fail_msg("anchor, byte %zu", at);
            s.anchor[at] ^= (uint8_t)(1 << bit);
        }
        for (uint64_t i = 0; i < s.count; i++) {
            for (size_t at = 0; at < s.entry_bytes[i]; at++) {
                s.entry[i][at] ^= (uint8_t)(1 << bit);
                if (WHY(sotto_ledger_calls_fault, &calls) == NULL) {
                    fail_msg("entry %d, byte %zu", (int)i + 1, at);
                }
                s.entry[i][at] ^= (uint8_t)(1 << bit);
            }
        }
    }
    assert_null(WHY(sotto_ledger_calls_fault, &calls));
}

TEST_WITH(entries_that_are_missing_short_or_in_another_order_are_refused, set_up, NULL)
{
    fill();
    s.count = 11;
    assert_refused(SOTTO_E_LEDGER,
                   "read failed: a codeword index is not below the size of its codebook");
    s.count = 12;
    s.entry_bytes[11]--;
    assert_refused(SOTTO_E_LEDGER, "read failed: an array or buffer has the wrong length");
    s.entry_bytes[11]++;
    memcpy(s.entry[8], s.entry[6], sizeof s.entry[8]);
    assert_refused(SOTTO_E_LEDGER, "entry 9 at byte 8838: out of order");
}

/* Numbers that nobody booked, under a checksum that fits: the entries say otherwise. */
TEST_WITH(an_anchor_that_forgets_is_refused, set_up, NULL)
{
    const struct {
        size_t at;
        const char *says;
    } rows[] = {{8, "entry 1 at byte 8192: wrong digest"}, /* id */
                {32, "entry 12 at byte 9080: past the anchored end"},
                {40, "the anchor does not match the entries"},   /* chain */
                {56, "the anchor does not match the entries"},   /* rounds */
                {64, "the anchor does not match the entries"},   /* reports */
                {79, "the anchor does not match the entries"},   /* epsilon, below */
                {87, "the anchor does not match the entries"},   /* delta */
                {95, "the anchor does not match the entries"},   /* the largest epsilon */
                {103, "the anchor does not match the entries"}}; /* and delta */
    fill();
    uint8_t whole[SOTTO_LEDGER_ANCHOR_BYTES], digest[SOTTO__DIGEST_BYTES];
    memcpy(whole, s.anchor, sizeof whole);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        memcpy(s.anchor, whole, sizeof whole);
        s.anchor[rows[i].at]--;
        sotto__digest fitting;
        sotto__digest_begin(&fitting);
        sotto__digest_add(&fitting, s.anchor, 112);
        sotto__digest_end(&fitting, digest);
        memcpy(s.anchor + 112, digest, 16);
        assert_refused(SOTTO_E_LEDGER, rows[i].says);
    }
}

/* ---- under its handle --------------------------------------------------------------------- */

TEST_WITH(a_store_that_goes_back_or_another_way_is_refused, set_up, NULL)
{
    sotto_ledger *ledger = created();
    store empty = s;
    round_booked(ledger, 1);
    store one = s;
    round_booked(ledger, 2);
    s = one;
    assert_stopped(ledger, "rolled back to entry 1 after entry 2");
    assert_stopped(ledger, "rolled back to entry 1 after entry 2"); /* until opened again */
    release(ledger);
    for (uint8_t more = 0; more < 2; more++) {
        s = one;
        ledger = opened();
        s = empty;
        sotto_ledger *second = opened();
        round_booked(second, 3);
        if (more == 1) round_booked(second, 4);
        assert_stopped(ledger, more == 0 ? "rolled back to entry 1 after entry 1"
                                         : "entry 2 at byte 8272: wrong digest");
        assert_int_equal(sotto_ledger_rounds(ledger), 1);
    }
}

TEST_WITH(a_ledger_that_is_gone_or_another_is_refused_until_it_is_back, set_up, NULL)
{
    sotto_ledger *ledger = created();
    round_booked(ledger, 1);
    other = s;
    memset(&s, 0, sizeof s);
    assert_stopped(ledger, "there is no ledger");
    sotto_ledger_calls calls = store_calls(&s);
    assert_ok(sotto_ledger_calls_create(&calls));
    assert_stopped(ledger, "another ledger has replaced it");
    s = other;
    round_booked(ledger, 2);
    assert_int_equal(sotto_ledger_rounds(ledger), 2);
}

/* Right when the log is opened, and wrong when its report is wanted. */
TEST_WITH(a_store_that_lies_later_gives_no_report, set_up, NULL)
{
    uint8_t frame[ROUND_FRAME_BYTES];
    uint64_t entry;
    sotto_ledger *ledger = created();
    assert_ok(round_book(ledger, 0xaa, 1, 1, 8, &entry));
    assert_ok(round_hold(ledger, entry, 0xaa, 1, SENT_HELD));
    s.lies_about = 2;
    assert_status(sotto_ledger_seal(ledger, entry, frame, sizeof frame), SOTTO_E_LEDGER);
    assert_string_equal(WHY(sotto_ledger_fault, ledger), "entry 2 at byte 8272: wrong digest");
    s.lies_about = 0;
    assert_ok(sotto_ledger_seal(ledger, entry, frame, sizeof frame));
    assert_int_equal(frame[40], SENT_HELD);
    assert_int_equal(s.count, 3); /* sealed once */
}

/* A history that fits in itself, of the same ledger, in the place of the one that was read. */
TEST_WITH(a_store_with_another_history_gives_no_report, set_up, NULL)
{
    uint8_t frame[ROUND_FRAME_BYTES];
    uint64_t entry;
    sotto_ledger *ledger = created();
    sotto_ledger *second = opened();
    store empty = s;
    assert_ok(round_book(ledger, 0xaa, 1, 1, 8, &entry));
    assert_ok(round_hold(ledger, entry, 0xaa, 1, SENT_HELD));
    assert_ok(sotto_ledger_seal(ledger, entry, frame, sizeof frame));
    store first = s;
    s = empty;
    assert_ok(round_book(second, 0xaa, 1, 1, 8, &entry));
    assert_ok(round_hold(second, entry, 0xaa, 1, SENT_HELD + 1));
    assert_ok(sotto_ledger_seal(second, entry, frame, sizeof frame));
    memcpy(s.anchor, first.anchor, sizeof s.anchor); /* and the entries of the second */
    assert_status(sotto_ledger_seal(ledger, entry, frame, sizeof frame), SOTTO_E_LEDGER);
    assert_string_equal(WHY(sotto_ledger_fault, ledger), "entry 2 at byte 8272: wrong digest");
    s = first;
    assert_ok(sotto_ledger_seal(ledger, entry, frame, sizeof frame));
    assert_int_equal(frame[40], SENT_HELD);
}

/* A report is read when it leaves, and nothing else is: however many were before it. */
TEST_WITH(sealing_reads_one_entry_of_a_log_of_any_length, set_up, NULL)
{
    sotto_ledger *ledger = created();
    uint64_t first = 0;
    for (uint8_t nonce = 1; nonce < 20; nonce++) {
        uint8_t frame[ROUND_FRAME_BYTES];
        uint64_t entry, before;
        assert_ok(round_book(ledger, 0xaa, nonce, 0.1, 8, &entry));
        assert_ok(round_hold(ledger, entry, 0xaa, nonce, SENT_HELD));
        before = s.read_bytes;
        assert_ok(sotto_ledger_seal(ledger, entry, frame, sizeof frame));
        if (nonce == 1) first = s.read_bytes - before;
        assert_int_equal(s.read_bytes - before, first);
        assert_true(first <= s.entry_bytes[entry]); /* the held report's */
        assert_ok(sotto_ledger_acknowledge(ledger, entry));
    }
}

/* ---- failing calls ------------------------------------------------------------------------ */

/* Rounds until the budget or the store ends them, a restart, and all that is left. Returns how many
 * calls that took. */
static uint64_t live_with_failure(uint64_t call, store_failure failure, bool sends_first)
{
    sent out = {.count = 0};
    sotto_ledger *ledger;
    memset(&s, 0, sizeof s);
    s.counts = sends_first;
    sotto_ledger_calls calls = store_calls(&s);
    assert_ok(sotto_ledger_calls_create(&calls));
    s.calls = 0;
    s.fail_at = call;
    s.failure = failure;
    if (sotto_ledger_calls_open(&calls, &ledger) == SOTTO_OK) {
        for (uint8_t nonce = 1; nonce < 6; nonce++) {
            sotto_status status = sent_round(ledger, nonce, CAP, nonce % 2 == 0, &out);
            assert_true(status == SOTTO_OK || status == SOTTO_E_BUDGET || status == SOTTO_E_LEDGER);
        }
        sotto_ledger_free(ledger);
    }
    uint64_t made = s.calls;
    s.fail_at = 0;
    ledger = opened();
    uint64_t reports = sotto_ledger_reports(ledger);
    assert_ok(sent_rest(ledger, sends_first, &out));
    for (uint8_t nonce = 6; nonce < 12; nonce++) {
        (void)(sent_round(ledger, nonce, CAP, false, &out) == SOTTO_OK);
    }
    assert_false(out.twice);
    assert_true(out.count <= CAP && out.count >= reports);
    assert_int_equal(sotto_ledger_rounds(ledger), CAP);
    release(ledger);
    return made;
}

TEST_WITH(no_failing_call_lets_a_second_report_leave, set_up, NULL)
{
    for (int failure = STORE_FAILS; failure <= STORE_DONE_DIES; failure++) {
        for (int sends_first = 0; sends_first < 2; sends_first++) {
            uint64_t call = 1;
            while (live_with_failure(call, (store_failure)failure, sends_first == 1) >= call) {
                call++;
            }
            assert_true(call > 30); /* there were calls to fail */
        }
    }
}

TEST_WITH(a_failed_append_closes_the_handle_and_the_others_do_not, set_up, NULL)
{
    uint64_t entry;
    for (int stored = 0; stored < 2; stored++) {
        memset(&s, 0, sizeof s);
        sotto_ledger *ledger = created();
        s.failure = stored == 0 ? STORE_FAILS : STORE_DONE_FAILS;
        s.fail_at = s.calls + 1;
        assert_stopped(ledger, "load failed: out of memory");
        s.fail_at = s.calls + 2;
        assert_stopped(ledger, "append failed: out of memory");
        assert_status(round_book(ledger, 0xaa, 1, 1, 8, &entry), SOTTO_E_LEDGER);
        assert_string_equal(WHY(sotto_ledger_fault, ledger), "append failed: out of memory");
        release(ledger);
        ledger = opened();
        assert_int_equal(sotto_ledger_rounds(ledger), stored);
    }
}

/* ---- shared ------------------------------------------------------------------------------- */

static sotto_ledger *rival;

/* Another process books a round just before the append of this one. */
static void rival_books(store *self)
{
    void (*hook)(store *) = self->before_append;
    uint64_t entry;
    self->before_append = NULL;
    (void)(round_book(rival, 0xbb, 1, 1, 1000, &entry) == SOTTO_OK);
    self->before_append = hook;
}

static void rival_books_once(store *self)
{
    rival_books(self);
    self->before_append = NULL;
}

/* Both see room for one round. True if both got it. */
static bool both_spend(bool swaps_blindly)
{
    uint64_t entry = 0;
    sotto_ledger *ledger = created();
    rival = opened();
    s.swaps_blindly = swaps_blindly;
    s.before_append = rival_books_once;
    sotto_status status = round_book(ledger, 0xaa, 1, 1, 1, &entry);
    bool both = status == SOTTO_OK;
    assert_true(both || status == SOTTO_E_BUDGET);
    assert_int_equal(sotto_ledger_rounds(rival), 1);
    if (!both) assert_int_equal(sotto_ledger_rounds(ledger), 1);
    release(rival);
    release(ledger);
    return both;
}

TEST_WITH(two_processes_never_spend_the_same_room, set_up, NULL)
{
    assert_false(both_spend(false));
}

TEST_WITH(two_processes_spend_the_same_room_if_a_store_does_not_compare, set_up, NULL)
{
    assert_true(both_spend(true));
}

TEST_WITH(an_append_that_comes_second_is_tried_again_100_times, set_up, NULL)
{
    uint64_t entry;
    sotto_ledger *ledger = created();
    rival = opened();
    s.before_append = rival_books_once;
    assert_ok(round_book(ledger, 0xaa, 1, 1, 1000, &entry));
    assert_int_equal(entry, 2);
    s.before_append = rival_books;
    assert_status(round_book(ledger, 0xaa, 2, 1, 1000, &entry), SOTTO_E_LEDGER);
    assert_string_equal(WHY(sotto_ledger_fault, ledger),
                        "other writers came first 100 times in a row");
    s.before_append = NULL;
    assert_ok(round_book(ledger, 0xaa, 2, 1, 1000, &entry)); /* the handle is good */
    assert_int_equal(entry, 103);
}

TEST_WITH(rounds_are_composed_at_the_epsilon_of_the_first_policy, set_up, NULL)
{
    uint8_t frame[ROUND_FRAME_BYTES];
    uint64_t entry;
    sotto_policy first = sotto_policy_default(), second = first;
    first.epsilon_per_report_max = 0.1;
    round_frame(0xaa, 1, frame);
    sotto__debit by_first = {frame + 4, frame + 24, 0.1, 0, &first},
                 by_second = {frame + 4, frame + 24, 0.1, 0, &second};
    sotto_ledger *ledger = created();
    for (int i = 0; i < 80; i++) {
        assert_ok(ledger->debit(ledger, i == 0 ? &by_first : &by_second, &entry));
    }
    release(ledger);
    ledger = opened();
    assert_status(ledger->debit(ledger, &by_second, &entry), SOTTO_E_BUDGET);
    assert_non_null(
        strstr(WHY(sotto_ledger_fault, ledger), "0.1, that of its first policy, not 2"));
    assert_ok(ledger->debit(ledger, &by_first, &entry));
}

/* ---- golden ------------------------------------------------------------------------------- */

/* Written by Python from the specification alone. */
TEST_WITH(our_bytes_are_the_golden_bytes, set_up, NULL)
{
    static uint8_t entries[STORE_ENTRY_BYTES_MAX];
    uint8_t anchor[SOTTO_LEDGER_ANCHOR_BYTES];
    counts_bytes = true;
    sotto_ledger *ledger = created();
    counts_bytes = false;
    rounds_held(ledger);
    release(ledger);
    assert_int_equal(golden_read("anchor_held.bin", anchor, sizeof anchor), sizeof anchor);
    assert_memory_equal(s.anchor, anchor, sizeof anchor);
    size_t count = golden_read("entries_held.bin", entries, sizeof entries), at = 0;
    for (uint64_t i = 0; i < s.count; i++) {
        assert_true(at + s.entry_bytes[i] <= count);
        assert_memory_equal(s.entry[i], entries + at, s.entry_bytes[i]);
        at += s.entry_bytes[i];
    }
    assert_int_equal(at, count);
}
