/* No file contains what was removed. */
#include "journals.h"
#include "service/store/sqlite/inner.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

static journals test;

FIXTURE(start)
{
    test = journals_new();
    journals_open(&test);
    journals_experiment(&test, "one");
    journals_experiment(&test, "two");
}

FIXTURE(end)
{
    journals_free(&test);
}

/* ---- what the files have */

/* True if the bytes are in any file of the directory. */
static bool found_in_files(const char *bytes)
{
    static uint8_t content[1 << 25];
    const char *names[] = {"journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm", "lock"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[sizeof test.path + 32];
        snprintf(path, sizeof path, "%s/%s", test.path, names[i]);
        struct stat about;
        if (stat(path, &about) != 0) continue;
        size_t count = file_read(path, content, sizeof content);
        for (size_t at = 0; !found && at + 8 <= count; at++) {
            found = memcmp(content + at, bytes, 8) == 0;
        }
    }
    return found;
}

TEST_WITH(a_transaction_cannot_be_scrubbed, start, end)
{
    assert_done(&test, journal_begin(test.journal));
    assert_refused(&test, journal_scrub(test.journal), "in a transaction");
}

TEST_WITH(removed_frames_are_in_no_file, start, end)
{
    static uint8_t frames[50000];
    for (size_t i = 0; i < sizeof frames; i++) {
        frames[i] = (uint8_t) "RemoveMe"[i % 8];
    }
    for (size_t bytes = 8; bytes <= sizeof frames; bytes *= 3) {
        journals_append_bytes(&test, 1, frames, bytes);
    }
    journals_append(&test, 2, "KeepMeOn");
    assert_true(found_in_files("RemoveMe"));
    journals_snapshot(&test, 1, journal_last(test.journal), "learner");
    journals_remove(&test, 1, journal_last(test.journal));
    assert_true(found_in_files("RemoveMe")); /* the log still has them: a scrub is needed */
    assert_done(&test, journal_scrub(test.journal));
    assert_false(found_in_files("RemoveMe"));
    assert_true(found_in_files("KeepMeOn"));
}

TEST_WITH(nothing_of_a_deleted_experiment_is_in_any_file, start, end)
{
    journal_experiment experiment = {.id = "three",
                                     .terms = {(const uint8_t *)"DeleteMeTerms", 13},
                                     .start = {(const uint8_t *)"DeleteMeStart", 13},
                                     .labels = "{\"a\":\"DeleteMeToo\"}"};
    assert_committed(&test, journal_add_experiment(test.journal, &experiment));
    journals_append(&test, 3, "DeleteMeFrames");
    journals_snapshot(&test, 3, 1, "DeleteMeLearner");
    journals_append(&test, 3, "DeleteMeFramesToo");
    assert_done(&test, journal_scrub(test.journal));
    assert_true(found_in_files("DeleteMe"));
    journals_state(&test, 3, JOURNAL_DELETED);
    assert_done(&test, journal_scrub(test.journal));
    assert_false(found_in_files("DeleteMe"));
}

/* ---- copies: rows lie side by side; when some are removed, pages are merged and rows move */

#define ROWS_MAX 6000u
static bool is_gone[ROWS_MAX + 1];
static uint32_t random_state;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % below;
}

/* How many of the removed rows are still in the file: each row's frames repeat its number from
 * start to end. */
static uint32_t count_copies(void)
{
    static uint8_t content[1 << 25];
    static bool counted[ROWS_MAX + 1];
    uint32_t copies = 0;
    memset(counted, 0, sizeof counted);
    size_t bytes = file_read(test.file, content, sizeof content);
    for (size_t at = 0; at + 8 <= bytes; at++) {
        if (content[at] != 'M' || content[at + 1] != '=') continue;
        uint32_t number = 0;
        for (size_t i = 2; i < 8; i++) {
            number = number * 10 + (uint32_t)(content[at + i] - '0');
        }
        if (number > ROWS_MAX || !is_gone[number] || counted[number]) continue;
        counted[number] = true;
        copies++;
    }
    return copies;
}

