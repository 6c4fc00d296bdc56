/* A ledger that is put back to what a handle has seen: in a file, noticed by when it was written and by what
 * follows its end; behind calls, by its generation. And what honest people and programs do to a file. Built twice: as
 * this system watches files, and without a watch, by their times alone. */
#include "borrowed.h"
#include "client/inner.h"
#include "directory.h"
#include "made.h"
#include "rounds.h"
#include "store.h"
#include "test.h"
#include "why.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTES_MAX 65536
#define WRITTEN_SINCE "rolled back to entry 1: it was written since, but its content is the same"
#define SPOILED "head block 0: a process found it rolled back"

/* The linker sends fsync here: the disk need not be asked. With `ticks`, all writes fall into one tick of the
 * kernel's clock. */
static bool ticks;
int __wrap_fsync(int fd);

int __wrap_fsync(int fd)
{
    const struct timespec tick[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = 1790000000}};
    return ticks ? futimens(fd, tick) : 0;
}

static directory f;
static uint8_t before[BYTES_MAX];
static size_t before_bytes;

RELEASED_BY(sotto_ledger_free, sotto_ledger)

FIXTURE(set_up)
{
    f = directory_new();
    ticks = false;
}

FIXTURE(tear_down)
{
    directory_free(&f);
}

static sotto_ledger *opened(void)
{
    sotto_ledger *ledger = ledger_at(f.file);
    after_test(release_sotto_ledger, ledger);
    return ledger;
}

static void assert_spoiled(void)
{
    assert_non_null(WHY(sotto_ledger_file_fault, f.file));
    assert_string_equal(why_fault.sentence, SPOILED);
}

/* The file without a change of its length. */
static void write_over(const uint8_t *bytes, size_t count)
{
    int fd = open(f.file, O_WRONLY);
    assert_true(fd >= 0);
    assert_ints(pwrite(fd, bytes, count, 0), count, close(fd), 0);
}

/* ---- in a file ---------------------------------------------------------------------------- */

/* A process that is stopped between two steps, and one that works meanwhile. The whole may take less than a
 * tick of the kernel's clock. */
TEST_WITH(a_file_put_back_to_what_a_handle_has_seen_is_refused_and_spoiled, set_up, tear_down)
{
    for (int again = 0; again < 20; again++) {
        assert_ok(sotto_ledger_file_create(f.file));
        sotto_ledger *ledger = opened(), *second = opened();
        round_booked(ledger, 1);
        before_bytes = file_read(f.file, before, sizeof before);
        round_booked(second, 2);
        file_write(f.file, before, before_bytes);
        assert_stopped(ledger, WRITTEN_SINCE);
        assert_stopped(ledger, WRITTEN_SINCE); /* until opened again */
        assert_spoiled();
        release(ledger);
        release(second);
        assert_int_equal(unlink(f.file), 0);
    }
}

TEST_WITH(what_is_written_within_a_tick_of_the_kernels_clock_is_noticed, set_up, tear_down)
{
    ticks = true;
    assert_ok(sotto_ledger_file_create(f.file));
    sotto_ledger *ledger = opened(), *second = opened();
    round_booked(ledger, 1);
    before_bytes = file_read(f.file, before, sizeof before);
    round_booked(second, 2);
    file_write(f.file, before, before_bytes);
    int fd = open(f.file, O_RDWR);
    assert_ints(__wrap_fsync(fd), 0, close(fd), 0);
    assert_stopped(ledger, WRITTEN_SINCE);
    assert_spoiled();
}

/* Head blocks are put back, and what was booked stands behind them: one entry counts, two are a proof. */
TEST_WITH(head_blocks_put_back_before_whole_entries_forget_none, set_up, tear_down)
{
    for (uint8_t more = 1; more < 4; more++) {
        assert_ok(sotto_ledger_file_create(f.file));
        sotto_ledger *ledger = opened(), *second = opened();
        round_booked(ledger, 1);
        before_bytes = file_read(f.file, before, sizeof before);
        for (uint8_t i = 0; i < more; i++) {
            round_booked(second, (uint8_t)(2 + i));
        }
        write_over(before, before_bytes);
        if (more == 1) {
            round_booked(ledger, 5);
            round_booked(second, 6);
            assert_ints(sotto_ledger_rounds(ledger), 3, sotto_ledger_rounds(second), 4);
        } else {
            assert_stopped(ledger, "rolled back to entry 1 after entry 3");
            assert_spoiled();
        }
        release(ledger);
        release(second);
        assert_int_equal(unlink(f.file), 0);
    }
}

