/* The ledger in a file: each refusal with its reason, the golden file byte for byte, restarts, two
 * handles, two processes, and a file that changes under its handle. */
#include "borrowed.h"
#include "directory.h"
#include "golden.h"
#include "made.h"
#include "rounds.h"
#include "test.h"
#include "why.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES_MAX 65536

/* The linker sends geteuid and getrandom here. */
static uid_t pretended_user;
static bool pretends_user, counts_bytes;
uid_t __real_geteuid(void);
uid_t __wrap_geteuid(void);
ssize_t __real_getrandom(void *out, size_t bytes, unsigned flags);
ssize_t __wrap_getrandom(void *out, size_t bytes, unsigned flags);

uid_t __wrap_geteuid(void)
{
    return pretends_user ? pretended_user : __real_geteuid();
}

ssize_t __wrap_getrandom(void *out, size_t bytes, unsigned flags)
{
    if (!counts_bytes) return __real_getrandom(out, bytes, flags);
    for (size_t i = 0; i < bytes; i++) {
        ((uint8_t *)out)[i] = (uint8_t)i;
    }
    return (ssize_t)bytes;
}

static directory f;

RELEASED_BY(sotto_ledger_free, sotto_ledger)

FIXTURE(set_up)
{
    f = directory_new();
}

FIXTURE(tear_down)
{
    directory_free(&f);
}

static sotto_ledger *opened(const char *path)
{
    if (WHY(sotto_ledger_file_fault, path) != NULL) fail_msg("%s", why_fault.sentence);
    sotto_ledger *ledger = ledger_at(path);
    after_test(release_sotto_ledger, ledger);
    return ledger;
}

static sotto_ledger *created(void)
{
    assert_ok(sotto_ledger_file_create(f.file));
    return opened(f.file);
}

static void assert_refused(const char *path, const char *wanted)
{
    sotto_ledger *ledger = (sotto_ledger *)&why_fault; /* anything but NULL */
    assert_status(sotto_ledger_file_open(path, &ledger), SOTTO_E_LEDGER);
    assert_null(ledger);
    assert_non_null(WHY(sotto_ledger_file_fault, path));
    assert_string_equal(why_fault.sentence, wanted);
}

static void assert_nothing_booked(sotto_ledger *ledger, const char *says)
{
    uint64_t rounds = sotto_ledger_rounds(ledger);
    assert_stopped(ledger, says);
    assert_int_equal(sotto_ledger_rounds(ledger), rounds);
}

/* ---- refused ------------------------------------------------------------------------------ */

TEST_WITH(what_is_not_a_ledger_of_ours_is_refused, set_up, tear_down)
{
    uint8_t zeros[9000] = {0};
    assert_refused(f.file, "cannot be found: No such file or directory");
    assert_int_equal(directory_count(&f), 0); /* never made by opening */
    assert_refused(f.path, "is not a regular file");
    file_write(f.file, zeros, 0);
    assert_refused(f.file, "cut short: 0 bytes, the head has 8192");
    file_write(f.file, zeros, sizeof zeros);
    assert_refused(f.file, "head block 0: not a ledger");
    assert_int_equal(unlink(f.file), 0);
    assert_ok(sotto_ledger_file_create(f.other));
    assert_int_equal(symlink(f.other, f.file), 0);
    assert_refused(f.file, "is a symbolic link");
    assert_ints(unlink(f.file), 0, mkfifo(f.file, 0600), 0);
    assert_refused(f.file, "is not a regular file");
}

TEST_WITH(files_that_others_could_touch_are_refused, set_up, tear_down)
{
    const struct {
        mode_t mode;
        const char *says;
    } rows[] = {{0640, "mode 640: others may read or write it; allowed 600"},
                {0604, "mode 604: others may read or write it; allowed 600"},
                {0610, "mode 610: others may read or write it; allowed 600"}};
    sotto_ledger *ledger = created();
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(chmod(f.file, rows[i].mode), 0);
        assert_refused(f.file, rows[i].says);
        assert_nothing_booked(ledger, rows[i].says);
    }
    assert_int_equal(chmod(f.file, 0600), 0);
    pretends_user = true;
    pretended_user = __real_geteuid() + 1;
    char wanted[SOTTO_FAULT_BYTES];
    snprintf(wanted, sizeof wanted, "belongs to user %u, not to this user %u", __real_geteuid(),
             pretended_user);
    assert_refused(f.file, wanted);
    pretends_user = false;
    round_booked(ledger, 1);
}

