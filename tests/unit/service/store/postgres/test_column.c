/* Columns of results that are made by hand. */
#include "service/store/postgres/inner.h"
#include "test.h"

#include <string.h>

/* One row; a length of -1 is NULL. */
static PGresult *result_of(const char *value[], const int *length, int columns)
{
    PGresAttDesc attribute[8] = {0};
    PGresult *result = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);
    for (int i = 0; i < columns; i++) {
        attribute[i].name = "x";
        attribute[i].format = 1;
    }
    assert_int_equal(PQsetResultAttrs(result, columns, attribute), 1);
    for (int i = 0; i < columns; i++) {
        assert_int_equal(PQsetvalue(result, 0, i, (char *)(uintptr_t)value[i], length[i]), 1);
    }
    return result;
}

TEST(what_is_not_there_or_of_another_length_is_refused)
{
    int64_t i64;
    uint8_t three[3];
    bool flag;
    journal_bytes bytes;
    const char *text;
    const char *value[] = {"1234567", NULL, "a\0b"};
    PGresult *result = result_of(value, (const int[]){7, -1, 3}, 3);
    for (int column = 0; column < 4; column++) {
        assert_false(postgres__column_i64(result, 0, column, &i64));
        assert_false(postgres__column_bool(result, 0, column, &flag));
        assert_int_equal(postgres__column_exact(result, 0, column, three, 3), column == 2);
        assert_int_equal(postgres__column_bytes(result, 0, column, &bytes),
                         column == 0 || column == 2);
        assert_int_equal(postgres__column_text(result, 0, column, &text), column == 0);
    }
    assert_false(postgres__column_bytes(result, 1, 0, &bytes));
    PQclear(result);
}

TEST(numbers_outside_the_type_are_refused)
{
    int64_t i64;
    uint64_t u64;
    uint32_t u32;
    const char *value[] = {"\xff\xff\xff\xff\xff\xff\xff\xfe", "\0\0\0\1\0\0\0\0",
                           "\0\0\0\0\xff\xff\xff\xff"};
    PGresult *result = result_of(value, (const int[]){8, 8, 8}, 3);
    assert_true(postgres__column_i64(result, 0, 0, &i64));
    assert_int_equal(i64, -2);
    assert_false(postgres__column_u64(result, 0, 0, &u64));
    assert_true(postgres__column_u64(result, 0, 1, &u64));
    assert_int_equal(u64, 1ull << 32);
    assert_false(postgres__column_u32(result, 0, 1, &u32));
    assert_true(postgres__column_u32(result, 0, 2, &u32));
    assert_int_equal(u32, UINT32_MAX);
    PQclear(result);
}

TEST(bytes_text_and_flags_come_as_they_are)
{
    bool flag;
    journal_bytes bytes;
    const char *text;
    const char *value[] = {"", "\1", "\0", "abc"};
    PGresult *result = result_of(value, (const int[]){0, 1, 1, 3}, 4);
    assert_true(postgres__column_bytes(result, 0, 0, &bytes));
    assert_int_equal(bytes.bytes, 0);
    assert_true(postgres__column_bool(result, 0, 1, &flag) && flag);
    assert_true(postgres__column_bool(result, 0, 2, &flag) && !flag);
    assert_true(postgres__column_text(result, 0, 3, &text));
    assert_string_equal(text, "abc");
    PQclear(result);
}
