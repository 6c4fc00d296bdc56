/* Customers as contexts, imputed prices, and the demand of their answers. */
#include "core/linalg.h"
#include "core/link.h"
#include "lab/loan/loan.h"
#include "lab/random/random.h"
#include "test.h"

#include <math.h>

static sotto__loan_row some_row(void)
{
    return (sotto__loan_row){.accepted = true,
                             .car = 'R',
                             .term = 60,
                             .fico = 685,
                             .prime = 1.6,
                             .competition = 4.7,
                             .amount = 24000,
                             .payment = 450};
}

static void an_empty_study_has_no_demand(void **state)
{
    (void)state;
    sotto__loan *loan;
    assert_ok(sotto__loan_new(&loan));
    assert_status(sotto__loan_fit(loan), SOTTO_E_LENGTH);
    sotto__loan_free(loan);
    sotto__loan_free(NULL);
}

/* By hand: (685 - 300)/550 = 0.7, (60 - 36)/36 = 2/3, 19000/95000 = 0.2, 0.6/1.2 = 0.5,
 * 1.8/3.6 = 0.5, refinanced. */
static void features_are_scaled_by_public_ranges(void **state)
{
    (void)state;
    sotto__loan_row row = some_row();
    const double wanted[SOTTO__LOAN_FEATURES] = {1, 0.7, 2.0 / 3, 0.2, 0.5, 0.5, 0, 1, 0};
    double x[SOTTO__LOAN_FEATURES];
    sotto__loan_features(&row, x);
    for (uint32_t i = 0; i < SOTTO__LOAN_FEATURES; i++) {
        assert_near(x[i] * sqrt(119), wanted[i], 1e-14);
    }
    row.car = 'N';
    sotto__loan_features(&row, x);
    assert_true(x[6] > 0 && x[7] == 0 && x[8] == 0);
    row.car = 'U';
    sotto__loan_features(&row, x);
    assert_true(x[6] == 0 && x[7] == 0 && x[8] > 0);
}

/* Whatever is in a row, no arm's context is longer than 1; the most extreme has length 1. */
static void no_context_is_longer_than_the_bound(void **state)
{
    (void)state;
    const double scale[] = {-1e9, 0, 1e-3, 1, 2, 1e9};
    double longest = 0;
    for (uint32_t i = 0; i < 6 * 3; i++) {
        sotto__loan_row row = some_row();
        row.car = "NRU"[i % 3];
        row.fico *= scale[i / 3], row.prime *= scale[i / 3], row.amount *= scale[i / 3];
        row.competition *= scale[i / 3];
        row.term = i / 3 >= 4 ? 480 : 1;
        double x[SOTTO__LOAN_FEATURES], context[SOTTO__LOAN_DIM];
        sotto__loan_features(&row, x);
        for (uint32_t a = 0; a < SOTTO__LOAN_ARMS; a++) {
            sotto__loan_context(x, sotto__loan_price(a), context);
            longest = fmax(longest, sotto__norm(context, SOTTO__LOAN_DIM));
        }
    }
    assert_true(longest <= 1 + 1e-15);
    assert_near(longest, 1, 1e-15);
}

static void a_context_is_x_and_units_of_price_times_x(void **state)
{
    (void)state;
    double x[SOTTO__LOAN_FEATURES], context[SOTTO__LOAN_DIM];
    for (uint32_t i = 0; i < SOTTO__LOAN_FEATURES; i++) {
        x[i] = 0.01 * i - 0.03;
    }
    sotto__loan_context(x, 12500, context);
    for (uint32_t i = 0; i < SOTTO__LOAN_FEATURES; i++) {
        assert_true(context[i] == x[i]);
        assert_true(context[SOTTO__LOAN_FEATURES + i] == 2 * x[i]);
    }
}

static void prices_go_from_0_to_25000_in_equal_steps(void **state)
{
    (void)state;
    double worth[SOTTO__LOAN_ARMS];
    sotto__loan_worth(worth);
    assert_true(sotto__loan_price(0) == 0);
    assert_true(sotto__loan_price(24) == 25000);
    assert_near(sotto__loan_price(1), 1041.6666666666667, 1e-9);
    for (uint32_t a = 0; a < SOTTO__LOAN_ARMS; a++) {
        assert_near(worth[a], a / 24.0, 1e-15);
    }
}

/* The sum of the formula, term by term; and no rate at all. */
static void imputed_prices_are_present_values_less_the_loan(void **state)
{
    (void)state;
    sotto__loan_row row = some_row();
    double sum = 0;
    for (uint32_t month = 1; month <= 60; month++) {
        sum += pow(1 + 0.016 / 12, -(double)month);
    }
    assert_near(sotto__loan_imputed_price(&row), 450 * sum - 24000, 1e-8);
    row.prime = 0;
    assert_true(sotto__loan_imputed_price(&row) == 450 * 60 - 24000);
    row.term = 1, row.prime = 12; /* 1 % a month */
    assert_near(sotto__loan_imputed_price(&row), 450 / 1.01 - 24000, 1e-9);
}

