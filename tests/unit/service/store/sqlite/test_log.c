/* The log after a crash: committed rows are there, half a transaction is not, and a missing log is
 * noticed. */
#include "journals.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FRAME_BYTES (24 + 4096)
#define ROWS 12
#define ROOM (1 << 24)

static journals test;
static char log_path[sizeof test.file + 8], index_path[sizeof test.file + 8];
static uint8_t *file, *wal, *shm; /* copies as a crash left them */
static size_t file_bytes, wal_bytes, shm_bytes;
static size_t commit_end[ROWS + 1]; /* bytes of the log after row 1, 2, … */

static size_t size_of(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? (size_t)about.st_size : 0;
}

static void crash(void)
{
    file_bytes = file_read(test.file, file, ROOM);
    wal_bytes = file_read(log_path, wal, ROOM);
    shm_bytes = file_read(index_path, shm, ROOM);
    journals_close(&test);
}

static void restore(void)
{
    unlink(index_path);
    file_write(test.file, file, file_bytes);
    file_write(log_path, wal, wal_bytes);
}

FIXTURE(start)
{
    file = malloc(ROOM);
    wal = malloc(ROOM);
    shm = malloc(ROOM);
    test = journals_new();
    snprintf(log_path, sizeof log_path, "%s-wal", test.file);
    snprintf(index_path, sizeof index_path, "%s-shm", test.file);
    journals_open(&test);
    journals_experiment(&test, "one");
    assert_done(&test, journal_scrub(test.journal));
    for (size_t i = 1; i <= ROWS; i++) {
        journals_append(&test, 1, "a");
        commit_end[i] = size_of(log_path);
    }
    crash();
}

FIXTURE(end)
{
    journals_free(&test);
    free(shm);
    free(wal);
    free(file);
}

static void assert_opens_with(uint64_t last)
{
    journals_open(&test);
    assert_int_equal(journal_last(test.journal), last);
    journals_close(&test);
}

TEST_WITH(a_log_that_a_crash_left_is_read, start, end)
{
    restore();
    assert_int_equal(wal_bytes, commit_end[ROWS]);
    assert_opens_with(ROWS);
}

/* As when an operator cleans up after a kill. */
TEST_WITH(a_log_that_was_removed_is_missed, start, end)
{
    restore();
    file_write(index_path, shm, shm_bytes);
    unlink(log_path);
    assert_false(journals_try(&test, 0));
    assert_words(test.fault.sentence, "its log journal.sqlite-wal was removed");
    file_write(log_path, wal, wal_bytes);
    assert_opens_with(ROWS);
    restore();
    unlink(log_path); /* gone for good, with its index */
    assert_opens_with(0);
}

static bool is_missed(const uint8_t *index, size_t bytes)
{
    restore();
    unlink(log_path);
    file_write(index_path, index, bytes);
    if (journals_try(&test, 0)) {
        journals_close(&test);
        return false;
    }
    assert_words(test.fault.sentence, "its log journal.sqlite-wal was removed");
    return true;
}

/* Two copies of 48 bytes, with the frames of the log at byte 16; then the frames that were copied. */
TEST_WITH(an_index_misses_its_log_if_frames_were_not_copied, start, end)
{
    uint8_t changed[100];
    assert_true(shm_bytes > sizeof changed);
    for (uint32_t torn = 0; torn < 2; torn++) {
        memcpy(changed, shm, sizeof changed);
        memset(changed + 48 * torn, 0, 48); /* a kill came between the copies */
        assert_true(is_missed(changed, sizeof changed));
    }
    memcpy(changed, shm, sizeof changed);
    memcpy(changed + 96, changed + 16, 4); /* as before SQLite removes a log */
    assert_false(is_missed(changed, sizeof changed));
    memset(changed, 0, sizeof changed); /* as after a power cut */
    for (size_t bytes = 0; bytes <= sizeof changed; bytes += 20) {
        assert_false(is_missed(changed, bytes));
    }
}

TEST_WITH(an_index_that_cannot_be_read_is_refused_if_there_is_no_log, start, end)
{
    unlink(log_path);
    unlink(index_path);
    assert_int_equal(mkdir(index_path, 0700), 0);
    assert_false(journals_try(&test, 0));
    assert_words(test.fault.sentence, "journal.sqlite-shm cannot be read");
    rmdir(index_path);
}

/* The system may write unsynced data in any order. */
TEST_WITH(half_a_transaction_at_the_end_never_was, start, end)
{
    for (size_t kept = commit_end[ROWS - 1]; kept < commit_end[ROWS]; kept += 97) {
        restore();
        assert_int_equal(truncate(log_path, (off_t)kept), 0);
        assert_opens_with(ROWS - 1);
    }
    for (size_t at = commit_end[ROWS - 1]; at < commit_end[ROWS]; at += 101) {
        wal[at] ^= 0xff;
        restore();
        wal[at] ^= 0xff;
        assert_opens_with(ROWS - 1);
    }
}

/* Frames of a failed transaction stay in the log, behind those of a shorter one that succeeded. */
TEST_WITH(what_a_failed_transaction_left_is_no_damage, start, end)
{
    static uint8_t frames[4000000];
    memset(frames, 'f', sizeof frames);
    journals_open(&test);
    for (int i = 0; i < 3; i++) {
        assert_done(&test, journal_begin(test.journal));
        journals_row(&test, 1, frames,
                     sizeof frames / (size_t)(i + 1)); /* more than the cache holds */
        journal_abandon(test.journal);
        journals_append(&test, 1, "b");
    }
    assert_true(size_of(log_path) > 500000);
    crash();
    restore();
    assert_opens_with(ROWS + 3);
}

/* A log that starts again is written over the old one. */
TEST_WITH(older_frames_behind_the_end_are_no_damage, start, end)
{
    journals_open(&test);
    for (int i = 0; i < 400; i++) {
        journals_append(&test, 1, "a"); /* more than 1,000 pages: the log begins again */
    }
    crash();
    assert_true(wal_bytes < 1100 * FRAME_BYTES);
    restore();
    assert_opens_with(ROWS + 400);
}
