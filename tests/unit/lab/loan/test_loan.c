/* Customers as contexts, imputed prices, and the demand of their answers. */
#include "core/core.h"
#include "lab/loan/loan.h"
#include "lab/random/random.h"
#include "seeds.h"
#include "test.h"

OWNED(sotto__loan, sotto__loan_free)

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

TEST(an_empty_study_has_no_demand)
{
    OWN(sotto__loan) loan;
    assert_ok(sotto__loan_new(&loan));
    assert_status(sotto__loan_fit(loan), SOTTO_E_LENGTH);
    sotto__loan_free(NULL);
}

/* By hand: (685 - 300)/550 = 0.7, (60 - 36)/36 = 2/3, 19000/95000 = 0.2, 0.6/1.2 = 0.5,
 * 1.8/3.6 = 0.5, refinanced. */
TEST(features_are_scaled_by_public_ranges)
{
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

/* Whatever a row contains, no arm's context is longer than 1; the most extreme has length 1. */
TEST(no_context_is_longer_than_the_bound)
{
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

TEST(a_context_is_x_and_units_of_price_times_x)
{
    double x[SOTTO__LOAN_FEATURES], context[SOTTO__LOAN_DIM];
    for (uint32_t i = 0; i < SOTTO__LOAN_FEATURES; i++) {
        x[i] = 0.01 * i - 0.03;
    }
    sotto__loan_context(x, 12500, context);
    for (uint32_t i = 0; i < SOTTO__LOAN_FEATURES; i++) {
        assert_true(context[i] == x[i] && context[SOTTO__LOAN_FEATURES + i] == 2 * x[i]);
    }
}

TEST(prices_go_from_0_to_25000_in_equal_steps)
{
    double worth[SOTTO__LOAN_ARMS];
    sotto__loan_worth(worth);
    assert_true(sotto__loan_price(0) == 0 && sotto__loan_price(24) == 25000);
    assert_near(sotto__loan_price(1), 1041.6666666666667, 1e-9);
    for (uint32_t a = 0; a < SOTTO__LOAN_ARMS; a++) {
        assert_near(worth[a], a / 24.0, 1e-15);
    }
}

/* The sum of the formula, term by term; and no rate at all. */
TEST(imputed_prices_are_present_values_less_the_loan)
{
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

TEST(rows_are_kept_and_prices_held_to_the_range)
{
    OWN(sotto__loan) loan;
    assert_ok(sotto__loan_new(&loan));
    sotto__loan_row row = some_row();
    for (uint32_t i = 0; i < 5000; i++) { /* more than there is room for at first */
        row.payment = i == 1 ? 1 : i == 2 ? 5000 : 450;
        row.fico = 300 + 0.1 * i;
        row.accepted = i % 4 == 0;
        assert_ok(sotto__loan_add(loan, &row));
    }
    assert_ints(loan->rows, 5000, loan->accepted_count, 1250, loan->clipped, 2);
    assert_int_equal(loan->signs.rows, 5000);
    assert_true(loan->price[1] == 0 && loan->price[2] == 25000);
    row.payment = 450;
    assert_near(loan->price[0], sotto__loan_imputed_price(&row), 1e-9);
    for (uint32_t i = 0; i < 5000; i++) {
        assert_near(loan->x[i * SOTTO__LOAN_FEATURES + 1] * sqrt(119), 0.1 * i / 550, 1e-14);
        assert_int_equal(loan->accepted[i], i % 4 == 0);
    }
}

/* The gradient of the ridge's loss is 0 at theta*: sum (mu - y) c + theta = 0, c = (x, p x). */
TEST(the_demand_is_the_optimum_with_ridge_1)
{
    OWN(sotto__loan) loan;
    sotto__seeded random = seeded_of(3);
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
}

/* One row per customer: their features at all 25 prices. */
TEST(the_population_is_the_customers_at_all_prices)
{
    double context[SOTTO__LOAN_ARMS * SOTTO__LOAN_DIM], x[SOTTO__LOAN_FEATURES];
    OWN(sotto__loan) loan;
    assert_ok(sotto__loan_new(&loan));
    sotto__loan_row row = some_row();
    for (uint32_t i = 0; i < 50; i++) {
        row.fico = 600 + i, row.accepted = i % 2 == 0;
        assert_ok(sotto__loan_add(loan, &row));
    }
    assert_ok(sotto__loan_fit(loan));
    const sotto_population *people = &loan->population;
    assert_ints(people->rows, 50, people->dim, 18, people->arms, 25);
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
}

/* The stand-in matches the published facts, marks every row, and reads back from a file as it was
 * drawn. */

#define ROWS 50000u

static sotto__loan_synthetic *draw(uint64_t seed, uint32_t rows)
{
    sotto__loan_synthetic *s = calloc(rows, sizeof *s);
    assert_non_null(s);
    assert_ok(sotto__loan_standin_draw(seed, s, rows));
    return s;
}

TEST(sizes_out_of_range_are_refused)
{
    assert_status(sotto__loan_standin_write(NULL, 0, 1), SOTTO_E_LENGTH);
    assert_status(sotto__loan_standin_write(NULL, SOTTO__LOAN_STANDIN_ROWS_MAX + 1, 1),
                  SOTTO_E_LENGTH);
}

/* Ranges and levels, row by row. */
static void assert_row_fits(const sotto__loan_synthetic *s)
{
    const sotto__loan_row *row = &s->row;
    assert_true(row->fico >= 587 && row->fico <= 850 && row->fico == floor(row->fico));
    assert_true(row->term == 36 || row->term == 48 || row->term == 60 || row->term == 66 ||
                row->term == 72);
    assert_true(row->amount >= 5000 && row->amount <= 100000);
    assert_true(row->prime >= 1.02 && row->prime <= 2.127);
    assert_true(row->competition >= 2.99 && row->competition <= 6.45);
    assert_true(s->rate >= 2.45 && s->rate <= 15.53 && (row->car == 'R') == (s->previous > 0));
    assert_true(s->previous == 0 || (s->previous >= 3 && s->previous <= 20));
    assert_true(s->tier == (row->fico >= 730   ? 1u
                            : row->fico >= 700 ? 2u
                            : row->fico >= 670 ? 3u
                                               : 4u));
    assert_true(s->partner >= 1 && s->partner <= 3);
    assert_int_equal(llround(100 * row->payment) % 100, sotto__loan_mark(row));
    double rate = s->rate / 1200,
           exact = row->amount * rate / (1 - pow(1 + rate, -(double)row->term));
    assert_near(row->payment, exact, 0.5 + 1e-9);
}

/* The seed is fixed, so nothing here is left to chance; the bounds are 5 standard errors of the
 * published figures at this many rows, and what rounding of theirs adds. */
TEST(published_facts_are_met)
{
    sotto__loan_synthetic *s = draw(1, ROWS);
    double fico = 0, payment = 0, ratio = 0, accepted = 0, new_cars = 0, new_accepted = 0, used = 0;
    for (uint32_t i = 0; i < ROWS; i++) {
        assert_row_fits(&s[i]);
        bool is_new = s[i].row.car == 'N';
        fico += s[i].row.fico / ROWS;
        payment += s[i].row.payment / ROWS;
        ratio += s[i].row.payment / s[i].row.amount / ROWS;
        accepted += s[i].row.accepted / (double)ROWS;
        new_cars += is_new;
        new_accepted += is_new && s[i].row.accepted;
        used += s[i].row.car == 'U';
    }
    free(s);
    assert_near(fico, 731.3, 1.1);
    assert_near(payment, 584.9, 60); /* the published mean is over other rows */
    assert_near(ratio, 0.0205, 0.0005);
    assert_near(accepted, 0.22, 0.0095);
    assert_near(new_cars / ROWS, 0.572, 0.012);
    assert_near(used / ROWS, 0.214, 0.0095);
    assert_near(new_accepted / new_cars, 0.077, 0.008);
}

TEST(seeds_give_other_rows_and_the_same_gives_the_same)
{
    sotto__loan_synthetic *first = draw(7, 200), *same = draw(7, 200), *other = draw(8, 200);
    uint32_t equal = 0;
    for (uint32_t i = 0; i < 200; i++) {
        assert_true(first[i].row.payment == same[i].row.payment);
        assert_true(first[i].row.accepted == same[i].row.accepted);
        equal += first[i].row.payment == other[i].row.payment;
    }
    assert_true(equal < 10);
    free(first);
    free(same);
    free(other);
}

/* The header, the first row by its columns, and the number of rows. */
TEST(the_file_has_the_columns_of_the_data_and_says_what_it_is)
{
    FREED_BY(free_memory) char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    assert_non_null(file);
    assert_ok(sotto__loan_standin_write(file, 3, 7));
    fclose(file);
    const char *header = "apply,Tier,Primary_FICO,Type,Term,Amount_Approved,Previous_Rate,CarType,"
                         "Competition_rate,rate,onemonth,mp,mp_rto_amtfinance,partnerbin,"
                         "SYNTHETIC\n";
    assert_memory_equal(text, header, strlen(header));
    uint32_t lines = 0;
    for (size_t i = 0; i < bytes; i++) {
        lines += text[i] == '\n';
    }
    assert_int_equal(lines, 4);
    FREED_BY(free_memory) sotto__loan_synthetic *s = draw(7, 3);
    char previous[32] = "", row[256];
    if (s->previous > 0) snprintf(previous, sizeof previous, "%.2f", s->previous);
    snprintf(row, sizeof row, "%d,%u,%.0f,%c,%u,%.2f,%s,%c,%.2f,%.2f,%.4f,%.2f,%.9f,%u,1\n",
             s->row.accepted, s->tier, s->row.fico, s->row.car == 'R' ? 'R' : 'F', s->row.term,
             s->row.amount, previous, s->row.car, s->row.competition, s->rate, s->row.prime,
             s->row.payment, s->row.payment / s->row.amount, s->partner);
    assert_memory_equal(text + strlen(header), row, strlen(row));
}
