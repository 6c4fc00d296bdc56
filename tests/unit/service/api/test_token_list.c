/* The file of the hashes of tokens. */
#include "service/api/api.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ONES "1111111111111111111111111111111111111111111111111111111111111111"
#define TWOS "2222222222222222222222222222222222222222222222222222222222222222"
#define MIXED "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

typedef struct bad_file {
    const char *text;
    size_t bytes; /* 0: the length of the text */
    uint32_t line;
    const char *says;
} bad_file;

TEST(bad_files_are_refused_by_line)
{
    static const bad_file bad[] = {
        {"", 0, 1, "the file has no token"},
        {"\n", 0, 1, "allowed ROLE HASH"},
        {"admin\n", 0, 1, "allowed ROLE HASH"},
        {"admin \n", 0, 1, "hash: allowed 64"},
        {"admin " ONES, 0, 1, "the line does not end in a newline"},
        {"admin " ONES "\nreader " TWOS, 0, 2, "the line does not end in a newline"},
        {"admin " ONES "\n\n", 0, 2, "allowed ROLE HASH"},
        {" admin " ONES "\n", 0, 1, "role: allowed admin or reader"},
        {"root " ONES "\n", 0, 1, "role: allowed admin or reader"},
        {"Admin " ONES "\n", 0, 1, "role: allowed admin or reader"},
        {"admin  " ONES "\n", 0, 1, "hash: allowed 64"},
        {"admin " ONES "1\n", 0, 1, "hash: allowed 64"},
        {"admin A" ONES "\n", 0, 1, "hash: allowed 64"},
        {"admin " ONES " \n", 0, 1, "name: allowed 1 to 32"},
        {"admin " ONES "\r\n", 0, 1, "hash: allowed 64"},
        {"admin " ONES " Ops\n", 0, 1, "name: allowed 1 to 32"},
        {"admin " ONES " .ops\n", 0, 1, "name: allowed 1 to 32"},
        {"admin " ONES " ../ops\n", 0, 1, "name: allowed 1 to 32"},
        {"admin " ONES " abcdefghijabcdefghijabcdefghijabc\n", 0, 1, "name: allowed 1 to 32"},
        {"admin " ONES " ops 2027-02-29\n", 0, 1, "last day: allowed a date such"},
        {"admin " ONES " ops 2027-1-31\n", 0, 1, "last day: allowed a date such"},
        {"admin " ONES " ops \n", 0, 1, "last day: allowed a date such"},
        {"admin " ONES " ops 2027-01-31 \n", 0, 1, "allowed ROLE HASH"},
        {"admin " ONES " ops 2027-01-31 x\n", 0, 1, "allowed ROLE HASH"},
        {"admin " ONES "\nadmin " TWOS "\n", 0, 2, "the name is also in line 1"},
        {"admin " ONES "\nreader " TWOS " admin\n", 0, 2, "the name is also in line 1"},
        {"admin " ONES "\nreader " ONES "\n", 0, 2, "the hash is also in line 1"},
        {"admin " ONES "\nreader " TWOS "\nreader " TWOS " a\n", 0, 3,
         "the hash is also in line 2"},
        {"admin " ONES "\n\0", 6 + 64 + 2, 2, "the line does not end in a newline"},
        {"admin " ONES "\0\n", 6 + 64 + 2, 1, "hash: allowed 64"},
        {"admin " ONES " a\0b\n", 6 + 64 + 5, 1, "name: allowed 1 to 32"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        token_list list;
        uint32_t line = 0;
        sotto_fault fault;
        size_t bytes = bad[i].bytes > 0 ? bad[i].bytes : strlen(bad[i].text);
        if (token_list_read(bad[i].text, bytes, &list, &line, &fault) == SOTTO_OK)
            fail_msg("%s", bad[i].text);
        if (strstr(fault.sentence, bad[i].says) != fault.sentence)
            fail_msg("%zu: \"%s\"", i, fault.sentence);
        assert_string_equal(fault.value, ""); /* a hash is not repeated */
        if (line != bad[i].line) fail_msg("%zu: line %u", i, line);
    }
}

/* These are two tokens. */
TEST(hashes_that_differ_in_one_digit_are_two)
{
    for (uint32_t i = 0; i < 2 * SOTTO__DIGEST_BYTES; i++) {
        token_list list;
        uint32_t line;
        sotto_fault fault;
        char text[] = "admin " ONES "\nreader " ONES "\n";
        text[strlen("admin " ONES "\nreader ") + i] = '2';
        if (token_list_read(text, strlen(text), &list, &line, &fault) != SOTTO_OK)
            fail_msg("%u: %s", i, fault.sentence);
    }
}

TEST(a_hash_has_hexadecimal_digits_and_small_letters)
{
    char text[] = "admin " ONES "\n";
    for (int c = 1; c < 256; c++) {
        token_list list;
        uint32_t line;
        text[6 + c % 64] = (char)c;
        bool wanted = strchr("0123456789abcdef", c) != NULL;
        assert_int_equal(token_list_read(text, strlen(text), &list, &line, NULL) == SOTTO_OK,
                         wanted);
        text[6 + c % 64] = '1';
    }
}

TEST(more_than_64_are_refused)
{
    token_list list, again;
    uint32_t line;
    char text[TOKEN_LIST_BYTES + 200];
    sotto_fault fault;
    list.count = TOKEN_LIST_MAX;
    memset(list.row, 0, sizeof list.row);
    for (uint32_t i = 0; i < list.count; i++) {
        list.row[i].role = AUTH_ADMIN;
        list.row[i].hash[0] = (uint8_t)i;
        snprintf(list.row[i].name, TOKEN_NAME_BYTES, "abcdefghijabcdefghijabcdefghij%02u", i % 100);
        list.row[i].last_day = 99991231;
    }
    size_t bytes = token_list_write(&list, text);
    assert_true(bytes < TOKEN_LIST_BYTES);
    assert_ok(token_list_read(text, bytes, &again, &line, NULL));
    assert_memory_equal(&list, &again, sizeof list);
    bytes += (size_t)sprintf(text + bytes, "admin " ONES "\n");
    assert_fault_says(token_list_read(text, bytes, &again, &line, &fault), fault,
                      "the file has too many tokens; allowed 64");
    assert_int_equal(line, 65);
}

TEST(what_is_no_day_is_none)
{
    static const char *const bad[] = {"",           "2027-01-3",  "2027-01-311", "1969-12-31",
                                      "2027-00-10", "2027-13-10", "2027-04-31",  "2100-02-29",
                                      "2027/01/31", "2027-01-00", "2027-0a-01",  "tomorrow.."};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (token_day_read(bad[i], strlen(bad[i])) != 0) fail_msg("%s", bad[i]);
    }
    assert_int_equal(token_day_read("2027-01-31", 10), 20270131);
    assert_int_equal(token_day_read("2028-02-29", 10), 20280229);
    assert_int_equal(token_day_read("2000-02-29", 10), 20000229);
    assert_true(token_today() > 20260101 && token_today() < 99991231);
}

