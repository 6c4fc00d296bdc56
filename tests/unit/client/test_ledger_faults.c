/*
 * Every system call of a ledger fails once, each in its turn: nothing leaves that is not booked and
 * kept, the cap holds afterwards, and no round has two reports. Then the power is cut after every
 * call, with any part of what was not synced lost. Twins of the disk that lie are caught.
 */
#include "directory.h"
#include "disk.h"
#include "made.h"
#include "rounds.h"
#include "sent.h"
#include "test.h"
#include "why.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define BYTES_MAX 65536
#define CAP 3
#define TRIES 5

static directory f;

FIXTURE(set_up)
{
    disk_reset();
    f = directory_new();
}

FIXTURE(tear_down)
{
    disk_reset();
    directory_free(&f);
}

/* Nonces of the frames that would have left the device. */
typedef struct released {
    uint8_t nonce[16];
    size_t count;
} released;

/* Some rounds as a client would do them: a frame leaves after book and keep, and only then. Nonces
 * are from, from + 1, ... */
static void try_rounds(sotto_ledger *ledger, uint8_t from, released *out)
{
    for (uint8_t nonce = from; nonce < from + TRIES; nonce++) {
        uint64_t entry;
        if (round_book(ledger, 0xaa, nonce, 1, CAP, &entry) != SOTTO_OK) continue;
        if (round_keep(ledger, entry, 0xaa, nonce) == SOTTO_OK) out->nonce[out->count++] = nonce;
    }
}

static bool holds(const uint8_t *bytes, size_t count, const uint8_t *part, size_t part_bytes)
{
    for (size_t at = 0; at + part_bytes <= count; at++) {
        if (memcmp(bytes + at, part, part_bytes) == 0) return true;
    }
    return false;
}

/* NULL if the ledger at `path` keeps its promise to who released these frames; otherwise how it
 * broke it. `refusal_allowed` is a refusal that may be, or NULL. */
static const char *broken_promise(const char *path, const released *out,
                                  const char *refusal_allowed)
{
    static uint8_t bytes[BYTES_MAX];
    if (WHY(sotto_ledger_file_fault, path) != NULL) {
        return refusal_allowed != NULL && strcmp(why_fault.sentence, refusal_allowed) == 0
                   ? NULL
                   : why_fault.sentence;
    }
    size_t count = file_read(path, bytes, sizeof bytes);
    for (size_t i = 0; i < out->count; i++) {
        uint8_t frame[ROUND_FRAME_BYTES];
        round_frame(0xaa, out->nonce[i], frame);
        if (!holds(bytes, count, frame, sizeof frame)) return "a released frame is missing";
    }
    OWN(sotto_ledger) ledger = ledger_at(path);
    const char *broken = NULL;
    if (sotto_ledger_reports(ledger) < out->count) broken = "a released frame is not counted";
    if (sotto_ledger_epsilon(ledger) > CAP) broken = "above the cap";
    released more = *out;
    try_rounds(ledger, 100, &more);
    if (more.count > CAP) broken = "more reports than the cap allows";
    return broken;
}

static void assert_kept(const released *out, const char *refusal_allowed, uint64_t call)
{
    const char *broken = broken_promise(f.file, out, refusal_allowed);
    if (broken != NULL) fail_msg("call %llu: %s", (unsigned long long)call, broken);
}

/* ---- failing calls ------------------------------------------------------------------------ */

TEST_WITH(a_create_that_fails_leaves_nothing_or_a_whole_ledger, set_up, tear_down)
{
    const int errors[] = {EIO, ENOSPC, EACCES, EROFS};
    for (size_t kind = 0; kind < 8; kind++) {
        bool done = false;
        for (uint64_t call = 1; !done; call++) {
            disk_reset();
            the_disk.fail_at = call;
            the_disk.error = errors[kind / 2];
            the_disk.failure = kind % 2 == 0 ? DISK_FAILS : DISK_HALF_FAILS;
            sotto_status status = sotto_ledger_file_create(f.file);
            done = the_disk.calls < call;
            if (!done) assert_int_equal(errno, errors[kind / 2]);
            disk_reset();
            assert_status(status, done ? SOTTO_OK : SOTTO_E_LEDGER);
            assert_true(directory_count(&f) <= 1); /* no temporary file */
            if (directory_count(&f) == 1) assert_null(WHY(sotto_ledger_file_fault, f.file));
            unlink(f.file);
        }
    }
}

