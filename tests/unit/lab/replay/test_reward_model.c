/* Models of rewards: by hand, and that no model predicts a row that it has seen. */
#include "lab/dataset/dataset.h"
#include "lab/replay/replay.h"
#include "schemas.h"
#include "texts.h"
#include "why.h"

OWNED(sotto__reward_model, sotto__reward_model_free)

enum { ROWS = 60, DIM = 2, ARMS = 3 };

typedef struct table {
    sotto_people people;
    double context[ROWS * DIM], reward[ROWS], propensity[ROWS];
    uint32_t arm[ROWS];
} table;

/* Arms 0 and 1 in turn, arm 2 never. */
static void fill(table *t, uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++) {
        t->context[DIM * i] = 0.7;
        t->context[DIM * i + 1] = (i * 7 % 11) / 11.0 - 0.5;
        t->arm[i] = i % 2;
        t->reward[i] = 3 + i % 4 + t->context[DIM * i + 1];
        t->propensity[i] = 0.5;
    }
    t->people = (sotto_people){DIM, rows, rows, t->context, t->arm, t->reward, t->propensity};
}

static sotto__reward_model *model_of(const table *t)
{
    sotto__reward_model *model;
    assert_ok(sotto__reward_model_new(ARMS, DIM, &model));
    sotto__reward_model_add(model, &t->people);
    assert_true(sotto__reward_model_solve(model));
    sotto__reward_model_score(model, &t->people);
    return model;
}

static double predicted(const sotto__reward_model *model, const table *t, uint32_t row,
                        uint32_t arm)
{
    return sotto__reward_model_predict(model, row, t->context + DIM * row, arm);
}

TEST(nine_rows_make_no_model)
{
    static table t;
    sotto__reward_model *model;
    fill(&t, 9);
    assert_ok(sotto__reward_model_new(ARMS, DIM, &model));
    assert_false(sotto__reward_model_solve(model));
    sotto__reward_model_add(model, &t.people);
    assert_false(sotto__reward_model_solve(model));
    sotto__reward_model_free(model);
    sotto__reward_model_free(NULL);
    fill(&t, 10);
    sotto__reward_model_free(model_of(&t));
}

/* So that ten rows always leave some for the model of each fold. */
TEST(folds_are_about_as_large_and_ten_rows_have_several)
{
    uint32_t count[SOTTO__FOLDS] = {0}, first[SOTTO__FOLDS] = {0};
    for (uint32_t i = 0; i < SOTTO__GROUPS; i++) {
        count[sotto__fold_of(i)]++;
        if (i < SOTTO__REWARD_MODEL_ROWS_MIN) first[sotto__fold_of(i)]++;
        assert_int_equal(sotto__fold_of(i), sotto__fold_of(i + 3 * SOTTO__GROUPS));
    }
    for (uint32_t k = 0; k < SOTTO__FOLDS; k++) {
        assert_in_range(count[k], 195, 210);
        assert_in_range(first[k], 1, 3);
    }
}

/* With x = 0.7 alone, theta = sum 0.7 (r - mu)/(0.49 n + 0.1) over the rows of other folds. */
TEST(one_number_by_hand)
{
    static table t;
    fill(&t, ROWS);
    for (uint32_t i = 0; i < ROWS; i++) {
        t.context[DIM * i + 1] = 0;
    }
    OWN(sotto__reward_model) model = model_of(&t);
    for (uint32_t row = 0; row < ROWS; row++) {
        double rows = 0, sum = 0, n = 0, own = 0;
        for (uint32_t i = 0; i < ROWS; i++) {
            if (sotto__fold_of(i) == sotto__fold_of(row)) continue;
            rows++;
            sum += t.reward[i];
            if (t.arm[i] != 1) continue;
            n++;
            own += t.reward[i];
        }
        double mu = sum / rows, theta = 0.7 * (own - n * mu) / (0.49 * n + 0.1);
        assert_near(predicted(model, &t, row, 1), mu + 0.7 * theta, 1e-12);
        assert_near(predicted(model, &t, row, 2), mu, 1e-12); /* an arm without rows */
    }
}

