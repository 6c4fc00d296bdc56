/* One look at a file: what it finds, where it ends, what it says of a broken row. */
#include "lab/dataset/fit.h"
#include "lab/dataset/schema_file.h"
#include "lab/replay/survey.h"
#include "texts.h"

#include <stdlib.h>

#define ROWS 70000u /* more than one block */

typedef struct bench {
    folder folder;
    sotto_schema schema;
    sotto_dataset *dataset;
} bench;

static char fault[SOTTO_FAULT_BYTES];

/* Labels a, b, b, a, b, b, ...; a row `broken` has none of them. */
static void bench_open(bench *b, uint32_t rows, uint32_t broken)
{
    static const char schema[] = "number x 0 1\nlabel y a b\n";
    char *text = malloc(8 * (size_t)rows + 8), *at = text;
    assert_non_null(text);
    at += sprintf(at, "x,y\n");
    for (uint32_t i = 0; i < rows; i++) {
        at += sprintf(at, "0.5,%c\n", i == broken ? 'z' : i % 3 == 0 ? 'a' : 'b');
    }
    b->folder = folder_new();
    file_write(b->folder.other, (const uint8_t *)schema, sizeof schema - 1);
    assert_silent(sotto__schema_read(b->folder.other, &b->schema, fault));
    assert_silent(sotto_dataset_open(&b->schema, text_file(&b->folder, text), &b->dataset, fault));
    free(text);
}

static void bench_free(bench *b)
{
    sotto_dataset_close(b->dataset);
    sotto__schema_free(&b->schema);
    folder_free(&b->folder);
}

typedef struct heard {
    uint32_t calls;
    uint64_t bytes;
} heard;

static bool listen(void *state, uint64_t bytes)
{
    heard *h = state;
    assert_true(bytes >= h->bytes);
    h->calls++;
    h->bytes = bytes;
    return true;
}

static bool stop_at_once(void *state, uint64_t bytes)
{
    heard *h = state;
    h->calls++;
    h->bytes = bytes;
    return false;
}

static void a_broken_row_ends_it(void **state)
{
    (void)state;
    bench b;
    sotto__yardstick *found = (sotto__yardstick *)&b;
    bench_open(&b, 10, 6);
    assert_says(sotto__survey(&b.schema, b.dataset, 0.01, UINT64_MAX, NULL, &found, fault), fault,
                "line 8");
    assert_null(found);
    bench_free(&b);
}

static void a_listener_can_stop_it(void **state)
{
    (void)state;
    bench b;
    sotto__yardstick *found;
    heard h = {0};
    const sotto_replay_listener listener = {stop_at_once, &h};
    bench_open(&b, ROWS, UINT32_MAX);
    assert_says(sotto__survey(&b.schema, b.dataset, 0.02, UINT64_MAX, &listener, &found, fault),
                fault, SOTTO_REPLAY_STOPPED);
    assert_null(found);
    assert_int_equal(h.calls, 1);
    bench_free(&b);
}

static void all_rows_are_counted(void **state)
{
    (void)state;
    bench b;
    sotto__yardstick *found;
    heard h = {0};
    const sotto_replay_listener listener = {listen, &h};
    bench_open(&b, ROWS, UINT32_MAX);
    assert_silent(sotto__survey(&b.schema, b.dataset, 0.02, UINT64_MAX, &listener, &found, fault));
    assert_int_equal(found->arms, 2);
    assert_true(found->clip == 0.02);
    assert_int_equal(found->rows, ROWS);
    assert_int_equal(found->arm_count[0], (ROWS + 2) / 3);
    assert_true(h.calls >= 2);
    assert_int_equal(h.bytes, 4 + 6 * ROWS);
    sotto__yardstick_free(found);
    bench_free(&b);
}

/* Blocks are read whole: a run that plays them shuffled may meet any of their rows. */
static void it_ends_with_the_block_that_has_enough_people(void **state)
{
    (void)state;
    bench b;
    sotto_people *people;
    sotto__yardstick *found;
    bench_open(&b, ROWS, UINT32_MAX);
    assert_ok(sotto_people_new(sotto_schema_dim(&b.schema), &people));
    assert_true(people->rows_max < ROWS);
    assert_silent(sotto__survey(&b.schema, b.dataset, 0.01, 5, NULL, &found, fault));
    assert_int_equal(found->rows, people->rows_max);
    sotto__yardstick_free(found);
    sotto_people_free(people);
    bench_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_broken_row_ends_it),
        cmocka_unit_test(all_rows_are_counted),
        cmocka_unit_test(a_listener_can_stop_it),
        cmocka_unit_test(it_ends_with_the_block_that_has_enough_people),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
