/* Words as indices. */
#include "lab/dataset/levels.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static void a_word_is_there_once(void **state)
{
    (void)state;
    sotto__levels levels;
    assert_ok(sotto__levels_new(&levels, 3));
    assert_true(sotto__levels_add(&levels, "a", 1, 5));
    assert_false(sotto__levels_add(&levels, "a", 1, 6));
    assert_int_equal(sotto__levels_find(&levels, "a", 1), 5);
    assert_int_equal(levels.count, 1);
    sotto__levels_free(&levels);
    sotto__levels_free(&levels);
}

static void words_are_compared_whole(void **state)
{
    (void)state;
    sotto__levels levels;
    assert_ok(sotto__levels_new(&levels, 3));
    assert_true(sotto__levels_add(&levels, "", 0, 0));
    assert_true(sotto__levels_add(&levels, "ab", 2, 1));
    assert_true(sotto__levels_add(&levels, "abc", 3, 2));
    assert_int_equal(sotto__levels_find(&levels, "abc", 0), 0);
    assert_int_equal(sotto__levels_find(&levels, "abc", 1), UINT32_MAX);
    assert_int_equal(sotto__levels_find(&levels, "abc", 2), 1);
    assert_int_equal(sotto__levels_find(&levels, "abc", 3), 2);
    assert_int_equal(sotto__levels_find(&levels, "abd", 3), UINT32_MAX);
    assert_int_equal(sotto__levels_find(&levels, "abcd", 4), UINT32_MAX);
    sotto__levels_free(&levels);
}

static void a_full_table_finds_all_and_nothing_else(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    static char word[2 * COUNT][8];
    sotto__levels levels;
    assert_ok(sotto__levels_new(&levels, COUNT));
    for (uint32_t i = 0; i < 2 * COUNT; i++) {
        snprintf(word[i], sizeof word[i], "%u", i);
        if (i < COUNT) assert_true(sotto__levels_add(&levels, word[i], strlen(word[i]), i));
    }
    for (uint32_t i = 0; i < 2 * COUNT; i++) {
        uint32_t wanted = i < COUNT ? i : UINT32_MAX;
        assert_int_equal(sotto__levels_find(&levels, word[i], strlen(word[i])), wanted);
    }
    sotto__levels_free(&levels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_is_there_once),
        cmocka_unit_test(words_are_compared_whole),
        cmocka_unit_test(a_full_table_finds_all_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