TEST_WITH(a_file_that_cannot_be_written_is_refused, set_up, tear_down)
{
    if (__real_geteuid() == 0) skip(); /* root writes everywhere */
    assert_ok(sotto_ledger_file_create(f.file));
    assert_int_equal(chmod(f.file, 0400), 0);
    assert_refused(f.file, "cannot be opened: Permission denied");
}

TEST_WITH(create_replaces_nothing_and_leaves_nothing_behind, set_up, tear_down)
{
    uint8_t bytes[BYTES_MAX];
    struct stat found;
    char nowhere[DIRECTORY_PATH_BYTES + 32];
    file_write(f.file, (const uint8_t *)"mine", 4);
    assert_status(sotto_ledger_file_create(f.file), SOTTO_E_EXISTS);
    assert_ints(file_read(f.file, bytes, sizeof bytes), 4, symlink("nowhere", f.other), 0);
    assert_status(sotto_ledger_file_create(f.other), SOTTO_E_EXISTS);
    assert_status(sotto_ledger_file_create(f.path), SOTTO_E_EXISTS);
    snprintf(nowhere, sizeof nowhere, "%s/no/ledger", f.path);
    assert_status(sotto_ledger_file_create(nowhere), SOTTO_E_LEDGER);
    assert_ints(errno, ENOENT, directory_count(&f), 2, unlink(f.file), 0);
    assert_ok(sotto_ledger_file_create(f.file));
    assert_ints(directory_count(&f), 2, stat(f.file, &found), 0, found.st_mode & 07777, 0600,
                found.st_size, 8192, found.st_nlink, 1);
}

TEST_WITH(reports_that_belong_to_no_open_round_are_refused, set_up, tear_down)
{
    uint64_t entry;
    uint8_t frame[ROUND_FRAME_BYTES];
    sotto_ledger *ledger = created();
    assert_status(round_keep(ledger, 1, 0xaa, 1), SOTTO_E_LEDGER);
    assert_string_equal(WHY(sotto_ledger_fault, ledger), "a report for no open round");
    assert_ok(round_book(ledger, 0xaa, 1, 1, 8, &entry));
    assert_status(round_keep(ledger, entry, 0xaa, 2), SOTTO_E_LEDGER);
    assert_status(round_keep(ledger, entry, 0xab, 1), SOTTO_E_LEDGER);
    assert_string_equal(WHY(sotto_ledger_fault, ledger),
                        "a report of another round's spec or nonce");
    round_frame(0xaa, 1, frame);
    assert_status(ledger->record(ledger, entry, frame, 39), SOTTO_E_LENGTH);
    assert_int_equal(sotto_ledger_reports(ledger), 0);
    assert_ok(round_keep(ledger, entry, 0xaa, 1));
    assert_null(WHY(sotto_ledger_fault, ledger));
    assert_status(round_keep(ledger, entry, 0xaa, 1), SOTTO_E_LEDGER); /* a second one */
    assert_int_equal(sotto_ledger_reports(ledger), 1);
    release(ledger);
    ledger = opened(f.file);
    assert_status(round_keep(ledger, entry, 0xaa, 1), SOTTO_E_LEDGER);
}

TEST_WITH(the_budget_holds_over_restarts, set_up, tear_down)
{
    uint64_t entry;
    assert_ok(sotto_ledger_file_create(f.file));
    for (uint8_t round = 1; round <= 8; round++) {
        sotto_ledger *ledger = opened(f.file);
        round_booked(ledger, round);
    }
    sotto_ledger *ledger = opened(f.file);
    assert_status(round_book(ledger, 0xbb, 9, 1, 8, &entry), SOTTO_E_BUDGET);
    assert_string_equal(WHY(sotto_ledger_fault, ledger),
                        "epsilon = 1: after 8 in 8 rounds, it would exceed epsilon_lifetime 8");
    assert_ints(sotto_ledger_rounds(ledger), 8, sotto_ledger_reports(ledger), 0);
    assert_true(sotto_ledger_epsilon(ledger) == 8);
}

/* ---- under its handle --------------------------------------------------------------------- */

TEST_WITH(a_ledger_that_is_gone_or_replaced_is_refused_until_it_is_back, set_up, tear_down)
{
    sotto_ledger *ledger = created();
    round_booked(ledger, 1);
    assert_int_equal(rename(f.file, f.other), 0);
    assert_nothing_booked(ledger, "is no longer at its path: No such file or directory");
    assert_ok(sotto_ledger_file_create(f.file)); /* a fresh one in its place */
    assert_nothing_booked(ledger, "another file has replaced it");
    assert_ints(unlink(f.file), 0, symlink(f.other, f.file), 0);
    assert_nothing_booked(ledger, "another file has replaced it");
    assert_int_equal(rename(f.other, f.file), 0);
    round_booked(ledger, 2);
    assert_int_equal(unlink(f.file), 0);
    assert_nothing_booked(ledger, "is no longer at its path: No such file or directory");
}