/* Before anything else is booked: in what is told, and in what the lifetime still admits. */
TEST_WITH(an_entry_that_is_taken_in_counts_at_once, set_up, tear_down)
{
    uint64_t entry;
    sotto_unsent next;
    assert_ok(sotto_ledger_file_create(f.file));
    sotto_ledger *ledger = opened(), *second = opened();
    round_booked(ledger, 1);
    before_bytes = file_read(f.file, before, sizeof before);
    round_booked(second, 2);
    write_over(before, before_bytes);
    assert_status(round_book(ledger, 0xaa, 3, 1, 2, &entry), SOTTO_E_BUDGET);
    assert_ok(sotto_ledger_unsent(ledger, 0, &next));
    assert_int_equal(sotto_ledger_rounds(ledger), 2);
    assert_true(sotto_ledger_epsilon(ledger) == 2);
}

/* To what this handle has not seen, but is not all. */
TEST_WITH(head_blocks_put_back_halfway_are_noticed_too, set_up, tear_down)
{
    assert_ok(sotto_ledger_file_create(f.file));
    sotto_ledger *ledger = opened(), *second = opened();
    round_booked(ledger, 1);
    round_booked(second, 2);
    before_bytes = file_read(f.file, before, sizeof before);
    round_booked(second, 3);
    round_booked(second, 4);
    write_over(before, before_bytes);
    assert_stopped(ledger, "rolled back to entry 2 after entry 4");
    assert_spoiled();
}

/* The report of the default reward left from the second process; the first one finishes the round. */
TEST_WITH(no_second_report_of_a_round_leaves, set_up, tear_down)
{
    for (int cuts = 0; cuts < 2; cuts++) {
        uint8_t frame[ROUND_FRAME_BYTES];
        uint64_t entry;
        assert_ok(sotto_ledger_file_create(f.file));
        sotto_ledger *ledger = opened(), *second = opened();
        assert_ok(round_book(ledger, 0xaa, 1, 1, 8, &entry));
        assert_ok(round_hold(ledger, entry, 0xaa, 1, 5));
        before_bytes = file_read(f.file, before, sizeof before);
        assert_ok(sotto_ledger_seal(second, entry, frame, sizeof frame)); /* it leaves */
        if (cuts == 1)
            file_write(f.file, before, before_bytes);
        else
            write_over(before, before_bytes);
        assert_status(round_replace(ledger, entry, 0xaa, 1, 6), SOTTO_E_LEDGER);
        release(ledger);
        release(second);
        assert_int_equal(unlink(f.file), 0);
    }
}

/* What the lifetime admits, however often the file is put back between two processes. */
TEST_WITH(a_lifetime_is_not_spent_twice, set_up, tear_down)
{
    uint64_t entry, booked = 0;
    assert_ok(sotto_ledger_file_create(f.file));
    sotto_ledger *ledger = opened(), *second = opened();
    for (uint8_t nonce = 1; nonce < 16; nonce++) {
        booked += round_book(ledger, 0xaa, nonce, 1, 8, &entry) == SOTTO_OK;
        before_bytes = file_read(f.file, before, sizeof before);
        booked += round_book(second, 0xbb, nonce, 1, 8, &entry) == SOTTO_OK;
        file_write(f.file, before, before_bytes);
    }
    assert_true(booked <= 8);
}

/* ---- honest people ------------------------------------------------------------------------ */

static void chmod_it(void)
{
    assert_ints(chmod(f.file, 0400), 0, chmod(f.file, 0600), 0);
}

static void copy_it(void)
{
    file_write(f.other, before, file_read(f.file, before, sizeof before));
    assert_int_equal(unlink(f.other), 0);
}

/* As tar --atime-preserve and other backups do. */
static void copy_it_and_set_its_times_again(void)
{
    struct stat found;
    assert_int_equal(stat(f.file, &found), 0);
    copy_it();
    const struct timespec times[2] = {found.st_atim, found.st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, f.file, times, 0), 0);
}

