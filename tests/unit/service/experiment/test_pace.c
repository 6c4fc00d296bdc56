/* How long an epoch has lasted, over restarts of the service and of the machine. */
#include "directory.h"
#include "service/experiment/inner.h"
#include "test.h"

#include <stdio.h>

static const pace_time then = {.boot = 7, .steady_ms = 5000, .wall_s = 1000};

TEST(a_file_that_cannot_be_had_is_no_pace)
{
    HELD(directory) here = directory_new();
    char path[DIRECTORY_PATH_BYTES + 32];
    snprintf(path, sizeof path, "%s/none/file", here.path);
    assert_null(pace_open(path));
    pace_close(NULL);
}

TEST(what_was_not_noted_is_not_known)
{
    HELD(directory) here = directory_new();
    uint64_t ms;
    sottod_pace *pace = pace_open(here.file);
    assert_non_null(pace);
    assert_false(pace_lasted(pace, 1, 0, &then, &ms)); /* an empty file */
    pace_note(pace, 3, 5, &then);
    assert_false(pace_lasted(pace, 1, 0, &then, &ms)); /* a hole */
    assert_false(pace_lasted(pace, 4, 5, &then, &ms)); /* past the end */
    assert_false(pace_lasted(pace, 3, 4, &then, &ms)); /* another epoch */
    assert_false(pace_lasted(pace, 3, 6, &then, &ms));
    assert_true(pace_lasted(pace, 3, 5, &then, &ms));
    assert_int_equal(ms, 0);
    pace_close(pace);
    uint8_t bytes[96];
    assert_int_equal(file_read(here.file, bytes, sizeof bytes), sizeof bytes);
    for (uint32_t at = 24 + 64; at < sizeof bytes; at++) { /* its epoch and its mark */
        bytes[at] ^= 1;
        file_write(here.file, bytes, sizeof bytes);
        pace = pace_open(here.file);
        assert_false(pace_lasted(pace, 3, 5, &then, &ms));
        pace_close(pace);
        bytes[at] ^= 1;
    }
    file_write(here.other, bytes, sizeof bytes - 1);
    pace = pace_open(here.other);
    assert_false(pace_lasted(pace, 3, 5, &then, &ms));
    pace_close(pace);
}

TEST(clocks_decide_as_far_as_they_can_be_trusted)
{
    static const struct {
        pace_time now;
        bool known;
        uint64_t ms;
    } rows[] = {
        {{7, 5250, 1000}, true, 250},
        {{7, 9000, 1}, true, 4000},          /* the wall clock was set back: ignored */
        {{7, 9000, UINT64_MAX}, true, 4000}, /* or forward: ignored */
        {{7, 4999, 1000}, false, 0},         /* the steady clock never goes back */
        {{8, 100, 1060}, true, 60000},       /* the machine restarted */
        {{8, 9000, 1000}, true, 0},          /* in the same second */
        {{8, 9000, 999}, false, 0},          /* its clock is behind */
        {{8, 9000, 0}, false, 0},            /* its clock is at 1970 */
        {{8, 9000, UINT64_MAX}, false, 0},   /* its clock is at an impossible time */
        {{0, 9000, 1001}, true, 1000},       /* runs of the machine are not told apart */
    };
    HELD(directory) here = directory_new();
    sottod_pace *pace = pace_open(here.file);
    pace_note(pace, 1, 9, &then);
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t ms = 0;
        assert_int_equal(pace_lasted(pace, 1, 9, &rows[i].now, &ms), rows[i].known);
        if (rows[i].known) assert_int_equal(ms, rows[i].ms);
    }
    const pace_time unknown = {.boot = 0, .steady_ms = 1, .wall_s = 0}, later = {0, 2, 5};
    uint64_t ms;
    pace_note(pace, 1, 10, &unknown);
    assert_false(pace_lasted(pace, 1, 10, &later, &ms));
    pace_close(pace);
}

/* Golden: the entry of the second experiment. */
TEST(an_entry_has_32_bytes)
{
    static const uint8_t golden[32] = {
        7,    0, 0, 0, 0, 0, 0, 0, 0x88, 0x13, 0, 0, 0,   0,   0,   0,
        0xe8, 3, 0, 0, 0, 0, 0, 0, 9,    0,    0, 0, 'S', 'P', 'A', '1',
    };
    HELD(directory) here = directory_new();
    uint8_t bytes[100];
    sottod_pace *pace = pace_open(here.file);
    pace_note(pace, 2, 8, &then);
    pace_note(pace, 2, 9, &then);
    pace_close(pace);
    assert_int_equal(file_read(here.file, bytes, sizeof bytes), 64);
    assert_memory_equal(bytes + 32, golden, sizeof golden);
}