TEST_WITH(a_ledger_rolled_back_in_place_is_refused_by_all, set_up, tear_down)
{
    uint8_t before[BYTES_MAX];
    sotto_ledger *ledger = created();
    round_booked(ledger, 1);
    size_t before_bytes = file_read(f.file, before, sizeof before);
    round_booked(ledger, 2);
    file_write(f.file, before, before_bytes);
    assert_nothing_booked(ledger, "rolled back to entry 1 after entry 2");
    assert_nothing_booked(ledger, "rolled back to entry 1 after entry 2"); /* until opened again */
    assert_string_equal(WHY(sotto_ledger_file_fault, f.file),
                        "head block 0: a process found it rolled back");
}

/* Who opens it before the one that knows looks again cannot tell. */
TEST_WITH(a_ledger_that_went_another_way_is_refused, set_up, tear_down)
{
    for (uint8_t more = 0; more < 2; more++) {
        uint8_t before[BYTES_MAX];
        sotto_ledger *ledger = created();
        round_booked(ledger, 1);
        size_t before_bytes = file_read(f.file, before, sizeof before);
        round_booked(ledger, 2);
        file_write(f.file, before, before_bytes);
        sotto_ledger *second = opened(f.file);
        round_booked(second, 3); /* as many entries, but another one */
        if (more == 1) round_booked(second, 4);
        assert_nothing_booked(ledger, more == 0 ? "rolled back to entry 2 after entry 2"
                                                : "head block 0 does not match the log");
        if (more == 0)
            assert_nothing_booked(second, "head block 0: a process found it rolled back");
        release(second);
        release(ledger);
        unlink(f.file);
    }
}

TEST_WITH(a_ledger_cut_short_or_overwritten_is_refused, set_up, tear_down)
{
    uint8_t bytes[BYTES_MAX];
    sotto_ledger *ledger = created();
    round_booked(ledger, 1);
    size_t count = file_read(f.file, bytes, sizeof bytes);
    assert_int_equal(truncate(f.file, (off_t)count - 1), 0);
    assert_nothing_booked(ledger, "cut short: 8271 bytes of 8272");
    assert_int_equal(truncate(f.file, 100), 0);
    assert_nothing_booked(ledger, "cut short: 100 bytes, the head has 8192");
    assert_ok(sotto_ledger_file_create(f.other));
    uint8_t other[BYTES_MAX];
    file_write(f.file, other, file_read(f.other, other, sizeof other));
    assert_nothing_booked(ledger, "another ledger was written over it");
    file_write(f.file, bytes, count);
    assert_nothing_booked(
        ledger, "rolled back to entry 1: it was written since, but its content is the same");
}

TEST_WITH(a_forked_child_must_open_it_again, set_up, tear_down)
{
    sotto_ledger *ledger = created();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        uint64_t entry;
        _exit(round_book(ledger, 0xaa, 1, 1, 8, &entry) == SOTTO_E_LEDGER ? 0 : 1);
    }
    int code;
    assert_ints(waitpid(child, &code, 0), child, code, 0);
    round_booked(ledger, 2);
    assert_int_equal(sotto_ledger_rounds(ledger), 1);
}

/* ---- kept --------------------------------------------------------------------------------- */

static void the_golden_rounds(sotto_ledger *ledger)
{
    uint64_t entry;
    uint8_t frame[52] = {0};
    sotto_policy policy = sotto_policy_default();
    round_frame(0xbb, 2, frame);
    sotto__debit debit = {frame + 4, frame + 24, 0.5, 1e-6, &policy};
    round_booked(ledger, 1);
    assert_ok(round_keep(ledger, 1, 0xaa, 1));
    assert_ok(ledger->debit(ledger, &debit, &entry));
    assert_int_equal(entry, 3);
    round_booked(ledger, 3);
    frame[20] = 9;
    for (uint8_t i = 0; i < 12; i++) {
        frame[40 + i] = i;
    }
    assert_ok(ledger->record(ledger, entry, frame, sizeof frame));
}

