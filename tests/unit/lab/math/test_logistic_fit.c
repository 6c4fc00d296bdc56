/* Logistic regression: refusals, and optima known in closed form. */
#include "core/core.h"
#include "lab/math/math.h"
#include "lab/random/random.h"
#include "seeds.h"
#include "test.h"

#define DIM_MAX 4
#define ROWS_MAX 4000

/* Rows in memory. */
typedef struct table {
    uint32_t dim;
    double x[ROWS_MAX][DIM_MAX];
    bool yes[ROWS_MAX];
} table;

static bool row_of(const void *state, uint64_t row, double *x)
{
    const table *t = state;
    for (uint32_t i = 0; i < t->dim; i++) {
        x[i] = t->x[row][i];
    }
    return t->yes[row];
}

static sotto__logistic_data data_of(const table *t, uint64_t rows, double ridge)
{
    return (sotto__logistic_data){
        .rows = rows, .dim = t->dim, .ridge = ridge, .row = row_of, .state = t};
}

static sotto__logistic_result fitted(const table *t, uint64_t rows, double ridge, double *theta)
{
    sotto__logistic_data data = data_of(t, rows, ridge);
    sotto__logistic_result result;
    assert_ok(sotto__logistic_fit(&data, theta, &result));
    return result;
}

TEST(what_has_no_meaning_is_refused)
{
    static const table t = {.dim = 1, .x = {{1}}};
    double theta[DIM_MAX];
    sotto__logistic_result result;
    sotto__logistic_data data = data_of(&t, 0, 1);
    assert_int_equal(sotto__logistic_fit(&data, theta, &result), SOTTO_E_LENGTH);
    data = data_of(&t, 1, 1);
    data.dim = 0;
    assert_int_equal(sotto__logistic_fit(&data, theta, &result), SOTTO_E_LENGTH);
    data.dim = SOTTO_DIM_MAX + 1;
    assert_int_equal(sotto__logistic_fit(&data, theta, &result), SOTTO_E_LENGTH);
    const double bad[] = {-1e-300, NAN, INFINITY};
    for (int i = 0; i < 3; i++) {
        data = data_of(&t, 1, bad[i]);
        assert_int_equal(sotto__logistic_fit(&data, theta, &result), SOTTO_E_FAULT);
        assert_false(result.converged);
    }
}

/* One feature x = c: n yes and m no give mu(c theta) = n/(n + m), so theta = log(n/m)/c. */
TEST(one_feature_is_a_log_odds)
{
    static table t = {.dim = 1};
    for (int i = 0; i < 10; i++) {
        t.x[i][0] = 0.25;
        t.yes[i] = i < 7;
    }
    double theta[1];
    sotto__logistic_result result = fitted(&t, 10, 0, theta);
    assert_true(result.converged && result.steps >= 2 && result.steps < 20);
    assert_near(theta[0], 4 * log(7.0 / 3), 1e-6);
    assert_near(result.loss, -7 * log(0.7) - 3 * log(0.3), 1e-12);
    assert_true(result.gradient_norm <= 1e-8);
}

/* A 2 x 2 table: a constant and a group. 30 of 40 say yes in the first, 10 of 50 in the second. */
TEST(a_table_of_two_by_two_is_a_log_odds_ratio)
{
    static table t = {.dim = 2};
    for (int i = 0; i < 90; i++) {
        bool second = i >= 40;
        t.x[i][0] = 1;
        t.x[i][1] = second;
        t.yes[i] = second ? i < 50 : i < 30;
    }
    double theta[2];
    sotto__logistic_result result = fitted(&t, 90, 0, theta);
    assert_true(result.converged);
    assert_nears(1e-7, theta[0], log(30.0 / 10), theta[1], log(10.0 / 40) - log(30.0 / 10));
}

/* The ridge's optimum: 2 (1 - mu(theta)) = lambda theta for two yes at x = 1. */
TEST(separable_data_stay_finite_by_the_ridge)
{
    static table t = {.dim = 1, .x = {{1}, {1}}, .yes = {true, true}};
    for (double ridge = 1e-6; ridge < 100; ridge *= 10) {
        double theta[1];
        sotto__logistic_result result = fitted(&t, 2, ridge, theta);
        assert_true(result.converged);
        double pull = 2 * (1 - sotto__link_mean(SOTTO_LINK_LOGIT, theta[0]));
        assert_near(pull, ridge * theta[0], 3e-9);
        assert_true(theta[0] > 0);
    }
}

