/* Columns of another type or range than ours. */
#include "golden.h"
#include "service/store/sqlite/inner.h"
#include "test.h"

#include <string.h>

static sqlite3 *data;

static int start(void **state)
{
    (void)state;
    return sqlite3_open(":memory:", &data);
}

static int end(void **state)
{
    (void)state;
    return sqlite3_close(data);
}

static sqlite3_stmt *select_one(const char *sql)
{
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_prepare_v2(data, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    return statement;
}

TEST_WITH(columns_of_another_type_are_refused, start, end)
{
    uint64_t number;
    uint32_t small;
    int64_t with_sign;
    journal_bytes bytes;
    const uint8_t *digest;
    const char *text;
    sqlite3_stmt *statement = select_one("SELECT 'a', x'61', 1, NULL, 1.0");
    for (int i = 0; i < 5; i++) {
        assert_int_equal(journal__column_u64(statement, i, &number), i == 2);
        assert_int_equal(journal__column_u32(statement, i, &small), i == 2);
        assert_int_equal(journal__column_i64(statement, i, &with_sign), i == 2);
        assert_int_equal(journal__column_bytes(statement, i, &bytes), i == 1);
        assert_int_equal(journal__column_text(statement, i, &text), i == 0);
        assert_false(journal__column_digest(statement, i, &digest));
    }
    sqlite3_finalize(statement);
}

TEST_WITH(numbers_out_of_range_are_refused, start, end)
{
    uint64_t number;
    uint32_t small;
    sqlite3_stmt *statement = select_one("SELECT -1, 4294967296, 4294967295");
    assert_false(journal__column_u64(statement, 0, &number));
    assert_false(journal__column_u32(statement, 0, &small));
    assert_false(journal__column_u32(statement, 1, &small));
    assert_true(journal__column_u64(statement, 1, &number));
    assert_int_equal(number, 4294967296);
    assert_true(journal__column_u32(statement, 2, &small));
    assert_int_equal(small, UINT32_MAX);
    sqlite3_finalize(statement);
}

TEST_WITH(a_text_with_a_zero_in_it_is_refused, start, end)
{
    const char *text;
    sqlite3_stmt *statement = select_one("SELECT CAST(x'6100' AS TEXT), ''");
    assert_false(journal__column_text(statement, 0, &text));
    assert_true(journal__column_text(statement, 1, &text));
    assert_string_equal(text, "");
    sqlite3_finalize(statement);
}

TEST_WITH(digests_have_32_bytes, start, end)
{
    const uint8_t *digest;
    sqlite3_stmt *statement = select_one("SELECT zeroblob(31), zeroblob(33), zeroblob(32)");
    assert_false(journal__column_digest(statement, 0, &digest));
    assert_false(journal__column_digest(statement, 1, &digest));
    assert_true(journal__column_digest(statement, 2, &digest));
    sqlite3_finalize(statement);
}

TEST_WITH(numbers_of_2_to_the_63_are_not_bound, start, end)
{
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_prepare_v2(data, "SELECT ?, ?", -1, &statement, NULL), SQLITE_OK);
    const journal_value large[] = {JOURNAL_VALUE_U(1ull << 63)};
    const journal_value good[] = {JOURNAL_VALUE_U(INT64_MAX), JOURNAL_VALUE_I(-1)};
    assert_int_equal(journal__bind(statement, large, 1), SQLITE_RANGE);
    assert_int_equal(journal__bind(statement, good, 2), SQLITE_OK);
    sqlite3_finalize(statement);
}

TEST_WITH(an_empty_blob_is_not_null, start, end)
{
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_prepare_v2(data, "SELECT typeof(?)", -1, &statement, NULL), SQLITE_OK);
    const journal_value empty[] = {JOURNAL_VALUE_BYTES(NULL, 0)};
    assert_ints(journal__bind(statement, empty, 1), SQLITE_OK, sqlite3_step(statement), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(statement, 0), "blob");
    sqlite3_finalize(statement);
}

TEST_WITH(every_statement_fits_the_tables, start, end)
{
    sqlite3_stmt *statement[JOURNAL_SQL_COUNT] = {NULL};
    assert_int_equal(journal__prepare(data, statement), SQLITE_ERROR);
    journal__finalize(statement);
    assert_int_equal(journal__make_tables(data), SQLITE_OK);
    assert_int_equal(journal__prepare(data, statement), SQLITE_OK);
    journal__finalize(statement);
}