TEST(no_row_moves_its_own_prediction)
{
    static table t;
    fill(&t, ROWS);
    OWN(sotto__reward_model) before = model_of(&t);
    t.reward[8] += 1000;
    OWN(sotto__reward_model) after = model_of(&t);
    uint32_t moved = 0;
    for (uint32_t i = 0; i < ROWS; i++) {
        bool same = predicted(before, &t, i, 0) == predicted(after, &t, i, 0);
        assert_true(same == (sotto__fold_of(i) == sotto__fold_of(8)));
        moved += !same;
    }
    assert_true(moved > ROWS / 2);
}

TEST(equal_rewards_are_predicted_as_they_are)
{
    static table t;
    fill(&t, ROWS);
    for (uint32_t i = 0; i < ROWS; i++) {
        t.reward[i] = 0.3;
    }
    OWN(sotto__reward_model) model = model_of(&t);
    for (uint32_t i = 0; i < ROWS; i++) {
        assert_near(predicted(model, &t, i, i % ARMS), 0.3, 1e-14);
    }
}

TEST(blocks_are_one_log)
{
    static table t;
    OWN(sotto__reward_model) blocks;
    fill(&t, ROWS);
    OWN(sotto__reward_model) whole = model_of(&t);
    sotto_people part[2] = {t.people, t.people};
    part[0].rows = 23;
    part[1] = (sotto_people){DIM,        ROWS - 23,     ROWS - 23,        t.context + DIM * 23,
                             t.arm + 23, t.reward + 23, t.propensity + 23};
    assert_ok(sotto__reward_model_new(ARMS, DIM, &blocks));
    sotto__reward_model_add(blocks, &part[0]);
    sotto__reward_model_add(blocks, &part[1]);
    assert_true(sotto__reward_model_solve(blocks));
    sotto__reward_model_score(blocks, &part[0]);
    sotto__reward_model_score(blocks, &part[1]);
    assert_memory_equal(whole->theta, blocks->theta,
                        SOTTO__FOLDS * ARMS * DIM * sizeof whole->theta[0]);
    assert_memory_equal(whole->score, blocks->score,
                        SOTTO__GROUPS * ARMS * DIM * sizeof whole->score[0]);
}

/* With x = 0.7 alone and n rows of arm 1: given 0.7 k times, it is pulled by 0.7 k 0.7 e/(0.49 n + 0.1). */
TEST(rows_pull_the_predictions_of_their_arm)
{
    static table t;
    double given[ARMS * DIM] = {0}, pull[SOTTO__GROUPS];
    fill(&t, ROWS);
    for (uint32_t i = 0; i < ROWS; i++) {
        t.context[DIM * i + 1] = 0;
    }
    OWN(sotto__reward_model) model = model_of(&t);
    given[1 * DIM] = 0.7 * 5;
    assert_ok(sotto__reward_model_pull(model, given, pull));
    for (uint32_t i = 0; i < ROWS; i++) {
        double left = t.reward[i] - predicted(model, &t, i, t.arm[i]);
        double wanted = t.arm[i] == 1 ? 0.7 * 5 * 0.7 * left / (0.49 * ROWS / 2 + 0.1) : 0;
        assert_near(pull[i], wanted, 1e-13);
    }
    assert_true(pull[ROWS] == 0);
}

TEST(what_a_model_takes_is_known_beforehand)
{
    /* arms x ((folds + 1) x packed + (3 folds + groups) x dim) doubles */
    assert_int_equal(sotto__reward_model_bytes(2, 20), 8 * 2 * (6 * 210 + (15 + 1009) * 20));
    assert_true(sotto__reward_model_bytes(64, 1024) > SOTTO__REWARD_MODEL_BYTES_MAX);
}

/* Two looks at a log: what they learn, and where there is no model. */

#define ROWS_LEARN_REWARDS 70000u /* more than one block */
#define LOG_SCHEMA "number x 0 1\naction a p q\nreward r 0 1\npropensity constant 0.5\n"

/* Arm p earns 1, arm q nothing; a row `broken` has neither. */
static void bench_open(bench *b, const char *schema, uint32_t rows, uint32_t broken)
{
    char *text = malloc(16 * (size_t)rows + 16), *at = text;
    assert_non_null(text);
    at += sprintf(at, "x,a,r\n");
    for (uint32_t i = 0; i < rows; i++) {
        at += sprintf(at, "0.5,%c,%d\n", i == broken ? 'z' : i % 3 == 0 ? 'p' : 'q', i % 3 == 0);
    }
    bench_begin(b, schema, text);
    free(text);
}

