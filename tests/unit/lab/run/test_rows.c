/* Rows: their text, and the order in which they are written. `write` is replaced, so that it can be
 * slow, interrupted or fail. */
#include "comparisons.h"
#include "lab/run/run.h"
#include "test.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static struct {
    char text[8192];
    size_t length;
    size_t piece;        /* bytes that a call takes at most; 0: all */
    uint32_t interrupts; /* calls that are interrupted first */
    size_t room;         /* bytes until the disk is full */
} disk;

ssize_t __wrap_write(int file, const void *bytes, size_t count);
ssize_t __wrap_write(int file, const void *bytes, size_t count)
{
    assert_int_equal(file, 99);
    if (disk.interrupts > 0) {
        disk.interrupts--;
        errno = EINTR;
        return -1;
    }
    if (disk.piece > 0 && count > disk.piece) count = disk.piece;
    if (count > disk.room - disk.length) count = disk.room - disk.length;
    if (count == 0 && disk.length == disk.room) {
        errno = ENOSPC;
        return -1;
    }
    memcpy(disk.text + disk.length, bytes, count);
    disk.length += count;
    return (ssize_t)count;
}

static sotto__comparison comparison;
static sotto__results results;
static char text[SMALL_POINTS * SOTTO__ROW_BYTES];

FIXTURE(set_up)
{
    memset(&disk, 0, sizeof disk);
    disk.room = sizeof disk.text - 1;
    small_comparison_new(&comparison);
    assert_ok(sotto__results_new(&comparison, &results));
}

FIXTURE(tear_down)
{
    sotto__results_free(&results);
    sotto__comparison_free(&comparison);
}

static sotto__rows rows_to(int file, sotto__text_format format)
{
    return (sotto__rows){.file = file, .format = format, .text = text};
}

TEST_WITH(a_full_disk_is_told, set_up, tear_down)
{
    sotto__rows rows = rows_to(99, SOTTO__TEXT_CSV);
    disk.room = 20;
    assert_false(sotto__rows_begin(&rows, &comparison));
    assert_int_equal(errno, ENOSPC);
    small_take(&results, &comparison, 0);
    assert_false(sotto__rows_advance(&rows, &comparison, &results));
    assert_int_equal(rows.next, 0);
    assert_false(sotto__rows_end(&rows, &comparison, &results));
}

TEST_WITH(a_file_that_cannot_be_written_is_found_out_without_a_header_too, set_up, tear_down)
{
    sotto__rows rows = rows_to(99, SOTTO__TEXT_JSON);
    assert_true(sotto__rows_begin(&rows, &comparison));
    assert_int_equal(disk.length, 0);
    disk.room = 0;
    assert_false(sotto__rows_begin(&rows, &comparison));
}

TEST_WITH(a_slow_or_interrupted_write_loses_nothing, set_up, tear_down)
{
    disk.piece = 3;
    disk.interrupts = 2;
    assert_true(sotto__write_all(99, "every byte of it", 16));
    assert_string_equal(disk.text, "every byte of it");
}

TEST_WITH(without_a_file_nothing_is_written, set_up, tear_down)
{
    sotto__rows rows = rows_to(-1, SOTTO__TEXT_CSV);
    small_take(&results, &comparison, 0);
    assert_true(sotto__rows_begin(&rows, &comparison));
    assert_true(sotto__rows_advance(&rows, &comparison, &results));
    assert_true(sotto__rows_end(&rows, &comparison, &results));
    assert_int_equal(disk.length, 0);
}

TEST_WITH(a_row_has_all_digits_and_names_what_is_not_finite, set_up, tear_down)
{
    const sotto_point point = {.t = 400, .regret = 0.1, .estimation_error = NAN};
    size_t length = sotto__row_text("ldp-ols", 0.1, 3, &point, SOTTO__TEXT_CSV, text);
    assert_string_equal(text, "ldp-ols,0.1,3,400,0.10000000000000001,nan\n");
    assert_int_equal(length, strlen(text));
    length = sotto__row_text("ldp-ols", 0.1, 3, &point, SOTTO__TEXT_JSON, text);
    assert_string_equal(text,
                        "{\"method\": \"ldp-ols\", \"epsilon\": 0.1, \"seed\": 3, \"t\": 400, "
                        "\"regret\": 0.10000000000000001, \"estimation_error\": null}\n");
    assert_int_equal(length, strlen(text));
}

TEST_WITH(the_longest_row_fits, set_up, tear_down)
{
    const sotto_point point = {.t = UINT64_MAX,
                               .regret = -1.7976931348623157e308,
                               .estimation_error = -1.7976931348623157e308};
    size_t length =
        sotto__row_text("sotto-ols", 0.123456789012345, UINT64_MAX, &point, SOTTO__TEXT_JSON, text);
    assert_true(length < SOTTO__ROW_BYTES);
    assert_int_equal(text[length - 1], '\n');
}