static void link_it(void)
{
    assert_ints(link(f.file, f.other), 0, unlink(f.other), 0);
}

static void rename_it_and_back(void)
{
    assert_ints(rename(f.file, f.other), 0, rename(f.other, f.file), 0);
}

/* A process ended within an entry, or the disk was full. */
static void begin_an_entry(void)
{
    before_bytes = file_read(f.file, before, sizeof before);
    memset(before + before_bytes, 0, 80);
    before[before_bytes] = 1;
    file_write(f.file, before, before_bytes + 80);
}

TEST_WITH(copies_links_and_renames_spoil_nothing, set_up, tear_down)
{
    void (*const honest[])(void) = {
        chmod_it,           copy_it,       copy_it_and_set_its_times_again, link_it,
        rename_it_and_back, begin_an_entry};
    assert_ok(sotto_ledger_file_create(f.file));
    sotto_ledger *ledger = opened(), *second = opened();
    for (uint8_t i = 0; i < sizeof honest / sizeof honest[0]; i++) {
        honest[i]();
        round_booked(i % 2 == 0 ? ledger : second, i);
        honest[i]();
        uint64_t rounds = sotto_ledger_rounds(ledger);
        sotto_unsent next;
        assert_ok(sotto_ledger_unsent(ledger, 0, &next)); /* read, and nothing written */
        assert_ok(sotto_ledger_unsent(second, 0, &next));
        assert_true(sotto_ledger_rounds(ledger) >= rounds);
    }
    assert_ints(sotto_ledger_rounds(ledger), 6, sotto_ledger_rounds(second), 6);
}

/* docs/privacy.md says so: it looks like a roll-back. */
TEST_WITH(a_backup_that_sets_times_again_after_somebody_booked_spoils_the_ledger, set_up, tear_down)
{
    struct stat found;
    assert_ok(sotto_ledger_file_create(f.file));
    sotto_ledger *ledger = opened();
    assert_int_equal(stat(f.file, &found), 0);
    round_booked(ledger, 1);
    const struct timespec times[2] = {found.st_atim, found.st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, f.file, times, 0), 0);
    assert_stopped(ledger, WRITTEN_SINCE);
    assert_spoiled();
}

#define NO_WRITER "rolled back to entry 1: no writer leaves such bytes after it"

/* Bytes after the end that no writer leaves: too few for an entry, more than one says it has, or to its end. */
TEST_WITH(bytes_after_the_end_that_no_writer_leaves_hide_no_roll_back, set_up, tear_down)
{
    static const struct {
        size_t bytes, at[2];
    } tail[] = {{1, {0, 0}}, {79, {0, 0}}, {81, {0, 20}}, {80, {0, 79}}, {80, {79, 79}}};
    for (size_t i = 0; i < sizeof tail / sizeof tail[0]; i++) {
        assert_ok(sotto_ledger_file_create(f.file));
        sotto_ledger *ledger = opened(), *second = opened();
        round_booked(ledger, 1);
        before_bytes = file_read(f.file, before, sizeof before);
        round_booked(second, 2);
        memset(before + before_bytes, 0, tail[i].bytes);
        before[before_bytes + tail[i].at[0]] = before[before_bytes + tail[i].at[1]] = 1;
        file_write(f.file, before, before_bytes + tail[i].bytes);
        assert_stopped(ledger, NO_WRITER);
        assert_spoiled();
        release(ledger);
        release(second);
        assert_int_equal(unlink(f.file), 0);
    }
}

/* A copy was made while an entry was unfinished, and is put back: the handle saw these bytes there. */
TEST_WITH(a_copy_with_an_unfinished_entry_that_is_put_back_is_noticed, set_up, tear_down)
{
    for (int reads = 0; reads < 2; reads++) {
        assert_ok(sotto_ledger_file_create(f.file));
        sotto_ledger *ledger = opened();
        round_booked(ledger, 1);
        sotto_unsent next;
        begin_an_entry();
        if (reads == 0) {
            release(ledger);
            ledger = opened();
        }
        assert_ok(sotto_ledger_unsent(ledger, 0, &next));
        sotto_ledger *second = opened();
        round_booked(second, 2);
        file_write(f.file, before, before_bytes + 80);
        assert_stopped(ledger, NO_WRITER);
        assert_spoiled();
        release(ledger);
        release(second);
        assert_int_equal(unlink(f.file), 0);
    }
}