static void append_many(uint32_t rows, uint32_t experiments)
{
    static char frames[40 * 100 + 1];
    assert_done(&test, journal_begin(test.journal));
    for (uint32_t i = 0; i < rows; i++) {
        size_t bytes = 40 * (size_t)(draw(4) == 0 ? 1 + draw(100) : 1 + draw(11));
        for (size_t at = 0; at + 8 <= bytes; at += 8) {
            char name[9];
            snprintf(name, sizeof name, "M=%06u",
                     (unsigned)((journal_last(test.journal) + i + 1) % 1000000));
            memcpy(frames + at, name, 8);
        }
        journals_row(&test, 1 + draw(experiments), frames, bytes);
    }
    assert_done(&test, journal_commit(test.journal));
}

static bool forget(void *self, const journal_row *row)
{
    if (row->seq <= *(const uint64_t *)self) is_gone[row->seq] = true;
    return true;
}

/* Removes rows from the old end of some experiments, as a service does. */
static void remove_some(uint32_t experiments)
{
    for (uint32_t e = 1; e <= experiments; e++) {
        uint64_t last = journal_last(test.journal), cut = last - draw(100) % last;
        if (draw(2) == 0) continue;
        journals_snapshot(&test, e, last, "learner");
        assert_done(&test, journal_read_rows(test.journal, e, 0, forget, &cut));
        journals_remove(&test, e, cut);
    }
}

static void begin_work(uint32_t seed)
{
    random_state = seed;
    memset(is_gone, 0, sizeof is_gone);
}

/* If this test fails, SQLite has improved and journal_scrub can do less. */
TEST_WITH(sqlite_alone_leaves_copies_behind, start, end)
{
    uint32_t copies = 0;
    begin_work(3);
    for (uint32_t turn = 0; turn < 40; turn++) {
        append_many(1 + draw(80), 2);
        remove_some(2);
        journals_reopen(&test); /* which copies the log to the file */
        copies += count_copies();
    }
    assert_true(copies > 0);
}

TEST_WITH(no_copy_stays_behind_when_pages_are_merged, start, end)
{
    for (uint32_t seed = 1; seed <= 6; seed++) {
        begin_work(seed);
        for (uint32_t turn = 0; turn < 40; turn++) {
            append_many(1 + draw(80), 1 + seed % 2);
            remove_some(1 + seed % 2);
            assert_done(&test, journal_scrub(test.journal));
            assert_int_equal(count_copies(), 0);
        }
        journals_reopen(&test);
        end(state);
        start(state);
    }
}

static bool take_first(void *self, const journal_row *row)
{
    *(uint64_t *)self = row->seq;
    return false;
}

/* SQLite writes pages that it had in memory before the scrub again after it: each loses its oldest
 * row. */
TEST_WITH(no_copy_comes_back_from_memory, start, end)
{
    begin_work(3);
    for (uint32_t turn = 0; turn < 60; turn++) {
        append_many(1 + draw(80), 2);
        remove_some(2);
        assert_done(&test, journal_scrub(test.journal));
        for (uint32_t e = 1; e <= 2; e++) {
            uint64_t first = 0;
            journal_read_rows(test.journal, e, 0, take_first, &first);
            journals_snapshot(&test, e, journal_last(test.journal), "learner");
            journals_remove(&test, e, first);
        }
        journals_reopen(&test);
        assert_int_equal(count_copies(), 0);
    }
}

/* ---- a disk that fails: the calls of SQLite's handle of the file, with one of ours in between */

static const sqlite3_io_methods *real_methods;
static bool sync_fails;
static uint32_t zeros_written;

static int sync_or_fail(sqlite3_file *file, int flags)
{
    bool is_scrub = flags == SQLITE_SYNC_FULL; /* SQLite's own are NORMAL */
    return sync_fails && is_scrub ? SQLITE_IOERR_FSYNC : real_methods->xSync(file, flags);
}

