/* The customers of the auto-loan study. */
#include "lab/paper/customers.h"
#include "texts.h"

#include <stdio.h>

static void files_that_cannot_be_used_are_named(void **state)
{
    (void)state;
    folder f = folder_new();
    char fault[SOTTO_FAULT_BYTES];
    sotto__customers customers;
    assert_says(sotto__customers_open(f.other, &customers, fault), fault, "/other");
    assert_null(customers.population);
    assert_says(sotto__customers_open(text_file(&f, "a,b\n1,2\n"), &customers, fault), fault,
                "/ledger");
    assert_null(customers.loan);
    sotto__customers_close(&customers);
    folder_free(&f);
}

static void a_stand_in_is_never_written_over_a_file(void **state)
{
    (void)state;
    folder f = folder_new();
    char fault[SOTTO_FAULT_BYTES], path[FOLDER_PATH_BYTES + 100], there[10];
    uint32_t rows;
    text_file(&f, "mine");
    assert_says(sotto__customers_write(f.file, 1, &rows, fault), fault, "File exists");
    assert_int_equal(file_read(f.file, (uint8_t *)there, sizeof there), 4);
    assert_memory_equal(there, "mine", 4);
    snprintf(path, sizeof path, "%s/no/such.csv", f.path);
    assert_says(sotto__customers_write(path, 1, &rows, fault), fault, "No such file");
    folder_free(&f);
}

static void where_nobody_is_there_is_no_notice(void **state)
{
    (void)state;
    sotto__pool pool = {0};
    const sotto__customers none = {0};
    assert_null(sotto__customers_notice(&none, NULL, &pool));
    assert_null(sotto__customers_notice(&none, "file.csv", &pool));
    sotto__pool_free(&pool);
}

static void the_stand_in_is_called_synthetic_from_a_file_too(void **state)
{
    (void)state;
    folder f = folder_new();
    sotto__pool pool = {0};
    char fault[SOTTO_FAULT_BYTES];
    sotto__customers built_in, file;
    uint32_t rows;
    assert_silent(sotto__customers_open(NULL, &built_in, fault));
    assert_silent(sotto__customers_write(f.file, 1, &rows, fault));
    assert_silent(sotto__customers_open(f.file, &file, fault));
    assert_true(built_in.synthetic && file.synthetic);
    assert_int_equal(rows, 50000);
    assert_int_equal(built_in.rows, rows);
    assert_int_equal(file.rows, rows);
    assert_int_equal(built_in.population->rows, rows);
    const char *notice = sotto__customers_notice(&built_in, NULL, &pool);
    assert_non_null(strstr(
        notice, "SYNTHETIC customers (known by their column SYNTHETIC). The 50,000 rows of the "
                "stand-in that comes with sotto are not the data of the study, and "
                "nothing below about auto loans is a result on that data."));
    notice = sotto__customers_notice(&file, "loans.csv", &pool);
    assert_non_null(
        strstr(notice, "SYNTHETIC customers (known by their column SYNTHETIC). The 50,000 rows of "
                       "loans.csv are not the data"));
    file.synthetic = false;
    notice = sotto__customers_notice(&file, "loans.csv", &pool);
    assert_null(strstr(notice, "SYNTHETIC"));
    assert_non_null(strstr(notice, "50,000 customers of loans.csv, taken as given"));
    sotto__customers_close(&built_in);
    sotto__customers_close(&file);
    assert_null(file.population);
    sotto__pool_free(&pool);
    folder_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_cannot_be_used_are_named),
        cmocka_unit_test(a_stand_in_is_never_written_over_a_file),
        cmocka_unit_test(where_nobody_is_there_is_no_notice),
        cmocka_unit_test(the_stand_in_is_called_synthetic_from_a_file_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