TEST_WITH(a_new_ledger_is_on_disk_before_its_name_and_its_name_before_it_is_made, set_up, tear_down)
{
    the_disk.unsynced_at_link = 99;
    assert_ok(sotto_ledger_file_create(f.file));
    assert_ints(the_disk.unsynced_at_link, 0, the_disk.synced_bytes, 8192);
    assert_true(the_disk.name_synced);
}

/* Returns how many calls the rounds took. */
static uint64_t rounds_with_failure(uint64_t call, disk_failure failure, int error)
{
    released out = {.count = 0};
    sotto_ledger *ledger;
    assert_ok(sotto_ledger_file_create(f.file));
    disk_reset();
    the_disk.fail_at = call;
    the_disk.failure = failure;
    the_disk.error = error;
    sotto_status status = sotto_ledger_file_open(f.file, &ledger);
    if (status == SOTTO_OK) {
        try_rounds(ledger, 1, &out);
        sotto_ledger_free(ledger);
    } else {
        assert_true(the_disk.calls >= call && status == SOTTO_E_LEDGER);
    }
    uint64_t calls = the_disk.calls;
    disk_reset();
    char torn[2][32] = {"head block 0: wrong checksum", "head block 1: wrong checksum"};
    int block = 0;
    if (failure == DISK_HALF_FAILS) {
        block = WHY(sotto_ledger_file_fault, f.file) != NULL &&
                strcmp(why_fault.sentence, torn[1]) == 0;
    }
    assert_kept(&out, failure == DISK_HALF_FAILS ? torn[block] : NULL, call);
    unlink(f.file);
    return calls;
}

TEST_WITH(no_failing_call_gives_a_report_away, set_up, tear_down)
{
    const int errors[] = {EIO, ENOSPC, EACCES};
    for (size_t kind = 0; kind < 6; kind++) {
        uint64_t call = 1;
        while (rounds_with_failure(call, kind % 2 == 0 ? DISK_FAILS : DISK_HALF_FAILS,
                                   errors[kind / 2]) >= call) {
            call++;
        }
        assert_true(call > 50); /* there were calls to fail */
    }
}