/* Written by Python from the specification alone: five entries, two specs, one round open. */
TEST_WITH(our_bytes_are_the_golden_bytes, set_up, tear_down)
{
    uint8_t golden[BYTES_MAX], ours[BYTES_MAX];
    counts_bytes = true;
    sotto_ledger *ledger = created();
    counts_bytes = false;
    the_golden_rounds(ledger);
    release(ledger);
    size_t count = golden_read("ledger_composed.bin", golden, sizeof golden);
    assert_int_equal(file_read(f.file, ours, sizeof ours), count);
    assert_memory_equal(ours, golden, count);
}

TEST_WITH(the_golden_file_is_read_for_what_it_says, set_up, tear_down)
{
    uint8_t golden[BYTES_MAX], frame[52], wanted[ROUND_FRAME_BYTES];
    bool found;
    file_write(f.file, golden, golden_read("ledger_composed.bin", golden, sizeof golden));
    sotto_ledger *ledger = opened(f.file);
    assert_ints(sotto_ledger_rounds(ledger), 3, sotto_ledger_reports(ledger), 2);
    assert_true(sotto_ledger_epsilon(ledger) == 2.5 && sotto_ledger_delta(ledger) == 1e-6);
    assert_ok(round_recall(ledger, 0xaa, frame, &found));
    assert_false(found); /* its last round is open, and what was before it is past */
    assert_ok(round_keep(ledger, 4, 0xaa, 3));
    assert_ok(round_recall(ledger, 0xaa, frame, &found));
    round_frame(0xaa, 3, wanted);
    assert_true(found);
    assert_memory_equal(frame, wanted, sizeof wanted);
    assert_ok(round_recall(ledger, 0xcc, frame, &found));
    assert_false(found);
    assert_status(round_recall(ledger, 0xbb, frame, &found), SOTTO_E_LEDGER);
    assert_false(found);
    assert_string_equal(WHY(sotto_ledger_fault, ledger),
                        "the report of entry 5 does not have the length in its spec");
    uint8_t spec_id[SOTTO_SPEC_ID_BYTES];
    memset(spec_id, 0xbb, sizeof spec_id);
    assert_ok(ledger->recall(ledger, spec_id, frame, 52, &found));
    assert_true(found);
    assert_int_equal(frame[51], 11);
}

/* Written by tests/golden/make_ledger.py: one round over, one sealed, one held. */
TEST_WITH(held_rounds_are_the_golden_bytes_and_read_for_what_they_say, set_up, tear_down)
{
    uint8_t golden[BYTES_MAX], ours[BYTES_MAX], frame[ROUND_FRAME_BYTES];
    sotto_unsent next;
    counts_bytes = true;
    sotto_ledger *ledger = created();
    counts_bytes = false;
    rounds_held(ledger);
    release(ledger);
    size_t count = golden_read("ledger_held.bin", golden, sizeof golden);
    assert_int_equal(file_read(f.file, ours, sizeof ours), count);
    assert_memory_equal(ours, golden, count);
    file_write(f.file, golden, count);
    ledger = opened(f.file);
    assert_ints(sotto_ledger_rounds(ledger), 3, sotto_ledger_reports(ledger), 3);
    assert_true(sotto_ledger_epsilon(ledger) == 2.5);
    assert_ok(sotto_ledger_unsent(ledger, 0, &next));
    assert_true(next.entry == 6 && next.held && next.sealed);
    assert_status(round_replace(ledger, 6, 0xaa, 2, 9), SOTTO_E_LEDGER);
    assert_ok(sotto_ledger_unsent(ledger, 6, &next));
    assert_true(next.entry == 8 && next.held && !next.sealed);
    assert_ok(round_replace(ledger, 8, 0xaa, 3, 9));
    assert_ok(sotto_ledger_seal(ledger, 8, frame, sizeof frame));
    assert_int_equal(frame[40], 9);
}

static sotto_status book_under(sotto_ledger *ledger, double per_report, double epsilon)
{
    uint64_t entry;
    uint8_t frame[ROUND_FRAME_BYTES];
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_per_report_max = per_report;
    round_frame(0xaa, 1, frame);
    sotto__debit debit = {frame + 4, frame + 24, epsilon, 0, &policy};
    return ledger->debit(ledger, &debit, &entry);
}

/* 266 rounds of 0.1 are 8 in a lifetime if they are composed, 80 by the sum. */
TEST_WITH(a_ledger_composes_its_rounds_at_the_epsilon_of_its_first_policy, set_up, tear_down)
{
    sotto_ledger *second = created(), *ledger = opened(f.file); /* two processes, say */
    assert_ok(book_under(ledger, 0.1, 0.1));
    for (int i = 1; i < 80; i++) {
        assert_ok(book_under(second, 0.2, 0.1));
    }
    assert_status(book_under(second, 0.2, 0.1), SOTTO_E_BUDGET);
    assert_non_null(strstr(WHY(sotto_ledger_fault, second),
                           "composed at epsilon_per_report_max 0.1, "
                           "that of its first policy, not 0.2"));
    release(second);
    release(ledger);
    ledger = opened(f.file);
    assert_ok(book_under(ledger, 0.1, 0.1));
    assert_int_equal(sotto_ledger_rounds(ledger), 81);
    assert_status(book_under(ledger, 0.2, 0.1), SOTTO_E_BUDGET);
}

