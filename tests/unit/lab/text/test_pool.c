/* Many short texts that are freed together. */
#include "lab/text/pool.h"
#include "scarce.h"
#include "test.h"

#include <stdint.h>
#include <string.h>

static void without_memory_texts_are_empty_and_the_pool_says_so(void **state)
{
    (void)state;
    sotto__pool pool = {0};
    calls_left = 0;
    assert_null(sotto__pool_take(&pool, 8));
    assert_string_equal(sotto__pool_print(&pool, "lost"), "");
    calls_left = UINT32_MAX;
    assert_true(pool.failed);
    sotto__pool_free(&pool);
}

static void memory_is_zero_and_aligned(void **state)
{
    (void)state;
    sotto__pool pool = {0};
    for (size_t bytes = 1; bytes < 40; bytes++) {
        uint8_t *memory = sotto__pool_take(&pool, bytes);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % sizeof(double), 0);
        for (size_t i = 0; i < bytes; i++) {
            assert_int_equal(memory[i], 0);
        }
        memset(memory, 1, bytes);
    }
    sotto__pool_free(&pool);
}

static void texts_live_as_long_as_the_pool(void **state)
{
    (void)state;
    sotto__pool pool = {0};
    const char *text[100];
    for (int i = 0; i < 100; i++) {
        text[i] = sotto__pool_print(&pool, "%d and %s", i, "more");
    }
    assert_string_equal(text[0], "0 and more");
    assert_string_equal(text[99], "99 and more");
    assert_string_equal(sotto__pool_print(&pool, "%s", ""), "");
    assert_false(pool.failed);
    sotto__pool_free(&pool);
    assert_null(pool.last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_memory_texts_are_empty_and_the_pool_says_so),
        cmocka_unit_test(memory_is_zero_and_aligned),
        cmocka_unit_test(texts_live_as_long_as_the_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