/* Unnoticed where nothing watches: the documents say so. */
TEST_WITH(a_watch_notices_a_time_of_writing_that_is_set_back, set_up, tear_down)
{
    struct stat found;
    assert_ok(sotto_ledger_file_create(f.file));
    int watch = sotto__watch_open(f.file);
    sotto__watch_close(watch);
    sotto_ledger *ledger = opened(), *second = opened();
    round_booked(ledger, 1);
    before_bytes = file_read(f.file, before, sizeof before);
    assert_int_equal(stat(f.file, &found), 0);
    round_booked(second, 2);
    file_write(f.file, before, before_bytes);
    const struct timespec times[2] = {found.st_atim, found.st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, f.file, times, 0), 0);
    if (watch >= 0) {
        assert_stopped(ledger, WRITTEN_SINCE);
        assert_spoiled();
    } else {
        round_booked(ledger, 3);
        assert_stopped(second, "rolled back to entry 2 after entry 2"); /* but by who knows more */
    }
}

/* ---- behind calls ------------------------------------------------------------------------- */

static store s, other;

FIXTURE(set_up_store)
{
    memset(&s, 0, sizeof s);
}

static sotto_ledger *behind_calls(void)
{
    sotto_ledger *ledger;
    sotto_ledger_calls calls = store_calls(&s);
    assert_ok(sotto_ledger_calls_open(&calls, &ledger));
    after_test(release_sotto_ledger, ledger);
    return ledger;
}

static sotto_ledger *made(void)
{
    sotto_ledger_calls calls = store_calls(&s);
    assert_ok(sotto_ledger_calls_create(&calls));
    return behind_calls();
}

/* To what this handle has seen last: the other one has booked since. */
TEST_WITH(a_store_put_back_under_a_handle_that_saw_it_is_noticed_by_its_generation, set_up_store,
          NULL)
{
    for (int counts = 0; counts < 2; counts++) {
        memset(&s, 0, sizeof s);
        s.counts = counts == 1;
        sotto_ledger *ledger = made(), *second = behind_calls();
        round_booked(ledger, 1);
        other = s;
        round_booked(second, 2);
        store_put_back(&s, &other);
        uint64_t entry;
        sotto_status status = round_book(ledger, 0xaa, 3, 1, 8, &entry);
        if (counts == 0) {
            assert_ok(status); /* nothing can tell: client.h says so */
        } else {
            assert_status(status, SOTTO_E_LEDGER);
            assert_stopped(ledger, "rolled back to entry 1 after entry 2");
            sotto_ledger_calls calls = store_calls(&s);
            assert_string_equal(WHY(sotto_ledger_calls_fault, &calls),
                                "rolled back to entry 1 after entry 2"); /* by whoever opens it */
        }
    }
}

TEST_WITH(a_store_that_counts_is_not_made_anew_and_its_failure_is_said, set_up_store, NULL)
{
    s.counts = true;
    sotto_ledger *ledger = made();
    round_booked(ledger, 1);
    sotto_ledger_calls calls = store_calls(&s);
    assert_status(sotto_ledger_calls_create(&calls), SOTTO_E_EXISTS);
    s.fail_at = s.calls + 1;
    assert_stopped(ledger, "generation failed: out of memory");
    s.fail_at = s.calls + 1;
    assert_status(sotto_ledger_calls_create(&calls), SOTTO_E_LEDGER);
    s.fail_at = 0;
    round_booked(ledger, 2); /* the handle is good */
    s.there = false;
    assert_status(sotto_ledger_calls_create(&calls), SOTTO_E_LEDGER); /* there was one */
}

/* A process may have stored an entry and not raised the number; and others book between two calls. */
TEST_WITH(a_generation_that_lags_is_no_roll_back, set_up_store, NULL)
{
    s.counts = true;
    sotto_ledger *ledger = made(), *second = behind_calls();
    for (uint8_t nonce = 1; nonce < 7; nonce++) {
        round_booked(nonce % 2 == 0 ? ledger : second, nonce);
        if (nonce % 3 == 0) s.generation--;
    }
    release(ledger);
    release(second);
    behind_calls();
}
