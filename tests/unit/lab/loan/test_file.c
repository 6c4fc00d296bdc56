/* A file of customers: everything that can be wrong with it is named, and what is right is read. */
#include "lab/loan/file.h"
#include "lab/loan/standin.h"
#include "texts.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define HEADER "apply,Primary_FICO,onemonth,Term,Amount_Approved,CarType,Competition_rate,mp\n"
#define GOOD "1,731,1.5,60,24000,N,4.69,450.123\n"

static char fault[SOTTO_FAULT_BYTES];

static void assert_refused(const char *text, const char *words)
{
    folder f = folder_new();
    sotto__loan *loan;
    assert_says(sotto__loan_open(text_file(&f, text), &loan, fault), fault, words);
    assert_non_null(strstr(fault, f.file));
    assert_null(loan);
    folder_free(&f);
}

static void what_is_no_file_of_customers_is_refused(void **state)
{
    (void)state;
    sotto__loan *loan;
    assert_says(sotto__loan_open("/nowhere/at/all.csv", &loan, fault), fault,
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
static void bad_fields_are_named_by_line_and_column(void **state)
{
    (void)state;
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

/* Any order, quotes, columns that nobody needs. */
static void columns_are_found_by_name(void **state)
{
    (void)state;
    folder f = folder_new();
    sotto__loan *loan;
    const char *text = "mp,x,Term,\"CarType\",y,apply,Competition_rate,onemonth,Primary_FICO,"
                       "Amount_Approved\r\n"
                       "450,a,60,R,\"b,c\",1,4.7,1.6,685,24000\r\n"
                       "500.5,,48,U,,0,4.7,1.6,685,20000\r\n";
    assert_silent(sotto__loan_open(text_file(&f, text), &loan, fault));
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
    assert_true(loan->accepted[0] && !loan->accepted[1]);
    assert_true(loan->x[SOTTO__LOAN_FEATURES + 8] > 0);
    assert_true(loan->fit.converged);
    assert_int_equal(sotto__loan_origin_of(&loan->signs), SOTTO__LOAN_UNKNOWN);
    sotto__loan_free(loan);
    folder_free(&f);
}

/* A stand-in that went through a file is the one drawn in memory; without its column it is known by
 * its cents. */
static void the_stand_in_is_the_same_by_file(void **state)
{
    (void)state;
    folder f = folder_new();
    FILE *file = fopen(f.file, "w");
    assert_non_null(file);
    assert_ok(sotto__loan_standin_write(file, SOTTO__LOAN_STANDIN_ROWS, SOTTO__LOAN_STANDIN_SEED));
    assert_int_equal(fclose(file), 0);
    sotto__loan *read, *drawn;
    assert_silent(sotto__loan_open(f.file, &read, fault));
    assert_silent(sotto__loan_open(NULL, &drawn, fault));
    assert_int_equal(read->rows, SOTTO__LOAN_STANDIN_ROWS);
    assert_int_equal(drawn->rows, read->rows);
    assert_memory_equal(read->x, drawn->x, read->rows * SOTTO__LOAN_FEATURES * sizeof(double));
    assert_memory_equal(read->price, drawn->price, read->rows * sizeof(double));
    assert_memory_equal(read->theta, drawn->theta, sizeof read->theta);
    assert_int_equal(sotto__loan_origin_of(&read->signs), SOTTO__LOAN_MARKED);
    assert_int_equal(sotto__loan_origin_of(&drawn->signs), SOTTO__LOAN_MARKED);
    read->signs.column = false;
    assert_int_equal(sotto__loan_origin_of(&read->signs), SOTTO__LOAN_SYNTHETIC);
    assert_int_equal(read->clipped, 0);
    sotto__loan_free(read);
    sotto__loan_free(drawn);
    folder_free(&f);
}

static void others_get_the_customers_as_a_population(void **state)
{
    (void)state;
    sotto_loan *loan = (void *)&loan;
    assert_says(sotto_loan_open("/nowhere", &loan, fault), fault, "/nowhere: cannot be read");
    assert_null(loan);
    assert_silent(sotto_loan_open(NULL, &loan, fault));
    const sotto_population *population = sotto_loan_population(loan);
    assert_int_equal(population->rows, SOTTO__LOAN_STANDIN_ROWS);
    assert_int_equal(population->dim, 18);
    assert_int_equal(population->arms, 25);
    sotto_loan_free(loan);
}

/* Another stand-in, where it is at hand: made by other code, and without a mark. */
static void another_stand_in_is_known(void **state)
{
    (void)state;
    const char *path =
        SOTTO_PROJECT_DIR "/../shared/data/autoloan/autoloan-standin-50k.SYNTHETIC.csv";
    if (access(path, R_OK) != 0) skip();
    sotto__loan *loan;
    assert_silent(sotto__loan_open(path, &loan, fault));
    assert_int_equal(loan->rows, 50000);
    assert_int_equal(sotto__loan_origin_of(&loan->signs), SOTTO__LOAN_SYNTHETIC);
    sotto__loan_free(loan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_file_of_customers_is_refused),
        cmocka_unit_test(bad_fields_are_named_by_line_and_column),
        cmocka_unit_test(columns_are_found_by_name),
        cmocka_unit_test(the_stand_in_is_the_same_by_file),
        cmocka_unit_test(others_get_the_customers_as_a_population),
        cmocka_unit_test(another_stand_in_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
