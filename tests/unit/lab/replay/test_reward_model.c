/* Models of rewards: by hand, and that no row is predicted by a model that has seen it. */
#include "lab/replay/reward_model.h"
#include "test.h"

#include <string.h>

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

static void nine_rows_make_no_model(void **state)
{
    (void)state;
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
static void folds_are_about_as_large_and_ten_rows_have_several(void **state)
{
    (void)state;
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
static void one_number_by_hand(void **state)
{
    (void)state;
    static table t;
    fill(&t, ROWS);
    for (uint32_t i = 0; i < ROWS; i++) {
        t.context[DIM * i + 1] = 0;
    }
    sotto__reward_model *model = model_of(&t);
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
    sotto__reward_model_free(model);
}

static void no_row_moves_its_own_prediction(void **state)
{
    (void)state;
    static table t;
    fill(&t, ROWS);
    sotto__reward_model *before = model_of(&t);
    t.reward[8] += 1000;
    sotto__reward_model *after = model_of(&t);
    uint32_t moved = 0;
    for (uint32_t i = 0; i < ROWS; i++) {
        bool same = predicted(before, &t, i, 0) == predicted(after, &t, i, 0);
        assert_true(same == (sotto__fold_of(i) == sotto__fold_of(8)));
        moved += !same;
    }
    assert_true(moved > ROWS / 2);
    sotto__reward_model_free(before);
    sotto__reward_model_free(after);
}

static void equal_rewards_are_predicted_as_they_are(void **state)
{
    (void)state;
    static table t;
    fill(&t, ROWS);
    for (uint32_t i = 0; i < ROWS; i++) {
        t.reward[i] = 0.3;
    }
    sotto__reward_model *model = model_of(&t);
    for (uint32_t i = 0; i < ROWS; i++) {
        assert_near(predicted(model, &t, i, i % ARMS), 0.3, 1e-14);
    }
    sotto__reward_model_free(model);
}

static void blocks_are_one_log(void **state)
{
    (void)state;
    static table t;
    sotto__reward_model *blocks;
    fill(&t, ROWS);
    sotto__reward_model *whole = model_of(&t);
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
    sotto__reward_model_free(whole);
    sotto__reward_model_free(blocks);
}

/* With x = 0.7 alone and n rows of arm 1: given 0.7 k times, it is pulled by 0.7 k 0.7 e/(0.49 n + 0.1). */
static void rows_pull_the_predictions_of_their_arm(void **state)
{
    (void)state;
    static table t;
    double given[ARMS * DIM] = {0}, pull[SOTTO__GROUPS];
    fill(&t, ROWS);
    for (uint32_t i = 0; i < ROWS; i++) {
        t.context[DIM * i + 1] = 0;
    }
    sotto__reward_model *model = model_of(&t);
    given[1 * DIM] = 0.7 * 5;
    assert_ok(sotto__reward_model_pull(model, given, pull));
    for (uint32_t i = 0; i < ROWS; i++) {
        double left = t.reward[i] - predicted(model, &t, i, t.arm[i]);
        double wanted = t.arm[i] == 1 ? 0.7 * 5 * 0.7 * left / (0.49 * ROWS / 2 + 0.1) : 0;
        assert_near(pull[i], wanted, 1e-13);
    }
    assert_true(pull[ROWS] == 0);
    sotto__reward_model_free(model);
}

static void what_a_model_takes_is_known_beforehand(void **state)
{
    (void)state;
    /* arms x ((folds + 1) x packed + (3 folds + groups) x dim) doubles */
    assert_int_equal(sotto__reward_model_bytes(2, 20), 8 * 2 * (6 * 210 + (15 + 1009) * 20));
    assert_true(sotto__reward_model_bytes(64, 1024) > SOTTO__REWARD_MODEL_BYTES_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nine_rows_make_no_model),
        cmocka_unit_test(folds_are_about_as_large_and_ten_rows_have_several),
        cmocka_unit_test(one_number_by_hand),
        cmocka_unit_test(no_row_moves_its_own_prediction),
        cmocka_unit_test(equal_rewards_are_predicted_as_they_are),
        cmocka_unit_test(blocks_are_one_log),
        cmocka_unit_test(rows_pull_the_predictions_of_their_arm),
        cmocka_unit_test(what_a_model_takes_is_known_beforehand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
