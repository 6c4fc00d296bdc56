/* A file of customers: every possible fault is named, and valid files are read. */
#include "lab/loan/loan.h"
#include "lab/random/random.h"
#include "texts.h"
#include "why.h"

#include <unistd.h>

OWNED(sotto__loan, sotto__loan_free)

#define HEADER "apply,Primary_FICO,onemonth,Term,Amount_Approved,CarType,Competition_rate,mp\n"
#define GOOD "1,731,1.5,60,24000,N,4.69,450.123\n"

static void assert_refused(const char *text, const char *words)
{
    HELD(directory) f = directory_new();
    sotto__loan *loan;
    assert_says(WHY(sotto__loan_open, text_file(&f, text), &loan), why_fault.sentence, words);
    assert_non_null(strstr(why_fault.sentence, f.file));
    assert_null(loan);
}

TEST(what_is_no_file_of_customers_is_refused)
{
    sotto__loan *loan;
    assert_says(WHY(sotto__loan_open, "/nowhere/at/all.csv", &loan), why_fault.sentence,
                "/nowhere/at/all.csv: cannot be read");
    assert_null(loan);
    assert_refused("", ": no column apply; needed are apply, Primary_FICO, onemonth, Term, "
                       "Amount_Approved, CarType, Competition_rate, mp");
    assert_refused("apply,Primary_FICO,onemonth,Term,Amount_Approved,CarType,mp\n",
                   ": no column Competition_rate");
    assert_refused("mp," HEADER, ": line 1: two columns mp");
    assert_refused(HEADER, ": no rows");
    assert_refused(HEADER GOOD "1,731\n", ": line 3: 2 fields, and the header has 8");
}