/* A file from before head blocks said it, byte for byte; an empty one learns it. */
TEST_WITH(a_ledger_that_does_not_say_its_first_policy_goes_by_the_sum, set_up, tear_down)
{
    uint8_t golden[BYTES_MAX];
    file_write(f.file, golden, golden_read("ledger_rounds.bin", golden, sizeof golden));
    sotto_ledger *ledger = opened(f.file);
    for (double epsilon = 2.5; epsilon < 8; epsilon += 0.5) {
        assert_ok(book_under(ledger, 0.5, 0.5));
    }
    assert_status(book_under(ledger, 1, 0.01), SOTTO_E_BUDGET);
    assert_non_null(strstr(WHY(sotto_ledger_fault, ledger), "records no epsilon at which"));
    release(ledger);
    file_write(f.file, golden, golden_read("ledger_empty.bin", golden, sizeof golden));
    ledger = opened(f.file);
    for (int i = 0; i < 81; i++) {
        assert_ok(book_under(ledger, 0.1, 0.1));
    }
}

TEST_WITH(bytes_after_the_end_count_for_nothing, set_up, tear_down)
{
    uint8_t bytes[BYTES_MAX], again[BYTES_MAX];
    sotto_ledger *ledger = created();
    round_booked(ledger, 1);
    size_t count = file_read(f.file, bytes, sizeof bytes);
    memset(bytes + count, 0x5a, 300);
    release(ledger); /* an open one would take them for a roll-back: test_ledger_put_back.c */
    file_write(f.file, bytes, count + 300);
    ledger = opened(f.file);
    round_booked(ledger, 2);
    assert_int_equal(sotto_ledger_rounds(ledger), 2);
    assert_int_equal(file_read(f.file, again, sizeof again),
                     count + 80); /* an entry ends the file */
}

/* ---- shared ------------------------------------------------------------------------------- */

TEST_WITH(two_handles_see_each_other, set_up, tear_down)
{
    uint64_t entry;
    sotto_ledger *first = created(), *second = opened(f.file);
    for (uint8_t i = 1; i <= 8; i++) {
        round_booked(i % 3 == 0 ? first : second, i);
    }
    assert_status(round_book(first, 0xaa, 9, 1, 8, &entry), SOTTO_E_BUDGET);
    assert_status(round_book(second, 0xaa, 9, 1, 8, &entry), SOTTO_E_BUDGET);
    assert_int_equal(sotto_ledger_rounds(first), 8);
    assert_ok(round_keep(first, 2, 0xaa, 2)); /* booked by the second */
    assert_status(round_keep(second, 2, 0xaa, 2), SOTTO_E_LEDGER);
}

/* Books until the budget is spent; exits with how many rounds it got, or 255. */
static void spend_as_child(void)
{
    sotto_ledger *ledger;
    uint64_t entry;
    int got = 0;
    if (sotto_ledger_file_open(f.file, &ledger) != SOTTO_OK) _exit(255);
    sotto_status status;
    while ((status = round_book(ledger, 0xaa, 1, 0.1, 6, &entry)) == SOTTO_OK) {
        got++;
    }
    _exit(status == SOTTO_E_BUDGET ? got : 255);
}

TEST_WITH(processes_take_turns_and_never_pass_the_cap, set_up, tear_down)
{
    enum { CHILDREN = 3 };
    assert_ok(sotto_ledger_file_create(f.file));
    fflush(NULL);
    for (int i = 0; i < CHILDREN; i++) {
        if (fork() == 0) spend_as_child();
    }
    int sum = 0;
    for (int i = 0; i < CHILDREN; i++) {
        int code;
        assert_true(wait(&code) > 0);
        assert_true(WIFEXITED(code) && WEXITSTATUS(code) != 255);
        sum += WEXITSTATUS(code);
    }
    assert_int_equal(sum, 60);
    sotto_ledger *ledger = opened(f.file);
    assert_int_equal(sotto_ledger_rounds(ledger), 60);
    assert_near(sotto_ledger_epsilon(ledger), 6, 1e-12);
}
