/* A table of a page, filled line by line. */
#include "lab/page/table.h"
#include "test.h"

#include <math.h>

static const sotto__page_column column[] = {{"method", SOTTO__HTML_WORDS},
                                            {"regret", SOTTO__HTML_NUMBER}};

/* How often memory is given from here on. */
static uint32_t memory_left = UINT32_MAX;

void *__real_sotto__pool_take(sotto__pool *pool, size_t bytes);
void *__wrap_sotto__pool_take(sotto__pool *pool, size_t bytes);
void *__wrap_sotto__pool_take(sotto__pool *pool, size_t bytes)
{
    if (memory_left-- > 0) return __real_sotto__pool_take(pool, bytes);
    memory_left = 0;
    pool->failed = 1;
    return NULL;
}

/* A table takes memory four times: heads, kinds, cells, rows that stand out. */
static void without_memory_there_is_no_table(void **state)
{
    (void)state;
    for (uint32_t given = 0; given <= 4; given++) {
        sotto__pool pool = {0};
        sotto__page_table table;
        memory_left = given;
        assert_true(sotto__page_table_begin(&table, &pool, "", column, 2, 3) == (given == 4));
        assert_true(pool.failed == (given < 4));
        sotto__pool_free(&pool);
    }
    memory_left = UINT32_MAX;
}

static void what_is_no_number_is_a_dash(void **state)
{
    (void)state;
    sotto__pool pool = {0};
    assert_string_equal(sotto__page_number(&pool, NAN), "-");
    assert_string_equal(sotto__page_number(&pool, INFINITY), "-");
    assert_string_equal(sotto__page_number(&pool, -INFINITY), "-");
    sotto__pool_free(&pool);
}

static void numbers_have_the_digits_that_a_reader_wants(void **state)
{
    (void)state;
    sotto__pool pool = {0};
    static const struct {
        double value;
        const char *text;
    } wanted[] = {{12345.6, "12,346"}, {1000, "1,000"},     {999.4, "999"},     {12.34, "12.3"},
                  {0.01234, "0.0123"}, {-1234.5, "-1,234"}, {-1.2345, "-1.23"}, {0, "0"}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        assert_string_equal(sotto__page_number(&pool, wanted[i].value), wanted[i].text);
    }
    sotto__pool_free(&pool);
}

static void lines_follow_each_other_and_stand_out_if_asked(void **state)
{
    (void)state;
    sotto__pool pool = {0};
    sotto__page_table table;
    assert_true(sotto__page_table_begin(&table, &pool, "caption", column, 2, 3));
    assert_int_equal(table.html.rows_count, 0);
    const char **first = sotto__page_table_line(&table, false);
    first[0] = "ols";
    first[1] = "1";
    const char **second = sotto__page_table_line(&table, true);
    second[0] = "sotto";
    second[1] = "2";
    static const char *const cell[] = {"ols", "1", "sotto", "2"};
    assert_string_equal(table.html.caption, "caption");
    assert_int_equal(table.html.columns_count, 2);
    assert_int_equal(table.html.rows_count, 2);
    assert_string_equal(table.html.head[0], "method");
    assert_string_equal(table.html.head[1], "regret");
    assert_true(table.html.kind[0] == SOTTO__HTML_WORDS &&
                table.html.kind[1] == SOTTO__HTML_NUMBER);
    assert_true(!table.html.strong[0] && table.html.strong[1]);
    for (uint32_t i = 0; i < 4; i++) {
        assert_string_equal(table.html.cell[i], cell[i]);
    }
    sotto__pool_free(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_memory_there_is_no_table),
        cmocka_unit_test(what_is_no_number_is_a_dash),
        cmocka_unit_test(numbers_have_the_digits_that_a_reader_wants),
        cmocka_unit_test(lines_follow_each_other_and_stand_out_if_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
