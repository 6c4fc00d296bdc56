/* Damaged rows are logged once, and again when repaired. */
#include "service/experiment/experiment.h"
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int ends[2];
static sottod_log *logged;
static damaged_list list;

FIXTURE(start)
{
    assert_int_equal(pipe(ends), 0);
    logged = log_new(ends[1], LOG_INFO);
}

FIXTURE(end)
{
    damaged_free(&list);
    log_free(logged);
    close(ends[0]);
    close(ends[1]);
}

/* One reading that finds these damaged numbers; returns the number of log lines. */
static uint32_t read_all(const uint32_t *number, uint32_t count, char *last, size_t bytes)
{
    char text[8192];
    uint32_t lines = 0;
    damaged_begin(&list);
    for (uint32_t i = 0; i < count; i++) {
        const journal_experiment row = {.number = number[i], .id = {0xab, (uint8_t)number[i]}};
        damaged_note(&list, &row, logged);
    }
    damaged_end(&list, logged);
    assert_int_equal(write(ends[1], "\n", 1), 1); /* so that there is something to read */
    ssize_t got = read(ends[0], text, sizeof text - 1);
    assert_true(got > 0);
    text[got - 1] = '\0';
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++) {
        lines++;
    }
    snprintf(last, bytes, "%s", text);
    return lines;
}

TEST_WITH(each_is_told_once_and_again_when_it_is_whole, start, end)
{
    char said[8192];
    static const uint32_t some[] = {2, 3, 5, 7, 11, 13};
    assert_ints(read_all(some, 0, said, sizeof said), 0, read_all(some, 1, said, sizeof said), 1);
    assert_non_null(strstr(said, "experiment_damaged"));
    assert_non_null(strstr(said, "ab020000000000000000000000000000"));
    assert_ints(read_all(some, 1, said, sizeof said), 0, read_all(some, 6, said, sizeof said), 5);
    assert_int_equal(list.count, 6);
    assert_true(damaged_has_number(&list, 13));
    assert_int_equal(read_all(some + 1, 4, said, sizeof said), 2);
    assert_non_null(strstr(said, "experiment_repaired"));
    assert_false(damaged_has_number(&list, 13));
    assert_true(damaged_has_number(&list, 11));
    const uint8_t id[SOTTO_SPEC_ID_BYTES] = {0xab, 3}, other[SOTTO_SPEC_ID_BYTES] = {0xab, 13};
    assert_true(damaged_has_id(&list, id));
    assert_false(damaged_has_id(&list, other));
    assert_ints(read_all(some, 0, said, sizeof said), 4, list.count, 0);
}

/* A number may be damaged, too: then two rows have the same, or none. */
TEST_WITH(a_row_is_known_by_number_and_id, start, end)
{
    const journal_experiment one = {.number = 0, .id = {1}}, two = {.number = 0, .id = {2}};
    damaged_begin(&list);
    damaged_note(&list, &one, logged);
    damaged_note(&list, &two, logged);
    damaged_note(&list, &one, logged);
    damaged_end(&list, logged);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.one[1].id_text, "02000000000000000000000000000000");
}
