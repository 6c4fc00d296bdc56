/* The log after a crash: half a transaction at its end is no damage; a wrong byte in the middle is. */
#include "journals.h"
#include "service/journal/journal_wal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD_BYTES 32
#define FRAME_BYTES (24 + 4096)
#define ROWS 12
#define ROOM (1 << 24)

static journals test;
static char log_path[sizeof test.file + 8], index_path[sizeof test.file + 8];
static uint8_t *file, *wal, *shm; /* as a crash left them */
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

static int start(void **state)
{
    (void)state;
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
    return 0;
}

static int end(void **state)
{
    (void)state;
    journals_free(&test);
    free(shm);
    free(wal);
    free(file);
    return 0;
}

static void assert_opens_with(uint64_t last)
{
    journals_open(&test);
    assert_int_equal(journal_last(test.journal), last);
    journals_close(&test);
}

static void a_log_that_a_crash_left_is_read(void **state)
{
    (void)state;
    journal_wal found;
    restore();
    assert_true(journal__wal_check(log_path, &found));
    assert_false(found.damaged);
    assert_int_equal(found.bytes, commit_end[ROWS]);
    assert_opens_with(ROWS);
}

static void no_log_and_an_empty_log_are_whole(void **state)
{
    (void)state;
    journal_wal found;
    unlink(log_path);
    assert_true(journal__wal_check(log_path, &found));
    assert_false(found.damaged);
    file_write(log_path, wal, 0);
    assert_true(journal__wal_check(log_path, &found));
    assert_false(found.damaged);
    file_write(log_path, wal, 20);
    assert_true(journal__wal_check(log_path, &found));
    assert_false(found.damaged);
}

/* As somebody does who tidies up after a kill. */
static void a_log_that_was_removed_is_missed(void **state)
{
    (void)state;
    restore();
    file_write(index_path, shm, shm_bytes);
    unlink(log_path);
    assert_false(journals_try(&test, 0));
    assert_words(test.fault, "journal.sqlite-wal, its log, is not there");
    file_write(log_path, wal, wal_bytes);
    assert_opens_with(ROWS);
    restore();
    unlink(log_path); /* gone for good, and so is the index */
    assert_opens_with(0);
}

static bool is_missed(void)
{
    bool missed;
    assert_true(journal__wal_is_missed(index_path, &missed));
    return missed;
}

/* Two copies of 48 bytes, with the frames of the log at byte 16; then the frames that were copied. */
static void an_index_misses_its_log_if_frames_were_not_copied(void **state)
{
    (void)state;
    uint8_t changed[100];
    assert_true(shm_bytes > sizeof changed);
    for (uint32_t torn = 0; torn < 2; torn++) {
        memcpy(changed, shm, sizeof changed);
        memset(changed + 48 * torn, 0, 48); /* a kill came between the copies */
        file_write(index_path, changed, sizeof changed);
        assert_true(is_missed());
    }
    memcpy(changed, shm, sizeof changed);
    memcpy(changed + 96, changed + 16, 4); /* as before SQLite removes a log */
    file_write(index_path, changed, sizeof changed);
    assert_false(is_missed());
    memset(changed, 0, sizeof changed); /* as after a power cut */
    for (size_t bytes = 0; bytes <= sizeof changed; bytes += 20) {
        file_write(index_path, changed, bytes);
        assert_false(is_missed());
    }
    unlink(index_path);
    assert_false(is_missed());
}

static void an_index_that_cannot_be_read_is_refused_if_there_is_no_log(void **state)
{
    (void)state;
    bool missed;
    unlink(log_path);
    unlink(index_path);
    assert_int_equal(mkdir(index_path, 0700), 0);
    assert_false(journal__wal_is_missed(index_path, &missed));
    assert_false(journals_try(&test, 0));
    assert_words(test.fault, "journal.sqlite-shm cannot be read");
    rmdir(index_path);
}

static void a_log_that_cannot_be_read_is_refused(void **state)
{
    (void)state;
    journal_wal found;
    assert_int_equal(mkdir(log_path, 0700), 0);
    assert_false(journal__wal_check(log_path, &found));
    assert_false(journals_try(&test, 0));
    assert_words(test.fault, "journal.sqlite-wal cannot be read");
    rmdir(log_path);
}

/* The system writes what was not synced in any order. */
static void half_a_transaction_at_the_end_never_was(void **state)
{
    (void)state;
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

/* In each byte before the last two transactions; the very last row is not guarded, the one before is unless
 * its end is hit. */
static void a_wrong_byte_in_the_middle_is_refused_with_its_place(void **state)
{
    (void)state;
    for (size_t at = 0; at < commit_end[ROWS - 2]; at += 83) {
        char words[64];
        size_t frame = at < HEAD_BYTES ? 0 : (at - HEAD_BYTES) / FRAME_BYTES;
        wal[at] ^= 0x10;
        restore();
        wal[at] ^= 0x10;
        if (journals_try(&test, 0)) fail_msg("byte %zu: less was opened, silently", at);
        snprintf(words, sizeof words, "its log, journal.sqlite-wal, at byte %zu,",
                 at < HEAD_BYTES ? 0 : HEAD_BYTES + frame * FRAME_BYTES);
        assert_words(test.fault, words);
    }
}

static void rows_before_the_wrong_byte_can_be_kept_by_hand(void **state)
{
    (void)state;
    wal[commit_end[5] + 1000] ^= 1;
    restore();
    assert_false(journals_try(&test, 0));
    assert_words(test.fault, "--recover-to 5");
    assert_true(journals_try(&test, 5));
    assert_int_equal(strlen(journals_rows(&test, 0, 0).text), 5 * strlen("1:1:a "));
    assert_true(journals_append(&test, 1, "b") > ROWS); /* those that were lost had numbers, too */
    journals_reopen(&test);
}

/* Frames of a transaction that failed stay in the log, behind a shorter one that did not. */
static void what_a_failed_transaction_left_is_no_damage(void **state)
{
    (void)state;
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

/* A log that is begun again is written over the old one. */
static void older_frames_behind_the_end_are_no_damage(void **state)
{
    (void)state;
    journals_open(&test);
    for (int i = 0; i < 400; i++) {
        journals_append(&test, 1, "a"); /* more than 1,000 pages: the log begins again */
    }
    crash();
    assert_true(wal_bytes < 1100 * FRAME_BYTES);
    restore();
    assert_opens_with(ROWS + 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_log_that_a_crash_left_is_read, start, end),
        cmocka_unit_test_setup_teardown(no_log_and_an_empty_log_are_whole, start, end),
        cmocka_unit_test_setup_teardown(a_log_that_was_removed_is_missed, start, end),
        cmocka_unit_test_setup_teardown(an_index_misses_its_log_if_frames_were_not_copied, start,
                                        end),
        cmocka_unit_test_setup_teardown(an_index_that_cannot_be_read_is_refused_if_there_is_no_log,
                                        start, end),
        cmocka_unit_test_setup_teardown(a_log_that_cannot_be_read_is_refused, start, end),
        cmocka_unit_test_setup_teardown(half_a_transaction_at_the_end_never_was, start, end),
        cmocka_unit_test_setup_teardown(a_wrong_byte_in_the_middle_is_refused_with_its_place, start,
                                        end),
        cmocka_unit_test_setup_teardown(rows_before_the_wrong_byte_can_be_kept_by_hand, start, end),
        cmocka_unit_test_setup_teardown(what_a_failed_transaction_left_is_no_damage, start, end),
        cmocka_unit_test_setup_teardown(older_frames_behind_the_end_are_no_damage, start, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