TEST_WITH(a_failed_append_costs_nothing_and_a_failed_sync_closes_the_handle, set_up, tear_down)
{
    uint64_t entry;
    assert_ok(sotto_ledger_file_create(f.file));
    sotto_ledger *ledger = ledger_at(f.file);
    disk_reset();
    assert_ok(round_book(ledger, 0xaa, 1, 1, CAP, &entry));
    /* flock, lstat, fstat, pread, pwrite, pwrite, fsync, pwrite, fsync, fstat, flock */
    assert_int_equal(the_disk.calls, 11);
    const struct {
        uint64_t call;
        bool closes;
        const char *says;
    } rows[] = {{1, false, "cannot be locked: No space left on device"},
                {2, false, "is no longer at its path: No space left on device"},
                {3, false, "cannot be examined: No space left on device"},
                {4, false, "cannot be read: No space left on device"},
                {5, false, "cannot be written: No space left on device"},
                {6, false, "cannot be written: No space left on device"},
                {7, true, "cannot be synced: No space left on device"},
                {8, true, "its head cannot be written: No space left on device"},
                {9, true, "cannot be synced: No space left on device"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        disk_reset();
        the_disk.fail_at = rows[i].call;
        the_disk.error = ENOSPC;
        assert_status(round_book(ledger, 0xaa, 2, 0.01, CAP, &entry), SOTTO_E_LEDGER);
        assert_string_equal(WHY(sotto_ledger_fault, ledger), rows[i].says);
        assert_int_equal(sotto_ledger_rounds(ledger), i < 7 ? 1 + i : sotto_ledger_rounds(ledger));
        sotto_status again = round_book(ledger, 0xaa, 3, 0.01, CAP, &entry);
        assert_status(again, rows[i].closes ? SOTTO_E_LEDGER : SOTTO_OK);
        if (!rows[i].closes) continue;
        assert_string_equal(WHY(sotto_ledger_fault, ledger), rows[i].says);
        sotto_ledger_free(ledger);
        disk_reset();
        ledger = ledger_at(f.file);
    }
    sotto_ledger_free(ledger);
}

/* A handle reads what another one booked, and a call fails. If it went on later from where it
 * stopped, it would take a whole file for one that was rolled back, and spoil it. */
TEST_WITH(what_fails_in_reading_others_entries_closes_the_handle_and_spoils_nothing, set_up,
          tear_down)
{
    const char *const says[] = {"cannot be read: Input/output error",
                                "cannot be synced: Input/output error"};
    uint64_t entry, call = 5; /* after flock, lstat, fstat, and pread of the head */
    for (bool synced = false; !synced; call++) {
        disk_reset();
        assert_ok(sotto_ledger_file_create(f.file));
        sotto_ledger *reader = ledger_at(f.file), *writer = ledger_at(f.file);
        assert_ok(round_book(writer, 0xaa, 1, 1, CAP, &entry));
        assert_ok(round_book(writer, 0xaa, 2, 1, CAP, &entry));
        disk_reset();
        the_disk.fail_at = call;
        the_disk.error = EIO;
        assert_status(round_book(reader, 0xaa, 3, 1, CAP, &entry), SOTTO_E_LEDGER);
        synced = strcmp(WHY(sotto_ledger_fault, reader), says[1]) == 0;
        for (int again = 0; again < 2; again++) {
            assert_string_equal(WHY(sotto_ledger_fault, reader), says[synced]);
            assert_status(round_book(reader, 0xaa, 3, 1, CAP, &entry), SOTTO_E_LEDGER);
        }
        sotto_ledger_free(reader);
        sotto_ledger_free(writer);
        assert_null(WHY(sotto_ledger_file_fault, f.file));
        unlink(f.file);
    }
    assert_true(call > 8); /* two entries were read before the sync */
}

TEST_WITH(what_fails_at_opening_is_said, set_up, tear_down)
{
    /* lstat, open, open and fsync of the directory, flock, lstat, fstat, pread, fsync, flock */
    const char *const says[] = {"cannot be found",
                                "cannot be opened",
                                "its directory cannot be synced",
                                "its directory cannot be synced",
                                "cannot be locked",
                                "is no longer at its path",
                                "cannot be examined",
                                "cannot be read",
                                "cannot be synced"};
    char wanted[SOTTO_FAULT_BYTES];
    assert_ok(sotto_ledger_file_create(f.file));
    for (uint64_t call = 1; call <= sizeof says / sizeof says[0]; call++) {
        disk_reset();
        the_disk.fail_at = call;
        the_disk.error = EROFS;
        snprintf(wanted, sizeof wanted, "%s: Read-only file system", says[call - 1]);
        assert_non_null(WHY(sotto_ledger_file_fault, f.file));
        assert_string_equal(why_fault.sentence, wanted);
    }
    disk_reset();
    assert_null(WHY(sotto_ledger_file_fault, f.file));
}

TEST_WITH(interrupted_and_short_calls_are_continued, set_up, tear_down)
{
    released out = {.count = 0};
    the_disk.stutters = true;
    assert_ok(sotto_ledger_file_create(f.file));
    sotto_ledger *ledger = ledger_at(f.file);
    try_rounds(ledger, 1, &out);
    assert_int_equal(out.count, CAP);
    sotto_ledger_free(ledger);
    assert_kept(&out, NULL, 0);
}

/* A full disk without root: no file may grow past a limit (EFBIG). The limit rises, and each step
 * is tried again until it fits. */
TEST_WITH(a_file_that_cannot_grow_refuses_and_goes_on_later, set_up, tear_down)
{
    struct rlimit before;
    released out = {.count = 0};
    uint64_t entry = 0, refused = 0;
    assert_ok(sotto_ledger_file_create(f.file));
    sotto_ledger *ledger = ledger_at(f.file);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    void (*old)(int) = signal(SIGXFSZ, SIG_IGN);
    for (rlim_t bytes = 8192; out.count < CAP; bytes += 7) {
        struct rlimit limit = {bytes, before.rlim_max};
        uint8_t nonce = (uint8_t)(out.count + 1);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        disk_reset();
        sotto_status status = entry == 0 ? round_book(ledger, 0xaa, nonce, 1, CAP, &entry)
                                         : round_keep(ledger, entry, 0xaa, nonce);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        if (status == SOTTO_OK && sotto_ledger_reports(ledger) > out.count) {
            out.nonce[out.count++] = nonce;
            entry = 0;
        }
        if (status == SOTTO_OK) continue;
        refused++;
        assert_status(status, SOTTO_E_LEDGER);
        assert_string_equal(WHY(sotto_ledger_fault, ledger), "cannot be written: File too large");
    }
    signal(SIGXFSZ, old);
    assert_true(refused > 20);
    assert_int_equal(sotto_ledger_rounds(ledger), CAP);
    sotto_ledger_free(ledger);
    disk_reset();
    assert_kept(&out, NULL, 0);
}

/* ---- the power goes ----------------------------------------------------------------------- */

/* Judges a ledger by what had left when the power went: as broken_promise. */
typedef const char *judge_function(const char *path, const void *out, const char *refusal_allowed);

/* What the disk may hold after the cut: all that was synced, and of the writes since then those in
 * the set `lands`, number `torn` by half. NULL if that keeps the promise. */
static const char *image_breaks(const disk *d, uint64_t lands, size_t torn, judge_function *judge,
                                const void *out)
{
    static uint8_t image[DISK_BYTES_MAX];
    size_t count = d->synced_bytes;
    memcpy(image, d->synced, sizeof image);
    const char *refusal = NULL;
    for (size_t i = 0; i < d->pending_count; i++) {
        const disk_write *write = &d->pending[i];
        if ((lands >> i & 1) == 0) continue;
        disk_apply(write, i == torn ? write->count / 2 : write->count, image, &count);
        if (i == torn && write->at == 0) refusal = "head block 0: wrong checksum";
        if (i == torn && write->at == 4096) refusal = "head block 1: wrong checksum";
    }
    file_write(f.other, image, count);
    return judge(f.other, out, refusal);
}

/* All sets of few writes; of many: all of them, none, each alone, each missing. */
static const char *images_break(const disk *d, judge_function *judge, const void *out)
{
    const uint64_t all = (UINT64_C(1) << d->pending_count) - 1;
    bool few = d->pending_count <= 4;
    const uint64_t sets = few ? all + 1 : 2 * d->pending_count + 2;
    for (uint64_t set = 0; set < sets; set++) {
        uint64_t half = set / 2, one = half < d->pending_count ? UINT64_C(1) << half : 0;
        uint64_t lands = few ? set : set % 2 == 0 ? one : all & ~one;
        for (size_t torn = 0; torn <= d->pending_count; torn++) {
            const char *broken = image_breaks(d, lands, torn, judge, out);
            if (broken != NULL) return broken;
        }
    }
    return NULL;
}

/* A new ledger on a disk that dies at a call. */
static sotto_ledger *dying_ledger(uint64_t call, uint64_t fsync_ignored)
{
    unlink(f.file);
    disk_reset();
    assert_ok(sotto_ledger_file_create(f.file));
    sotto_ledger *ledger = ledger_at(f.file);
    disk_reset();
    the_disk.synced_bytes = file_read(f.file, the_disk.synced, sizeof the_disk.synced);
    the_disk.fsync_ignored = fsync_ignored;
    the_disk.fail_at = call;
    the_disk.failure = DISK_DIES;
    the_disk.error = EIO;
    return ledger;
}

static const char *judge_rounds(const char *path, const void *out, const char *refusal_allowed)
{
    return broken_promise(path, out, refusal_allowed);
}

/* Rounds on a disk that dies at a call. */
static const char *cut_breaks(uint64_t call, uint64_t fsync_ignored, uint64_t *calls)
{
    static disk cut;
    released out = {.count = 0};
    sotto_ledger *ledger = dying_ledger(call, fsync_ignored);
    try_rounds(ledger, 1, &out);
    cut = the_disk;
    disk_reset();
    sotto_ledger_free(ledger);
    *calls = cut.calls;
    return images_break(&cut, judge_rounds, &out);
}

/* The first broken promise over cuts at every call, or NULL. */
static const char *any_cut_breaks(uint64_t fsync_ignored)
{
    uint64_t calls = UINT64_MAX;
    for (uint64_t call = 1; call <= calls; call++) {
        const char *broken = cut_breaks(call, fsync_ignored, &calls);
        if (broken != NULL) return broken;
    }
    assert_true(calls > 50);
    return NULL;
}

TEST_WITH(no_power_cut_gives_a_report_back, set_up, tear_down)
{
    const char *broken = any_cut_breaks(2);
    if (broken != NULL) fail_msg("%s", broken);
}

TEST_WITH(disks_that_lie_about_either_fsync_are_caught, set_up, tear_down)
{
    const char *entry_lost = any_cut_breaks(0);
    assert_non_null(entry_lost);
    assert_string_equal(entry_lost, "cut short: 8192 bytes of 8272");
    const char *anchor_lost = any_cut_breaks(1);
    assert_non_null(anchor_lost);
    assert_string_equal(anchor_lost, "a released frame is not counted");
}

/* A writer ended before its entry was synced; a handle takes the entry in, and the power goes at a call of that. The
 * entry is on disk before a head block says so. */
static const char *any_taken_tail_breaks(uint64_t fsync_ignored)
{
    static disk cut;
    uint64_t entry;
    for (uint64_t call = 1; call <= 20;
         call++) { /* the last ones are of the first round after it */
        released out = {.count = 0};
        sotto_ledger *ledger = dying_ledger(0, 2), *writer = ledger_at(f.file);
        the_disk.fail_at = the_disk.calls + 7; /* flock, lstat, fstat, pread, pwrite, pwrite */
        the_disk.failure = DISK_FAILS;
        assert_status(round_book(writer, 0xaa, 9, 1, CAP, &entry), SOTTO_E_LEDGER);
        sotto_ledger_free(writer);
        the_disk.fail_at = the_disk.calls + call;
        the_disk.failure = DISK_DIES;
        the_disk.fsyncs = 0;
        the_disk.fsync_ignored = fsync_ignored;
        try_rounds(ledger, 1, &out);
        cut = the_disk;
        assert_true(call < 20 || sotto_ledger_rounds(ledger) == 2);
        disk_reset();
        sotto_ledger_free(ledger);
        const char *broken = images_break(&cut, judge_rounds, &out);
        if (broken != NULL) return broken;
    }
    return NULL;
}

TEST_WITH(no_power_cut_loses_an_entry_that_was_taken_in, set_up, tear_down)
{
    const char *broken = any_taken_tail_breaks(2);
    if (broken != NULL) fail_msg("%s", broken);
    broken = any_taken_tail_breaks(0); /* the twin: the first fsync does nothing */
    assert_non_null(broken);
    assert_string_equal(broken, "cut short: 8192 bytes of 8272");
}

/* ---- the power goes in a held round -------------------------------------------------------- */

/* The next process tries to replace what is unsent, before or after it sends it. */
static const char *judge_held(const char *path, const void *left, const char *refusal_allowed)
{
    static uint8_t image[DISK_BYTES_MAX];
    size_t count = file_read(path, image, sizeof image);
    if (WHY(sotto_ledger_file_fault, path) != NULL) {
        return refusal_allowed != NULL && strcmp(why_fault.sentence, refusal_allowed) == 0
                   ? NULL
                   : why_fault.sentence;
    }
    for (int sends_first = 0; sends_first < 2; sends_first++) {
        sent out = *(const sent *)left;
        file_write(path, image, count);
        sotto_ledger *ledger = ledger_at(path);
        assert_ok(sent_rest(ledger, sends_first == 1, &out));
        uint64_t reports = sotto_ledger_reports(ledger);
        sotto_ledger_free(ledger);
        disk_reset(); /* it counts writes, and these are many */
        if (out.twice) return "two reports of a round left";
        if (out.count != reports) return "a report left that is not counted, or none of a round";
    }
    return NULL;
}

/* The first broken promise over cuts at every call, or NULL. */
static const char *any_held_cut_breaks(uint64_t fsync_ignored, bool finishes)
{
    static disk cut;
    uint64_t call = 0;
    do {
        call++;
        sent out = {.count = 0};
        sotto_ledger *ledger = dying_ledger(call, fsync_ignored);
        sotto_status status = sent_round(ledger, 1, CAP, finishes, &out);
        assert_true(status == SOTTO_OK || status == SOTTO_E_LEDGER);
        cut = the_disk;
        disk_reset();
        sotto_ledger_free(ledger);
        const char *broken = images_break(&cut, judge_held, &out);
        if (broken != NULL) return broken;
    } while (cut.calls >= call); /* until the round ends before that call */
    assert_true(call > 40);
    return NULL;
}

TEST_WITH(no_power_cut_lets_a_second_report_leave, set_up, tear_down)
{
    for (int finishes = 0; finishes < 2; finishes++) {
        const char *broken = any_held_cut_breaks(2, finishes == 1);
        if (broken != NULL) fail_msg("%s", broken);
    }
}

/* The second sync of a seal is what nobody may leave out. */
TEST_WITH(a_disk_that_loses_a_seal_is_caught, set_up, tear_down)
{
    const char *broken = any_held_cut_breaks(1, false);
    assert_non_null(broken);
    assert_string_equal(broken, "two reports of a round left");
}
