/* The value of --shard. */
#include "cli/option/option.h"
#include "test.h"
#include "why.h"

#include <stdio.h>

typedef struct fields {
    uint64_t before; /* so that the field has an offset */
    option_shard shard;
} fields;

static const option row = {.field = offsetof(fields, shard)};

TEST(what_is_no_shard_is_refused_by_its_value)
{
    static const char *const bad[] = {"0/3",
                                      "4/3",
                                      "3",
                                      "1/0",
                                      "1/1e9",
                                      "a/b",
                                      "1/",
                                      "/3",
                                      "",
                                      "1/3/",
                                      "-1/3",
                                      "+1/3",
                                      " 1/3",
                                      "1/ 3",
                                      "1.0/3",
                                      "1 of 3",
                                      "1/3x",
                                      "0/0",
                                      "1/100001",
                                      "4294967297/4294967298",
                                      "99999999999999999999/3"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        fields f = {0};
        char words[SOTTO_FAULT_BYTES];
        snprintf(words, sizeof words,
                 "%s: allowed I/N, such as 2/8, with I from 1 to N and N at most 100000", bad[i]);
        assert_non_null(WHY(shard_parse, &row, bad[i], &f));
        assert_string_equal(why_fault.sentence, words);
    }
}

TEST(a_shard_is_read_into_its_field)
{
    static const struct {
        const char *text;
        uint32_t index, count;
    } good[] = {{"1/1", 1, 1}, {"2/8", 2, 8}, {"007/008", 7, 8}, {"100000/100000", 100000, 100000}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        fields f = {0};
        assert_null(WHY(shard_parse, &row, good[i].text, &f));
        assert_int_equal(f.shard.index, good[i].index);
        assert_int_equal(f.shard.count, good[i].count);
        assert_int_equal(f.before, 0);
    }
}
