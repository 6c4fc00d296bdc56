/* Whether rows are synthetic: the mark, six decimals, and what must not be taken for either. */
#include "lab/loan/origin.h"
#include "lab/random/random.h"
#include "test.h"

#include <math.h>

/* A row like any, with a payment of so many decimals. */
static sotto__loan_row row_of(sotto__seeded *random, double units)
{
    double u = sotto__uniform(sotto__seeded_next(random));
    sotto__loan_row row = {.car = 'N', .term = 60, .competition = 4.69};
    row.fico = floor(600 + 250 * sotto__uniform(sotto__seeded_next(random)));
    row.amount = 1000 * floor(5 + 50 * sotto__uniform(sotto__seeded_next(random)));
    row.prime = nearbyint(1e4 * (1.1 + u)) / 1e4;
    row.payment =
        nearbyint((100 + 800 * sotto__uniform(sotto__seeded_next(random))) * units) / units;
    return row;
}

/* The verdict on n rows with payments of this many decimals, the first `marked` of them marked. */
static sotto__loan_origin verdict(uint32_t n, double units, uint32_t marked)
{
    sotto__seeded random;
    sotto__loan_signs signs = {0};
    sotto__seeded_begin(&random, n);
    for (uint32_t i = 0; i < n; i++) {
        sotto__loan_row row = row_of(&random, units);
        if (i < marked) row.payment = floor(row.payment) + sotto__loan_mark(&row) / 100.0;
        sotto__loan_signs_add(&signs, &row);
    }
    assert_int_equal(signs.rows, n);
    return sotto__loan_origin_of(&signs);
}

/* False alarms: more than n/100 + 0.6 sqrt n + 6 of n rows at a chance of 1/100, at most 1e-9. */
static void ordinary_rows_are_unknown(void **state)
{
    (void)state;
    const uint32_t counts[] = {0, 1, 7, 20, 160, 1000, 20000};
    const double units[] = {1, 100, 1e4, 1e7, 1e8};
    for (uint32_t i = 0; i < 7 * 5; i++) {
        assert_int_equal(verdict(counts[i / 5], units[i % 5], 0), SOTTO__LOAN_UNKNOWN);
    }
    assert_string_equal(sotto__loan_origin_name(SOTTO__LOAN_UNKNOWN), "unknown: taken as given");
    assert_string_equal(sotto__loan_origin_name(SOTTO__LOAN_SYNTHETIC), "known by their payments");
    assert_string_equal(sotto__loan_origin_name(SOTTO__LOAN_MARKED),
                        "known by their column SYNTHETIC");
}

static void the_mark_is_found_without_its_column(void **state)
{
    (void)state;
    assert_int_equal(verdict(8, 100, 8), SOTTO__LOAN_SYNTHETIC);
    assert_int_equal(verdict(8, 100, 6), SOTTO__LOAN_UNKNOWN); /* too few to say */
    assert_int_equal(verdict(1000, 100, 1000), SOTTO__LOAN_SYNTHETIC);
    assert_int_equal(verdict(20000, 1e7, 1000), SOTTO__LOAN_SYNTHETIC); /* mixed into others */
    sotto__loan_signs signs = {.column = true, .rows = 5};
    assert_int_equal(sotto__loan_origin_of(&signs), SOTTO__LOAN_MARKED);
}

/* Of a generator that prints six decimals, not of data with ten digits. */
static void six_decimals_everywhere_are_synthetic(void **state)
{
    (void)state;
    assert_int_equal(verdict(1000, 1e6, 0), SOTTO__LOAN_SYNTHETIC);
    assert_int_equal(verdict(20, 1e6, 0), SOTTO__LOAN_SYNTHETIC);
    assert_int_equal(verdict(19, 1e6, 0), SOTTO__LOAN_UNKNOWN);
    assert_int_equal(verdict(1000, 1e5, 0), SOTTO__LOAN_UNKNOWN);
}

/* (7 x 731 + 13 x 60 + 3 x 24500 + 17 x 15750) mod 100 = (5117 + 780 + 73500 + 267750) mod 100. */
static void the_mark_by_hand(void **state)
{
    (void)state;
    sotto__loan_row row = {.fico = 731, .term = 60, .amount = 24500.99, .prime = 1.575};
    assert_int_equal(sotto__loan_mark(&row), 47);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordinary_rows_are_unknown),
        cmocka_unit_test(the_mark_is_found_without_its_column),
        cmocka_unit_test(six_decimals_everywhere_are_synthetic),
        cmocka_unit_test(the_mark_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
