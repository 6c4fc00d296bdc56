/* What counts as a write to a watched file, and what does not. And who goes first at the lock of a ledger. */
#include "client/inner.h"
#include "directory.h"
#include "made.h"
#include "rounds.h"
#include "test.h"
#include "why.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static directory f;
static int watch;

/* The linker sends nanosleep here: nobody waits, and in the first pause others come to their turn. A pause that a
 * signal ends has 1 ns left. */
static unsigned pauses;
static void (*in_pause)(void);
static bool signals;
int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left);

int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left)
{
    void (*others)(void) = in_pause;
    in_pause = NULL;
    pauses++;
    if (others != NULL) others();
    if (!signals || wanted->tv_nsec == 1) return 0;
    left->tv_nsec = 1;
    errno = EINTR;
    return -1;
}

FIXTURE(set_up)
{
    f = directory_new();
    file_write(f.file, (const uint8_t *)"0123456789", 10);
    watch = sotto__watch_open(f.file);
}

FIXTURE(tear_down)
{
    sotto__watch_close(watch);
    directory_free(&f);
}

TEST_WITH(what_is_not_there_is_not_watched, set_up, tear_down)
{
    assert_int_equal(sotto__watch_open(f.other), -1);
    assert_false(sotto__watch_written(-1));
    sotto__watch_close(-1);
}

TEST_WITH(reading_and_setting_modes_and_times_are_no_writes, set_up, tear_down)
{
    uint8_t bytes[16];
    struct stat found;
    assert_int_equal(stat(f.file, &found), 0);
    const struct timespec times[2] = {found.st_atim, found.st_mtim};
    assert_ints(file_read(f.file, bytes, sizeof bytes), 10, chmod(f.file, 0400), 0,
                chmod(f.file, 0600), 0, utimensat(AT_FDCWD, f.file, times, 0), 0,
                link(f.file, f.other), 0, unlink(f.other), 0);
    assert_ints(rename(f.file, f.other), 0, rename(f.other, f.file), 0);
    assert_false(sotto__watch_written(watch));
}

/* Also of the same bytes, and also if the times are set back after it. */
TEST_WITH(each_write_is_told_once, set_up, tear_down)
{
    if (watch < 0) skip(); /* a system that cannot watch */
    struct stat found;
    assert_int_equal(stat(f.file, &found), 0);
    const struct timespec times[2] = {found.st_atim, found.st_mtim};
    for (int i = 0; i < 3; i++) {
        file_write(f.file, (const uint8_t *)"0123456789", 10);
        assert_int_equal(utimensat(AT_FDCWD, f.file, times, 0), 0);
        assert_true(sotto__watch_written(watch));
        assert_false(sotto__watch_written(watch));
    }
    assert_int_equal(truncate(f.file, 5), 0);
    assert_true(sotto__watch_written(watch));
    for (int i = 0; i < 500; i++) { /* more than one read of events */
        assert_int_equal(truncate(f.file, i % 2), 0);
        assert_int_equal(chmod(f.file, 0600), 0);
    }
    assert_true(sotto__watch_written(watch));
    assert_false(sotto__watch_written(watch));
}

/* ---- at a lock ---------------------------------------------------------------------------- */

static sotto_ledger *waiting, *busy;
static int fd; /* of one who has the lock, or asks about the gate */

/* The linker sends flock here: on some network mounts, who stands in the gate shuts all out of the lock, itself too. */
static bool shuts;
int __real_flock(int file, int operation);
int __wrap_flock(int file, int operation);

int __wrap_flock(int file, int operation)
{
    if (!shuts || operation == LOCK_UN || !sotto__gate_is_taken(fd))
        return __real_flock(file, operation);
    errno = EWOULDBLOCK;
    return -1;
}

FIXTURE(set_up_ledgers)
{
    f = directory_new();
    assert_ok(sotto_ledger_file_create(f.file));
    waiting = ledger_at(f.file);
    busy = ledger_at(f.file);
    fd = open(f.file, O_RDWR);
    assert_true(fd >= 0);
    pauses = 0;
    in_pause = NULL;
    signals = shuts = false;
}

FIXTURE(tear_down_ledgers)
{
    sotto_ledger_free(waiting);
    sotto_ledger_free(busy);
    close(fd);
    directory_free(&f);
}

static bool has_gates(void)
{
    int other = open(f.file, O_RDWR);
    sotto__gate_enter(other);
    bool taken = sotto__gate_is_taken(fd);
    close(other);
    return taken;
}

/* As with locks of flock: of one open file, and gone with it. */
TEST_WITH(a_gate_belongs_to_the_first_open_file, set_up_ledgers, tear_down_ledgers)
{
    if (!has_gates()) skip(); /* a system without */
    int other = open(f.file, O_RDWR);
    sotto__gate_enter(fd);
    assert_false(sotto__gate_is_taken(fd)); /* by others */
    sotto__gate_enter(other);
    assert_false(sotto__gate_is_taken(fd));
    sotto__gate_leave(other); /* it did not stand there */
    assert_true(sotto__gate_is_taken(other));
    sotto__gate_leave(fd);
    assert_false(sotto__gate_is_taken(other));
    sotto__gate_enter(other);
    assert_true(sotto__gate_is_taken(fd));
    close(other);
    assert_false(sotto__gate_is_taken(fd));
}

static unsigned busy_pauses;

/* The lock is free: who would take it at once, while somebody waits? */
static void come_back_at_once(void)
{
    uint64_t entry;
    assert_int_equal(flock(fd, LOCK_UN), 0);
    unsigned before = pauses;
    assert_ok(round_book(busy, 0xbb, 2, 1, 8, &entry));
    busy_pauses = pauses - before;
}

/* One that waits holds up a busy one; if it does not come to its turn, as when it is stopped, not for good. */
TEST_WITH(the_process_that_waits_for_the_lock_goes_first, set_up_ledgers, tear_down_ledgers)
{
    uint64_t entry;
    if (!has_gates()) skip();
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    in_pause = come_back_at_once;
    assert_ok(round_book(waiting, 0xaa, 1, 1, 8, &entry));
    assert_in_range(busy_pauses, 10, 1000);
    assert_int_equal(sotto_ledger_rounds(waiting), 2);
    assert_false(sotto__gate_is_taken(fd));
}

static void unlock(void)
{
    assert_int_equal(flock(fd, LOCK_UN), 0);
}

TEST_WITH(a_gate_that_shuts_its_owner_out_is_left, set_up_ledgers, tear_down_ledgers)
{
    uint64_t entry;
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    in_pause = unlock;
    shuts = true;
    assert_ok(round_book(waiting, 0xaa, 1, 1, 8, &entry));
}

/* In whole pauses, whatever signals come. */
TEST_WITH(a_lock_that_is_kept_is_waited_for_and_refused, set_up_ledgers, tear_down_ledgers)
{
    uint64_t entry;
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    for (int i = 0; i < 2; i++) {
        pauses = 0;
        signals = i == 1;
        assert_status(round_book(waiting, 0xaa, 1, 1, 8, &entry), SOTTO_E_LEDGER);
        assert_string_equal(WHY(sotto_ledger_fault, waiting),
                            "another process has locked it for more than 5 s");
        assert_in_range(pauses, i == 0 ? 4999 : 9998, i == 0 ? 5000 : 10000);
        assert_false(sotto__gate_is_taken(fd));
    }
    assert_int_equal(flock(fd, LOCK_UN), 0);
    assert_ok(round_book(waiting, 0xaa, 1, 1, 8, &entry));
}
