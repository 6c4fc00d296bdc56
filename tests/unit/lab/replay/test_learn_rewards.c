/* Two looks at a log: what they learn, and where there is no model. */
#include "lab/dataset/fit.h"
#include "lab/dataset/schema_file.h"
#include "lab/replay/learn_rewards.h"
#include "texts.h"

#include <stdio.h>
#include <stdlib.h>

#define ROWS 70000u /* more than one block */
#define LOG_SCHEMA "number x 0 1\naction a p q\nreward r 0 1\npropensity constant 0.5\n"

typedef struct bench {
    folder folder;
    sotto_schema schema;
    sotto_dataset *dataset;
} bench;

static char fault[SOTTO_FAULT_BYTES];

/* Arm p earns 1, arm q nothing; a row `broken` has neither. */
static void bench_open(bench *b, const char *schema, uint32_t rows, uint32_t broken)
{
    char *text = malloc(16 * (size_t)rows + 16), *at = text;
    assert_non_null(text);
    at += sprintf(at, "x,a,r\n");
    for (uint32_t i = 0; i < rows; i++) {
        at += sprintf(at, "0.5,%c,%d\n", i == broken ? 'z' : i % 3 == 0 ? 'p' : 'q', i % 3 == 0);
    }
    b->folder = folder_new();
    file_write(b->folder.other, (const uint8_t *)schema, strlen(schema));
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

static void a_broken_row_leaves_no_model(void **state)
{
    (void)state;
    bench b;
    sotto__rewards rewards;
    bench_open(&b, LOG_SCHEMA, 20, 6);
    assert_says(sotto__learn_rewards(&b.schema, b.dataset, UINT64_MAX, NULL, &rewards, fault),
                fault, "line 8");
    assert_null(rewards.model);
    bench_free(&b);
}

static void labels_and_few_events_have_no_model(void **state)
{
    (void)state;
    bench b;
    sotto__rewards rewards;
    bench_open(&b, "number x 0 1\nlabel a p q\nignore r\n", 20, UINT32_MAX);
    assert_silent(sotto__learn_rewards(&b.schema, b.dataset, UINT64_MAX, NULL, &rewards, fault));
    assert_true(rewards.model == NULL && rewards.untold == SOTTO_UNTOLD_NONE);
    bench_free(&b);
    bench_open(&b, LOG_SCHEMA, 9, UINT32_MAX);
    assert_silent(sotto__learn_rewards(&b.schema, b.dataset, UINT64_MAX, NULL, &rewards, fault));
    assert_true(rewards.model == NULL && rewards.untold == SOTTO_UNTOLD_FEW_EVENTS);
    bench_free(&b);
}

/* 60 categories of 10 levels and 50 arms: 600 numbers, 9 million numbers in each of six matrices. */
static void a_model_that_is_too_large_is_not_made(void **state)
{
    (void)state;
    static char schema[8192];
    bench b;
    sotto__rewards rewards;
    size_t at =
        (size_t)sprintf(schema, "ignore x\nreward r 0 1\npropensity constant 0.5\naction a");
    for (uint32_t i = 0; i < 50; i++) {
        at += (size_t)sprintf(schema + at, " p%u", i);
    }
    for (uint32_t i = 0; i < 60; i++) {
        at += (size_t)sprintf(schema + at, "\ncategory c%u 0 1 2 3 4 5 6 7 8 9", i);
    }
    sprintf(schema + at, "\n");
    b.folder = folder_new();
    file_write(b.folder.other, (const uint8_t *)schema, strlen(schema));
    assert_silent(sotto__schema_read(b.folder.other, &b.schema, fault));
    assert_silent(sotto__learn_rewards(&b.schema, NULL, UINT64_MAX, NULL, &rewards, fault));
    assert_true(rewards.model == NULL && rewards.untold == SOTTO_UNTOLD_LARGE);
    sotto__schema_free(&b.schema);
    folder_free(&b.folder);
}

static bool listen(void *state, uint64_t bytes)
{
    *(uint64_t *)state = bytes;
    return true;
}

static bool stop_at_once(void *state, uint64_t bytes)
{
    *(uint64_t *)state += bytes;
    return false;
}

static void a_listener_can_stop_it(void **state)
{
    (void)state;
    bench b;
    sotto__rewards rewards;
    uint64_t heard = 0;
    const sotto_replay_listener listener = {stop_at_once, &heard};
    bench_open(&b, LOG_SCHEMA, ROWS, UINT32_MAX);
    assert_says(sotto__learn_rewards(&b.schema, b.dataset, UINT64_MAX, &listener, &rewards, fault),
                fault, SOTTO_REPLAY_STOPPED);
    assert_null(rewards.model);
    assert_true(heard > 0 && heard <= 6 + 8 * ROWS);
    bench_free(&b);
}

static void all_rows_are_read_twice_and_the_file_begins_again(void **state)
{
    (void)state;
    bench b;
    sotto__rewards rewards;
    sotto_people *people;
    uint64_t heard = 0;
    const sotto_replay_listener listener = {listen, &heard};
    bench_open(&b, LOG_SCHEMA, ROWS, UINT32_MAX);
    assert_silent(
        sotto__learn_rewards(&b.schema, b.dataset, UINT64_MAX, &listener, &rewards, fault));
    assert_int_equal(rewards.model->rows, ROWS);
    assert_int_equal(rewards.model->scored, ROWS);
    assert_int_equal(heard, 2 * (6 + 8 * ROWS));
    assert_ok(sotto_people_new(sotto_schema_dim(&b.schema), &people));
    assert_silent(sotto_dataset_next(b.dataset, people, fault));
    assert_int_equal(people->arm[0], 0);
    assert_near(sotto__reward_model_predict(rewards.model, 0, people->context, 0), 1, 1e-3);
    assert_near(sotto__reward_model_predict(rewards.model, 0, people->context, 1), 0, 1e-3);
    sotto_people_free(people);
    sotto__rewards_free(&rewards);
    assert_null(rewards.model);
    bench_free(&b);
}

static void it_ends_with_the_block_that_has_enough_people(void **state)
{
    (void)state;
    bench b;
    sotto__rewards rewards;
    bench_open(&b, LOG_SCHEMA, ROWS, UINT32_MAX);
    assert_silent(sotto__learn_rewards(&b.schema, b.dataset, 5, NULL, &rewards, fault));
    assert_int_equal(rewards.model->rows, 65536);
    assert_int_equal(rewards.model->scored, 65536);
    sotto__rewards_free(&rewards);
    bench_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_broken_row_leaves_no_model),
        cmocka_unit_test(labels_and_few_events_have_no_model),
        cmocka_unit_test(a_model_that_is_too_large_is_not_made),
        cmocka_unit_test(all_rows_are_read_twice_and_the_file_begins_again),
        cmocka_unit_test(a_listener_can_stop_it),
        cmocka_unit_test(it_ends_with_the_block_that_has_enough_people),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