/* Names are roles. */
TEST(a_file_without_names_is_read)
{
    static const char text[] = "admin " MIXED "\nreader " TWOS "\n";
    char again[TOKEN_LIST_BYTES];
    token_list list;
    uint32_t line;
    assert_ok(token_list_read(text, strlen(text), &list, &line, NULL));
    assert_ints(list.count, 2, list.row[0].role, AUTH_ADMIN);
    assert_string_equal(list.row[0].name, "admin");
    assert_ints(list.row[0].hash[0], 0x01, list.row[0].hash[31], 0xef);
    assert_int_equal(list.row[1].role, AUTH_READER);
    assert_string_equal(list.row[1].name, "reader");
    assert_ints(list.row[1].last_day, 0, token_list_write(&list, again), strlen(text));
    assert_string_equal(again, text);
}

TEST(names_and_last_days_are_read_and_written)
{
    static const char text[] =
        "admin " ONES " ops-2 2027-01-31\nreader " TWOS " reader 2028-02-29\n"
        "reader " MIXED " admin\n";
    char again[TOKEN_LIST_BYTES];
    token_list list;
    uint32_t line;
    assert_ok(token_list_read(text, strlen(text), &list, &line, NULL));
    assert_int_equal(list.count, 3);
    assert_string_equal(list.row[0].name, "ops-2");
    assert_int_equal(list.row[0].last_day, 20270131);
    assert_ptr_equal(token_list_find(&list, "admin"), &list.row[2]);
    assert_null(token_list_find(&list, "nobody"));
    token_list_write(&list, again);
    assert_string_equal(again, text);
}

TEST(roles_have_names)
{
    assert_ints(token_role_read("admin", 5), AUTH_ADMIN, token_role_read("reader", 6), AUTH_READER);
    assert_ints(token_role_read("nobody", 6), AUTH_NOBODY, token_role_read("", 0), AUTH_NOBODY);
    assert_string_equal(token_role_name(AUTH_NOBODY), "nobody");
}

TEST(an_admin_is_valid_on_its_last_day)
{
    token_list list = {.count = 2, .row = {{.role = AUTH_READER}, {.role = AUTH_ADMIN}}};
    list.row[1].last_day = 20270131;
    assert_false(token_list_has_admin(&list, 20270201));
    assert_true(token_list_has_admin(&list, 20270131));
    list.row[1].last_day = 0;
    assert_true(token_list_has_admin(&list, 20270201));
    list.count = 1;
    assert_false(token_list_has_admin(&list, 20270201));
}