TEST(a_broken_row_leaves_no_model)
{
    HELD(bench) b;
    sotto__rewards rewards;
    bench_open(&b, LOG_SCHEMA, 20, 6);
    assert_says(WHY(sotto__learn_rewards, &b.schema, b.dataset, UINT64_MAX, NULL, &rewards),
                why_fault.sentence, "line 8");
    assert_null(rewards.model);
}

TEST(labels_and_few_events_have_no_model)
{
    bench b;
    sotto__rewards rewards;
    bench_open(&b, "number x 0 1\nlabel a p q\nignore r\n", 20, UINT32_MAX);
    assert_silent(WHY(sotto__learn_rewards, &b.schema, b.dataset, UINT64_MAX, NULL, &rewards));
    assert_true(rewards.model == NULL && rewards.unavailable == SOTTO_UNAVAILABLE_NONE);
    bench_free(&b);
    bench_open(&b, LOG_SCHEMA, 9, UINT32_MAX);
    assert_silent(WHY(sotto__learn_rewards, &b.schema, b.dataset, UINT64_MAX, NULL, &rewards));
    assert_true(rewards.model == NULL && rewards.unavailable == SOTTO_UNAVAILABLE_FEW_EVENTS);
    bench_free(&b);
}

/* 60 categories of 10 levels and 50 arms: 600 numbers, 9 million numbers in each of six matrices. */
TEST(a_model_that_is_too_large_is_not_made)
{
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
    b.directory = directory_new();
    file_write(b.directory.other, (const uint8_t *)schema, strlen(schema));
    assert_silent(WHY(sotto__schema_read, b.directory.other, &b.schema));
    assert_silent(WHY(sotto__learn_rewards, &b.schema, NULL, UINT64_MAX, NULL, &rewards));
    assert_true(rewards.model == NULL && rewards.unavailable == SOTTO_UNAVAILABLE_LARGE);
    sotto__schema_free(&b.schema);
    directory_free(&b.directory);
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

TEST(a_listener_can_stop_it)
{
    HELD(bench) b;
    sotto__rewards rewards;
    uint64_t heard = 0;
    const sotto_replay_listener listener = {stop_at_once, &heard};
    bench_open(&b, LOG_SCHEMA, ROWS_LEARN_REWARDS, UINT32_MAX);
    assert_says(WHY(sotto__learn_rewards, &b.schema, b.dataset, UINT64_MAX, &listener, &rewards),
                why_fault.sentence, SOTTO_REPLAY_STOPPED);
    assert_null(rewards.model);
    assert_true(heard > 0 && heard <= 6 + 8 * ROWS_LEARN_REWARDS);
}

TEST(all_rows_are_read_twice_and_the_file_begins_again)
{
    HELD(bench) b;
    sotto__rewards rewards;
    sotto_people *people;
    uint64_t heard = 0;
    const sotto_replay_listener listener = {listen, &heard};
    bench_open(&b, LOG_SCHEMA, ROWS_LEARN_REWARDS, UINT32_MAX);
    assert_silent(WHY(sotto__learn_rewards, &b.schema, b.dataset, UINT64_MAX, &listener, &rewards));
    assert_ints(rewards.model->rows, ROWS_LEARN_REWARDS, rewards.model->scored, ROWS_LEARN_REWARDS);
    assert_int_equal(heard, 2 * (6 + 8 * ROWS_LEARN_REWARDS));
    assert_ok(sotto_people_new(sotto_schema_dim(&b.schema), &people));
    assert_silent(WHY(sotto_dataset_next, b.dataset, people));
    assert_int_equal(people->arm[0], 0);
    assert_near(sotto__reward_model_predict(rewards.model, 0, people->context, 0), 1, 1e-3);
    assert_near(sotto__reward_model_predict(rewards.model, 0, people->context, 1), 0, 1e-3);
    sotto_people_free(people);
    sotto__rewards_free(&rewards);
    assert_null(rewards.model);
}

TEST(it_ends_with_the_block_that_has_enough_people)
{
    HELD(bench) b;
    HELD(sotto__rewards) rewards;
    bench_open(&b, LOG_SCHEMA, ROWS_LEARN_REWARDS, UINT32_MAX);
    assert_silent(WHY(sotto__learn_rewards, &b.schema, b.dataset, 5, NULL, &rewards));
    assert_ints(rewards.model->rows, 65536, rewards.model->scored, 65536);
}