TEST_WITH(rows_wait_for_those_before_them, set_up, tear_down)
{
    sotto__rows rows = rows_to(99, SOTTO__TEXT_CSV);
    assert_true(sotto__rows_begin(&rows, &comparison));
    assert_string_equal(disk.text, "method,epsilon,seed,t,regret,estimation_error\n");
    size_t header = disk.length;
    small_take(&results, &comparison, 1);
    assert_true(sotto__rows_advance(&rows, &comparison, &results));
    assert_int_equal(disk.length, header);
    small_take(&results, &comparison, 0);
    assert_true(sotto__rows_advance(&rows, &comparison, &results));
    assert_string_equal(disk.text + header, "sotto,0.5,7,10,10,1\nsotto,0.5,7,400,400,1\n"
                                            "sotto,0.5,8,10,20,0.5\nsotto,0.5,8,400,800,0.5\n");
}

TEST_WITH(at_the_end_finished_runs_behind_a_gap_come_too, set_up, tear_down)
{
    sotto__rows rows = rows_to(99, SOTTO__TEXT_CSV);
    small_take(&results, &comparison, 3);
    small_take(&results, &comparison, 11);
    assert_true(sotto__rows_advance(&rows, &comparison, &results));
    assert_int_equal(disk.length, 0);
    assert_true(sotto__rows_end(&rows, &comparison, &results));
    assert_string_equal(disk.text, "sotto,2,7,10,40,0.25\nsotto,2,7,400,1600,0.25\n"
                                   "ols,2,9,10,120,0.083333333333333329\n"
                                   "ols,2,9,400,4800,0.083333333333333329\n");
}

/* Shard 2 of 5 has runs 1, 6 and 11. */
TEST_WITH(a_shard_writes_its_runs_between_two_lines, set_up, tear_down)
{
    sotto__rows rows = rows_to(99, SOTTO__TEXT_CSV);
    rows.shard = (sotto__shard){2, 5, 0};
    assert_true(sotto__rows_begin(&rows, &comparison));
    assert_memory_equal(disk.text, "# {\"shard\": 2, \"of\": 5, \"runs\": 12, ", 36);
    char *names = strchr(disk.text, '\n') + 1;
    assert_string_equal(names, "method,epsilon,seed,t,regret,estimation_error\n");
    size_t header = disk.length;
    small_take(&results, &comparison, 0); /* of another shard, from a resume file */
    small_take(&results, &comparison, 6);
    assert_true(sotto__rows_advance(&rows, &comparison, &results));
    assert_int_equal(disk.length, header);
    small_take(&results, &comparison, 1);
    small_take(&results, &comparison, 11);
    assert_true(sotto__rows_advance(&rows, &comparison, &results));
    assert_int_equal(rows.next, SMALL_RUNS);
    size_t before = disk.length;
    assert_true(sotto__rows_end(&rows, &comparison, &results));
    assert_memory_equal(disk.text + before, "# {\"end\": \"", 11);
    disk.text[before] = '\0';
    assert_string_equal(disk.text + header, "sotto,0.5,8,10,20,0.5\nsotto,0.5,8,400,800,0.5\n"
                                            "ols,0.5,7,10,70,0.14285714285714285\n"
                                            "ols,0.5,7,400,2800,0.14285714285714285\n"
                                            "ols,2,9,10,120,0.083333333333333329\n"
                                            "ols,2,9,400,4800,0.083333333333333329\n");
}

TEST_WITH(a_shard_that_lacks_a_run_has_no_last_line, set_up, tear_down)
{
    sotto__rows rows = rows_to(99, SOTTO__TEXT_JSON);
    rows.shard = (sotto__shard){2, 5, 0};
    assert_true(sotto__rows_begin(&rows, &comparison));
    assert_memory_equal(disk.text, "{\"shard\": 2, ", 13);
    small_take(&results, &comparison, 1);
    small_take(&results, &comparison, 11);
    assert_true(sotto__rows_advance(&rows, &comparison, &results));
    assert_true(sotto__rows_end(&rows, &comparison, &results));
    disk.text[disk.length] = '\0';
    assert_non_null(strstr(disk.text, "\"ols\", \"epsilon\": 2, \"seed\": 9, \"t\": 400"));
    assert_null(strstr(disk.text, "\"end\""));
}

TEST_WITH(a_disk_that_is_full_at_the_last_line_of_a_shard_is_told, set_up, tear_down)
{
    sotto__rows rows = rows_to(99, SOTTO__TEXT_CSV);
    rows.shard = (sotto__shard){13, 13, 0}; /* no run */
    assert_true(sotto__rows_begin(&rows, &comparison));
    assert_true(sotto__rows_advance(&rows, &comparison, &results));
    disk.room = disk.length + 10;
    assert_false(sotto__rows_end(&rows, &comparison, &results));
    assert_int_equal(errno, ENOSPC);
}