/* Each column in turn, on the third line. */
TEST(bad_fields_are_named_by_line_and_column)
{
    const struct {
        const char *row, *words;
    } cases[] = {
        {"2,731,1.5,60,24000,N,4.69,450", "column apply = 2: allowed whole numbers 0 to 1"},
        {"0.5,731,1.5,60,24000,N,4.69,450", "column apply = 0.5: allowed"},
        {",731,1.5,60,24000,N,4.69,450", "column apply = (missing): allowed"},
        {"1,,1.5,60,24000,N,4.69,450",
         "column Primary_FICO = (missing): allowed numbers 1 to 1000"},
        {"1,x,1.5,60,24000,N,4.69,450", "column Primary_FICO = x:"},
        {"1,nan,1.5,60,24000,N,4.69,450", "column Primary_FICO = nan:"},
        {"1,1001,1.5,60,24000,N,4.69,450", "column Primary_FICO = 1001:"},
        {"1,731,-1,60,24000,N,4.69,450", "column onemonth = -1: allowed numbers 0 to 100"},
        {"1,731,101,60,24000,N,4.69,450", "column onemonth = 101:"},
        {"1,731,1.5,0,24000,N,4.69,450", "column Term = 0: allowed whole numbers 1 to 480"},
        {"1,731,1.5,481,24000,N,4.69,450", "column Term = 481:"},
        {"1,731,1.5,59.5,24000,N,4.69,450", "column Term = 59.5:"},
        {"1,731,1.5,60,0,N,4.69,450", "column Amount_Approved = 0: allowed numbers 1 to 100000000"},
        {"1,731,1.5,60,24000,,4.69,450", "column CarType = (missing): allowed N, R, U"},
        {"1,731,1.5,60,24000,X,4.69,450", "column CarType = X: allowed N, R, U"},
        {"1,731,1.5,60,24000,NR,4.69,450", "column CarType = NR:"},
        {"1,731,1.5,60,24000,N,101,450", "column Competition_rate = 101: allowed numbers 0 to 100"},
        {"1,731,1.5,60,24000,N,4.69,0", "column mp = 0: allowed numbers 0.01 to 100000000"},
        {"1,731,1.5,60,24000,N,4.69,", "column mp = (missing):"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[512], words[256];
        snprintf(text, sizeof text, HEADER GOOD "%s\n", cases[i].row);
        snprintf(words, sizeof words, ": line 3: %s", cases[i].words);
        assert_refused(text, words);
    }
}

/* Any order of columns, quotes, and columns that are not needed. */
TEST(columns_are_found_by_name)
{
    HELD(directory) f = directory_new();
    OWN(sotto__loan) loan;
    const char *text = "mp,x,Term,\"CarType\",y,apply,Competition_rate,onemonth,Primary_FICO,"
                       "Amount_Approved\r\n"
                       "450,a,60,R,\"b,c\",1,4.7,1.6,685,24000\r\n"
                       "500.5,,48,U,,0,4.7,1.6,685,20000\r\n";
    assert_silent(WHY(sotto__loan_open, text_file(&f, text), &loan));
    const sotto__loan_row first = {.accepted = true,
                                   .car = 'R',
                                   .term = 60,
                                   .fico = 685,
                                   .prime = 1.6,
                                   .competition = 4.7,
                                   .amount = 24000,
                                   .payment = 450};
    double x[SOTTO__LOAN_FEATURES];
    sotto__loan_features(&first, x);
    assert_int_equal(loan->rows, 2);
    assert_memory_equal(loan->x, x, sizeof x);
    assert_true(loan->price[0] == sotto__loan_imputed_price(&first));
    assert_true(loan->accepted[0] && !loan->accepted[1] && loan->x[SOTTO__LOAN_FEATURES + 8] > 0);
    assert_true(loan->fit.converged);
    assert_int_equal(sotto__loan_origin_of(&loan->signs), SOTTO__LOAN_UNKNOWN);
}

/* A stand-in read back from a file equals the one drawn in memory; without its mark column it is
 * recognised by its cents. */
TEST(the_stand_in_is_the_same_by_file)
{
    HELD(directory) f = directory_new();
    FILE *file = fopen(f.file, "w");
    assert_non_null(file);
    assert_ok(sotto__loan_standin_write(file, SOTTO__LOAN_STANDIN_ROWS, SOTTO__LOAN_STANDIN_SEED));
    assert_int_equal(fclose(file), 0);
    OWN(sotto__loan) read, *drawn;
    assert_silent(WHY(sotto__loan_open, f.file, &read));
    assert_silent(WHY(sotto__loan_open, NULL, &drawn));
    assert_ints(read->rows, SOTTO__LOAN_STANDIN_ROWS, drawn->rows, read->rows);
    assert_memory_equal(read->x, drawn->x, read->rows * SOTTO__LOAN_FEATURES * sizeof(double));
    assert_memory_equal(read->price, drawn->price, read->rows * sizeof(double));
    assert_memory_equal(read->theta, drawn->theta, sizeof read->theta);
    assert_int_equal(sotto__loan_origin_of(&read->signs), SOTTO__LOAN_MARKED);
    assert_int_equal(sotto__loan_origin_of(&drawn->signs), SOTTO__LOAN_MARKED);
    read->signs.column = false;
    assert_ints(sotto__loan_origin_of(&read->signs), SOTTO__LOAN_SYNTHETIC, read->clipped, 0);
}

TEST(others_get_the_customers_as_a_population)
{
    sotto_loan *loan = (void *)&loan;
    assert_says(WHY(sotto_loan_open, "/nowhere", &loan), why_fault.sentence,
                "/nowhere: cannot be read");
    assert_null(loan);
    assert_silent(WHY(sotto_loan_open, NULL, &loan));
    const sotto_population *population = sotto_loan_population(loan);
    assert_ints(population->rows, SOTTO__LOAN_STANDIN_ROWS, population->dim, 18);
    assert_int_equal(population->arms, 25);
    sotto_loan_free(loan);
}

/* Another stand-in, if it is on this machine: made by other code, and without a mark. */
TEST(another_stand_in_is_known)
{
    const char *path =
        SOTTO_PROJECT_DIR "/../shared/data/autoloan/autoloan-standin-50k.SYNTHETIC.csv";
    if (access(path, R_OK) != 0) skip();
    OWN(sotto__loan) loan;
    assert_silent(WHY(sotto__loan_open, path, &loan));
    assert_ints(loan->rows, 50000, sotto__loan_origin_of(&loan->signs), SOTTO__LOAN_SYNTHETIC);
}

/* Whether rows are synthetic: by the mark, by six decimals, and what must not be mistaken for
 * either. */

/* An ordinary row, with a payment of this many decimals. */
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
TEST(ordinary_rows_are_unknown)
{
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

TEST(the_mark_is_found_without_its_column)
{
    assert_int_equal(verdict(8, 100, 8), SOTTO__LOAN_SYNTHETIC);
    assert_int_equal(verdict(8, 100, 6), SOTTO__LOAN_UNKNOWN); /* too few rows to tell */
    assert_int_equal(verdict(1000, 100, 1000), SOTTO__LOAN_SYNTHETIC);
    assert_int_equal(verdict(20000, 1e7, 1000), SOTTO__LOAN_SYNTHETIC); /* mixed with others */
    sotto__loan_signs signs = {.column = true, .rows = 5};
    assert_int_equal(sotto__loan_origin_of(&signs), SOTTO__LOAN_MARKED);
}

/* Of a generator that prints six decimals, not of data with ten digits. */
TEST(six_decimals_everywhere_are_synthetic)
{
    assert_int_equal(verdict(1000, 1e6, 0), SOTTO__LOAN_SYNTHETIC);
    assert_int_equal(verdict(20, 1e6, 0), SOTTO__LOAN_SYNTHETIC);
    assert_int_equal(verdict(19, 1e6, 0), SOTTO__LOAN_UNKNOWN);
    assert_int_equal(verdict(1000, 1e5, 0), SOTTO__LOAN_UNKNOWN);
}

/* (7 x 731 + 13 x 60 + 3 x 24500 + 17 x 15750) mod 100 = (5117 + 780 + 73500 + 267750) mod 100. */
TEST(the_mark_by_hand)
{
    sotto__loan_row row = {.fico = 731, .term = 60, .amount = 24500.99, .prime = 1.575};
    assert_int_equal(sotto__loan_mark(&row), 47);
}