/* Without a ridge there may be no optimum, or no unique one. Then the result says so, or the loss
 * is nearly 0 at a finite theta. */
TEST(without_a_ridge_it_says_when_there_is_no_optimum)
{
    static table twins = {.dim = 2};
    for (int i = 0; i < 10; i++) {
        twins.x[i][0] = twins.x[i][1] = 1;
        twins.yes[i] = i < 7;
    }
    double theta[2];
    sotto__logistic_result result = fitted(&twins, 10, 0, theta);
    assert_false(result.converged);

    static table apart = {.dim = 1, .x = {{1}, {-1}}, .yes = {true, false}};
    result = fitted(&apart, 2, 0, theta);
    assert_true(isfinite(theta[0]) && (!result.converged || result.loss < 1e-8));
}

/* Two equal columns share what one alone would have: theta = (a, a) with 2a that of ridge/2. */
TEST(equal_columns_share)
{
    static table twins = {.dim = 2}, one = {.dim = 1};
    for (int i = 0; i < 10; i++) {
        twins.x[i][0] = twins.x[i][1] = one.x[i][0] = 0.5 + 0.1 * i;
        twins.yes[i] = one.yes[i] = i % 3 != 0;
    }
    double both[2], alone[1];
    sotto__logistic_result result;
    sotto__logistic_data data = data_of(&twins, 10, 0.3);
    assert_ok(sotto__logistic_fit(&data, both, &result));
    assert_true(result.converged);
    assert_near(both[0], both[1], 1e-9);
    data = data_of(&one, 10, 0.15);
    assert_ok(sotto__logistic_fit(&data, alone, &result));
    assert_near(both[0] + both[1], alone[0], 1e-7);
}

/* Full Newton steps would oscillate here forever. */
TEST(steep_data_need_shorter_steps)
{
    static table t = {.dim = 2, .x = {{1, 2}, {5, 30}, {5, -5}}, .yes = {true, true, true}};
    double theta[2];
    sotto__logistic_result result = fitted(&t, 3, 1e-3, theta);
    assert_true(result.converged);
    double gradient[2] = {1e-3 * theta[0], 1e-3 * theta[1]};
    for (int i = 0; i < 3; i++) {
        double short_of = 1 - sotto__link_mean(SOTTO_LINK_LOGIT, sotto__dot(t.x[i], theta, 2));
        gradient[0] -= short_of * t.x[i][0];
        gradient[1] -= short_of * t.x[i][1];
    }
    assert_true(sotto__norm(gradient, 2) <= 4e-9);
}

/* A known truth. Where |x . theta| <= 2.3 the slope is above 0.08, and E[x_j^2] = 1/3, so that the
 * standard errors are below 1/sqrt(4000 x 0.08/3) = 0.097; 0.55 is 5.6 of them: an alarm in one of
 * four coordinates is false at most once in 1e7. */
TEST(a_known_truth_is_found)
{
    static table t = {.dim = 4};
    const double truth[4] = {0.5, -1, 0.8, 0};
    sotto__seeded random = seeded_of(17);
    for (int i = 0; i < ROWS_MAX; i++) {
        for (int j = 0; j < 4; j++) {
            t.x[i][j] = 2 * sotto__uniform(sotto__seeded_next(&random)) - 1;
        }
        double mean = sotto__link_mean(SOTTO_LINK_LOGIT, sotto__dot(t.x[i], truth, 4));
        t.yes[i] = sotto__uniform(sotto__seeded_next(&random)) < mean;
    }
    double theta[4];
    sotto__logistic_result result = fitted(&t, ROWS_MAX, 1e-6, theta);
    assert_true(result.converged);
    for (int j = 0; j < 4; j++) {
        assert_near(theta[j], truth[j], 0.55);
    }
    result = fitted(&t, ROWS_MAX, 1e6, theta); /* a strong ridge keeps everything near 0 */
    assert_true(result.converged && sotto__norm(theta, 4) < 1e-2);
}