static int count_zeros(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset)
{
    zeros_written += ((const uint8_t *)bytes)[0] == 0;
    return real_methods->xWrite(file, bytes, count, offset);
}

/* The system may drop pages that it failed to write and still return them when read. */
TEST_WITH(zeros_of_a_scrub_that_failed_are_written_again, start, end)
{
    sqlite3_file *file = NULL;
    sqlite3 *data = journal__sqlite_of(test.journal)->data;
    begin_work(3);
    for (uint32_t turn = 0; turn < 5; turn++) {
        append_many(80, 2);
        remove_some(2);
    }
    assert_int_equal(sqlite3_file_control(data, "main", SQLITE_FCNTL_FILE_POINTER, &file), 0);
    real_methods = file->pMethods;
    sqlite3_io_methods ours = *real_methods;
    ours.xSync = sync_or_fail;
    ours.xWrite = count_zeros;
    file->pMethods = &ours;
    sync_fails = true;
    zeros_written = 0;
    assert_refused(&test, journal_scrub(test.journal), "cannot be scrubbed");
    assert_true(zeros_written > 0);
    sync_fails = false;
    uint32_t first = zeros_written;
    assert_done(&test, journal_scrub(test.journal));
    assert_true(zeros_written >= 2 * first);
    first = zeros_written;
    assert_done(&test, journal_scrub(test.journal));
    assert_int_equal(zeros_written, first); /* once is enough */
    file->pMethods = real_methods;
}

static uint32_t pages_read;

static int count_reads(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset)
{
    pages_read++;
    return real_methods->xRead(file, bytes, count, offset);
}

static uint32_t reads_of_a_scrub(void)
{
    pages_read = 0;
    assert_done(&test, journal_scrub(test.journal));
    return pages_read;
}

/* 3000 rows: some 60 pages, and those of an index. */
TEST_WITH(history_is_read_only_if_it_lost_rows, start, end)
{
    sqlite3_file *file = NULL;
    sqlite3 *data = journal__sqlite_of(test.journal)->data;
    bool more;
    assert_done(&test, journal_begin(test.journal));
    for (uint32_t epoch = 1; epoch <= 3000; epoch++) {
        const journal_history row = {
            .experiment = 1, .epoch = epoch, .minute = epoch, .publishes = 1};
        assert_done(&test, journal_add_history(test.journal, &row));
    }
    assert_done(&test, journal_commit(test.journal));
    assert_int_equal(sqlite3_file_control(data, "main", SQLITE_FCNTL_FILE_POINTER, &file), 0);
    real_methods = file->pMethods;
    sqlite3_io_methods ours = *real_methods;
    ours.xRead = count_reads;
    file->pMethods = &ours;
    const uint32_t all = reads_of_a_scrub(); /* at a start: an earlier process may have */
    const uint32_t others = reads_of_a_scrub();
    assert_true(others + 50 < all);
    append_many(10, 2);
    journals_snapshot(&test, 1, journal_last(test.journal), "learner");
    journals_remove(&test, 1, journal_last(test.journal));
    assert_true(reads_of_a_scrub() + 50 < all);
    assert_committed(&test, journal_tidy(test.journal, 600, &more));
    assert_true(reads_of_a_scrub() >= others + 40);
    assert_int_equal(reads_of_a_scrub(), others);
    file->pMethods = real_methods;
}

TEST_WITH(a_page_that_is_damaged_is_refused_and_left, start, end)
{
    static uint8_t before[1 << 20], after[1 << 20];
    assert_done(&test, journal_scrub(test.journal));
    int fd = open(test.file, O_RDWR);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, "\x07", 1, 2 * 4096), 1); /* page 3 gets an invalid kind */
    size_t bytes = file_read(test.file, before, sizeof before);
    assert_refused(&test, journal_scrub(test.journal), "page 3 is not a valid SQLite page");
    assert_int_equal(file_read(test.file, after, sizeof after), bytes);
    assert_memory_equal(before, after, bytes);
    close(fd);
}
