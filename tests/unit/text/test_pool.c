/* Many short texts that are freed together. */
#include "scarce.h"
#include "test.h"
#include "text/text.h"

#include <stdint.h>
#include <string.h>

TEST(without_memory_texts_are_empty_and_the_pool_says_so)
{
    HELD(sotto__pool) pool = {0};
    calls_left = 0;
    assert_null(sotto__pool_take(&pool, 8));
    assert_string_equal(sotto__pool_print(&pool, "lost"), "");
    calls_left = UINT32_MAX;
    assert_true(pool.failed);
}

TEST(memory_is_zero_and_aligned)
{
    HELD(sotto__pool) pool = {0};
    for (size_t bytes = 1; bytes < 40; bytes++) {
        uint8_t *memory = sotto__pool_take(&pool, bytes);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % sizeof(double), 0);
        for (size_t i = 0; i < bytes; i++) {
            assert_int_equal(memory[i], 0);
        }
        memset(memory, 1, bytes);
    }
}

TEST(texts_live_as_long_as_the_pool)
{
    sotto__pool pool = {0};
    const char *text[100];
    for (int i = 0; i < 100; i++) {
        text[i] = sotto__pool_print(&pool, "%d and %s", i, "more");
    }
    assert_strings(text[0], "0 and more", text[99], "99 and more",
                   sotto__pool_print(&pool, "%s", ""), "");
    assert_false(pool.failed);
    sotto__pool_free(&pool);
    assert_null(pool.last);
}