static void rows_are_kept_and_prices_held_to_the_range(void **state)
{
    (void)state;
    sotto__loan *loan;
    assert_ok(sotto__loan_new(&loan));
    sotto__loan_row row = some_row();
    for (uint32_t i = 0; i < 5000; i++) { /* more than there is room for at first */
        row.payment = i == 1 ? 1 : i == 2 ? 5000 : 450;
        row.fico = 300 + 0.1 * i;
        row.accepted = i % 4 == 0;
        assert_ok(sotto__loan_add(loan, &row));
    }
    assert_int_equal(loan->rows, 5000);
    assert_int_equal(loan->accepted_count, 1250);
    assert_int_equal(loan->clipped, 2);
    assert_int_equal(loan->signs.rows, 5000);
    assert_true(loan->price[1] == 0 && loan->price[2] == 25000);
    row.payment = 450;
    assert_near(loan->price[0], sotto__loan_imputed_price(&row), 1e-9);
    for (uint32_t i = 0; i < 5000; i++) {
        assert_near(loan->x[i * SOTTO__LOAN_FEATURES + 1] * sqrt(119), 0.1 * i / 550, 1e-14);
        assert_int_equal(loan->accepted[i], i % 4 == 0);
    }
    sotto__loan_free(loan);
}

/* The gradient of the ridge's loss is 0 at theta*: sum (mu - y) c + theta = 0, c = (x, p x). */
static void the_demand_is_the_optimum_with_ridge_1(void **state)
{
    (void)state;
    sotto__loan *loan;
    sotto__seeded random;
    sotto__seeded_begin(&random, 3);
    assert_ok(sotto__loan_new(&loan));
    for (uint32_t i = 0; i < 2000; i++) {
        sotto__loan_row row = some_row();
        double u = sotto__uniform(sotto__seeded_next(&random));
        row.car = "NRU"[i % 3];
        row.payment = 420 + 400 * u;
        row.fico = 600 + 200 * sotto__uniform(sotto__seeded_next(&random));
        row.accepted = sotto__uniform(sotto__seeded_next(&random)) < 0.8 - 0.7 * u;
        assert_ok(sotto__loan_add(loan, &row));
    }
    assert_ok(sotto__loan_fit(loan));
    assert_true(loan->fit.converged);
    double gradient[SOTTO__LOAN_DIM];
    for (uint32_t j = 0; j < SOTTO__LOAN_DIM; j++) {
        gradient[j] = loan->theta[j];
    }
    for (uint32_t i = 0; i < 2000; i++) {
        double c[SOTTO__LOAN_DIM];
        sotto__loan_context(loan->x + i * SOTTO__LOAN_FEATURES, loan->price[i], c);
        double mean =
            sotto__link_mean(SOTTO_LINK_LOGIT, sotto__dot(c, loan->theta, SOTTO__LOAN_DIM));
        for (uint32_t j = 0; j < SOTTO__LOAN_DIM; j++) {
            gradient[j] += (mean - loan->accepted[i]) * c[j];
        }
    }
    assert_true(sotto__norm(gradient, SOTTO__LOAN_DIM) < 1e-5);
    assert_true(loan->theta[SOTTO__LOAN_FEATURES] < 0); /* demand falls with the price */
    sotto__loan_free(loan);
}

/* One row per customer: their features at all 25 prices. */
static void the_population_is_the_customers_at_all_prices(void **state)
{
    (void)state;
    double context[SOTTO__LOAN_ARMS * SOTTO__LOAN_DIM], x[SOTTO__LOAN_FEATURES];
    sotto__loan *loan;
    assert_ok(sotto__loan_new(&loan));
    sotto__loan_row row = some_row();
    for (uint32_t i = 0; i < 50; i++) {
        row.fico = 600 + i, row.accepted = i % 2 == 0;
        assert_ok(sotto__loan_add(loan, &row));
    }
    assert_ok(sotto__loan_fit(loan));
    const sotto_population *people = &loan->population;
    assert_int_equal(people->rows, 50);
    assert_int_equal(people->dim, 18);
    assert_int_equal(people->arms, 25);
    assert_int_equal(people->link, SOTTO_LINK_LOGIT);
    assert_ptr_equal(people->theta, loan->theta);
    assert_true(people->theta_norm_max == 40);
    row.fico = 607;
    sotto__loan_features(&row, x);
    people->contexts(people->data, 7, context);
    for (uint32_t a = 0; a < people->arms; a++) {
        double wanted[SOTTO__LOAN_DIM];
        sotto__loan_context(x, sotto__loan_price(a), wanted);
        assert_memory_equal(context + a * people->dim, wanted, sizeof wanted);
        assert_near(people->worth[a], a / 24.0, 1e-15);
    }
    sotto__loan_free(loan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_study_has_no_demand),
        cmocka_unit_test(features_are_scaled_by_public_ranges),
        cmocka_unit_test(no_context_is_longer_than_the_bound),
        cmocka_unit_test(a_context_is_x_and_units_of_price_times_x),
        cmocka_unit_test(prices_go_from_0_to_25000_in_equal_steps),
        cmocka_unit_test(imputed_prices_are_present_values_less_the_loan),
        cmocka_unit_test(rows_are_kept_and_prices_held_to_the_range),
        cmocka_unit_test(the_demand_is_the_optimum_with_ridge_1),
        cmocka_unit_test(the_population_is_the_customers_at_all_prices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
